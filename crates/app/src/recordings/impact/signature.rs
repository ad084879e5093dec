//! Signatures of events: the results of all matchers on the subject, and of all conditions on the payload. Events
//! with equal signatures have equal plans, so one of them is planned for all.

use std::collections::HashMap;

use serde_json::Value;

use crate::firing::setup::FiringSetup;
use hookbench_core::hook::{HookDefinition, HookInput, Layer};

/// The results, in a fixed order.
pub(super) type Signature = Vec<Option<bool>>;

/// A result for each signature.
pub(super) type BySignature<T> = HashMap<Signature, T>;

/// A definition's condition with everything that its result depends on. Equal conditions have equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConditionKey {
    condition: Option<String>,
    layer: Layer,
    bundle: Option<String>,
}

impl ConditionKey {
    fn of_definition(definition: &HookDefinition) -> ConditionKey {
        let from = &definition.provenance;
        ConditionKey { condition: definition.condition.clone(), layer: from.layer, bundle: from.bundle.clone() }
    }
}

/// The matchers and conditions for the events of one name, from both sides, without duplicates.
pub(super) struct EventQuestions {
    pub matchers: Vec<Option<Value>>,
    pub conditions: Vec<ConditionKey>,
    /// For each condition, a definition that has it, by side and by index in the list of all definitions.
    condition_owners: Vec<(usize, usize)>,
}

impl EventQuestions {
    /// Collects the matchers and conditions of the definitions for an event.
    pub fn of(sides: [&FiringSetup; 2], event: &str) -> EventQuestions {
        let mut questions =
            EventQuestions { matchers: Vec::new(), conditions: Vec::new(), condition_owners: Vec::new() };
        for (side, stage) in sides.into_iter().enumerate() {
            let mine = stage.loaded.definitions.iter().enumerate();
            for (at, definition) in
                mine.filter(|(_, d)| stage.dialect.is_same_event(&d.event, event) && d.rejection.is_none())
            {
                if !questions.matchers.contains(&definition.matcher) {
                    questions.matchers.push(definition.matcher.clone());
                }
                let asked = ConditionKey::of_definition(definition);
                if !stage.dialect.plan_reads(definition).is_empty() && !questions.conditions.contains(&asked) {
                    questions.conditions.push(asked);
                    questions.condition_owners.push((side, at));
                }
            }
        }
        questions
    }

    /// Evaluates all conditions on a payload.
    pub fn evaluate(&self, sides: [&FiringSetup; 2], input: &HookInput) -> Signature {
        (0..self.conditions.len()).map(|question| self.holds(question, sides, input)).collect()
    }

    /// Evaluates one condition on a payload.
    pub fn holds(&self, question: usize, sides: [&FiringSetup; 2], input: &HookInput) -> Option<bool> {
        let (side, at) = *self.condition_owners.get(question)?;
        let stage = sides[side];
        stage.loaded.definitions.get(at).and_then(|d| stage.dialect.conditions_hold(d, input, &stage.place))
    }
}
