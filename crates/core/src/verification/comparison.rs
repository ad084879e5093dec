//! The comparison of a session with the firing here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::conversation::{Verification, VerifiedRun, VerifiedSession, contains_text, news};
use super::recording::OBSERVER;
use super::script::VerificationScript;
use crate::calibration::{Difference, NotedRun, different_values, list_hooks, told_parts, value_text};
use crate::model_interface::ModelTurn;
use hookbench_base::decide::{Outcome, Verdict};
use hookbench_base::dialects::verification::ObservableAction;
use hookbench_base::dialects::{Agent, held_payload};
use hookbench_base::hook::HookInput;
use hookbench_base::names::RuleId;
use hookbench_base::plan::Schedule;
use hookbench_base::run::{Exit, RunReport};

/// The shortest text of a hook that is searched in what the model was told.
const SHORTEST_TEXT: usize = 6;
/// The longest value that a difference shows, in characters.
const LONGEST_VALUE: usize = 300;
/// Keys of answers whose texts can reach the model.
const TEXT_KEYS: [&str; 4] = ["additionalContext", "reason", "permissionDecisionReason", "stopReason"];

/// One run of the firing here.
#[derive(Debug, Clone)]
pub struct PredictedRun<'a> {
    /// The name in the notes of the recorder.
    pub name: String,
    /// The name for the user.
    pub label: String,
    pub stdin: Value,
    /// The variables that the agent sets.
    pub variables: Vec<(String, String)>,
    pub report: &'a RunReport,
    /// Whether the agent waits for it.
    pub awaited: bool,
}

/// The firing here.
#[derive(Debug)]
pub struct Prediction<'a> {
    pub dialect: &'static Agent,
    pub input: &'a HookInput,
    /// The keys of the payload that hookbench took from an example.
    pub filled: &'a [String],
    pub script: &'a VerificationScript,
    /// In the order in which they started.
    pub runs: Vec<PredictedRun<'a>>,
    pub outcome: &'a Outcome,
    /// The reason of the outcome without the text that the agent puts in front of it.
    pub reason: Option<&'a str>,
    pub schedule: Schedule,
}

/// Compares a session with the firing here.
///
/// # Errors
/// Returns the reason if the event did not happen in the session.
pub fn verify(prediction: &Prediction<'_>, session: &VerifiedSession) -> Result<Verification, String> {
    let input = prediction.input;
    let tool = input.body.get("tool_name").filter(|_| input.body.get("tool_input").is_some());
    let of_event = |run: &&NotedRun| {
        let value = |key: &str| run.stdin.get(key);
        run.hook != OBSERVER
            && value("hook_event_name").and_then(Value::as_str) == Some(input.event.as_str())
            && tool.is_none_or(|tool| value("tool_name") == Some(tool))
            && is_wanted_stop(&input.body, &run.stdin)
    };
    let seen = first_firing(session.runs.iter().filter(of_event), &prediction.runs);
    let facts = ActionFacts::read(prediction, session, !seen.is_empty())?;
    let mut found = VerificationComparison {
        event: &input.event,
        rules: prediction.outcome.rules().into_iter().collect(),
        differences: Vec::new(),
        notes: session.notes.clone(),
    };
    found.hooks(prediction, &seen);
    found.exits(prediction, &seen);
    found.inputs(prediction, &seen);
    found.variables(prediction, &seen);
    let told = facts.told.join("\n");
    if prediction.outcome.verdict == Verdict::Unknown {
        found.notes.push("the decision is unknown here, so only the hooks are compared".to_owned());
    } else {
        found.action(prediction, &facts);
        found.texts(prediction, &told, facts.model_was_asked);
    }
    let label = |name: &str| {
        let same = prediction.runs.iter().find(|run| run.name == name);
        same.map_or_else(|| "a hook that does not run here".to_owned(), |run| run.label.clone())
    };
    Ok(Verification {
        version: session.version.clone(),
        differences: found.differences,
        told_the_model: facts.told,
        runs: seen
            .iter()
            .map(|run| VerifiedRun { hook: label(&run.hook), stdin: run.stdin.clone(), exit: run.exit.clone() })
            .collect(),
        blocked: facts.blocked,
        tool_input: facts.tool_input,
        notes: found.notes,
        isolated: session.isolated,
    })
}

/// Whether a run belongs to the first stop of a turn, or to a later one if the payload is about that.
fn is_wanted_stop(wanted: &Value, stdin: &Value) -> bool {
    let again = |body: &Value| body.get("stop_hook_active").and_then(Value::as_bool);
    match (again(wanted), again(stdin)) {
        (Some(false), Some(is_again)) => !is_again,
        _ => true,
    }
}

/// The runs of the first firing: as many of each hook as run here, or one.
fn first_firing<'a>(runs: impl Iterator<Item = &'a NotedRun>, predicted: &[PredictedRun<'_>]) -> Vec<&'a NotedRun> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first = Vec::new();
    for run in runs {
        let most = predicted.iter().filter(|other| other.name == run.hook).count().max(1);
        let count = counts.entry(&run.hook).or_default();
        *count += 1;
        if *count <= most {
            first.push(run);
        }
    }
    first
}

/// The evidence of a session about the announced action.
struct ActionFacts {
    blocked: Option<bool>,
    tool_input: Option<Value>,
    told: Vec<String>,
    /// Whether the model was asked after the event.
    model_was_asked: bool,
}

impl ActionFacts {
    /// # Errors
    /// Returns the reason if the event did not happen.
    fn read(prediction: &Prediction<'_>, session: &VerifiedSession, hooks_ran: bool) -> Result<ActionFacts, String> {
        let script = prediction.script;
        let requests = &session.requests;
        let (name, event) = (prediction.dialect.name(), &prediction.input.event);
        let news = news(requests);
        let action = prediction.dialect.headless_format().observable_action(event);
        let calls = script.turns.iter().filter(|turn| !turn.calls().is_empty()).count();
        if let Some(tool) = &script.tool {
            if requests.is_empty() {
                return Err(format!(
                    "{event} did not happen: {name} did not ask its model; another hook may have stopped the session"
                ));
            }
            if !requests.iter().any(|request| request.tools.contains(tool)) {
                return Err(format!("{event} did not happen: {name} does not offer its model the tool {tool}"));
            }
        }
        // What hooks of a sub-agent say is told in its own conversation, not as the result of the call that starts it.
        if let Some(tool) = script.tool.as_ref().filter(|_| !script.starts_subagent) {
            // Later requests are about later events, such as the end of the turn.
            let told: Vec<String> = news.into_iter().skip(calls).find(|new| !new.is_empty()).unwrap_or_default();
            let format = prediction.dialect.verification_format();
            let has_run = |stdin: &Value| {
                let is = |(pointer, word): &(&str, &str)| stdin.pointer(pointer).is_some_and(|value| value == word);
                !format.not_run.iter().any(is)
            };
            let observed = session.runs.iter().find(|run| {
                let body = &prediction.input.body;
                run.hook == OBSERVER && run.stdin.get("tool_name") == body.get("tool_name") && has_run(&run.stdin)
            });
            // Without hooks, hookbench's own hook does not run either.
            let any_hook = !session.runs.is_empty();
            let is_certain = format.observes_failures && session.observed && any_hook;
            let refused = told.iter().any(|text| prediction.is_refusal(text));
            let model_was_asked = requests.len() > calls;
            let blocked = match (observed, action) {
                (_, None | Some(ObservableAction::PromptIsSent | ObservableAction::TurnEnds)) => None,
                (Some(_), Some(ObservableAction::ToolRuns | ObservableAction::ToolRunsIfAllowed)) => Some(false),
                // Without an answer of a hook, the session refuses the tool by itself.
                (None, Some(ObservableAction::ToolRunsIfAllowed)) => {
                    (refused || prediction.outcome.verdict == Verdict::Allow).then_some(true)
                }
                (None, Some(ObservableAction::ToolRuns)) if is_certain || refused || !model_was_asked => Some(true),
                // The tool failed by itself, or ran in an agent that fires no event after it.
                (None, Some(ObservableAction::ToolRuns)) => Some(false),
            };
            let told_why = || told.first().map(|text| shorten(text)).unwrap_or_default();
            if !hooks_ran && !prediction.runs.is_empty() && observed.is_none() && !refused && model_was_asked {
                return Err(format!(
                    "{event} did not happen: the tool {tool} did not start; the model was told: {}",
                    told_why()
                ));
            }
            let tool_input = observed.and_then(|run| run.stdin.get("tool_input")).cloned();
            return Ok(ActionFacts { blocked, tool_input, told, model_was_asked });
        }
        let words: Vec<String> = match action {
            Some(ObservableAction::TurnEnds) => {
                let sentences = script.turns.iter().filter(|turn| matches!(turn, ModelTurn::Sentence(_))).count();
                news.into_iter().skip(sentences.max(1)).flatten().collect()
            }
            _ => {
                let texts = prediction.hook_texts();
                let is_prompt = action == Some(ObservableAction::PromptIsSent);
                let of_hooks = |text: &String| {
                    texts.iter().any(|own| contains_text(text, own)) || (is_prompt && text.contains(&script.prompt))
                };
                news.into_iter().flatten().filter(of_hooks).collect()
            }
        };
        let blocked = match action {
            Some(ObservableAction::PromptIsSent) => Some(requests.is_empty()),
            Some(ObservableAction::TurnEnds) => Some(requests.len() > script.turns.len().max(1)),
            _ => None,
        };
        Ok(ActionFacts { blocked, tool_input: None, told: words, model_was_asked: !requests.is_empty() })
    }
}

impl Prediction<'_> {
    /// Whether the agent tells its model with this text that a hook has blocked the tool.
    fn is_refusal(&self, text: &str) -> bool {
        let mut reasons = self.hook_texts();
        reasons.extend(self.outcome.reason.as_ref().map(|reason| reason.trim().to_owned()));
        let is = |refusal: &&str| match refusal.split_once("{reason}") {
            Some((before, after)) => {
                let rest = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                rest.is_some_and(|rest| reasons.contains(rest.trim()))
            }
            None => text.contains(refusal),
        };
        self.dialect.verification_format().refusals.iter().any(is)
    }

    /// The texts that the hooks printed and that could reach the model.
    fn hook_texts(&self) -> BTreeSet<String> {
        let mut texts = BTreeSet::new();
        for run in self.runs.iter().filter(|run| run.awaited) {
            let stdout = run.report.stdout.text();
            match serde_json::from_str::<Value>(stdout.trim()) {
                Ok(answer) => collect_texts(&answer, &mut texts),
                Err(_) => drop(texts.insert(stdout.trim().to_owned())),
            }
            texts.insert(run.report.stderr.text().trim().to_owned());
        }
        texts.retain(|text| text.len() >= SHORTEST_TEXT);
        texts
    }
}

fn collect_texts(answer: &Value, texts: &mut BTreeSet<String>) {
    let Value::Object(map) = answer else { return };
    for (key, value) in map {
        match value {
            Value::String(text) if TEXT_KEYS.contains(&key.as_str()) => drop(texts.insert(text.trim().to_owned())),
            other => collect_texts(other, texts),
        }
    }
}

struct VerificationComparison<'a> {
    event: &'a str,
    /// The rules that explain the predicted decision.
    rules: Vec<RuleId>,
    differences: Vec<Difference>,
    notes: Vec<String>,
}

impl VerificationComparison<'_> {
    fn add(&mut self, aspect: impl Into<String>, predicted: &str, seen: &str) {
        self.differences.push(Difference {
            event: self.event.to_owned(),
            aspect: aspect.into(),
            predicted: shorten(predicted),
            seen: shorten(seen),
            rules: self.rules.clone(),
        });
    }

    /// Compares the hooks that ran, and their order.
    fn hooks(&mut self, prediction: &Prediction<'_>, seen: &[&NotedRun]) {
        let label = |name: &str| {
            let same = prediction.runs.iter().find(|run| run.name == name);
            same.map_or_else(|| "another hook".to_owned(), |run| run.label.clone())
        };
        let list = |names: Vec<String>| list_hooks(names, prediction.schedule != Schedule::Parallel);
        // A recorder notes nothing of a program that it cannot start.
        let is_noted = |run: &&PredictedRun| {
            let fails = matches!(run.report.exit, Exit::FailedToStart { .. });
            !fails || seen.iter().any(|noted| noted.hook == run.name)
        };
        let here = list(prediction.runs.iter().filter(is_noted).map(|run| run.label.clone()).collect());
        let there = list(seen.iter().map(|run| label(&run.hook)).collect());
        if here != there {
            self.add("the hooks that ran", &here, &there);
        }
    }

    /// Compares how the hooks ended.
    fn exits(&mut self, prediction: &Prediction<'_>, seen: &[&NotedRun]) {
        for (run, predicted) in pairs(seen, &prediction.runs) {
            if !predicted.awaited {
                continue;
            }
            let there = run.exit.clone().unwrap_or_else(|| "ended by the agent".to_owned());
            let (here, same) = match &predicted.report.exit {
                Exit::Code(code) => (format!("exit {code}"), there == format!("exit {code}")),
                Exit::Signal(signal) => {
                    // A shell reports the signal of its command as a status.
                    let as_code = format!("exit {}", 128 + signal);
                    (format!("signal {signal}"), there == format!("signal {signal}") || there == as_code)
                }
                Exit::TimedOut { .. } | Exit::Cancelled => {
                    let ended = run
                        .exit
                        .as_deref()
                        .is_none_or(|exit| exit.starts_with("signal") || exit == "exit 143" || exit == "exit 137");
                    ("ended by the agent".to_owned(), ended)
                }
                _ => continue,
            };
            if !same {
                self.add(format!("exit status of {}", predicted.label), &here, &there);
            }
        }
    }

    /// Compares what the hooks read, key by key.
    fn inputs(&mut self, prediction: &Prediction<'_>, seen: &[&NotedRun]) {
        let format = prediction.dialect.verification_format();
        let session_keys = format.session_keys;
        let event = prediction.dialect.main_spelling(self.event);
        for (run, predicted) in pairs(seen, &prediction.runs) {
            // The session's side has the keys that hookbench holds, whatever spelling the hook reads.
            let here = held_payload(prediction.dialect, predicted.stdin.clone());
            for (pointer, [wanted, got]) in different_values(&here, &run.stdin) {
                let key = pointer.split('/').nth(1).unwrap_or_default();
                match (wanted, got) {
                    (None, Some(value)) if key == "tool_input" => {
                        self.notes.push(format!("the agent completes the input of the tool: {pointer} is {value}"));
                    }
                    (Some(_), None) if format.omits(event, &pointer) => {
                        self.notes.push(format!("the agent does not send {pointer} on this event"));
                    }
                    // hookbench predicts that the key is present, not that it has the value of the example.
                    (Some(_), Some(_)) if prediction.filled.iter().any(|name| name == key) => {}
                    _ if session_keys.contains(&key) => {}
                    _ => {
                        let aspect = format!("stdin of {}, {pointer}", predicted.label);
                        self.add(aspect, &value_text(wanted), &value_text(got));
                    }
                }
            }
        }
    }

    /// Compares the variables that the agent sets for the hooks.
    fn variables(&mut self, prediction: &Prediction<'_>, seen: &[&NotedRun]) {
        let body = &prediction.input.body;
        let session_keys = prediction.dialect.verification_format().session_keys;
        // A value that contains one of the session is another one in each session.
        let own: Vec<&str> = session_keys.iter().filter_map(|key| body.get(*key)?.as_str()).collect();
        for (run, predicted) in pairs(seen, &prediction.runs) {
            for (name, value) in &predicted.variables {
                let got = run.environment.get(name);
                let of_session = own.iter().any(|own| !own.is_empty() && value.contains(own));
                let is_session_key = session_keys.iter().any(|key| name.to_ascii_lowercase().ends_with(key));
                if got != Some(value) && !of_session && !is_session_key && !value.contains('\n') {
                    let got = got.map_or("not set", String::as_str);
                    self.add(format!("variable {name} of {}", predicted.label), value, got);
                }
            }
        }
    }

    /// Compares whether the announced action happened, and the input of the tool.
    fn action(&mut self, prediction: &Prediction<'_>, facts: &ActionFacts) {
        let outcome = prediction.outcome;
        let words = |blocked: bool| if blocked { "blocked" } else { "not blocked" };
        match facts.blocked {
            Some(blocked) if blocked != outcome.blocked => {
                let aspect = match prediction.dialect.headless_format().observable_action(self.event) {
                    Some(ObservableAction::PromptIsSent) => "the prompt",
                    Some(ObservableAction::TurnEnds) => "the end of the turn",
                    _ => "the tool",
                };
                return self.add(aspect, words(outcome.blocked), words(blocked));
            }
            _ => {}
        }
        if let (Some(wanted), Some(given)) = (&outcome.updated_input, &facts.tool_input) {
            for (pointer, [wanted, got]) in different_values(wanted, given) {
                if wanted.is_some() {
                    self.add(format!("the input of the tool, {pointer}"), &value_text(wanted), &value_text(got));
                }
            }
        }
    }

    /// Compares the texts that the model was told.
    fn texts(&mut self, prediction: &Prediction<'_>, told: &str, model_was_asked: bool) {
        let outcome = prediction.outcome;
        if !outcome.continues || !model_was_asked {
            return;
        }
        let aspect = "what the model was told";
        if let Some(context) = &outcome.additional_context
            && !contains_text(told, context)
        {
            self.add(aspect, context, "not this text");
        }
        let tells = outcome.seen_by == Some("the model");
        // Of several refusals, the agent passes on the one that ended first.
        if let Some(reason) = prediction.reason.filter(|_| outcome.blocked && tells)
            && outcome.decided_by.len() == 1
            && !contains_text(told, reason)
        {
            self.add(aspect, reason, "not this text");
        }
        let mut known = String::new();
        all_texts(&told_parts(outcome), &mut known);
        all_texts(&prediction.input.body, &mut known);
        let several = outcome.decided_by.len() > 1;
        for text in prediction.hook_texts() {
            if !several && !contains_text(&known, &text) && contains_text(told, &text) {
                self.add(aspect, "not this text", &text);
            }
        }
    }
}

/// The runs of the session, each with the run of the same hook here.
fn pairs<'a, 'b>(
    seen: &[&'a NotedRun],
    predicted: &'b [PredictedRun<'b>],
) -> Vec<(&'a NotedRun, &'b PredictedRun<'b>)> {
    let mut used = BTreeSet::new();
    let mut all = Vec::new();
    for run in seen {
        let free = predicted.iter().enumerate().find(|(at, other)| other.name == run.hook && !used.contains(at));
        if let Some((at, other)) = free {
            used.insert(at);
            all.push((*run, other));
        }
    }
    all
}

fn all_texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| all_texts(item, out)),
        Value::Object(map) => map.values().for_each(|value| all_texts(value, out)),
        _ => {}
    }
}

/// A value for one line.
fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= LONGEST_VALUE {
        return text.to_owned();
    }
    text.chars().take(LONGEST_VALUE).collect::<String>() + "…"
}
