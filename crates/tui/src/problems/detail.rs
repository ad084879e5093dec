//! One finding in full, and the page of its code.

use std::collections::BTreeMap;
use std::rc::Rc;

use ratatui::style::Style;

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::{InputPopup, InputPurpose, Popup, lines_columns, show_patch, show_patch_with_note};
use crate::theme::Theme;
use crate::widgets::{StyledLine, width, wrap};
use hookbench_app::LinkPolicy;
use hookbench_app::lint::{
    ALLOW_FILE, ChangedLine, FileChange, Finding, FindingGroup, apply_fixes, fingerprint, format_entry, preview,
    with_entry,
};
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::dialects;
use hookbench_core::lint::{SECTIONS, page};
use hookbench_core::text::{mark_lookalikes, one_line, pluralize, replace_lookalikes};

/// Width of the labels, in columns.
const LABEL: usize = 7;
/// Lines of context around the finding's line, on a high screen.
const AROUND: u32 = 2;
/// Minimum height of a screen for the context, in rows.
const ROOMY: u16 = 20;
/// Maximum lines of a change.
const CHANGED: usize = 12;

struct FindingWriter<'a> {
    model: &'a Model,
    columns: usize,
    lines: Vec<StyledLine>,
}

impl FindingWriter<'_> {
    fn say(&mut self, label: &str, style: Style, text: &str) {
        let label = (self.model.theme.quiet(), format!("{label:<LABEL$}"));
        self.lines.extend(wrap(&[label, (style, replace_lookalikes(text).into_owned())], self.columns, LABEL));
    }

    fn put(&mut self, pieces: &[(Style, String)], indent: usize) {
        self.lines.extend(wrap(pieces, self.columns, indent));
    }
}

/// The columns that the page has for a finding.
pub fn page_columns(model: &Model) -> usize {
    usize::from(model.size.0).saturating_sub(4).max(8)
}

fn text(model: &Model) -> FindingWriter<'_> {
    FindingWriter { model, columns: page_columns(model), lines: Vec::new() }
}

/// The lines of a finding. `whole` is whether it fills the page.
pub fn finding(model: &Model, group: &FindingGroup, whole: bool) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut text = text(model);
    let found = &group.finding;
    let at = found.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
    let mut head = vec![
        (severity_style(theme, found.severity), format!("{} {}", found.severity.word(), found.code)),
        (theme.plain(), format!("   {}{at}", found.file.as_deref().unwrap_or(""))),
    ];
    if let Some(hook) = &found.hook {
        head.push((theme.quiet(), format!("   {} on {}", hook.label, hook.event)));
    }
    text.put(&head, 2);
    text.put(&[(theme.strong(), found.message.clone())], 0);
    add_source(&mut text, found, if whole && model.size.1 >= ROOMY { AROUND } else { 0 });
    if let Some(note) = &found.note {
        text.say("note", theme.plain(), note);
    }
    if let Some(help) = &found.help {
        text.say("help", theme.plain(), help);
    }
    if let Some(also) = group.other_places_text() {
        text.say("also", theme.plain(), &also);
    }
    add_fix_preview(&mut text, found);
    let names: Vec<&str> = group.agents.iter().map(|id| dialects::name_of(*id)).collect();
    if names.len() > 1 {
        text.say("agents", theme.plain(), &names.join(", "));
    }
    if let Some(page) = page(found.code) {
        let says = format!("{}: {} explains it", page.title, model.key(UiCommand::Explain));
        text.say("about", theme.quiet(), &says);
    }
    text.lines
}

/// Adds the source line with carets below the finding.
fn add_source(text: &mut FindingWriter<'_>, found: &Finding, around: u32) {
    let theme = text.model.theme;
    let Some((start, end)) = found.place else { return };
    let whole = found.path.as_ref().and_then(|path| text.model.session.files().read(path).ok());
    let whole = whole.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    // If the file has changed since, only the stored line is shown.
    let same = whole.lines().nth(start.line.saturating_sub(1) as usize) == Some(found.line.as_str());
    let around = if same { around } else { 0 };
    let (first, last) = (start.line.saturating_sub(around).max(1), start.line.saturating_add(around));
    let margin = last.to_string().len();
    let room = text.columns.saturating_sub(margin + 3).max(8);
    let before: String = found.line.chars().take(start.column.saturating_sub(1) as usize).collect();
    let stop = if end.line == start.line { end.column } else { u32::MAX };
    let length = (stop.saturating_sub(start.column) as usize).max(1);
    let meant: String = found.line.chars().skip(before.chars().count()).take(length).collect();
    let (skip, carets) = (width(&mark_lookalikes(&before)), width(&mark_lookalikes(meant.trim_end())).max(1));
    // The finding stays visible, with some of the text before it.
    let cut = if skip + carets.min(room / 2) > room { skip.saturating_sub(room / 4) } else { 0 };
    let tail = |line: &str| mark_lookalikes(line).chars().skip(cut).take(room).collect::<String>();
    for number in first..=last {
        let line = if number == start.line {
            found.line.as_str()
        } else {
            match whole.lines().nth(number as usize - 1) {
                Some(line) => line,
                None => break,
            }
        };
        let style = if number == start.line { theme.plain() } else { theme.quiet() };
        let bar = theme.bar();
        text.lines.push(vec![(theme.quiet(), format!("{number:>margin$} {bar} ")), (style, tail(line))]);
        if number == start.line {
            let marks = "^".repeat(carets.min(room.saturating_sub(skip - cut.min(skip)).max(1)));
            let air = " ".repeat(skip - cut.min(skip));
            let edge = format!("{} {bar} {air}", " ".repeat(margin));
            text.lines.push(vec![(theme.quiet(), edge), (severity_style(theme, found.severity), marks)]);
        }
    }
}

/// Adds the preview of the fix.
fn add_fix_preview(text: &mut FindingWriter<'_>, found: &Finding) {
    let theme = text.model.theme;
    let Some(fix) = &found.fix else { return };
    let files = text.model.session.files();
    let read = |path: &str| String::from_utf8(files.read(path).ok()?).ok().map(Rc::from);
    let lines = preview(fix, &read);
    let key = text.model.key(UiCommand::Fix);
    let kind = if fix.safe { "a safe fix" } else { "a proposal" };
    let what = if fix.executable.is_empty() { kind.to_owned() } else { format!("chmod +x, {kind}") };
    text.say("fix", theme.quiet(), &format!("{what}: {key} shows the patch"));
    let room = text.columns.saturating_sub(LABEL + 2);
    let cut = out_of_view(&lines, room);
    for line in lines.iter().take(CHANGED) {
        let (style, sign) = if line.added { (theme.good(), '+') } else { (theme.bad(), '-') };
        let shown: String = one_line(line.text.trim()).chars().skip(cut).take(room).collect();
        text.lines.push(vec![(theme.plain(), " ".repeat(LABEL)), (style, format!("{sign} {shown}"))]);
    }
}

/// The number of characters cut at the beginning of a change's lines, so that the difference is visible.
fn out_of_view(lines: &[ChangedLine], room: usize) -> usize {
    let side = |comes: bool| lines.iter().find(|line| line.added == comes).map(|line| one_line(line.text.trim()));
    let (Some(goes), Some(comes)) = (side(false), side(true)) else { return 0 };
    let alike = goes.chars().zip(comes.chars()).take_while(|(a, b)| a == b).count();
    if alike < room * 3 / 4 { 0 } else { alike - room / 4 }
}

/// The explanation of a code.
pub fn explained(model: &Model, code: Code, columns: usize) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut text = FindingWriter { model, columns, lines: Vec::new() };
    let Some(page) = page(code) else {
        text.put(&[(theme.plain(), format!("{code} has no page"))], 0);
        return text.lines;
    };
    let head =
        [(severity_style(theme, code.severity()), code.to_string()), (theme.strong(), format!(": {}", page.title))];
    text.put(&head, 2);
    let facts = format!("{}   found: {}   {}", code.severity().word(), page.found, page.fix);
    text.put(&[(theme.quiet(), facts)], 0);
    for (title, body) in SECTIONS.iter().zip(page.sections) {
        text.lines.push(StyledLine::new());
        text.put(&[(theme.strong(), (*title).to_owned())], 0);
        let mut code = false;
        let mut paragraph = String::new();
        for line in body.lines() {
            // A paragraph is joined into one line, which is wrapped to this screen.
            let ends = line.starts_with("```") || line.trim().is_empty() || line.starts_with(['-', '*', '|']) || code;
            if ends && !paragraph.is_empty() {
                text.put(&[(theme.plain(), format!("  {}", std::mem::take(&mut paragraph)))], 2);
            }
            if line.starts_with("```") {
                code = !code;
            } else if code {
                text.put(&[(theme.quiet(), format!("    {line}"))], 6);
            } else if !line.trim().is_empty() {
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(&line.replace('`', ""));
            }
        }
        if !paragraph.is_empty() {
            text.put(&[(theme.plain(), format!("  {paragraph}"))], 2);
        }
    }
    text.lines
}

/// The style of a severity.
pub(super) fn severity_style(theme: Theme, severity: Severity) -> Style {
    match severity {
        Severity::Error => theme.bad(),
        Severity::Warning => theme.warn(),
        Severity::Info => theme.quiet(),
    }
}

/// Shows the page of a finding's code.
pub fn show_explanation(model: &mut Model, finding: &Finding) {
    let columns = lines_columns(model.size.0);
    let lines = explained(model, finding.code, columns);
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
