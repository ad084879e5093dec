//! Signatures of events: the results of all matchers on the subject, and of all conditions on the payload. Events
//! with equal signatures have equal plans, so one of them is planned for all.

use std::collections::HashMap;

use serde_json::Value;

use crate::rehearsal::Stage;
use hookbench_core::hook::{HookDefinition, HookInput, Layer};

/// The results, in a fixed order.
pub(super) type Signs = Vec<Option<bool>>;

/// A result for each signature.
pub(super) type BySigns<T> = HashMap<Signs, T>;

/// A definition's condition with everything that its result depends on. Equal conditions have equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    condition: Option<String>,
    layer: Layer,
    bundle: Option<String>,
}

impl Asked {
    fn by(definition: &HookDefinition) -> Asked {
        let from = &definition.from;
        Asked { condition: definition.condition.clone(), layer: from.layer, bundle: from.bundle.clone() }
    }
}

/// The matchers and conditions for the events of one name, from both sides, without duplicates.
pub(super) struct Questions {
    pub matchers: Vec<Option<Value>>,
    pub asked: Vec<Asked>,
    /// For each condition, a definition that has it, by side and by index in the list of all definitions.
    asking: Vec<(usize, usize)>,
}

impl Questions {
    /// Collects the matchers and conditions of the definitions for an event.
    pub fn of(sides: [&Stage; 2], event: &str) -> Questions {
        let mut questions = Questions { matchers: Vec::new(), asked: Vec::new(), asking: Vec::new() };
        for (side, stage) in sides.into_iter().enumerate() {
            let mine = stage.loaded.definitions.iter().enumerate();
            for (at, definition) in mine.filter(|(_, d)| d.event == event && d.refused.is_none()) {
                if !questions.matchers.contains(&definition.matcher) {
                    questions.matchers.push(definition.matcher.clone());
                }
                let asked = Asked::by(definition);
                if !stage.dialect.plan_reads(definition).is_empty() && !questions.asked.contains(&asked) {
                    questions.asked.push(asked);
                    questions.asking.push((side, at));
                }
            }
        }
        questions
    }

    /// Evaluates all conditions on a payload.
    pub fn of_payload(&self, sides: [&Stage; 2], input: &HookInput) -> Signs {
        (0..self.asked.len()).map(|question| self.holds(question, sides, input)).collect()
    }

    /// Evaluates one condition on a payload.
    pub fn holds(&self, question: usize, sides: [&Stage; 2], input: &HookInput) -> Option<bool> {
        let (side, at) = *self.asking.get(question)?;
        let stage = sides[side];
        stage.loaded.definitions.get(at).and_then(|d| stage.dialect.holds(d, input, &stage.place))
    }
}
