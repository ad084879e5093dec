//! A fix shown as a patch before it is written, and an entry that allows a finding, shown the same way.

use std::collections::BTreeMap;

use crate::model::Model;
use crate::popup::{InputPopup, InputPurpose, Popup, lines_columns, show_patch, show_patch_with_note};
use hookbench_app::LinkPolicy;
use hookbench_app::lint::{ALLOW_FILE, FileChange, Finding, apply_fixes, fingerprint, format_entry, with_entry};
use hookbench_core::text::pluralize;

/// Shows the page of a finding's code.
pub fn show_explanation(model: &mut Model, finding: &Finding) {
    let columns = lines_columns(model.size.0);
    let lines = super::detail::explained(model, finding.code, columns);
    let title = format!("{}: {}", finding.code, finding.message);
    model.popups.push(Popup::Lines { title, lines, top: 0 });
}

/// Shows the fix of a finding as a patch; `Y` writes it.
pub fn show_fix(model: &mut Model, finding: &Finding) {
    let Some(fix) = &finding.fix else {
        let says = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        model.toast = Some(format!("{} has no automatic fix{says}", finding.code));
        return;
    };
    let wanted = fingerprint(finding);
    let only = |linted: hookbench_app::lint::LintResult| {
        let same = |f: &Finding| fingerprint(f) == wanted && f.message == finding.message && f.fix.is_some();
        linted.findings.into_iter().filter(same).collect()
    };
    let fixed =
        apply_fixes(&model.session.lint_input(), (finding.agent, &[], &BTreeMap::new()), LinkPolicy::Refuse, &only);
    if let Some(refused) = fixed.rejected.first().filter(|_| fixed.files.is_empty()) {
        model.toast = Some(format!("not fixed: {}", refused.why));
        return;
    }
    if fixed.files.is_empty() {
        model.toast = Some("the files have changed; there is nothing left to fix".to_owned());
        return;
    }
    let kind = if fix.safe { "safe fix" } else { "proposed fix, check it first" };
    let title = format!("{}: {kind}", finding.code);
    let findings = model.session.problems().report.iter().flat_map(|report| &report.findings);
    let others = findings.filter(|other| other.fix.is_some() && fingerprint(other) != wanted).count();
    let note = (others > 0).then(|| {
        let others = pluralize(others as u64, "other finding");
        format!("{others} can be fixed too: hookbench lint --fix --proposed")
    });
    show_patch_with_note(model, title, note, fixed.files);
}

/// Asks for the reason to allow a finding.
pub fn ask_reason(model: &mut Model, finding: &Finding) {
    if finding.agent.is_none() || finding.file.is_none() {
        model.toast = Some(format!("{} is not about a hook, so it cannot be allowed", finding.code));
        return;
    }
    model.popups.push(Popup::Input(InputPopup {
        prefix: String::new(),
        title: format!("Why do you allow {} here?", finding.code),
        hint: format!("an entry in {ALLOW_FILE}, shown before it is written"),
        text: String::new().into(),
        form: "the reason, for the next reader",
        what: InputPurpose::Reason(Box::new(finding.clone())),
        error: None,
    }));
}

/// Shows the entry that allows a finding as a patch; `Y` writes it.
pub fn allow_entry(model: &mut Model, finding: &Finding, reason: &str) {
    let Some(entry) = format_entry(finding, reason) else { return };
    let code = finding.code;
    let place = model.session.place();
    let path = place.absolute(&place.project, ALLOW_FILE);
    let before = model.session.files().read(&path).ok();
    let text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let after = with_entry(text, &entry).into_bytes();
    let file = FileChange { file: ALLOW_FILE.to_owned(), path, before, after, executable: false };
    show_patch(model, format!("Allow {code} here"), vec![file]);
}
