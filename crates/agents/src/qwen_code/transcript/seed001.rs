//! The line format that seed 001 specifies: `{type, message: {role, content}, timestamp, turnId}`. It names calls
//! and results without specifying their bodies; the usual shapes are accepted (C-70).

use serde_json::{Value, json};

use crate::shared::conversation::message_text;
use crate::shared::reconstruction::{PayloadBuilder, SessionBuilder, flag, stem, text, time};
use hookbench_base::recorded::{
    CallOutput, CalledTool, FileContext, FormatFit, MessagePart, TranscriptItem, TranscriptReader,
};

/// Returns how well a record fits this format.
pub fn fit(record: &Value) -> FormatFit {
    let kind = matches!(text(record, "type"), Some("user" | "assistant" | "tool_call" | "tool_result" | "system"));
    if !kind || record.get("uuid").is_some() || record.get("payload").is_some() {
        return FormatFit::No;
    }
    match (record.get("turnId").is_some(), record.pointer("/message/content").is_some()) {
        (true, _) => FormatFit::Certain,
        (false, true) => FormatFit::Possible,
        (false, false) => FormatFit::No,
    }
}

/// Returns the parts of the message that a record holds.
pub fn message(record: &Value) -> Vec<MessagePart> {
    if record.get("uuid").is_some() {
        return Vec::new();
    }
    match text(record, "type") {
        Some("tool_call") => {
            let block = block(record, "tool_use");
            let tool = ["name", "tool_name", "toolName", "tool"].iter().find_map(|key| text(block, key));
            let input = ["input", "tool_input", "args", "params"].iter().find_map(|key| block.get(key));
            let Some(tool) = tool else { return Vec::new() };
            let input = input.cloned().unwrap_or_else(|| json!({}));
            vec![MessagePart::Call(CalledTool { id: id(block), tool: tool.to_owned(), input })]
        }
        Some("tool_result") if record.pointer("/message/parts").is_none() => {
            let block = block(record, "tool_result");
            let answer = ["output", "content", "result", "response"].iter().find_map(|key| block.get(key));
            let failed = Some(flag(block, "is_error") || flag(record, "is_error"));
            let call = text(block, "tool_use_id").map(str::to_owned);
            vec![MessagePart::Result(CallOutput { call, text: answer.map(message_text).unwrap_or_default(), failed })]
        }
        _ => Vec::new(),
    }
}

/// A call that waits for its result.
struct Seed001Call {
    id: Option<String>,
    tool: String,
    input: Value,
}

/// The reader of one file.
pub struct Seed001Reader {
    about: FileContext,
    builder: SessionBuilder,
    calls: Vec<Seed001Call>,
    /// The model's newest message since the last prompt: line, time, text.
    last_message: Option<(u64, Option<i64>, String)>,
}

impl Seed001Reader {
    /// Creates a reader for one file. The lines do not name their session; the file name does.
    pub fn new(about: &FileContext) -> Seed001Reader {
        let mut told = SessionBuilder::new("qwen", about);
        stem(&about.path).clone_into(&mut told.session.session);
        Seed001Reader { about: about.clone(), builder: told, calls: Vec::new(), last_message: None }
    }

    fn event(&mut self, event: &str, at: Option<i64>, line: u64, own: PayloadBuilder, out: &mut Vec<TranscriptItem>) {
        let Value::Object(own) = own.into_value() else { return };
        let body = PayloadBuilder::default()
            .put("session_id", self.builder.session.session.clone())
            .put("hook_event_name", event);
        let body = own.into_iter().fold(body, |body, (key, value)| body.put(&key, value));
        let body = body.put("transcript_path", self.about.path.clone());
        self.builder.emit_session(false, out);
        let key = format!("line {line}");
        out.push(TranscriptItem::Event(Box::new(self.builder.build_event(event, &key, at, line, body))));
    }

    fn stop(&mut self, out: &mut Vec<TranscriptItem>) {
        if let Some((line, at, says)) = self.last_message.take() {
            let own = PayloadBuilder::default().put("stop_hook_active", false).put("last_assistant_message", says);
            self.event("Stop", at, line, own, out);
        }
    }

    fn call(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let block = block(record, "tool_use");
        let tool = ["name", "tool_name", "toolName", "tool"].iter().find_map(|key| text(block, key));
        let Some(tool) = tool else {
            return out.push(TranscriptItem::Skipped { line, why: "a call without a tool name".to_owned() });
        };
        let input = ["input", "tool_input", "args", "params"].iter().find_map(|key| block.get(key));
        let call =
            Seed001Call { id: id(block), tool: tool.to_owned(), input: input.cloned().unwrap_or_else(|| json!({})) };
        let own = PayloadBuilder::default().put("tool_name", tool).put("tool_input", call.input.clone());
        let own = own.put_some("tool_use_id", call.id.clone());
        self.calls.push(call);
        self.last_message = None;
        self.event("PreToolUse", time(record), line, own, out);
    }

    fn result(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let block = block(record, "tool_result");
        let id = id(block);
        let found = self.calls.iter().position(|call| id.is_none() || call.id == id);
        let Some(index) = found else {
            return out.push(TranscriptItem::Skipped { line, why: "a result without its call in the file".to_owned() });
        };
        let call = self.calls.remove(index);
        let answer = ["output", "content", "result", "response"].iter().find_map(|key| block.get(key)).cloned();
        let own = PayloadBuilder::default().put("tool_name", call.tool).put("tool_input", call.input);
        if flag(block, "is_error") || flag(record, "is_error") {
            let error = answer.map(|answer| message_text(&answer));
            let own = own.put_some("tool_use_id", call.id).put_some("error", error);
            return self.event("PostToolUseFailure", time(record), line, own, out);
        }
        let own = own.put_some("tool_response", answer).put_some("tool_use_id", call.id);
        self.event("PostToolUse", time(record), line, own, out);
    }
}

/// Returns the object that holds a call or result: a block of the message, the message, or the record itself.
fn block<'a>(record: &'a Value, kind: &str) -> &'a Value {
    let message = record.get("message").unwrap_or(record);
    let blocks = message.get("content").and_then(Value::as_array);
    let typed = blocks.into_iter().flatten().find(|block| text(block, "type") == Some(kind));
    let plain = |value: &Value| {
        ["name", "tool_name", "toolName", "tool", "output", "result", "response", "is_error"]
            .iter()
            .any(|key| value.get(key).is_some())
    };
    typed.unwrap_or(if plain(message) || !plain(record) { message } else { record })
}

fn id(block: &Value) -> Option<String> {
    let keys = ["id", "tool_use_id", "tool_call_id", "callId"];
    keys.iter().find_map(|key| text(block, key)).map(str::to_owned)
}

impl TranscriptReader for Seed001Reader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        self.builder.record_time(time(&record));
        let content = record.pointer("/message/content").unwrap_or(&Value::Null);
        match text(&record, "type") {
            Some("user") => {
                self.stop(out);
                let prompt = message_text(content);
                self.builder.record_prompt(&prompt);
                let own = PayloadBuilder::default().put("prompt", prompt);
                self.event("UserPromptSubmit", time(&record), line, own, out);
            }
            Some("assistant") => self.last_message = Some((line, time(&record), message_text(content))),
            Some("tool_call") => self.call(line, &record, out),
            Some("tool_result") => self.result(line, &record, out),
            Some("system") => {}
            kind => {
                let why = format!("unknown record type {}", kind.unwrap_or("(none)"));
                out.push(TranscriptItem::Skipped { line, why });
            }
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        // A call may still follow the model's last message, so a stop is only emitted at the next prompt.
        self.builder.emit_session(true, out);
    }
}
