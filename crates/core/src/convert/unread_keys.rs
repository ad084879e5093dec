//! Keys of hook output that the other agent does not read. Hook output is not translated.

use serde::Serialize;

use super::{Conversion, ConversionPair, exit_two};
use crate::adapt::is_translated;
use crate::dialects::find_event;

/// Names the event of an answer and decides nothing, so it is not reported.
const LABEL: &str = "/hookEventName";

/// Keys of hook output that the other agent does not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UnreadDoc"))]
pub struct UnreadKeys {
    pub event: String,
    pub event_there: String,
    /// JSON pointers.
    pub keys: Vec<String>,
    pub hooks: Vec<String>,
    /// Whether exit status 2 blocks in both agents, and both report the reason on stderr.
    pub exit_2: bool,
}

/// Returns, for each event of the conversion, the answer keys that only the source agent honours.
pub fn unread_keys(pair: &ConversionPair<'_>, conversion: &Conversion) -> Vec<UnreadKeys> {
    let mut out: Vec<UnreadKeys> = Vec::new();
    for item in &conversion.items {
        let Some(event_there) = item.event_there() else { continue };
        if let Some(known) = out.iter_mut().find(|u| u.event == item.event) {
            if !known.hooks.contains(&item.label) {
                known.hooks.push(item.label.clone());
            }
            continue;
        }
        let here = find_event(pair.from.dialect, &pair.from.version, &item.event);
        let there = find_event(pair.to.dialect, &pair.to.version, event_there);
        let (Some(here), Some(there)) = (here, there) else { continue };
        let keys: Vec<String> = here
            .honoured_output
            .iter()
            .filter(|key| !there.honoured_output.iter().any(|other| covers(key, other)) && !key.ends_with(LABEL))
            .filter(|key| !(pair.adapts && item.shared.is_none() && is_translated(key)))
            .map(|key| (*key).to_owned())
            .collect();
        if !keys.is_empty() {
            out.push(UnreadKeys {
                event: item.event.clone(),
                event_there: event_there.to_owned(),
                keys,
                hooks: vec![item.label.clone()],
                exit_2: exit_two::blocks_with_reason_in_both(pair, here.name, there.name),
            });
        }
    }
    out
}

/// Whether the pointers are equal or one points into the other.
fn covers(a: &str, b: &str) -> bool {
    let within =
        |part: &str, whole: &str| part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    within(a, b) || within(b, a)
}
