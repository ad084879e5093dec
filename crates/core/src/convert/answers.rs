//! What hooks print is not translated: which parts of an answer the other agent does not read.

use super::{Conversion, Pair, stops};
use crate::dialects::event_of;

/// It only says which event an answer is for.
const LABEL: &str = "/hookEventName";

/// Keys of an answer that one agent honours on an event and the other does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub event: String,
    pub event_there: String,
    /// JSON pointers.
    pub keys: Vec<String>,
    /// The hooks that run on the event, as people call them.
    pub hooks: Vec<String>,
    /// Whether exit status 2 with a reason on stderr holds things up on both sides.
    pub exit_2: bool,
}

/// What the other agent does not read of what these hooks may say.
pub fn unread(pair: &Pair<'_>, conversion: &Conversion) -> Vec<Unread> {
    let mut out: Vec<Unread> = Vec::new();
    for item in &conversion.items {
        let Some(written) = item.written.first() else { continue };
        if let Some(known) = out.iter_mut().find(|u| u.event == item.event) {
            if !known.hooks.contains(&item.label) {
                known.hooks.push(item.label.clone());
            }
            continue;
        }
        let here = event_of(pair.from.dialect, &pair.from.version, &item.event);
        let there = event_of(pair.to.dialect, &pair.to.version, &written.event);
        let (Some(here), Some(there)) = (here, there) else { continue };
        let keys: Vec<String> = here
            .honours
            .iter()
            .filter(|key| !there.honours.iter().any(|other| covers(key, other)) && !key.ends_with(LABEL))
            .map(|key| (*key).to_owned())
            .collect();
        if !keys.is_empty() {
            out.push(Unread {
                event: item.event.clone(),
                event_there: written.event.clone(),
                keys,
                hooks: vec![item.label.clone()],
                exit_2: stops::both(pair, here.name, there.name),
            });
        }
    }
    out
}

/// Whether one pointer is the other, or leads to what it is a part of.
fn covers(a: &str, b: &str) -> bool {
    let within =
        |part: &str, whole: &str| part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    within(a, b) || within(b, a)
}
