//! Attaches to the server of another process: forwards its facts, and sends it the commands that it accepts over
//! its socket.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::hub::{FactFeed, LiveHandle, UnstoredEvents};
use super::{LiveCommand, LiveFact};
use hookbench_core::live::{Decision, LiveAnswer};
use hookbench_system::server::client;

/// Messages for commands that only the other process accepts.
const THEIRS: &str = "another hookbench is the server: use that one for this";
const NO_TOKEN: &str =
    "another hookbench is the server: to decide here, start it with --remote-decide and enter its token";

impl LiveHandle {
    /// Attaches to the server that agents reach.
    ///
    /// # Errors
    /// Returns an error if this user has no server, or if it does not stream its facts.
    pub async fn attach(socket: PathBuf) -> std::io::Result<LiveHandle> {
        let coming = client::follow(&socket).await?;
        let (facts, feed) = FactFeed::with_single_source();
        let (commands, commanded) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            follow(socket, coming, facts, commanded).await;
            // Storage problems are reported by the serving process.
            UnstoredEvents::default()
        });
        Ok(LiveHandle::of(commands, feed, task))
    }
}

async fn follow(
    socket: PathBuf,
    mut coming: mpsc::Receiver<String>,
    facts: mpsc::UnboundedSender<LiveFact>,
    mut commanded: mpsc::UnboundedReceiver<LiveCommand>,
) {
    let mut other = RemoteServer { socket, bearer: None, held: Vec::new() };
    loop {
        let told = tokio::select! {
            text = coming.recv() => match text.as_deref().map(serde_json::from_str) {
                Some(Ok(LiveFact::Serving { socket, pid })) => vec![LiveFact::Attached { socket, pid }],
                Some(Ok(LiveFact::Ended)) | None => break,
                Some(Ok(fact)) => {
                    other.track(&fact);
                    vec![fact]
                }
                // A fact from a later version that this one does not know.
                Some(Err(_)) => Vec::new(),
            },
            command = commanded.recv() => match command {
                // Shutdown does not apply to another process's server.
                Some(LiveCommand::Shutdown) | None => return,
                Some(command) => other.handle(command).await,
            },
        };
        for fact in told {
            if facts.send(fact).is_err() {
                return;
            }
        }
    }
    let _ = facts.send(LiveFact::Ended);
}

/// The process that serves.
struct RemoteServer {
    socket: PathBuf,
    bearer: Option<String>,
    /// The ids of its pending events.
    held: Vec<String>,
}

impl RemoteServer {
    fn track(&mut self, fact: &LiveFact) {
        match fact {
            LiveFact::Held(held) => self.held.push(held.arrived.id.clone()),
            LiveFact::Answered(answered) => self.held.retain(|id| *id != answered.id),
            LiveFact::Abandoned { id } => self.held.retain(|held| held != id),
            _ => {}
        }
    }

    /// Sends a command to the server. The results are facts, either returned here or sent by the server.
    async fn handle(&mut self, command: LiveCommand) -> Vec<LiveFact> {
        match command {
            LiveCommand::Bearer(bearer) => {
                self.bearer = Some(bearer.0);
                Vec::new()
            }
            LiveCommand::Payload { id } => vec![LiveFact::Payload { payload: payload(&self.socket, &id).await, id }],
            LiveCommand::Decide { id, decision } => self.decide(id, decision).await.into_iter().collect(),
            LiveCommand::ReleaseAll => {
                let mut refused = Vec::new();
                for id in self.held.clone() {
                    refused.extend(self.decide(id, Decision::Observe).await);
                }
                refused
            }
            LiveCommand::Pause(_) | LiveCommand::SetBreakpoints(_) => {
                vec![LiveFact::Refused { id: None, says: THEIRS.to_owned() }]
            }
            LiveCommand::Shutdown => Vec::new(),
        }
    }

    /// Sends a decision. Returns a fact if it fails.
    async fn decide(&self, id: String, decision: Decision) -> Option<LiveFact> {
        let Some(bearer) = &self.bearer else {
            return Some(LiveFact::Refused { id: Some(id), says: NO_TOKEN.to_owned() });
        };
        let bearer = format!("Bearer {bearer}");
        let headers = [("Content-Type", "application/json"), ("Authorization", bearer.as_str())];
        let body = LiveAnswer::new(decision).to_json();
        let target = format!("/v1/held/{id}");
        let says = match client::ask(&self.socket, "POST", &target, &headers, body.as_bytes()).await {
            Ok(response) if response.status == 200 => return None,
            Ok(response) => message(&response.body),
            Err(why) => why.to_string(),
        };
        Some(LiveFact::Refused { id: Some(id), says })
    }
}

async fn payload(socket: &Path, id: &str) -> Option<String> {
    for target in [format!("/v1/held/{id}"), format!("/v1/observations/{id}")] {
        let Ok(response) = client::ask(socket, "GET", &target, &[], &[]).await else { continue };
        let document = serde_json::from_slice::<PayloadDocument>(&response.body);
        if let (200, Ok(PayloadDocument { payload: Some(payload) })) = (response.status, document) {
            return Some(payload.get().to_owned());
        }
    }
    None
}

#[derive(serde::Deserialize)]
struct PayloadDocument {
    #[serde(default)]
    payload: Option<Box<serde_json::value::RawValue>>,
}

fn message(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct RefusalMessage {
        message: String,
    }
    serde_json::from_slice::<RefusalMessage>(body)
        .map_or_else(|_| "the server refused the request".to_owned(), |refused| refused.message)
}
