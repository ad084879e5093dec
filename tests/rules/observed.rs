//! What was observed of real programs (`tests/tables/<agent>/observed.jsonl`): the settings, what each hook did, and what
//! happened. Every row is fired here, and the hooks that ran, the tool, the changed command and the texts that the model got
//! must be those that were seen. `unexplained.json` beside a table lists the rows that cannot be, each with the reason.
#![allow(clippy::disallowed_methods, reason = "reads the tables")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::InputRequest;
use hookbench::core::config::{AgentArguments, LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects::{self, Agent, find_event};
use hookbench::core::hook::Layer;
use hookbench::core::port::mapping;
use hookbench::core::run::{Exit, Launch, ProcessSpec, RunReport, RunRequest};
use serde_json::{Map, Value, json};

use crate::observed_cases;
use crate::settled_event::{scene_of, settle};

const WORK: &str = "/w";
/// The agents whose shell was seen to wait for the command. Other shells become the command.
const SHELL_WAITS: [&str; 1] = ["vibe"];
/// The agents whose hooks at the end of a turn run only if the turn has changed files.
const STOPS_AFTER_EDITS: [&str; 1] = ["hermes"];
/// More stops in a row than any agent lets hooks block.
const STOPS: u32 = 12;

#[test]
fn every_row_happens_as_it_was_observed() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let mut wrong = Vec::new();
    let mut rows = 0;
    let mut folders: Vec<PathBuf> = std::fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let Ok(table) = std::fs::read_to_string(folder.join("observed.jsonl")) else { continue };
        let unexplained = std::fs::read_to_string(folder.join("unexplained.json")).unwrap_or_else(|_| "{}".to_owned());
        let mut unexplained: BTreeMap<String, String> = serde_json::from_str(&unexplained).unwrap();
        let agent = folder.file_name().unwrap().to_str().unwrap();
        for line in table.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let dialect = dialects::by_id(agent).unwrap();
            let (id, differences) = match row["case"]["id"].as_str() {
                Some(id) => (id, observed_cases::differences(dialect, &row)),
                None => (row["id"].as_str().unwrap(), Row { agent: dialect, row: &row }.differences()),
            };
            rows += 1;
            match (differences.is_empty(), unexplained.remove(id)) {
                (true, Some(_)) => wrong.push(format!("{agent} {id}: it is explained")),
                (false, None) => wrong.extend(differences.iter().map(|one| format!("{agent} {id}: {one}"))),
                _ => {}
            }
        }
        wrong.extend(unexplained.keys().map(|id| format!("{agent}: there is no row {id}")));
    }
    assert!(rows >= 878, "{rows} rows");
    assert!(wrong.is_empty(), "{}\n{} differences\n", wrong.join("\n"), wrong.len());
}

/// The agent's name of an event that most agents have.
fn native(agent: &Agent, canonical: &str) -> Option<&'static str> {
    let name = mapping().row(canonical).unwrap().events.get(agent.id().as_str())?;
    Some(find_event(agent, &dialects::default_version(agent), name).unwrap().name)
}

/// An observation.
struct Row<'a> {
    agent: &'static Agent,
    row: &'a Value,
}

impl Row<'_> {
    fn happened(&self, key: &str) -> &Value {
        &self.row["happened"][key]
    }

    fn names(&self, key: &str) -> Vec<String> {
        self.happened(key).as_array().into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()).collect()
    }

    /// The texts that the model got, with their roles.
    fn told(&self) -> Vec<String> {
        let parts = self.happened("model_was_told").as_array().into_iter().flatten();
        let texts = parts.flat_map(|part| part.as_array().cloned().unwrap_or_else(|| vec![part.clone()]));
        texts.map(|text| text.as_str().unwrap().to_owned()).filter(|text| !text.starts_with("system: ")).collect()
    }

    /// The files of the row, or that of the words "one hook".
    fn settings(&self) -> Option<Map<String, Value>> {
        if self.row["settings"] != "one hook" {
            return self.row["settings"].as_object().cloned();
        }
        let place = Place { home: "@HOME@".to_owned(), ..Place::default() };
        let file = self.agent.settings_format().layer_settings(&place, Layer::User)?;
        let groups = json!([{"hooks": [{"type": "command", "command": "@h:h@"}]}]);
        let events = Map::from_iter([(self.row["event"].as_str()?.to_owned(), groups)]);
        Some(Map::from_iter([(file.path, Value::from(file.form.whole_file(&events)))]))
    }

    /// Whether the session runs what nobody was asked about.
    fn is_unattended(&self) -> bool {
        let given = self.row["args"].as_array();
        let needed = self.agent.verification_format().unattended_arguments;
        given.is_none_or(|given| needed.iter().all(|flag| given.iter().any(|word| word == flag)))
    }

    fn differences(&self) -> Vec<String> {
        if let Some(times) = self.happened("times_fired").as_u64() {
            let name = self.row["event"].as_str().unwrap();
            let is_known = find_event(self.agent, &dialects::default_version(self.agent), name).is_some();
            // An event that never fires may be one that the agent does not have.
            return if is_known || times == 0 { Vec::new() } else { vec![format!("there is no event {name}")] };
        }
        if let Some(fires) = self.happened("fires").as_bool() {
            return self.matcher_differences(fires);
        }
        let Some(settings) = self.settings() else { return vec!["the row has no settings".to_owned()] };
        let mut session = Session::new(self, &settings);
        if let Some(seen) = self.happened("in_the_request_to_the_model").as_str() {
            let here = session.fire(self.row["event"].as_str().unwrap(), &json!({}), 0).additional_context;
            let is_same = here.as_ref().is_some_and(|here| seen.contains(here));
            return if is_same { Vec::new() } else { vec![format!("the model gets {here:?}, not {seen}")] };
        }
        if self.happened("prompt_reached_the_model").is_boolean() {
            return self.prompt_differences(&mut session);
        }
        match self.row["id"].as_str().unwrap().strip_prefix("match/") {
            Some(event) if find_event(self.agent, &session.version, event).is_some() => {
                session.fire(event, &json!({"prompt": "please"}), 0);
            }
            _ => session.play(),
        }
        self.session_differences(&session)
    }

    /// Whether a matcher of one event fires for the shell or at the start of a session.
    fn matcher_differences(&self, fires: bool) -> Vec<String> {
        let version = dialects::default_version(self.agent);
        let named = self.row["event"].as_str().and_then(|name| find_event(self.agent, &version, name));
        let event = named
            .unwrap_or_else(|| find_event(self.agent, &version, native(self.agent, "pre_tool_use").unwrap()).unwrap());
        let body = self.agent.examples(event, &Place::default(), &version).remove(0).body;
        let subject = self.agent.subject(event, &body, &version);
        let here = self.agent.matches(event, Some(&self.row["settings"]["matcher"]), &subject, &version);
        if here == Some(fires) { Vec::new() } else { vec![format!("the hook fires: {here:?}, not {fires}")] }
    }

    fn prompt_differences(&self, session: &mut Session<'_>) -> Vec<String> {
        let event = native(self.agent, "user_prompt_submit").unwrap();
        let outcome = session.fire(event, &json!({"prompt": "go on"}), 0);
        let texts = self.told().join("\n");
        let context = outcome.additional_context.unwrap_or_default();
        let mut wrong = Vec::new();
        if self.happened("hook_ran") != !session.fired.is_empty() {
            wrong.push(format!("the hook runs: {}", !session.fired.is_empty()));
        }
        if self.happened("prompt_reached_the_model") == outcome.blocked {
            wrong.push(format!("the prompt is blocked: {}", outcome.blocked));
        }
        if self.happened("model_was_told").is_array() && !texts.contains(&context) {
            wrong.push(format!("the model gets {context}, not {texts}"));
        }
        wrong
    }

    fn session_differences(&self, session: &Session<'_>) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut compare = |what: &str, seen: String, here: String| {
            if seen != here {
                wrong.push(format!("{what}\n  seen {seen}\n  here {here}"));
            }
        };
        let sorted = |mut list: Vec<String>| {
            list.sort();
            list
        };
        if let Some(ran) = self.happened("hook_ran").as_bool() {
            compare("the hook ran", ran.to_string(), (!session.fired.is_empty()).to_string());
        } else {
            let mut seen = self.names("fired");
            seen.retain(|name| session.can_fire(name));
            // A session of several calls fires events more often than one of a single call.
            if self.row["id"].as_str().unwrap().starts_with("events/") {
                seen = seen.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
            }
            let mut here = session.fired.clone();
            if self.row["id"].as_str().unwrap().starts_with("events/") {
                here = here.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
            }
            compare("the hooks that ran", format!("{:?}", sorted(seen)), format!("{:?}", sorted(here)));
        }
        let texts = self.told();
        for call in &session.calls {
            let all = texts.join("\n");
            let has_run = |name: &str| all.contains(&format!("ran-{name}")) || all.contains(&format!("ran: {name}"));
            if let Some(ran) = self.happened("tool_ran").as_bool() {
                compare("the call ran", ran.to_string(), (call.ran.as_ref() == Some(&call.name)).to_string());
            } else if self.row["happened"]["files_made"].is_array() {
                let made = self.names("files_made");
                let ran = call.ran.as_ref().is_some_and(|name| !has_run(name) && !made.contains(name));
                compare("the call is missing", false.to_string(), ran.to_string());
                compare(
                    "a blocked call ran",
                    false.to_string(),
                    (call.ran.is_none() && has_run(&call.name)).to_string(),
                );
            }
            let changed = call.ran.iter().filter(|ran| **ran != call.name).cloned().collect::<Vec<_>>();
            if self.happened("changed_command_ran").is_array() {
                compare(
                    "the changed command",
                    format!("{:?}", self.names("changed_command_ran")),
                    format!("{changed:?}"),
                );
            }
        }
        let all = texts.join("\n");
        for text in &session.told {
            if !all.contains(text.as_str()) {
                compare("the model is told", format!("{texts:?}"), format!("{text:?}"));
            }
        }
        let here = session.told.join("\n");
        for text in self.marked_texts() {
            compare(
                &format!("the model gets {text:?}"),
                all.contains(&text).to_string(),
                here.contains(&text).to_string(),
            );
        }
        wrong
    }

    /// The texts of the hooks that cannot be in a result for another reason.
    fn marked_texts(&self) -> Vec<String> {
        fn leaves(value: &Value, out: &mut Vec<String>) {
            match value {
                Value::String(text) => match serde_json::from_str::<Value>(text) {
                    Ok(inner @ (Value::Object(_) | Value::Array(_))) => leaves(&inner, out),
                    _ => out.push(text.trim().to_owned()),
                },
                Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
                Value::Object(keys) => {
                    let texts = keys
                        .iter()
                        .filter(|(key, _)| !["sh", "hookEventName", "hook_event_name"].contains(&key.as_str()));
                    texts.for_each(|(_, value)| leaves(value, out));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        let mut out = Vec::new();
        leaves(&self.row["hook"], &mut out);
        out.retain(|text| text.contains(' ') && !text.contains('\n') || text.chars().any(char::is_uppercase));
        out.retain(|text| !text.contains("touch "));
        out
    }
}

/// A call of a session.
struct Call {
    name: String,
    /// The name of the command that ran.
    ran: Option<String>,
}

struct Session<'a> {
    row: &'a Row<'a>,
    place: Arc<Place>,
    loaded: Arc<LoadedConfig>,
    files: MemoryFiles,
    version: dialects::Version,
    /// The events that the session can fire.
    events: BTreeSet<&'static str>,
    fired: Vec<String>,
    calls: Vec<Call>,
    told: Vec<String>,
    /// How often each recorder ran that acts only some times.
    counts: BTreeMap<String, u32>,
}

impl<'a> Session<'a> {
    fn new(row: &'a Row<'a>, settings: &Map<String, Value>) -> Session<'a> {
        let fill = |text: &str| {
            let text = text.replace("@REPO@", &format!("{WORK}/repo")).replace("@HOME@", &format!("{WORK}/home"));
            text.replace("@WORK@", WORK)
        };
        let mut files = MemoryFiles::default();
        files.put(format!("{WORK}/repo/.git/HEAD"), "ref: refs/heads/main");
        for (path, content) in settings {
            let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            files.put(fill(path), fill(&text));
        }
        let words =
            |value: &Value| value.as_array().map(|list| list.iter().map(|word| fill(word.as_str().unwrap())).collect());
        let arguments: Option<Vec<String>> = words(&row.row["args"]);
        let env = row.row["env"].as_object().into_iter().flatten();
        let place = Place {
            project: fill(row.row["cwd"].as_str().unwrap_or("@REPO@")),
            home: format!("{WORK}/home"),
            home_given: true,
            env: env.map(|(name, value)| (name.clone(), fill(value.as_str().unwrap()))).collect(),
            // The recorder starts the agent so that it trusts the directory, if the row does not say otherwise.
            assumes_trust: arguments.is_none(),
            arguments: arguments.map(|words| AgentArguments { agent: row.agent.id(), words }),
            ..Place::default()
        };
        let version = dialects::default_version(row.agent);
        let loaded = row.agent.load(&place, &files, &version);
        let canonical = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop"];
        let events = canonical.iter().filter_map(|event| native(row.agent, event)).collect();
        let (fired, calls, told, counts) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        Session { row, place: Arc::new(place), loaded, files, version, events, fired, calls, told, counts }
    }

    /// Whether the recorder of this name belongs to an event that the session fires, as far as it is configured here.
    fn can_fire(&self, name: &str) -> bool {
        let runs = |command: &str| recorder(command).is_some_and(|known| known == name);
        let mut own = self.loaded.definitions.iter().filter(|definition| runs(&definition.handler.text())).peekable();
        own.peek().is_none() || own.any(|definition| self.events.contains(definition.event.as_str()))
    }

    fn play(&mut self) {
        let agent = self.row.agent;
        let has_call =
            self.row.told().iter().any(|text| text.starts_with("tool: ")) || self.row.happened("tool_ran").is_boolean();
        let files = self.row.names("files_made");
        let made = files.iter().filter(|name| name.starts_with('x')).count();
        // A file with an ending comes from a tool that writes files.
        let has_edit = files.iter().any(|name| name.contains('.'));
        let calls = if has_call { made.max(usize::from(!has_edit)) } else { 0 };
        let has_stop = has_edit || !STOPS_AFTER_EDITS.contains(&agent.id().as_str());
        let prompts = self.row.row["prompts"].as_array().map_or(1, Vec::len);
        for number in 0..prompts {
            let source = if number == 0 { "startup" } else { "resume" };
            if let Some(event) = native(agent, "session_start") {
                self.fire(event, &json!({ "source": source }), 0);
            }
            if let Some(event) = native(agent, "user_prompt_submit") {
                let outcome = self.fire(event, &json!({"prompt": "please go on"}), 0);
                self.told.extend(outcome.additional_context);
                if outcome.blocked {
                    continue;
                }
            }
            for number in 1..=calls {
                self.play_call(number);
            }
            // A turn whose call of the model fails does not end.
            let fails = self.row.row["id"].as_str().unwrap().starts_with("events/api-error");
            let stop = native(agent, "stop").unwrap();
            for stops in (0..STOPS).filter(|_| !fails && has_stop) {
                let outcome = self.fire(stop, &json!({}), stops);
                if !outcome.blocked {
                    break;
                }
                self.told.extend(outcome.reason);
            }
        }
    }

    /// A call of the shell, which prints and makes a file with its name.
    fn play_call(&mut self, number: usize) {
        let agent = self.row.agent;
        let named = self.row.happened("tool_ran").is_boolean();
        let name = if named {
            self.row.row["id"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
        } else {
            format!("x{number}")
        };
        let mut call = Call { name: name.clone(), ran: None };
        let pre = native(agent, "pre_tool_use").unwrap();
        let spec = find_event(agent, &self.version, pre).unwrap();
        let example = agent.examples(spec, &self.place, &self.version).remove(0).body;
        let mut input = example["tool_input"].clone();
        input["command"] = json!(format!("touch {name}; echo ran-{name} # sc={name};"));
        let first = self.fired.len();
        let before = self.fire(pre, &json!({"tool_name": example["tool_name"], "tool_input": input}), 0);
        if before.extra.contains_key("hooks_run_again") {
            self.fired.extend_from_within(first..);
        }
        if before.blocked {
            let told = before.extra.get("told").and_then(Value::as_str).map(str::to_owned);
            self.told.extend(told.or(before.reason));
        } else if self.row.is_unattended() || before.verdict == Verdict::Allow {
            let input = before.updated_input.unwrap_or(input);
            let (_, rest) = input["command"].as_str().unwrap().split_once("touch ").unwrap();
            let ran = rest.split([';', ' ']).next().unwrap().to_owned();
            let after = native(agent, "post_tool_use").unwrap();
            let after = self.fire(after, &json!({"tool_name": example["tool_name"], "tool_input": input}), 0);
            self.told.extend(after.reason.into_iter().chain(after.additional_context));
            call.ran = Some(ran);
        }
        self.calls.push(call);
    }

    fn fire(&mut self, event: &str, fields: &Value, stops: u32) -> Outcome {
        let agent = self.row.agent;
        let spec = find_event(agent, &self.version, event).unwrap();
        let mut body = agent.examples(spec, &self.place, &self.version).remove(0).body;
        for (key, value) in fields.as_object().unwrap() {
            let is_parts = body[key].is_array();
            body[key] = if is_parts { json!([{"type": "text", "text": value}]) } else { value.clone() };
        }
        let body: Map<String, Value> = body.as_object().unwrap().clone();
        let request = InputRequest {
            agent: Some(agent.id()),
            event: Some(event.to_owned()),
            payload: Some(Value::Object(body)),
            ..InputRequest::default()
        };
        let scene = scene_of(agent, &self.place, &self.files, &self.loaded, &request, stops);
        settle(agent, scene, |run| self.run(run))
    }

    /// What a hook of the table does.
    fn run(&mut self, request: &RunRequest) -> RunReport {
        let ends = |exit, stdout: String, stderr: &str| RunReport::new(request.run, exit, stdout, stderr);
        // Only the program itself asks its model or sends a request.
        let Launch::Process(spec) = &request.launch else { return ends(Exit::Unanswered, String::new(), "") };
        let words = || std::iter::once(&spec.program).chain(&spec.args).cloned().collect::<Vec<_>>().join(" ");
        let of_shell = spec.args.last().filter(|_| spec.args.first().is_some_and(|flag| flag == "-c"));
        let command = &of_shell.cloned().unwrap_or_else(words);
        let Some(name) = recorder(command) else {
            let (code, stdout, stderr) = self.known_command(command, spec);
            return ends(Exit::Code(code), stdout, &stderr);
        };
        if let Some(after) = spec.timeout.filter(|limit| *limit < Duration::from_millis(20)) {
            // A recorder that is killed at once leaves no record.
            return ends(Exit::TimedOut { after }, String::new(), "");
        }
        self.fired.push(name.to_owned());
        let acts = &self.row.row["hook"];
        let is_only = self.row.row["happened"]["hook_ran"].is_boolean() || self.row.row["settings"] == "one hook";
        let act = if is_only { acts } else { &acts[name] };
        let count = self.counts.entry(name.to_owned()).or_default();
        *count += 1;
        let most = command.split_once("times.sh ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        if most.is_some_and(|most: u32| *count > most) {
            return ends(Exit::Code(0), String::new(), "");
        }
        let script = act["sh"].as_str().unwrap_or_default().trim_start_matches("sleep ");
        let slept = script.split(';').next().and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
        let took = Duration::from_secs_f64(act["sleep"].as_f64().unwrap_or(slept));
        let stdout = match &act["stdout"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => as_python_writes(other),
        };
        let exit = match (spec.timeout.filter(|limit| *limit <= took), act["signal"].as_i64()) {
            (Some(after), _) => Exit::TimedOut { after },
            // The signal ends the recorder, and the shell that waits for it says so.
            (None, Some(signal)) if SHELL_WAITS.contains(&self.row.agent.id().as_str()) => {
                let says = if signal == 9 { "Killed" } else { "Terminated" };
                return ends(Exit::Code(128 + i32::try_from(signal).unwrap()), stdout, says);
            }
            (None, Some(signal)) => Exit::Signal(i32::try_from(signal).unwrap()),
            (None, None) => Exit::Code(i32::try_from(act["exit"].as_i64().unwrap_or(0)).unwrap()),
        };
        ends(exit, stdout, act["stderr"].as_str().unwrap_or_default())
    }

    /// What the other commands of the tables do.
    fn known_command(&self, command: &str, spec: &ProcessSpec) -> (i32, String, String) {
        let printed = |text: &str| (0, text.to_owned(), String::new());
        match command {
            _ if spec.program == "echo" => printed(&spec.args.join(" ")),
            "python3 $HOME/../hook.py envvar" => (2, String::new(), "can't open file".to_owned()),
            "/no/such/prog" => (127, String::new(), "not found".to_owned()),
            "python3" => (1, String::new(), "NameError".to_owned()),
            "" => printed(""),
            // The second line comes from a child that outlives the shell.
            _ if command.starts_with("(sleep 6; echo late) & echo '") => {
                let answer = command.split('\'').nth(1).unwrap();
                printed(&format!("{answer}\nlate\n"))
            }
            _ if command.contains("'additional_context':'A'*200000") => {
                printed(&json!({"hook_specific_output": {"additional_context": "A".repeat(200_000)}}).to_string())
            }
            _ if command.ends_with(">&2; exit 2") => {
                let value = |name: &str| match name {
                    "0" => spec.program.clone(),
                    "SHELL" => self.place.var("SHELL").unwrap_or("/bin/bash").to_owned(),
                    "PWD" => spec.cwd.clone(),
                    _ => spec.env.value(name).unwrap_or_default().to_owned(),
                };
                let words = command.split('"').nth(1).unwrap().replace("$(env | grep -ci kimi)", "2");
                let word = |word: &str| word.strip_prefix('$').map_or_else(|| word.to_owned(), value);
                let words: Vec<String> = words.split('|').map(word).collect();
                let text = format!("{}\n", words.join("|")).replace(&format!("{WORK}/repo"), "@REPO@");
                let text = text.replace(&self.place.home, "@HOME@");
                (2, String::new(), text.replace(WORK, "@WORK@"))
            }
            _ if command.ends_with("; exit 2") => (2, "printed".to_owned(), String::new()),
            _ => panic!("what does {command} do?"),
        }
    }
}

/// The name of the recorder that a command starts.
fn recorder(command: &str) -> Option<&str> {
    let named = command.split_once("@h:").and_then(|(_, rest)| rest.split('@').next());
    named.or_else(|| command.split_once("times.sh ")?.1.split(' ').next())
}

/// JSON with a blank after each comma and colon.
fn as_python_writes(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(as_python_writes).collect::<Vec<_>>().join(", ")),
        Value::Object(keys) => {
            let members =
                keys.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), as_python_writes(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
