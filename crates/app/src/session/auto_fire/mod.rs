//! Auto-fire: fires pinned events again when the files of a hook are saved.
//!
//! It is armed only by the user, and only for definitions with consent. A save updates the plan at once. When
//! everything is loaded, the affected events fire again, one after the other; a firing of the same event that is
//! still running is superseded, even if the user started it. Files that hooks write never cause a firing, and
//! another checkout disarms auto-fire.
//!
//! | file | holds |
//! |---|---|
//! | `changes` | handles changed files: which count, and when a change is complete |
//! | `own_changes` | detects files that hooks write themselves |
//! | `affected` | finds the events that a change affects |
//! | `refiring` | fires them |
//! | `checkout` | detects another branch or commit |
//! | `watch_list` | lists the files to watch, and relates them to scripts |

mod affected;
mod changes;
mod checkout;
mod own_changes;
mod refiring;
mod watch_list;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::state::Session;
use super::update::SessionEffect;
use crate::firing::history::PastRun;
use crate::firing::record::FiringId;
use checkout::CheckoutState;
use hookbench_core::config::Watchlist;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::HookInput;
use own_changes::ChangeRhythms;
use watch_list::WatchedSources;

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
    pub agent: &'static str,
    pub input: HookInput,
    pub filled: Vec<String>,
    /// The last verdict, and the one before it.
    pub verdict: Option<Verdict>,
    pub before: Option<Verdict>,
    /// Whether the pin waits for consent to a command.
    pub needs_consent: bool,
    /// The fingerprint of the settings that affect its verdict.
    fingerprint: u64,
}

/// The state of auto-fire.
#[derive(Debug, Default)]
pub struct AutoFire {
    pub pins: Vec<Pin>,
    pub armed: bool,
    /// The reason why changes are noticed late or not at all; `None` while watching works.
    pub lost: Option<String>,
    /// Changed files whose reload is not complete.
    changed: Vec<PathBuf>,
    /// Whether settings may have changed or appeared, so that a reload is needed.
    settings_changed: bool,
    /// Whether settings have changed in a way that suggests a hook writes them.
    by_hooks: bool,
    /// The number of agents whose settings are being loaded.
    pub(super) loading: usize,
    /// Whether something has changed since that load began.
    reload_again: bool,
    /// The pins that wait to be fired, by index.
    queue: Vec<usize>,
    /// The running firings that auto-fire has started.
    firings: Vec<FiringId>,
    /// The number of consecutive saves that superseded a running firing.
    superseding: u32,
    /// The number of firings that ended a moment ago, whose last writes may still be reported.
    pub(super) echoes: usize,
    rhythms: ChangeRhythms,
    checkout: Option<CheckoutState>,
    sources: WatchedSources,
    /// The settings files that are watched.
    read: BTreeSet<PathBuf>,
    /// The last watch list that was requested.
    list: Option<Watchlist>,
    /// The event on the bench at the last check, with its fingerprint.
    bench: Option<(&'static str, HookInput, u64)>,
}

impl AutoFire {
    /// Returns whether all changes so far were loaded and fired.
    pub fn is_calm(&self) -> bool {
        self.loading == 0 && self.echoes == 0 && self.queue.is_empty() && self.changed.is_empty()
    }
}

impl Session {
    /// Pins the event on the bench, or removes its pin.
    pub(super) fn toggle_pin(&mut self) {
        let Some(input) = self.bench.input.clone() else { return };
        let agent = self.bench.agent;
        let same = |p: &Pin| p.agent == agent && p.input == input;
        if let Some(index) = self.auto_fire.pins.iter().position(same) {
            self.effects.push(SessionEffect::Unpinned);
            self.auto_fire.pins.remove(index);
            self.auto_fire.queue.retain(|queued| *queued != index);
            self.auto_fire.queue.iter_mut().filter(|queued| **queued > index).for_each(|queued| *queued -= 1);
        } else if self.auto_fire.pins.len() == PINS {
            self.say(format!("{PINS} events are pinned, as many as there can be; take one of them off first"));
        } else {
            self.effects.push(SessionEffect::Pinned(self.auto_fire.pins.len()));
            let verdict = self.last_of_bench().and_then(PastRun::verdict);
            let filled = self.bench.filled.clone();
            let print = self.fingerprint(agent, &input);
            self.auto_fire.pins.push(Pin {
                agent,
                input,
                filled,
                verdict,
                before: None,
                needs_consent: false,
                fingerprint: print,
            });
        }
    }

    /// The index of the pin of the event on the bench.
    pub fn pinned(&self) -> Option<usize> {
        let input = self.bench.input.as_ref()?;
        self.auto_fire.pins.iter().position(|p| p.agent == self.bench.agent && p.input == *input)
    }

    /// Arms or disarms auto-fire.
    pub(super) fn set_armed(&mut self, armed: bool) {
        if armed && !self.options.watch.enabled {
            self.say("files are not watched (watch.enabled in config.toml), so no save fires".to_owned());
            return;
        }
        self.auto_fire.armed = armed;
        if !armed {
            self.auto_fire.queue.clear();
        }
        if let Some(why) = self.auto_fire.lost.as_ref().filter(|_| armed) {
            self.say(format!("auto-fire is armed, but saves are seen late or not at all: {why}"));
        }
    }

    fn disarm(&mut self, why: &str) {
        if self.auto_fire.armed {
            self.auto_fire.armed = false;
            self.auto_fire.queue.clear();
            self.say(format!("{why}; auto-fire is off"));
        }
    }
}
