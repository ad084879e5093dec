//! The rows of a run whose outcome is stored but whose output is not.

use super::rows::{BandPart, BandRow, row};
use crate::keymap::UiCommand;
use crate::model::Model;
use hookbench_app::{Decider, OpenedRun, PastRun};
use hookbench_core::decide::Verdict;
use hookbench_core::recorded::format_time;

/// Adds the verdict and the deciding hook as they were then, and a row that says the output is no longer stored.
pub(super) fn rows(model: &Model, run: &PastRun, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let Some(decision) = &run.decision else { return };
    let verdict = decision.verdict;
    let mut first =
        row(verdict.title(), theme.verdict(verdict), vec![(theme.strong(), verdict.sentence(&decision.action))]);
    add_run_words(model, run, &mut first);
    rows.push(first);
    let word = if verdict == Verdict::FailedOpen { "failed" } else { "by" };
    let by = decision.decider.as_ref().map(|by| parts(model, by));
    rows.extend(by.map(|parts| BandRow { parts, ..row(word, theme.quiet(), Vec::new()) }));
    let says = run.dropped_output_message(&model.key(UiCommand::Fire));
    // Its first word moves to the column of words.
    let says = says.strip_prefix("output ").unwrap_or(&says).to_owned();
    rows.push(row("output", theme.quiet(), vec![(theme.plain(), says)]));
}

/// Adds the verdict of a logged run, the hooks that decided, and where its output is.
pub(super) fn logged_rows(model: &Model, run: &OpenedRun, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let (verdict, fire) = (run.verdict, model.key(UiCommand::Fire));
    let mut first = row(verdict.title(), theme.verdict(verdict), vec![(theme.strong(), verdict.sentence(&run.action))]);
    let day = run.at.and_then(format_time).unwrap_or_default();
    first.right = format!("logged {}", day.get(..16).unwrap_or_default().replace('T', " "));
    rows.push(first);
    if !run.decided_by.is_empty() {
        rows.push(row("by", theme.quiet(), vec![(theme.strong(), run.decided_by.join(", "))]));
    }
    let says = format!("recorded event #{} has it; {fire} fires the event again", run.seq);
    rows.push(row("output", theme.quiet(), vec![(theme.plain(), says)]));
}

/// Writes the run's number at the right end of the row, and what the previous run of the same event resulted in. A
/// changed verdict is drawn like the sentence of the verdict, so that it is seen.
pub(super) fn add_run_words(model: &Model, run: &PastRun, row: &mut BandRow) {
    let before = model.previous_run().and_then(PastRun::verdict).zip(run.verdict());
    let compared = match before {
        Some((before, now)) if before != now => format!(" · was {}", before.title()),
        Some(_) => " · same verdict as before".to_owned(),
        None => String::new(),
    };
    if let Some(assumed) = run.assumed_words() {
        // It is never cut off: this run is not a measurement.
        row.parts.insert(0, (model.theme.warn(), format!("{assumed}   ")).into());
    }
    row.right = format!("run {}{compared}", run.id.0);
    row.right_style = before.filter(|(before, now)| before != now).map(|_| model.theme.strong());
}

fn parts(model: &Model, by: &Decider) -> Vec<BandPart> {
    let theme = model.theme;
    let mut parts: Vec<BandPart> = vec![(theme.strong(), by.label.clone()).into()];
    if model.size.0 >= 60 {
        let text = format!("   {} {}:{}", by.layer, by.file, by.line);
        let file = by.file.rsplit('/').next().unwrap_or(&by.file);
        parts.push(BandPart { style: theme.quiet(), text, short: Some(format!("  {file}:{}", by.line)) });
    }
    if by.others > 0 {
        parts.push((theme.quiet(), format!(" and {} more", by.others)).into());
    }
    parts
}
