//! What a plan can tell of an event, in short: which matchers let its subject pass, which questions to its payload hold.
//! Events with the same signs are planned alike, so that one of them is planned for all.

use std::collections::HashMap;

use serde_json::Value;

use crate::rehearsal::Stage;
use hookbench_core::hook::{HookDefinition, HookInput, Layer};

/// The answers, in a fixed order.
pub(super) type Signs = Vec<Option<bool>>;

/// What became of events with these signs.
pub(super) type BySigns<T> = HashMap<Signs, T>;

/// What definitions ask of a payload beside their matchers. Those that ask the same are answered the same.
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

/// What is asked of the events of one name, on both sides, each question once.
pub(super) struct Questions {
    pub matchers: Vec<Option<Value>>,
    pub asked: Vec<Asked>,
    /// For each of those a definition that asks it, by its side and its place in the list of all.
    asking: Vec<(usize, usize)>,
}

impl Questions {
    /// What these definitions ask.
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

    /// What holds of a payload.
    pub fn of_payload(&self, sides: [&Stage; 2], input: &HookInput) -> Signs {
        (0..self.asked.len()).map(|question| self.holds(question, sides, input)).collect()
    }

    /// Whether one of the questions holds of a payload.
    pub fn holds(&self, question: usize, sides: [&Stage; 2], input: &HookInput) -> Option<bool> {
        let (side, at) = *self.asking.get(question)?;
        let stage = sides[side];
        stage.loaded.definitions.get(at).and_then(|d| stage.dialect.holds(d, input, &stage.place))
    }
}
