//! Looking on where another process serves: its events as they happen, and, with its token, decisions about what it holds.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::{LiveCommand, LiveFact};
use crate::app::fact::Fact;
use crate::core::live::{Answer, Decision, MAX_BODY};

/// Bytes of one line of the stream: an event in it has no payload.
const LONGEST_LINE: u64 = 1 << 20;
/// Bytes of an answer to a question; a payload is in it.
const LONGEST_ANSWER: u64 = 2 * MAX_BODY as u64;

/// Looks on until the other one ends or this one is told to.
pub async fn look_on(
    socket: &Path,
    pid: Option<u32>,
    facts: &mpsc::Sender<Fact>,
    mut asked: mpsc::UnboundedReceiver<LiveCommand>,
) {
    let tell = async |fact| {
        // Nobody listens any more when the program is ending.
        let _ = facts.send(Fact::Live(fact)).await;
    };
    let Ok(mut stream) = request(socket, "GET", "/v1/events", "", None).await else {
        let says = format!("hookbench serves already, at {}, and does not answer", socket.display());
        return tell(LiveFact::NotServing { says }).await;
    };
    tell(LiveFact::Attached { socket: socket.display().to_string(), pid: pid.unwrap_or_default() }).await;
    let mut other = Other { socket: socket.to_owned(), bearer: None, held: Vec::new() };
    loop {
        let mut line = String::new();
        let mut limited = (&mut stream).take(LONGEST_LINE);
        tokio::select! {
            read = limited.read_line(&mut line) => match read {
                Ok(1..) => {
                    let fact = line.strip_prefix("data: ").and_then(|json| serde_json::from_str(json).ok());
                    if let Some(fact) = fact.filter(|fact| other.hears(fact)) {
                        tell(fact).await;
                    }
                }
                _ => break,
            },
            command = asked.recv() => match command {
                None | Some(LiveCommand::Shutdown) => break,
                Some(command) => {
                    for fact in other.answer(command).await {
                        tell(fact).await;
                    }
                }
            },
        }
    }
    tell(LiveFact::Ended).await;
}

/// The other process.
struct Other {
    socket: PathBuf,
    bearer: Option<String>,
    /// Ids of what it holds.
    held: Vec<String>,
}

impl Other {
    /// Whether a fact is for the session, too: who serves is known already.
    fn hears(&mut self, fact: &LiveFact) -> bool {
        match fact {
            LiveFact::Held(held) => self.held.push(held.arrived.id.clone()),
            LiveFact::Answered(answered) => self.held.retain(|id| *id != answered.id),
            LiveFact::Abandoned { id } => self.held.retain(|held| held != id),
            LiveFact::Serving { .. } | LiveFact::Attached { .. } | LiveFact::NotServing { .. } => return false,
            _ => {}
        }
        true
    }

    async fn answer(&mut self, command: LiveCommand) -> Vec<LiveFact> {
        match command {
            LiveCommand::Bearer(bearer) => {
                self.bearer = Some(bearer.0);
                Vec::new()
            }
            LiveCommand::Decide { id, decision } => self.decide(id, decision).await.into_iter().collect(),
            LiveCommand::ReleaseAll => {
                let mut refused = Vec::new();
                for id in self.held.clone() {
                    refused.extend(self.decide(id, Decision::Observe).await);
                }
                refused
            }
            LiveCommand::Payload { id } => {
                let payload = self.payload(&id).await;
                vec![LiveFact::Payload { id, payload }]
            }
            LiveCommand::Pause(_) | LiveCommand::SetBreakpoints(_) => {
                let says = "that is for the process that serves".to_owned();
                vec![LiveFact::Refused { id: None, says }]
            }
            LiveCommand::Shutdown => Vec::new(),
        }
    }

    /// Decides; what is wrong comes back.
    async fn decide(&self, id: String, decision: Decision) -> Option<LiveFact> {
        let body = Answer::of(decision).to_json();
        let path = format!("/v1/held/{id}");
        let says = match request(&self.socket, "POST", &path, &body, self.bearer.as_deref()).await {
            Err(_) => "the process that serves does not answer".to_owned(),
            Ok(mut stream) => {
                let (status, body) = whole(&mut stream).await?;
                let field = |name: &str| {
                    let value: serde_json::Value = serde_json::from_str(&body).ok()?;
                    value.get(name)?.as_str().map(str::to_owned)
                };
                match status {
                    200..=299 => return None,
                    401 => "this is not its token".to_owned(),
                    403 => "it was started without --remote-decide, so it decides alone".to_owned(),
                    _ => field("message").or_else(|| field("error")).unwrap_or_else(|| format!("refused ({status})")),
                }
            }
        };
        Some(LiveFact::Refused { id: Some(id), says })
    }

    async fn payload(&self, id: &str) -> Option<String> {
        let mut stream = request(&self.socket, "GET", &format!("/v1/held/{id}"), "", None).await.ok()?;
        let (status, body) = whole(&mut stream).await?;
        let one: HeldOne<'_> = serde_json::from_str(&body).ok().filter(|_| status == 200)?;
        Some(one.payload.get().to_owned())
    }
}

/// What is read of an event that the other process holds.
#[derive(serde::Deserialize)]
struct HeldOne<'a> {
    #[serde(borrow)]
    payload: &'a serde_json::value::RawValue,
}

/// Sends a request, and gives what comes back.
async fn request(
    socket: &Path,
    method: &str,
    path: &str,
    body: &str,
    bearer: Option<&str>,
) -> std::io::Result<BufReader<UnixStream>> {
    let mut stream = UnixStream::connect(socket).await?;
    let right = bearer.map(|bearer| format!("Authorization: Bearer {bearer}\r\n")).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: hookbench\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         {right}Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    Ok(BufReader::new(stream))
}

/// Status and body of an answer.
async fn whole(stream: &mut BufReader<UnixStream>) -> Option<(u16, String)> {
    let mut text = String::new();
    stream.take(LONGEST_ANSWER).read_to_string(&mut text).await.ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}
