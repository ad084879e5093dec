//! Rows that hold a whole session: the files, the turns of the model, what each hook did, which hooks ran, the files that
//! commands made, and what each request to the model had that the one before it lacked.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::InputRequest;
use hookbench::core::config::{AgentArguments, Files, LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::verification::EventTrigger;
use hookbench::core::dialects::{self, Agent, find_event};
use hookbench::core::port::mapping;
use hookbench::core::run::{Exit, Launch, RunReport, RunRequest};
use serde_json::{Map, Value, json};

use crate::settled_event::{scene_of, settle};

const WORK: &str = "/w";
/// Programs that the recorder's machine lacked.
const MISSING_PROGRAMS: [&str; 3] = ["bun", "pwsh", "-S"];

/// The differences between a row and its session here.
pub(crate) fn differences(agent: &'static Agent, row: &Value) -> Vec<String> {
    let mut session = Session::new(agent, row);
    session.play(&row["case"]["turns"]);
    let mut wrong = Vec::new();
    let mut compare = |what: &str, seen: String, here: String| {
        if seen != here {
            wrong.push(format!("{what}\n  seen {seen}\n  here {here}"));
        }
    };
    let seen: Vec<&str> = row["fired"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    compare("the hooks that ran", format!("{seen:?}"), format!("{:?}", session.fired));
    let made: BTreeSet<&str> = row["ran"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let known: Vec<&str> = session.commands.iter().filter_map(|command| touched(command)).collect();
    let seen: BTreeSet<&str> = known.iter().copied().filter(|name| made.contains(name)).collect();
    let here: BTreeSet<&str> = session.ran.iter().filter_map(|command| touched(command)).collect();
    // The recorder lists only the files of the repository's root.
    if row["case"]["cwd"].as_str().is_none_or(|directory| directory == "@REPO@") {
        compare("the commands that ran", format!("{seen:?}"), format!("{here:?}"));
    }
    let requests = row["told"].as_array().unwrap();
    // A subagent has its own requests, and a failed one is sent again.
    if !row["case"]["threads"].is_null() || session.has_failed {
        return wrong;
    }
    compare("the requests to the model", requests.len().to_string(), session.requests.len().to_string());
    for (request, contexts) in requests.iter().zip(&session.requests).skip(1) {
        let texts = request.as_array().unwrap().iter().filter(|text| text["role"] == "user");
        let texts: Vec<&str> = texts.map(|text| text["text"].as_str().unwrap()).collect();
        // The recorder cuts long texts.
        let start = |own: &String| own.chars().take(200).collect::<String>();
        let pairs = || texts.iter().zip(contexts);
        let is_same = texts.len() == contexts.len() && pairs().all(|(text, own)| text.contains(&start(own)));
        if !is_same {
            compare("the model is told", format!("{texts:?}"), format!("{contexts:?}"));
        }
    }
    wrong
}

/// The file that a command makes.
fn touched(command: &str) -> Option<&str> {
    command.strip_prefix("touch ")?.split([';', ' ']).next()
}

struct Session<'a> {
    agent: &'static Agent,
    case: &'a Value,
    place: Arc<Place>,
    loaded: Arc<LoadedConfig>,
    files: MemoryFiles,
    fired: Vec<String>,
    /// The commands of the model and of the hooks.
    commands: Vec<String>,
    ran: Vec<String>,
    /// The texts of hooks in each request to the model.
    requests: Vec<Vec<String>>,
    has_failed: bool,
    is_aborted: bool,
}

impl<'a> Session<'a> {
    fn new(agent: &'static Agent, row: &'a Value) -> Session<'a> {
        let case = &row["case"];
        let fill = |text: &str| {
            let text = text.replace("@REPO@", &format!("{WORK}/repo")).replace("@HOME@", &format!("{WORK}/home"));
            text.replace("@WORK@", WORK)
        };
        let mut files = MemoryFiles::default();
        if case["git"] != false {
            files.put(format!("{WORK}/repo/.git/HEAD"), "ref: refs/heads/main");
        }
        for (path, content) in case["files"].as_object().into_iter().flatten() {
            // A text, a text with the mode of the file, or JSON.
            let text = content.as_str().or_else(|| content.get(1)?.as_str().and(content.get(0)?.as_str()));
            files.put(fill(path), fill(&text.map_or_else(|| content.to_string(), str::to_owned)));
        }
        let env = case["env"].as_object().into_iter().flatten();
        let words =
            case["args"].as_array().map(|words| words.iter().map(|word| fill(word.as_str().unwrap())).collect());
        let place = Place {
            project: fill(case["cwd"].as_str().unwrap_or("@REPO@")),
            home: format!("{WORK}/home"),
            home_given: true,
            env: env.map(|(name, value)| (name.clone(), fill(value.as_str().unwrap()))).collect(),
            assumes_trust: true,
            arguments: words.map(|words| AgentArguments { agent: agent.id(), words }),
            ..Place::default()
        };
        let loaded = agent.load(&place, &files, &dialects::default_version(agent));
        let [fired, commands, ran] = [const { Vec::new() }; 3];
        let (requests, has_failed, is_aborted) = (Vec::new(), false, false);
        Session {
            agent,
            case,
            place: Arc::new(place),
            loaded,
            files,
            fired,
            commands,
            ran,
            requests,
            has_failed,
            is_aborted,
        }
    }

    /// Plays one run of the agent, or of a subagent.
    fn play(&mut self, turns: &Value) {
        let turns: Vec<Value> = turns.as_array().unwrap().iter().flat_map(calls_of).collect();
        self.fire_canonical("session_start", &json!({}));
        self.fire_canonical("user_prompt_submit", &json!({"prompt": "please go on"}));
        self.requests.push(Vec::new());
        for turn in &turns {
            let mut texts = Vec::new();
            for entry in turn.as_array().unwrap() {
                if entry.get("status").is_some() {
                    self.has_failed = true;
                    self.fire_canonical("stop_failure", &json!({}));
                    return;
                }
                self.play_call(entry, &mut texts);
                if self.is_aborted {
                    self.fire_canonical("session_end", &json!({}));
                    return;
                }
            }
            self.requests.push(texts);
        }
        self.fire_canonical("stop", &json!({}));
    }

    fn play_call(&mut self, entry: &Value, texts: &mut Vec<String>) {
        let version = dialects::default_version(self.agent);
        let before = native(self.agent, "pre_tool_use").unwrap();
        let spec = find_event(self.agent, &version, before).unwrap();
        let example = self.agent.examples(spec, &self.place, &version).remove(0).body;
        let (tool, input) = match (entry["sh"].as_str(), entry["call"].as_str()) {
            (Some(command), _) => (example["tool_name"].clone(), shell_input(&example["tool_input"], command)),
            (None, Some(tool)) => (Value::from(tool), entry["args"].clone()),
            _ => return,
        };
        self.commands.extend(command_of(&input));
        let outcome = self.fire(before, &json!({ "tool_name": tool, "tool_input": input }));
        self.is_aborted = !outcome.continues;
        texts.extend(outcome.additional_context);
        let input = outcome.updated_input.unwrap_or(input);
        if outcome.blocked || self.is_aborted {
            return;
        }
        self.commands.extend(command_of(&input));
        self.ran.extend(command_of(&input));
        if let Some(threads) = self.case["threads"].as_object()
            && let Some((_, turns)) = threads.iter().find(|(word, _)| input.to_string().contains(word.as_str()))
        {
            self.play(turns);
        }
        let after = self.fire_canonical("post_tool_use", &json!({ "tool_name": tool, "tool_input": input }));
        self.is_aborted |= after.as_ref().is_some_and(|after| !after.continues);
        texts.extend(after.and_then(|after| after.additional_context));
    }

    /// Fires an event that a session without a terminal can fire.
    fn fire_canonical(&mut self, canonical: &str, fields: &Value) -> Option<Outcome> {
        let event = native(self.agent, canonical)?;
        let why = match self.agent.verification_format().trigger(event)? {
            EventTrigger::Unreachable(why) => why,
            _ => "",
        };
        // Two of these events are fired by what the table's sessions do and the model's stand-in does not.
        let is_fired = why.is_empty() || self.has_failed || self.is_aborted;
        is_fired.then(|| self.fire(event, fields))
    }

    fn fire(&mut self, event: &str, fields: &Value) -> Outcome {
        let version = dialects::default_version(self.agent);
        let spec = find_event(self.agent, &version, event).unwrap();
        let mut body: Map<String, Value> =
            self.agent.examples(spec, &self.place, &version).remove(0).body.as_object().unwrap().clone();
        body.extend(fields.as_object().unwrap().clone());
        let request = InputRequest {
            agent: Some(self.agent.id()),
            event: Some(event.to_owned()),
            payload: Some(Value::Object(body)),
            ..InputRequest::default()
        };
        let scene = scene_of(self.agent, &self.place, &self.files, &self.loaded, &request, 0);
        settle(self.agent, scene, |run| self.run(run))
    }

    /// What a recorder does. A call with `sc=NAME;` makes it act as that one.
    fn run(&mut self, request: &RunRequest) -> RunReport {
        let Launch::Process(spec) = &request.launch else { panic!("no process: {:?}", request.launch) };
        if MISSING_PROGRAMS.contains(&spec.program.as_str()) {
            let error = "not found".to_owned();
            return RunReport::new(request.run, Exit::FailedToStart { error }, "", "");
        }
        let command = spec.args.last().unwrap();
        let script = self.files.read(command).map_or_else(|_| command.clone(), |text| String::from_utf8(text).unwrap());
        let name = script.split("@h:").nth(1).and_then(|rest| rest.split('@').next()).unwrap();
        let stdin = String::from_utf8_lossy(&spec.stdin);
        let hooks = &self.case["hooks"];
        let other = stdin.split("sc=").nth(1).and_then(|rest| rest.split(';').next());
        let other = other.filter(|other| hooks.get(*other).is_some());
        self.fired.push(other.map_or_else(|| name.to_owned(), |other| format!("{name}:{other}")));
        let act = &hooks[other.unwrap_or(name)];
        let took = Duration::from_secs_f64(act["sleep"].as_f64().unwrap_or_default());
        let stdout = match &act["stdout"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some(value) = serde_json::from_str::<Value>(stdout.trim_start_matches("HOOK_CONTROL\t")).ok().as_ref() {
            self.commands.extend(value.as_object().into_iter().flat_map(Map::values).filter_map(command_of));
        }
        let number = |value: i64| i32::try_from(value).unwrap();
        let exit = match (spec.timeout.filter(|limit| *limit <= took), act["signal"].as_i64()) {
            (Some(after), _) => Exit::TimedOut { after },
            (None, Some(signal)) => Exit::Signal(number(signal)),
            (None, None) => Exit::Code(number(act["exit"].as_i64().unwrap_or(0))),
        };
        RunReport::new(request.run, exit, stdout, act["stderr"].as_str().unwrap_or_default())
    }
}

/// The turns that an item of a script stands for, each as a list.
fn calls_of(item: &Value) -> Vec<Value> {
    match item.get("calls").and_then(Value::as_array) {
        Some(names) => names
            .iter()
            .map(|name| name.as_str().unwrap())
            .map(|name| json!([{"sh": format!("touch {name}; echo ran-{name} # sc={name};")}]))
            .collect(),
        None if item.as_array().is_some_and(|entries| entries.iter().all(|entry| entry.get("text").is_some())) => {
            Vec::new()
        }
        None => vec![item.clone()],
    }
}

/// The input of the shell like an example, with another command.
fn shell_input(example: &Value, command: &str) -> Value {
    let keys = example.as_object().unwrap().iter();
    let put = |value: &Value| if value.is_array() { json!([command]) } else { Value::from(command) };
    keys.take(1).map(|(key, value)| (key.clone(), put(value))).collect()
}

/// The command in the input of a tool.
fn command_of(input: &Value) -> Option<String> {
    let mut texts = input.as_object()?.values().map(|value| value.get(0).unwrap_or(value));
    texts.find_map(Value::as_str).map(str::to_owned)
}

fn native(agent: &Agent, canonical: &str) -> Option<&'static str> {
    let name = mapping().row(canonical)?.events.get(agent.id().as_str())?;
    Some(find_event(agent, &dialects::default_version(agent), name)?.name)
}
