//! The place in which the hook runs: the project's directory as the caller names it, the home directory, and the log.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookbench_core::config::{Os, Place};
use hookbench_core::dialects::Agent;
use hookbench_core::live::state_directory;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::own_directories::home_directory;
use crate::state_log;

/// The surroundings of the process.
pub struct AdaptEnvironment {
    pub place: Place,
    home: Option<PathBuf>,
}

/// One line of `adapt.log`.
#[derive(Serialize)]
struct AdaptLogLine<'a> {
    at: String,
    agent: &'a str,
    event: &'a str,
    loss: &'a str,
    ms: u128,
}

impl AdaptEnvironment {
    /// Reads the environment. The caller's own variables name the project; otherwise the payload or the current
    /// directory does.
    pub fn read(caller: &Agent, body: &Value) -> AdaptEnvironment {
        let home = home_directory();
        let absolute = |path: &String| Path::new(path).is_absolute();
        let variables = caller.live_format().project_variables.iter();
        let named = variables.filter_map(|name| std::env::var(name).ok()).find(absolute);
        let cwd = body.get("cwd").and_then(Value::as_str).map(str::to_owned).filter(absolute);
        let current =
            || std::env::current_dir().map_or_else(|_| "/".to_owned(), |dir| dir.to_string_lossy().into_owned());
        let place = Place {
            project: named.or(cwd).unwrap_or_else(current),
            home: home.as_ref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default(),
            os: Os::named(std::env::consts::OS),
            ..Place::default()
        };
        AdaptEnvironment { place, home }
    }

    /// Logs the losses, if there are any. Errors are ignored, because the agent waits for an answer.
    pub fn log(&self, agent: &str, event: &str, losses: &[String], took: Duration) {
        if losses.is_empty() {
            return;
        }
        let at = format!("{:.3}", Timestamp::now());
        let mut text = String::new();
        for loss in losses {
            let line = AdaptLogLine { at: at.clone(), agent, event, loss, ms: took.as_millis() };
            text += &serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
        }
        if let Some(home) = &self.home {
            let _ = state_log::append(&state_directory(home), "adapt.log", &text);
        }
    }
}
