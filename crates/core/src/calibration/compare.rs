//! The comparison of a firing as it was seen with the one that the rules predict.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::firings::SeenFiring;
use super::hook_log::NotedRun;
use super::probe_files::{KEEPER, TOOL_OUTPUT};
use super::program_tables::OF_SHELLS;
use crate::model_interface::ModelRequest;
use hookbench_base::decide::{Outcome, Verdict};
use hookbench_base::dialects::verification::ObservableAction;
use hookbench_base::names::RuleId;
use hookbench_base::plan::Schedule;

/// The beginnings of the marks that probes put into texts: contexts, reasons, messages, reasons for a stop, inputs.
const MARKS: [&str; 5] = ["CTX", "RSN", "SYS", "STP", "NEW"];

/// The firing that the rules predict.
#[derive(Debug, Clone, Copy)]
pub struct PredictedFiring<'a> {
    /// The notes of its hooks.
    pub runs: &'a [NotedRun],
    /// The name of each hook, and the rule by which it runs or does not.
    pub reasons: &'a [(String, RuleId)],
    pub outcome: &'a Outcome,
    pub schedule: Schedule,
    /// The action that depends on this event's decision.
    pub action: Option<ObservableAction>,
    /// Variables whose value is the path of a file that each run has for itself.
    pub scratch_variables: &'a [String],
    /// The marks that earlier events of the session told the model.
    pub told_before: &'a BTreeSet<String>,
}

/// The marks in what the model and the user are told because of an outcome.
pub fn marks_of_outcome(outcome: &Outcome) -> BTreeSet<String> {
    marks(&told_parts(outcome).to_string())
}

/// The parts of an outcome of which the model or the user may be told.
pub fn told_parts(outcome: &Outcome) -> Value {
    serde_json::json!([
        outcome.reason,
        outcome.additional_context,
        outcome.system_message,
        outcome.stop_reason,
        outcome.merged,
        outcome.extra,
        outcome.updated_input,
        outcome.agent_does,
    ])
}

/// The evidence of a session besides the notes of its hooks.
#[derive(Debug, Clone, Copy)]
pub struct SessionEvidence<'a> {
    pub requests: &'a [ModelRequest],
    /// The text that the model's shell call wrote. `None` if the call did not run.
    pub tool_output: Option<&'a str>,
    /// The agent's stdout and stderr.
    pub printed: &'a str,
    /// Whether a later firing of the same event was seen.
    pub event_repeats: bool,
    /// The environment of the agent.
    pub environment: &'a BTreeMap<String, String>,
}

impl SessionEvidence<'_> {
    /// The marks in what the model was told.
    fn told_marks(&self) -> BTreeSet<String> {
        marks(&self.requests.iter().map(|request| request.conversation.to_string()).collect::<String>())
    }
}

/// Something that is not the same in the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VerifiedDifferenceDoc"))]
pub struct Difference {
    #[serde(skip)]
    pub event: String,
    // The subject of the difference, in a few words.
    pub aspect: String,
    pub predicted: String,
    pub seen: String,
    /// The rules on which the prediction rests.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub rules: Vec<RuleId>,
}

/// The rules that a prediction cites.
pub fn cited_rules(predicted: &PredictedFiring<'_>) -> BTreeSet<RuleId> {
    let mut rules = predicted.outcome.rules();
    rules.extend(predicted.reasons.iter().filter(|(hook, _)| hook != KEEPER).map(|(_, rule)| *rule));
    rules
}

/// Compares a firing.
pub fn compare_firing(
    seen: &SeenFiring,
    predicted: &PredictedFiring<'_>,
    evidence: &SessionEvidence<'_>,
) -> Vec<Difference> {
    let mut found =
        FiringComparison { event: seen.event(), differences: Vec::new(), traced: predicted.outcome.rules() };
    found.hooks(&seen.runs, predicted);
    found.inputs(&seen.runs, predicted.runs);
    found.environments(&seen.runs, predicted, evidence.environment);
    // An unknown decision predicts nothing.
    if predicted.outcome.verdict != Verdict::Unknown {
        found.action(seen, predicted, evidence);
        found.texts(predicted, evidence);
    }
    found.differences
}

struct FiringComparison<'a> {
    event: &'a str,
    differences: Vec<Difference>,
    /// The rules that explain the predicted decision.
    traced: BTreeSet<RuleId>,
}

impl FiringComparison<'_> {
    fn add(&mut self, aspect: impl Into<String>, predicted: impl Into<String>, seen: impl Into<String>) {
        let rules = self.traced.iter().copied().collect();
        self.add_with_rules(aspect, predicted, seen, rules);
    }

    fn add_with_rules(
        &mut self,
        aspect: impl Into<String>,
        predicted: impl Into<String>,
        seen: impl Into<String>,
        rules: Vec<RuleId>,
    ) {
        let (event, aspect) = (self.event.to_owned(), aspect.into());
        self.differences.push(Difference { event, aspect, predicted: predicted.into(), seen: seen.into(), rules });
    }

    /// Compares the hooks that ran, their order, and whether they ended by themselves.
    fn hooks(&mut self, seen: &[NotedRun], predicted: &PredictedFiring<'_>) {
        let names = |runs: &[NotedRun], finished: bool| {
            let names = runs.iter().filter(|run| !finished || run.finished).map(|run| run.hook.clone());
            list_hooks(names.collect(), !finished && predicted.schedule != Schedule::Parallel)
        };
        for (aspect, finished) in [("the hooks that ran", false), ("the hooks that ran to their end", true)] {
            let (expected, got) = (names(predicted.runs, finished), names(seen, finished));
            if expected != got {
                let rules = differing_rules(seen, predicted);
                return self.add_with_rules(aspect, expected, got, rules);
            }
        }
    }

    /// Compares the stdin of each hook.
    fn inputs(&mut self, seen: &[NotedRun], predicted: &[NotedRun]) {
        for (run, expected) in pairs(seen, predicted) {
            for (pointer, [wanted, got]) in different_values(&expected.stdin, &run.stdin) {
                if !pointer.ends_with("timestamp") {
                    let aspect = format!("stdin of {}, {pointer}", run.hook);
                    self.add_with_rules(aspect, value_text(wanted), value_text(got), Vec::new());
                }
            }
        }
    }

    /// Compares the variables that the agent set for each hook.
    fn environments(&mut self, seen: &[NotedRun], predicted: &PredictedFiring<'_>, parent: &BTreeMap<String, String>) {
        for (run, expected) in pairs(seen, predicted.runs) {
            let set = |environment: &BTreeMap<String, String>| -> BTreeMap<String, String> {
                let changed = |(name, value): &(&String, &String)| {
                    parent.get(*name) != Some(value) && !OF_SHELLS.contains(&name.as_str())
                };
                environment.iter().filter(changed).map(|(name, value)| (name.clone(), value.clone())).collect()
            };
            let (wanted, got) = (set(&expected.environment), set(&run.environment));
            // Only what the rules say is compared: a process may set variables for its own purposes.
            for (name, value) in wanted {
                let real = got.get(&name);
                let any = predicted.scratch_variables.contains(&name) && real.is_some();
                if real != Some(&value) && !any {
                    let real = real.map_or_else(|| "not set".to_owned(), Clone::clone);
                    self.add_with_rules(format!("variable {name} of {}", run.hook), value, real, Vec::new());
                }
            }
        }
    }

    /// Compares the agent's action.
    fn action(&mut self, seen: &SeenFiring, predicted: &PredictedFiring<'_>, evidence: &SessionEvidence<'_>) {
        let outcome = predicted.outcome;
        let words = |happened: bool| if happened { "yes" } else { "no" };
        let (aspect, expected, happened) = match predicted.action {
            None => return,
            Some(action @ (ObservableAction::ToolRuns | ObservableAction::ToolRunsIfAllowed)) => {
                let input = seen.payload.get("tool_input").map(Value::to_string).unwrap_or_default();
                if !input.contains(TOOL_OUTPUT) {
                    return;
                }
                let allowed = action == ObservableAction::ToolRuns || outcome.verdict == Verdict::Allow;
                ("the tool ran", allowed && !outcome.blocked, evidence.tool_output.is_some())
            }
            Some(ObservableAction::PromptIsSent) => {
                ("the prompt was sent to the model", !outcome.blocked, !evidence.requests.is_empty())
            }
            Some(ObservableAction::TurnEnds) => {
                // An agent may continue without asking its hooks again. Then the model is told their reason.
                let told = || evidence.told_marks().iter().any(|mark| marks_of_outcome(outcome).contains(mark));
                ("the turn ended", !outcome.blocked, !evidence.event_repeats && !told())
            }
        };
        if expected != happened {
            return self.add(aspect, words(expected), words(happened));
        }
        if matches!(predicted.action, Some(ObservableAction::ToolRuns | ObservableAction::ToolRunsIfAllowed))
            && let Some(output) = evidence.tool_output
        {
            let changed = outcome.updated_input.as_ref().map(|input| marks(&input.to_string()));
            let expected = changed.and_then(|marks| marks.into_iter().next()).unwrap_or_else(|| "real".to_owned());
            if output.trim() != expected {
                self.add("the input of the tool", expected, output.trim());
            }
        }
    }

    /// Compares the marks in the texts that the model and the user were told.
    fn texts(&mut self, predicted: &PredictedFiring<'_>, evidence: &SessionEvidence<'_>) {
        let outcome = predicted.outcome;
        // Without a request, the model was told nothing.
        if !outcome.continues || evidence.requests.is_empty() {
            return;
        }
        let told = evidence.told_marks();
        let mut whole = marks_of_outcome(outcome);
        whole.extend(predicted.told_before.iter().cloned());
        for mark in marks(outcome.additional_context.as_deref().unwrap_or_default()).difference(&told) {
            self.add("what the model was told", format!("{mark}, as context"), format!("not {mark}"));
        }
        // Only the marks of this firing's hooks.
        let own: BTreeSet<String> =
            predicted.runs.iter().filter_map(|run| run.hook.get(1..)).map(str::to_owned).collect();
        let of_this = |mark: &&String| mark.get(3..).is_some_and(|number| own.contains(number));
        let several = predicted.runs.len() > 2 && outcome.blocked;
        for mark in told.difference(&whole).filter(of_this) {
            // Of several refusals, the agent passes on the reason of the one that ended first.
            if mark.starts_with("CTX") || (mark.starts_with("RSN") && !several) {
                self.add("what the model was told", format!("not {mark}"), mark.clone());
            }
        }
        if outcome.blocked && !several {
            let printed = marks(evidence.printed);
            for mark in marks(outcome.reason.as_deref().unwrap_or_default()) {
                if !told.contains(&mark) && !printed.contains(&mark) {
                    self.add("the reason", mark, "neither the model nor the user was told it");
                }
            }
        }
    }
}

/// The rules about the hooks that only one side has; all of them if both have the same.
fn differing_rules(seen: &[NotedRun], predicted: &PredictedFiring<'_>) -> Vec<RuleId> {
    let count = |runs: &[NotedRun], hook: &str| runs.iter().filter(|run| run.hook == hook).count();
    let differs = |hook: &str| count(seen, hook) != count(predicted.runs, hook);
    let of = |all: bool| -> BTreeSet<RuleId> {
        predicted.reasons.iter().filter(|(hook, _)| all || differs(hook)).map(|(_, rule)| *rule).collect()
    };
    let some = of(false);
    if some.is_empty() { of(true) } else { some }.into_iter().collect()
}

/// The runs of the same hooks.
fn pairs<'a>(seen: &'a [NotedRun], predicted: &'a [NotedRun]) -> Vec<(&'a NotedRun, &'a NotedRun)> {
    let expected = |run: &NotedRun| predicted.iter().find(|other| other.hook == run.hook);
    seen.iter().filter_map(|run| Some((run, expected(run)?))).collect()
}

/// The names of hooks for one line. Without an order, they are sorted.
pub fn list_hooks(mut names: Vec<String>, in_order: bool) -> String {
    if !in_order {
        names.sort();
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The values that are not the same in two documents, by JSON pointer: the predicted one and the seen one.
pub fn different_values<'a>(predicted: &'a Value, seen: &'a Value) -> BTreeMap<String, [Option<&'a Value>; 2]> {
    let (mut here, mut there) = (BTreeMap::new(), BTreeMap::new());
    flatten("", predicted, &mut here);
    flatten("", seen, &mut there);
    let pointers: BTreeSet<String> = here.keys().chain(there.keys()).cloned().collect();
    let sides = pointers.into_iter().map(|pointer| {
        let sides = [&here, &there].map(|side| side.get(&pointer).copied());
        (pointer, sides)
    });
    sides.filter(|(_, [predicted, seen])| predicted != seen).collect()
}

/// A value as JSON, or `absent`.
pub fn value_text(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), Value::to_string)
}

/// The values in a document, by JSON pointer.
fn flatten<'a>(path: &str, value: &'a Value, all: &mut BTreeMap<String, &'a Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, value)| flatten(&format!("{path}/{key}"), value, all));
        }
        other => drop(all.insert(path.to_owned(), other)),
    }
}

/// The marks in a text.
fn marks(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for prefix in MARKS {
        for (at, _) in text.match_indices(prefix) {
            let number: String =
                text.get(at + prefix.len()..).unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
            if !number.is_empty() {
                found.insert(format!("{prefix}{number}"));
            }
        }
    }
    found
}
