//! Hook definitions with the result of their selection, before they become entries of a plan.

use std::collections::HashMap;

use hookbench_base::hook::HookDefinition;
use hookbench_base::plan::{Loss, Plan, PlanEntry, Reason, RungName, Selection};

/// The result for one definition, before duplicates are dropped.
pub struct HookAssessment<'a> {
    pub definition: &'a HookDefinition,
    pub why: Reason,
    pub nearest: Vec<String>,
    pub stopped_at: Option<RungName>,
    pub unknown: bool,
}

impl<'a> HookAssessment<'a> {
    /// The result for a definition that drops out at a rung.
    pub fn stopped(definition: &'a HookDefinition, why: Reason, rung: RungName) -> HookAssessment<'a> {
        HookAssessment { definition, why, nearest: Vec::new(), stopped_at: Some(rung), unknown: false }
    }

    /// The result for a definition that was rejected when it was loaded.
    pub fn rejected(definition: &'a HookDefinition) -> Option<HookAssessment<'a>> {
        let rejection = definition.rejection.as_ref()?;
        let why = Reason::new(rejection.rule, rejection.message.clone());
        Some(HookAssessment::stopped(definition, why, rejection.rung))
    }

    /// The result of the matcher: whether it hits, `None` if unknown, and the explanation.
    pub fn matched(
        definition: &'a HookDefinition,
        hit: Option<bool>,
        (why, nearest): (Reason, Vec<String>),
    ) -> HookAssessment<'a> {
        let stopped_at = (hit != Some(true)).then_some(RungName::Matcher);
        HookAssessment { definition, why, nearest, stopped_at, unknown: hit.is_none() }
    }

    /// Converts the result to a plan entry. `order` is the hook's position among those that run, or `None` if it
    /// does not run.
    pub fn into_entry(self, order: Option<u32>) -> PlanEntry {
        let selection = match order {
            Some(order) => Selection::Fires { order },
            None if self.unknown => Selection::Unknown,
            None => Selection::Skipped,
        };
        let hook = self.definition.id.clone();
        PlanEntry { hook, selection, why: self.why, failed_rung: self.stopped_at, nearest: self.nearest }
    }
}

/// Sorts the results into the order of `mine`.
pub fn sort_like(judged: &mut [HookAssessment<'_>], mine: &[&HookDefinition]) {
    let places: HashMap<&str, usize> = mine.iter().zip(0..).map(|(d, at)| (d.id.as_str(), at)).collect();
    judged.sort_by_key(|j| places.get(j.definition.id.as_str()).copied());
}

/// Returns the entry of a definition that is skipped before its matcher is tested.
pub fn skipped_entry(definition: &HookDefinition, why: Reason, rung: RungName) -> PlanEntry {
    let hook = definition.id.clone();
    PlanEntry { hook, selection: Selection::Skipped, why, failed_rung: Some(rung), nearest: Vec::new() }
}

/// Returns the plan with all of its hooks skipped for one reason. A definition that was already refused keeps its
/// own reason.
#[must_use]
pub fn lost_plan(mut plan: Plan, mine: &[&HookDefinition], why: Reason, rung: RungName) -> Plan {
    plan.entries = mine
        .iter()
        .map(|d| match &d.rejection {
            Some(refused) => skipped_entry(d, Reason::new(refused.rule, refused.message.clone()), refused.rung),
            None => skipped_entry(d, why.clone(), rung),
        })
        .collect();
    plan.lost = Some(Loss { why });
    plan
}
