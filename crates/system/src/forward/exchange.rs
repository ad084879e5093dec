//! The main thread: reads the payload, finds the server, sends the event, receives the answer. It may block
//! anywhere, because the watchdog enforces the deadlines.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;

use super::args::{ForwardArgs, PayloadInput};
use super::environment::project_path;
use super::log::now;
use super::outcome::{ForwardNote, ForwardOutcome};
use super::watchdog::Watchdog;
use crate::local_socket::{ConnectError, LocalStream, connect};
use hookbench_core::live::http::{HttpResponse, ResponseError, ResponseProgress, ResponseReader, write_request};
use hookbench_core::live::intercept::{ENDED, TimeoutAction};
use hookbench_core::live::{
    AcceptedDecisions, ClientBudget, Envelope, ForwardSettings, HOOKS_PATH, HookResponse, LiveAnswer, LiveFormat,
    PayloadFields, StdinPayload, clean_reference, deadlines_of, header, hook_response, live_form, native_event,
    wire_event,
};

/// The input of the exchange, before anything is read.
pub struct ForwardContext {
    pub args: ForwardArgs,
    pub settings: ForwardSettings,
    pub started: Instant,
}

/// Forwards one event, and reports progress to the watchdog.
pub fn forward_event(terms: &ForwardContext, socket: &Path, watchdog: &Watchdog) -> ForwardOutcome {
    let input = PayloadInput::read(&mut std::io::stdin().lock());
    let at = Instant::now();
    let received = now();
    let asked = &terms.args;
    let form = asked.agent.as_deref().and_then(live_form);
    let (payload, peek) = StdinPayload::classify(&input.kept, input.total);
    let event = peek.wire_event(asked.event.as_deref(), form);
    let mut notes = payload_notes(payload, &peek, asked.event.as_deref(), form);
    watchdog.payload_read(&event, at, deadlines_of(&event, &terms.settings.deadlines));
    let told = match (form, asked.agent.as_deref()) {
        (Some(form), Some(_)) if form.unsafe_events.contains(&native_event(form, &event).as_str()) => {
            notes.push(ForwardNote::new(
                "unsafe",
                "any output is harmful on this event; remove this hook from the settings",
            ));
            HookResponse { stdout: String::new(), exit_code: 1, ..HookResponse::observe() }
        }
        (Some(form), Some(agent)) => {
            let sending =
                EventSender { terms, agent, event: &event, payload, peek: &peek, payload_read_at: at, received };
            match sending.send(socket, form, watchdog).and_then(|response| answer(&response)) {
                Ok(answer) => {
                    let told = hook_response(form, &event, &answer);
                    if told.degraded {
                        let word = answer.decision.kind().word();
                        notes.push(ForwardNote::new(
                            "degraded",
                            format!("the agent does not support {word} on this event"),
                        ));
                    }
                    told
                }
                Err(note) => {
                    notes.extend(note);
                    watchdog.fallback()
                }
            }
        }
        (_, agent) => {
            let says = agent.map_or_else(|| "--agent is missing".to_owned(), |agent| format!("unknown agent {agent}"));
            notes.push(ForwardNote::new("agent", says));
            HookResponse::observe()
        }
    };
    ForwardOutcome { response: told, notes, event: Some(event) }
}

/// Irregularities of a payload, which is sent anyway.
fn payload_notes(
    payload: StdinPayload<'_>,
    peek: &PayloadFields,
    said: Option<&str>,
    form: Option<&LiveFormat>,
) -> Vec<ForwardNote> {
    let mut notes = Vec::new();
    match payload {
        StdinPayload::Json(_) => {}
        StdinPayload::Empty => notes.push(ForwardNote::new("payload", "stdin is empty")),
        StdinPayload::Text(_) => notes.push(ForwardNote::new("payload", "stdin is not JSON")),
        StdinPayload::Oversize(bytes) => {
            notes.push(ForwardNote::new("payload", format!("the payload is too large: {bytes} bytes")));
        }
    }
    if let (Some(said), Some(own)) = (said, &peek.event) {
        let (said, own) = (wire_event(form, said), wire_event(form, own));
        if said != own {
            notes.push(ForwardNote::new("event", format!("--event is {said}, but the payload has {own}")));
        }
    }
    notes
}

struct EventSender<'a> {
    terms: &'a ForwardContext,
    agent: &'a str,
    event: &'a str,
    payload: StdinPayload<'a>,
    peek: &'a PayloadFields,
    /// The time at which the payload was complete.
    payload_read_at: Instant,
    received: (Timestamp, String),
}

impl EventSender<'_> {
    /// Sends the event and waits for the answer. Returns a note if there was a problem worth logging.
    fn send(&self, socket: &Path, form: &LiveFormat, watchdog: &Watchdog) -> Result<HttpResponse, Option<ForwardNote>> {
        let mut stream = connect(socket).map_err(|why| connection_note(socket, why))?;
        // A server may answer and hang up before it has read everything, so a write error is ignored.
        let _ = self.write(&mut stream);
        let holds = |word: Option<&str>| watchdog.server_holds(self.announced(form, word));
        receive(&mut stream, holds).map_err(|broken| Some(ForwardNote::new("answer", broken.message())))
    }

    /// The response for an announced answer. `None` if the event then passes, or if the word is not known.
    fn announced(&self, form: &LiveFormat, word: Option<&str>) -> Option<HookResponse> {
        let action = TimeoutAction::from_word(word?).filter(|action| *action != TimeoutAction::Pass)?;
        let response = hook_response(form, self.event, &LiveAnswer::new(action.decision(ENDED)));
        (!response.degraded).then_some(response)
    }

    fn write(&self, stream: &mut LocalStream) -> std::io::Result<()> {
        let (time, received_at) = &self.received;
        let project = project_path(self.peek);
        let envelope = Envelope {
            provider: self.agent,
            event: self.event,
            provider_ref: &clean_reference(self.peek.session.as_deref().unwrap_or_default()),
            project_path: &project,
            received_at,
            payload: self.payload,
        };
        let (before, body, after) = envelope.parts();
        let deadlines = deadlines_of(self.event, &self.terms.settings.deadlines);
        let hold = deadlines.hold.saturating_sub(self.terms.started.elapsed());
        let budget =
            ClientBudget { ack: deadlines.ack.saturating_sub(self.payload_read_at.elapsed()), hold }.to_string();
        let id = new(u64::try_from(time.as_millisecond()).unwrap_or(0));
        let accept = AcceptedDecisions::all().to_string();
        let client = concat!("forward/", env!("CARGO_PKG_VERSION"));
        let mut headers = vec![
            ("Content-Type", "application/json"),
            (header::CLIENT, client),
            (header::REQUEST_ID, &id),
            (header::BUDGET, &budget),
            (header::ACCEPT, &accept),
        ];
        let bytes;
        match self.payload {
            StdinPayload::Text(_) => headers.push((header::PAYLOAD, "text")),
            StdinPayload::Oversize(total) => {
                bytes = total.to_string();
                headers.push((header::OVERSIZE, &bytes));
            }
            StdinPayload::Json(_) | StdinPayload::Empty => {}
        }
        let length = before.len() + body.len() + after.len();
        let mut head = write_request("POST", HOOKS_PATH, &headers, length);
        head.extend_from_slice(before.as_bytes());
        stream.write_all(&head)?;
        stream.write_all(body.as_bytes())?;
        stream.write_all(after.as_bytes())
    }
}

/// Receives the response. `holds` is called with the announced answer each time the server says that it takes longer.
fn receive(stream: &mut LocalStream, holds: impl Fn(Option<&str>)) -> Result<HttpResponse, ResponseError> {
    let mut reader = ResponseReader::default();
    let mut bytes = [0; 16 * 1024];
    loop {
        let count = match stream.read(&mut bytes) {
            Ok(count) if count > 0 => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => return Err(ResponseError::ConnectionClosed),
        };
        let mut progress = reader.push(&bytes[..count])?;
        while progress == ResponseProgress::Processing {
            holds(reader.announced(header::ANNOUNCED));
            progress = reader.push(&[])?;
        }
        if let ResponseProgress::Done(response) = progress {
            return Ok(response);
        }
    }
}

fn answer(response: &HttpResponse) -> Result<LiveAnswer, Option<ForwardNote>> {
    if response.status != 200 {
        let said: String = String::from_utf8_lossy(&response.body).chars().take(200).collect();
        return Err(Some(ForwardNote::new("status", format!("{} {said}", response.status))));
    }
    LiveAnswer::parse(&response.body).map_err(|why| Some(ForwardNote::new("answer", why.0)))
}

/// The note for a connection that could not be made. `None` if no server is running, which is normal.
fn connection_note(socket: &Path, why: ConnectError) -> Option<ForwardNote> {
    let note = |problem, detail: String| Some(ForwardNote::new(problem, detail));
    match why {
        ConnectError::Absent => None,
        ConnectError::Untrusted(why) => note("owner", why),
        ConnectError::Busy => note("busy", "the server accepts no more connections".to_owned()),
        ConnectError::Refused => note("refused", format!("no server listens at {}", socket.display())),
        ConnectError::Other(why) => note("socket", format!("{}: {why}", socket.display())),
    }
}

/// Creates an id for a time in milliseconds since 1970.
pub fn new(now_ms: u64) -> String {
    // Two hashes with random keys from the system are random enough to distinguish requests.
    let random = u128::from(RandomState::new().hash_one(now_ms)) << 64 | u128::from(RandomState::new().hash_one(7));
    form(now_ms, random)
}

fn form(now_ms: u64, random: u128) -> String {
    let low = |bits: u32, from: u32| (random >> from) & ((1 << bits) - 1);
    let time = now_ms & ((1 << 48) - 1);
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        time >> 16,
        time & 0xffff,
        low(12, 64),
        0x8000 | low(14, 48),
        low(48, 0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_its_time_and_its_version() {
        assert_eq!(form(0x0192_aabb_ccdd, u128::MAX), "0192aabb-ccdd-7fff-bfff-ffffffffffff");
        assert_eq!(form(0, 0), "00000000-0000-7000-8000-000000000000");
        assert_ne!(new(1), new(1));
    }
}
