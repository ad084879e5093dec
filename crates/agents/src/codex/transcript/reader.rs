//! Converts the lines of a rollout, in order, into the events that hooks received.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::calls::{CallItem as OfCall, CallResult, HookCall, read_item, read_result};
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder, text, time};
use hookbench_base::config::Place;
use hookbench_base::recorded::{FileContext, TranscriptItem, TranscriptReader};

/// The values that every event of a turn carries.
#[derive(Debug, Clone, Default)]
struct TurnContext {
    id: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
    mode: Option<String>,
}

/// A prompt whose turn context is still missing: older versions write the context after it.
struct PendingPrompt {
    line: u64,
    at: Option<i64>,
    number: u32,
    text: String,
}

/// How a file records prompts. Each version uses one way; reading both would report prompts twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PromptSource {
    Messages,
    /// Since about 0.169.
    Items,
}

/// The reader of one file.
#[derive(Default)]
pub struct RolloutReader {
    about: FileContext,
    builder: SessionBuilder,
    pending_events: EventBuffer,
    /// The id of this thread.
    thread: Option<String>,
    /// Whether this is the thread of a sub-agent.
    is_sub_agent: bool,
    /// The type of the sub-agent, if known.
    agent_type: Option<String>,
    /// Whether the lines that follow are a copy of another thread's beginning.
    inherited: bool,
    turn: TurnContext,
    prompt_count: u32,
    pending_prompt: Option<PendingPrompt>,
    prompt_source: Option<PromptSource>,
    /// Whether the user's prompt of this turn was seen.
    has_prompt: bool,
    /// Whether a hook blocked a stop of this turn.
    stop_blocked: bool,
    /// Whether the file records when turns begin and end.
    records_turns: bool,
    /// The model's last message, if no call followed it: older versions do not record the end of a turn.
    last_message: Option<(u64, Option<i64>, String)>,
    compaction_count: u32,
    calls: HashMap<String, (HookCall, TurnContext)>,
    /// Commands that still run: terminal number to call id.
    running: HashMap<String, String>,
    /// Calls that poll such a command.
    polls: HashMap<String, String>,
}

impl RolloutReader {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> RolloutReader {
        RolloutReader {
            builder: SessionBuilder::new("codex", about).with_json_writer(Value::to_string),
            about: about.clone(),
            ..RolloutReader::default()
        }
    }

    /// Returns the keys before the event's own keys, in their order. Unknown values are omitted.
    fn common(&self, event: &str, turn: &TurnContext) -> PayloadBuilder {
        let body = PayloadBuilder::default().put("session_id", self.builder.session.session.clone());
        let body = body.put_some("turn_id", turn.id.clone());
        // At the start and end of a sub-agent these two are among the event's own keys.
        let early = !matches!(event, "SubagentStart" | "SubagentStop");
        let body = if early { self.agent(body) } else { body };
        let (own, ends) = (self.about.path.clone(), event == "SubagentStop");
        // At the end of a sub-agent, `transcript_path` is the session's path, which this file does not record.
        let body = if ends { body.put("agent_transcript_path", own) } else { body.put("transcript_path", own) };
        let mode = turn.mode.clone().filter(|_| !event.ends_with("Compact"));
        body.put_some("cwd", turn.cwd.clone())
            .put("hook_event_name", event)
            .put_some("model", turn.model.clone())
            .put_some("permission_mode", mode)
    }

    fn agent(&self, body: PayloadBuilder) -> PayloadBuilder {
        if !self.is_sub_agent {
            return body;
        }
        body.put_some("agent_id", self.thread.clone()).put_some("agent_type", self.agent_type.clone())
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
            self.builder.session.session = session;
        }
        self.builder.session.version = text(meta, "cli_version").map(str::to_owned);
        self.builder.session.project = text(meta, "cwd").map(str::to_owned);
        self.turn.cwd = text(meta, "cwd").map(str::to_owned);
        if let Some(spawned) = spawned {
            self.is_sub_agent = true;
            self.agent_type = text(meta, "agent_role").or(text(spawned, "agent_role")).map(str::to_owned);
            let key = self.thread.clone().unwrap_or_default();
            let body = self.agent(self.common("SubagentStart", &self.turn));
            self.pending_events.push("", self.builder.build_event("SubagentStart", &key, at, line, body));
        }
    }

    fn turn_context(&mut self, context: &Value, out: &mut Vec<TranscriptItem>) {
        self.inherited = false;
        let plan = context.pointer("/collaboration_mode/mode").and_then(Value::as_str) == Some("plan");
        let mode = match text(context, "approval_policy") {
            Some("never") => Some("bypassPermissions"),
            _ if plan => Some("plan"),
            Some(_) => Some("default"),
            None => None,
        };
        self.turn = TurnContext {
            id: text(context, "turn_id").map(str::to_owned).or(self.turn.id.take()),
            cwd: text(context, "cwd").map(str::to_owned).or(self.turn.cwd.take()),
            model: text(context, "model").map(str::to_owned).or(self.turn.model.take()),
            mode: mode.map(str::to_owned).or(self.turn.mode.take()),
        };
        self.emit_prompt(out);
    }

    /// Emits the pending prompt.
    fn emit_prompt(&mut self, out: &mut Vec<TranscriptItem>) {
        let Some(prompt) = self.pending_prompt.take() else { return };
        self.pending_events.flush(&mut self.builder, out);
        self.builder.record_prompt(&prompt.text);
        let body = self.common("UserPromptSubmit", &self.turn).put("prompt", prompt.text);
        let key = prompt.number.to_string();
        self.pending_events.push("", self.builder.build_event("UserPromptSubmit", &key, prompt.at, prompt.line, body));
    }

    fn item(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<TranscriptItem>) {
        match text(item, "type") {
            Some("message") if text(item, "role") == Some("user") => {
                self.stop_blocked |= item.to_string().contains("<hook_prompt ");
            }
            Some("message") if text(item, "role") == Some("assistant") => {
                self.emit_prompt(out);
                self.last_message = Some((line, at, message_text(item)));
            }
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                self.emit_prompt(out);
                self.last_message = None;
                self.call(line, at, item, out);
            }
            Some("function_call_output" | "custom_tool_call_output") => self.output(line, at, item, out),
            Some(_) => self.emit_prompt(out),
            None => out.push(TranscriptItem::Skipped { line, why: "an item without a type".to_owned() }),
        }
    }

    fn call(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<TranscriptItem>) {
        let id = text(item, "call_id").or(text(item, "id")).unwrap_or_default();
        match read_item(item) {
            OfCall::Call(call) => {
                let mut turn = self.turn.clone();
                if let Some(directory) = &call.workdir {
                    let base = turn.cwd.clone().unwrap_or_default();
                    turn.cwd = Some(Place::default().absolute(&base, directory));
                }
                let body = self
                    .common("PreToolUse", &turn)
                    .put("tool_name", call.tool.clone())
                    .put("tool_input", call.input.clone())
                    .put("tool_use_id", id);
                self.pending_events.push_unsure(id, self.builder.build_event("PreToolUse", id, at, line, body));
                self.calls.insert(id.to_owned(), (call, turn));
            }
            OfCall::Continuation(terminal) => {
                self.polls.insert(id.to_owned(), terminal);
            }
            OfCall::Nothing => {}
            OfCall::Program => {
                let why = "a program of the model: the file does not contain its calls".to_owned();
                out.push(TranscriptItem::Skipped { line, why });
            }
        }
    }

    fn output(&mut self, line: u64, at: Option<i64>, item: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(mut id) = text(item, "call_id").map(str::to_owned) else { return };
        if let Some(terminal) = self.polls.remove(&id) {
            match self.running.remove(&terminal) {
                Some(first) => id = first,
                None => return,
            }
        }
        // Outputs of hosted tools and of programs have no recorded call.
        let Some((call, turn)) = self.calls.remove(&id) else { return };
        let output = item.get("output").unwrap_or(&Value::Null);
        match read_result(&call.tool, output) {
            CallResult::Output(answer) => {
                self.pending_events.confirm("PreToolUse", &id);
                let body = self
                    .common("PostToolUse", &turn)
                    .put("tool_name", call.tool)
                    .put("tool_input", call.input)
                    .put("tool_response", answer)
                    .put("tool_use_id", id.clone());
                self.pending_events.push(&id, self.builder.build_event("PostToolUse", &id, at, line, body));
            }
            CallResult::StillRunning(terminal) => {
                self.pending_events.confirm("PreToolUse", &id);
                self.running.insert(terminal, id.clone());
                self.calls.insert(id, (call, turn));
            }
            CallResult::Refused => {
                self.pending_events.confirm("PreToolUse", &id);
                if let Some(before) = self.pending_events.find("PreToolUse", &id) {
                    before.verdict = Some("deny".to_owned());
                }
            }
            CallResult::NoResult => self.pending_events.confirm("PreToolUse", &id),
            CallResult::UnknownTool => self.pending_events.discard("PreToolUse", &id),
        }
        if self.calls.len() == self.running.len() {
            self.pending_events.flush(&mut self.builder, out);
        }
    }

    fn message(&mut self, line: u64, at: Option<i64>, said: &Value, out: &mut Vec<TranscriptItem>) {
        match text(said, "type") {
            Some("task_started" | "turn_started") => {
                self.emit_prompt(out);
                self.records_turns = true;
                self.turn.id = text(said, "turn_id").map(str::to_owned).or(self.turn.id.take());
                (self.has_prompt, self.stop_blocked) = (false, false);
            }
            Some("user_message") if self.records_prompts_by(PromptSource::Messages) => {
                self.begin_prompt(line, at, text(said, "message").unwrap_or_default(), out);
            }
            Some("item_completed") => {
                let item = said.get("item").unwrap_or(&Value::Null);
                if text(item, "type") == Some("UserMessage") && self.records_prompts_by(PromptSource::Items) {
                    self.begin_prompt(line, at, &message_text(item), out);
                }
            }
            Some("task_complete" | "turn_complete") => {
                self.records_turns = true;
                self.emit_prompt(out);
                self.stop(line, at, said);
                self.pending_events.flush(&mut self.builder, out);
            }
            Some("turn_aborted") => {
                self.emit_prompt(out);
                self.last_message = None;
                if text(said, "reason") == Some("interrupted") {
                    let body = self.common("Interrupt", &self.turn);
                    self.pending_events
                        .push("", self.builder.build_event("Interrupt", &format!("line {line}"), at, line, body));
                }
                self.pending_events.flush(&mut self.builder, out);
            }
            _ => {}
        }
    }

    /// Returns whether the file records prompts in this way. The first way that it uses counts.
    fn records_prompts_by(&mut self, way: PromptSource) -> bool {
        *self.prompt_source.get_or_insert(way) == way
    }

    /// Handles a new prompt.
    fn begin_prompt(&mut self, line: u64, at: Option<i64>, prompt: &str, out: &mut Vec<TranscriptItem>) {
        self.emit_prompt(out);
        self.end_unrecorded_turn(out);
        self.has_prompt = true;
        self.prompt_count += 1;
        self.pending_prompt = Some(PendingPrompt { line, at, number: self.prompt_count, text: prompt.to_owned() });
    }

    /// Ends the previous turn in files that do not record the end of turns: it ended with the model's last
    /// message, unless a call followed.
    fn end_unrecorded_turn(&mut self, out: &mut Vec<TranscriptItem>) {
        let Some((line, at, says)) = self.last_message.take().filter(|_| !self.records_turns) else { return };
        self.stop(line, at, &json!({"last_agent_message": says}));
        self.pending_events.flush(&mut self.builder, out);
        self.stop_blocked = false;
    }

    /// Handles a line of the oldest versions, which is the item itself.
    fn bare_item(&mut self, line: u64, item: &Value, out: &mut Vec<TranscriptItem>) {
        if text(item, "type") != Some("message") || text(item, "role") != Some("user") {
            return self.item(line, None, item, out);
        }
        let says = message_text(item);
        let within = |name: &str| {
            let (_, rest) = says.split_once(&format!("<{name}>"))?;
            rest.split_once(&format!("</{name}>")).map(|(value, _)| value.trim().to_owned())
        };
        if says.trim_start().starts_with("<environment_context>") {
            let (cwd, policy) = (within("cwd"), within("approval_policy"));
            self.builder.session.project = self.builder.session.project.take().or_else(|| cwd.clone());
            self.turn_context(&json!({"cwd": cwd, "approval_policy": policy}), out);
        } else if !says.trim_start().starts_with("<user_instructions>") {
            self.begin_prompt(line, None, &says, out);
            self.emit_prompt(out);
        }
    }

    fn stop(&mut self, line: u64, at: Option<i64>, said: &Value) {
        // A turn that only compacts has neither a prompt nor a stop.
        if !self.has_prompt && !self.is_sub_agent {
            return;
        }
        let last = said.get("last_agent_message").cloned().unwrap_or(Value::Null);
        let name = if self.is_sub_agent { "SubagentStop" } else { "Stop" };
        let body = self.common(name, &self.turn).put("stop_hook_active", self.stop_blocked);
        let body = if self.is_sub_agent { self.agent(body) } else { body };
        let body = body.put("last_assistant_message", last);
        self.pending_events.push("", self.builder.build_event(name, &format!("line {line}"), at, line, body));
    }

    fn compacted(&mut self, line: u64, at: Option<i64>, out: &mut Vec<TranscriptItem>) {
        self.emit_prompt(out);
        self.compaction_count += 1;
        // A compaction that the user requests is a turn without a prompt.
        let trigger = if self.has_prompt { "auto" } else { "manual" };
        let key = self.compaction_count.to_string();
        for event in ["PreCompact", "PostCompact"] {
            let body = self.common(event, &self.turn).put("trigger", trigger);
            self.pending_events.push("", self.builder.build_event(event, &key, at, line, body));
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
fn message_text(item: &Value) -> String {
    let parts = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
}

impl TranscriptReader for RolloutReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let at = time(&record);
        let payload = record.get("payload").unwrap_or(&Value::Null);
        self.builder.record_time(at);
        match text(&record, "type") {
            Some("session_meta") => self.session_meta(line, at, payload),
            Some("turn_context") => self.turn_context(payload, out),
            Some("response_item" | "event_msg" | "compacted") if self.inherited => {}
            Some("response_item") => self.item(line, at, payload, out),
            Some("event_msg") => self.message(line, at, payload, out),
            Some("compacted") => self.compacted(line, at, out),
            // Internal records of newer versions.
            Some("inter_agent_communication" | "thread_settings" | "token_usage_record" | "world_state") => {}
            Some(kind) if is_item(kind) => self.bare_item(line, &record, out),
            Some(kind) => {
                out.push(TranscriptItem::Skipped { line, why: format!("unknown record type {kind}") });
            }
            None if is_bare_head(&record) => self.session_meta(line, at, &record),
            None if record.get("record_type").is_some() => {}
            None => out.push(TranscriptItem::Skipped { line, why: "a record without a type".to_owned() }),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.emit_prompt(out);
        self.pending_events.finish(&mut self.builder, out);
    }
}
