//! Whole sessions of Droid 0.225.2 (`tests/tables/droid/sessions.jsonl`): the settings, what each hook answers, and what the
//! model was scripted to do. The session is fired event by event; the hooks that start, the calls that run and the messages
//! that the model gets must be those that were seen.
#![allow(clippy::disallowed_methods, reason = "reads the table")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::InputRequest;
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::{self, Agent};
use hookbench::core::run::{Exit, Launch, RunReport, RunRequest};
use serde_json::{Map, Value, json};

use crate::settled_event::{scene_of, settle};

const REPO: &str = "/hb/repo";
const HOME: &str = "/hb/home";
/// The stops of a session that ended at the time limit of the recording.
const STOPS: u32 = 5;

#[test]
fn every_session_goes_as_it_went() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/droid/sessions.jsonl");
    let rows: Vec<Value> =
        std::fs::read_to_string(table).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 70, "{} sessions", rows.len());
    let wrong: Vec<String> = rows.iter().flat_map(compare).collect();
    assert!(wrong.is_empty(), "{}\n{} differences\n", wrong.join("\n"), wrong.len());
}

/// The differences between a session that was seen and the same session here.
fn compare(row: &Value) -> Vec<String> {
    let case = &row["case"];
    let id = case["id"].as_str().unwrap();
    let names = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let never_ends = row["rc"] == json!(["timeout"]);
    let mut session = Session::new(case);
    session.play();
    assert_eq!(session.stops == STOPS, never_ends, "{id}: the session ends by itself");
    // The hooks of an event start together, so their order varies.
    let sorted = |mut list: Vec<String>| {
        list.sort();
        if never_ends {
            list.dedup();
        }
        list
    };
    let messages = row["told"].as_array().unwrap().iter().flat_map(|part| part.as_array().unwrap());
    let told: Vec<String> = messages.map(|message| fill(message["text"].as_str().unwrap())).collect();
    // The table has the beginnings of long texts, and a message that the model got before only once.
    let mut had = BTreeSet::new();
    let here = session.told.iter().filter(|(role, text)| *role == "tool" || had.insert(text.clone()));
    let here: Vec<String> = here.map(|(_, text)| text.chars().take(longest(&told)).collect()).collect();
    let ran: BTreeSet<String> = names(&row["ran"]).into_iter().collect();
    // The table has the files of the repository's root.
    let ran_here = if case["cwd"].is_string() { ran.clone() } else { session.ran };
    let parts = [
        ("the hooks that ran", format!("{:?}", sorted(names(&row["fired"]))), format!("{:?}", sorted(session.fired))),
        ("the calls that ran", format!("{ran:?}"), format!("{ran_here:?}")),
        ("the messages", format!("{told:?}"), format!("{here:?}")),
    ];
    parts
        .into_iter()
        .filter(|(_, seen, here)| seen != here)
        .map(|(what, seen, here)| format!("{id}: {what}\n  seen {seen}\n  here {here}"))
        .collect()
}

/// The length at which the table cuts a text off.
fn longest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Replaces the placeholders of the table.
fn fill(text: &str) -> String {
    text.replace("@REPO@", REPO).replace("@HOME@", HOME).replace("@WORK@", "/hb")
}

struct Session<'a> {
    case: &'a Value,
    dialect: &'static Agent,
    place: Arc<Place>,
    loaded: Arc<LoadedConfig>,
    files: MemoryFiles,
    stops: u32,
    fired: Vec<String>,
    ran: BTreeSet<String>,
    /// The messages that the model gets, with their roles.
    told: Vec<(&'static str, String)>,
}

impl<'a> Session<'a> {
    fn new(case: &'a Value) -> Session<'a> {
        let dialect = dialects::by_id("droid").unwrap();
        let mut files = MemoryFiles::default();
        files.put(format!("{REPO}/.there"), "");
        if case["git"] != json!(false) {
            files.put(format!("{REPO}/.git/HEAD"), "ref: refs/heads/main");
        }
        for (path, content) in case["files"].as_object().unwrap() {
            let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            files.put(fill(path), fill(&text));
        }
        let place = Place {
            project: case["cwd"].as_str().map_or_else(|| REPO.to_owned(), fill),
            home: HOME.to_owned(),
            home_given: true,
            ..Place::default()
        };
        let loaded = dialect.load(&place, &files, &dialects::default_version(dialect));
        let (fired, ran, told) = (Vec::new(), BTreeSet::new(), Vec::new());
        Session { case, dialect, place: Arc::new(place), loaded, files, stops: 0, fired, ran, told }
    }

    /// `droid exec` fires nothing for the prompt.
    fn play(&mut self) {
        let start = self.fire("SessionStart", json!({"source": "startup"}));
        self.tell("user", start.additional_context);
        self.tell("user", Some("please go on".to_owned()));
        if self.turns() {
            self.fire("SessionEnd", json!({"reason": "other"}));
        }
    }

    /// The turns of the model. Returns whether the session ends regularly.
    fn turns(&mut self) -> bool {
        for turn in self.case["turns"].as_array().unwrap() {
            let calls: Vec<(String, Value)> = match turn["calls"].as_array() {
                Some(names) => names.iter().map(|name| shell_call(name.as_str().unwrap())).collect(),
                None => {
                    let parts = turn.as_array().unwrap().iter().filter(|part| part["call"].is_string());
                    parts.map(|part| (part["call"].as_str().unwrap().to_owned(), part["args"].clone())).collect()
                }
            };
            for (tool, input) in calls {
                if !self.call(&tool, &input) {
                    return false;
                }
            }
        }
        while self.stops < STOPS {
            let outcome = self.fire("Stop", json!({"stop_hook_active": self.stops > 0}));
            if !outcome.blocked {
                return outcome.continues;
            }
            self.stops += 1;
            self.tell("user", outcome.reason);
        }
        false
    }

    /// A call of a tool. Returns whether the session goes on.
    fn call(&mut self, tool: &str, input: &Value) -> bool {
        let before = self.fire("PreToolUse", json!({"tool_name": tool, "tool_input": input}));
        if !before.continues {
            return false;
        }
        if before.blocked {
            self.tell("tool", told(&before));
            return true;
        }
        let input = before.updated_input.as_ref().unwrap_or(input);
        // What these calls give without hooks.
        let error = match tool {
            "Create" => {
                "Error: Tool Create is not permitted in this exec session. Available tools: Read, LS, Execute, Grep, \
                 Glob, WebSearch, FetchUrl, StageSettingsChanges, ToolSearch, Skill, and ConnectorSearch."
            }
            "Task" => "Error: Error running task subagent: Could not reach the daemon. It may still be starting.",
            _ => "",
        };
        if !error.is_empty() {
            self.tell("tool", Some(error.to_owned()));
            return true;
        }
        let (_, name) = input["command"].as_str().unwrap().split_once("touch ").unwrap();
        let name = name.split(';').next().unwrap().to_owned();
        let response = format!("ran-{name}\n\n\n[Process exited with code 0]");
        self.ran.insert(name);
        let body = json!({"tool_name": tool, "tool_input": input, "tool_response": response});
        let after = self.fire("PostToolUse", body);
        if !after.continues {
            return false;
        }
        let prefix = before.extra.get("output_prefix").and_then(Value::as_str).unwrap_or_default();
        self.tell("tool", Some(format!("{prefix}{response}")));
        self.tell("user", told(&after));
        self.tell("user", after.additional_context);
        true
    }

    fn tell(&mut self, role: &'static str, text: Option<String>) {
        self.told.extend(text.map(|text| (role, text)));
    }

    fn fire(&mut self, event: &str, fields: Value) -> Outcome {
        let mut body = Map::from_iter([
            ("session_id".to_owned(), json!("00000000-0000-4000-8000-000000000001")),
            ("cwd".to_owned(), json!(self.place.project)),
            ("hook_event_name".to_owned(), json!(event)),
        ]);
        let Value::Object(fields) = fields else { panic!("fields are an object: {fields}") };
        body.extend(fields);
        let request = InputRequest {
            agent: Some(self.dialect.id()),
            payload: Some(Value::Object(body)),
            ..InputRequest::default()
        };
        let scene = scene_of(self.dialect, &self.place, &self.files, &self.loaded, &request, self.stops);
        settle(self.dialect, scene, |run| self.run(run))
    }

    /// What a hook of the table does.
    fn run(&mut self, request: &RunRequest) -> RunReport {
        let ends = |exit, stdout: String, stderr: &str| RunReport::new(request.run, exit, stdout, stderr);
        let Launch::Process(spec) = &request.launch else { panic!("{:?}", request.launch) };
        let words = std::iter::once(&spec.program).chain(&spec.args).cloned().collect::<Vec<_>>().join(" ");
        let stdin = String::from_utf8(spec.stdin.to_vec()).unwrap();
        let Some((_, name)) = words.split_once("@h:") else {
            let stdout = match () {
                () if words.contains("sleep 3 &") => "{}\n".to_owned(),
                () if words.contains("\"x\"*200000") => json!({"hookSpecificOutput": {"hookEventName": "PostToolUse",
                    "additionalContext": format!("{}END", "x".repeat(200_000))}})
                .to_string(),
                // Python evaluates the payload, and prints nothing; an empty command does nothing.
                () if words.ends_with("python3") || words.ends_with("-c ") => String::new(),
                () => panic!("what does {words} do?"),
            };
            return ends(Exit::Code(0), stdout, "");
        };
        let name = name.split('@').next().unwrap().to_owned();
        // It is killed before it can note that it ran.
        if spec.timeout == Some(Duration::ZERO) {
            return ends(Exit::TimedOut { after: Duration::ZERO }, String::new(), "");
        }
        let marked = stdin.split_once("sc=").and_then(|(_, rest)| Some(rest.split_once(';')?.0));
        let known = |name: &&str| self.case["hooks"].get(name).is_some();
        let act = marked.filter(known).unwrap_or(&name).to_owned();
        self.fired.push(if act == name { name } else { format!("{name}:{act}") });
        let does = &self.case["hooks"][act.as_str()];
        if let (Some(sleep), Some(limit)) = (does["sleep"].as_f64(), spec.timeout)
            && sleep >= limit.as_secs_f64()
        {
            return ends(Exit::TimedOut { after: limit }, String::new(), "");
        }
        let stdout = match &does["stdout"] {
            Value::Null => String::new(),
            Value::String(text) => fill(text),
            other => fill(&other.to_string()),
        };
        let code = does["exit"].as_i64().map_or(0, |code| i32::try_from(code).unwrap());
        let exit =
            does["signal"].as_i64().map_or(Exit::Code(code), |signal| Exit::Signal(i32::try_from(signal).unwrap()));
        ends(exit, stdout, does["stderr"].as_str().unwrap_or(""))
    }
}

/// The text that the agent writes around a reason.
fn told(outcome: &Outcome) -> Option<String> {
    outcome.extra.get("told").and_then(Value::as_str).map(str::to_owned)
}

/// A shell call that leaves a file of this name, and that has the name for the hook to read.
fn shell_call(name: &str) -> (String, Value) {
    let command = format!("touch {name}; echo ran-{name} # sc={name};");
    ("Execute".to_owned(), json!({"command": command, "riskLevelReason": "x", "riskLevel": "low"}))
}
