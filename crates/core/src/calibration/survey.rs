//! Surveys: sessions and commands that ask an agent's program for a whole table at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::hook_log::NotedRun;
use super::probe_files::Probe;
use super::program_tables::{EVERY_EVENT, ProgramTables};
use crate::model_interface::{ModelRequest, ModelTurn, ScriptedCall};
use crate::port::mapping;
use hookbench_base::catalogue::{CatalogueTool, catalogue};
use hookbench_base::config::Place;
use hookbench_base::dialects::{Agent, default_version};
use hookbench_base::hook::ExamplePayload;
use hookbench_base::text::capitalized;

/// The value in a settings file that is replaced by an object with one hook for each candidate.
const CANDIDATES: &str = "{{events}}";
/// The beginning of a placeholder for a long text of one character: `{{long:x}}`.
const LONG: &str = "{{long:";
/// The number of characters of a long text.
const LONG_TEXT: usize = 120_000;
/// The shortest run of one character that is a part of a long text.
const SHORTEST_RUN: usize = 200;

/// The number of calls of one turn.
const CALLS_A_TURN: usize = 20;
/// The longest name of an event that is a candidate, in characters and in capital letters.
const LONGEST_NAME: usize = 40;
const MOST_HUMPS: usize = 5;

/// Candidates that no program knows, the first and the last in a list of names: without them, the answer was cut.
const NO_EVENTS: [&str; 2] = ["AaaNoEvent", "zzzNoEvent"];

/// One question for a whole table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survey {
    pub probe: Probe,
    pub reads: SurveyReading,
}

/// How the answer is read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum SurveyReading {
    /// The program prints the names of the candidates that are not events, each between these two texts.
    UnknownEvents { before: String, after: String },
    /// The program writes a JSON file with the list of its events, below the project.
    EventList { file: String, pointer: String },
    /// The program writes lines with this text to files below this directory, and they name the candidates that are not
    /// events.
    UnknownEventsInLog { below: String, line: String },
    /// A file of the program itself has the list of its events, each between these two texts.
    EventsInProgram { before: String, after: String },
    /// The model is told texts of one character each; the number that arrives is the limit. The names by character.
    Limits(BTreeMap<char, String>),
    /// The model is told, behind this text, a document with the keys of answers: `for EVENT` holds those of
    /// `hookSpecificOutput`.
    AnswerKeys { after: String },
    /// The model calls tools by every name, and hooks see each under the agent's own.
    ToolNames,
}

/// The outputs of the session or the command.
#[derive(Debug, Clone, Copy)]
pub struct SurveyEvidence<'a> {
    /// The agent's stdout and stderr.
    pub printed: &'a str,
    /// The text of the files that the reading names.
    pub file: Option<&'a str>,
    pub requests: &'a [ModelRequest],
    pub runs: &'a [NotedRun],
    /// The names that [`Survey::session`] was given.
    pub declared: &'a BTreeSet<String>,
}

impl Survey {
    /// The probe with the placeholders of a survey filled in. `declared` are more names that may be events.
    pub fn session(&self, dialect: &Agent, declared: &BTreeSet<String>) -> Probe {
        let candidates = candidate_events().into_iter().chain(declared.iter().cloned());
        let group = json!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
        let events: Map<String, Value> = candidates.map(|name| (name, group.clone())).collect();
        let mut probe = self.probe.clone();
        let filled = |value: &Value| fill(value, &events);
        probe.settings = probe.settings.as_ref().map(filled);
        probe.files.values_mut().for_each(|value| *value = filled(value));
        for script in probe.hooks.values_mut() {
            script.stdout = script.stdout.as_ref().map(filled);
            script.stderr = script.stderr.as_deref().map(fill_text);
        }
        if matches!(self.reads, SurveyReading::ToolNames) {
            probe.turns = Some(calls_of_every_tool(dialect));
        }
        probe
    }

    /// The table that the evidence shows.
    ///
    /// # Errors
    /// Returns the reason if the program did not answer the question.
    pub fn read(&self, evidence: &SurveyEvidence<'_>) -> Result<ProgramTables, String> {
        let mut tables = ProgramTables::default();
        match &self.reads {
            SurveyReading::UnknownEvents { before, after } => {
                let unknown = between(evidence.printed, before, after);
                if !NO_EVENTS.iter().all(|name| unknown.contains(*name)) {
                    return Err("the program's list of unknown events is incomplete".to_owned());
                }
                let candidates: BTreeSet<String> = candidate_events().union(evidence.declared).cloned().collect();
                tables.events = candidates.difference(&unknown).cloned().collect();
            }
            SurveyReading::UnknownEventsInLog { below, line } => {
                let lines = evidence.file.unwrap_or_default().lines().filter(|text| text.contains(line));
                let of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
                let unknown: BTreeSet<&str> = lines.flat_map(|text| text.split(|letter| !of_name(letter))).collect();
                if !NO_EVENTS.iter().all(|name| unknown.contains(name)) {
                    return Err(format!("the list of unknown events in the files below {below} is incomplete"));
                }
                let candidates = candidate_events().into_iter().chain(evidence.declared.iter().cloned());
                tables.events = candidates.filter(|name| !unknown.contains(name.as_str())).collect();
            }
            SurveyReading::EventList { pointer, file } => {
                let list = evidence.file.and_then(|text| serde_json::from_str::<Value>(text).ok());
                let list = list.as_ref().and_then(|whole| whole.pointer(pointer)?.as_array());
                let list = list.ok_or_else(|| format!("{file} has no list of events"))?;
                tables.events = list.iter().filter_map(Value::as_str).map(capitalized).collect();
            }
            SurveyReading::EventsInProgram { before, after } => {
                tables.events = between(evidence.file.unwrap_or_default(), before, after);
                if tables.events.is_empty() {
                    return Err("the files of the program have no list of events".to_owned());
                }
            }
            SurveyReading::Limits(origins) => {
                let told: String =
                    evidence.requests.last().map(|last| last.conversation.to_string()).unwrap_or_default();
                for (filler, origin) in origins {
                    let count = length_of_runs(&told, *filler);
                    tables.limits.insert(origin.clone(), count as u64);
                }
                if tables.limits.values().all(|count| *count == 0) {
                    return Err("the model was told none of the long texts".to_owned());
                }
            }
            SurveyReading::AnswerKeys { after } => {
                let document =
                    evidence.requests.iter().rev().find_map(|request| document_after(&request.conversation, after));
                let document = document.ok_or_else(|| "the program does not say which keys answers have".to_owned())?;
                tables.answer_keys = answer_keys(&document);
            }
            SurveyReading::ToolNames => {
                let text = |run: &NotedRun, key| Some(run.stdin.get(key)?.as_str()?.to_owned());
                let mut called = BTreeMap::new();
                evidence.requests.iter().for_each(|request| collect_calls(&request.conversation, &mut called));
                for run in evidence.runs {
                    let name = text(run, "tool_use_id").and_then(|id| called.get(&id).cloned());
                    if let (Some(name), Some(seen)) = (name, text(run, "tool_name")) {
                        tables.called_tools.entry(name).or_default().insert(seen);
                    }
                }
                if tables.called_tools.is_empty() {
                    return Err("no hook saw a call of a tool".to_owned());
                }
            }
        }
        Ok(tables)
    }
}

/// The names of the calls in a conversation by their ids. The agent gives the model's own calls back to it, so their
/// order does not matter.
fn collect_calls(value: &Value, calls: &mut BTreeMap<String, String>) {
    if let Value::Object(map) = value {
        let function = map.get("function").and_then(|function| function.get("name"));
        let id = map.get("call_id").or_else(|| map.get("id")).and_then(Value::as_str);
        if let (Some(id), Some(name)) = (id, map.get("name").or(function).and_then(Value::as_str)) {
            calls.insert(id.to_owned(), name.to_owned());
        }
        map.values().for_each(|inner| collect_calls(inner, calls));
    }
    value.as_array().into_iter().flatten().for_each(|inner| collect_calls(inner, calls));
}

/// Names that may be events: those of every agent, in every spelling.
pub fn candidate_events() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for row in mapping().rows {
        all.extend(row.spellings.iter().map(|name| (*name).to_owned()));
        all.extend(row.events.words().map(str::to_owned));
        all.insert(row.canonical.split('_').map(capitalized).collect());
    }
    for dialect in hookbench_agents::ALL {
        let events = dialect.events(&default_version(dialect));
        all.extend(events.into_iter().map(|event| event.name.to_owned()));
    }
    all.extend(combined_names());
    all.extend(NO_EVENTS.map(str::to_owned));
    all
}

/// The parts of names that agents may give new events, each of which may be missing but the second.
const BEGINNINGS: &str = " Pre Post Before After On User Session";
const SUBJECTS: &str = "Tool Model Prompt Skill Agent Subagent Task Plan File Edit Message Response Request Session Turn \
                        Permission Compact Memory Plugin Command Shell Todo Context Workflow";
const ENDS: &str = " Use Start End Request Failure Changed Created Command";

fn combined_names() -> impl Iterator<Item = String> {
    BEGINNINGS.split(' ').flat_map(|beginning| {
        SUBJECTS
            .split(' ')
            .flat_map(move |subject| ENDS.split(' ').map(move |end| format!("{beginning}{subject}{end}")))
    })
}

/// Calls of a tool by every name that a tool has in any agent. The inputs are those of an example of the tool, or a harmless command.
fn calls_of_every_tool(dialect: &Agent) -> Vec<ModelTurn> {
    let shell: Option<ScriptedCall> = serde_json::from_str(dialect.headless_format().shell_call).ok();
    let command = shell.map(|call| call.input).unwrap_or_default();
    let version = default_version(dialect);
    let place = Place::default();
    let events = dialect.events(&version);
    let examples = events.iter().flat_map(|event| dialect.iter_examples(event, &place, &version));
    let input_of = |example: ExamplePayload| {
        let tool = example.body.get("tool_name")?.as_str()?.to_owned();
        Some((tool, example.body.get("tool_input")?.clone()))
    };
    let inputs: BTreeMap<String, Value> = examples.filter_map(input_of).collect();
    let own = catalogue().agent(dialect.id().as_str());
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for agent in catalogue().agents {
        names.extend(agent.tools.iter().flat_map(CatalogueTool::names));
        names.extend(agent.others.iter().map(|other| other.name));
    }
    names.extend(catalogue().rows.iter().flat_map(|row| row.spellings.iter().copied()));
    let input = |name: &str| {
        let tool = own.and_then(|own| own.tools.iter().find(|tool| tool.names().any(|known| known == name)));
        inputs.get(tool.map_or(name, |tool| tool.id)).unwrap_or(&command).clone()
    };
    let calls: Vec<ScriptedCall> = names.into_iter().map(|name| ScriptedCall::new(name, input(name))).collect();
    calls.chunks(CALLS_A_TURN).map(|calls| ModelTurn::Calls(calls.to_vec())).collect()
}

/// The quoted words of a TypeScript declaration that look like names of events: `"PreToolUse"`.
pub fn declared_names(text: &str) -> BTreeSet<String> {
    let humps = |word: &str| word.chars().filter(char::is_ascii_uppercase).count();
    let is_name = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.len() <= LONGEST_NAME
            && word.chars().all(|letter| letter.is_ascii_alphabetic())
            && (2..=MOST_HUMPS).contains(&humps(word))
    };
    text.split(['"', '\'']).filter(is_name).map(str::to_owned).collect()
}

/// The JSON object behind a text, in whatever text of a conversation.
fn document_after(value: &Value, text: &str) -> Option<Map<String, Value>> {
    match value {
        Value::String(told) => {
            let (_, rest) = told.split_once(text)?;
            serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
        }
        Value::Array(items) => items.iter().find_map(|item| document_after(item, text)),
        Value::Object(map) => map.values().find_map(|value| document_after(value, text)),
        _ => None,
    }
}

/// The keys of answers, by event.
fn answer_keys(document: &Map<String, Value>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in document {
        let own = value.as_object().filter(|_| key == "hookSpecificOutput");
        if own.is_none() {
            all.entry(EVERY_EVENT.to_owned()).or_default().insert(key.clone());
        }
        for (events, keys) in own.into_iter().flatten() {
            let mut found = BTreeSet::new();
            collect_answer_keys("", keys, &mut found);
            found.remove("hookEventName");
            for event in events.trim_start_matches("for ").split(" / ") {
                all.entry(event.to_owned()).or_default().extend(found.iter().cloned());
            }
        }
    }
    all
}

/// The keys in a description of answers, joined by dots. A name with a blank is a case, not a key: `to allow`.
fn collect_answer_keys(path: &str, value: &Value, all: &mut BTreeSet<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = match (key.contains(' '), path) {
            (true, _) => path.to_owned(),
            (false, "") => key.clone(),
            (false, _) => format!("{path}.{key}"),
        };
        match inner {
            Value::Object(_) => collect_answer_keys(&path, inner, all),
            _ => drop(all.insert(path)),
        }
    }
}

/// The number of characters in the long runs of one character.
fn length_of_runs(text: &str, filler: char) -> usize {
    let runs = text.split(|character| character != filler).map(str::len);
    runs.filter(|length| *length >= SHORTEST_RUN).sum()
}

/// The names between two texts.
fn between(text: &str, before: &str, after: &str) -> BTreeSet<String> {
    let name = |(at, _): (usize, &str)| {
        let rest = text.get(at + before.len()..)?;
        let name = rest.get(..rest.find(after)?)?;
        (!name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.'))
        .then(|| name.to_owned())
    };
    text.match_indices(before).filter_map(name).collect()
}

fn fill(value: &Value, events: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) if text == CANDIDATES => Value::Object(events.clone()),
        Value::String(text) => Value::String(fill_text(text)),
        Value::Array(items) => items.iter().map(|item| fill(item, events)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), fill(value, events))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Puts a long text in place of `{{long:x}}`.
fn fill_text(text: &str) -> String {
    let Some((before, rest)) = text.split_once(LONG) else { return text.to_owned() };
    match rest.split_once("}}") {
        Some((filler, after)) => format!("{before}{}{}", filler.repeat(LONG_TEXT), fill_text(after)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn declarations_name_candidates() {
        let text = r#"export type Event = 'PreToolUse' | "PreSkillShellCommand" | 'lower' | 'Stop' | 'Not A Name';"#;
        let names: Vec<String> = declared_names(text).into_iter().collect();
        assert_eq!(names, ["PreSkillShellCommand", "PreToolUse"]);
    }

    #[test]
    fn the_events_are_the_candidates_that_are_not_called_unknown() {
        let reads = SurveyReading::UnknownEvents { before: "hooks.".to_owned(), after: ": unknown".to_owned() };
        let probe = serde_json::from_value(json!({ "id": "survey.events", "says": "s" })).unwrap();
        let survey = Survey { probe, reads };
        let declared = BTreeSet::from(["PreFuture".to_owned()]);
        let candidates = candidate_events().into_iter().filter(|name| name != "Stop");
        let lines: Vec<String> = candidates.map(|name| format!("hooks.{name}: unknown")).collect();
        let unknown = lines.join("\n");
        let evidence = SurveyEvidence { printed: &unknown, file: None, requests: &[], runs: &[], declared: &declared };
        let tables = survey.read(&evidence).unwrap();
        assert_eq!(tables.events.into_iter().collect::<Vec<_>>(), ["PreFuture", "Stop"]);
        // A cut output proves nothing.
        let cut = unknown.get(..unknown.len() / 2).unwrap();
        for printed in ["", cut] {
            assert!(survey.read(&SurveyEvidence { printed, ..evidence }).is_err());
        }
    }

    #[test]
    fn the_events_are_the_candidates_that_the_log_does_not_name() {
        let reads = SurveyReading::UnknownEventsInLog { below: "logs".to_owned(), line: "unknown event".to_owned() };
        let probe = serde_json::from_value(json!({ "id": "survey.events", "says": "s" })).unwrap();
        let survey = Survey { probe, reads };
        let declared = BTreeSet::from(["PreFuture".to_owned()]);
        let names: Vec<String> = candidate_events().into_iter().filter(|name| name != "Stop").collect();
        for log in [
            format!(
                "1 [DEBUG] other: Stop, PreFuture\n2 [DEBUG] unknown event(s) in /p/a.json: {}\n",
                names.join(", ")
            ),
            format!("WARN unknown event keys | {}\n", json!({ "keys": names, "tags": { "a": "b" } })),
        ] {
            let evidence =
                SurveyEvidence { printed: "", file: Some(&log), requests: &[], runs: &[], declared: &declared };
            let tables = survey.read(&evidence).unwrap();
            assert_eq!(tables.events.into_iter().collect::<Vec<_>>(), ["PreFuture", "Stop"]);
            assert!(survey.read(&SurveyEvidence { file: Some("nothing"), ..evidence }).is_err());
        }
    }

    #[test]
    fn calls_are_named_by_their_ids_in_every_interface() {
        let mut calls = BTreeMap::new();
        let conversation = json!([
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1", "name": "Task", "input": {} }] },
            { "tool_calls": [{ "id": "call_2", "function": { "name": "shell", "arguments": "{}" } }] },
            { "type": "function_call", "id": "fc_3", "call_id": "call_3", "name": "exec" },
        ]);
        collect_calls(&conversation, &mut calls);
        let rows: Vec<String> = calls.iter().map(|(id, name)| format!("{id} {name}")).collect();
        assert_eq!(rows, ["call_2 shell", "call_3 exec", "toolu_1 Task"]);
    }

    #[test]
    fn the_keys_of_answers_are_those_that_the_program_names() {
        let told = json!([{ "content": [{ "text": r#"it failed. Expected schema:
            {"reason": "string", "hookSpecificOutput": {
                "for PreToolUse": {"hookEventName": "x", "permissionDecision": "allow"},
                "for PermissionRequest": {"decision": {"to allow": {"behavior": "a"}, "to deny": {"message": "m"}}},
                "for Stop / SubagentStop": {"additionalContext": "c"}}} and more"# }] }]);
        let found = answer_keys(&document_after(&told, "Expected schema:").unwrap());
        let rows: Vec<String> = found
            .iter()
            .map(|(event, keys)| format!("{event}: {}", keys.iter().cloned().collect::<Vec<_>>().join(" ")))
            .collect();
        let expected = [
            "PermissionRequest: decision.behavior decision.message",
            "PreToolUse: permissionDecision",
            "Stop: additionalContext",
            "SubagentStop: additionalContext",
            "every event: reason",
        ];
        assert_eq!(rows, expected);
        assert_eq!(document_after(&told, "Another text:"), None);
    }

    #[test]
    fn a_long_text_is_as_long_as_the_survey_says() {
        let text = fill_text("a{{long:x}}b{{long:y}}");
        assert_eq!(
            (text.len(), length_of_runs(&text, 'y'), length_of_runs("yyy", 'y')),
            (2 + 2 * LONG_TEXT, LONG_TEXT, 0)
        );
    }
}
