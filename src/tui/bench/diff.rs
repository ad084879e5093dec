//! Two runs beside each other: the decision first, then who ran, then output, then time.

use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::detail::{Line, seconds};
use crate::app::{Decider, Decision, FiringRecord, PastRun, RunRecord};
use crate::core::decide::Outcome;
use crate::tui::theme::Theme;

/// Lines of output that are shown of one stream.
const LINES: usize = 200;

/// What changed from `old` to `new`; what is equal is left out or folded. Where the output of one of them is no longer
/// kept, what they came to is compared.
pub fn diff(old: &PastRun, new: &PastRun, theme: Theme) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let records = old.record().zip(new.record());
    let mut heads = |label: &str, before: String, after: String| {
        if before == after {
            lines.push(vec![(theme.quiet(), format!("  {label:<10}{after}"))]);
        } else {
            lines.push(vec![(theme.bad(), format!("- {label:<10}{before}"))]);
            lines.push(vec![(theme.good(), format!("+ {label:<10}{after}"))]);
        }
    };
    if !Arc::ptr_eq(&old.event, &new.event) {
        heads("event", about(old), about(new));
    }
    let of = |run: &PastRun, get: fn(&Decision) -> String| {
        run.decision.as_deref().map_or_else(|| "not decided".to_owned(), get)
    };
    heads("verdict", of(old, |d| d.verdict.title().to_owned()), of(new, |d| d.verdict.title().to_owned()));
    heads("does", of(old, |d| d.does.to_string()), of(new, |d| d.does.to_string()));
    let Some((old, new)) = records else {
        heads("by", of(old, |d| who(d.by.as_ref())), of(new, |d| who(d.by.as_ref())));
        heads("took", seconds(old.duration), seconds(new.duration));
        lines.push(Vec::new());
        for run in [old, new].into_iter().filter(|run| run.record().is_none()) {
            lines.push(vec![(theme.quiet(), format!("  output of run {} is no longer kept", run.id.0))]);
        }
        return lines;
    };
    let of = |f: &FiringRecord, get: fn(&Outcome) -> Option<&String>| {
        f.outcome.as_ref().map_or_else(|| "not decided".to_owned(), |o| text(get(o)))
    };
    heads("reason", of(old, |o| o.reason.as_ref()), of(new, |o| o.reason.as_ref()));
    heads("context", of(old, |o| o.additional_context.as_ref()), of(new, |o| o.additional_context.as_ref()));
    runs(old, new, theme, &mut lines);
    lines
}

/// What a run was of.
fn about(run: &PastRun) -> String {
    let event = &run.event;
    let parts = [Some(&event.event), event.subject.as_ref(), event.what.as_ref()];
    parts.into_iter().flatten().map(|part| &**part).collect::<Vec<_>>().join("  ")
}

fn who(by: Option<&Decider>) -> String {
    by.map_or_else(|| "-".to_owned(), |by| format!("{}   {}:{}", by.label, by.file, by.line))
}

/// Run by run.
fn runs(old: &FiringRecord, new: &FiringRecord, theme: Theme, lines: &mut Vec<Line>) {
    let names = |f: &FiringRecord| -> Vec<(String, RunRecord)> {
        f.runs
            .iter()
            .map(|r| (f.loaded.definition(&r.hook).map_or_else(|| r.hook.clone(), |d| d.label()), r.clone()))
            .collect()
    };
    let (before, after) = (names(old), names(new));
    for (name, run) in &after {
        lines.push(Vec::new());
        match before.iter().find(|(n, _)| n == name) {
            Some((_, earlier)) => one_run(name, earlier, run, theme, lines),
            None => lines.push(vec![(theme.good(), format!("+ {name} ran, and had not run before"))]),
        }
    }
    for (name, _) in before.iter().filter(|(n, _)| !after.iter().any(|(a, _)| a == n)) {
        lines.push(Vec::new());
        lines.push(vec![(theme.bad(), format!("- {name} ran before, and not now"))]);
    }
}

fn text(value: Option<&String>) -> String {
    value.cloned().unwrap_or_else(|| "-".to_owned())
}

fn one_run(name: &str, old: &RunRecord, new: &RunRecord, theme: Theme, lines: &mut Vec<Line>) {
    let end = |r: &RunRecord| r.ended().map_or_else(|| "running".to_owned(), |e| e.report.exit.words());
    let vote = |r: &RunRecord| r.ended().map_or("", |e| e.output.vote.words());
    let ms = |r: &RunRecord| r.ended().map_or(0, |e| e.report.timing.duration().as_millis());
    let (before, after) = (format!("{}, {}", end(old), vote(old)), format!("{}, {}", end(new), vote(new)));
    let time = format!("   {} ms before, {} ms now", ms(old), ms(new));
    if before == after {
        lines.push(vec![(theme.strong(), format!("  {name}")), (theme.quiet(), format!("   {after}{time}"))]);
    } else {
        lines.push(vec![(theme.strong(), format!("  {name}")), (theme.quiet(), time)]);
        lines.push(vec![(theme.bad(), format!("- {before}"))]);
        lines.push(vec![(theme.good(), format!("+ {after}"))]);
    }
    for (stream, before, after) in [("stdout", &old.stdout, &new.stdout), ("stderr", &old.stderr, &new.stderr)] {
        if before == after {
            continue;
        }
        let (before, after) = (String::from_utf8_lossy(&before.head), String::from_utf8_lossy(&after.head));
        lines.push(vec![(theme.quiet(), format!("  {stream}"))]);
        let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
        for change in diff.iter_all_changes().filter(|c| c.tag() != ChangeTag::Equal).take(LINES) {
            let (sign, style) =
                if change.tag() == ChangeTag::Delete { ("-", theme.bad()) } else { ("+", theme.good()) };
            lines.push(vec![(style, format!("{sign}   {}", change.value().trim_end_matches('\n')))]);
        }
    }
}
