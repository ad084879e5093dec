//! A frontend's connection to the live path: its own hub, or the server of another process if one is running.

use std::path::PathBuf;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::disk::state_dir::StateDir;
use crate::live::{
    LiveCommand, LiveFact, LiveHandle, LiveSettings, ServeError, ServerPaths, StorageSettings, UnstoredEvents,
};
use crate::recordings::store::STORE_FILE;
use crate::session::fact::Fact;
use hookbench_core::live::intercept::InterceptSettings;

/// A frontend's connection to the live path.
pub struct LiveLink {
    commands: mpsc::UnboundedSender<LiveCommand>,
    task: JoinHandle<UnstoredEvents>,
}

impl LiveLink {
    /// Starts a server, or attaches to a running one; facts say which. Must be called inside a tokio runtime.
    /// `before` is an earlier link, which is ended first; `demo` is the directory of the demo, whose server is its own.
    pub fn start(
        state: &StateDir,
        (desk, demo): (InterceptSettings, Option<PathBuf>),
        facts: mpsc::Sender<Fact>,
        before: Option<LiveLink>,
    ) -> LiveLink {
        let settings = LiveSettings {
            whereabouts: demo.map_or_else(|| ServerPaths::resolve(None), |demo| ServerPaths::private(&demo)),
            store: state.file(STORE_FILE),
            storage: StorageSettings { mask_secrets: desk.redact, ..StorageSettings::default() },
            desk,
            token: None,
            mode: "tui",
        };
        let (commands, asked) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            if let Some(before) = before {
                before.end().await;
            }
            run(settings, facts, asked).await
        });
        LiveLink { commands, task }
    }

    /// Sends a command. Its results are reported as facts.
    pub fn ask(&self, command: LiveCommand) {
        let _ = self.commands.send(command);
    }

    /// Ends the link: gives all pending events their announced answer, stores queued events and removes the
    /// socket. Returns the events that could not be stored.
    pub async fn end(self) -> UnstoredEvents {
        self.ask(LiveCommand::Shutdown);
        self.task.await.unwrap_or_default()
    }
}

async fn run(
    settings: LiveSettings,
    facts: mpsc::Sender<Fact>,
    mut asked: mpsc::UnboundedReceiver<LiveCommand>,
) -> UnstoredEvents {
    let tell = async |fact| {
        // The receiver is gone when the program is exiting.
        let _ = facts.send(Fact::Live(Box::new(fact))).await;
    };
    let mut live = match LiveHandle::start(settings).await {
        Ok(live) => live,
        Err(ServeError::Held { socket, .. }) => match LiveHandle::attach(socket.clone()).await {
            Ok(live) => live,
            Err(why) => {
                let says = format!("another hookbench server at {} does not answer: {why}", socket.display());
                tell(LiveFact::NotServing { says }).await;
                return UnstoredEvents::default();
            }
        },
        Err(why) => {
            tell(LiveFact::NotServing { says: why.to_string() }).await;
            return UnstoredEvents::default();
        }
    };
    let Some(mut feed) = live.feed() else { return UnstoredEvents::default() };
    loop {
        tokio::select! {
            fact = feed.next() => match fact {
                Some(LiveFact::Ended) | None => break,
                Some(fact) => tell(fact).await,
            },
            command = asked.recv() => match command {
                Some(command) => live.ask(command),
                None => break,
            },
        }
    }
    let unstored = live.end().await;
    tell(LiveFact::Ended).await;
    unstored
}
