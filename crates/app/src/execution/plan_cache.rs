//! The rows of planned events that no recorded run answers. Events with the same values in all that plans read share one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::firing::setup::FiringSetup;
use crate::recordings::replay::ReplayRow;
use hookbench_core::dialects::SessionMemory;
use hookbench_core::hook::{HookDefinition, HookInput};
use hookbench_core::recorded::PayloadGap;

/// The number of events that are kept: the values that plans read may differ in every event.
const MAX_PLANNED: usize = 4096;

/// A hash of all that the assessment of an event depends on, if no hook has a recorded run.
pub type PlanKey = u64;

/// The planned events so far. The configurations must outlive it, because their addresses tell them apart.
#[derive(Default)]
pub struct PlanCache {
    /// The JSON pointers that the plans of an event read, by the address of the configuration and the event.
    reads: HashMap<(usize, String), Vec<&'static str>>,
    planned: HashMap<PlanKey, PlannedRow>,
}

/// The row of a planned event.
#[derive(Debug, Clone)]
pub struct PlannedRow {
    pub row: ReplayRow,
    /// Whether the row has the most significant value of the event.
    pub is_shown: bool,
    /// Whether the results differ, or one is unknown.
    pub differs: bool,
}

impl PlanCache {
    /// The key of an event with a recorded verdict and gaps under these configurations. `None` for a session with skills, whose hooks run only there.
    pub fn key<'a>(
        &mut self,
        setups: impl Iterator<Item = &'a FiringSetup>,
        memory: &SessionMemory,
        input: &HookInput,
        recorded: &(Option<&str>, Vec<PayloadGap>),
    ) -> Option<PlanKey> {
        if !memory.loaded_skills.is_empty() || memory.loading_skill.is_some() {
            return None;
        }
        let mut hash = DefaultHasher::new();
        (&input.event, &input.subject.value, recorded, memory.stops_blocked, memory.is_known).hash(&mut hash);
        // The names and the kinds of values decide what a template adds.
        for (key, value) in input.body.as_object()? {
            (key, std::mem::discriminant(value)).hash(&mut hash);
        }
        for setup in setups {
            let address = std::ptr::from_ref::<FiringSetup>(setup) as usize;
            let reads = self.reads.entry((address, input.event.clone())).or_insert_with(|| {
                let is_own = |event: &str| setup.dialect.is_same_event(event, &input.event);
                let definitions = setup.loaded.definitions.iter().filter(|definition| is_own(&definition.event));
                // Hooks of a skill run for the call that loads it.
                let reads = |definition: &HookDefinition| {
                    let of_skill = definition.provenance.bundle.as_ref().map(|_| "/tool_input");
                    setup.dialect.plan_reads(definition).into_iter().chain(of_skill)
                };
                definitions.flat_map(reads).collect()
            });
            address.hash(&mut hash);
            for pointer in reads {
                input.body.pointer(pointer).hash(&mut hash);
            }
        }
        Some(hash.finish())
    }

    /// The planned event with this key.
    pub fn get(&self, key: PlanKey) -> Option<&PlannedRow> {
        self.planned.get(&key)
    }

    /// Keeps a planned event.
    pub fn insert(&mut self, key: PlanKey, planned: PlannedRow) {
        if self.planned.len() >= MAX_PLANNED {
            self.planned.clear();
        }
        self.planned.insert(key, planned);
    }
}
