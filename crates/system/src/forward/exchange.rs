//! The main thread: reads the payload, finds the server, sends the event, receives the answer. It may block
//! anywhere, because the watchdog enforces the deadlines.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;

use super::connect::{Unreachable, reach};
use super::here::project_path;
use super::input::Input;
use super::log::{Note, now};
use super::watchdog::Watchdog;
use super::{Ended, Terms, request_id};
use hookbench_core::live::http::{Broken, Progress, Response, ResponseReader, write_request};
use hookbench_core::live::{
    Accept, Answer, Budget, Envelope, HOOKS_PATH, LiveForm, Payload, Peek, Told, clean_reference, deadlines_of,
    form_of, header, native_event, tell, wire_event,
};

/// Forwards one event, and reports progress to the watchdog.
pub fn work(terms: &Terms, socket: &Path, uid: u32, watchdog: &Watchdog) -> Ended {
    let input = Input::read(&mut std::io::stdin().lock());
    let at = Instant::now();
    let received = now();
    let asked = &terms.asked;
    let form = asked.agent.as_deref().and_then(form_of);
    let (payload, peek) = Payload::look(&input.kept, input.total);
    let event = peek.wire_event(asked.event.as_deref(), form);
    let mut notes = strange(payload, &peek, asked.event.as_deref(), form);
    watchdog.read(&event, at, deadlines_of(&event, &terms.settings.deadlines));
    let told = match (form, asked.agent.as_deref()) {
        (Some(form), Some(_)) if form.never.contains(&native_event(form, &event).as_str()) => {
            notes.push(Note::new("unsafe", "any output does harm on this event; take the hook out of the settings"));
            Told { stdout: String::new(), exit_code: 1, ..Told::nothing() }
        }
        (Some(form), Some(agent)) => {
            let sending = Sending { terms, agent, event: &event, payload, peek: &peek, at, received };
            match sending.send(socket, uid, watchdog).and_then(|response| answer(&response)) {
                Ok(answer) => {
                    let told = tell(form, &event, &answer);
                    if told.degraded {
                        let word = answer.decision.kind().word();
                        notes.push(Note::new("degraded", format!("the agent does not do this on this event: {word}")));
                    }
                    told
                }
                Err(note) => {
                    notes.extend(note);
                    Told::nothing()
                }
            }
        }
        (_, agent) => {
            let says =
                agent.map_or_else(|| "no agent is named".to_owned(), |agent| format!("no agent is called {agent}"));
            notes.push(Note::new("agent", says));
            Told::nothing()
        }
    };
    Ended { told, notes, event: Some(event) }
}

/// Irregularities of a payload, which is sent anyway.
fn strange(payload: Payload<'_>, peek: &Peek, said: Option<&str>, form: Option<&LiveForm>) -> Vec<Note> {
    let mut notes = Vec::new();
    match payload {
        Payload::Json(_) => {}
        Payload::Empty => notes.push(Note::new("payload", "stdin was empty")),
        Payload::Text(_) => notes.push(Note::new("payload", "stdin was no JSON")),
        Payload::Oversize(bytes) => notes.push(Note::new("payload", format!("{bytes} bytes are too many to travel"))),
    }
    if let (Some(said), Some(own)) = (said, &peek.event) {
        let (said, own) = (wire_event(form, said), wire_event(form, own));
        if said != own {
            notes.push(Note::new("event", format!("--event says {said}, the payload says {own}")));
        }
    }
    notes
}

struct Sending<'a> {
    terms: &'a Terms,
    agent: &'a str,
    event: &'a str,
    payload: Payload<'a>,
    peek: &'a Peek,
    /// The time at which the payload was complete.
    at: Instant,
    received: (Timestamp, String),
}

impl Sending<'_> {
    /// Sends the event and waits for the answer. Returns a note if there was a problem worth logging.
    fn send(&self, socket: &Path, uid: u32, watchdog: &Watchdog) -> Result<Response, Option<Note>> {
        let mut stream = reach(socket, uid).map_err(|why| match why {
            Unreachable::Absent => None,
            Unreachable::Strange(note) => Some(note),
        })?;
        // A server may answer and hang up before it has read everything, so a write error is ignored.
        let _ = self.write(&mut stream);
        receive(&mut stream, watchdog).map_err(|broken| Some(Note::new("answer", broken.says())))
    }

    fn write(&self, stream: &mut UnixStream) -> std::io::Result<()> {
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
        let budget = Budget { ack: deadlines.ack.saturating_sub(self.at.elapsed()), hold }.to_string();
        let id = request_id::new(u64::try_from(time.as_millisecond()).unwrap_or(0));
        let accept = Accept::all().to_string();
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
            Payload::Text(_) => headers.push((header::PAYLOAD, "text")),
            Payload::Oversize(total) => {
                bytes = total.to_string();
                headers.push((header::OVERSIZE, &bytes));
            }
            Payload::Json(_) | Payload::Empty => {}
        }
        let length = before.len() + body.len() + after.len();
        let mut head = write_request("POST", HOOKS_PATH, &headers, length);
        head.extend_from_slice(before.as_bytes());
        stream.write_all(&head)?;
        stream.write_all(body.as_bytes())?;
        stream.write_all(after.as_bytes())
    }
}

fn receive(stream: &mut UnixStream, watchdog: &Watchdog) -> Result<Response, Broken> {
    let mut reader = ResponseReader::default();
    let mut bytes = [0; 16 * 1024];
    loop {
        let count = match stream.read(&mut bytes) {
            Ok(count) if count > 0 => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => return Err(Broken::Early),
        };
        let mut progress = reader.push(&bytes[..count])?;
        while progress == Progress::Held {
            watchdog.held();
            progress = reader.push(&[])?;
        }
        if let Progress::Done(response) = progress {
            return Ok(response);
        }
    }
}

fn answer(response: &Response) -> Result<Answer, Option<Note>> {
    if response.status != 200 {
        let said: String = String::from_utf8_lossy(&response.body).chars().take(200).collect();
        return Err(Some(Note::new("status", format!("{} {said}", response.status))));
    }
    Answer::parse(&response.body).map_err(|why| Some(Note::new("answer", why.0)))
}
