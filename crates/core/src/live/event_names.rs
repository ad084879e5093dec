//! Event names on the wire and in the agents.

use super::LiveFormat;

/// The name of an event whose payload does not name it.
pub const UNKNOWN_EVENT: &str = "unknown";

/// The event of a shell command in the text of a skill, for which no event of a tool fires.
pub const SKILL_COMMAND: &str = "pre_skill_shell_command";

const LONGEST: usize = 64;

/// Event names in old configurations and payloads, for all agents.
const OLD_NAMES: &[(&str, &str)] = &[
    ("session.start", "session_start"),
    ("session.end", "stop"),
    ("session.notification", "notification"),
    ("input.received", "user_prompt_submit"),
    ("InputReceived", "user_prompt_submit"),
    ("tool.before", "pre_tool_use"),
    ("tool.after", "post_tool_use"),
    ("before.compact", "pre_compact"),
];

/// Whether a text can be an event name on the wire: `[a-z][a-z0-9_]{0,63}`.
pub fn is_event_name(text: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns the wire name of an event in any spelling: the wire's, the agent's, or an old one.
pub fn wire_event(form: Option<&LiveFormat>, spelled: &str) -> String {
    if let Some((_, name)) = OLD_NAMES.iter().find(|(old, _)| *old == spelled) {
        return (*name).to_owned();
    }
    let renames = form.map_or(&[] as &[_], |form| form.renames);
    let snake = snake_case(spelled);
    // `before_tool`, the agent's own name in snake case.
    let native = pascal_case(&snake);
    match renames.iter().find(|(_, own)| *own == spelled || *own == native) {
        Some((wire, _)) => (*wire).to_owned(),
        None if is_event_name(&snake) => snake,
        None => UNKNOWN_EVENT.to_owned(),
    }
}

/// Returns the agent's name of an event.
pub fn native_event(form: &LiveFormat, event: &str) -> String {
    match form.renames.iter().find(|(wire, _)| *wire == event) {
        Some((_, native)) => (*native).to_owned(),
        None => pascal_case(event),
    }
}

/// Converts `PreToolUse` to `pre_tool_use`. Dots and dashes become underscores.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() {
            if at > 0 && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if matches!(c, '.' | '-') {
            out.push('_');
        } else {
            out.push(c);
        }
    }
    out
}

/// Converts `pre_tool_use` to `PreToolUse`.
fn pascal_case(name: &str) -> String {
    name.split('_')
        .filter(|part| !part.is_empty())
        .flat_map(|part| part.chars().enumerate().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c }))
        .collect()
}
