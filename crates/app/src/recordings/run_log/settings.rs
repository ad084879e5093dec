//! The settings of the log: `runs` in the table `[log]`, and `redact` in `[store]`.

use toml_edit::Document;

use crate::disk::state_dir::{StateDir, StateError, config_file};
use hookbench_core::live::intercept::read_intercept_tables;

/// The settings of the log of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunLogSettings {
    /// Whether runs are kept.
    pub runs: bool,
    /// Whether values that look like secrets are masked in them.
    pub masked: bool,
}

impl RunLogSettings {
    /// Reads the settings from the text of a configuration file, and the mistake that turns the log off.
    fn read(name: &str, text: &str) -> (RunLogSettings, Option<String>) {
        let Ok(document) = Document::parse(text) else {
            return (RunLogSettings::default(), Some(format!("{name} is not TOML, so it is ignored")));
        };
        let runs = document.get("log").and_then(|table| table.as_table_like()?.get("runs"));
        let wrong = runs.is_some_and(|value| value.as_bool().is_none());
        let settings = RunLogSettings {
            runs: runs.and_then(|value| value.as_bool()).unwrap_or(false),
            masked: read_intercept_tables(document.as_table()).0.redact,
        };
        (settings, wrong.then(|| format!("{name}: log.runs must be true or false, so runs are not logged")))
    }
}

/// The settings in the configuration of the current environment, and the mistake in them. Without a configuration file,
/// runs are not logged.
pub fn configured_run_log() -> (RunLogSettings, Option<String>) {
    let var = |name: &str| std::env::var(name).ok();
    let Some(path) = config_file(&var) else { return (RunLogSettings::default(), None) };
    let name = path.display().to_string();
    match hookbench_system::disk::read_text(&path) {
        Ok(text) => RunLogSettings::read(&name, &text),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => (RunLogSettings::default(), None),
        Err(why) => (RunLogSettings::default(), Some(format!("{name} cannot be read: {why}"))),
    }
}

/// The file of the state directory that exists once the user was told about the log.
const HINT_FILE: &str = "log-hint";

/// Whether the user was told that runs can be logged.
pub fn log_hint_is_over() -> bool {
    StateDir::for_process().file(HINT_FILE).exists()
}

/// Remembers that the user was told that runs can be logged.
///
/// # Errors
/// Returns an error if the state directory cannot be written.
pub fn remember_log_hint() -> Result<(), StateError> {
    StateDir::for_process().write(HINT_FILE, "shown\n")
}

#[cfg(test)]
mod tests {
    use super::RunLogSettings;

    #[test]
    fn runs_are_logged_only_if_the_file_says_so() {
        for (text, runs, masked, mistake) in [
            ("", false, false, None),
            ("log.runs = true", true, false, None),
            ("[log]\nruns = true\n[store]\nredact = true", true, true, None),
            ("[log]\nruns = 1", false, false, Some("c: log.runs must be true or false, so runs are not logged")),
            ("[log", false, false, Some("c is not TOML, so it is ignored")),
        ] {
            let (settings, found) = RunLogSettings::read("c", text);
            assert_eq!((settings, found.as_deref()), (RunLogSettings { runs, masked }, mistake), "{text}");
        }
    }
}
