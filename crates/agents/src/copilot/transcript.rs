//! Session files: `<user>/session-state/<session>/events.jsonl` (measured on 1.0.102). Every line is a record of the session;
//! the events are rebuilt from those records that exist whether or not hooks are configured. The records `hook.start` and
//! `hook.end` add what only they tell: how a session started, and whether a stop was blocked.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::layers::user_dir;
use super::spelling::pascal_tool;
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder, flag, text, time};
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    CallOutput, CalledTool, FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory,
    TranscriptFormat, TranscriptItem, TranscriptReader, format_time,
};

/// The transcript formats.
pub static FORMATS: [&dyn TranscriptFormat; 1] = [&SessionFormat];

struct SessionFormat;

impl TranscriptFormat for SessionFormat {
    fn kind(&self) -> &'static str {
        "copilot-session"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let own = |record: &Value| {
            matches!(text(record, "type"), Some("session.start" | "session.resume"))
                && record.pointer("/data/sessionId").is_some()
        };
        FormatFit::certain(head.records.iter().any(own))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        message(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(SessionReader::new(about))
    }
}

/// Returns the directories of the sessions that ran in the project. Each has a file that names its directory.
pub fn directories(place: &Place, files: &dyn Files) -> Vec<SessionDirectory> {
    let all = format!("{}/session-state", user_dir(place));
    let is_here = |directory: &String| {
        let workspace = files.read(&format!("{directory}/workspace.yaml")).unwrap_or_default();
        let workspace = String::from_utf8_lossy(&workspace).into_owned();
        workspace.lines().any(|line| {
            line.strip_prefix("cwd: ").is_some_and(|cwd| cwd.trim().trim_matches(['"', '\'']) == place.project)
        })
    };
    let directories = files.list(&all).into_iter().map(|name| format!("{all}/{name}")).filter(is_here);
    directories.map(|path| SessionDirectory { path, shared: false }).collect()
}

/// The parts of the message that a record holds.
fn message(record: &Value) -> Vec<MessagePart> {
    let data = record.get("data").unwrap_or(&Value::Null);
    match text(record, "type") {
        Some("user.message") => {
            text(data, "content").map(|said| MessagePart::UserText(said.to_owned())).into_iter().collect()
        }
        Some("assistant.message") => {
            let said =
                text(data, "content").filter(|said| !said.is_empty()).map(str::to_owned).map(MessagePart::ModelText);
            let calls = data.get("toolRequests").and_then(Value::as_array).into_iter().flatten().filter_map(|call| {
                Some(MessagePart::Call(CalledTool {
                    id: text(call, "toolCallId").map(str::to_owned),
                    tool: text(call, "name")?.to_owned(),
                    input: call.get("arguments").cloned().unwrap_or_else(|| json!({})),
                }))
            });
            said.into_iter().chain(calls).collect()
        }
        Some("tool.execution_complete") => {
            let output = data.pointer("/result/content").or_else(|| data.pointer("/error/message"));
            vec![MessagePart::Result(CallOutput {
                call: text(data, "toolCallId").map(str::to_owned),
                text: output.and_then(Value::as_str).unwrap_or_default().to_owned(),
                failed: Some(!flag(data, "success")),
            })]
        }
        _ => Vec::new(),
    }
}

/// A subagent of the session.
#[derive(Debug, Clone, Default)]
struct Subagent {
    kind: String,
    last_message: String,
}

/// The reader of one file.
#[derive(Default)]
struct SessionReader {
    builder: SessionBuilder,
    pending: EventBuffer,
    path: String,
    cwd: Option<String>,
    /// How the session started, until its first prompt.
    starts: Option<(u64, Option<i64>, &'static str)>,
    /// The calls that run, with their tools and arguments.
    calls: HashMap<String, (String, Value)>,
    subagents: HashMap<String, Subagent>,
    /// Whether the last message of the model has no call, so that the turn ends the work.
    is_last_turn: bool,
    stop_blocked: bool,
    has_failed: bool,
}

/// One record.
struct Record<'a> {
    line: u64,
    at: Option<i64>,
    data: &'a Value,
    /// The subagent in which it happened.
    agent: Option<&'a str>,
    /// Makes the ids of its events unique.
    id: &'a str,
}

impl SessionReader {
    fn new(about: &FileContext) -> SessionReader {
        SessionReader {
            builder: SessionBuilder::new("copilot", about),
            path: about.path.clone(),
            ..SessionReader::default()
        }
    }

    /// The keys before the event's own keys. A subagent has another session id.
    fn common(&self, event: &str, at: Option<i64>, agent: Option<&str>) -> PayloadBuilder {
        let session = &self.builder.session.session;
        let body = PayloadBuilder::default()
            .put("hook_event_name", event)
            .put("session_id", agent.unwrap_or(session))
            .put_some("timestamp", at.and_then(format_time))
            .put_some("cwd", self.cwd.clone());
        match agent {
            Some(agent) => self.agent(body, agent),
            None => body,
        }
    }

    fn agent(&self, body: PayloadBuilder, agent: &str) -> PayloadBuilder {
        let kind = self.subagents.get(agent).map(|agent| agent.kind.clone());
        let parent = self.builder.session.session.clone();
        body.put("agent_id", agent).put_some("agent_type", kind).put("parent_agent_id", parent)
    }

    fn push(&mut self, event: &str, call: &str, record: &Record<'_>, body: PayloadBuilder) {
        let key = if call.is_empty() { record.id } else { call };
        let event = self.builder.build_event(event, key, record.at, record.line, body);
        self.pending.push(call, event);
    }

    fn start(&mut self, record: &Record<'_>, source: &'static str) {
        let session = &mut self.builder.session;
        if let Some(id) = text(record.data, "sessionId") {
            id.clone_into(&mut session.session);
        }
        if let Some(version) = text(record.data, "copilotVersion") {
            session.version = Some(version.to_owned());
        }
        if let Some(cwd) = record.data.pointer("/context/cwd").and_then(Value::as_str) {
            session.project = Some(cwd.to_owned());
            self.cwd = Some(cwd.to_owned());
        }
        self.starts = Some((record.line, record.at, source));
    }

    /// Emits the start of the session. In a session without a terminal, its prompt is a part of it.
    fn emit_start(&mut self, prompt: Option<&str>) {
        let Some((line, at, source)) = self.starts.take() else { return };
        let body = self.common("SessionStart", at, None).put("source", source).put_some("initial_prompt", prompt);
        let event = self.builder.build_event("SessionStart", &format!("line {line}"), at, line, body);
        self.pending.push("", event);
    }

    fn prompt(&mut self, record: &Record<'_>, out: &mut Vec<TranscriptItem>) {
        let prompt = text(record.data, "content").unwrap_or_default();
        if record.agent.is_none() {
            self.emit_start(Some(prompt));
            self.has_failed = false;
            self.builder.record_prompt(prompt);
        }
        // The reason of a blocked stop is a message too, and no prompt.
        if !self.stop_blocked || record.agent.is_some() {
            let body = self.common("UserPromptSubmit", record.at, record.agent).put("prompt", prompt);
            self.push("UserPromptSubmit", "", record, body);
            if let Some(whole) = text(record.data, "transformedContent") {
                let name = "userPromptTransformed";
                let body =
                    self.common(name, record.at, record.agent).put("prompt", prompt).put("transformed_prompt", whole);
                self.push(name, "", record, body);
            }
        }
        self.pending.flush(&mut self.builder, out);
    }

    fn model_message(&mut self, record: &Record<'_>) {
        let calls = record.data.get("toolRequests").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        let said = text(record.data, "content").unwrap_or_default();
        match record.agent {
            Some(agent) => {
                if let Some(agent) = self.subagents.get_mut(agent).filter(|_| !said.is_empty()) {
                    said.clone_into(&mut agent.last_message);
                }
            }
            None => self.is_last_turn = !calls,
        }
    }

    fn call(&mut self, record: &Record<'_>) {
        let (Some(id), Some(tool)) = (text(record.data, "toolCallId"), text(record.data, "toolName")) else { return };
        let input = record.data.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let tool = pascal_tool(tool).to_owned();
        let body = self.common("PreToolUse", record.at, record.agent).put("tool_name", tool.clone());
        let body = body.put("tool_input", input.clone());
        let event = self.builder.build_event("PreToolUse", id, record.at, record.line, body);
        self.pending.push_unsure(id, event);
        self.calls.insert(id.to_owned(), (tool, input));
    }

    fn result(&mut self, record: &Record<'_>) {
        let Some(id) = text(record.data, "toolCallId") else { return };
        let Some((tool, input)) = self.calls.remove(id) else { return };
        self.pending.confirm("PreToolUse", id);
        let error = record.data.pointer("/error/message").and_then(Value::as_str);
        if error.is_some_and(|error| error.starts_with("Denied by preToolUse hook")) {
            if let Some(before) = self.pending.find("PreToolUse", id) {
                before.verdict = Some("deny".to_owned());
            }
            return;
        }
        let name = if flag(record.data, "success") { "PostToolUse" } else { "PostToolUseFailure" };
        let body = self.common(name, record.at, record.agent).put("tool_name", tool).put("tool_input", input);
        let body = if name == "PostToolUse" {
            let output = record.data.pointer("/result/content").cloned().unwrap_or_default();
            body.put("tool_result", json!({"result_type": "success", "text_result_for_llm": output}))
        } else {
            body.put("error", error.unwrap_or_default())
        };
        self.push(name, id, record, body);
    }

    fn turn_end(&mut self, record: &Record<'_>, out: &mut Vec<TranscriptItem>) {
        // What follows may still add to a stop.
        self.pending.flush(&mut self.builder, out);
        if record.agent.is_none() && self.is_last_turn {
            let active = std::mem::take(&mut self.stop_blocked);
            let body = self.common("Stop", record.at, None).put("transcript_path", self.path.clone());
            self.push("Stop", "", record, body.put("stop_reason", "end_turn").put("stop_hook_active", active));
        }
    }

    fn subagent(&mut self, record: &Record<'_>, ends: bool) {
        let Some(agent) = record.agent else { return };
        let name = text(record.data, "agentName").unwrap_or_default().to_owned();
        if ends {
            let last = self.subagents.get(agent).map(|agent| agent.last_message.clone());
            let body = self.agent(self.common("SubagentStop", record.at, None), agent);
            let body = body.put("transcript_path", self.path.clone()).put("agent_name", name);
            let body = body.put_some("last_assistant_message", last);
            self.push(
                "SubagentStop",
                agent,
                record,
                body.put("stop_reason", "end_turn").put("stop_hook_active", false),
            );
        } else {
            let kind = text(record.data, "agentType").unwrap_or(&name).to_owned();
            self.subagents.insert(agent.to_owned(), Subagent { kind, last_message: String::new() });
            let body = self.common("SubagentStart", record.at, None).put("transcript_path", self.path.clone());
            let body = self.agent(body.put("agent_name", name), agent);
            self.push("SubagentStart", agent, record, body);
        }
    }

    fn hook_end(&mut self, record: &Record<'_>) {
        let blocked = record.data.pointer("/output/decision").and_then(Value::as_str) == Some("block");
        if text(record.data, "hookType") == Some("agentStop") && record.agent.is_none() {
            self.stop_blocked = blocked;
            if let Some(stop) = self.pending.last("Stop").filter(|_| blocked) {
                stop.verdict = Some("deny".to_owned());
            }
        }
    }
}

impl TranscriptReader for SessionReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let at = time(&record);
        self.builder.record_time(at);
        let data = record.get("data").unwrap_or(&Value::Null);
        let here =
            Record { line, at, data, agent: text(&record, "agentId"), id: text(&record, "id").unwrap_or_default() };
        match text(&record, "type") {
            Some("session.start") => self.start(&here, "new"),
            Some("session.resume") => self.start(&here, "resume"),
            Some("user.message") => self.prompt(&here, out),
            Some("assistant.message") => self.model_message(&here),
            Some("tool.execution_start") => self.call(&here),
            Some("tool.execution_complete") => self.result(&here),
            Some("assistant.turn_end") => self.turn_end(&here, out),
            Some("subagent.started") => self.subagent(&here, false),
            Some("subagent.completed" | "subagent.failed") => self.subagent(&here, true),
            Some("hook.end") => self.hook_end(&here),
            Some("session.error") => self.has_failed = true,
            Some("session.shutdown") => {
                self.emit_start(None);
                let reason = if self.has_failed { "error" } else { "complete" };
                let body = self.common("SessionEnd", at, None).put("reason", reason);
                self.push("SessionEnd", "", &here, body);
                self.pending.flush(&mut self.builder, out);
            }
            Some(_) => {}
            None => out.push(TranscriptItem::Skipped { line, why: "a record without a type".to_owned() }),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.emit_start(None);
        self.pending.finish(&mut self.builder, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    #[test]
    fn a_session_belongs_to_its_directory() {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let mut files = MemoryFiles::default();
        files.put("/h/.copilot/session-state/a/workspace.yaml", "id: a\ncwd: /p\n");
        files.put("/h/.copilot/session-state/b/workspace.yaml", "id: b\ncwd: /p/sub\n");
        files.put("/h/.copilot/session-state/c/events.jsonl", "");
        let found: Vec<String> = directories(&place, &files).into_iter().map(|found| found.path).collect();
        assert_eq!(found, ["/h/.copilot/session-state/a"]);
    }
}
