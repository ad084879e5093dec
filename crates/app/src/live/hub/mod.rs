//! The hub: a task that owns the interceptor (the desk). Its inputs are requests of the server and commands of a
//! frontend; its outputs are answers, records for the writer and facts. It does no slow work: payloads are parsed
//! before they reach it, and records are written after.

mod documents;
mod facts;
mod questions;
mod run;
mod steps;
mod token;

use std::path::PathBuf;
use std::time::Instant;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use facts::Facts;
pub use facts::Feed;
use run::Hub;
pub use run::Unstored;
pub use token::Token;

use super::look::look;
use super::writer::{Keeping, Recalled, Writer};
use super::{LiveCommand, LiveFact};
use crate::recordings::now_ms;
use hookbench_core::live::desk::{Cooldown, Desk, DeskSettings};
use hookbench_core::live::handlers::{Handoff, Trigger};
use hookbench_system::server::{CannotServe, Claim, Whereabouts, serve};
use hookbench_system::store::{KeptCooldown, KeptHandoff};

/// The capacity of the request channel; fewer requests than this can be open.
const QUEUE: usize = 512;

/// The configuration of a live path.
#[derive(Debug)]
pub struct LiveSettings {
    pub whereabouts: Whereabouts,
    /// The file of the store.
    pub store: PathBuf,
    pub keeping: Keeping,
    pub desk: DeskSettings,
    /// The token that authorizes decisions over the socket; `None` disables them.
    pub token: Option<Token>,
    /// The kind of process: `serve` or `tui`.
    pub mode: &'static str,
}

/// A running live path.
#[derive(Debug)]
pub struct Live {
    commands: mpsc::UnboundedSender<LiveCommand>,
    feed: Option<Feed>,
    task: JoinHandle<Unstored>,
}

impl Live {
    /// Claims the socket and begins to serve.
    ///
    /// # Errors
    /// Returns an error if another process serves already, or if the socket cannot be created.
    pub async fn start(settings: LiveSettings) -> Result<Live, CannotServe> {
        let LiveSettings { whereabouts, store, keeping, desk, token, mode } = settings;
        let (claim, listener) = Claim::make(whereabouts)?;
        let (health, healths) = mpsc::unbounded_channel();
        // Opening the store may wait for other writers, so it runs outside the runtime's threads.
        let started =
            tokio::task::spawn_blocking(move || Writer::start(store.clone(), keeping, health).map(|w| (w, store)));
        let failed = |why: std::io::Error| CannotServe::File { path: claim.socket().to_owned(), why };
        let ((writer, recalled), store) = match started.await {
            Ok(started) => started.map_err(failed)?,
            Err(why) => return Err(failed(std::io::Error::other(why))),
        };
        let mut desk = Desk::new(desk);
        remember(&mut desk, recalled);
        let (requests, asked) = mpsc::channel(QUEUE);
        let (end, ended) = watch::channel(false);
        let server = tokio::spawn(serve(listener, look, requests, ended));
        let (commands, commanded) = mpsc::unbounded_channel();
        let (facts, feed) = Facts::new();
        let hub = Hub::new(desk, facts, writer, store, claim, token, mode, Instant::now(), now_ms());
        let task = tokio::spawn(hub.run(run::Ways { asked, commanded, healths, server, end }));
        Ok(Live { commands, feed: Some(feed), task })
    }

    pub(super) fn of(commands: mpsc::UnboundedSender<LiveCommand>, feed: Feed, task: JoinHandle<Unstored>) -> Live {
        Live { commands, feed: Some(feed), task }
    }

    /// The feed of all facts from the start. Can be taken once.
    pub fn feed(&mut self) -> Option<Feed> {
        self.feed.take()
    }

    /// Sends a command. Its results are reported as facts.
    pub fn ask(&self, command: LiveCommand) {
        let _ = self.commands.send(command);
    }

    /// Ends the live path: answers all pending events as if no hook existed, stores queued events and removes the
    /// socket. Returns the events that could not be stored.
    pub async fn end(self) -> Unstored {
        self.ask(LiveCommand::Shutdown);
        self.task.await.unwrap_or_default()
    }
}

fn remember(desk: &mut Desk, recalled: Recalled) {
    let cooldown = |kept: KeptCooldown| Cooldown {
        provider: kept.provider,
        provider_ref: kept.provider_ref,
        event: kept.event,
        last_received_ms: kept.last_received_ms,
    };
    let handoff = |kept: KeptHandoff| {
        let trigger = TRIGGERS.into_iter().find(|(_, word)| *word == kept.trigger)?.0;
        Some(Handoff {
            provider: kept.provider,
            provider_ref: kept.provider_ref,
            project: kept.project_key,
            trigger,
            created_ms: kept.created_ms,
            json: kept.json,
            yaml: kept.yaml,
        })
    };
    let handoffs = recalled.handoffs.into_iter().filter_map(handoff).collect();
    desk.remember(recalled.cooldowns.into_iter().map(cooldown).collect(), handoffs);
}

/// The triggers of handoffs, with their names in the store.
const TRIGGERS: [(Trigger, &str); 3] =
    [(Trigger::PreCompact, "pre_compact"), (Trigger::Stop, "stop"), (Trigger::SessionEnd, "session_end")];

/// The first fact of a live path.
fn serving(claim: &Claim) -> LiveFact {
    LiveFact::Serving { socket: claim.socket().display().to_string(), pid: std::process::id() }
}
