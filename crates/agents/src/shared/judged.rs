//! Definitions that have been judged, on their way into a plan.

use std::collections::HashMap;

use hookbench_base::hook::HookDefinition;
use hookbench_base::plan::{Loss, Plan, PlanEntry, Reason, RungName, Selection};

/// What a definition comes to, before repetitions are dropped.
pub struct Judged<'a> {
    pub definition: &'a HookDefinition,
    pub why: Reason,
    pub nearest: Vec<String>,
    pub fell_at: Option<RungName>,
    pub unknown: bool,
}

impl Judged<'_> {
    /// Its place in the plan: the order in which it fires, or why it does not.
    pub fn entry(self, order: Option<u32>) -> PlanEntry {
        let selection = match order {
            Some(order) => Selection::Fires { order },
            None if self.unknown => Selection::Unknown,
            None => Selection::Skipped,
        };
        let hook = self.definition.id.clone();
        PlanEntry { hook, selection, why: self.why, failed_rung: self.fell_at, nearest: self.nearest }
    }
}

/// Puts definitions in the order in which `mine` has them.
pub fn in_order_of(judged: &mut [Judged<'_>], mine: &[&HookDefinition]) {
    let places: HashMap<&str, usize> = mine.iter().zip(0..).map(|(d, at)| (d.id.as_str(), at)).collect();
    judged.sort_by_key(|j| places.get(j.definition.id.as_str()).copied());
}

/// The entry of a definition that never comes to be matched.
pub fn skipped(definition: &HookDefinition, why: Reason, rung: RungName) -> PlanEntry {
    let hook = definition.id.clone();
    PlanEntry { hook, selection: Selection::Skipped, why, failed_rung: Some(rung), nearest: Vec::new() }
}

/// A plan of which nothing is left, for one reason; what had its own keeps it.
#[must_use]
pub fn lost(mut plan: Plan, mine: &[&HookDefinition], why: Reason, rung: RungName) -> Plan {
    plan.entries = mine
        .iter()
        .map(|d| match &d.rejection {
            Some(refused) => skipped(d, Reason::new(refused.rule, refused.message.clone()), refused.rung),
            None => skipped(d, why.clone(), rung),
        })
        .collect();
    plan.lost = Some(Loss { why });
    plan
}
