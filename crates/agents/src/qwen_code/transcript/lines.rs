//! Converts the lines of a session, in order, into the events that hooks received.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::payload::{Around, agent_type, common, tool_response};
use crate::shared::conversation::{Status, response, said, said_no};
use crate::shared::rebuilt::{Body, Told, Waiting, flag, text, time};
use hookbench_base::recorded::{About, Read, Reader};

/// Error types of calls that ended before hooks ran.
const UNASKED: [&str; 2] = ["tool_not_registered", "invalid_tool_params"];
/// The error type of a call that the rules or a hook refused.
const DENIED: &str = "execution_denied";

struct Call {
    tool: String,
    args: Value,
}

/// A tool result that was not sent to the model yet: the id of its record, its line, its time, and the time as
/// written.
struct Unsent {
    key: String,
    line: u64,
    at: Option<i64>,
    written: Option<String>,
}

/// The reader of one file.
pub struct Transcript {
    about: About,
    told: Told,
    waiting: Waiting,
    around: Around,
    calls: HashMap<String, Call>,
    /// The newest result that was not sent to the model yet.
    unsent: Option<Unsent>,
    /// Stops since the last prompt.
    stops: u32,
    /// Whether the user requested the next compaction.
    asked_to_compact: bool,
    /// The sub-agent whose start was emitted.
    started: Option<String>,
}

impl Transcript {
    /// Creates a reader for one file.
    pub fn new(about: &About) -> Transcript {
        Transcript {
            told: Told::new("qwen", about),
            about: about.clone(),
            waiting: Waiting::default(),
            around: Around::default(),
            calls: HashMap::new(),
            unsent: None,
            stops: 0,
            asked_to_compact: false,
            started: None,
        }
    }

    fn body(&self, event: &str) -> Body {
        common(event, &self.told.session.session, &self.about, &self.around)
    }

    fn envelope(&mut self, record: &Value) {
        let owned = |key: &str| text(record, key).map(str::to_owned);
        let session = &mut self.told.session;
        if let Some(id) = owned("sessionId").filter(|_| session.session == "unknown") {
            session.session = id;
        }
        session.version = owned("version").or(session.version.take());
        session.project = session.project.take().or_else(|| owned("cwd"));
        self.told.at(time(record));
        self.around.cwd = owned("cwd").or(self.around.cwd.take());
        self.around.at = owned("timestamp");
        self.around.prompt_id = owned("promptId").or(self.around.prompt_id.take());
        self.around.agent_id = owned("agentId").filter(|_| flag(record, "isSidechain"));
    }

    /// Emits the start of a sub-agent at its first record.
    fn start(&mut self, line: u64, record: &Value) {
        if self.around.agent_id.is_none() || self.around.agent_id == self.started {
            return;
        }
        self.started.clone_from(&self.around.agent_id);
        let id = self.started.clone().unwrap_or_default();
        let body = self.body("SubagentStart").maybe("agent_type", agent_type(&id));
        self.waiting.push("", self.told.event("SubagentStart", &id, time(record), line, body));
    }

    fn user(&mut self, line: u64, record: &Value, out: &mut Vec<Read>) {
        // Notifications, scheduled prompts, goals and the like do not fire these hooks.
        let own = matches!(text(record, "provenance"), None | Some("real_user"));
        if record.get("subtype").is_some() || !own || self.around.agent_id.is_some() {
            return;
        }
        self.waiting.release(&mut self.told, out);
        (self.stops, self.unsent) = (0, None);
        let payload = record.get("systemPayload");
        let added = payload.and_then(|payload| text(payload, "hookContext")).filter(|added| !added.is_empty());
        let parts = record.pointer("/message/parts").and_then(Value::as_array).cloned().unwrap_or_default();
        let hers: Vec<Value> = parts
            .into_iter()
            .filter(|part| added.is_none_or(|added| !text(part, "text").is_some_and(|text| text.contains(added))))
            .collect();
        let prompt = said(&Value::Array(hers));
        let submitted = payload.and_then(|payload| text(payload, "displayText"));
        self.told.asked(submitted.unwrap_or(&prompt));
        let body = self.body("UserPromptSubmit").put("prompt", prompt).maybe("submitted_prompt", submitted);
        let key = text(record, "uuid").unwrap_or_default();
        self.waiting.push("", self.told.event("UserPromptSubmit", key, time(record), line, body));
    }

    fn assistant(&mut self, line: u64, record: &Value, out: &mut Vec<Read>) {
        if let Some(Unsent { key, line, at, written }) = self.unsent.take().filter(|_| self.around.agent_id.is_none()) {
            // Results are sent to the model as prompts without text, and fire hooks (spec §5.2).
            let around = Around { at: written, ..self.around.clone() };
            let body = common("UserPromptSubmit", &self.told.session.session, &self.about, &around).put("prompt", "");
            self.waiting.push("", self.told.event("UserPromptSubmit", &key, at, line, body));
        }
        self.waiting.release(&mut self.told, out);
        let parts = record.pointer("/message/parts").cloned().unwrap_or(Value::Null);
        let calls = parts.as_array().into_iter().flatten().filter_map(|part| part.get("functionCall"));
        let mut called = false;
        for call in calls {
            let (Some(id), Some(tool)) = (text(call, "id"), text(call, "name")) else { continue };
            called = true;
            let args = call.get("args").cloned().unwrap_or_else(|| json!({}));
            let body =
                self.body("PreToolUse").put("tool_name", tool).put("tool_input", args.clone()).put("tool_call_id", id);
            self.waiting.push_unsure(id, self.told.event("PreToolUse", id, time(record), line, body));
            self.calls.insert(id.to_owned(), Call { tool: tool.to_owned(), args });
        }
        if !called && !parts.is_null() {
            self.stop(line, record, &said(&parts));
        }
    }

    /// Emits a stop: a reply without calls ends the turn.
    fn stop(&mut self, line: u64, record: &Value, says: &str) {
        let inside = self.around.agent_id.clone();
        let says = if says.is_empty() { "[no response text]" } else { says };
        let key = text(record, "uuid").unwrap_or_default();
        let name = if inside.is_some() { "SubagentStop" } else { "Stop" };
        let body = self.body(name).put("stop_hook_active", self.stops > 0);
        let body = match &inside {
            Some(id) => body
                .maybe("agent_type", agent_type(id))
                .put("agent_transcript_path", self.about.path.clone())
                .put("last_assistant_message", says),
            None => body.put("last_assistant_message", says),
        };
        self.waiting.push("", self.told.event(name, key, time(record), line, body));
        self.stops += 1;
    }

    fn result(&mut self, line: u64, record: &Value, out: &mut Vec<Read>) {
        let done = record.get("toolCallResult").unwrap_or(&Value::Null);
        let parts = record.pointer("/message/parts").unwrap_or(&Value::Null);
        let answered = parts.pointer("/0/functionResponse/id").and_then(Value::as_str);
        let Some(id) = text(done, "callId").or(answered) else { return };
        let Some(call) = self.calls.remove(id) else {
            return out.push(Read::Skipped { line, why: "a result whose call is not in the file".to_owned() });
        };
        let key = text(record, "uuid").unwrap_or_default().to_owned();
        self.unsent = Some(Unsent { key, line, at: time(record), written: self.around.at.clone() });
        let (output, error) = response(parts);
        let kind = text(done, "errorType");
        let status = Status::of(text(done, "status"));
        // Hooks run only after permission is granted.
        let no = status == Status::Cancelled && error.as_deref().is_some_and(said_no);
        if no || kind.is_some_and(|kind| UNASKED.contains(&kind)) {
            return self.waiting.remove("PreToolUse", id);
        }
        if kind == Some(DENIED) {
            self.waiting.remove("PreToolUse", id);
            let why = "the call was refused; by the rules before hooks were asked, or by one, is not told".to_owned();
            return out.push(Read::Skipped { line, why });
        }
        self.waiting.settle("PreToolUse", id);
        let failed = match status {
            Status::Open => error.is_some(),
            status => status != Status::Done,
        };
        if failed {
            let body = self
                .body("PostToolUseFailure")
                .put("tool_call_id", id)
                .put("tool_name", call.tool)
                .put("tool_input", call.args)
                .maybe("error", error)
                .put("is_interrupt", status == Status::Cancelled);
            let event = self.told.event("PostToolUseFailure", id, time(record), line, body);
            return self.waiting.push(id, event);
        }
        let shown = done.get("resultDisplay").filter(|shown| !shown.is_null()).cloned();
        let body = self
            .body("PostToolUse")
            .put("tool_name", call.tool)
            .put("tool_input", call.args)
            .maybe("tool_response", output.map(|output| tool_response(output, shown)))
            .put("tool_call_id", id);
        self.waiting.push(id, self.told.event("PostToolUse", id, time(record), line, body));
    }

    fn system(&mut self, line: u64, record: &Value, out: &mut Vec<Read>) {
        let payload = record.get("systemPayload").unwrap_or(&Value::Null);
        match text(record, "subtype") {
            Some("session_approval_mode") => self.around.mode = text(payload, "mode").map(str::to_owned),
            Some("slash_command") if text(payload, "phase") == Some("invocation") => {
                let command = text(payload, "rawCommand").unwrap_or_default();
                self.asked_to_compact = command.starts_with("/compress") || command.starts_with("/summarize");
            }
            Some("chat_compression") => {
                self.waiting.release(&mut self.told, out);
                let trigger = if self.asked_to_compact { "manual" } else { "auto" };
                self.asked_to_compact = false;
                let key = text(record, "uuid").unwrap_or_default();
                let before = self.body("PreCompact").put("trigger", trigger).put("custom_instructions", "");
                self.waiting.push("", self.told.event("PreCompact", key, time(record), line, before));
                let summary = payload.pointer("/compressedHistory/0/parts").map(said).filter(|said| !said.is_empty());
                let after = self.body("PostCompact").put("trigger", trigger).maybe("compact_summary", summary);
                self.waiting.push("", self.told.event("PostCompact", key, time(record), line, after));
            }
            _ => {}
        }
    }
}

impl Reader for Transcript {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<Read>) {
        let kind = text(&record, "type").unwrap_or_default();
        if !matches!(kind, "user" | "assistant" | "tool_result" | "system") {
            let why = match kind {
                "" => "a record without a type".to_owned(),
                kind => format!("records of type {kind} are not known"),
            };
            return out.push(Read::Skipped { line, why });
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

    fn end(&mut self, out: &mut Vec<Read>) {
        self.waiting.end(&mut self.told, out);
    }
}
