//! Surveys: sessions and commands that ask an agent's program for a whole table at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::hook_log::NotedRun;
use super::probe::Probe;
use super::program_tables::ProgramTables;
use crate::model_interface::{ModelRequest, ModelTurn, ScriptedCall};
use crate::port::mapping;
use hookbench_base::catalogue::{CatalogueTool, catalogue};
use hookbench_base::config::Place;
use hookbench_base::dialects::{Dialect, default_version};
use hookbench_base::hook::ExamplePayload;

/// The value in a settings file that is replaced by an object with one hook for each candidate.
const EVERY_EVENT: &str = "{{events}}";
/// The beginning of a placeholder for a long text of one character: `{{long:x}}`.
const LONG: &str = "{{long:";
/// The number of characters of a long text.
const LONG_TEXT: usize = 120_000;

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
    /// A file of the program itself has the list of its events, each between these two texts.
    EventsInProgram { before: String, after: String },
    /// The model is told texts of one character each; the number that arrives is the limit. The names by character.
    Limits(BTreeMap<char, String>),
    /// The model calls one tool after the other by every name, and hooks see each under the agent's own.
    ToolNames,
}

/// What the session or the command has left.
#[derive(Debug, Clone, Copy)]
pub struct SurveyEvidence<'a> {
    /// The agent's stdout and stderr.
    pub printed: &'a str,
    /// The text of the file that [`SurveyReading::EventList`] names.
    pub file: Option<&'a str>,
    pub requests: &'a [ModelRequest],
    pub runs: &'a [NotedRun],
}

impl Survey {
    /// The probe with the placeholders of a survey filled in.
    pub fn session(&self, dialect: &dyn Dialect) -> Probe {
        let candidates = candidate_events();
        let group = json!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
        let events: Map<String, Value> = candidates.into_iter().map(|name| (name, group.clone())).collect();
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
    pub fn read(&self, evidence: &SurveyEvidence<'_>, dialect: &dyn Dialect) -> Result<ProgramTables, String> {
        let mut tables = ProgramTables::default();
        match &self.reads {
            SurveyReading::UnknownEvents { before, after } => {
                let unknown = between(evidence.printed, before, after);
                if unknown.is_empty() {
                    return Err("the program does not name the events that it does not know".to_owned());
                }
                tables.events = candidate_events().difference(&unknown).cloned().collect();
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
                    let count = told.chars().filter(|character| character == filler).count();
                    tables.limits.insert(origin.clone(), count as u64);
                }
                if tables.limits.values().all(|count| *count == 0) {
                    return Err("the model was told none of the long texts".to_owned());
                }
            }
            SurveyReading::ToolNames => {
                let text = |run: &NotedRun, key| Some(run.stdin.get(key)?.as_str()?.to_owned());
                let turns = calls_of_every_tool(dialect);
                for run in evidence.runs {
                    let call = text(run, "tool_use_id").and_then(|id| turn_of_call(&id));
                    let called = call.and_then(|turn| turns.get(turn)?.calls().first());
                    if let (Some(called), Some(seen)) = (called, text(run, "tool_name")) {
                        tables.called_tools.entry(called.tool.clone()).or_default().insert(seen);
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

/// The turn whose call has this id: its first four digits.
fn turn_of_call(id: &str) -> Option<usize> {
    let digits: String = id.chars().skip_while(|text| !text.is_ascii_digit()).take(4).collect();
    digits.parse().ok()
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
        let events = dialect.events(&default_version(*dialect));
        all.extend(events.into_iter().map(|event| event.name.to_owned()));
    }
    all.extend(combined_names());
    all
}

/// The beginnings and the words of names that agents may give new events.
const BEGINNINGS: [&str; 7] = ["Pre", "Post", "Before", "After", "On", "User", "Session"];
const SUBJECTS: [&str; 24] = [
    "Tool",
    "Model",
    "Prompt",
    "Skill",
    "Agent",
    "Subagent",
    "Task",
    "Plan",
    "File",
    "Edit",
    "Message",
    "Response",
    "Request",
    "Session",
    "Turn",
    "Permission",
    "Compact",
    "Memory",
    "Plugin",
    "Command",
    "Shell",
    "Todo",
    "Context",
    "Workflow",
];
const ENDS: [&str; 9] = ["", "Use", "Start", "End", "Request", "Failure", "Changed", "Created", "Command"];

fn combined_names() -> impl Iterator<Item = String> {
    let beginnings = std::iter::once("").chain(BEGINNINGS);
    beginnings.flat_map(|beginning| {
        SUBJECTS.iter().flat_map(move |subject| ENDS.iter().map(move |end| format!("{beginning}{subject}{end}")))
    })
}

/// One turn for each name of a tool in any agent. The inputs are those of an example of the tool, or a harmless command.
fn calls_of_every_tool(dialect: &dyn Dialect) -> Vec<ModelTurn> {
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
    names.into_iter().map(|name| ModelTurn::Call(ScriptedCall::new(name, input(name)))).collect()
}

/// `preToolUse` as `PreToolUse`.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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
        Value::String(text) if text == EVERY_EVENT => Value::Object(events.clone()),
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
