//! Events in the OpenTelemetry records of agents. What a record means is stated by the agent that wrote it.

use std::collections::VecDeque;

use serde_json::Value;

use super::otlp_batch::OtlpBatch;
use super::telemetry_records::{PARENT_SPAN, SPAN, TelemetryRecord, records};
use crate::dialects::shared::reconstruction::{PayloadBuilder, SessionBuilder, text};
use crate::dialects::{self, Agent};
use crate::names::AgentId;
use crate::recorded::{
    Attributes, CallOutcome, FileContext, FileHead, FileShape, FormatFit, PayloadGap, PayloadSource, RecordedEvent,
    SourceLine, TelemetryCall, TelemetryFormat, TranscriptFormat, TranscriptItem, TranscriptReader, digest, event_id,
    parse_time, payload_gaps,
};

/// The number of events that wait for later records: the end of a call, its span, or another run for the same payload.
const MOST_OPEN: usize = 256;

/// The attributes that name the repository, and those that name the user, the best first. Companies set the former
/// in `OTEL_RESOURCE_ATTRIBUTES`.
const REPOSITORY: [&str; 3] = ["vcs.repository.name", "vcs.repository.url.full", "service.namespace"];
const PERSON: [&str; 4] = ["user.email", "enduser.id", "user.id", "installation.id"];

/// OpenTelemetry logs or spans, as OTLP JSON or as the JavaScript SDK prints them.
pub struct Telemetry;

impl TranscriptFormat for Telemetry {
    fn kind(&self) -> &'static str {
        "telemetry"
    }
    fn shape(&self) -> FileShape {
        FileShape::Objects
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let start: String = head.text.chars().filter(|c| !c.is_whitespace()).take(40).collect();
        let starts = [
            "resourceLogs",
            "resourceSpans",
            "resourceMetrics",
            "_spanContext",
            "hrTime",
            "resource\":{\"_rawAttributes",
            "type\":\"span\",\"traceId",
        ];
        FormatFit::certain(starts.iter().any(|key| start.starts_with(&format!("{{\"{key}\":"))))
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(TelemetryReader { about: about.clone(), open: VecDeque::new() })
    }
}

/// An event that later records may complete.
enum OpenEvent {
    /// A call of which later records may say more.
    Call(Box<UnfinishedCall>),
    /// An event. The call may still end if `is_firing`: it is the payload that hooks got.
    Event { event: Box<RecordedEvent>, is_firing: bool },
}

/// A call, by its id in a session of an agent.
#[derive(PartialEq)]
struct CallName {
    call: String,
    session: Option<String>,
    agent: AgentId,
}

/// The records of a call so far.
struct UnfinishedCall {
    /// `None` if its record has no id.
    name: Option<CallName>,
    /// Its last log record, with the attributes of those before it.
    log: Option<ReadRecord>,
    /// Its span, or that of the decision on it.
    span: Option<ReadRecord>,
}

impl UnfinishedCall {
    /// One record with all attributes. The span has the input that hooks read, and the log what spans never have.
    fn into_record(self) -> Option<ReadRecord> {
        match (self.log, self.span) {
            (Some(log), Some(mut span)) => {
                span.record.at = log.record.at.or(span.record.at);
                span.record.attributes.add_earlier(log.record.attributes);
                Some(span)
            }
            (log, span) => log.or(span),
        }
    }
}

impl OpenEvent {
    fn of_log(log: ReadRecord) -> OpenEvent {
        OpenEvent::Call(Box::new(UnfinishedCall { name: log.call_name(), log: Some(log), span: None }))
    }

    fn of_span(span: ReadRecord) -> OpenEvent {
        OpenEvent::Call(Box::new(UnfinishedCall { name: span.call_name(), log: None, span: Some(span) }))
    }

    fn settled(event: RecordedEvent) -> OpenEvent {
        OpenEvent::Event { event: Box::new(event), is_firing: false }
    }

    fn event(&mut self) -> Option<&mut RecordedEvent> {
        if let OpenEvent::Event { event, .. } = self { Some(event) } else { None }
    }
}

struct TelemetryReader {
    about: FileContext,
    open: VecDeque<OpenEvent>,
}

/// A record with its origin.
struct ReadRecord {
    agent: &'static Agent,
    format: &'static TelemetryFormat,
    record: TelemetryRecord,
    line: u64,
}

impl ReadRecord {
    /// The event with the repository and the user that the record names.
    fn with_origin(&self, event: RecordedEvent) -> RecordedEvent {
        let first = |keys: &[&str]| keys.iter().find_map(|key| self.record.word(key)).map(str::to_owned);
        RecordedEvent { repository: first(&REPOSITORY), person: first(&PERSON), ..event }
    }

    /// The name of the session, if the record has it.
    fn session_id(&self) -> Option<&str> {
        let (_, attribute) = self.format.keys.iter().copied().flatten().find(|(key, _)| *key == "session_id")?;
        self.record.word(attribute)
    }

    /// The name of the call, if calls have one.
    fn call_name(&self) -> Option<CallName> {
        let call = self.record.word(self.format.call_id?)?.to_owned();
        Some(CallName { call, session: self.session_id().map(str::to_owned), agent: self.agent.id() })
    }

    /// The session of the record.
    fn session(&self, about: &FileContext) -> SessionBuilder {
        let mut builder = SessionBuilder::new(self.agent.id().as_str(), about);
        if let Some(session) = self.session_id() {
            session.clone_into(&mut builder.session.session);
        }
        builder.session.version = self.format.version.and_then(|key| self.record.word(key)).map(str::to_owned);
        builder
    }

    /// A payload with these keys of the call or the prompt.
    fn payload<const N: usize>(&self, event: &str, own: [(&str, Option<Value>); N]) -> PayloadBuilder {
        let put = |body: PayloadBuilder, keys: &[(&str, &str)]| {
            let value = |attribute: &str| self.record.attributes.get(attribute).cloned();
            keys.iter().fold(body, |body, (key, attribute)| body.put_some(key, value(attribute)))
        };
        let body = put(PayloadBuilder::default(), self.format.keys[0]).put("hook_event_name", event);
        let body = own.into_iter().fold(put(body, self.format.keys[1]), |body, (key, value)| body.put_some(key, value));
        put(body, self.format.keys[2])
    }

    /// The event of a call.
    fn call_event(&self, about: &FileContext, event: &str, call: &TelemetryCall) -> RecordedEvent {
        let is_after = Some(event) == self.format.events.1;
        let id = self.format.call_id.and(call.called.id.clone());
        let body = self.payload(
            event,
            [
                ("tool_name", Some(call.called.tool.as_str()).filter(|tool| !tool.is_empty()).map(Value::from)),
                ("tool_input", Some(&call.called.input).filter(|input| !input.is_null()).cloned()),
                ("tool_response", call.response.clone().filter(|_| is_after)),
                ("tool_use_id", id.map(Value::from)),
            ],
        );
        // Without an id of the call, its time and its input tell it from others.
        let key = call.called.id.clone().unwrap_or_else(|| {
            format!("{:?} {}", self.record.at, digest(body.clone().into_value().to_string().as_bytes()))
        });
        let built = self.session(about).build_event(event, &key, self.record.at, self.line, body);
        let mut built = self.with_origin(built);
        if call.end == CallOutcome::Refused {
            built.verdict = Some("deny".to_owned());
        }
        built
    }
}

impl TelemetryReader {
    fn read(&mut self, line: u64, mut record: TelemetryRecord, out: &mut Vec<TranscriptItem>) {
        let service = record.word("service.name").unwrap_or_default();
        let Some((agent, format)) = format_of(service) else { return };
        let name = &*std::mem::take(&mut record.name);
        let read = ReadRecord { agent, format, record, line };
        if let Some((_, event)) = format.prompt.filter(|(prompt, _)| *prompt == name) {
            self.prompt(&read, event, out);
        } else if Some(name) == format.decision {
            if read.record.word("decision") != Some("reject") || format.spans.is_some() {
                return match self.call_of(&read) {
                    Some(known) => known.log = Some(read),
                    None => self.push(OpenEvent::of_log(read), out),
                };
            }
            // A refused call has no other record.
            if let Some(call) = (format.call)(&read.record.attributes) {
                self.push(OpenEvent::settled(read.call_event(&self.about, format.events.0, &call)), out);
            }
        } else if name == format.result {
            self.result(read, out);
        } else if format.hook_run.is_some_and(|(run, _)| run == name) {
            self.hook_run(&read, out);
        } else if format.spans.is_some_and(|spans| spans.call == name) {
            self.call_span(read, out);
        } else if format.spans.is_some_and(|spans| spans.decision == name)
            && read.record.word("decision") == Some("reject")
        {
            self.push(OpenEvent::of_span(read), out);
        }
    }

    /// The earlier records of the same call.
    fn call_of(&mut self, read: &ReadRecord) -> Option<&mut UnfinishedCall> {
        let position = self.position_of(read.call_name().as_ref()?)?;
        if let OpenEvent::Call(known) = self.open.get_mut(position)? { Some(known) } else { None }
    }

    /// The place of a call among the open events. Most records are about one of the last.
    fn position_of(&self, name: &CallName) -> Option<usize> {
        self.open.iter().rposition(|open| matches!(open, OpenEvent::Call(known) if known.name.as_ref() == Some(name)))
    }

    /// The span of a call. The span of a refusal ends before it, and nothing else says of which call it is.
    fn call_span(&mut self, mut read: ReadRecord, out: &mut Vec<TranscriptItem>) {
        let is_of_call = |open: &OpenEvent| {
            let OpenEvent::Call(known) = open else { return false };
            known
                .span
                .as_ref()
                .and_then(|span| span.record.word(PARENT_SPAN))
                .is_some_and(|id| read.record.word(SPAN) == Some(id))
        };
        let refusal = self.open.iter().position(is_of_call).and_then(|index| self.open.remove(index));
        if let Some(OpenEvent::Call(refusal)) = refusal
            && let Some(refusal) = refusal.span
        {
            read.record.attributes.add_earlier(refusal.record.attributes);
        }
        // Without the input, logs say more.
        if (read.format.call)(&read.record.attributes).is_none_or(|call| call.called.input.is_null()) {
            return;
        }
        match self.call_of(&read) {
            Some(known) => known.span = Some(read),
            None => self.push(OpenEvent::of_span(read), out),
        }
    }

    fn prompt(&mut self, read: &ReadRecord, event: &str, out: &mut Vec<TranscriptItem>) {
        let body = read.payload(event, [("prompt", read.record.word("prompt").map(Value::from))]);
        let session = read.session(&self.about);
        let key = format!("{:?}", read.record.at);
        let built = session.build_event(event, &key, read.record.at, read.line, body);
        self.push(OpenEvent::settled(read.with_origin(built)), out);
    }

    /// The end of a call: completes the event before it, and adds the one after it.
    fn result(&mut self, mut read: ReadRecord, out: &mut Vec<TranscriptItem>) {
        let (before, after) = read.format.events;
        let name = read.call_name();
        let position = name.as_ref().and_then(|name| self.position_of(name));
        let mut decided_at = read.record.at;
        if let Some(OpenEvent::Call(known)) = position.and_then(|index| self.open.get_mut(index))
            && let Some(log) = known.log.take()
        {
            decided_at = log.record.at;
            read.record.attributes.add_earlier(log.record.attributes);
        }
        let Some(call) = (read.format.call)(&read.record.attributes) else { return };
        let after = after.filter(|_| call.end == CallOutcome::Succeeded);
        let after = after.map(|after| OpenEvent::settled(read.call_event(&self.about, after, &call)));
        if read.format.spans.is_some() {
            read.record.at = decided_at;
            match position.and_then(|index| self.open.get_mut(index)) {
                Some(OpenEvent::Call(known)) => known.log = Some(read),
                _ => self.push(OpenEvent::of_log(read), out),
            }
        } else {
            let event = read.call_event(&self.about, before, &call);
            if let Some(open) = position.and_then(|index| self.open.get_mut(index)) {
                *open = OpenEvent::settled(RecordedEvent { at: decided_at, ..event });
            } else if name.is_some() || !self.end_firing(&event, &call) {
                self.push(OpenEvent::settled(event), out);
            }
        }
        if let Some(after) = after {
            self.push(after, out);
        }
    }

    /// Settles the payload that the hooks of this call got. Returns false if no such payload is open. A hook may have rewritten the input of a call
    /// that ran.
    fn end_firing(&mut self, end: &RecordedEvent, call: &TelemetryCall) -> bool {
        let is_refused = call.end == CallOutcome::Refused;
        let fits = |open: &OpenEvent, same_input: bool| {
            matches!(open, OpenEvent::Event { event, is_firing: true } if event.agent == end.agent
                && event.session == end.session && event.event == end.event && is_call_of(event, call, same_input))
        };
        let position = self.open.iter().position(|open| fits(open, true));
        let position = position.or_else(|| self.open.iter().position(|open| !is_refused && fits(open, false)));
        let open = position.and_then(|index| self.open.get_mut(index));
        let Some(OpenEvent::Event { event, is_firing }) = open else { return false };
        *is_firing = false;
        event.verdict = end.verdict.clone().or(event.verdict.take());
        true
    }

    /// A run of a hook. Hooks that run side by side read the same payload.
    fn hook_run(&mut self, read: &ReadRecord, out: &mut Vec<TranscriptItem>) {
        let Some(found) = read.format.hook_run.and_then(|(_, hook_run)| hook_run(&read.record.attributes)) else {
            let why = "the run of a hook without its input".to_owned();
            return out.push(TranscriptItem::Skipped { line: read.line, why });
        };
        let is_known = |open: &&mut RecordedEvent| open.payload == found.payload.as_bytes();
        if let Some(open) = self.open.iter_mut().filter_map(OpenEvent::event).find(is_known) {
            return open.runs.push(found.run);
        }
        let body: Value = serde_json::from_str(&found.payload).unwrap_or_default();
        // The record of the prompt comes before the runs of its hooks.
        let is_prompt = |open: &RecordedEvent| {
            let known = serde_json::from_slice::<Value>(&open.payload).unwrap_or_default();
            open.payload_source == PayloadSource::Rebuilt
                && open.event == found.event
                && text(&known, "session_id") == text(&body, "session_id")
                && text(&known, "prompt") == text(&body, "prompt")
        };
        if read.format.prompt.is_some_and(|(_, prompt)| found.event == prompt) {
            self.open.retain_mut(|open| !open.event().is_some_and(|event| is_prompt(event)));
        }
        let mut session = read.session(&self.about).session;
        if let Some(id) = text(&body, "session_id") {
            id.clone_into(&mut session.session);
        }
        let key = format!("payload:{}:0", digest(found.payload.as_bytes()));
        let event = RecordedEvent {
            id: event_id(&session.agent, &session.session, &key),
            version: session.version,
            project: text(&body, "cwd").map(str::to_owned),
            at: text(&body, "timestamp").and_then(parse_time).or(read.record.at),
            payload_source: PayloadSource::Recorded,
            source: Some(SourceLine { file: self.about.path.clone(), line: read.line }),
            runs: vec![found.run],
            ..RecordedEvent::new(&session.agent, &session.session, &found.event, found.payload.into_bytes())
        };
        self.push(OpenEvent::Event { event: Box::new(read.with_origin(event)), is_firing: true }, out);
    }

    fn push(&mut self, open: OpenEvent, out: &mut Vec<TranscriptItem>) {
        self.open.push_back(open);
        let is_settled = |open: &&OpenEvent| matches!(open, OpenEvent::Event { is_firing: false, .. });
        let settled = self.open.iter().take_while(is_settled).count();
        // The event that was just added may still be replaced by the one that hooks got.
        let count = settled.min(self.open.len() - 1).max(self.open.len().saturating_sub(MOST_OPEN));
        self.emit(count, out);
    }

    fn emit(&mut self, count: usize, out: &mut Vec<TranscriptItem>) {
        for open in self.open.drain(..count) {
            let event = match open {
                OpenEvent::Event { event, .. } => event,
                OpenEvent::Call(known) => {
                    let Some(read) = known.into_record() else { continue };
                    let Some(call) = (read.format.call)(&read.record.attributes) else { continue };
                    Box::new(read.call_event(&self.about, read.format.events.0, &call))
                }
            };
            let mut builder = SessionBuilder::new(&event.agent, &self.about);
            event.session.clone_into(&mut builder.session.session);
            builder.session.version.clone_from(&event.version);
            builder.session.project.clone_from(&event.project);
            builder.record_time(event.at);
            if let Some(prompt) = prompt_of(&event) {
                builder.record_prompt(&prompt);
            }
            out.push(TranscriptItem::Session(builder.session));
            out.push(TranscriptItem::Event(event));
        }
    }
}

/// The agent whose resources have this service name, and its records.
fn format_of(service: &str) -> Option<(&'static Agent, &'static TelemetryFormat)> {
    let of_agent = |agent: &'static Agent| Some((agent, agent.telemetry()?));
    dialects::released().filter_map(of_agent).find(|(_, format)| service.starts_with(format.service))
}

/// The values that an event from telemetry lacks. Empty for every other event.
pub fn event_gaps(event: &RecordedEvent) -> Vec<PayloadGap> {
    let is_rebuilt = event.payload_source == PayloadSource::Rebuilt;
    let body = is_rebuilt.then(|| serde_json::from_slice(&event.payload).ok()).flatten();
    body.map(|body| gaps_in_body(event, &body)).unwrap_or_default()
}

/// The same with the parsed payload.
pub fn gaps_in_body(event: &RecordedEvent, body: &Value) -> Vec<PayloadGap> {
    let format = dialects::by_id(&event.agent).and_then(|agent| agent.telemetry());
    format.map(|format| payload_gaps(event, body, format)).unwrap_or_default()
}

/// The prompt of an event that is about nothing else.
fn prompt_of(event: &RecordedEvent) -> Option<String> {
    let format = dialects::by_id(&event.agent)?.telemetry()?;
    let (_, prompt) = format.prompt?;
    let body: Value = (event.event == prompt).then(|| serde_json::from_slice(&event.payload).ok())??;
    text(&body, "prompt").map(str::to_owned)
}

/// Whether an event is about a call of this tool, and has its input.
fn is_call_of(event: &RecordedEvent, call: &TelemetryCall, same_input: bool) -> bool {
    serde_json::from_slice::<Value>(&event.payload).is_ok_and(|body| {
        let is_tool = text(&body, "tool_name") == Some(&call.called.tool);
        is_tool && (!same_input || body.get("tool_input") == Some(&call.called.input))
    })
}

impl TranscriptReader for TelemetryReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        match records(&record) {
            Some(records) => records.into_iter().for_each(|record| self.read(line, record, out)),
            None => out.push(TranscriptItem::Skipped { line, why: "not a telemetry record".to_owned() }),
        }
    }

    fn text_record(&mut self, line: u64, text: &str, out: &mut Vec<TranscriptItem>) -> bool {
        let is_wanted = |resource: &Attributes, name: &str| {
            let service = resource.get("service.name").and_then(Value::as_str);
            format_of(service.unwrap_or_default())
                .is_some_and(|(_, format)| format.record_names().contains(&Some(name)))
        };
        let Ok(batch) = serde_json::from_str::<OtlpBatch<'_>>(text) else { return false };
        for record in batch.records(&is_wanted) {
            self.read(line, record, out);
        }
        true
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.emit(self.open.len(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Agent;
    use serde_json::json;

    /// Calls of one tool that run side by side may end in another order.
    #[test]
    fn a_refusal_belongs_to_the_call_with_its_input() {
        let with_runs = |dialect: &Agent| dialect.telemetry().filter(|format| format.hook_run.is_some());
        let format = crate::dialects::released().find_map(with_runs).expect("an agent records the runs of hooks");
        let (run_name, _) = format.hook_run.expect("it was filtered");
        let resource = json!({"_rawAttributes": [["service.name", format.service]]});
        let record =
            |attributes: Value| json!({"hrTime": [1, 0], "resource": resource.clone(), "attributes": attributes});
        let input = |command: &str| json!({"command": command});
        let firing = |command: &str| {
            let payload = json!({"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "run", "tool_input": input(command)});
            record(json!({"event.name": run_name, "session.id": "s", "hook_event_name": "BeforeTool",
                "hook_name": "guard", "exit_code": 0, "hook_input": payload.to_string()}))
        };
        let end = |command: &str, error: Option<&str>| {
            record(json!({"event.name": format.result, "session.id": "s", "function_name": "run",
                "function_args": input(command).to_string(), "error": error}))
        };
        let blocked = Some("Tool execution blocked: no");
        let records = [firing("a"), firing("b"), end("b", blocked), end("rewritten a", None)];
        let mut reader = Telemetry.reader(&FileContext::default());
        let mut out = Vec::new();
        for (line, record) in (1..).zip(records) {
            reader.record(line, "", record, &mut out);
        }
        reader.end(&mut out);
        let events =
            out.iter().filter_map(|item| if let TranscriptItem::Event(event) = item { Some(event) } else { None });
        let verdicts: Vec<_> =
            events.map(|event| (event.source.as_ref().map(|at| at.line), event.verdict.as_deref())).collect();
        assert_eq!(verdicts, [(Some(1), None), (Some(2), Some("deny"))]);
    }
}
