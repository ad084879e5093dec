//! The user's settings, and the problems of their file.

use std::fmt;
use std::path::PathBuf;

use crate::clipboard::ClipboardChoice;
use crate::keymap::Keymap;
use crate::theme::ThemeChoice;
use hookbench_app::WatchOptions;
use hookbench_app::lint::LintLevels;
use hookbench_core::live::intercept::InterceptSettings;

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserConfig {
    pub theme: ThemeChoice,
    pub mouse: bool,
    /// Whether a changed verdict flashes.
    pub motion: bool,
    pub clipboard: ClipboardChoice,
    /// `None`: `$VISUAL`, `$EDITOR` or vi.
    pub editor: Option<String>,
    pub watch: WatchOptions,
    /// The severity of findings.
    pub lint: LintLevels,
    pub keys: Keymap,
    /// Whether the runs of the bench are kept in the store of recorded events.
    pub log_runs: bool,
    /// The settings for events of running agents: breakpoints, handlers, storage.
    pub intercept: InterceptSettings,
    /// The file that the settings are read from; it may be absent. `None` without a home directory.
    pub file: Option<PathBuf>,
}

impl Default for UserConfig {
    fn default() -> UserConfig {
        UserConfig {
            theme: ThemeChoice::default(),
            mouse: true,
            motion: true,
            clipboard: ClipboardChoice::default(),
            editor: None,
            watch: WatchOptions::default(),
            lint: LintLevels::default(),
            keys: Keymap::default(),
            log_runs: false,
            intercept: InterceptSettings::default(),
            file: None,
        }
    }
}

/// A problem in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The place as `file:line:column`.
    pub place: String,
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}
