//! Converts the messages of a session, in order, into the events that hooks received.

use serde_json::{Value, json};

use super::project_hash;
use crate::shared::conversation::{CallStatus, ToolCall, failed_before_hooks, message_text, tool_calls};
use crate::shared::reconstruction::{PayloadBuilder, SessionBuilder, text, time};
use hookbench_base::recorded::{FileContext, RecordedEvent, TranscriptItem, parse_time};

/// The error texts of a call that a hook has refused.
const REFUSED_ERRORS: [&str; 2] = ["Tool execution blocked: ", "Agent execution stopped by hook: "];

/// The tags around a context that hooks have added.
const CONTEXT_TAGS: (&str, &str) = ("<hook_context>", "</hook_context>");

/// A prompt, and the model's replies since.
struct ConversationTurn {
    id: String,
    prompt: String,
    replies: Vec<ModelReply>,
}

struct ModelReply {
    id: String,
    line: u64,
    at: Option<String>,
    text: String,
    calls: usize,
}

/// The messages of one file. A message is repeated if something was added to it.
pub struct MessageReader {
    about: FileContext,
    builder: SessionBuilder,
    cwd: Option<String>,
    /// Whether this is a sub-agent's file: its prompts come from the program, not from a user.
    is_sub_agent: bool,
    turn: Option<ConversationTurn>,
    /// Calls without a result, with the line of their message.
    open_calls: Vec<(String, u64)>,
}

impl MessageReader {
    /// Creates a reader of one file's messages.
    pub fn new(about: &FileContext) -> MessageReader {
        let mut told = SessionBuilder::new("gemini", about);
        let cwd = about.companion.as_deref().map(str::trim).filter(|path| path.starts_with('/')).map(str::to_owned);
        told.session.project.clone_from(&cwd);
        MessageReader {
            about: about.clone(),
            builder: told,
            cwd,
            is_sub_agent: false,
            turn: None,
            open_calls: Vec::new(),
        }
    }

    /// Reads a record's facts about the session.
    pub fn read_session_facts(&mut self, record: &Value) {
        if let Some(id) = text(record, "sessionId") {
            id.clone_into(&mut self.builder.session.session);
        }
        self.is_sub_agent |= text(record, "kind") == Some("subagent");
        if self.cwd.is_none() && text(record, "projectHash") == Some(&project_hash(&self.about.project)) {
            self.cwd = Some(self.about.project.clone());
            self.builder.session.project.clone_from(&self.cwd);
        }
        self.builder.record_time(text(record, "startTime").and_then(parse_time));
        self.builder.record_time(text(record, "lastUpdated").and_then(parse_time));
    }

    /// Handles one message.
    pub fn message(&mut self, line: u64, message: &Value, out: &mut Vec<TranscriptItem>) {
        let id = text(message, "id").unwrap_or_default();
        let content = message.get("content").unwrap_or(&Value::Null);
        self.builder.record_time(time(message));
        match text(message, "type") {
            // Results return to the model as user messages too.
            Some("user") if content.to_string().contains("\"functionResponse\"") => {}
            Some("user") => {
                if let Some(prompt) = prompt_text(content) {
                    self.prompt(line, id, message, prompt, out);
                }
            }
            Some("gemini") => self.reply(line, id, message, message_text(content), out),
            Some("info" | "error" | "warning") => {}
            kind => {
                let why = format!("unknown message type {}", kind.unwrap_or("(none)"));
                out.push(TranscriptItem::Skipped { line, why });
            }
        }
    }

    fn prompt(&mut self, line: u64, id: &str, message: &Value, prompt: String, out: &mut Vec<TranscriptItem>) {
        if self.turn.as_ref().is_some_and(|turn| turn.id == id) {
            return;
        }
        self.end_turn(out);
        self.builder.record_prompt(&prompt);
        if !self.is_sub_agent {
            let body = self.common("BeforeAgent", text(message, "timestamp")).put("prompt", prompt.clone());
            self.push(self.builder.build_event("BeforeAgent", id, time(message), line, body), out);
        }
        self.turn = Some(ConversationTurn { id: id.to_owned(), prompt, replies: Vec::new() });
    }

    fn reply(&mut self, line: u64, id: &str, message: &Value, says: String, out: &mut Vec<TranscriptItem>) {
        let calls = tool_calls(message);
        let at = text(message, "timestamp").map(str::to_owned);
        let reply = ModelReply { id: id.to_owned(), line, at, text: says, calls: calls.len() };
        if let Some(turn) = &mut self.turn {
            match turn.replies.iter_mut().find(|known| known.id == id) {
                Some(known) => *known = reply,
                None => turn.replies.push(reply),
            }
        }
        for call in &calls {
            self.call(line, message, call, out);
        }
    }

    fn call(&mut self, line: u64, message: &Value, call: &ToolCall<'_>, out: &mut Vec<TranscriptItem>) {
        self.open_calls.retain(|(id, _)| id != call.id);
        if call.status == CallStatus::Unknown {
            return self.open_calls.push((call.id.to_owned(), line));
        }
        let error = call.error.clone().unwrap_or_default();
        if call.status == CallStatus::Failed && failed_before_hooks(&error) {
            return;
        }
        let own = |body: PayloadBuilder| body.put("tool_name", call.tool).put("tool_input", call.args.clone());
        let before = own(self.common("BeforeTool", text(message, "timestamp")));
        let mut before = self.builder.build_event("BeforeTool", call.id, time(message), line, before);
        let refused = REFUSED_ERRORS.iter().any(|beginning| error.starts_with(beginning));
        if refused {
            before.verdict = Some("deny".to_owned());
        }
        self.push(before, out);
        if refused || call.status == CallStatus::Cancelled {
            return;
        }
        let calls = message.get("toolCalls").and_then(Value::as_array);
        let raw = calls.into_iter().flatten().find(|raw| text(raw, "id") == Some(call.id)).unwrap_or(message);
        let after =
            own(self.common("AfterTool", text(raw, "timestamp"))).put_some("tool_response", tool_response(call));
        self.push(self.builder.build_event("AfterTool", call.id, time(raw), line, after), out);
    }

    /// Ends the turn. At the end of an unfinished file this may be too early; the event keeps its id when it is
    /// repeated.
    fn end_turn(&mut self, out: &mut Vec<TranscriptItem>) {
        let Some(turn) = self.turn.take() else { return };
        let Some(last) = turn.replies.last().filter(|last| last.calls == 0 && !last.text.is_empty()) else { return };
        if self.is_sub_agent {
            return;
        }
        let says: Vec<&str> = turn.replies.iter().map(|r| r.text.as_str()).filter(|text| !text.is_empty()).collect();
        let body = self
            .common("AfterAgent", last.at.as_deref())
            .put("prompt", turn.prompt.clone())
            .put("prompt_response", says.join("\n"))
            .put("stop_hook_active", false);
        let at = last.at.as_deref().and_then(parse_time);
        self.push(self.builder.build_event("AfterAgent", &turn.id, at, last.line, body), out);
    }

    fn common(&self, event: &str, at: Option<&str>) -> PayloadBuilder {
        PayloadBuilder::default()
            .put("session_id", self.builder.session.session.clone())
            .put("transcript_path", self.about.path.clone())
            .put_some("cwd", self.cwd.clone())
            .put("hook_event_name", event)
            .put_some("timestamp", at)
    }

    fn push(&mut self, event: RecordedEvent, out: &mut Vec<TranscriptItem>) {
        self.builder.emit_session(false, out);
        out.push(TranscriptItem::Event(Box::new(event)));
    }

    /// Ends the file.
    pub fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.end_turn(out);
        for (_, line) in self.open_calls.drain(..) {
            let why = "the call has no result yet, so it is unknown whether hooks ran".to_owned();
            out.push(TranscriptItem::Skipped { line, why });
        }
        self.builder.emit_session(true, out);
    }
}

/// Returns the prompt as hooks received it, without the parts that hooks added after it. `None` for the program's
/// own message at the start of a session.
fn prompt_text(content: &Value) -> Option<String> {
    let added = |part: &&Value| text(part, "text").is_some_and(|text| text.starts_with(CONTEXT_TAGS.0));
    let prompt = match content {
        Value::Array(parts) if parts.len() > 1 => {
            let first = parts.iter().take(1).chain(parts.iter().skip(1).filter(|part| !added(part)));
            message_text(&first.cloned().collect())
        }
        content => message_text(content),
    };
    (!prompt.starts_with("<session_context>")).then_some(prompt)
}

/// Returns a tool's answer without the context that a hook added to it.
fn without_hook_context(answer: &str) -> &str {
    let added = answer.strip_suffix(CONTEXT_TAGS.1).and_then(|before| before.rfind(&format!("\n\n{}", CONTEXT_TAGS.0)));
    added.and_then(|at| answer.get(..at)).unwrap_or(answer)
}

/// Returns the answer that hooks received. The model's text for a failed call is not recorded, so it is omitted.
fn tool_response(call: &ToolCall<'_>) -> Option<Value> {
    let shown = call.displayed.clone();
    if call.status == CallStatus::Failed {
        let error = json!({"message": call.error.clone()?});
        return Some(PayloadBuilder::default().put_some("returnDisplay", shown).put("error", error).into_value());
    }
    // MCP servers answer in parts.
    let output = match call.output.clone()? {
        Value::String(text) => Value::from(without_hook_context(&text)),
        output => output,
    };
    let output = if call.tool.starts_with("mcp_") && output.is_string() { json!([{"text": output}]) } else { output };
    Some(PayloadBuilder::default().put("llmContent", output).put_some("returnDisplay", shown).into_value())
}
