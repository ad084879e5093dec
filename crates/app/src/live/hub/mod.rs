//! The hub: a task that owns the interceptor (the desk). Its inputs are requests of the server and commands of a
//! frontend; its outputs are answers, records for the writer and facts. It does no slow work: payloads are parsed
//! before they reach it, and records are written after.

mod facts;
mod queries;
mod run;
mod steps;
mod token;

use std::path::PathBuf;
use std::time::Instant;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use facts::FactBroadcast;
pub use facts::FactFeed;
use run::Hub;
pub use run::UnstoredEvents;
pub use token::Token;

use super::spooled::display_values;
use super::writer::{RestoredState, StorageSettings, Writer};
use super::{LiveCommand, LiveFact};
use crate::recordings::store::now_ms;
use hookbench_core::live::handlers::{Handoff, HandoffTrigger};
use hookbench_core::live::intercept::{Cooldown, InterceptSettings, Interceptor};
use hookbench_system::server::{ServeError, ServerClaim, ServerPaths, serve};
use hookbench_system::store::{StoredCooldown, StoredHandoff};

/// The capacity of the request channel; fewer requests than this can be open.
const QUEUE: usize = 512;

/// The configuration of a live path.
#[derive(Debug)]
pub struct LiveSettings {
    pub whereabouts: ServerPaths,
    /// The file of the store.
    pub store: PathBuf,
    pub storage: StorageSettings,
    pub desk: InterceptSettings,
    /// The token that authorizes decisions over the socket; `None` disables them.
    pub token: Option<Token>,
    /// The kind of process: `serve` or `tui`.
    pub mode: &'static str,
}

/// A running live path.
#[derive(Debug)]
pub struct LiveHandle {
    commands: mpsc::UnboundedSender<LiveCommand>,
    feed: Option<FactFeed>,
    task: JoinHandle<UnstoredEvents>,
}

impl LiveHandle {
    /// Claims the socket and begins to serve.
    ///
    /// # Errors
    /// Returns an error if another process serves already, or if the socket cannot be created.
    pub async fn start(settings: LiveSettings) -> Result<LiveHandle, ServeError> {
        let LiveSettings { whereabouts, store, storage: keeping, desk, token, mode } = settings;
        let (claim, listener) = ServerClaim::acquire(whereabouts)?;
        let (health, healths) = mpsc::unbounded_channel();
        // Opening the store may wait for other writers, so it runs outside the runtime's threads.
        let started =
            tokio::task::spawn_blocking(move || Writer::start(store.clone(), keeping, health).map(|w| (w, store)));
        let failed = |why: std::io::Error| ServeError::File { path: claim.socket().to_owned(), why };
        let ((writer, recalled), store) = match started.await {
            Ok(started) => started.map_err(failed)?,
            Err(why) => return Err(failed(std::io::Error::other(why))),
        };
        let mut desk = Interceptor::new(desk);
        restore(&mut desk, recalled);
        let (requests, asked) = mpsc::channel(QUEUE);
        let (end, ended) = watch::channel(false);
        let server = tokio::spawn(serve(listener, display_values, requests, ended));
        let (commands, commanded) = mpsc::unbounded_channel();
        let (facts, feed) = FactBroadcast::new();
        let hub = Hub::new(desk, facts, writer, store, claim, token, mode, Instant::now(), now_ms());
        let task = tokio::spawn(hub.run(run::HubInputs {
            requests: asked,
            commands: commanded,
            health: healths,
            server,
            end,
        }));
        Ok(LiveHandle { commands, feed: Some(feed), task })
    }

    pub(super) fn of(
        commands: mpsc::UnboundedSender<LiveCommand>,
        feed: FactFeed,
        task: JoinHandle<UnstoredEvents>,
    ) -> LiveHandle {
        LiveHandle { commands, feed: Some(feed), task }
    }

    /// The feed of all facts from the start. Can be taken once.
    pub fn feed(&mut self) -> Option<FactFeed> {
        self.feed.take()
    }

    /// Sends a command. Its results are reported as facts.
    pub fn ask(&self, command: LiveCommand) {
        let _ = self.commands.send(command);
    }

    /// Ends the live path: gives all pending events their announced answer, stores queued events and removes the
    /// socket. Returns the events that could not be stored.
    pub async fn end(self) -> UnstoredEvents {
        self.ask(LiveCommand::Shutdown);
        self.task.await.unwrap_or_default()
    }
}

fn restore(desk: &mut Interceptor, recalled: RestoredState) {
    let cooldown = |kept: StoredCooldown| Cooldown {
        provider: kept.provider,
        provider_ref: kept.provider_ref,
        event: kept.event,
        last_received_ms: kept.last_received_ms,
    };
    let handoff = |kept: StoredHandoff| {
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
const TRIGGERS: [(HandoffTrigger, &str); 3] = [
    (HandoffTrigger::PreCompact, "pre_compact"),
    (HandoffTrigger::Stop, "stop"),
    (HandoffTrigger::SessionEnd, "session_end"),
];

/// The first fact of a live path.
fn serving_fact(claim: &ServerClaim) -> LiveFact {
    LiveFact::Serving { socket: claim.socket().display().to_string(), pid: std::process::id() }
}
