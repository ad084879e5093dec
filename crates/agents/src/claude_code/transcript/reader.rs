//! Reconstructs the events that hooks received from the records of a session.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::hook_runs;
use super::payload::{CommonFields, SubAgent, common_fields, tool_input};
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder, flag, text, time};
use hookbench_base::recorded::{FileContext, TranscriptItem, TranscriptReader};

/// Record types that describe no event.
const BOOKKEEPING: [&str; 20] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "atis-latch",
    "attribution-snapshot",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "tag",
    "tools-used",
    "worktree-state",
];

/// Whether records of this type describe no event.
pub fn is_bookkeeping(kind: &str) -> bool {
    kind.starts_with("api-request") || BOOKKEEPING.contains(&kind)
}

/// The beginnings of user messages that are not prompts from a user.
pub(super) const NON_PROMPT_PREFIXES: [&str; 5] =
    ["<command-", "<local-command-", "<bash-", "<task-notification>", INTERRUPTED];
const INTERRUPTED: &str = "[Request interrupted by user";

/// A call without a result so far.
struct PendingCall {
    tool: String,
    /// The input as the model wrote it; `input` below is the input that hooks received.
    written: Value,
    input: Value,
    common_fields: CommonFields,
}

/// A reply of the model. Each of its blocks is on a separate line.
#[derive(Default)]
struct ModelReply {
    id: String,
    line: u64,
    at: Option<i64>,
    text: Option<String>,
    /// Whether it ends the turn; `None` in older versions, which do not record it.
    ends_turn: Option<bool>,
    /// Whether it makes tool calls.
    has_calls: bool,
    /// Whether its stop event was already added.
    stopped: bool,
    /// The common keys when the reply was made, except that `cwd` is that of its newest result.
    common_fields: CommonFields,
    /// The line and time of its newest result.
    last_result: (u64, Option<i64>),
}

/// The state of the session itself or of one of its sub-agents. Older versions write all of them into one file.
#[derive(Default)]
struct ConversationThread {
    /// The calls of the newest reply that have results, in the form of the PostToolBatch payload.
    batch: Vec<Value>,
    reply: ModelReply,
    /// The number of stops since the last prompt.
    stop_count: u32,
}

/// The owner of a thread: `None` for the session, or else a sub-agent, whose id may be unknown.
type ThreadKey = Option<Option<String>>;

/// The reader of a JSON Lines session file.
#[derive(Default)]
pub struct JsonlReader {
    about: FileContext,
    builder: SessionBuilder,
    pending_events: EventBuffer,
    common_fields: CommonFields,
    /// The sub-agent's type, from the metadata file next to this file.
    agent_type: Option<String>,
    calls: HashMap<String, PendingCall>,
    /// The thread of the newest record.
    thread: ConversationThread,
    /// All other threads.
    other_threads: BTreeMap<ThreadKey, ConversationThread>,
    /// The sub-agents that this file has mentioned so far.
    started_agents: Vec<Option<String>>,
}

impl JsonlReader {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> JsonlReader {
        let beside = about.companion.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        JsonlReader {
            builder: SessionBuilder::new("claude", about),
            about: about.clone(),
            agent_type: beside.as_ref().and_then(|meta| text(meta, "agentType")).map(str::to_owned),
            ..JsonlReader::default()
        }
    }

    fn body(&self, event: &str) -> PayloadBuilder {
        self.body_in(event, &self.common_fields)
    }

    fn body_in(&self, event: &str, around: &CommonFields) -> PayloadBuilder {
        common_fields(event, &self.builder.session.session, &self.about, around)
    }

    /// Reads the metadata that every record of the conversation has.
    fn read_envelope(&mut self, record: &Value, out: &mut Vec<TranscriptItem>) {
        let owned = |key: &str| text(record, key).map(str::to_owned);
        if let Some(id) = owned("sessionId")
            && id != self.builder.session.session
        {
            if self.builder.session.session != "unknown" {
                // The file continues with another session.
                self.end(out);
                *self = JsonlReader { agent_type: self.agent_type.take(), ..JsonlReader::new(&self.about) };
            }
            self.builder.session.session = id;
        }
        let session = &mut self.builder.session;
        session.version = owned("version").or(session.version.take());
        session.project = session.project.take().or_else(|| owned("cwd"));
        self.builder.record_time(time(record));
        self.common_fields.cwd = owned("cwd").or(self.common_fields.cwd.take());
        self.common_fields.prompt_id = owned("promptId").or(self.common_fields.prompt_id.take());
        self.common_fields.permission_mode = owned("permissionMode").or(self.common_fields.permission_mode.take());
        let inside = flag(record, "isSidechain").then(|| SubAgent {
            id: owned("agentId"),
            kind: self.agent_type.clone().or_else(|| owned("attributionAgent")),
        });
        if inside.as_ref().map(|sub| &sub.id) != self.common_fields.sub_agent.as_ref().map(|sub| &sub.id) {
            self.switch_thread(inside);
        } else if let (Some(now), Some(before)) = (inside, &mut self.common_fields.sub_agent)
            && before.kind.is_none()
        {
            before.kind = now.kind;
        }
    }

    /// Switches to the thread of the next record.
    fn switch_thread(&mut self, inside: Option<SubAgent>) {
        let whose = |inside: &Option<SubAgent>| inside.as_ref().map(|sub| sub.id.clone());
        if self.common_fields.sub_agent.is_some() {
            self.stop_if_due(true);
        }
        let left = std::mem::take(&mut self.thread);
        self.other_threads.insert(whose(&self.common_fields.sub_agent), left);
        self.thread = self.other_threads.remove(&whose(&inside)).unwrap_or_default();
        self.common_fields.sub_agent = inside;
    }

    fn user(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(content) = record.pointer("/message/content") else {
            return out.push(TranscriptItem::Skipped { line, why: "a message without content".to_owned() });
        };
        let blocks = content.as_array().map_or(&[] as &[Value], Vec::as_slice);
        let results: Vec<&Value> = blocks.iter().filter(|b| text(b, "type") == Some("tool_result")).collect();
        if !results.is_empty() {
            for block in results {
                self.result(line, record, block, out);
            }
            return;
        }
        if flag(record, "isMeta") || flag(record, "isCompactSummary") || flag(record, "isVisibleInTranscriptOnly") {
            return;
        }
        let prompt = match content {
            Value::String(prompt) => prompt.clone(),
            _ => blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n"),
        };
        if NON_PROMPT_PREFIXES.iter().any(|beginning| prompt.trim_start().starts_with(beginning)) {
            if prompt.trim_start().starts_with(INTERRUPTED) {
                // The reply was interrupted and did not end the turn.
                self.thread.reply.ends_turn.get_or_insert(false);
            }
            return;
        }
        self.advance(false, out);
        self.thread.stop_count = 0;
        let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
        if let Some(inside) = &self.common_fields.sub_agent {
            if !self.started_agents.contains(&inside.id) {
                self.started_agents.push(inside.id.clone());
                let key = inside.id.clone().unwrap_or(key);
                let event =
                    self.builder.build_event("SubagentStart", &key, time(record), line, self.body("SubagentStart"));
                self.pending_events.push("", event);
            }
            return;
        }
        self.builder.record_prompt(&prompt);
        let body = self.body("UserPromptSubmit").put("prompt", prompt);
        self.pending_events.push("", self.builder.build_event("UserPromptSubmit", &key, time(record), line, body));
    }

    fn assistant(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let message = record.get("message").unwrap_or(&Value::Null);
        let at = time(record);
        let blocks = message.get("content").and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
        if flag(record, "isApiErrorMessage") {
            self.advance(false, out);
            return self.add_stop_failure(line, record, blocks);
        }
        if text(message, "model") == Some("<synthetic>") {
            return;
        }
        let id = text(message, "id").or(text(record, "uuid")).unwrap_or_default();
        if id != self.thread.reply.id || id.is_empty() {
            self.advance(true, out);
            self.thread.reply = ModelReply { id: id.to_owned(), ..ModelReply::default() };
        }
        self.common_fields.effort = text(record, "effort").map(str::to_owned);
        self.thread.reply.common_fields = self.common_fields.clone();
        self.thread.reply.ends_turn =
            text(message, "stop_reason").map(|why| matches!(why, "end_turn" | "stop_sequence"));
        for block in blocks {
            match text(block, "type") {
                Some("text") => {
                    (self.thread.reply.line, self.thread.reply.at) = (line, at);
                    self.thread.reply.text = text(block, "text").map(str::to_owned);
                }
                Some("tool_use") => {
                    self.thread.reply.has_calls = true;
                    self.call(line, at, block);
                }
                _ => {}
            }
        }
    }

    /// Adds a StopFailure event for a request that failed.
    fn add_stop_failure(&mut self, line: u64, record: &Value, blocks: &[Value]) {
        let body = self
            .body("StopFailure")
            .put_some("error", text(record, "error"))
            .put_some("last_assistant_message", blocks.iter().find_map(|block| text(block, "text")));
        let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
        self.pending_events.push("", self.builder.build_event("StopFailure", &key, time(record), line, body));
    }

    fn call(&mut self, line: u64, at: Option<i64>, block: &Value) {
        let (Some(id), Some(tool)) = (text(block, "id"), text(block, "name")) else { return };
        let written = block.get("input").cloned().unwrap_or_else(|| json!({}));
        let input = tool_input(tool, &written, self.common_fields.cwd.as_deref(), &self.about);
        let body =
            self.body("PreToolUse").put("tool_name", tool).put("tool_input", input.clone()).put("tool_use_id", id);
        self.pending_events.push_unsure(id, self.builder.build_event("PreToolUse", id, at, line, body));
        let call = PendingCall { tool: tool.to_owned(), written, input, common_fields: self.common_fields.clone() };
        self.calls.insert(id.to_owned(), call);
    }

    fn result(&mut self, line: u64, record: &Value, block: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(id) = text(block, "tool_use_id") else { return };
        let Some(call) = self.calls.remove(id) else {
            return out.push(TranscriptItem::Skipped { line, why: "a result without its call in the file".to_owned() });
        };
        let content = block.get("content").cloned().unwrap_or_else(|| json!(""));
        let says = result_text(&content);
        let done =
            json!({"tool_name": call.tool, "tool_input": call.written, "tool_use_id": id, "tool_response": content});
        self.thread.batch.push(done);
        self.thread.reply.last_result = (line, time(record));
        self.thread.reply.common_fields.cwd.clone_from(&self.common_fields.cwd);
        let decision = record.get("permissionDecision").unwrap_or(&Value::Null);
        let by_hook = text(decision, "source") == Some("hook");
        let failed = flag(block, "is_error");
        if failed && says.starts_with("<tool_use_error>") {
            // The tool does not exist or rejected the input, so no hook ran.
            return self.pending_events.discard("PreToolUse", id);
        }
        self.pending_events.confirm("PreToolUse", id);
        let refusal = hook_runs::read_refusal(&call.tool, &says);
        let rejected = text(decision, "decision") == Some("reject") || record.get("toolDenialKind").is_some();
        if failed && (rejected || refusal.is_some() || is_refusal(&says)) {
            if let Some(before) = self.pending_events.find("PreToolUse", id).filter(|_| by_hook || refusal.is_some()) {
                before.verdict = Some("deny".to_owned());
                // An attachment has more details about the same run.
                let run = refusal
                    .and_then(|refusal| refusal.run)
                    .filter(|run| before.runs.iter().all(|known| known.command != run.command));
                before.runs.extend(run);
            }
            return;
        }
        if by_hook && let Some(before) = self.pending_events.find("PreToolUse", id) {
            before.verdict = Some("allow".to_owned());
        }
        let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
        // PostToolUse hooks receive the current directory, although the call was made in an earlier one.
        let around = CommonFields { cwd: self.common_fields.cwd.clone(), ..call.common_fields };
        let rewritten =
            self.pending_events.find("PreToolUse", id).and_then(|before| hook_runs::rewritten_input(&before.runs));
        let input = rewritten.unwrap_or(call.input);
        let body = self.body_in(event, &around).put("tool_name", call.tool).put("tool_input", input);
        let body = if failed {
            body.put("tool_use_id", id).put("error", says).put("is_interrupt", false)
        } else {
            body.put_some("tool_response", record.get("toolUseResult").cloned()).put("tool_use_id", id)
        };
        self.pending_events.push(id, self.builder.build_event(event, id, time(record), line, body));
    }

    fn attachment(&mut self, line: u64, record: &Value) {
        let attachment = record.get("attachment").unwrap_or(&Value::Null);
        if text(attachment, "hookEvent") == Some("SessionStart") && self.pending_events.last("SessionStart").is_none() {
            let source = text(attachment, "hookName").and_then(|name| name.split_once(':')).map(|(_, source)| source);
            let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
            let body = self.body("SessionStart").put_some("source", source);
            self.pending_events.push("", self.builder.build_event("SessionStart", &key, time(record), line, body));
        }
        let Some((event, call, run)) = hook_runs::read_attachment(attachment) else { return };
        let known = self.pending_events.find(&event, &call).is_some();
        match self.pending_events.last(&event).filter(|_| !known && !event.contains("ToolUse")) {
            // Runs without a tool call have their own id.
            Some(found) => found.runs.push(run),
            None => self.pending_events.add_report(&event, &call, run),
        }
    }

    fn system(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        match text(record, "subtype") {
            Some("stop_hook_summary") => {
                let call = text(record, "toolUseID").unwrap_or_default();
                if self.thread.reply.stopped || self.thread.reply.id.is_empty() {
                    return;
                }
                if self.thread.reply.ends_turn != Some(true) {
                    (self.thread.reply.line, self.thread.reply.at) = (line, time(record));
                }
                self.add_stop(call);
                let name = self.stop_name();
                if let (Some(stop), Some(runs)) = (self.pending_events.last(name), hook_runs::quiet_stop_runs(record)) {
                    stop.verdict = Some("no_objection".to_owned());
                    if stop.runs.is_empty() {
                        stop.runs = runs;
                    }
                }
            }
            Some("compact_boundary") => {
                self.advance(false, out);
                let trigger = record.pointer("/compactMetadata/trigger").and_then(Value::as_str);
                let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
                // The user's instructions are not recorded. An automatic compaction has none.
                let asked = trigger.filter(|t| *t == "auto").map(|_| Value::Null);
                let before =
                    self.body("PreCompact").put_some("trigger", trigger).put_some("custom_instructions", asked);
                let after = self.body("PostCompact").put_some("trigger", trigger);
                self.pending_events.push("", self.builder.build_event("PreCompact", &key, time(record), line, before));
                self.pending_events.push("", self.builder.build_event("PostCompact", &key, time(record), line, after));
            }
            _ => {}
        }
    }

    fn stop_name(&self) -> &'static str {
        if self.thread.reply.common_fields.sub_agent.is_some() { "SubagentStop" } else { "Stop" }
    }

    /// Adds the stop event of the newest reply.
    fn add_stop(&mut self, call: &str) {
        self.thread.reply.stopped = true;
        let name = self.stop_name();
        let inside = self.thread.reply.common_fields.sub_agent.is_some();
        let body = self
            .body_in(name, &self.thread.reply.common_fields)
            .put("stop_hook_active", self.thread.stop_count > 0)
            .put_some("agent_transcript_path", inside.then(|| self.about.path.clone()))
            .put_some("last_assistant_message", self.thread.reply.text.clone());
        let event =
            self.builder.build_event(name, &self.thread.reply.id, self.thread.reply.at, self.thread.reply.line, body);
        self.pending_events.push(call, event);
        self.thread.stop_count += 1;
    }

    /// Finishes the previous step when the agent continues, either within the same turn or with something else.
    fn advance(&mut self, same_turn: bool, out: &mut Vec<TranscriptItem>) {
        self.stop_if_due(same_turn);
        if same_turn && !self.thread.batch.is_empty() && self.thread.reply.ends_turn != Some(true) {
            let calls = std::mem::take(&mut self.thread.batch);
            let (line, at) = self.thread.reply.last_result;
            let body = self.body_in("PostToolBatch", &self.thread.reply.common_fields).put("tool_calls", calls);
            let event = self.builder.build_event("PostToolBatch", &self.thread.reply.id, at, line, body);
            self.pending_events.push("", event);
        }
        self.thread.batch.clear();
        self.pending_events.flush(&mut self.builder, out);
    }

    /// Adds a stop event if the newest reply ends the turn. If that is not recorded, a reply without calls ends
    /// it, unless the turn may still continue.
    fn stop_if_due(&mut self, may_go_on: bool) {
        let reply = &self.thread.reply;
        let last = reply.ends_turn.unwrap_or(!may_go_on && !reply.has_calls);
        if last && reply.text.is_some() && !reply.stopped {
            self.add_stop("");
        }
    }
}

/// Returns the text of a result.
pub(super) fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// Whether the text of a failed result says that the call was not made. Some files have no other sign of it.
fn is_refusal(says: &str) -> bool {
    let beginnings =
        ["The user doesn't want to proceed", "[Request interrupted by user", "Claude requested permissions"];
    beginnings.iter().any(|beginning| says.starts_with(beginning))
}

impl TranscriptReader for JsonlReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let kind = text(&record, "type").unwrap_or_default();
        match kind {
            "user" | "assistant" | "attachment" | "system" => {}
            kind if is_bookkeeping(kind) => return,
            "" => return out.push(TranscriptItem::Skipped { line, why: "a record without a type".to_owned() }),
            kind => {
                return out.push(TranscriptItem::Skipped { line, why: format!("unknown record type {kind}") });
            }
        }
        self.read_envelope(&record, out);
        match kind {
            "user" => self.user(line, &record, out),
            "assistant" => self.assistant(line, &record, out),
            "attachment" => self.attachment(line, &record),
            _ => self.system(line, &record, out),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        // If the file does not record that a reply ended the turn, the turn may still continue.
        self.stop_if_due(true);
        for strand in std::mem::take(&mut self.other_threads).into_values() {
            self.thread = strand;
            self.stop_if_due(true);
        }
        self.pending_events.finish(&mut self.builder, out);
    }
}
