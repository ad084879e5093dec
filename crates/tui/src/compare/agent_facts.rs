//! The facts about each agent, in the same order for all agents.

use super::ShownComparison;
use crate::model::Model;
use crate::run_time::seconds;
use crate::widgets::StyledLine;
use hookbench_app::{
    ComparedEvent, FiringRecord, KeyDifferences, LaunchSummary, PlannedAgentEvent, ProcessInput, RunRecord,
};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::find_event;
use hookbench_core::output::Vote;

/// One fact about one agent.
#[derive(Debug, Clone)]
pub struct AgentFact {
    pub label: String,
    pub lines: Vec<StyledLine>,
    /// Minimum height in rows, so that nothing moves when the value becomes known.
    pub least: usize,
    /// Maximum height in a column, in rows.
    pub most: usize,
    pub form: FactLayout,
}

/// How a line that is too long for its column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactLayout {
    /// It is wrapped.
    Sentence,
    /// It is wrapped with an indent.
    Names,
    /// It is cut.
    Rows,
}

/// Maximum number of hooks listed in a column.
const HOOKS: usize = 5;

/// All facts about an agent, the most important first.
pub fn facts(model: &Model, shown: &ShownComparison, index: usize) -> Vec<AgentFact> {
    let theme = model.theme;
    let fact = |label: &str, lines: Vec<StyledLine>, least: usize, most: usize| {
        let form = match label {
            "runs" => FactLayout::Rows,
            "stdin" | "process" | "sets" => FactLayout::Names,
            _ => FactLayout::Sentence,
        };
        AgentFact { label: label.to_owned(), lines, least, most, form }
    };
    let Some((of, row, handed)) = shown.agent(index) else { return Vec::new() };
    let head = verdict(model, shown, index);
    let (there, event) = match (&of.event, &row.event) {
        (Ok(there), Ok(event)) => (there, event),
        (Err(missing), _) => {
            let says = vec![(theme.plain(), missing.text())];
            return vec![fact("", vec![head], 1, 1), fact("does", vec![says], 2, usize::MAX)];
        }
        _ => return Vec::new(),
    };
    let tall = if model.size.1 >= 36 { 4 } else { 2 };
    let fired = model.session.fired_there(there);
    let outcome = fired.and_then(|f| f.outcome.as_ref());
    let one = |style, text: &str| vec![vec![(style, text.to_owned())]];
    let waits = if fired.is_some() { "-" } else { "not fired yet" };
    let does = match outcome {
        Some(outcome) => one(theme.plain(), &outcome.agent_does),
        None if event.reason.is_empty() => one(theme.quiet(), waits),
        None => one(theme.plain(), &event.reason),
    };
    let reason = fired.and_then(|f| f.reason()).map_or_else(|| one(theme.quiet(), "-"), |r| one(theme.strong(), r));
    let same = |alike: bool| if alike { theme.quiet() } else { theme.plain() };
    let from =
        shown.comparison.rows.iter().find(|row| row.agent == shown.all.origin).and_then(|row| row.event.as_ref().ok());
    let own = of.agent == shown.all.origin;
    let alike =
        |same_as: fn(&ComparedEvent) -> Option<&str>| !own && from.is_some_and(|from| same_as(from) == same_as(event));
    let name = one(same(alike(|e| Some(&e.event))), &event.event);
    let subject = one(same(alike(|e| e.subject.as_deref())), event.subject.as_deref().unwrap_or("-"));
    let runs = runs(model, there, event, fired);
    let default = ProcessInput::default();
    let handed = handed.unwrap_or(&default);
    let from_handed = shown.all.agents.iter().position(|a| a.agent == shown.all.origin);
    let from_handed = from_handed.and_then(|at| shown.launch_inputs.get(at)?.as_ref()).and_then(|g| g.process.as_ref());
    let (shell, environment) = match &handed.process {
        Some(started) => {
            let alike = !own
                && from_handed.is_some_and(|from| {
                    (&from.shell, &from.directory, from.timeout)
                        == (&started.shell, &started.directory, started.timeout)
                });
            (one(same(alike), &process(model, started)), environment(model, started))
        }
        None => (one(theme.quiet(), "-"), one(theme.quiet(), "-")),
    };
    vec![
        fact("", vec![head], 1, 1),
        fact("does", does, tall, tall),
        fact("reason", reason, 2, if model.size.1 >= 45 { 3 } else { 2 }),
        fact("runs", runs, 1, HOOKS + 1),
        fact("event", name, 1, 1),
        fact(&subject_label(shown), subject, 1, 1),
        fact("stdin", stdin(model, &handed.stdin, own), 1, 4),
        fact("process", shell, 1, 2),
        fact("sets", environment, 1, 2),
    ]
}

/// The label of the subject in the event's own agent: `tool`, `source`.
fn subject_label(shown: &ShownComparison) -> String {
    let from = shown.all.agents.iter().find(|of| of.agent == shown.all.origin);
    let spec = from.and_then(|of| {
        let dialect = hookbench_core::dialects::by_id(of.agent.as_str())?;
        find_event(dialect, &of.version, &of.event.as_ref().ok()?.input.event)
    });
    let key = spec.and_then(|spec| spec.subject).unwrap_or("subject");
    key.strip_suffix("_name").unwrap_or(key).chars().take(9).collect()
}

/// The verdict's word; before a run, whether hooks will run.
pub fn verdict(model: &Model, shown: &ShownComparison, index: usize) -> StyledLine {
    let theme = model.theme;
    let Some((of, row, _)) = shown.agent(index) else { return StyledLine::new() };
    let (Ok(there), Ok(event)) = (&of.event, &row.event) else {
        return vec![(theme.warn(), "no such event".to_owned())];
    };
    let fired = model.session.fired_there(there);
    let word = |verdict: Verdict, word: &str| vec![(theme.verdict(verdict), format!(" {word} "))];
    match (event.verdict, fired) {
        (Some(verdict), _) => word(verdict, verdict.title()),
        (None, Some(_)) => vec![(theme.warn(), "running".to_owned())],
        (None, None) if there.loaded.refusal.is_some() => word(Verdict::FailedClosed, "CANNOT START"),
        (None, None) if there.plan.lost.is_some() => word(Verdict::FailedOpen, "LOST"),
        (None, None) if event.runs.is_empty() => vec![(theme.plain(), "no hook runs".to_owned())],
        (None, None) => vec![(theme.strong(), format!("{} will run", event.runs.len()))],
    }
}

/// The hooks that run, in order, each with its exit.
fn runs(
    model: &Model,
    there: &PlannedAgentEvent,
    event: &ComparedEvent,
    fired: Option<&FiringRecord>,
) -> Vec<StyledLine> {
    let theme = model.theme;
    let firing: Vec<_> = if event.runs.is_empty() { Vec::new() } else { there.running().collect() };
    let mut lines: Vec<StyledLine> = Vec::new();
    for (entry, label) in firing.iter().zip(&event.runs).take(HOOKS) {
        let mut line = vec![(theme.strong(), label.clone())];
        if let Some(run) = fired.and_then(|fired| fired.last_run_of(&entry.hook)) {
            line.push((theme.plain(), format!(" {}", run_words(run))));
        }
        lines.push(line);
    }
    let count = |n: usize, words: &str| (n > 0).then(|| format!("{n} {words}"));
    let more = firing.len().saturating_sub(HOOKS);
    let rest: Vec<String> = [
        count(more, "more"),
        count(event.unknown, "unknown"),
        count(event.skipped, if event.skipped == 1 { "does not" } else { "do not" }),
        count(event.own, "of hookbench"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if lines.is_empty() {
        lines.push(vec![(theme.quiet(), "no hook".to_owned())]);
    }
    if !rest.is_empty() {
        lines.push(vec![(theme.quiet(), format!("+ {}", rest.join(", ")))]);
    }
    lines
}

/// A run's exit and the agent's interpretation of it, or "running".
pub fn run_words(run: &RunRecord) -> String {
    let Some(ended) = run.ended() else { return "running".to_owned() };
    let output = &ended.output;
    let says = match (&output.failure, output.vote) {
        (Some(_), _) => " failed".to_owned(),
        (None, Vote::None) if !output.stops_agent() => String::new(),
        _ => format!(" {}", output.words_on(None)),
    };
    format!("{}{says}", ended.report.exit.describe())
}

fn stdin(model: &Model, keys: &KeyDifferences, own: bool) -> Vec<StyledLine> {
    let theme = model.theme;
    let same = keys.added.is_empty() && keys.removed.is_empty() && keys.changed.is_empty();
    if own || same {
        let before = if own { "" } else { "the same " };
        return vec![vec![(theme.quiet(), format!("{before}{} keys", keys.sent))]];
    }
    let named = |sign: &str, names: &[String]| names.iter().map(|n| format!("{sign}{n}")).collect::<Vec<_>>().join(" ");
    let others: Vec<&str> =
        keys.changed.iter().map(String::as_str).filter(|k| !matches!(*k, "hook_event_name" | "tool_name")).collect();
    let mut lines: Vec<StyledLine> = Vec::new();
    for text in [named("+", &keys.added), named("-", &keys.removed)] {
        if !text.is_empty() {
            lines.push(vec![(theme.plain(), text)]);
        }
    }
    if !others.is_empty() {
        lines.push(vec![(theme.quiet(), "other: ".to_owned()), (theme.plain(), others.join(" "))]);
    }
    if lines.is_empty() {
        lines.push(vec![(theme.quiet(), format!("the same {} keys", keys.sent))]);
    }
    lines
}

fn process(model: &Model, started: &LaunchSummary) -> String {
    let shell = started.shell.as_deref().unwrap_or("no shell");
    let limit = started.timeout.map_or(String::new(), |limit| format!(", {}", seconds(limit)));
    let place = model.session.place();
    let directory = if started.directory == place.project {
        String::new()
    } else {
        let short = started.directory.strip_prefix(&place.home).map(|rest| format!("~{rest}"));
        format!(", in {}", short.unwrap_or_else(|| started.directory.clone()))
    };
    format!("{shell}{limit}{directory}")
}

fn environment(model: &Model, started: &LaunchSummary) -> Vec<StyledLine> {
    let theme = model.theme;
    let removed = match started.removes.len() {
        0 => String::new(),
        n => format!("  {n} removed"),
    };
    if started.sets.is_empty() && removed.is_empty() {
        return vec![vec![(theme.quiet(), "-".to_owned())]];
    }
    vec![vec![(theme.plain(), started.sets.join(" ")), (theme.quiet(), removed)]]
}
