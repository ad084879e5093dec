//! The model that the user has configured, as the command line and the screen use it: consent, answers to prompt hooks,
//! and its speed.

mod access;
mod health;

pub use access::{ConfiguredModel, ModelAccess, OwnModelAnswer, configured_model};
pub use health::{ModelHealth, measure_model};
