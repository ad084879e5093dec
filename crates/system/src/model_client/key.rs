//! The key for a model: from an environment variable, or from a command that reads the system's key store.

use std::time::Duration;

use hookbench_core::model_client::{AttemptFailure, FailureKind, ModelKeySource};

use super::command_attempt::{CommandEnd, run_words};
use crate::child_process::SignalPipes;

/// The time for a command that prints a key. A key store that asks the user does not fit into a hook.
const LIMIT: Duration = Duration::from_secs(5);

/// Reads the key. `None` if the model needs none.
///
/// # Errors
/// Returns the failure of the whole call if the key cannot be read. Its message never contains the key.
pub fn read_key(
    source: &ModelKeySource,
    limit: Duration,
    signals: &SignalPipes,
) -> Result<Option<String>, AttemptFailure> {
    let failure = |message: String| AttemptFailure::new(FailureKind::Configuration, message);
    let (text, origin) = match source {
        ModelKeySource::None => return Ok(None),
        ModelKeySource::Variable(name) => {
            let value = std::env::var(name)
                .map_err(|_| failure(format!("the variable {name} is not set (model.key_variable)")))?;
            (value, format!("the variable {name} (model.key_variable)"))
        }
        ModelKeySource::Command(words) => {
            let program = words.first().map(String::as_str).unwrap_or_default();
            let text = match run_words(words, b"", limit.min(LIMIT), signals) {
                CommandEnd::Printed(text) => text,
                CommandEnd::Failed { message, .. } => {
                    return Err(failure(format!("{program} printed no key (model.key_command): {message}")));
                }
            };
            (text, format!("{program} (model.key_command)"))
        }
    };
    let key = text.lines().next().unwrap_or_default().trim().to_owned();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(failure(format!("{origin} contains no key")));
    }
    Ok(Some(key))
}
