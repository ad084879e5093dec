//! The evidence of a session of the agent, and the result of a verification.

use serde_json::Value;

use crate::calibration::{Difference, NotedRun};
use crate::model_interface::ModelRequest;

/// The evidence of a session. Paths are those of the user, and commands those of the settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifiedSession {
    /// The version of the agent, as its files state it.
    pub version: String,
    /// The runs of the hooks, in the order in which they started.
    pub runs: Vec<NotedRun>,
    pub requests: Vec<ModelRequest>,
    /// Whether hookbench's own hook was in the settings.
    pub observed: bool,
    /// Whether the agent ran without a network on read-only files.
    pub isolated: bool,
    /// Differences from the user's event, and parts that are not compared, as sentences.
    pub notes: Vec<String>,
}

/// One run of a hook in the session.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedRun {
    /// The hook's name.
    pub hook: String,
    pub stdin: Value,
    /// `exit 2`, `signal 9`, or `None` if the agent ended it or did not wait for it.
    pub exit: Option<String>,
}

/// The comparison of a firing here and in the installed agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// The version of the agent.
    pub version: String,
    pub differences: Vec<Difference>,
    /// The texts that the model was told because of the event, in order.
    pub told_the_model: Vec<String>,
    /// In the order in which they started.
    pub runs: Vec<VerifiedRun>,
    /// Whether the announced action was blocked. `None` if the session does not show it.
    pub blocked: Option<bool>,
    /// The input that the tool was given. `None` if it did not run or the session does not show it.
    pub tool_input: Option<Value>,
    /// Differences from the user's event, and parts that are not compared, as sentences.
    pub notes: Vec<String>,
    pub isolated: bool,
}

impl Verification {
    /// Whether the agent did what hookbench predicts.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The result in one word.
    pub fn word(&self) -> &'static str {
        if self.agrees() { "AGREES" } else { "DIFFERS" }
    }

    /// The result in one line.
    pub fn headline(&self, agent: &str) -> String {
        let version = &self.version;
        match self.differences.as_slice() {
            [] => format!("{agent} {version} does the same"),
            [one] => format!("{agent} {version}: {}: {} here, {} there", one.aspect, one.predicted, one.seen),
            [first, rest @ ..] => {
                let more = rest.len();
                format!(
                    "{agent} {version}: {}: {} here, {} there; {more} more",
                    first.aspect, first.predicted, first.seen
                )
            }
        }
    }
}
