//! Asking git, for a limited time and a limited answer.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Bytes of an answer that are read.
const MOST: u64 = 16 << 20;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is no git, or what it was asked about is no repository.
    Refused,
    /// It took too long.
    Late,
}

/// What git prints, if it does so in time. Nothing of the repository's own is started: no monitor, no hook.
pub fn ask(folder: &Path, args: &[&str], patience: Duration) -> Result<String, NoAnswer> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]).args(args);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // Of whoever started the server, not of this project.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|_| NoAnswer::Refused)?;
    let Some(stdout) = child.stdout.take() else { return Err(end(child, NoAnswer::Refused)) };
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MOST).read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    match answer.recv_timeout(patience) {
        Ok(Ok(bytes)) => {
            // It has closed its output; what was more than is read would hold it up for ever.
            if bytes.len() as u64 >= MOST {
                return Err(end(child, NoAnswer::Late));
            }
            match child.wait() {
                Ok(status) if status.success() => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                _ => Err(NoAnswer::Refused),
            }
        }
        Ok(Err(_)) => Err(end(child, NoAnswer::Refused)),
        Err(_) => Err(end(child, NoAnswer::Late)),
    }
}

fn end(mut child: Child, why: NoAnswer) -> NoAnswer {
    let _ = child.kill();
    let _ = child.wait();
    why
}
