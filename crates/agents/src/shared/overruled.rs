//! Settings that a value of another file overrules.

use serde_json::Value;

/// The message of a setting, with the overruled value and its file.
pub fn with_overruled(message: &str, overruled: Option<(Value, String)>) -> String {
    match overruled {
        Some((value, file)) => format!("{message}, over {value} in {file}: later files win"),
        None => message.to_owned(),
    }
}
