//! Definitions that have been judged, on their way into a plan.

use std::collections::HashMap;

use hookbench_base::hook::HookDefinition;
use hookbench_base::plan::{Loss, Plan, PlanEntry, RungName, Selection, Why};

/// What a definition comes to, before repetitions are dropped.
pub struct Judged<'a> {
    pub definition: &'a HookDefinition,
    pub why: Why,
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
        PlanEntry { hook, selection, why: self.why, fell_at: self.fell_at, nearest: self.nearest }
    }
}

/// Puts definitions in the order in which `mine` has them.
pub fn in_order_of(judged: &mut [Judged<'_>], mine: &[&HookDefinition]) {
    let places: HashMap<&str, usize> = mine.iter().zip(0..).map(|(d, at)| (d.id.as_str(), at)).collect();
    judged.sort_by_key(|j| places.get(j.definition.id.as_str()).copied());
}

/// The entry of a definition that never comes to be matched.
pub fn skipped(definition: &HookDefinition, why: Why, rung: RungName) -> PlanEntry {
    let hook = definition.id.clone();
    PlanEntry { hook, selection: Selection::Skipped, why, fell_at: Some(rung), nearest: Vec::new() }
}

/// A plan of which nothing is left, for one reason; what had its own keeps it.
#[must_use]
pub fn lost(mut plan: Plan, mine: &[&HookDefinition], why: Why, rung: RungName) -> Plan {
    plan.entries = mine
        .iter()
        .map(|d| match &d.refused {
            Some(refused) => skipped(d, Why::new(refused.rule, refused.says.clone()), refused.rung),
            None => skipped(d, why.clone(), rung),
        })
        .collect();
    plan.lost = Some(Loss { why });
    plan
}
