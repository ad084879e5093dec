//! Converts the lines of a session file, in order, into the events that hooks received.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use crate::droid::answer::read_answer;
use crate::droid::decide::{merged_input, stop_reason};
use crate::shared::reconstruction::{EventBuffer, PayloadBuilder, SessionBuilder, flag, text, time};
use hookbench_base::hook::command_label;
use hookbench_base::names::RunId;
use hookbench_base::recorded::{
    CallOutput, CalledTool, FileContext, MessagePart, RecordedRun, TranscriptItem, TranscriptReader,
};
use hookbench_base::run::{Exit, RunReport, Timing};

/// A call of the model.
struct Call {
    tool: String,
    input: Value,
}

/// The reader of one file.
#[derive(Default)]
pub struct SessionReader {
    about: FileContext,
    builder: SessionBuilder,
    events: EventBuffer,
    /// The mode of the session, from the file beside it.
    mode: Option<String>,
    calls: HashMap<String, Call>,
    /// The line and the time of the session's start, until its event is known.
    start: Option<(u64, Option<i64>)>,
    /// The id of the model's last message.
    last_message: Option<String>,
    /// Whether a hook has kept the agent from stopping in this turn.
    stop_blocked: bool,
    /// Whether the next message of the user is a hook's reason.
    reason_follows: bool,
    /// Whether the turn's last stop has its event.
    stopped: bool,
}

impl SessionReader {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> SessionReader {
        let settings: Option<Value> = about.companion.as_deref().and_then(|text| serde_json::from_str(text).ok());
        SessionReader {
            builder: SessionBuilder::new("droid", about),
            about: about.clone(),
            mode: settings.as_ref().and_then(|settings| text(settings, "autonomyMode")).map(str::to_owned),
            ..SessionReader::default()
        }
    }

    /// Returns the keys before the event's own keys, in their order. Unknown values are left out.
    fn common(&self, event: &str) -> PayloadBuilder {
        // The mode is not set yet when the session starts.
        let mode = if event == "SessionStart" { Some("off".to_owned()) } else { self.mode.clone() };
        PayloadBuilder::default()
            .put("session_id", self.builder.session.session.clone())
            .put("transcript_path", self.about.path.clone())
            .put_some("cwd", self.builder.session.project.clone())
            .put_some("permission_mode", mode)
            .put("hook_event_name", event)
    }

    /// Adds the start of the session, if it is still missing.
    fn begin(&mut self, source: &str) {
        let Some((line, at)) = self.start.take() else { return };
        let body = self.common("SessionStart").put("source", source);
        self.events.push("", self.builder.build_event("SessionStart", "", at, line, body));
    }

    fn hook_record(&mut self, line: u64, at: Option<i64>, message: &Value) {
        let Some(event) = text(message, "hookEventName") else { return };
        let call = text(message, "hookToolCallId").unwrap_or_default();
        let runs = runs(message);
        match event {
            "SessionStart" => self.begin(text(message, "hookMatcher").unwrap_or("startup")),
            "Stop" => {
                self.stop(line, at);
                self.reason_follows = runs.iter().any(|run| {
                    let answer = read_answer(&run.report);
                    answer.exited_with(2) || stop_reason(&answer).is_some()
                });
                self.stop_blocked |= self.reason_follows;
            }
            "SessionEnd" => {
                let body = self.common(event).put_some("message_id", self.last_message.clone());
                self.events.push("", self.builder.build_event(event, &line.to_string(), at, line, body));
            }
            // The call's lines add the events of tools.
            _ => {}
        }
        for run in runs {
            self.events.add_report(event, call, run);
        }
    }

    fn stop(&mut self, line: u64, at: Option<i64>) {
        let body = self
            .common("Stop")
            .put_some("message_id", self.last_message.clone())
            .put("stop_hook_active", self.stop_blocked);
        self.events.push("", self.builder.build_event("Stop", &line.to_string(), at, line, body));
        self.stopped = true;
    }

    fn call(&mut self, line: u64, at: Option<i64>, block: &Value) {
        let (Some(id), Some(tool)) = (text(block, "id"), text(block, "name")) else { return };
        let input = block.get("input").cloned().unwrap_or_default();
        let body = self.common("PreToolUse").put("tool_name", tool).put("tool_input", input.clone());
        self.events.push_unsure(id, self.builder.build_event("PreToolUse", id, at, line, body));
        self.calls.insert(id.to_owned(), Call { tool: tool.to_owned(), input });
    }

    fn result(&mut self, line: u64, at: Option<i64>, block: &Value) {
        let Some(id) = text(block, "tool_use_id") else { return };
        let Some(call) = self.calls.remove(id) else { return };
        self.events.confirm("PreToolUse", id);
        let mut response = result_text(block);
        let before = self.events.find("PreToolUse", id);
        let answers: Vec<_> = before.iter().flat_map(|event| &event.runs).map(|run| read_answer(&run.report)).collect();
        if flag(block, "is_error") {
            let denies = |word: &Value| word.as_str() == Some("deny");
            let refuses = answers.iter().any(|one| one.exited_with(2) || one.permission().is_some_and(denies));
            if let Some(event) = before.filter(|_| refuses) {
                event.verdict = Some("deny".to_owned());
            }
            return;
        }
        // The first warning stands before the result that hooks get.
        if let Some(warning) = answers.iter().find_map(|answer| answer.warning())
            && let Some(rest) = response.strip_prefix(&format!("{warning}\n\n"))
        {
            response = String::from(rest);
        }
        let input = merged_input(&call.tool, &call.input, &answers);
        let body = self
            .common("PostToolUse")
            .put("tool_name", call.tool)
            .put("tool_input", input)
            .put("tool_response", response);
        self.events.push(id, self.builder.build_event("PostToolUse", id, at, line, body));
    }

    fn message(&mut self, line: u64, at: Option<i64>, record: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(message) = record.get("message") else { return };
        if message.get("hookEventName").is_some() {
            return self.hook_record(line, at, message);
        }
        if text(message, "visibility").is_some() {
            return;
        }
        self.begin("startup");
        let from_user = text(message, "role") == Some("user");
        if !from_user {
            self.last_message = text(record, "id").map(str::to_owned);
            self.stopped = false;
        }
        for block in message.get("content").and_then(Value::as_array).into_iter().flatten() {
            match text(block, "type") {
                Some("tool_use") => self.call(line, at, block),
                Some("tool_result") => self.result(line, at, block),
                Some("text") if from_user && !std::mem::take(&mut self.reason_follows) => {
                    self.stop_blocked = false;
                    self.builder.record_prompt(text(block, "text").unwrap_or_default());
                }
                _ => {}
            }
        }
        if self.calls.is_empty() {
            self.events.flush(&mut self.builder, out);
        }
    }
}

/// The runs of an event's hooks, in the configured order. Their common duration is known, and a run that was killed at
/// its limit looks like one with exit 1.
fn runs(message: &Value) -> Vec<RecordedRun> {
    let list = |key: &str| message.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |key: &str| message.get(key).and_then(Value::as_i64);
    let took = number("hookStartTime").zip(number("hookEndTime")).and_then(|(from, to)| u64::try_from(to - from).ok());
    let took = Duration::from_millis(took.unwrap_or(0));
    let pairs = list("hookCommands").into_iter().zip(list("hookResults"));
    pairs.filter_map(|(hook, result)| run(text(&hook, "command")?, &result, took)).collect()
}

fn run(command: &str, result: &Value, took: Duration) -> Option<RecordedRun> {
    let code = i32::try_from(result.get("exitCode")?.as_i64()?).ok()?;
    let printed = |key: &str| text(result, key).unwrap_or_default();
    Some(RecordedRun {
        hook: command_label(command),
        command: Some(command.to_owned()),
        definition: None,
        layer: None,
        stdin: None,
        partial: true,
        report: RunReport {
            timing: Timing { started: Duration::ZERO, ended: took },
            ..RunReport::new(RunId(0), Exit::Code(code), printed("stdout"), printed("stderr"))
        },
    })
}

impl TranscriptReader for SessionReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let at = time(&record);
        self.builder.record_time(at);
        match text(&record, "type") {
            Some("session_start") => {
                if let Some(id) = text(&record, "id") {
                    id.clone_into(&mut self.builder.session.session);
                }
                self.builder.session.project = text(&record, "cwd").map(str::to_owned);
                self.start = Some((line, at));
            }
            Some("message") => self.message(line, at, &record, out),
            Some("agent_turn_outcome") => {
                if !self.stopped {
                    self.stop(line, at);
                }
                self.stop_blocked = false;
                self.events.flush(&mut self.builder, out);
            }
            Some(_) => {}
            None => out.push(TranscriptItem::Skipped { line, why: "a line without a type".to_owned() }),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.events.finish(&mut self.builder, out);
    }
}

/// Returns the parts of a record. Texts that the program adds are left out; the reason with which a hook continues a
/// turn looks like a prompt of the user.
pub fn parts(record: &Value) -> Vec<MessagePart> {
    let Some(message) = record.get("message").filter(|_| text(record, "type") == Some("message")) else {
        return Vec::new();
    };
    if text(message, "visibility").is_some() {
        return Vec::new();
    }
    let from_user = text(message, "role") == Some("user");
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| part(block, from_user)).collect()
}

fn part(block: &Value, from_user: bool) -> Option<MessagePart> {
    let owned = |key: &str| text(block, key).map(str::to_owned);
    match text(block, "type")? {
        "text" => {
            let spoken = owned("text").filter(|text| !text.trim().is_empty())?;
            Some(if from_user { MessagePart::UserText(spoken) } else { MessagePart::ModelText(spoken) })
        }
        "tool_use" => {
            let input = block.get("input").cloned().unwrap_or_default();
            Some(MessagePart::Call(CalledTool { id: owned("id"), tool: owned("name")?, input }))
        }
        "tool_result" => Some(MessagePart::Result(CallOutput {
            call: owned("tool_use_id"),
            text: result_text(block),
            failed: Some(flag(block, "is_error")),
        })),
        _ => None,
    }
}

/// The text of a tool's result.
pub fn result_text(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
