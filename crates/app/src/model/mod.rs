//! The model that the user has configured, as the command line and the screen use it: consent, answers to prompt hooks,
//! and its speed.

mod access;

pub use access::{ConfiguredModel, ModelAccess, ModelHealth, OwnModelAnswer, configured_model, measure_model};
