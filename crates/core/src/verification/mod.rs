//! Verification: brings one event about in a session of the installed agent, with the user's own hooks, and compares the
//! session with the firing here. Everything here only computes; the caller copies the project and runs the agent.
//!
//! | file | content |
//! |---|---|
//! | `script` | what the model does in the session, so that the event happens |
//! | `recording` | settings in which every hook is recorded |
//! | `comparison` | the session and the firing here |
//! | `conversation` | the words that the model was told |

mod comparison;
mod conversation;
mod recording;
mod script;

pub use comparison::{PredictedRun, Prediction, verify};
pub use conversation::{Verification, VerifiedRun, VerifiedSession};
pub use recording::{OBSERVER, RecordedSettings, Recorder, hook_name};
pub use script::{VerificationScript, verification_script};
