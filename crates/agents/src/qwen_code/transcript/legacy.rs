//! Session files of older versions: one object with all messages.

use serde_json::Value;

use super::jsonl::{CommonFields, common, tool_response};
use super::project_hash;
use crate::shared::conversation::{self, CallStatus, ToolCall, failed_before_hooks, is_user_refusal, message_text};
use crate::shared::reconstruction::{PayloadBuilder, SessionBuilder, text, time};
use hookbench_base::recorded::{FileContext, TranscriptItem, TranscriptReader};

/// The reader of one file.
pub struct LegacyReader {
    about: FileContext,
    builder: SessionBuilder,
    common_fields: CommonFields,
}

impl LegacyReader {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> LegacyReader {
        LegacyReader {
            builder: SessionBuilder::new("qwen", about),
            about: about.clone(),
            common_fields: CommonFields::default(),
        }
    }

    fn body(&self, event: &str) -> PayloadBuilder {
        common(event, &self.builder.session.session, &self.about, &self.common_fields)
    }

    fn push(
        &mut self,
        event: &str,
        key: &str,
        message: &Value,
        line: u64,
        body: PayloadBuilder,
        out: &mut Vec<TranscriptItem>,
    ) {
        self.builder.emit_session(false, out);
        out.push(TranscriptItem::Event(Box::new(self.builder.build_event(event, key, time(message), line, body))));
    }

    fn message(&mut self, line: u64, message: &Value, stops: &mut u32, out: &mut Vec<TranscriptItem>) {
        let id = text(message, "id").unwrap_or_default();
        let says = message_text(message.get("content").unwrap_or(&Value::Null));
        match text(message, "type") {
            Some("user") => {
                *stops = 0;
                self.builder.record_prompt(&says);
                let body = self.body("UserPromptSubmit").put("prompt", says);
                self.push("UserPromptSubmit", id, message, line, body, out);
            }
            // The type of a model's message is the name of the program.
            Some("qwen" | "gemini") => {
                let calls = conversation::tool_calls(message);
                for call in &calls {
                    self.call(line, message, call, out);
                }
                if calls.is_empty() && !says.is_empty() {
                    let body =
                        self.body("Stop").put("stop_hook_active", *stops > 0).put("last_assistant_message", says);
                    self.push("Stop", id, message, line, body, out);
                    *stops += 1;
                }
            }
            Some("info" | "error" | "warning") => {}
            kind => {
                let why = format!("unknown message type {}", kind.unwrap_or("(none)"));
                out.push(TranscriptItem::Skipped { line, why });
            }
        }
    }

    fn call(&mut self, line: u64, message: &Value, call: &ToolCall<'_>, out: &mut Vec<TranscriptItem>) {
        if call.status == CallStatus::Unknown {
            let why = "the call has no result yet, so it is unknown whether hooks ran".to_owned();
            return out.push(TranscriptItem::Skipped { line, why });
        }
        let error = call.error.as_deref().unwrap_or_default();
        let no = call.status == CallStatus::Cancelled && is_user_refusal(error);
        if no || (call.status == CallStatus::Failed && failed_before_hooks(error)) {
            return;
        }
        let named = |body: PayloadBuilder| body.put("tool_name", call.tool).put("tool_input", call.args.clone());
        let before = named(self.body("PreToolUse")).put("tool_call_id", call.id);
        self.push("PreToolUse", call.id, message, line, before, out);
        let (event, body) = match (call.status, &call.error) {
            (CallStatus::Done, None) => {
                let answer = call.output.clone().map(|output| tool_response(output, call.displayed.clone()));
                let body = named(self.body("PostToolUse")).put_some("tool_response", answer);
                ("PostToolUse", body.put("tool_call_id", call.id))
            }
            (status, error) => {
                let body = named(self.body("PostToolUseFailure").put("tool_call_id", call.id));
                let body = body.put_some("error", error.clone()).put("is_interrupt", status == CallStatus::Cancelled);
                ("PostToolUseFailure", body)
            }
        };
        self.push(event, call.id, message, line, body, out);
    }
}

impl TranscriptReader for LegacyReader {
    fn record(&mut self, line: u64, text: &str, _record: Value, out: &mut Vec<TranscriptItem>) {
        let Some(file) = conversation::parse(text) else {
            return out
                .push(TranscriptItem::Skipped { line, why: "its messages are not a list of objects".to_owned() });
        };
        if let Some(session) = file.session {
            self.builder.session.session = session;
        }
        if file.project_hash.is_some_and(|hash| hash == project_hash(&self.about.project)) {
            self.builder.session.project = Some(self.about.project.clone());
            self.common_fields.cwd = Some(self.about.project.clone());
        }
        let mut stops = 0;
        for (line, message) in &file.messages {
            self.builder.record_time(time(message));
            self.common_fields.at = message.get("timestamp").and_then(Value::as_str).map(str::to_owned);
            self.message(*line, message, &mut stops, out);
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.builder.emit_session(true, out);
    }
}
