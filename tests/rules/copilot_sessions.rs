//! Whole sessions of Copilot CLI 1.0.102 (`tests/tables/copilot/sessions.jsonl`): the settings, what each hook answers, and what
//! the model was scripted to do. The session is fired event by event; the hooks that start, the calls that run and the texts that
//! the model gets must be those that were seen.
#![allow(clippy::disallowed_methods, reason = "reads the table")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::InputRequest;
use hookbench::core::config::{Files as _, LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects::{self, Agent};
use hookbench::core::run::{Exit, Launch, RunReport, RunRequest};
use serde_json::{Map, Value, json};

use crate::settled_event::{scene_of, settle};

const REPO: &str = "/hb/repo";
const HOME: &str = "/hb/home";
const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const CHILD: &str = "00000000-0000-4000-8000-000000000002";

#[test]
fn every_session_goes_as_it_went() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/copilot/sessions.jsonl");
    let rows: Vec<Value> =
        std::fs::read_to_string(table).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 100, "{} sessions", rows.len());
    let wrong: Vec<String> = rows.iter().flat_map(compare).collect();
    assert!(wrong.is_empty(), "{}\n{} differences\n", wrong.join("\n"), wrong.len());
}

/// The differences between a session that was seen and the same session here.
fn compare(row: &Value) -> Vec<String> {
    let case = &row["case"];
    let mut session = Session::new(case);
    session.play(row);
    let mut wrong = Vec::new();
    let id = case["id"].as_str().unwrap();
    let names = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let (mut seen, mut fired) = (names(&row["fired"]), session.fired.clone());
    // The first two events overlap in time, and the agent does not wait for notifications.
    if seen.iter().any(|name| name.eq_ignore_ascii_case("sessionStart") || name == "notification") {
        seen.sort();
        fired.sort();
    }
    if seen != fired {
        wrong.push(format!("{id}: the hooks that ran were {seen:?}, here {fired:?}"));
    }
    let ran: BTreeSet<String> = names(&row["ran"]).into_iter().collect();
    // The table has the files of the repository's root.
    let is_elsewhere = case["cwd"].is_string();
    for (name, runs) in session.calls.iter().filter(|_| !is_elsewhere) {
        if ran.contains(name) != *runs {
            wrong.push(format!("{id}: the call {name} ran: {}, here {runs}", ran.contains(name)));
        }
    }
    let told: Vec<String> =
        row["told"].as_array().unwrap().iter().flat_map(|part| part.as_array().unwrap()).map(text_of).collect();
    for text in &session.told {
        // The table has the beginnings of long texts.
        let beginning: String = text.chars().take(300).collect();
        if !told.iter().any(|told| told.contains(&beginning)) {
            wrong.push(format!("{id}: the model did not get {beginning:?}"));
        }
    }
    wrong
}

fn text_of(message: &Value) -> String {
    message["text"].as_str().unwrap().replace("@REPO@", REPO).replace("@HOME@", HOME)
}

/// Replaces the placeholders of the table.
fn fill(text: &str) -> String {
    text.replace("@REPO@", REPO).replace("@HOME@", HOME).replace("@WORK@", "/hb").replace("@PORT@", "9")
}

fn fill_in(value: &Value) -> Value {
    serde_json::from_str(&fill(&value.to_string())).unwrap()
}

struct Session<'a> {
    case: &'a Value,
    dialect: &'static Agent,
    place: Arc<Place>,
    loaded: Arc<LoadedConfig>,
    files: MemoryFiles,
    /// Whether every tool may run.
    allows_all: bool,
    stops_blocked: u32,
    fired: Vec<String>,
    /// The calls that leave a file, and whether they ran.
    calls: Vec<(String, bool)>,
    told: Vec<String>,
}

impl<'a> Session<'a> {
    fn new(case: &'a Value) -> Session<'a> {
        let dialect = dialects::by_id("copilot").unwrap();
        let arguments: Option<Vec<&str>> =
            case["args"].as_array().map(|args| args.iter().map(|arg| arg.as_str().unwrap()).collect());
        let has = |name: &str| arguments.as_ref().is_some_and(|args| args.contains(&name));
        let mut files = MemoryFiles::default();
        files.put(format!("{REPO}/.there"), "");
        for (path, content) in case["files"].as_object().unwrap() {
            let content = match content {
                Value::String(text) => fill(text),
                other => fill_in(other).to_string(),
            };
            files.put(fill(path), content);
        }
        if has("--trust-folder") {
            files.put(format!("{HOME}/.copilot/config.json"), json!({ "trustedFolders": [REPO] }).to_string());
        }
        let mut place = Place {
            project: case["cwd"].as_str().map_or_else(|| REPO.to_owned(), fill),
            home: HOME.to_owned(),
            home_given: true,
            ..Place::default()
        };
        for (name, value) in case["env"].as_object().into_iter().flatten() {
            place.env.insert(name.clone(), fill(value.as_str().unwrap()));
        }
        let allows_all = arguments.is_none()
            || has("--allow-all-tools")
            || has("--yolo")
            || place.var("COPILOT_ALLOW_ALL").is_some();
        let loaded = dialect.load(&place, &files, &dialects::default_version(dialect));
        let (fired, calls, told) = (Vec::new(), Vec::new(), Vec::new());
        Session {
            case,
            dialect,
            place: Arc::new(place),
            loaded,
            files,
            allows_all,
            stops_blocked: 0,
            fired,
            calls,
            told,
        }
    }

    fn play(&mut self, row: &Value) {
        let given = |key: &str| self.case[key].as_array().cloned();
        let prompts =
            given("prompts").unwrap_or_else(|| vec![self.case.get("prompt").cloned().unwrap_or(json!("please go on"))]);
        let mut turns: Vec<Value> = Vec::new();
        for turn in given("turns").unwrap_or_default() {
            match turn["calls"].as_array() {
                Some(names) => turns.extend(names.iter().map(|name| {
                    let name = name.as_str().unwrap();
                    json!([{"sh": format!("touch {name}; echo ran-{name} # sc={name};")}])
                })),
                None => turns.push(fill_in(&turn)),
            }
        }
        let mut turns = turns.into_iter();
        for (prompt, rc) in prompts.iter().zip(row["rc"].as_array().unwrap()) {
            let continues_nothing = prompts.len() > 1 && *rc == json!(1);
            // That session could not be continued.
            if !continues_nothing {
                self.prompt(prompt.as_str().unwrap(), &mut turns);
            }
        }
    }

    fn prompt(&mut self, prompt: &str, turns: &mut impl Iterator<Item = Value>) {
        if prompt == "/compact" {
            self.fire("preCompact", json!({"trigger": "manual", "customInstructions": ""}));
            return;
        }
        self.context("sessionStart", json!({"source": "new", "initialPrompt": prompt}), None);
        let (mut reason, mut had_error) = ("complete", false);
        if self.submit(prompt, None) {
            loop {
                let turn = turns.next().unwrap_or(json!([{"text": "done"}]));
                let calls: Vec<&Value> = turn
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|part| part["sh"].is_string() || part["call"].is_string())
                    .collect();
                if turn[0]["status"].is_number() {
                    let error = json!({"message": turn[0]["error"], "name": "Error", "stack": "Error"});
                    self.fire(
                        "errorOccurred",
                        json!({"errorContext": "model_call", "recoverable": true, "error": error}),
                    );
                    (reason, had_error) = ("error", true);
                    break;
                }
                if !calls.is_empty() {
                    if !self.turn(&calls) {
                        break;
                    }
                } else if !self.stop() {
                    break;
                }
            }
            let _ = had_error;
        }
        self.fire("sessionEnd", json!({ "reason": reason }));
    }

    /// The events of a prompt. Returns whether the model is called.
    fn submit(&mut self, prompt: &str, child: Option<&str>) -> bool {
        let asked = self.fire("userPromptSubmitted", with_agent(json!({ "prompt": prompt }), child));
        if asked.blocked {
            return false;
        }
        self.told.extend(context(&asked));
        self.told.extend(asked.extra.get("updated_prompt").and_then(Value::as_str).map(str::to_owned));
        let whole = format!("<current_datetime>now</current_datetime>\n\n{prompt}");
        let body = json!({"prompt": prompt, "transformedPrompt": whole});
        let transformed = self.fire("userPromptTransformed", with_agent(body, child));
        self.told.extend(transformed.extra.get("updated_prompt").and_then(Value::as_str).map(str::to_owned));
        true
    }

    /// An event whose hooks can only add a text.
    fn context(&mut self, event: &str, body: Value, child: Option<&str>) {
        let outcome = self.fire(event, with_agent(body, child));
        self.told.extend(context(&outcome));
    }

    /// The calls of one turn. All are asked about before one runs. Returns whether the turn goes on.
    fn turn(&mut self, calls: &[&Value]) -> bool {
        let mut made = Vec::new();
        for call in calls {
            let (tool, args) = match call["sh"].as_str() {
                Some(command) => ("bash".to_owned(), json!({"command": command, "description": "x"})),
                None => (call["call"].as_str().unwrap().to_owned(), call["args"].clone()),
            };
            if call["raw_args"].is_string() {
                self.failure("bash", &json!({}), "not valid JSON");
                continue;
            }
            let before = self.fire("preToolUse", json!({"toolName": tool, "toolArgs": args}));
            self.told.extend(context(&before));
            self.told.extend(before.extra.get("told").and_then(Value::as_str).map(str::to_owned));
            made.push((tool, before.updated_input.clone().unwrap_or_else(|| args.clone()), before));
        }
        let mut goes_on = true;
        for (tool, args, before) in made {
            goes_on &= self.call(&tool, &args, &before);
        }
        goes_on
    }

    fn call(&mut self, tool: &str, args: &Value, before: &Outcome) -> bool {
        let file = left_file(tool, args);
        let mut allowed = self.allows_all || before.verdict == Verdict::Allow;
        if before.blocked {
            self.calls.extend(file.map(|file| (file, false)));
            return true;
        }
        if let Some((kind, input)) = permission(tool, args) {
            let asked = self
                .fire("permissionRequest", json!({"toolName": kind, "toolInput": input, "permissionSuggestions": []}));
            // The model is not called after an interruption.
            let told = asked.extra.get("told").filter(|_| asked.continues);
            self.told.extend(told.and_then(Value::as_str).map(str::to_owned));
            if asked.blocked {
                self.calls.extend(file.map(|file| (file, false)));
                return asked.continues;
            }
            allowed |= asked.verdict == Verdict::Allow;
            if !allowed {
                let kind = "permission_prompt";
                self.fire(
                    "notification",
                    json!({"message": "m", "title": "Permission needed", "notification_type": kind}),
                );
                self.calls.extend(file.map(|file| (file, false)));
                return true;
            }
        }
        self.calls.extend(file.map(|file| (file, true)));
        if tool == "task" {
            self.subagent(args);
        }
        let path = args["path"].as_str().unwrap_or("");
        let fails = tool == "nonesuch" || (tool == "view" && (path.ends_with("nope.txt") || path.contains("/sc=")));
        if fails {
            self.failure(tool, args, "Path does not exist");
            return true;
        }
        let result = json!({"resultType": "success", "textResultForLlm": "done"});
        let after = self.fire("postToolUse", json!({"toolName": tool, "toolArgs": args, "toolResult": result}));
        self.told.extend(context(&after));
        self.told.extend(after.extra.get("updated_output").and_then(Value::as_str).map(str::to_owned));
        self.told.extend(after.extra.get("told").and_then(Value::as_str).map(str::to_owned));
        true
    }

    fn failure(&mut self, tool: &str, args: &Value, error: &str) {
        self.context("postToolUseFailure", json!({"toolName": tool, "toolArgs": args, "error": error}), None);
    }

    fn subagent(&mut self, args: &Value) {
        let kind = args["agent_type"].clone();
        let who = json!({"transcriptPath": "/t", "agentName": kind, "agentId": CHILD, "agentType": kind, "parentAgentId": SESSION});
        self.context("subagentStart", who.clone(), None);
        self.submit(args["prompt"].as_str().unwrap(), Some(CHILD));
        let stop = json!({"transcriptPath": "/t", "stopReason": "end_turn", "stop_hook_active": false});
        self.fire("agentStop", with_agent(stop, Some(CHILD)));
        let mut end = who;
        end.as_object_mut().unwrap().extend([
            ("response".to_owned(), json!("sub finished")),
            ("stopReason".to_owned(), json!("end_turn")),
            ("stop_hook_active".to_owned(), json!(false)),
        ]);
        self.fire("subagentStop", end);
    }

    /// Returns whether the model is called again.
    fn stop(&mut self) -> bool {
        let active = self.stops_blocked > 0;
        let body = json!({"transcriptPath": "/t", "stopReason": "end_turn", "stop_hook_active": active});
        let outcome = self.fire("agentStop", body);
        self.stops_blocked = if outcome.blocked { self.stops_blocked + 1 } else { 0 };
        if outcome.blocked {
            self.told.extend(outcome.reason);
        }
        outcome.blocked
    }

    /// Fires an event with the camelCase payload that the agent has.
    fn fire(&mut self, event: &str, fields: Value) -> Outcome {
        let mut body = Map::from_iter([
            ("sessionId".to_owned(), json!(SESSION)),
            ("timestamp".to_owned(), json!(1_795_386_857_027_i64)),
            ("cwd".to_owned(), json!(self.place.project)),
        ]);
        let Value::Object(fields) = fields else { panic!("fields are an object: {fields}") };
        body.extend(fields);
        let request = InputRequest {
            agent: Some(self.dialect.id()),
            event: Some(event.to_owned()),
            payload: Some(Value::Object(body)),
            ..InputRequest::default()
        };
        let scene = scene_of(self.dialect, &self.place, &self.files, &self.loaded, &request, self.stops_blocked);
        settle(self.dialect, scene, |run| self.run(run))
    }

    /// What a hook of the table does.
    fn run(&mut self, request: &RunRequest) -> RunReport {
        let ends = |exit, stdout: String, stderr: &str| RunReport::new(request.run, exit, stdout, stderr);
        let spec = match &request.launch {
            Launch::Process(spec) => spec,
            Launch::Http(_) => {
                let answer = self.case["http"]["/hook"].clone();
                return match answer {
                    Value::Null => ends(Exit::FailedToStart { error: "refused".to_owned() }, String::new(), ""),
                    answer => ends(Exit::Http { status: 200 }, answer.to_string(), ""),
                };
            }
            other => panic!("{other:?}"),
        };
        let words = std::iter::once(&spec.program).chain(&spec.args).cloned().collect::<Vec<_>>().join(" ");
        let stdin = String::from_utf8(spec.stdin.to_vec()).unwrap();
        let Some(name) = recorder(&words) else {
            return match () {
                () if words.contains("sleep 3; touch") => {
                    ends(Exit::TimedOut { after: Duration::from_secs(1) }, String::new(), "")
                }
                () if words.contains("sleep 3 &") => ends(Exit::Code(0), "{}".to_owned(), ""),
                () if words.contains("/nonexistent") => {
                    ends(Exit::FailedToStart { error: "No such file or directory".to_owned() }, String::new(), "")
                }
                () if words.contains("range(30000)") => {
                    let numbers: Vec<String> = (0..30_000).map(|number| format!("{number:06}")).collect();
                    let text = format!("{},", numbers.join(","));
                    ends(Exit::Code(0), json!({ "additionalContext": text }).to_string(), "")
                }
                () if words.contains("kill -9") => ends(Exit::Signal(9), String::new(), ""),
                // Python evaluates the payload, and prints nothing.
                () if words.ends_with("exit 0") || words.ends_with("python3") => ends(Exit::Code(0), String::new(), ""),
                () => panic!("what does {words} do?"),
            };
        };
        // No recorder has this name.
        if name.contains('*') {
            return ends(Exit::Code(127), String::new(), "");
        }
        // The directory does not exist.
        if spec.cwd.ends_with("/sub") && !self.files.exists(&spec.cwd) {
            return ends(Exit::FailedToStart { error: "No such directory".to_owned() }, String::new(), "");
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
            other => fill_in(other).to_string(),
        };
        let code = does["exit"].as_i64().map_or(0, |code| i32::try_from(code).unwrap());
        let exit =
            does["signal"].as_i64().map_or(Exit::Code(code), |signal| Exit::Signal(i32::try_from(signal).unwrap()));
        ends(exit, stdout, does["stderr"].as_str().unwrap_or(""))
    }
}

/// The message with the context that hooks added.
fn context(outcome: &Outcome) -> Option<String> {
    let message = outcome.extra.get("context_message").and_then(Value::as_str).map(str::to_owned);
    message.or_else(|| outcome.additional_context.clone())
}

/// The name of the recorder that a command line starts.
fn recorder(words: &str) -> Option<String> {
    let own =
        |rest: &str| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_*".contains(*c)).collect::<String>();
    let written = words.split_once("@h:").or_else(|| words.split_once("hook.py "))?;
    Some(own(written.1))
}

/// The file that a call leaves when it runs.
fn left_file(tool: &str, args: &Value) -> Option<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    match tool {
        "bash" => {
            let (_, rest) = args["command"].as_str()?.split_once("touch ")?;
            Some(rest.split([';', ' ']).next()?.to_owned())
        }
        "create" => args["path"].as_str().map(name),
        _ => None,
    }
}

/// The kind of permission that a call needs, and what hooks get of the call.
fn permission(tool: &str, args: &Value) -> Option<(&'static str, Value)> {
    match tool {
        "bash" => Some(("bash", json!({"command": args["command"]}))),
        "create" | "edit" => Some(("edit", json!({"file_path": args["path"], "diff": "d"}))),
        _ => None,
    }
}

/// Adds the keys of an event inside a subagent.
fn with_agent(mut body: Value, child: Option<&str>) -> Value {
    if let Some(child) = child {
        body.as_object_mut().unwrap().extend([
            ("agentId".to_owned(), json!(child)),
            ("agentType".to_owned(), json!("general-purpose")),
            ("parentAgentId".to_owned(), json!(SESSION)),
        ]);
    }
    body
}
