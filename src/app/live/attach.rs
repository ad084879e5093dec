//! Looking on while another process serves: its facts are ours, and what it lets us ask for is asked for over its socket.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::hub::{Feed, Live};
use super::{LiveCommand, LiveFact};
use crate::core::live::Answer;
use crate::server::client;

/// What is not ours to ask.
const THEIRS: &str = "another hookbench serves: this is to be asked there";
const NO_TOKEN: &str = "another hookbench serves: to decide here, start it with --remote-decide and give its token";

impl Live {
    /// Looks on at the server that agents reach.
    ///
    /// # Errors
    /// When there is none of this user, or it does not tell what happens.
    pub async fn attach(socket: PathBuf) -> std::io::Result<Live> {
        let told = client::follow(&socket).await?;
        let (facts, feed) = Feed::private();
        let (commands, commanded) = mpsc::unbounded_channel();
        let task = tokio::spawn(look_on(socket, told, facts, commanded));
        Ok(Live::of(commands, feed, task))
    }
}

async fn look_on(
    socket: PathBuf,
    mut told: mpsc::Receiver<String>,
    facts: mpsc::UnboundedSender<LiveFact>,
    mut commanded: mpsc::UnboundedReceiver<LiveCommand>,
) {
    let mut token = None;
    loop {
        let fact = tokio::select! {
            text = told.recv() => match text.as_deref().map(serde_json::from_str) {
                Some(Ok(LiveFact::Serving { socket, pid })) => Some(LiveFact::Attached { socket, pid }),
                Some(Ok(LiveFact::Ended)) | None => break,
                Some(Ok(fact)) => Some(fact),
                // What a later version tells and this one does not know.
                Some(Err(_)) => None,
            },
            command = commanded.recv() => match command {
                // The server is not ours to end.
                Some(LiveCommand::Shutdown) | None => return,
                Some(LiveCommand::Bearer(said)) => {
                    token = Some(said.0);
                    None
                }
                Some(command) => asked(&socket, token.as_deref(), command).await,
            },
        };
        if let Some(fact) = fact
            && facts.send(fact).is_err()
        {
            return;
        }
    }
    let _ = facts.send(LiveFact::Ended);
}

/// Asks the server for something; what comes of it is told as a fact, here or by the server.
async fn asked(socket: &Path, token: Option<&str>, command: LiveCommand) -> Option<LiveFact> {
    match command {
        LiveCommand::Payload { id } => Some(LiveFact::Payload { payload: payload(socket, &id).await, id }),
        LiveCommand::Decide { id, decision } => {
            let Some(token) = token else {
                return Some(LiveFact::Refused { id: Some(id), says: NO_TOKEN.to_owned() });
            };
            let bearer = format!("Bearer {token}");
            let headers = [("Content-Type", "application/json"), ("Authorization", bearer.as_str())];
            let body = Answer::of(decision).to_json();
            let target = format!("/v1/held/{id}");
            let says = match client::ask(socket, "POST", &target, &headers, body.as_bytes()).await {
                Ok(response) if response.status == 200 => return None,
                Ok(response) => message(&response.body),
                Err(why) => why.to_string(),
            };
            Some(LiveFact::Refused { id: Some(id), says })
        }
        LiveCommand::ReleaseAll | LiveCommand::Pause(_) | LiveCommand::SetBreakpoints(_) => {
            Some(LiveFact::Refused { id: None, says: THEIRS.to_owned() })
        }
        LiveCommand::Bearer(_) | LiveCommand::Shutdown => None,
    }
}

async fn payload(socket: &Path, id: &str) -> Option<String> {
    for target in [format!("/v1/held/{id}"), format!("/v1/observations/{id}")] {
        let Ok(response) = client::ask(socket, "GET", &target, &[], &[]).await else { continue };
        let document = serde_json::from_slice::<Document>(&response.body);
        if let (200, Ok(Document { payload: Some(payload) })) = (response.status, document) {
            return Some(payload.get().to_owned());
        }
    }
    None
}

#[derive(serde::Deserialize)]
struct Document {
    #[serde(default)]
    payload: Option<Box<serde_json::value::RawValue>>,
}

fn message(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct Refused {
        message: String,
    }
    serde_json::from_slice::<Refused>(body).map_or_else(|_| "the server refuses".to_owned(), |refused| refused.message)
}
