//! The differences between two runs: decision, hooks, output, time.

use std::sync::Arc;

use ratatui::style::Style;

use crate::run_time::seconds;
use crate::theme::Theme;
use crate::widgets::StyledLine;
use hookbench_app::{Decider, FiringRecord, PastDecision, PastRun, PayloadKeyChange, RunRecord, payload_changes};
use hookbench_core::decide::Outcome;
use hookbench_core::text::{LineSign, diff_lines};

/// Maximum number of lines shown of a stream.
const LINES: usize = 200;

/// The differences between `old` and `new`; equal parts are left out or folded. If the output of one of them is no
/// longer stored, only the outcomes are compared. Only verdicts are coloured; the other differences are neither
/// good nor bad.
pub fn diff(old: &PastRun, new: &PastRun, theme: Theme) -> Vec<StyledLine> {
    let mut lines: Vec<StyledLine> = Vec::new();
    let records = old.record().zip(new.record());
    let mut changed = 0;
    let mut heads = |label: &str, before: (Style, String), after: (Style, String)| {
        if before.1 == after.1 {
            lines.push(vec![(theme.quiet(), format!("  {label:<10}{}", after.1))]);
        } else {
            changed += 1;
            for (sign, (style, text)) in [("-", before), ("+", after)] {
                lines.push(vec![(theme.plain(), format!("{sign} {label:<10}")), (style, text)]);
            }
        }
    };
    let plain = |text: String| (theme.plain(), text);
    let event = event_differences(old, new);
    let of = |run: &PastRun, get: fn(&PastDecision) -> String| {
        run.decision.as_deref().map_or_else(|| "not decided".to_owned(), get)
    };
    let word = |run: &PastRun| {
        let style = run.verdict().map_or(theme.plain(), |verdict| theme.verdict(verdict));
        (style, of(run, |d| d.verdict.title().to_owned()))
    };
    heads("verdict", word(old), word(new));
    heads("does", plain(of(old, |d| d.action.to_string())), plain(of(new, |d| d.action.to_string())));
    let Some((old, new)) = records else {
        heads(
            "by",
            plain(of(old, |d| decider_words(d.decider.as_ref()))),
            plain(of(new, |d| decider_words(d.decider.as_ref()))),
        );
        heads("took", plain(seconds(old.duration)), plain(seconds(new.duration)));
        for (label, before, after) in event {
            heads(label, plain(before), plain(after));
        }
        lines.push(Vec::new());
        for run in [old, new].into_iter().filter(|run| run.record().is_none()) {
            lines.push(vec![(theme.quiet(), format!("  the output of run {} was dropped", run.id.0))]);
        }
        return lines;
    };
    let of = |f: &FiringRecord, get: fn(&Outcome, &FiringRecord) -> Option<String>| {
        let says = f.outcome.as_ref().map(|o| get(o, f).unwrap_or_else(|| "-".to_owned()));
        plain(says.unwrap_or_else(|| "not decided".to_owned()))
    };
    heads("reason", of(old, reason), of(new, reason));
    heads("context", of(old, |o, _| o.additional_context.clone()), of(new, |o, _| o.additional_context.clone()));
    for (label, before, after) in event {
        heads(label, plain(before), plain(after));
    }
    changed += add_run_differences(old, new, theme, &mut lines);
    if changed == 0 {
        lines.insert(0, vec![(theme.strong(), "  nothing changed".to_owned())]);
        lines.insert(1, Vec::new());
    }
    lines
}

/// The reason without the agent's prefix that names the command, which is shown elsewhere.
pub fn reason(outcome: &Outcome, firing: &FiringRecord) -> Option<String> {
    let command = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id)).map(|d| d.handler.text());
    let frame = command.map(|c| format!("[{c}]: ")).unwrap_or_default();
    let whole = outcome.reason.as_deref()?.trim();
    Some(whole.strip_prefix(&frame).unwrap_or(whole).to_owned())
}

/// The differences between the events of two runs: a label, and both sides. They follow the decision.
fn event_differences(old: &PastRun, new: &PastRun) -> Vec<(&'static str, String, String)> {
    if old.event.event != new.event.event {
        return vec![("event", event_words(old), event_words(new))];
    }
    if Arc::ptr_eq(&old.event, &new.event) {
        return Vec::new();
    }
    let (Some(old), Some(new)) = (old.event.input(), new.event.input()) else { return Vec::new() };
    let keys = payload_changes(&old.body, &new.body).into_iter();
    keys.map(|PayloadKeyChange { path, before, after }| {
        ("payload", format!("{path} = {before}"), format!("{path} = {after}"))
    })
    .collect()
}

/// The event of a run, in words.
fn event_words(run: &PastRun) -> String {
    let event = &run.event;
    let parts = [Some(&event.event), event.subject.as_ref(), event.gist.as_ref()];
    parts.into_iter().flatten().map(|part| &**part).collect::<Vec<_>>().join("  ")
}

fn decider_words(by: Option<&Decider>) -> String {
    by.map_or_else(|| "-".to_owned(), |by| format!("{}   {}:{}", by.label, by.file, by.line))
}

/// Adds the differences of each hook run, and returns their number.
fn add_run_differences(old: &FiringRecord, new: &FiringRecord, theme: Theme, lines: &mut Vec<StyledLine>) -> usize {
    let mut changed = 0;
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
            Some((_, earlier)) => changed += add_run_difference(name, earlier, run, theme, lines),
            None => {
                changed += 1;
                lines.push(vec![(theme.plain(), format!("+ {name} ran; it did not run before"))]);
            }
        }
    }
    for (name, _) in before.iter().filter(|(n, _)| !after.iter().any(|(a, _)| a == n)) {
        changed += 1;
        lines.push(Vec::new());
        lines.push(vec![(theme.plain(), format!("- {name} did not run; it ran before"))]);
    }
    changed
}

fn add_run_difference(
    name: &str,
    old: &RunRecord,
    new: &RunRecord,
    theme: Theme,
    lines: &mut Vec<StyledLine>,
) -> usize {
    let mut changed = 0;
    let end = |r: &RunRecord| r.ended().map_or_else(|| "running".to_owned(), |e| e.report.exit.describe());
    let vote = |r: &RunRecord| r.ended().map_or_else(String::new, |e| e.output.words_on(None));
    let ms = |r: &RunRecord| r.ended().map_or(0, |e| e.report.timing.duration().as_millis());
    let (before, after) = (format!("{}, {}", end(old), vote(old)), format!("{}, {}", end(new), vote(new)));
    let time = format!("   {} ms before, {} ms now", ms(old), ms(new));
    if before == after {
        lines.push(vec![(theme.strong(), format!("  {name}")), (theme.quiet(), format!("   {after}{time}"))]);
    } else {
        changed += 1;
        lines.push(vec![(theme.strong(), format!("  {name}")), (theme.quiet(), time)]);
        lines.push(vec![(theme.plain(), format!("- {before}"))]);
        lines.push(vec![(theme.plain(), format!("+ {after}"))]);
    }
    for (stream, before, after) in [("stdout", &old.stdout, &new.stdout), ("stderr", &old.stderr, &new.stderr)] {
        if before == after {
            continue;
        }
        changed += 1;
        let (before, after) = (String::from_utf8_lossy(&before.head), String::from_utf8_lossy(&after.head));
        lines.push(vec![(theme.quiet(), format!("  {stream}"))]);
        for line in diff_lines(&before, &after).iter().filter(|line| line.sign != LineSign::Kept).take(LINES) {
            lines.push(vec![(theme.plain(), format!("{}   {}", line.sign.mark(), line.text.trim_end_matches('\n')))]);
        }
    }
    changed
}
