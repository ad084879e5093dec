//! Extracts the display values of an event on the task of its connection, before the event goes to the interceptor,
//! so that a long payload does not delay other events.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::firing::history::gist;
use hookbench_core::dialects::{self, Version, default_version, find_event};
use hookbench_core::live::{live_form, native_event};
use hookbench_system::server::{EventSummary, HookRequest};

/// The maximum number of characters of the display value.
const LONGEST: usize = 160;
/// Values longer than this (in bytes) are not parsed, because they are useless in a list.
const LONG_VALUE: usize = 64 * 1024;

/// Extracts the display values of an event.
pub fn display_values(hook: &HookRequest) -> EventSummary {
    let native = live_form(&hook.provider).map_or_else(|| hook.event.clone(), |form| native_event(form, &hook.event));
    let mut about = EventSummary { event_name: native, ..EventSummary::default() };
    let Some(dialect) = dialects::by_id(&hook.provider) else { return about };
    let Some(body) = short_values(&hook.payload) else { return about };
    let version: Version = default_version(dialect);
    let spec = find_event(dialect, &version, &about.event_name);
    about.highlight = gist(spec, &body).map(|what| what.chars().take(LONGEST).collect());
    about.subject =
        spec.filter(|spec| spec.subject.is_some()).and_then(|spec| dialect.subject(spec, &body, &version).value);
    about
}

/// The payload without its long values. `None` if it is not an object.
fn short_values(payload: &str) -> Option<Value> {
    let object: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(payload).ok()?;
    let short = object.into_iter().filter(|(_, raw)| raw.get().len() <= LONG_VALUE);
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    Some(short.filter_map(|(key, raw)| Some((key.into_owned(), value(raw)?))).collect())
}
