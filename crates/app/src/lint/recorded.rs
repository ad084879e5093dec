//! Findings from the recorded events of a project.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::Value;

use crate::recordings::{Direction, Mode, STORE_FILE, now_ms, open_store};
use crate::state_dir::StateDir;
use hookbench_core::config::{Loaded, Place};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::filter::{Filter, parse};
use hookbench_core::lint::{Seen, often};
use hookbench_core::recorded::Made;

/// Limits that keep linting fast: the number of newest rows that are scanned, and the number of events that are
/// read for each event name.
const ROWS: usize = 1_000;
const EACH: usize = 200;

/// Reports events that fired more often than expected. Returns nothing if the store is missing or cannot be read.
pub fn look(place: &Place, agent: &str, loaded: &Loaded) -> Vec<Diagnostic> {
    let hooked = |event: &str| loaded.definitions.iter().any(|d| d.event == event && d.sound());
    let state = StateDir::of(place);
    if loaded.definitions.is_empty() || !state.file(STORE_FILE).exists() {
        return Vec::new();
    }
    let Ok(store) = open_store(&state, Mode::Read) else { return Vec::new() };
    let filter = parse(&format!("~a {agent} & ~rec")).unwrap_or_else(|_| Filter::everything());
    let (mut rows, mut of_kind, mut numbers) = (0, HashMap::<String, usize>::new(), Vec::new());
    let walked = store.walk(&filter, now_ms(), Direction::Backward, None, &mut |row| {
        rows += 1;
        let here = row.project.as_deref() == Some(place.project.as_str());
        if here && row.made == Made::Recorded && row.origin.is_none() && hooked(&row.event) {
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
        Seen::of(&session, &event, &serde_json::from_slice::<Value>(&payload).ok()?)
    });
    often(seen, &loaded.definitions)
}
