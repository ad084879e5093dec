//! The rows of a verdict: the outcome, the deciding hook and rule, and the text with its reader.

use super::past_run::add_run_words;
use super::ready::is_blocked;
use super::settings::hook_fix;
use ratatui::style::{Modifier, Style};

use super::rows::{BandPart, BandRow, CauseRow, NARROW, following_part, merge_causes, row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::problems::FAILED_TO_BLOCK;
use crate::verification;
use hookbench_app::{FiringRecord, RunRecord};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::diagnostic::{CodeFamily, Diagnostic, Severity};
use hookbench_core::hook::HookDefinition;
use hookbench_core::output::{HookOutput, Vote};
use hookbench_core::run::Exit;
use hookbench_core::text::capitalized;
use hookbench_core::trace::{Evidence, TraceStep};

/// Columns below which the sentence about a failed hook leaves its rows to the cause.
const SHORT_SENTENCE: u16 = 80;

/// Adds the verdict, the deciding hook and rule, and the text. Returns the rows of the other failed hooks.
pub(super) fn rows(model: &Model, outcome: &Outcome, rows: &mut Vec<BandRow>) -> Vec<BandRow> {
    let theme = model.theme;
    let Some(firing) = model.firing() else { return Vec::new() };
    // Where room is short, the row of the failed hook below says why.
    let narrow = outcome.verdict == Verdict::FailedOpen && model.size.0 < SHORT_SENTENCE;
    let short = if narrow { "as if there were no hook".to_owned() } else { capitalized(&outcome.agent_does) };
    let mut first = BandRow {
        parts: vec![BandPart { style: theme.strong(), text: outcome.sentence(), short: Some(short) }],
        ..row(
            if firing.superseded { "SUPERSEDED" } else { outcome.verdict.title() },
            // A hook that was meant to run is a danger, no hook at all is none.
            match outcome.verdict {
                Verdict::NotRun if is_blocked(model) => theme.verdict(Verdict::FailedOpen),
                // The answer of a hook was lost.
                Verdict::NoObjection if !ignored_rows(model).is_empty() => theme.verdict(Verdict::FailedOpen),
                verdict => theme.verdict(verdict),
            },
            Vec::new(),
        )
    };
    let stale = model.stale_reason();
    let is_stale = stale.is_some();
    if let Some(reason) = stale {
        let was = format!("Was {}   ", outcome.verdict.title());
        let again = format!("   {} again", model.key_hint(UiCommand::Fire, "fire"));
        let style = theme.quiet().add_modifier(Modifier::REVERSED);
        first = row("STALE", style, vec![(theme.quiet(), was), (theme.strong(), reason), (theme.name(), again)]);
    }
    match model.session.history().get(firing.id) {
        Some(run) if is_stale => first.right = format!("run {}", run.id.0),
        Some(run) => add_run_words(model, run, &mut first),
        None => {}
    }
    rows.push(first);
    rows.extend(verification_row(model, firing));
    rows.extend(environment_row(model, firing));
    let mut failed = failed_rows(model, firing);
    // If no hook decided and one failed, the failure is the news.
    if outcome.verdict == Verdict::FailedOpen && !failed.is_empty() {
        rows.push(failed.remove(0));
    } else if !firing.cancelled {
        // An ignored answer is the reason why no hook decides.
        let undecided = outcome.verdict == Verdict::NoObjection && outcome.decided_by.is_empty();
        let is_named = undecided && !ignored_rows(model).is_empty();
        rows.extend(decider_row(model, outcome, firing).filter(|_| !is_named));
    }
    rows.extend(text_row(model, outcome, firing));
    if is_stale {
        rows.iter_mut().skip(1).chain(&mut failed).for_each(|row| fade(row, theme.quiet()));
    }
    failed
}

/// The comparison with the installed agent.
fn verification_row(model: &Model, firing: &FiringRecord) -> Option<BandRow> {
    let (style, word) = verification::mark(firing, model.theme)?;
    let right = model.key_hint(UiCommand::Verify, "details");
    let parts = vec![(model.theme.plain(), verification::headline(firing)?)];
    Some(BandRow { right, ..row(word, style, parts) })
}

/// The programs of the selected hook that the agent may not find, because the run had the PATH of this shell.
fn environment_row(model: &Model, firing: &FiringRecord) -> Option<BandRow> {
    let missing = model.definition_facts.as_ref()?.missing_for_agent.clone()?;
    model.selected_run().filter(|_| firing.env_source == EnvironmentSource::Shell)?;
    Some(row("env", model.theme.warn(), vec![(model.theme.plain(), missing)]))
}

/// Makes a row of a stale run quiet, and removes its fix: the fix is for the hook as it is now.
fn fade(row: &mut BandRow, quiet: Style) {
    row.style = quiet;
    row.parts.iter_mut().for_each(|part| part.style = quiet);
    row.right.clear();
}

/// The deciding hook and its rule.
fn decider_row(model: &Model, outcome: &Outcome, firing: &FiringRecord) -> Option<BandRow> {
    let theme = model.theme;
    let definition = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id));
    let mut parts: Vec<BandPart> = Vec::new();
    if let Some(definition) = definition {
        parts.extend(name_and_place(model, definition));
        let more = outcome.decided_by.len() - 1;
        if more > 0 {
            parts.push((theme.quiet(), format!(" and {more} more")).into());
        }
    }
    let because = deciding_step(outcome, firing).unwrap_or_default();
    // The hook's name is already at the start of the row.
    let label = definition.map(HookDefinition::label).unwrap_or_default();
    let named = because.strip_prefix(&label).filter(|rest| !label.is_empty() && rest.starts_with([':', ' ']));
    let because = lowercase_start(&outcome.step_message(named.unwrap_or(&because)));
    if !because.is_empty() {
        parts.push(if parts.is_empty() {
            (theme.plain(), because).into()
        } else {
            following_part(theme.plain(), &because)
        });
    }
    let word = if outcome.decided_by.is_empty() { "because" } else { "by" };
    let hook = outcome.decided_by.first().cloned();
    (!parts.is_empty()).then(|| BandRow { parts, hook, ..row(word, theme.quiet(), Vec::new()) })
}

/// The hooks without a usable answer, one row for each cause, and their number.
fn failed_rows(model: &Model, firing: &FiringRecord) -> Vec<BandRow> {
    let theme = model.theme;
    let named = |run: &RunRecord| {
        let definition = firing.loaded.definition(&run.hook)?;
        let cause = failure_reason(model, run)?;
        let mut parts = name_and_place(model, definition);
        parts.push(following_part(theme.warn(), &cause));
        let right = hook_fix(model, &run.hook);
        let keep_right = !right.is_empty();
        let hook = Some(run.hook.clone());
        let is_cancelled = run.ended().is_some_and(|ended| ended.report.exit == Exit::Cancelled);
        let word = if is_cancelled { "cancelled" } else { "failed" };
        let row = BandRow { parts, right, keep_right, hook, ..row(word, theme.warn(), Vec::new()) };
        Some(CauseRow { cause, label: definition.label(), row })
    };
    let failed = firing.failed().count();
    let all = firing.runs.iter().filter(|r| r.awaited).count();
    let mut rows = merge_causes(firing.failed().filter_map(named));
    if let Some(first) = rows.first_mut().filter(|_| failed > 1) {
        let failed = format!("{failed} of {all} {}", first.word);
        first.right = if first.right.is_empty() { failed } else { format!("{failed}   {}", first.right) };
        first.keep_right = true;
    }
    rows
}

/// The mistake because of which the agent ignores the answer of a run that did not fail.
pub fn ignored_answer(output: &HookOutput) -> Option<&Diagnostic> {
    let is_silent = output.failure.is_none() && output.vote == Vote::None && !output.stops_agent();
    let of_answer =
        |note: &&Diagnostic| note.severity == Severity::Error && note.code.family() == Some(CodeFamily::Answers);
    output.notes.iter().find(of_answer).filter(|_| is_silent)
}

/// The answers that the agent ignores because of a mistake, one row for each mistake.
pub(super) fn ignored_rows(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let Some(firing) = model.firing() else { return Vec::new() };
    let named = |run: &RunRecord| {
        let note = ignored_answer(&run.ended()?.output)?;
        let definition = firing.loaded.definition(&run.hook)?;
        let mut parts = name_and_place(model, definition);
        parts.push(following_part(theme.warn(), &note.message));
        let hook = Some(run.hook.clone());
        let row = BandRow { parts, hook, ..row("ignored", theme.warn(), Vec::new()) };
        Some(CauseRow { cause: note.message.clone(), label: definition.label(), row })
    };
    let mut rows = merge_causes(firing.runs.iter().filter_map(named));
    if model.stale_reason().is_some() {
        for row in &mut rows {
            fade(row, theme.quiet());
        }
    }
    rows
}

/// The reason for a failure: the one known before the run; otherwise the exit and how the agent treats it.
fn failure_reason(model: &Model, run: &RunRecord) -> Option<String> {
    let ended = run.ended()?;
    let (exit, failure) = (&ended.report.exit, ended.output.failure.clone().unwrap_or_default());
    let words = exit.describe();
    if let Some(note) = ended.output.notes.iter().find(|note| note.code == FAILED_TO_BLOCK) {
        return Some(note.message.clone());
    }
    if let Some(says) = model.known_failure(run) {
        return Some(format!("{says} ({words})"));
    }
    // The agent's own message often includes the exit.
    let status = exit.code().map(|code| format!("exit status {code}"));
    let said = matches!(exit, Exit::TimedOut { .. } | Exit::Cancelled)
        || [Some(words.clone()), status].into_iter().flatten().any(|how| failure.contains(&how));
    Some(if said { failure } else { format!("{words}: {failure}") })
}

/// A hook's name and, unless the terminal is narrow, the place of its definition.
fn name_and_place(model: &Model, definition: &HookDefinition) -> Vec<BandPart> {
    let theme = model.theme;
    let name = (theme.strong(), definition.label()).into();
    if model.size.0 < NARROW {
        return vec![name];
    }
    let from = &definition.provenance;
    let place = format!("   {} {}:{}", from.layer.word(), from.file, from.line);
    let file = from.file.rsplit('/').next().unwrap_or(&from.file);
    let place = BandPart { style: theme.quiet(), text: place, short: Some(format!("  {file}:{}", from.line)) };
    vec![name, place]
}

/// The text that decided or was added, and its reader.
fn text_row(model: &Model, outcome: &Outcome, firing: &FiringRecord) -> Option<BandRow> {
    let theme = model.theme;
    let first_line = |text: &str| text.lines().find(|l| !l.trim().is_empty()).map(|l| l.trim().to_owned());
    let who = || outcome.reader().map_or(String::new(), |who| format!("{who} reads it"));
    if let Some(reason) = firing.reason().and_then(first_line) {
        let row = row("reason", theme.quiet(), vec![(theme.plain(), reason)]);
        return Some(BandRow { right: who(), keep_right: true, is_text: true, ..row });
    }
    if let Some(context) = outcome.additional_context.as_deref().and_then(first_line) {
        let row = row("context", theme.quiet(), vec![(theme.plain(), context)]);
        return Some(BandRow { right: who(), keep_right: true, is_text: true, ..row });
    }
    let message = outcome.system_message.as_deref().and_then(first_line)?;
    Some(BandRow { is_text: true, ..row("message", theme.quiet(), vec![(theme.plain(), message)]) })
}

/// The sentence of the deciding rule: the first step in the trace that cites the deciding run.
fn deciding_step(outcome: &Outcome, firing: &FiringRecord) -> Option<String> {
    let run = outcome.decided_by.first().and_then(|id| firing.last_run_of(id)).map(|r| r.run);
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
        if about(step) && step.message != outcome.agent_does {
            best = Some(step.message.clone());
            break;
        }
        steps.extend(step.children.iter().rev());
    }
    best.or_else(|| outcome.trace.first().map(|s| s.message.clone()))
}

/// Makes the first letter lowercase if the sentence begins with a common word, so that it can follow another word.
fn lowercase_start(says: &str) -> String {
    const BEGIN: [&str; 9] = ["The ", "A ", "An ", "No ", "It ", "None ", "Nothing", "One ", "Its "];
    if BEGIN.iter().any(|word| says.starts_with(word)) {
        let mut text = says.to_owned();
        text.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
        return text;
    }
    says.to_owned()
}
