//! The demo's own event: no agent runs in the demo, so hookbench forwards one event to itself, as an agent would.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::LiveFact;
use hookbench_core::live::intercept::{Breakpoint, TimeoutAction};
use hookbench_core::names::AgentId;
use hookbench_core::text::one_line;

/// The name of the breakpoint that holds the event: it says on the screen that nothing waits behind it.
const BREAKPOINT: &str = "demo, no agent";

/// The event, and the agent whose events have this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoEvent {
    /// The demo's scratch directory.
    pub directory: PathBuf,
    pub agent: AgentId,
    pub payload: String,
}

impl DemoEvent {
    /// The breakpoint that holds it.
    pub(super) fn breakpoint(&self) -> Breakpoint {
        let agent = Some(self.agent.as_str().to_owned());
        Breakpoint { agent, on_timeout: TimeoutAction::Deny, ..Breakpoint::holding(BREAKPOINT) }
    }

    /// Forwards the event to a server, and waits for the answer. Returns the fact that shows it.
    pub fn forward(&self, socket: &str) -> LiveFact {
        let says = match self.run(socket) {
            Ok(output) => {
                let text = |bytes: &[u8]| one_line(String::from_utf8_lossy(bytes).trim());
                let status = output.status.code().unwrap_or(-1);
                format!("an agent would receive exit {status}  {}{}", text(&output.stdout), text(&output.stderr))
            }
            Err(why) => format!("the demo's event could not be forwarded: {why}"),
        };
        LiveFact::Advice { id: String::new(), handler: "demo".to_owned(), says }
    }

    /// Runs `hookbench forward` as an agent does, with the demo's home directory.
    fn run(&self, socket: &str) -> std::io::Result<Output> {
        let home = self.directory.join("home");
        let mut forward = Command::new(std::env::current_exe()?)
            .args(["forward", "--agent", self.agent.as_str(), "--socket", socket])
            .env("HOME", &home)
            .env("USERPROFILE", &home)
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("HOOKBENCH_DEBUG")
            .current_dir(self.directory.join("shop"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = forward.stdin.take() {
            stdin.write_all(self.payload.as_bytes())?;
        }
        forward.wait_with_output()
    }
}
