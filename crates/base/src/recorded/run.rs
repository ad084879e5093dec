//! One recorded run of a hook.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::hook::HookDefinition;
use crate::run::RunReport;
use crate::text::stringify;

/// One run of one hook. The report of a complete run can replace a run in a firing; a partial one is only for
/// display.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// The name of the hook.
    pub hook: String,
    /// Its command line, URL or prompt, if known.
    pub command: Option<String>,
    /// The [`definition_key`] of the definition that ran. `None` if only the agent knew it.
    pub definition: Option<String>,
    /// The layer of that definition, as a word of the contract, if known.
    pub layer: Option<String>,
    /// The [`digest`] of its stdin.
    pub stdin: Option<String>,
    /// The end and the output of the run. Its `run` has no meaning here.
    pub report: RunReport,
    /// Whether the run comes from a transcript: streams may be truncated, times and definition may be missing.
    pub partial: bool,
}

/// A key that is equal for equal definitions, independent of their place: a hash of the agent, the event and the
/// handler as written.
pub fn definition_key(agent: &str, definition: &HookDefinition) -> String {
    let mut hash = Sha256::new();
    for part in [agent, &definition.event, &stringify(&definition.raw)] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// The SHA-256 of some bytes, in hexadecimal.
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
