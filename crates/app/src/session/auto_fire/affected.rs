//! Finds the events that a change affects: those for which an affected hook fires, and those whose plan has
//! changed.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;

use super::Session;
use hookbench_core::hook::HookInput;
use hookbench_core::plan::Selection;

/// A writer that hashes its text.
struct HashWriter(DefaultHasher);

impl std::fmt::Write for HashWriter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Session {
    /// A fingerprint of all settings that affect an event's verdict. It depends on their meaning, not on their
    /// text: the order of keys, line numbers and unrelated settings do not change it. The contents of scripts are
    /// not included, because their changes are reported separately.
    pub(super) fn fingerprint(&self, id: &str, input: &HookInput) -> u64 {
        let mut print = HashWriter(DefaultHasher::new());
        let known = self.agent(id).and_then(|a| Some((a, a.loaded.as_ref()?, self.scene_of(a, input)?)));
        if let Some((agent, loaded, scene)) = known {
            let plan = agent.dialect.plan(&scene);
            // Hashing cannot fail.
            let _ = write!(print, "{:?}{:?}{:?}", plan.schedule, plan.budget, plan.lost.map(|l| l.why));
            let _ = write!(
                print,
                "{:?}{:?}{:?}",
                loaded.refusal.as_ref().map(|r| &r.message),
                loaded.hooks_off,
                loaded.agent_settings
            );
            for switch in &loaded.switches {
                let _ = write!(print, "{}={}", switch.name, switch.value);
            }
            for entry in plan.entries.iter().filter(|e| e.selection != Selection::Skipped) {
                let Some(d) = loaded.definition(&entry.hook) else { continue };
                let launch = agent.dialect.launch(d, &scene);
                let _ = write!(print, "{:?}{}{}{:?}", entry.selection, d.raw, d.group, d.detached);
                let _ = write!(print, "{:?}{launch:?}", d.provenance.layer);
            }
        }
        print.0.finish()
    }

    /// Updates the fingerprints of all pins. Returns the pins whose fingerprint or hooks have changed.
    pub(super) fn affected_pins(&mut self, changed: &[PathBuf]) -> Vec<usize> {
        let prints: Vec<u64> =
            self.auto_fire.pins.iter().map(|p| self.fingerprint(p.agent.as_str(), &p.input)).collect();
        let mut affected = Vec::new();
        for (index, print) in prints.into_iter().enumerate() {
            let Some(pin) = self.auto_fire.pins.get_mut(index) else { continue };
            let differs = std::mem::replace(&mut pin.fingerprint, print) != print;
            let (agent, input) = (pin.agent, pin.input.clone());
            if differs || self.is_touched(agent.as_str(), &input, changed) {
                affected.push(index);
            }
        }
        affected
    }

    /// The same for the event on the bench.
    pub(super) fn bench_affected(&mut self, changed: &[PathBuf]) -> bool {
        let Some(input) = self.bench.payload.input.clone() else { return false };
        let agent = self.bench.payload.agent;
        let print = self.fingerprint(agent.as_str(), &input);
        let before = self.auto_fire.bench.replace((agent.as_str(), input.clone(), print));
        let differs = before.is_some_and(|(a, i, p)| a == agent && i == input && p != print);
        differs || self.is_touched(agent.as_str(), &input, changed)
    }

    fn is_touched(&self, id: &str, input: &HookInput, changed: &[PathBuf]) -> bool {
        self.touched_hook(id, input, changed).is_some()
    }

    /// The first firing hook to which one of these files belongs, as file and script. A change of a script itself
    /// is preferred over a change in its directory.
    pub(super) fn touched_hook(&self, id: &str, input: &HookInput, changed: &[PathBuf]) -> Option<(String, String)> {
        let agent = self.agent(id).filter(|_| !changed.is_empty())?;
        let (loaded, scene) = (agent.loaded.as_ref()?, self.scene_of(agent, input)?);
        let plan = agent.dialect.plan(&scene);
        let mut beside = None;
        for entry in plan.entries.iter().filter(|e| e.selection != Selection::Skipped) {
            let definition = loaded.definition(&entry.hook);
            let script = definition.and_then(|d| self.resolve_launch(&agent.dialect.launch(d, &scene), d)?.script);
            let Some(script) = script else { continue };
            for file in changed.iter().filter(|file| self.belongs(file, &script)) {
                let found = (file.to_string_lossy().into_owned(), script.clone());
                if found.0 == found.1 {
                    return Some(found);
                }
                beside.get_or_insert(found);
            }
        }
        beside
    }
}
