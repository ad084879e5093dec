//! Plans recorded events for their rows: a million of them, of which most share their plan with earlier ones.

use std::sync::Arc;

use super::plan_cache::{PlanKey, PlannedRow};
use super::replayer::{Replayer, project_name};
use crate::firing::history::recorded_gist;
use crate::firing::setup::FiringSetup;
use crate::recordings::replay::{ReplayRow, UnmaskedValues};
use hookbench_core::dialects::{self, Agent, SessionMemory, Version};
use hookbench_core::hook::{HookInput, Subject};
use hookbench_core::recorded::RecordedEvent;
use hookbench_core::transcript::gaps_in_body;

/// The configurations for events of one origin: they read the same settings.
pub struct OriginSetups {
    agent: String,
    version: Option<String>,
    project: Option<String>,
    setup: Arc<FiringSetup>,
    baseline: Option<Arc<FiringSetup>>,
}

impl Replayer {
    /// Assesses an event without running hooks, for its row: with its most significant value only if hooks stop it or its result
    /// changes. Events with the same values in all that plans read share one assessment.
    pub fn plan_row(&mut self, event: RecordedEvent, unmasked: UnmaskedValues) -> PlannedRow {
        let (key, memory) = self.plan_key(&event);
        if let Some(planned) = key.and_then(|key| self.planned.get(key)) {
            let gist = planned.is_shown.then(|| recorded_gist(&event)).flatten();
            let row = ReplayRow {
                what: gist.map(|gist| unmasked.text(&gist)),
                project: project_name(&event),
                person: event.person.map(|person| unmasked.person(person)),
                id: event.id,
                ..planned.row.clone()
            };
            return PlannedRow { row, ..*planned };
        }
        let planned = match self.prepare_after(event, memory) {
            Ok(ready) => ready.plan(),
            Err(unready) => *unready,
        };
        let row = ReplayRow::of(&planned, unmasked);
        let row = PlannedRow { row, is_shown: planned.is_shown(), differs: !planned.is_same() };
        if let Some(key) = key.filter(|_| planned.after.is_ok()) {
            self.planned.insert(key, row.clone());
        }
        row
    }

    /// The key of an event in the cache, and the state that earlier events of its session leave for it. `None` for
    /// an event whose assessment depends on more, or that is not usable.
    fn plan_key(&mut self, event: &RecordedEvent) -> (Option<PlanKey>, Option<SessionMemory>) {
        let Some(dialect) =
            dialects::by_id(&event.agent).filter(|own| self.options.agent.is_none_or(|a| a.id() == own.id()))
        else {
            return (None, None);
        };
        let (Ok(body), true) =
            (serde_json::from_slice(&event.payload), event.runs.is_empty() && event.outcome.is_none())
        else {
            return (None, None);
        };
        let is_known = |origin: &OriginSetups| {
            (&origin.agent, &origin.version, &origin.project) == (&event.agent, &event.version, &event.project)
        };
        if !self.latest.as_ref().is_some_and(is_known) {
            self.latest = self.origin_setups(event, dialect).ok();
        }
        let Some(origin) = &self.latest else { return (None, None) };
        let subject = Subject { value: event.subject.clone(), aliases: Vec::new() };
        let input = HookInput { event: event.event.clone(), subject, body };
        let memory = self.courses.memory(dialect, event, &input);
        let setups = [Some(&origin.setup), origin.baseline.as_ref()].into_iter().flatten().map(Arc::as_ref);
        let recorded = (event.verdict.as_deref(), gaps_in_body(event, &input.body));
        (self.planned.key(setups, &memory, &input, &recorded), Some(memory))
    }

    fn origin_setups(&mut self, event: &RecordedEvent, dialect: &'static Agent) -> Result<OriginSetups, String> {
        let project = self.project_of(event, &mut Vec::new());
        let recorded = event.version.as_deref().and_then(Version::parse);
        let version = self.options.version.clone().or(recorded);
        let setup = self.stage(&project, dialect, version.as_ref(), false)?;
        let baseline = self.baseline_stage(&project, &setup)?;
        let (agent, version, project) = (event.agent.clone(), event.version.clone(), event.project.clone());
        Ok(OriginSetups { agent, version, project, setup, baseline })
    }
}
