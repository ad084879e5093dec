//! Counts the events for each operator of the filter language. It uses the kinds of events, of which there are few.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::recordings::event_list::OperatorCount;
use crate::recordings::store::{Store, StoreError, now_ms};
use hookbench_core::filter::{OPERATORS, parse};
use hookbench_system::store::EventKind;

/// The maximum number of values for each operator.
const NAMED: usize = 3;

/// Counts the matches of every operator that can be counted without an argument.
pub(super) fn operator_counts(store: &Store) -> Result<Vec<OperatorCount>, StoreError> {
    let kinds = store.kinds()?;
    let mut all = Vec::new();
    for operator in OPERATORS {
        let values = match operator.name {
            "~e" => commonest(&kinds, |kind| vec![kind.event.clone()]),
            "~t" => commonest(&kinds, |kind| kind.subject.iter().cloned().collect()),
            "~a" => commonest(&kinds, |kind| vec![kind.agent.clone()]),
            "~v" => commonest(&kinds, |kind| kind.verdict.iter().cloned().collect()),
            "~h" => commonest(&kinds, |kind| kind.hook_results.iter().map(|ran| ran.hook.clone()).collect()),
            name => match parse(name) {
                Ok(filter) if operator.argument.is_none() => vec![(None, store.count(&filter, now_ms())?)],
                _ => continue,
            },
        };
        all.push(OperatorCount { name: operator.name, values });
    }
    Ok(all)
}

/// The values with the most events. An event counts once for each of its values.
fn commonest(kinds: &[EventKind], of: impl Fn(&EventKind) -> Vec<String>) -> Vec<(Option<String>, u64)> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for kind in kinds {
        for value in of(kind).into_iter().collect::<BTreeSet<_>>() {
            *sums.entry(value).or_default() += kind.events;
        }
    }
    let mut all: Vec<(Option<String>, u64)> = sums.into_iter().map(|(value, count)| (Some(value), count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(NAMED);
    all
}
