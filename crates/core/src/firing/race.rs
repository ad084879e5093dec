//! Races between hooks that run at the same time. Where an agent lets the first or the last hook win, the order in
//! which the hooks end decides, and that order is chance if they end close together.
//!
//! Two hooks race if their runs overlap and their ends are nearer than [`NEAR`] or than a quarter of the longer run: on a
//! machine with other work, the start of a program varies by some ten milliseconds, and its work by some ten percent.
//! A run that a user or a model answered has no duration in the agent, so it races with every other run.
//!
//! Such a firing is decided again with each racing hook first and last. If the decision differs, the verdict is unknown.
//! If only a value differs, such as the new input of a tool, the decision is certain and the value is not: it is left
//! out. In both cases the sentence names both outcomes.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::decide::{HookRun, Outcome, RACE, Verdict};
use crate::run::Exit;
use crate::text::stringify;
use crate::trace::TraceStep;

/// The distance of two ends below which either hook may be first.
const NEAR: Duration = Duration::from_millis(150);
/// The most hooks that are tried at each end of the order.
const MOST: usize = 6;
/// The most characters of a tool input in a sentence.
const LONGEST_INPUT: usize = 80;

/// An order of ending with another outcome than the observed order.
struct OtherOrder {
    /// The hook that is moved, and the hook whose place it takes.
    moved: usize,
    replaced: usize,
    /// Its place: `first` or `last`.
    place: &'static str,
    outcome: Outcome,
}

/// Returns the outcome of hooks that ended in the order of `runs`, without the parts that another likely order would
/// change. `decide` decides an order, and `label` names a hook. The first `ahead` runs end before the others
/// start.
pub(super) fn decide_with_races(
    runs: &[HookRun],
    ahead: usize,
    decide: &dyn Fn(&[HookRun]) -> Outcome,
    label: &dyn Fn(&str) -> String,
) -> Outcome {
    let outcome = decide(runs);
    match find_other_order(runs, ahead, &outcome, decide) {
        Some(other) => uncertain(outcome, &other, runs, label),
        None => outcome,
    }
}

fn find_other_order(
    runs: &[HookRun],
    ahead: usize,
    outcome: &Outcome,
    decide: &dyn Fn(&[HookRun]) -> Outcome,
) -> Option<OtherOrder> {
    let speaking: Vec<usize> =
        (0..runs.len()).filter(|at| runs.get(*at).is_some_and(|run| run.awaited && has_result(run))).collect();
    let race = |one: usize, other: usize| match (runs.get(one), runs.get(other)) {
        (Some(one), Some(other)) => is_ahead(one, ahead) == is_ahead(other, ahead) && are_close(one, other),
        _ => false,
    };
    let try_order = |moved: usize, replaced: usize, place: &'static str| {
        let mut order = runs.to_vec();
        let run = order.remove(moved);
        order.insert(replaced, run);
        let other = decide(&order);
        (effect(&other) != effect(outcome)).then_some(OtherOrder { moved, replaced, place, outcome: other })
    };
    let to_the_end = speaking.iter().rev().take(MOST).find_map(|moved| {
        let last = speaking.iter().rev().copied().find(|other| other > moved && race(*moved, *other))?;
        try_order(*moved, last, "last")
    });
    to_the_end.or_else(|| {
        speaking.iter().take(MOST).find_map(|moved| {
            let first = speaking.iter().copied().find(|other| other < moved && race(*moved, *other))?;
            try_order(*moved, first, "first")
        })
    })
}

/// Whether a run can influence an outcome.
fn has_result(run: &HookRun) -> bool {
    run.output.value.is_some() || run.report.exit != Exit::Code(0) || !run.report.stdout.text().trim().is_empty()
}

fn is_ahead(run: &HookRun, ahead: usize) -> bool {
    (run.run.0 as usize) < ahead
}

/// Whether two runs overlap and may as well end in the other order.
fn are_close(one: &HookRun, other: &HookRun) -> bool {
    let (a, b) = (one.report.timing, other.report.timing);
    let answered = |run: &HookRun| matches!(run.report.exit, Exit::Answered { .. });
    if answered(one) || answered(other) {
        return true;
    }
    let overlap = a.started < b.ended && b.started < a.ended;
    let margin = NEAR.max(a.duration().max(b.duration()) / 4);
    overlap && a.ended.abs_diff(b.ended) < margin
}

/// The parts of an outcome that say what the agent does. Texts for a reader are not among them: their order often
/// depends on the order of ending.
fn effect(outcome: &Outcome) -> (Verdict, bool, bool, Option<&Value>, Map<String, Value>) {
    let extra = outcome.extra.iter().map(|(key, value)| (key.clone(), without_order(value))).collect();
    (outcome.verdict, outcome.blocked, outcome.continues, outcome.updated_input.as_ref(), extra)
}

/// A list in a fixed order.
fn without_order(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items = items.clone();
            items.sort_by_cached_key(stringify);
            Value::Array(items)
        }
        other => other.clone(),
    }
}

/// An outcome with both possible ones in its sentence. It keeps only what both have.
fn uncertain(mut outcome: Outcome, other: &OtherOrder, runs: &[HookRun], label: &dyn Fn(&str) -> String) -> Outcome {
    let hook = |at: usize| runs.get(at).map(|run| run.hook.clone()).unwrap_or_default();
    let (moved, replaced, place) = (hook(other.moved), hook(other.replaced), other.place);
    let says = format!(
        "two hooks race: if {} ends {place}, {}; if {} ends {place}, {}",
        label(&replaced),
        action(&outcome),
        label(&moved),
        action(&other.outcome)
    );
    let other = &other.outcome;
    let decision = |of: &Outcome| (of.verdict, of.blocked, of.continues);
    if decision(&outcome) != decision(other) {
        outcome.verdict = Verdict::Unknown;
        outcome.blocked &= other.blocked;
        outcome.continues |= other.continues;
        outcome.decided_by = vec![replaced, moved];
        outcome.seen_by = None;
    }
    outcome.updated_input = outcome.updated_input.filter(|input| other.updated_input.as_ref() == Some(input));
    outcome.reason = outcome.reason.filter(|reason| other.reason.as_ref() == Some(reason));
    outcome.stop_reason = outcome.stop_reason.filter(|reason| other.stop_reason.as_ref() == Some(reason));
    outcome.extra.retain(|key, value| other.extra.get(key) == Some(value));
    let why = "both orders of ending are likely, and the agent decides by this order";
    outcome.trace.insert(0, TraceStep::new(RACE, why));
    outcome.agent_does = says;
    outcome
}

/// The agent's action with its new input.
fn action(outcome: &Outcome) -> String {
    let Some(input) = &outcome.updated_input else { return outcome.agent_does.clone() };
    let text = stringify(input);
    let short: String = text.chars().take(LONGEST_INPUT).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{} ({short}{cut})", outcome.agent_does)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{HookInput, Subject};
    use crate::output::HookOutput;
    use crate::run::{Launch, RunId, RunReport, Timing};
    use serde_json::json;

    fn run(number: u32, hook: &str, started: u64, ended: u64) -> HookRun {
        let mut report = RunReport::new(RunId(number), Exit::Code(0), hook, "");
        let at = Duration::from_millis;
        report.timing = Timing { started: at(started), ended: at(ended) };
        HookRun {
            run: RunId(number),
            hook: hook.to_owned(),
            awaited: true,
            launch: Launch::Refused(String::new()),
            input: HookInput { event: "E".to_owned(), subject: Subject::default(), body: json!({}) },
            report,
            output: HookOutput::default(),
        }
    }

    /// The input of the hook that ends last counts.
    fn last_wins(runs: &[HookRun]) -> Outcome {
        let last = runs.last().map(|run| json!({ "from": run.hook }));
        Outcome { updated_input: last, ..Outcome::without_effect(Verdict::Allow, "the command runs") }
    }

    /// The first hook that ends decides whether the command runs.
    fn first_wins(runs: &[HookRun]) -> Outcome {
        let denies = runs.first().is_some_and(|run| run.hook == "no");
        let verdict = if denies { Verdict::Deny } else { Verdict::Allow };
        Outcome { blocked: denies, ..Outcome::without_effect(verdict, if denies { "it stops" } else { "it runs" }) }
    }

    #[test]
    fn close_ends_are_a_race_and_distant_ones_are_not() {
        for (ends, ahead, race) in [
            ([10, 30], 0, true),
            ([69, 212], 0, true),
            ([10, 510], 0, false),
            ([4000, 4900], 0, true),
            ([4000, 6000], 0, false),
            ([10, 30], 1, false),
        ] {
            let runs = [run(0, "a", 0, ends[0]), run(1, "b", 1, ends[1])];
            let outcome = decide_with_races(&runs, ahead, &last_wins, &|hook| format!("{hook}.sh"));
            let uncertain = (outcome.verdict, outcome.updated_input.is_none());
            assert_eq!(uncertain == (Verdict::Allow, true), race, "{ends:?} {ahead}");
            if race {
                assert_eq!(
                    outcome.agent_does,
                    r#"two hooks race: if b.sh ends last, the command runs ({"from":"b"}); if a.sh ends last, the command runs ({"from":"a"})"#
                );
            }
        }
        let one_after_the_other = [run(0, "a", 0, 10), run(1, "b", 12, 30)];
        let outcome = decide_with_races(&one_after_the_other, 0, &last_wins, &str::to_owned);
        assert!(outcome.updated_input.is_some());
    }

    #[test]
    fn the_first_to_end_can_decide_too() {
        let runs = [run(0, "yes", 0, 10), run(1, "no", 0, 12)];
        let outcome = decide_with_races(&runs, 0, &first_wins, &str::to_owned);
        assert_eq!((outcome.verdict, outcome.blocked), (Verdict::Unknown, false));
        assert_eq!(outcome.agent_does, "two hooks race: if no ends last, it runs; if yes ends last, it stops");
        let mut silent = run(1, "no", 0, 12);
        silent.report = RunReport { timing: silent.report.timing, ..RunReport::new(RunId(1), Exit::Code(0), "", "") };
        let outcome = decide_with_races(&[run(0, "yes", 0, 10), silent], 0, &first_wins, &str::to_owned);
        assert_eq!(outcome.verdict, Verdict::Allow, "a hook without a result takes no part");
    }
}
