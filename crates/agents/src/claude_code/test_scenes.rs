//! Scenes for the tests of this dialect.

use std::sync::Arc;

use serde_json::Value;

use super::{events, layers};
use hookbench_base::config::{MemoryFiles, Place};
use hookbench_base::dialects::{Scene, Version};
use hookbench_base::hook::HookInput;
use hookbench_base::text::stringify_pretty;

pub const PROJECT: &str = "/home/user/project";

/// A scene with these files, not headless.
pub fn scene(files: &[(&str, String)], body: Value) -> Scene {
    let mut memory = MemoryFiles::default();
    for (path, text) in files {
        memory.put(*path, text);
    }
    let place = Place { project: PROJECT.to_owned(), home: "/home/user".to_owned(), ..Place::default() };
    let version = Version::new(2, 1, 332);
    let event = body.get("hook_event_name").and_then(Value::as_str).unwrap_or("").to_owned();
    let subject = events::find(&event).map(|e| events::subject(e, &body)).unwrap_or_default();
    Scene::new(
        HookInput { event, subject, body },
        Arc::new(layers::load(&place, &memory, &version)),
        Arc::new(place),
        version,
    )
}

/// A scene with a single settings file, that of the project.
#[allow(clippy::needless_pass_by_value, reason = "the tables read better")]
pub fn project_scene(settings: Value, body: Value) -> Scene {
    scene(&[("/home/user/project/.claude/settings.json", stringify_pretty(&settings))], body)
}
