//! Reads payloads and lines of recorded events as cases.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::format::{ExpectShape, Isolate};
use super::read::{CASES, Case, CaseEvent, SuiteError, SuiteReader};
use crate::disk::scratch::Home;
use crate::firing::input::read_payload;
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::recorded::{RecordedEvent, parse_event_line};

impl SuiteReader<'_> {
    /// Reads one payload, or lines of payloads or recorded events; each becomes a case.
    pub(super) fn payloads(&self) -> Result<Vec<Case>, SuiteError> {
        let whole = read_payload(self.file, self.text.as_bytes());
        let lines: Vec<(u32, &str)> =
            (1..).zip(self.text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
        let one_value = serde_json::from_str::<IgnoredAny>(self.text).is_ok();
        if one_value && lines.len() > 1 {
            return self.payload(1, whole.map_err(|why| self.invalid_payload(1, &why.to_string()))?).map(|c| vec![c]);
        }
        let mut cases = Vec::new();
        for (line, text) in lines {
            if cases.len() == CASES {
                return Err(self.invalid_payload(line, &format!("the file has more than {CASES} events; split it")));
            }
            let case = if text.contains("\"event/") && text.contains("\"schema\"") {
                let event = parse_event_line(text).map_err(|why| self.invalid_payload(line, &why.to_string()))?;
                self.recorded(line, &event)?
            } else {
                let value = read_payload(self.file, text.as_bytes());
                self.payload(line, value.map_err(|why| self.invalid_payload(line, &why.to_string()))?)?
            };
            cases.push(Case { index: cases.len(), ..case });
        }
        if cases.is_empty() {
            return Err(self.invalid_payload(1, "the file contains no payload"));
        }
        Ok(cases)
    }

    fn invalid_payload(&self, line: u32, why: &str) -> SuiteError {
        SuiteError { file: self.file.to_owned(), at: Some((line, 1)), message: why.to_owned(), help: None }
    }

    fn payload(&self, line: u32, payload: Value) -> Result<Case, SuiteError> {
        let Some(dialect) = dialects::recognise(&payload) else {
            let help = "give a suite (a file with `cases`), payloads with `hook_event_name`, or recorded events";
            let error = self.invalid_payload(line, "not a payload of a known agent");
            return Err(SuiteError { help: Some(help.to_owned()), ..error });
        };
        let payload = dialects::read_older_payload(&payload).map_or(payload, |older| older.body);
        let event = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or("payload");
        let tool = payload.get("tool_name").and_then(Value::as_str).map(|t| format!(" {t}")).unwrap_or_default();
        Ok(self.case_for(line, format!("line {line}: {event}{tool}"), dialect, payload))
    }

    /// A case for a recorded event. The recorded verdict is expected.
    fn recorded(&self, line: u32, event: &RecordedEvent) -> Result<Case, SuiteError> {
        let Some(dialect) = dialects::by_id(&event.agent) else {
            return Err(self.invalid_payload(line, &format!("unknown agent {:?}", event.agent)));
        };
        let payload =
            read_payload(self.file, &event.payload).map_err(|why| self.invalid_payload(line, &why.to_string()))?;
        let subject = event.subject.as_ref().map(|s| format!(" {s}")).unwrap_or_default();
        let case = self.case_for(line, format!("line {line}: {}{subject}", event.event), dialect, payload);
        let expect = ExpectShape { verdict: event.verdict.clone(), ..ExpectShape::default() };
        Ok(Case { version: event.version.as_deref().and_then(Version::parse), expect, ..case })
    }

    fn case_for(&self, line: u32, name: String, dialect: &'static Agent, payload: Value) -> Case {
        Case {
            suite: self.file.to_owned(),
            line,
            index: 0,
            name,
            agents: vec![dialect],
            version: None,
            project: None,
            home: Home::Scratch,
            trusted: false,
            isolate: Isolate::None,
            headless: false,
            stubs: Vec::new(),
            event: CaseEvent { payload: Some(payload), ..CaseEvent::default() },
            expect: ExpectShape::default(),
            skip: None,
        }
    }
}
