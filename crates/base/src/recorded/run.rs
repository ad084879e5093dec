//! What is known of one run that belongs to a recorded event.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::hook::HookDefinition;
use crate::run::RunReport;
use crate::text::stringify;

/// One run of one hook. Reports of whole runs can be handed to a firing in place of a run; partial ones only show what
/// happened.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// What the hook is called.
    pub hook: String,
    /// Its command line, URL or prompt, where that is known.
    pub command: Option<String>,
    /// [`definition_key`] of the definition that ran; none where only the agent knew it.
    pub definition: Option<String>,
    /// The layer in which that is written, in the word of the contract, where that is known.
    pub layer: Option<String>,
    /// [`digest`] of what it was given on stdin.
    pub stdin: Option<String>,
    /// The end and what was printed; its `run` has no meaning here.
    pub report: RunReport,
    /// A transcript told of it: streams may be cut, times and definition may be missing.
    pub partial: bool,
}

/// What makes two definitions the same one, wherever they are written: the agent, the event and the handler as written.
pub fn definition_key(agent: &str, definition: &HookDefinition) -> String {
    let mut hash = Sha256::new();
    for part in [agent, &definition.event, &stringify(&definition.raw)] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// SHA-256 of some bytes, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
