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
//! | `state` | pins and options |
//! | `refiring` | fires them |
//! | `checkout` | reads the branch and the commit; `checkout_watch` detects that they change |
//! | `watch_list` | lists the files to watch, and relates them to scripts |

mod change_rhythm;
mod changes;
mod checkout;
mod refiring;
mod state;
mod watch_list;

use super::state::Session;
use super::update::SessionEffect;
use crate::firing::history::PastRun;
pub use state::{AutoFire, PINS, Pin, WatchOptions};

impl Session {
    /// Pins the event on the bench, or removes its pin.
    pub(super) fn toggle_pin(&mut self) {
        let Some(input) = self.bench.payload.input.clone() else { return };
        let agent = self.bench.payload.agent;
        let same = |p: &Pin| p.agent == agent && p.input == input;
        if let Some(index) = self.auto_fire.pins.iter().position(same) {
            self.effects.push(SessionEffect::Unpinned);
            self.auto_fire.pins.remove(index);
            self.auto_fire.queue.retain(|queued| *queued != index);
            self.auto_fire.queue.iter_mut().filter(|queued| **queued > index).for_each(|queued| *queued -= 1);
        } else if self.auto_fire.pins.len() == PINS {
            self.say(format!("{PINS} events are pinned, which is the maximum; unpin one first"));
        } else {
            self.effects.push(SessionEffect::Pinned(self.auto_fire.pins.len()));
            let verdict = self.last_of_bench().and_then(PastRun::verdict);
            let filled = self.bench.payload.filled.clone();
            let print = self.fingerprint(agent.as_str(), &input);
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
        let input = self.bench.payload.input.as_ref()?;
        self.auto_fire.pins.iter().position(|p| p.agent == self.bench.payload.agent && p.input == *input)
    }

    /// Arms or disarms auto-fire.
    pub(super) fn set_armed(&mut self, armed: bool) {
        if armed && !self.options.watch.enabled {
            self.say("file watching is off (watch.enabled in config.toml), so saves do not fire".to_owned());
            return;
        }
        self.auto_fire.armed = armed;
        if !armed {
            self.auto_fire.queue.clear();
        }
        if let Some(why) = self.auto_fire.lost.as_ref().filter(|_| armed) {
            self.say(format!("auto-fire is on, but may miss saves: {why}"));
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
