//! Whether a converted matcher matches a name. In an agent whose hooks are scripts, the script decides.

use serde_json::{Value, json};

use crate::hook::EventSpec;
use crate::port::AgentVersion;

/// The end of a part of a matcher that matches every name with the same beginning.
pub(super) const REST: &str = ".*";

/// Whether a script with this matcher runs its command for a name. The matcher is a list of names, or beginnings of names
/// before `.*`.
pub(super) fn is_named(matcher: &str, name: &str) -> bool {
    matcher.split('|').any(|one| one.strip_suffix(REST).map_or(name == one, |start| name.starts_with(start)))
}

/// Whether a matcher matches a name. `None` if that is unknown.
pub(super) fn matches_name(side: &AgentVersion, event: &EventSpec, matcher: Option<&str>, name: &str) -> Option<bool> {
    let Some(key) = event.subject else { return Some(true) };
    if side.dialect.settings_format().script.is_some() {
        return Some(matcher.is_none_or(|matcher| is_named(matcher, name)));
    }
    let subject = side.dialect.subject(event, &json!({ key: name }), &side.version);
    side.dialect.matches(event, matcher.map(Value::from).as_ref(), &subject, &side.version)
}
