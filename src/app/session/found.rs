//! What lint finds in runs and firings that are over: said with the runs, beside what the agent makes of them.

use super::state::Session;
use crate::app::firing_record::{FiringId, RunRecord, RunState};
use crate::core::decide::HookRun;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{self, Dialect, Scene};
use crate::core::hook::EventSpec;
use crate::core::lint::after::{Fired, Ran, of_firing, of_run};
use crate::core::lint::{Outside, OutsideScript};

impl Session {
    /// What the machine of a firing rests on, and the event of it.
    fn machine(&self, id: FiringId) -> Option<(&'static dyn Dialect, &Scene, &'static EventSpec)> {
        let dialect = dialects::by_id(self.firing(id)?.agent)?;
        let scene = self.live.iter().find(|(live, _)| *live == id)?.1.scene();
        Some((dialect, scene, dialects::event_of(dialect, &scene.version, &scene.input.event)?))
    }

    /// What is found in a run that has just ended.
    pub(super) fn found_in(&self, id: FiringId, run: &HookRun) -> Vec<Diagnostic> {
        let Some((dialect, scene, event)) = self.machine(id) else { return Vec::new() };
        let Some(definition) = scene.loaded.definition(&run.hook) else { return Vec::new() };
        let resolved = self.resolve_launch(&run.launch, definition);
        let text = resolved.as_ref().and_then(|resolved| self.script_text(resolved));
        let script = resolved.as_ref().and_then(|r| Some((r.script.clone()?, r.program.as_ref() != r.script.as_ref())));
        let script = script.zip(text).map(|((path, interpreted), text)| OutsideScript { path, text, interpreted });
        let outside = Outside { script, ..Outside::default() };
        of_run(&Ran { dialect, scene, event, definition, run, outside: &outside })
    }

    /// What is found in a firing of which nothing is outstanding any more.
    pub(super) fn look_back(&mut self, id: FiringId) {
        let Some((dialect, scene, event)) = self.machine(id) else { return };
        let Some(record) = self.firing(id).filter(|record| !record.cancelled) else { return };
        let Some(outcome) = &record.outcome else { return };
        let runs: Vec<&HookRun> = record.ended.iter().filter_map(|run| record.run(*run)?.ended()).collect();
        let found = of_firing(&Fired { dialect, scene, event, runs: &runs, outcome });
        let Some(record) = self.history.record_mut(id).filter(|_| !found.is_empty()) else { return };
        for (run, one) in found {
            let of = record.runs.iter_mut().find(|r| r.run == run);
            if let Some(RunRecord { state: RunState::Ended(ended), .. }) = of {
                ended.output.notes.push(one);
            }
        }
        self.history.changed(id);
    }
}
