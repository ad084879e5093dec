//! The loop of an author: pinned events, and firing them again when a hook's files are saved.
//!
//! Armed only by the user, and only for definitions with consent. A save plans anew at once. Once everything is read, the
//! events that it concerns fire again, one after the other; whatever still ran for one of them is superseded, whoever
//! had started it. What hooks write never fires them, and another checkout disarms.
//!
//! | file | holds |
//! |---|---|
//! | `changes` | changed files come in: which count, and when they are complete |
//! | `own` | what hooks write themselves |
//! | `affected` | which pinned events a change concerns |
//! | `rounds` | firing them |
//! | `checkout` | which branch and commit is checked out |
//! | `watched` | what has to be watched, and what of it belongs to a script |

mod affected;
mod changes;
mod checkout;
mod own;
mod rounds;
mod watched;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::state::Session;
use crate::firing_record::FiringId;
use crate::history::PastRun;
use checkout::Checkout;
use hookbench_core::config::Watchlist;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::HookInput;
use own::Rhythms;
use watched::Beside;

/// Pinned events at most.
pub const PINS: usize = 9;

/// How files are watched, as the user has set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    pub enabled: bool,
    /// A save is over when nothing has happened for so long.
    pub quiet: Duration,
    /// Patterns of files beside scripts that are never looked at.
    pub ignore: Vec<String>,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions { enabled: true, quiet: Duration::from_millis(10), ignore: Vec::new() }
    }
}

/// An event that is fired again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    pub agent: &'static str,
    pub input: HookInput,
    pub filled: Vec<String>,
    /// What it came to last, and before that.
    pub verdict: Option<Verdict>,
    pub before: Option<Verdict>,
    /// It would have been fired, and a command has no consent yet.
    pub waits: bool,
    /// Everything in the settings that makes its verdict.
    print: u64,
}

/// What the loop remembers.
#[derive(Debug, Default)]
pub struct WatchLoop {
    pub pins: Vec<Pin>,
    pub armed: bool,
    /// Why changes are seen late or not at all; none: they are seen at once.
    pub lost: Option<String>,
    /// Files that have changed and whose reload is not complete.
    changed: Vec<PathBuf>,
    /// Some of them are settings, or settings may have come or gone.
    unread: bool,
    /// Settings have changed as they do after every run.
    by_hooks: bool,
    /// Agents whose settings are being read.
    pub(super) loading: usize,
    /// Something has changed since they are.
    again: bool,
    /// Pins that wait for their turn, by number.
    queue: Vec<usize>,
    /// Firings that the loop has started.
    live: Vec<FiringId>,
    /// Saves in a row that superseded a run.
    superseding: u32,
    /// A run has ended a moment ago: what it wrote may still be reported.
    pub(super) echoes: usize,
    rhythms: Rhythms,
    checkout: Option<Checkout>,
    beside: Beside,
    /// Settings files that are watched.
    read: BTreeSet<PathBuf>,
    /// What the outside was told to watch last.
    list: Option<Watchlist>,
    /// What was on the bench when it was looked at last, and its print.
    bench: Option<(&'static str, HookInput, u64)>,
}

impl WatchLoop {
    /// Everything that has changed so far has been seen, read and fired.
    pub fn is_calm(&self) -> bool {
        self.loading == 0 && self.echoes == 0 && self.queue.is_empty() && self.changed.is_empty()
    }
}

impl Session {
    /// Pins the event on the bench, or takes the pin off.
    pub(super) fn toggle_pin(&mut self) {
        let Some(input) = self.bench.input.clone() else { return };
        let agent = self.bench.agent;
        let same = |p: &Pin| p.agent == agent && p.input == input;
        if let Some(index) = self.watch.pins.iter().position(same) {
            self.watch.pins.remove(index);
            self.watch.queue.retain(|queued| *queued != index);
            self.watch.queue.iter_mut().filter(|queued| **queued > index).for_each(|queued| *queued -= 1);
        } else if self.watch.pins.len() == PINS {
            self.messages
                .push(format!("{PINS} events are pinned, as many as there can be; take one of them off first"));
        } else {
            let verdict = self.last_of_bench().and_then(PastRun::verdict);
            let filled = self.bench.filled.clone();
            let print = self.print(agent, &input);
            self.watch.pins.push(Pin { agent, input, filled, verdict, before: None, waits: false, print });
        }
    }

    /// Whether the event on the bench is pinned, and as which number.
    pub fn pinned(&self) -> Option<usize> {
        let input = self.bench.input.as_ref()?;
        self.watch.pins.iter().position(|p| p.agent == self.bench.agent && p.input == *input)
    }

    /// Arms auto-fire, or not.
    pub(super) fn arm(&mut self, armed: bool) {
        if armed && !self.options.watch.enabled {
            self.messages.push("files are not watched (watch.enabled in config.toml), so no save fires".to_owned());
            return;
        }
        self.watch.armed = armed;
        if !armed {
            self.watch.queue.clear();
        }
        if let Some(why) = self.watch.lost.as_ref().filter(|_| armed) {
            self.messages.push(format!("auto-fire is armed, but saves are seen late or not at all: {why}"));
        }
    }

    fn disarm(&mut self, why: &str) {
        if self.watch.armed {
            self.watch.armed = false;
            self.watch.queue.clear();
            self.messages.push(format!("{why}; auto-fire is off"));
        }
    }
}
