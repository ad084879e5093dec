//! A fix shown as a patch before it is written, and an entry that allows a finding, shown the same way.

use std::collections::BTreeMap;

use ratatui::style::Style;

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::{InputPopup, InputPurpose, Popup};
use hookbench_app::LinkPolicy;
use hookbench_app::lint::{ALLOW_FILE, FileChange, Finding, apply_fixes, fingerprint, format_entry, with_entry};

/// A finding with a fix for this hook of the agent on the bench.
pub fn fix_of_hook<'m>(model: &'m Model, hook: &str) -> Option<&'m Finding> {
    let agent = model.session.bench().agent;
    let about = |finding: &&Finding| {
        finding.agent == agent && finding.fix.is_some() && finding.hook.as_ref().is_some_and(|at| at.id == hook)
    };
    let report = model.session.problems().report.as_ref()?;
    // Safe fixes come before proposals.
    let mut all: Vec<&Finding> = report.findings.iter().filter(about).collect();
    all.sort_by_key(|finding| finding.fix.as_ref().is_none_or(|fix| !fix.safe));
    all.first().copied()
}

/// Shows the fix of a finding as a patch; `y` writes it.
pub fn show_fix(model: &mut Model, finding: &Finding) {
    let Some(fix) = &finding.fix else {
        let says = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        model.toast = Some(format!("{} has no fix of its own{says}", finding.code));
        return;
    };
    let wanted = fingerprint(finding);
    let only = |linted: hookbench_app::lint::LintResult| {
        let same = |f: &Finding| fingerprint(f) == wanted && f.message == finding.message && f.fix.is_some();
        linted.findings.into_iter().filter(same).collect()
    };
    let mended = apply_fixes(
        &model.session.lint_input(),
        (hookbench_core::dialects::by_id(finding.agent).map(|dialect| dialect.id()), &[], &BTreeMap::new()),
        LinkPolicy::Refuse,
        &only,
    );
    if let Some(refused) = mended.rejected.first().filter(|_| mended.files.is_empty()) {
        model.toast = Some(format!("not mended: {}", refused.why));
        return;
    }
    if mended.files.is_empty() {
        model.toast = Some("the files have changed since; nothing is to be mended here any more".to_owned());
        return;
    }
    let kind = if fix.safe { "a safe fix" } else { "a proposal: is this what was meant?" };
    let title = format!("{}: {kind}", finding.code);
    show_patch(model, title, mended.files);
}

/// Asks for the reason to allow a finding.
pub fn ask_reason(model: &mut Model, finding: &Finding) {
    if finding.agent == "all" || finding.file.is_none() {
        model.toast = Some(format!("{} is about no hook that could be allowed", finding.code));
        return;
    }
    model.popups.push(Popup::Input(InputPopup {
        title: format!("Why is {} right here?", finding.code),
        hint: format!("Enter shows the entry for {ALLOW_FILE}"),
        text: String::new().into(),
        form: "the reason, for whoever reads it next",
        what: InputPurpose::Reason,
        error: None,
    }));
}

/// Shows the entry that allows the selected finding as a patch; `y` writes it.
pub fn allow_entry(model: &mut Model, reason: &str) {
    let Some(group) = model.problems.group() else { return };
    let Some(entry) = format_entry(&group.finding, reason) else { return };
    let code = group.finding.code;
    let place = model.session.place();
    let path = place.absolute(&place.project, ALLOW_FILE);
    let before = model.session.files().read(&path).ok();
    let text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let after = with_entry(text, &entry).into_bytes();
    let file = FileChange { file: ALLOW_FILE.to_owned(), path, before, after, executable: false };
    show_patch(model, format!("{code} is passed over here from now on"), vec![file]);
}

fn show_patch(model: &mut Model, title: String, files: Vec<FileChange>) {
    let theme = model.theme;
    let mut lines: Vec<Vec<(Style, String)>> = Vec::new();
    for file in &files {
        for line in file.diff().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => theme.good(),
                Some(b'-') => theme.bad(),
                _ => theme.plain(),
            };
            lines.push(vec![(style, line.to_owned())]);
        }
        if file.executable {
            lines.push(vec![(theme.good(), format!("chmod +x {}", file.file))]);
        }
    }
    let undo = model.key(UiCommand::Undo);
    model.ask_question(Popup::Patch { title, lines, top: 0, files, undo });
}
