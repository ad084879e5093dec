//! What a plan can tell of an event, in short: which matchers let its subject pass, which questions to its payload hold.
//! Events with the same signs are planned alike, so that one of them is planned for all.

use std::collections::HashMap;

use serde_json::Value;

use crate::app::rehearsal::Stage;
use crate::core::dialects::Dialect;
use crate::core::hook::{EventSpec, HookDefinition, HookInput, Subject};

/// The answers, in a fixed order.
pub(super) type Signs = Vec<Option<bool>>;

/// What is asked of the events of one name, on both sides, each question once.
pub(super) struct Questions {
    matchers: Vec<Option<Value>>,
    /// Of each side the definitions that ask more than their matcher, by their places in the list of all.
    asking: Vec<(usize, usize)>,
}

impl Questions {
    /// What these definitions ask.
    pub fn of(sides: [&Stage; 2], event: &str) -> Questions {
        let mut questions = Questions { matchers: Vec::new(), asking: Vec::new() };
        let mut known: Vec<&HookDefinition> = Vec::new();
        for (side, stage) in sides.into_iter().enumerate() {
            let mine = stage.loaded.definitions.iter().enumerate();
            for (at, definition) in mine.filter(|(_, d)| d.event == event && d.refused.is_none()) {
                if !questions.matchers.contains(&definition.matcher) {
                    questions.matchers.push(definition.matcher.clone());
                }
                let asks_more = !stage.dialect.plan_reads(definition).is_empty();
                if asks_more && !known.iter().any(|other| asks_alike(other, definition)) {
                    known.push(definition);
                    questions.asking.push((side, at));
                }
            }
        }
        questions
    }

    /// What the matchers say of a subject.
    pub fn of_subject(&self, stage: &Stage, event: &EventSpec, subject: &Subject) -> Signs {
        let dialect: &dyn Dialect = stage.dialect;
        let says = |matcher: &Option<Value>| dialect.matches(event, matcher.as_ref(), subject, &stage.version);
        self.matchers.iter().map(says).collect()
    }

    /// What holds of a payload.
    pub fn of_payload(&self, sides: [&Stage; 2], input: &HookInput) -> Signs {
        let says = |(side, at): &(usize, usize)| {
            let stage = sides[*side];
            stage.loaded.definitions.get(*at).and_then(|d| stage.dialect.holds(d, input, &stage.place))
        };
        self.asking.iter().map(says).collect()
    }
}

/// Whether two definitions ask the same of a payload.
fn asks_alike(one: &HookDefinition, other: &HookDefinition) -> bool {
    one.condition == other.condition && one.from.layer == other.from.layer && one.from.bundle == other.from.bundle
}

/// What became of events with these signs.
pub(super) type BySigns<T> = HashMap<Signs, T>;
