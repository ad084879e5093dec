//! Findings in the style of compiler messages: the source line with a marker below it, and the help.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use unicode_width::UnicodeWidthStr as _;

use crate::print::text_page::{TextPage, Tone, agent_name};
use hookbench_app::lint::{ChangedLine, FileFix, FindingGroup, FindingsReport, group_findings, preview};
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::{one_line, pluralize};

/// Maximum number of characters shown of a source line.
const LINE: usize = 160;
/// Number of characters kept before the marked part, if the beginning of a line is cut.
const BEFORE: usize = 40;
/// Maximum number of lines shown of a change.
const CHANGED: usize = 8;

/// Returns all findings and their counts. `read` returns the text of a file, `started_with` is the command line that is assumed
/// for an agent, `left_out` says why agents are left out.
pub fn text(
    page: &mut TextPage,
    report: &FindingsReport,
    started_with: Option<&str>,
    left_out: Option<&str>,
    read: &dyn Fn(&str) -> Option<String>,
) {
    page.mark_lookalikes();
    if page.is_for_others() {
        page.put(Tone::Strong, "Problems in hooks").end().end();
    }
    let all = group_findings(&report.findings);
    let texts: RefCell<HashMap<String, Option<Rc<str>>>> = RefCell::default();
    let cached = |path: &str| {
        let mut texts = texts.borrow_mut();
        texts.entry(path.to_owned()).or_insert_with(|| read(path).map(Rc::from)).clone()
    };
    for group in &all {
        print_finding(page, group, &cached);
    }
    let count = |severity| all.iter().filter(|g| g.finding.severity == severity).count() as u64;
    let (errors, warnings, remarks) = (count(Severity::Error), count(Severity::Warning), count(Severity::Info));
    let tone = if errors > 0 { Tone::Bad } else { Tone::Good };
    page.put(tone, &format!("{}, {}", pluralize(errors, "error"), pluralize(warnings, "warning")));
    if remarks > 0 {
        page.put(Tone::Plain, &format!(", {}", pluralize(remarks, "note")));
    }
    let (hooks, files) = (report.hooks as u64, report.files as u64);
    page.put(Tone::Quiet, &format!(" in {} ({} read)", pluralize(hooks, "hook"), pluralize(files, "file"))).end();
    if report.files == 0 {
        page.put(Tone::Quiet, "no agent has settings here: `hookbench list` shows where each one looks").end();
    }
    let safe = all.iter().filter(|g| g.finding.fix.as_ref().is_some_and(|fix| fix.safe)).count() as u64;
    let mut more = Vec::new();
    let mut also = |n: usize, what: &str| more.extend((n > 0).then(|| format!("{n} {what}")));
    also(report.allowed.len(), "allowed with a reason");
    also(report.known, "known from the baseline");
    also(report.gone, "of the baseline fixed");
    if !more.is_empty() {
        page.put(Tone::Quiet, &more.join(", ")).end();
    }
    let proposed = all.iter().filter(|g| g.finding.fix.as_ref().is_some_and(|fix| !fix.safe)).count() as u64;
    for (count, what, options) in [(safe, "a safe fix", "--fix"), (proposed, "a proposal", "--fix --proposed")] {
        if count > 0 {
            let findings = pluralize(count, "finding");
            let says = format!("{findings} with {what}: `hookbench lint {options}` shows the change");
            page.put(Tone::Quiet, &says).end();
        }
    }
    if let Some(line) = started_with {
        let is_long = line.chars().count() > LINE;
        let (shown, more): (String, _) = (line.chars().take(LINE).collect(), if is_long { "…" } else { "" });
        page.put(Tone::Quiet, &format!("Checked as started with: {shown}{more}")).end();
    }
    if let Some(says) = left_out {
        page.put(Tone::Quiet, &format!("Left out: {says}")).end();
    }
}

fn print_finding(page: &mut TextPage, group: &FindingGroup, read: &dyn Fn(&str) -> Option<Rc<str>>) {
    let found = &group.finding;
    let tone = match found.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Info => Tone::Quiet,
    };
    page.put(tone, &format!("{}[{}]", found.severity.word(), found.code));
    page.put(Tone::Strong, &format!(": {}", found.message)).end();
    let file = found.file.as_deref().unwrap_or("");
    let number = found.place.map(|(start, _)| start.line.to_string()).unwrap_or_default();
    let margin = " ".repeat(number.len());
    match found.place {
        Some((start, end)) => {
            page.put(Tone::Quiet, &format!("{margin} --> "));
            page.put(Tone::Plain, &format!("{file}:{}:{}", start.line, start.column)).end();
            let column = start.column.saturating_sub(1) as usize;
            let last = if end.line == start.line { end.column } else { u32::MAX };
            let length = (last.saturating_sub(start.column) as usize).max(1);
            let left = cut_left(column, length, found.line.chars().count());
            let mark = if left > 0 { "…" } else { "" };
            let shown: String = found.line.chars().skip(left).take(LINE).collect();
            page.put(Tone::Quiet, &format!("{number} | "))
                .put(Tone::Plain, &format!("{mark}{}", one_line(&shown)))
                .end();
            let before: String = found.line.chars().skip(left).take(column - left).collect();
            let meant: String = found.line.chars().skip(column).take(length.min(LINE + left - column)).collect();
            let (skip, carets) = (page.shown(&before).width(), page.shown(meant.trim_end()).width().max(1));
            page.put(Tone::Quiet, &format!("{margin} | ")).put(Tone::Plain, &" ".repeat(skip + mark.width()));
            page.put(tone, &"^".repeat(carets)).end();
        }
        None if !file.is_empty() => {
            page.put(Tone::Quiet, &format!("{margin} --> ")).put(Tone::Plain, file).end();
        }
        None => {}
    }
    if let Some(note) = &found.note {
        page.put(Tone::Quiet, &format!("{margin} = note: ")).put(Tone::Plain, note).end();
    }
    if let Some(help) = &found.help {
        page.put(Tone::Quiet, &format!("{margin} = help: ")).put(Tone::Plain, help).end();
    }
    if let Some(also) = group.other_places_text() {
        page.put(Tone::Quiet, &format!("{margin} = also: ")).put(Tone::Plain, &also).end();
    }
    if group.agents.len() > 1 {
        let names: Vec<&str> = group.agents.iter().map(|id| agent_name(id.as_str())).collect();
        page.put(Tone::Quiet, &format!("{margin} = agents: ")).put(Tone::Plain, &names.join(", ")).end();
    }
    if let Some(fix) = &found.fix {
        change(page, fix, found.file.as_deref(), &margin, read);
    }
    page.end();
}

/// The number of characters to cut from the start of a long line so that the marked part is visible.
fn cut_left(column: usize, length: usize, all: usize) -> usize {
    if all <= LINE || column + length <= LINE { 0 } else { column.saturating_sub(BEFORE) }
}

/// Prints the change that a fix makes, in a few lines.
fn change(
    page: &mut TextPage,
    fix: &FileFix,
    file: Option<&str>,
    margin: &str,
    read: &dyn Fn(&str) -> Option<Rc<str>>,
) {
    let lines = preview(fix, read);
    let word = if fix.safe { "fix" } else { "proposal" };
    if !fix.executable.is_empty() {
        page.put(Tone::Quiet, &format!("{margin} = {word}: ")).put(Tone::Good, "chmod +x").end();
    } else if !lines.is_empty() {
        page.put(Tone::Quiet, &format!("{margin} = {word}:")).end();
    }
    let mut shown = file;
    for line in lines.iter().take(CHANGED) {
        if shown != Some(line.file.as_str()) {
            shown = Some(&line.file);
            page.put(Tone::Quiet, &format!("{margin}   {}", line.file)).end();
        }
        let (tone, sign) = if line.added { (Tone::Good, '+') } else { (Tone::Bad, '-') };
        let left = first_difference(line, &lines).map_or(0, |at| cut_left(at, BEFORE, line.text.chars().count()));
        let mark = if left > 0 { "…" } else { "" };
        let text: String = line.text.chars().skip(left).take(LINE).collect();
        page.put(Tone::Quiet, &format!("{} ", line.line)).put(tone, &format!("{sign} {mark}{text}")).end();
    }
    let more = lines.len().saturating_sub(CHANGED) as u64;
    if more > 0 {
        page.put(Tone::Quiet, &format!("{margin}   {} more", pluralize(more, "line"))).end();
    }
}

/// Returns the position at which a line of a change starts to differ from the line that it replaces.
fn first_difference(line: &ChangedLine, lines: &[ChangedLine]) -> Option<usize> {
    let other =
        lines.iter().find(|other| other.added != line.added && other.line == line.line && other.file == line.file)?;
    Some(line.text.chars().zip(other.text.chars()).take_while(|(a, b)| a == b).count())
}

#[cfg(test)]
mod tests {
    use super::{BEFORE, LINE, cut_left};

    #[test]
    fn long_lines_are_cut_before_the_marked_part() {
        for (column, length, all, want) in [
            (10, 5, 100, 0),
            (10, 5, 1000, 0),
            (LINE - 5, 5, 1000, 0),
            (LINE - 4, 5, 1000, LINE - 4 - BEFORE),
            (500, 20, 1000, 500 - BEFORE),
            (10, 400, 1000, 0),
            (140, 15, 158, 0),
        ] {
            assert_eq!(cut_left(column, length, all), want, "{column} {length} {all}");
        }
    }
}
