//! The answers of a firing in which the `hookSpecificOutput` of all runs become one object, of whose keys the last one counts.

use serde_json::{Map, Value};

use super::decision::RunWithAnswer;
use crate::shared::javascript::spread;
use hookbench_base::text::truthy;

/// The answers, in the configured order.
pub struct MergedAnswers<'a> {
    pub runs: &'a [RunWithAnswer<'a>],
    own: Map<String, Value>,
}

impl<'a> MergedAnswers<'a> {
    /// Merges the answers of these runs.
    pub fn of(runs: &'a [RunWithAnswer<'a>]) -> MergedAnswers<'a> {
        let own = runs.iter().filter_map(|one| one.answer.at(&["hookSpecificOutput"])).filter(|own| truthy(own));
        MergedAnswers { runs, own: own.flat_map(spread).collect() }
    }

    /// A key of the merged object with the run that it comes from. `None` if it counts as false.
    pub fn own(&self, key: &str) -> Option<(&Value, &'a RunWithAnswer<'a>)> {
        self.own.get(key).filter(|value| truthy(value)).zip(self.source(key))
    }

    /// The last run that has a key, whatever its value.
    pub fn source(&self, key: &str) -> Option<&'a RunWithAnswer<'a>> {
        self.runs.iter().rev().find(|one| one.answer.own(key).is_some())
    }

    /// Whether the merged object names this event.
    pub fn is_of(&self, event: &str) -> bool {
        self.own.get("hookEventName").is_some_and(|name| name == event)
    }
}
