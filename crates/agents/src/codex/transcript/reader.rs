//! Converts the lines of a rollout, in order, into the events that hooks received.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::calls::{Call, Ended, Told as OfCall, ended, told};
use crate::shared::rebuilt::{Body, Told, Waiting, text, time};
use hookbench_base::config::Place;
use hookbench_base::recorded::{About, Read, Reader};

/// The values that every event of a turn carries.
#[derive(Debug, Clone, Default)]
struct Turn {
    id: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
    mode: Option<String>,
}

/// A prompt whose turn context is still missing: older versions write the context after it.
struct Prompt {
    line: u64,
    at: Option<i64>,
    number: u32,
    text: String,
}

/// How a file records prompts. Each version uses one way; reading both would report prompts twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prompts {
    Messages,
    /// Since about 0.169.
    Items,
}

/// The reader of one file.
pub struct Rollout {
    about: About,
    told: Told,
    waiting: Waiting,
    /// The id of this thread.
    thread: Option<String>,
    /// Whether this is the thread of a sub-agent.
    inside: bool,
    /// The type of the sub-agent, if known.
    kind: Option<String>,
    /// Whether the lines that follow are a copy of another thread's beginning.
    inherited: bool,
    turn: Turn,
    prompts: u32,
    prompt: Option<Prompt>,
    told_by: Option<Prompts>,
    /// Whether the user's prompt of this turn was seen.
    asked: bool,
    /// Whether a hook blocked a stop of this turn.
    held_up: bool,
    /// Whether the file records when turns begin and end.
    turns_told: bool,
    /// The model's last message, if no call followed it: older versions do not record the end of a turn.
    spoke: Option<(u64, Option<i64>, String)>,
    compactions: u32,
    calls: HashMap<String, (Call, Turn)>,
    /// Commands that still run: terminal number to call id.
    running: HashMap<String, String>,
    /// Calls that poll such a command.
    looks: HashMap<String, String>,
}

impl Rollout {
    /// Creates a reader for one file.
    pub fn new(about: &About) -> Rollout {
        Rollout {
            told: Told::new("codex", about).spelt(Value::to_string),
            about: about.clone(),
            waiting: Waiting::default(),
            thread: None,
            inside: false,
            kind: None,
            inherited: false,
            turn: Turn::default(),
            prompts: 0,
            prompt: None,
            told_by: None,
            asked: false,
            held_up: false,
            turns_told: false,
            spoke: None,
            compactions: 0,
            calls: HashMap::new(),
            running: HashMap::new(),
            looks: HashMap::new(),
        }
    }

    /// Returns the keys before the event's own keys, in their order. Unknown values are omitted.
    fn common(&self, event: &str, turn: &Turn) -> Body {
        let body = Body::default().put("session_id", self.told.session.session.clone());
        let body = body.maybe("turn_id", turn.id.clone());
        // At the start and end of a sub-agent these two are among the event's own keys.
        let early = !matches!(event, "SubagentStart" | "SubagentStop");
        let body = if early { self.agent(body) } else { body };
        let (own, ends) = (self.about.path.clone(), event == "SubagentStop");
        // At the end of a sub-agent, `transcript_path` is the session's path, which this file does not record.
        let body = if ends { body.put("agent_transcript_path", own) } else { body.put("transcript_path", own) };
        let mode = turn.mode.clone().filter(|_| !event.ends_with("Compact"));
        body.maybe("cwd", turn.cwd.clone())
            .put("hook_event_name", event)
            .maybe("model", turn.model.clone())
            .maybe("permission_mode", mode)
    }

    fn agent(&self, body: Body) -> Body {
        if !self.inside {
            return body;
        }
        body.maybe("agent_id", self.thread.clone()).maybe("agent_type", self.kind.clone())
    }

    fn session_meta(&mut self, line: u64, at: Option<i64>, meta: &Value) {
        let id = text(meta, "id").or(text(meta, "session_id")).map(str::to_owned);
        if self.thread.is_some() {
            // The beginning of the thread that this one was forked from.
            self.inherited = id != self.thread;
            return;
        }
        self.thread = id;
        let spawned = meta.pointer("/source/subagent/thread_spawn");
        let parent = spawned.and_then(|spawned| text(spawned, "parent_thread_id"));
        let session = text(meta, "session_id").or(parent).map(str::to_owned).or_else(|| self.thread.clone());
        if let Some(session) = session {
            self.told.session.session = session;
        }
        self.told.session.version = text(meta, "cli_version").map(str::to_owned);
        self.told.session.project = text(meta, "cwd").map(str::to_owned);
        self.turn.cwd = text(meta, "cwd").map(str::to_owned);
        if let Some(spawned) = spawned {
            self.inside = true;
            self.kind = text(meta, "agent_role").or(text(spawned, "agent_role")).map(str::to_owned);
            let key = self.thread.clone().unwrap_or_default();
            let body = self.agent(self.common("SubagentStart", &self.turn));
            self.waiting.push("", self.told.event("SubagentStart", &key, at, line, body));
        }
    }

    fn turn_context(&mut self, context: &Value, out: &mut Vec<Read>) {
        self.inherited = false;
        let plan = context.pointer("/collaboration_mode/mode").and_then(Value::as_str) == Some("plan");
        let mode = match text(context, "approval_policy") {
            Some("never") => Some("bypassPermissions"),
            _ if plan => Some("plan"),
            Some(_) => Some("default"),
            None => None,
        };
        self.turn = Turn {
            id: text(context, "turn_id").map(str::to_owned).or(self.turn.id.take()),
            cwd: text(context, "cwd").map(str::to_owned).or(self.turn.cwd.take()),
            model: text(context, "model").map(str::to_owned).or(self.turn.model.take()),
            mode: mode.map(str::to_owned).or(self.turn.mode.take()),
        };
        self.ask(out);
    }

    /// Emits the pending prompt.
    fn ask(&mut self, out: &mut Vec<Read>) {
        let Some(prompt) = self.prompt.take() else { return };
        self.waiting.release(&mut self.told, out);
        self.told.asked(&prompt.text);
        let body = self.common("UserPromptSubmit", &self.turn).put("prompt", prompt.text);
        let key = prompt.number.to_string();
        self.waiting.push("", self.told.event("UserPromptSubmit", &key, prompt.at, prompt.line, body));
    }

    fn item(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<Read>) {
        match text(item, "type") {
            Some("message") if text(item, "role") == Some("user") => {
                self.held_up |= item.to_string().contains("<hook_prompt ");
            }
            Some("message") if text(item, "role") == Some("assistant") => {
                self.ask(out);
                self.spoke = Some((line, at, words(item)));
            }
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                self.ask(out);
                self.spoke = None;
                self.call(line, at, item, out);
            }
            Some("function_call_output" | "custom_tool_call_output") => self.output(line, at, item, out),
            Some(_) => self.ask(out),
            None => out.push(Read::Skipped { line, why: "an item without a type".to_owned() }),
        }
    }

    fn call(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<Read>) {
        let id = text(item, "call_id").or(text(item, "id")).unwrap_or_default();
        match told(item) {
            OfCall::Call(call) => {
                let mut turn = self.turn.clone();
                if let Some(folder) = &call.workdir {
                    let base = turn.cwd.clone().unwrap_or_default();
                    turn.cwd = Some(Place::default().absolute(&base, folder));
                }
                let body = self
                    .common("PreToolUse", &turn)
                    .put("tool_name", call.tool.clone())
                    .put("tool_input", call.input.clone())
                    .put("tool_use_id", id);
                self.waiting.push_unsure(id, self.told.event("PreToolUse", id, at, line, body));
                self.calls.insert(id.to_owned(), (call, turn));
            }
            OfCall::GoesOn(terminal) => {
                self.looks.insert(id.to_owned(), terminal);
            }
            OfCall::Silent => {}
            OfCall::Program => {
                let why = "a program of the model: the calls that it makes are not in the file".to_owned();
                out.push(Read::Skipped { line, why });
            }
        }
    }

    fn output(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<Read>) {
        let Some(mut id) = text(item, "call_id").map(str::to_owned) else { return };
        if let Some(terminal) = self.looks.remove(&id) {
            match self.running.remove(&terminal) {
                Some(first) => id = first,
                None => return,
            }
        }
        // Outputs of hosted tools and of programs have no recorded call.
        let Some((call, turn)) = self.calls.remove(&id) else { return };
        let output = item.get("output").unwrap_or(&Value::Null);
        match ended(&call.tool, output) {
            Ended::With(answer) => {
                self.waiting.settle("PreToolUse", &id);
                let body = self
                    .common("PostToolUse", &turn)
                    .put("tool_name", call.tool)
                    .put("tool_input", call.input)
                    .put("tool_response", answer)
                    .put("tool_use_id", id.clone());
                self.waiting.push(&id, self.told.event("PostToolUse", &id, at, line, body));
            }
            Ended::RunsOn(terminal) => {
                self.waiting.settle("PreToolUse", &id);
                self.running.insert(terminal, id.clone());
                self.calls.insert(id, (call, turn));
            }
            Ended::Refused => {
                self.waiting.settle("PreToolUse", &id);
                if let Some(before) = self.waiting.find("PreToolUse", &id) {
                    before.verdict = Some("deny".to_owned());
                }
            }
            Ended::Without => self.waiting.settle("PreToolUse", &id),
            Ended::Unknown => self.waiting.remove("PreToolUse", &id),
        }
        if self.calls.len() == self.running.len() {
            self.waiting.release(&mut self.told, out);
        }
    }

    fn message(&mut self, line: u64, at: Option<i64>, said: &Value, out: &mut Vec<Read>) {
        match text(said, "type") {
            Some("task_started" | "turn_started") => {
                self.ask(out);
                self.turns_told = true;
                self.turn.id = text(said, "turn_id").map(str::to_owned).or(self.turn.id.take());
                (self.asked, self.held_up) = (false, false);
            }
            Some("user_message") if self.tells(Prompts::Messages) => {
                self.prompted(line, at, text(said, "message").unwrap_or_default(), out);
            }
            Some("item_completed") => {
                let item = said.get("item").unwrap_or(&Value::Null);
                if text(item, "type") == Some("UserMessage") && self.tells(Prompts::Items) {
                    self.prompted(line, at, &words(item), out);
                }
            }
            Some("task_complete" | "turn_complete") => {
                self.turns_told = true;
                self.ask(out);
                self.stop(line, at, said);
                self.waiting.release(&mut self.told, out);
            }
            Some("turn_aborted") => {
                self.ask(out);
                self.spoke = None;
                if text(said, "reason") == Some("interrupted") {
                    let body = self.common("Interrupt", &self.turn);
                    self.waiting.push("", self.told.event("Interrupt", &format!("line {line}"), at, line, body));
                }
                self.waiting.release(&mut self.told, out);
            }
            _ => {}
        }
    }

    /// Returns whether the file records prompts in this way. The first way that it uses counts.
    fn tells(&mut self, way: Prompts) -> bool {
        *self.told_by.get_or_insert(way) == way
    }

    /// Handles a new prompt.
    fn prompted(&mut self, line: u64, at: Option<i64>, prompt: &str, out: &mut Vec<Read>) {
        self.ask(out);
        self.over_unsaid(out);
        self.asked = true;
        self.prompts += 1;
        self.prompt = Some(Prompt { line, at, number: self.prompts, text: prompt.to_owned() });
    }

    /// Ends the previous turn in files that do not record the end of turns: it ended with the model's last
    /// message, unless a call followed.
    fn over_unsaid(&mut self, out: &mut Vec<Read>) {
        let Some((line, at, says)) = self.spoke.take().filter(|_| !self.turns_told) else { return };
        self.stop(line, at, &json!({"last_agent_message": says}));
        self.waiting.release(&mut self.told, out);
        self.held_up = false;
    }

    /// Handles a line of the oldest versions, which is the item itself.
    fn bare(&mut self, line: u64, item: &Value, out: &mut Vec<Read>) {
        if text(item, "type") != Some("message") || text(item, "role") != Some("user") {
            return self.item(line, None, item, out);
        }
        let says = words(item);
        let within = |name: &str| {
            let (_, rest) = says.split_once(&format!("<{name}>"))?;
            rest.split_once(&format!("</{name}>")).map(|(value, _)| value.trim().to_owned())
        };
        if says.trim_start().starts_with("<environment_context>") {
            let (cwd, policy) = (within("cwd"), within("approval_policy"));
            self.told.session.project = self.told.session.project.take().or_else(|| cwd.clone());
            self.turn_context(&json!({"cwd": cwd, "approval_policy": policy}), out);
        } else if !says.trim_start().starts_with("<user_instructions>") {
            self.prompted(line, None, &says, out);
            self.ask(out);
        }
    }

    fn stop(&mut self, line: u64, at: Option<i64>, said: &Value) {
        // A turn that only compacts has neither a prompt nor a stop.
        if !self.asked && !self.inside {
            return;
        }
        let last = said.get("last_agent_message").cloned().unwrap_or(Value::Null);
        let name = if self.inside { "SubagentStop" } else { "Stop" };
        let body = self.common(name, &self.turn).put("stop_hook_active", self.held_up);
        let body = if self.inside { self.agent(body) } else { body };
        let body = body.put("last_assistant_message", last);
        self.waiting.push("", self.told.event(name, &format!("line {line}"), at, line, body));
    }

    fn compacted(&mut self, line: u64, at: Option<i64>, out: &mut Vec<Read>) {
        self.ask(out);
        self.compactions += 1;
        // A compaction that the user requests is a turn without a prompt.
        let trigger = if self.asked { "auto" } else { "manual" };
        let key = self.compactions.to_string();
        for event in ["PreCompact", "PostCompact"] {
            let body = self.common(event, &self.turn).put("trigger", trigger);
            self.waiting.push("", self.told.event(event, &key, at, line, body));
        }
    }
}

/// Returns whether a record is the first line of the oldest format, which had neither types nor payloads.
pub fn is_bare_head(record: &Value) -> bool {
    let keys = ["id", "timestamp", "instructions"];
    record.get("type").is_none() && keys.iter().all(|key| record.get(key).is_some())
}

fn is_item(kind: &str) -> bool {
    kind == "message" || kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_call_output")
}

/// Returns the texts of a message.
fn words(item: &Value) -> String {
    let parts = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
}

impl Reader for Rollout {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<Read>) {
        let at = time(&record);
        let payload = record.get("payload").unwrap_or(&Value::Null);
        self.told.at(at);
        match text(&record, "type") {
            Some("session_meta") => self.session_meta(line, at, payload),
            Some("turn_context") => self.turn_context(payload, out),
            Some("response_item" | "event_msg" | "compacted") if self.inherited => {}
            Some("response_item") => self.item(line, at, payload, out),
            Some("event_msg") => self.message(line, at, payload, out),
            Some("compacted") => self.compacted(line, at, out),
            // Internal records of newer versions.
            Some("inter_agent_communication" | "thread_settings" | "token_usage_record" | "world_state") => {}
            Some(kind) if is_item(kind) => self.bare(line, &record, out),
            Some(kind) => out.push(Read::Skipped { line, why: format!("records of type {kind} are not known") }),
            None if is_bare_head(&record) => self.session_meta(line, at, &record),
            None if record.get("record_type").is_some() => {}
            None => out.push(Read::Skipped { line, why: "a record without a type".to_owned() }),
        }
    }

    fn end(&mut self, out: &mut Vec<Read>) {
        self.ask(out);
        self.waiting.end(&mut self.told, out);
    }
}
