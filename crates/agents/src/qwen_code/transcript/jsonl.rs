//! Converts the lines of a session, in order, into the events that hooks received.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::shared::conversation::{CallStatus, function_response, is_user_refusal, message_text};
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder, flag, text, time};
use hookbench_base::recorded::{CallOutput, CalledTool, FileContext, MessagePart, TranscriptItem, TranscriptReader};

/// Error types of calls that ended before hooks ran.
const UNHOOKED_ERRORS: [&str; 2] = ["tool_not_registered", "invalid_tool_params"];
/// The error type of a call that the rules or a hook refused.
const DENIED_ERROR: &str = "execution_denied";

struct PendingCall {
    tool: String,
    args: Value,
}

/// A tool result that was not sent to the model yet: the id of its record, its line, its time, and the time as
/// written.
struct UnsentResult {
    key: String,
    line: u64,
    at: Option<i64>,
    written: Option<String>,
}

/// The reader of one file.
#[derive(Default)]
pub struct JsonlReader {
    about: FileContext,
    builder: SessionBuilder,
    pending_events: EventBuffer,
    common_fields: CommonFields,
    calls: HashMap<String, PendingCall>,
    /// The newest result that was not sent to the model yet.
    unsent_result: Option<UnsentResult>,
    /// Stops since the last prompt.
    stop_count: u32,
    /// Whether the user requested the next compaction.
    compaction_requested: bool,
    /// The sub-agent whose start was emitted.
    started_agent: Option<String>,
}

impl JsonlReader {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> JsonlReader {
        JsonlReader { builder: SessionBuilder::new("qwen", about), about: about.clone(), ..JsonlReader::default() }
    }

    fn body(&self, event: &str) -> PayloadBuilder {
        common(event, &self.builder.session.session, &self.about, &self.common_fields)
    }

    fn envelope(&mut self, record: &Value) {
        let owned = |key: &str| text(record, key).map(str::to_owned);
        let session = &mut self.builder.session;
        if let Some(id) = owned("sessionId").filter(|_| session.session == "unknown") {
            session.session = id;
        }
        session.version = owned("version").or(session.version.take());
        session.project = session.project.take().or_else(|| owned("cwd"));
        self.builder.record_time(time(record));
        self.common_fields.cwd = owned("cwd").or(self.common_fields.cwd.take());
        self.common_fields.at = owned("timestamp");
        self.common_fields.prompt_id = owned("promptId").or(self.common_fields.prompt_id.take());
        self.common_fields.agent_id = owned("agentId").filter(|_| flag(record, "isSidechain"));
    }

    /// Emits the start of a sub-agent at its first record.
    fn start(&mut self, line: u64, record: &Value) {
        if self.common_fields.agent_id.is_none() || self.common_fields.agent_id == self.started_agent {
            return;
        }
        self.started_agent.clone_from(&self.common_fields.agent_id);
        let id = self.started_agent.clone().unwrap_or_default();
        let body = self.body("SubagentStart").put_some("agent_type", agent_type(&id));
        self.pending_events.push("", self.builder.build_event("SubagentStart", &id, time(record), line, body));
    }

    fn user(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        // Notifications, scheduled prompts, goals and the like do not fire these hooks.
        let own = matches!(text(record, "provenance"), None | Some("real_user"));
        if record.get("subtype").is_some() || !own || self.common_fields.agent_id.is_some() {
            return;
        }
        self.pending_events.flush(&mut self.builder, out);
        (self.stop_count, self.unsent_result) = (0, None);
        let payload = record.get("systemPayload");
        let added = payload.and_then(|payload| text(payload, "hookContext")).filter(|added| !added.is_empty());
        let parts = record.pointer("/message/parts").and_then(Value::as_array).cloned().unwrap_or_default();
        let hers: Vec<Value> = parts
            .into_iter()
            .filter(|part| added.is_none_or(|added| !text(part, "text").is_some_and(|text| text.contains(added))))
            .collect();
        let prompt = message_text(&Value::Array(hers));
        let submitted = payload.and_then(|payload| text(payload, "displayText"));
        self.builder.record_prompt(submitted.unwrap_or(&prompt));
        let body = self.body("UserPromptSubmit").put("prompt", prompt).put_some("submitted_prompt", submitted);
        let key = text(record, "uuid").unwrap_or_default();
        self.pending_events.push("", self.builder.build_event("UserPromptSubmit", key, time(record), line, body));
    }

    fn assistant(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        if let Some(UnsentResult { key, line, at, written }) =
            self.unsent_result.take().filter(|_| self.common_fields.agent_id.is_none())
        {
            // Results are sent to the model as prompts without text, and fire hooks (spec §5.2).
            let around = CommonFields { at: written, ..self.common_fields.clone() };
            let body =
                common("UserPromptSubmit", &self.builder.session.session, &self.about, &around).put("prompt", "");
            self.pending_events.push("", self.builder.build_event("UserPromptSubmit", &key, at, line, body));
        }
        self.pending_events.flush(&mut self.builder, out);
        let parts = record.pointer("/message/parts").cloned().unwrap_or(Value::Null);
        let calls = parts.as_array().into_iter().flatten().filter_map(|part| part.get("functionCall"));
        let mut called = false;
        for call in calls {
            let (Some(id), Some(tool)) = (text(call, "id"), text(call, "name")) else { continue };
            called = true;
            let args = call.get("args").cloned().unwrap_or_else(|| json!({}));
            let body =
                self.body("PreToolUse").put("tool_name", tool).put("tool_input", args.clone()).put("tool_call_id", id);
            self.pending_events.push_unsure(id, self.builder.build_event("PreToolUse", id, time(record), line, body));
            self.calls.insert(id.to_owned(), PendingCall { tool: tool.to_owned(), args });
        }
        if !called && !parts.is_null() {
            self.stop(line, record, &message_text(&parts));
        }
    }

    /// Emits a stop: a reply without calls ends the turn.
    fn stop(&mut self, line: u64, record: &Value, says: &str) {
        let inside = self.common_fields.agent_id.clone();
        let says = if says.is_empty() { "[no response text]" } else { says };
        let key = text(record, "uuid").unwrap_or_default();
        let name = if inside.is_some() { "SubagentStop" } else { "Stop" };
        let body = self.body(name).put("stop_hook_active", self.stop_count > 0);
        let body = match &inside {
            Some(id) => body
                .put_some("agent_type", agent_type(id))
                .put("agent_transcript_path", self.about.path.clone())
                .put("last_assistant_message", says),
            None => body.put("last_assistant_message", says),
        };
        self.pending_events.push("", self.builder.build_event(name, key, time(record), line, body));
        self.stop_count += 1;
    }

    fn result(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let done = record.get("toolCallResult").unwrap_or(&Value::Null);
        let parts = record.pointer("/message/parts").unwrap_or(&Value::Null);
        let answered = parts.pointer("/0/functionResponse/id").and_then(Value::as_str);
        let Some(id) = text(done, "callId").or(answered) else { return };
        let Some(call) = self.calls.remove(id) else {
            return out.push(TranscriptItem::Skipped { line, why: "a result without its call in the file".to_owned() });
        };
        let key = text(record, "uuid").unwrap_or_default().to_owned();
        self.unsent_result = Some(UnsentResult { key, line, at: time(record), written: self.common_fields.at.clone() });
        let (output, error) = function_response(parts);
        let kind = text(done, "errorType");
        let status = CallStatus::from_word(text(done, "status"));
        // Hooks run only after permission is granted.
        let no = status == CallStatus::Cancelled && error.as_deref().is_some_and(is_user_refusal);
        if no || kind.is_some_and(|kind| UNHOOKED_ERRORS.contains(&kind)) {
            return self.pending_events.discard("PreToolUse", id);
        }
        if kind == Some(DENIED_ERROR) {
            self.pending_events.discard("PreToolUse", id);
            let why = "the call was denied, either by the rules or by a hook; the file does not show which".to_owned();
            return out.push(TranscriptItem::Skipped { line, why });
        }
        self.pending_events.confirm("PreToolUse", id);
        let failed = match status {
            CallStatus::Unknown => error.is_some(),
            status => status != CallStatus::Done,
        };
        if failed {
            let body = self
                .body("PostToolUseFailure")
                .put("tool_call_id", id)
                .put("tool_name", call.tool)
                .put("tool_input", call.args)
                .put_some("error", error)
                .put("is_interrupt", status == CallStatus::Cancelled);
            let event = self.builder.build_event("PostToolUseFailure", id, time(record), line, body);
            return self.pending_events.push(id, event);
        }
        let shown = done.get("resultDisplay").filter(|shown| !shown.is_null()).cloned();
        let body = self
            .body("PostToolUse")
            .put("tool_name", call.tool)
            .put("tool_input", call.args)
            .put_some("tool_response", output.map(|output| tool_response(output, shown)))
            .put("tool_call_id", id);
        self.pending_events.push(id, self.builder.build_event("PostToolUse", id, time(record), line, body));
    }

    fn system(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let payload = record.get("systemPayload").unwrap_or(&Value::Null);
        match text(record, "subtype") {
            Some("session_approval_mode") => self.common_fields.mode = text(payload, "mode").map(str::to_owned),
            Some("slash_command") if text(payload, "phase") == Some("invocation") => {
                let command = text(payload, "rawCommand").unwrap_or_default();
                self.compaction_requested = command.starts_with("/compress") || command.starts_with("/summarize");
            }
            Some("chat_compression") => {
                self.pending_events.flush(&mut self.builder, out);
                let trigger = if self.compaction_requested { "manual" } else { "auto" };
                self.compaction_requested = false;
                let key = text(record, "uuid").unwrap_or_default();
                let before = self.body("PreCompact").put("trigger", trigger).put("custom_instructions", "");
                self.pending_events.push("", self.builder.build_event("PreCompact", key, time(record), line, before));
                let summary =
                    payload.pointer("/compressedHistory/0/parts").map(message_text).filter(|said| !said.is_empty());
                let after = self.body("PostCompact").put("trigger", trigger).put_some("compact_summary", summary);
                self.pending_events.push("", self.builder.build_event("PostCompact", key, time(record), line, after));
            }
            _ => {}
        }
    }
}

impl TranscriptReader for JsonlReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let kind = text(&record, "type").unwrap_or_default();
        if !matches!(kind, "user" | "assistant" | "tool_result" | "system") {
            let why = match kind {
                "" => "a record without a type".to_owned(),
                kind => format!("unknown record type {kind}"),
            };
            return out.push(TranscriptItem::Skipped { line, why });
        }
        self.envelope(&record);
        self.start(line, &record);
        match kind {
            "user" => self.user(line, &record, out),
            "assistant" => self.assistant(line, &record, out),
            "tool_result" => self.result(line, &record, out),
            _ => self.system(line, &record, out),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.pending_events.finish(&mut self.builder, out);
    }
}

/// The values of the keys before an event's own keys.
#[derive(Debug, Clone, Default)]
pub struct CommonFields {
    pub cwd: Option<String>,
    /// The time of the record, as written: the event fired about then.
    pub at: Option<String>,
    /// The approval mode as written.
    pub mode: Option<String>,
    pub prompt_id: Option<String>,
    pub agent_id: Option<String>,
}

/// Events that carry the mode in its internal spelling.
const RAW_MODE: [&str; 5] = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest"];

/// Returns the keys before the event's own keys, in their order. Unknown values are omitted.
pub fn common(event: &str, session: &str, about: &FileContext, around: &CommonFields) -> PayloadBuilder {
    let mode = around.mode.as_deref().map(|mode| match mode {
        "auto-edit" if !RAW_MODE.contains(&event) => "auto_edit",
        mode => mode,
    });
    PayloadBuilder::default()
        .put("session_id", session)
        .put_some("transcript_path", session_file(about))
        .put_some("cwd", around.cwd.clone())
        .put("hook_event_name", event)
        .put_some("timestamp", around.at.clone())
        .put_some("permission_mode", mode)
        .put_some("agent_id", around.agent_id.clone())
        .put_some("prompt_id", around.prompt_id.clone())
}

/// Returns the transcript of the session. A sub-agent's own file is in the `subagents` directory next to `chats`.
fn session_file(about: &FileContext) -> Option<String> {
    let Some((project, inside)) = about.path.split_once("/subagents/") else { return Some(about.path.clone()) };
    let (session, _) = inside.split_once('/')?;
    Some(format!("{project}/chats/{session}.jsonl"))
}

/// Returns a tool's response.
pub fn tool_response(output: Value, shown: Option<Value>) -> Value {
    PayloadBuilder::default().put("llmContent", output).put_some("returnDisplay", shown).into_value()
}

/// Returns the type of a sub-agent, which its id begins with: `<type>-<call>`.
pub fn agent_type(id: &str) -> Option<&str> {
    id.find("-call").and_then(|at| id.get(..at))
}

/// Returns the parts of a record. Notifications and texts that hooks added are left out.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(parts) = record.pointer("/message/parts") else { return Vec::new() };
    match text(record, "type") {
        Some("user") => {
            let own = matches!(text(record, "provenance"), None | Some("real_user"));
            let shown = record.pointer("/systemPayload/displayText").and_then(Value::as_str);
            let spoken = shown.map_or_else(|| message_text(parts), str::to_owned);
            let own = own && record.get("subtype").is_none() && !spoken.trim().is_empty();
            if own { vec![MessagePart::UserText(spoken)] } else { Vec::new() }
        }
        Some("assistant") => {
            let spoken = Some(message_text(parts)).filter(|text| !text.trim().is_empty());
            let calls = parts.as_array().into_iter().flatten().filter_map(|part| part.get("functionCall"));
            let calls = calls.filter_map(|call| {
                let input = call.get("args").cloned().unwrap_or_else(|| json!({}));
                let id = text(call, "id").map(str::to_owned);
                Some(MessagePart::Call(CalledTool { id, tool: text(call, "name")?.to_owned(), input }))
            });
            spoken.map(MessagePart::ModelText).into_iter().chain(calls).collect()
        }
        Some("tool_result") => {
            let (output, error) = function_response(parts);
            let done = record.get("toolCallResult").unwrap_or(&Value::Null);
            let answered = parts.pointer("/0/functionResponse/id").and_then(Value::as_str);
            let failed = Some(error.is_some() || !matches!(text(done, "status"), None | Some("success")));
            let output = output.as_ref().map(message_text);
            vec![MessagePart::Result(CallOutput {
                call: text(done, "callId").or(answered).map(str::to_owned),
                text: error.or(output).unwrap_or_default(),
                failed,
            })]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_session_s_file() {
        for (path, want) in [
            ("/q/projects/-p/chats/s.jsonl", "/q/projects/-p/chats/s.jsonl"),
            ("/q/projects/-p/subagents/s/agent-a.jsonl", "/q/projects/-p/chats/s.jsonl"),
        ] {
            let about = FileContext { path: path.to_owned(), ..FileContext::default() };
            assert_eq!(session_file(&about).as_deref(), Some(want));
        }
    }

    #[test]
    fn modes_have_two_spellings() {
        let around = CommonFields { mode: Some("auto-edit".to_owned()), ..CommonFields::default() };
        for (event, want) in [("PreToolUse", "auto-edit"), ("Stop", "auto_edit")] {
            let body = common(event, "s", &FileContext::default(), &around).into_value();
            assert_eq!(body["permission_mode"], json!(want), "{event}");
        }
    }

    #[test]
    fn sub_agents_are_named_after_their_kind() {
        assert_eq!(agent_type("general-purpose-call_m1_0"), Some("general-purpose"));
        assert_eq!(agent_type("explore-7f3c"), None);
    }
}
