//! Asks the model that the user has configured, without an async runtime, because a guard asks it while an agent waits.
//!
//! Nothing is sent without the user's consent for this endpoint and project ([`consent`]). A call never takes longer than
//! its budget, whatever the server or the command does.

mod attempt;
mod call;
pub mod consent;
mod moderation;

pub use call::{ModelCall, ModelReport};
pub use moderation::{GuardModeration, MODERATION_LOG, Moderation, ModerationReport};

use std::path::{Path, PathBuf};

use hookbench_core::live::state_directory;
use hookbench_core::model_client::RECURSION_VARIABLE;

/// The directory for everything that is kept about models. It does not depend on variables that some agents do not pass
/// to hooks.
pub fn model_directory(home: &Path) -> PathBuf {
    state_directory(home).join("model")
}

/// Whether this process descends from a call of a model, so that asking again could go on forever.
pub fn is_inside_model_call() -> bool {
    std::env::var_os(RECURSION_VARIABLE).is_some()
}
