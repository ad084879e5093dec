//! The rows of a verdict: the word, who decided by which rule, the text and who reads it.

use super::gone::which;
use super::{BandRow, Part, row};
use crate::app::FiringRecord;
use crate::core::decide::{Outcome, Verdict};
use crate::core::hook::HookDefinition;
use crate::core::run::Exit;
use crate::core::trace::{Evidence, TraceStep};
use crate::tui::model::Model;

/// The verdict, who decided by which rule, and the text that goes with it.
pub(super) fn rows(model: &Model, outcome: &Outcome, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let Some(firing) = model.firing() else { return };
    let mut first = row(
        if firing.superseded { "SUPERSEDED" } else { outcome.verdict.title() },
        theme.verdict(outcome.verdict),
        vec![(theme.strong(), outcome.agent_does.clone())],
    );
    let outdated = if model.outdated() { " · settings have changed since" } else { "" };
    let run = model.session.history.get(firing.id);
    first.right = run.map_or(String::new(), |run| format!("{}{outdated}", which(model, run)));
    rows.push(first);
    rows.extend(failed(model, outcome, firing).or_else(|| by(model, outcome, firing)));
    rows.extend(text(model, outcome, firing));
}

/// Who decided, and the rule.
fn by(model: &Model, outcome: &Outcome, firing: &FiringRecord) -> Option<BandRow> {
    let theme = model.theme;
    let definition = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id));
    let mut parts: Vec<Part> = Vec::new();
    if let Some(definition) = definition {
        parts.extend(name_and_place(model, definition));
        let more = outcome.decided_by.len() - 1;
        if more > 0 {
            parts.push((theme.quiet(), format!(" and {more} more")).into());
        }
    }
    let because = deciding_step(outcome, firing).unwrap_or_default();
    // Who it was stands before it already.
    let because = definition
        .and_then(|d| because.strip_prefix(&format!("{}: ", d.label())).map(str::to_owned))
        .unwrap_or(because);
    let because = without(&because, &outcome.agent_does);
    if !because.is_empty() {
        let (air, little) = if parts.is_empty() { ("", "") } else { ("   ", "  ") };
        let (text, short) = (format!("{air}{because}"), Some(format!("{little}{because}")));
        parts.push(Part { style: theme.plain(), text, short });
    }
    let word = if outcome.decided_by.is_empty() { "because" } else { "by" };
    (!parts.is_empty()).then(|| BandRow { parts, ..row(word, theme.quiet(), Vec::new()) })
}

/// Where nobody decided and somebody failed, that is the news.
fn failed(model: &Model, outcome: &Outcome, firing: &FiringRecord) -> Option<BandRow> {
    let theme = model.theme;
    let run = firing.first_failed().filter(|_| outcome.verdict == Verdict::FailedOpen)?;
    let ended = run.ended()?;
    let mut parts = name_and_place(model, firing.loaded.definition(&run.hook)?);
    let (words, failure) = (ended.report.exit.words(), ended.output.failure.clone().unwrap_or_default());
    // The agent's own words often say how it ended.
    let said = matches!(ended.report.exit, Exit::TimedOut { .. } | Exit::Cancelled) || failure.contains(&words);
    let says = if said { failure } else { format!("{words}: {failure}") };
    parts.push(Part { style: theme.warn(), text: format!("   {says}"), short: Some(format!("  {says}")) });
    Some(BandRow { parts, ..row("failed", theme.warn(), Vec::new()) })
}

/// A hook by its name, and where it is defined, unless space is dear.
fn name_and_place(model: &Model, definition: &HookDefinition) -> Vec<Part> {
    let theme = model.theme;
    let name = (theme.strong(), definition.label()).into();
    if model.size.0 < 60 {
        return vec![name];
    }
    let from = &definition.from;
    let place = format!("   {} {}:{}", from.layer.word(), from.file, from.line);
    let file = from.file.rsplit('/').next().unwrap_or(&from.file);
    let place = Part { style: theme.quiet(), text: place, short: Some(format!("  {file}:{}", from.line)) };
    vec![name, place]
}

/// The text that decided, or that was added, and who reads it.
fn text(model: &Model, outcome: &Outcome, firing: &FiringRecord) -> Option<BandRow> {
    let theme = model.theme;
    let first_line = |text: &str| text.lines().find(|l| !l.trim().is_empty()).map(|l| l.trim().to_owned());
    let who = || outcome.seen_by.map_or(String::new(), |who| format!("{who} reads it"));
    if let Some(reason) = outcome.reason.as_deref().and_then(first_line) {
        // Which command it was stands in the row above already.
        let command = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id)).map(|d| d.handler.text());
        let frame = command.map(|c| format!("[{c}]: ")).unwrap_or_default();
        let reason = reason.strip_prefix(&frame).unwrap_or(&reason).to_owned();
        let row = row("reason", theme.quiet(), vec![(theme.plain(), reason)]);
        return Some(BandRow { right: who(), right_stays: true, ..row });
    }
    if let Some(context) = outcome.additional_context.as_deref().and_then(first_line) {
        let row = row("context", theme.quiet(), vec![(theme.plain(), context)]);
        return Some(BandRow { right: who(), right_stays: true, ..row });
    }
    let message = outcome.system_message.as_deref().and_then(first_line)?;
    Some(row("message", theme.quiet(), vec![(theme.plain(), message)]))
}

/// The sentence of the rule that made the decision: the innermost first step that is about the run which decided.
fn deciding_step(outcome: &Outcome, firing: &FiringRecord) -> Option<String> {
    let run = outcome.decided_by.first().and_then(|id| firing.run_of(id)).map(|r| r.run);
    let about = |step: &TraceStep| {
        run.is_none_or(|run| {
            step.evidence.iter().any(|e| match e {
                Evidence::Output { run: of, .. } | Evidence::Exit { run: of } => *of == run,
                _ => false,
            })
        })
    };
    let mut best = None;
    let mut steps: Vec<&TraceStep> = outcome.trace.iter().rev().collect();
    while let Some(step) = steps.pop() {
        if about(step) && step.says != outcome.agent_does {
            best = Some(step.says.clone());
            break;
        }
        steps.extend(step.children.iter().rev());
    }
    best.or_else(|| outcome.trace.first().map(|s| s.says.clone()))
}

/// What a sentence adds to one that stands above it already.
fn without(says: &str, known: &str) -> String {
    let same = says.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
    let rest = if same { says.get(known.len()..).unwrap_or("") } else { says };
    rest.trim_start_matches([':', ';', ',', '.', ' ']).to_owned()
}
