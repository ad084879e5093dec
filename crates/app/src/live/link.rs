//! A face's way to the live path: its own hub where nobody serves yet, else the one that serves.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::hub::Unstored;
use super::{CannotServe, Keeping, Live, LiveCommand, LiveFact, LiveSettings, Whereabouts};
use crate::fact::Fact;
use crate::recordings::STORE_FILE;
use crate::state_dir::StateDir;
use hookbench_core::live::desk::DeskSettings;

/// See the head of the module.
pub struct Link {
    commands: mpsc::UnboundedSender<LiveCommand>,
    task: JoinHandle<Unstored>,
}

impl Link {
    /// Serves from now on, or attaches to who serves; facts tell which. Must be called inside a tokio runtime.
    /// `before`: an earlier one, which is ended first.
    pub fn start(state: &StateDir, desk: DeskSettings, facts: mpsc::Sender<Fact>, before: Option<Link>) -> Link {
        let settings = LiveSettings {
            whereabouts: Whereabouts::here(None),
            store: state.file(STORE_FILE),
            keeping: Keeping { masked: desk.redact, ..Keeping::default() },
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
        Link { commands, task }
    }

    /// Asks for something. What comes of it is told as facts.
    pub fn ask(&self, command: LiveCommand) {
        let _ = self.commands.send(command);
    }

    /// Ends it: all that are held go on, what is queued is stored, the socket goes away. What could not be stored.
    pub async fn end(self) -> Unstored {
        self.ask(LiveCommand::Shutdown);
        self.task.await.unwrap_or_default()
    }
}

async fn run(
    settings: LiveSettings,
    facts: mpsc::Sender<Fact>,
    mut asked: mpsc::UnboundedReceiver<LiveCommand>,
) -> Unstored {
    let tell = async |fact| {
        // Nobody listens any more when the program is ending.
        let _ = facts.send(Fact::Live(Box::new(fact))).await;
    };
    let mut live = match Live::start(settings).await {
        Ok(live) => live,
        Err(CannotServe::Held { socket, .. }) => match Live::attach(socket.clone()).await {
            Ok(live) => live,
            Err(why) => {
                let says = format!("hookbench serves already, at {}, and does not answer: {why}", socket.display());
                tell(LiveFact::NotServing { says }).await;
                return Unstored::default();
            }
        },
        Err(why) => {
            tell(LiveFact::NotServing { says: why.to_string() }).await;
            return Unstored::default();
        }
    };
    let Some(mut feed) = live.feed() else { return Unstored::default() };
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
