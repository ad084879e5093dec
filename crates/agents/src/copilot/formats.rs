//! The format of hooks in settings files, and of live answers. Written hooks use PascalCase events, because their payloads
//! and their answers are those of other agents.

use std::time::Duration;

use serde_json::Value;

use super::{handlers, layers};
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::{SettingsFormat, seconds};
use hookbench_base::hook::Layer;

agent_formats!("copilot");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: layers::SYNTAX,
    layer_file: file,
    plain_handler: handlers::plain,
    default_timeout: |_, _| handlers::DEFAULT_TIMEOUT,
    timeout: |_, limit| positive_limit(limit),
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(format!("{}/.github/copilot/settings.json", place.project)),
        Layer::Local => Some(format!("{}/.github/copilot/settings.local.json", place.project)),
        _ => None,
    }
}

/// Seconds with fractions, above zero.
fn positive_limit(limit: Duration) -> (Value, Duration) {
    let limit = limit.max(Duration::from_millis(1));
    (seconds(limit), limit)
}
