//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{http, layers, plan, timeout};
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::{SettingsFormat, seconds};
use hookbench_base::hook::Layer;

/// From this number on, a timeout is read as milliseconds.
const FIRST_MILLISECONDS: u64 = 1000;

agent_formats!("qwen_code");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: layers::SETTINGS,
    layer_file: file,
    refusal_reason: refuses,
    default_timeout,
    max_timeout: plan::budget,
    timeout: write_timeout,
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(layers::NAMES.project_path(place)),
        _ => None,
    }
}

/// Refuses addresses of private networks, which only the user's own settings can allow.
fn refuses(handler: &Map<String, Value>) -> Option<String> {
    http::refusal(handler.get("url")?.as_str()?, &[], false)
}

fn default_timeout(kind: &str, _event: &str) -> Duration {
    match kind {
        "http" => timeout::HTTP,
        "prompt" => timeout::PROMPT,
        _ => timeout::COMMAND,
    }
}

/// Returns the value to write, and the timeout that the agent reads from it: seconds, or milliseconds for a
/// command of 1000 seconds or more, because the agent reads such numbers as milliseconds.
fn write_timeout(kind: &str, limit: Duration) -> (Value, Duration) {
    if kind == "command" && limit.as_secs() >= FIRST_MILLISECONDS {
        let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let value = Value::from(milliseconds);
        let (read, _) = timeout::command(super::version_behaviour::TimeoutUnit::SecondsOrLegacy, Some(&value));
        return (value, read);
    }
    (seconds(limit), limit)
}
