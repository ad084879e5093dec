//! The pins, and the state of auto-fire.

use hookbench_core::names::AgentId;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::change_rhythm::ChangeRhythms;
use super::checkout::CheckoutState;
use crate::firing::record::FiringId;
use hookbench_core::config::Watchlist;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::HookInput;

/// The maximum number of pins.
pub const PINS: usize = 9;

/// The options of file watching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    pub enabled: bool,
    /// The time without changes after which a save is complete.
    pub quiet: Duration,
    /// Patterns of files beside scripts that are ignored.
    pub ignore: Vec<String>,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions { enabled: true, quiet: Duration::from_millis(10), ignore: Vec::new() }
    }
}

/// An event that can be fired automatically.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    pub agent: AgentId,
    pub input: HookInput,
    pub filled: Vec<String>,
    /// The last verdict, and the one before it.
    pub verdict: Option<Verdict>,
    pub before: Option<Verdict>,
    /// Whether the pin waits for consent to a command.
    pub needs_consent: bool,
    /// The fingerprint of the settings that affect its verdict.
    pub(super) fingerprint: u64,
}

/// The state of auto-fire.
#[derive(Debug, Default)]
pub struct AutoFire {
    pub pins: Vec<Pin>,
    pub armed: bool,
    /// The reason why changes are noticed late or not at all; `None` while watching works.
    pub lost: Option<String>,
    /// Changed files whose reload is not complete.
    pub(super) changed: Vec<PathBuf>,
    /// Whether settings may have changed or appeared, so that a reload is needed.
    pub(super) settings_changed: bool,
    /// Whether settings have changed in a way that suggests a hook writes them.
    pub(super) by_hooks: bool,
    /// The number of agents whose settings are being loaded.
    pub(super) loading: usize,
    /// Whether something has changed since that load began.
    pub(super) reload_again: bool,
    /// Whether the event on the bench fires once everything is loaded, because the user has edited a hook.
    pub(super) edited: bool,
    /// The pins that wait to be fired, by index.
    pub(super) queue: Vec<usize>,
    /// The running firings that auto-fire has started.
    pub(super) firings: Vec<FiringId>,
    /// The number of consecutive saves that superseded a running firing.
    pub(super) superseding: u32,
    /// The number of firings that ended a moment ago, whose last writes may still be reported.
    pub(in crate::session) echoes: usize,
    pub(super) rhythms: ChangeRhythms,
    pub(super) checkout: Option<CheckoutState>,
    pub(super) sources: WatchedSources,
    /// The settings files that are watched.
    pub(super) read: BTreeSet<PathBuf>,
    /// The last watch list that was requested.
    pub(super) list: Option<Watchlist>,
    /// The event on the bench at the last check, with its fingerprint.
    pub(super) bench: Option<(&'static str, HookInput, u64)>,
}

impl AutoFire {
    /// Returns whether all changes so far were loaded and fired.
    pub fn is_calm(&self) -> bool {
        self.loading == 0 && self.echoes == 0 && self.queue.is_empty() && self.changed.is_empty()
    }
}

/// Files and directories beside scripts.
#[derive(Debug, Clone, Default)]
pub(super) struct WatchedSources {
    /// Includes the scripts.
    pub files: BTreeSet<PathBuf>,
    pub directories: BTreeSet<PathBuf>,
    pub scripts: BTreeSet<PathBuf>,
    /// The watched files of a checkout.
    pub checkout: Vec<PathBuf>,
}
