//! Fires pinned events again, one after the other.

use std::path::PathBuf;

use super::Session;
use crate::firing::record::{FiringId, FiringRecord};
use crate::session::SessionEffect;
use crate::session::firing_start::FiringStart;
use crate::session::job::Job;

/// The number of consecutive saves during runs, without a completed run or user input in between, after which a
/// process other than the author is assumed to write the files.
const SUPERSEDING: u32 = 20;

impl Session {
    /// Fires the events that a change affects, and cancels their running firings.
    pub(super) fn fire_affected(&mut self, changed: &[PathBuf]) -> Vec<Job> {
        let pins = self.affected_pins(changed);
        let bench = self.bench_affected(changed) && self.auto_fire.pins.is_empty();
        let by_hooks = std::mem::take(&mut self.auto_fire.by_hooks);
        if !self.auto_fire.armed || (pins.is_empty() && !bench) {
            return Vec::new();
        }
        if changed.is_empty() && by_hooks {
            self.say(
                "the settings change after every run, so hookbench assumes that a hook changes them; fire to run the event".to_owned(),
            );
            return Vec::new();
        }
        self.report_cause(&pins, bench, changed);
        let mut jobs = Vec::new();
        let old = if bench { self.firings_of_bench() } else { self.firings_of_pins(&pins) };
        if !old.is_empty() {
            self.auto_fire.superseding += 1;
        }
        for id in old {
            jobs.extend(self.supersede(id));
        }
        if self.auto_fire.superseding >= SUPERSEDING {
            self.disarm("the hooks change their own files in every run");
            return jobs;
        }
        if bench {
            jobs.extend(self.fire_bench_again());
        }
        self.auto_fire.queue.extend(pins);
        self.auto_fire.queue.sort_unstable();
        self.auto_fire.queue.dedup();
        jobs.extend(self.next_pin());
        jobs
    }

    /// Tells the user which file causes which firing: if a hook's directory is shared, a change of any of its files
    /// counts.
    fn report_cause(&mut self, pins: &[usize], bench: bool, changed: &[PathBuf]) {
        let here =
            self.bench.payload.input.as_ref().filter(|_| bench).map(|input| (None, self.bench.payload.agent, input));
        let pinned =
            pins.iter().filter_map(|at| self.auto_fire.pins.get(*at).map(|p| (Some(at + 1), p.agent, &p.input)));
        let mut told: Vec<(String, String)> = Vec::new();
        for (number, agent, input) in here.into_iter().chain(pinned) {
            let why = match self.touched_hook(agent.as_str(), input, changed) {
                Some((file, script)) if file == script => format!("{} was saved", file_name(&file)),
                Some((file, script)) => {
                    format!("{}, which is next to {}, was saved", file_name(&file), file_name(&script))
                }
                None => "the settings have changed".to_owned(),
            };
            let what = number.map_or_else(|| "this event".to_owned(), |number| number.to_string());
            match told.iter_mut().find(|(known, _)| *known == why) {
                Some((_, all)) => all.push_str(&format!(", {what}")),
                None => told.push((
                    why,
                    if number.is_some() { format!("firing pin {what}") } else { format!("firing {what}") },
                )),
            }
        }
        let says: Vec<String> = told.into_iter().map(|(why, what)| format!("{why}: {what}")).collect();
        self.say(says.join("   "));
    }

    fn firings_of_pins(&self, pins: &[usize]) -> Vec<FiringId> {
        let pins: Vec<_> = pins.iter().filter_map(|index| self.auto_fire.pins.get(*index)).collect();
        let going_on = self.history.running();
        going_on.filter(|f| pins.iter().any(|p| p.agent == f.agent && p.input == f.input)).map(|f| f.id).collect()
    }

    fn firings_of_bench(&self) -> Vec<FiringId> {
        let of_it = |f: &&FiringRecord| {
            f.agent == self.bench.payload.agent && Some(&f.input) == self.bench.payload.input.as_ref()
        };
        self.history.running().filter(of_it).map(|f| f.id).collect()
    }

    /// Cancels a firing whose event fires again.
    fn supersede(&mut self, id: FiringId) -> Vec<Job> {
        self.auto_fire.firings.retain(|live| *live != id);
        if let Some(record) = self.history.record_mut(id) {
            record.superseded = true;
        }
        self.cancel_one(id)
    }

    /// Fires the event on the bench, if every command has consent.
    fn fire_bench_again(&mut self) -> Vec<Job> {
        if self.bench.payload.refused.is_some() {
            return Vec::new();
        }
        if !self.options.yes && self.needs_consent() {
            self.effects.push(SessionEffect::FiringWaits { pin: None });
            return Vec::new();
        }
        let jobs = self.start(true);
        self.auto_fire.firings.extend(self.history.newest_record().filter(|f| !f.settled).map(|f| f.id));
        jobs
    }

    /// Handles the end of an editor. The event on the bench fires if the file has changed, or if it was not fired yet.
    /// If auto-fire watches the event, it notices the change itself.
    pub(in crate::session) fn editor_closed(&mut self, changed: bool) -> Vec<Job> {
        let auto_fire = &self.auto_fire;
        let covers = auto_fire.pins.is_empty() || self.pinned().is_some();
        let watched = auto_fire.armed && auto_fire.lost.is_none() && covers;
        let due = if changed { !watched } else { self.last_of_bench().is_none() };
        if !due {
            return Vec::new();
        }
        self.auto_fire.edited = true;
        self.reload()
    }

    /// Fires the event on the bench after the user has edited a hook, unless it runs already.
    pub(super) fn fire_edited(&mut self) -> Vec<Job> {
        if std::mem::take(&mut self.auto_fire.edited) && self.firings_of_bench().is_empty() {
            return self.fire_bench_again();
        }
        Vec::new()
    }

    /// Starts the next waiting pin.
    fn next_pin(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        while self.auto_fire.firings.is_empty() && !self.auto_fire.queue.is_empty() {
            let index = self.auto_fire.queue.remove(0);
            jobs.extend(self.fire_pin(index));
        }
        jobs
    }

    fn fire_pin(&mut self, index: usize) -> Vec<Job> {
        let Some(pin) = self.auto_fire.pins.get(index).cloned() else { return Vec::new() };
        let Some(agent) = self.agent(pin.agent.as_str()) else { return Vec::new() };
        let Some(scene) = self.scene_of(agent, &pin.input) else { return Vec::new() };
        let dialect = agent.dialect;
        let plan = dialect.plan(&scene);
        let waits = !self.options.yes && !self.consent_missing_of(agent, &plan, &scene).is_empty();
        if let Some(pin) = self.auto_fire.pins.get_mut(index) {
            pin.needs_consent = waits;
        }
        if waits {
            self.effects.push(SessionEffect::FiringWaits { pin: Some(index) });
            return Vec::new();
        }
        let start = FiringStart {
            dialect,
            scene,
            plan,
            filled: pin.filled,
            diagnostics: Vec::new(),
            auto: true,
            transcript: None,
        };
        let jobs = self.start_scene(start);
        self.auto_fire.firings.extend(self.history.newest_record().filter(|f| !f.settled).map(|f| f.id));
        jobs
    }

    /// Fires the pins that waited for consent, except the one on the bench, which the user fires.
    pub(in crate::session) fn fire_waiting(&mut self) -> Vec<Job> {
        let here = self.pinned();
        for (index, pin) in self.auto_fire.pins.iter_mut().enumerate().filter(|(_, pin)| pin.needs_consent) {
            pin.needs_consent = false;
            if self.auto_fire.armed && Some(index) != here {
                self.auto_fire.queue.push(index);
            }
        }
        self.next_pin()
    }

    /// Stores the verdict of a settled firing in the pins of its event, and starts the next pin.
    pub(in crate::session) fn after_settled(&mut self, id: FiringId) -> Vec<Job> {
        let Some(record) = self.firing(id) else { return Vec::new() };
        let verdict = record.outcome.as_ref().map(|o| o.verdict).filter(|_| !record.cancelled);
        let wrote = self.auto_fire.armed && !record.runs.is_empty();
        let (agent, input) = (record.agent, record.input.clone());
        if verdict.is_some() {
            self.auto_fire.superseding = 0;
            for pin in self.auto_fire.pins.iter_mut().filter(|p| p.agent == agent && p.input == input) {
                pin.before = pin.verdict;
                pin.verdict = verdict;
                pin.needs_consent = false;
            }
        }
        self.auto_fire.firings.retain(|live| *live != id);
        let mut jobs = Vec::new();
        if wrote {
            // What it wrote last may still be reported.
            self.auto_fire.echoes += 1;
            jobs.push(Job::FlushWatcher);
        }
        jobs.extend(self.next_pin());
        jobs
    }

    /// Records that the user is active, so the next firings are at their request.
    pub(in crate::session) fn note_user_activity(&mut self) {
        self.auto_fire.superseding = 0;
    }
}

/// The name of a file without its directory.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
