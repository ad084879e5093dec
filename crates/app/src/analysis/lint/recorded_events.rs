//! Findings from the recorded events of a project.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::Value;

use crate::disk::state_dir::StateDir;
use crate::recordings::store::{ListDirection, OpenMode, STORE_FILE, now_ms, open_store};
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::filter::{Filter, parse};
use hookbench_core::lint::{EventOccurrence, repeated_events};
use hookbench_core::recorded::PayloadSource;

/// Limits that keep linting fast: the number of newest rows that are scanned, and the number of events that are
/// read for each event name.
const ROWS: usize = 1_000;
const EACH: usize = 200;

/// Reports events that fired more often than expected. Returns nothing if the store is missing or cannot be read.
pub fn check(place: &Place, agent: &str, loaded: &LoadedConfig) -> Vec<Diagnostic> {
    let hooked = |event: &str| loaded.definitions.iter().any(|d| d.event == event && d.is_valid());
    let state = StateDir::of(place);
    if loaded.definitions.is_empty() || !state.file(STORE_FILE).exists() {
        return Vec::new();
    }
    let Ok(store) = open_store(&state, OpenMode::Read) else { return Vec::new() };
    let filter = parse(&format!("~a {agent} & ~rec")).unwrap_or_else(|_| Filter::everything());
    let (mut rows, mut of_kind, mut numbers) = (0, HashMap::<String, usize>::new(), Vec::new());
    let walked = store.walk(&filter, now_ms(), ListDirection::Backward, None, &mut |row| {
        rows += 1;
        let here = row.project.as_deref() == Some(place.project.as_str());
        if here && row.payload_source == PayloadSource::Recorded && row.origin.is_none() && hooked(&row.event) {
            let known = of_kind.entry(row.event.clone()).or_default();
            *known += 1;
            if *known <= EACH {
                numbers.push((row.seq, row.session, row.event));
            }
        }
        if rows < ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if walked.is_err() {
        return Vec::new();
    }
    let seen = numbers.into_iter().filter_map(|(seq, session, event)| {
        let payload = store.event(seq).ok()??.payload;
        EventOccurrence::of(&session, &event, &serde_json::from_slice::<Value>(&payload).ok()?)
    });
    repeated_events(seen, &loaded.definitions)
}
