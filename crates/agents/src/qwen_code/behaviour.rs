//! What changed between versions, as data (spec §17). The rules consult one row; `Scene::version` selects it.

use hookbench_base::dialects::{Version, VersionRange};

/// How a command hook's `timeout` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    Milliseconds,
    /// Seconds below 1000, milliseconds from there on.
    SecondsOrLegacy,
}

/// How a matcher is held against its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherRule {
    /// An unanchored pattern; an invalid one is compared as text; no aliases. The events named are compared as text.
    Pattern { exact: &'static [&'static str] },
    /// Exact names and aliases, lists, then an unanchored pattern; an invalid one matches nothing.
    NamesThenPattern,
}

/// What exit status 2 does with stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit2 {
    /// It is a reason, whatever it looks like.
    Text,
    /// A JSON object there is the answer.
    Json,
}

/// What plain text with an exit status other than 0, 1 and 2 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherExit {
    Deny,
    NonBlocking,
}

/// What becomes of text that starts like a JSON object and is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenJson {
    Text,
    Error,
}

/// What becomes of JSON that is not an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NonObject {
    /// A list is used as the answer, anything else is none.
    ListOrNothing,
    Text,
}

/// What dying from a signal counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalRule {
    Zero,
    Error,
}

/// Which layers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerRule {
    /// All settings are merged and count as the project's; extensions beside them.
    Merged,
    /// User and project.
    UserAndProject,
    /// System defaults, system, user, project, extensions, session.
    All,
}

/// How hooks are switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enabling {
    /// Off until `hooksConfig.enabled` (or `--experimental-hooks`).
    Flag,
    Always,
}

/// One row: the behaviour of a range of versions.
#[derive(Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one line of the specification's table")]
pub struct Behaviour {
    pub range: VersionRange,
    /// Events that exist; none: all that are known.
    pub events: Option<&'static [&'static str]>,
    pub types: &'static [&'static str],
    pub asynchronous: bool,
    pub timeout: TimeoutUnit,
    pub matcher: MatcherRule,
    pub exit_2: Exit2,
    pub other_exit: OtherExit,
    pub broken_json: BrokenJson,
    pub non_object: NonObject,
    /// Events on which plain stdout is context.
    pub text_is_context: &'static [&'static str],
    pub signal: SignalRule,
    pub layers: LayerRule,
    pub enabling: Enabling,
    /// `stop_hook_active` is true from the first check on.
    pub stop_always_active: bool,
    /// Blocked stops are counted and end at a cap.
    pub stop_cap: bool,
    /// The payload keys of the newest version: `permission_mode` on all, `prompt_id`, `tool_call_id`, ….
    pub new_fields: bool,
    /// The project folder is put into the command text, quoted.
    pub textual_project_dir: bool,
    /// Internal secrets are kept from hooks, and `QWEN_CODE_*` variables are given.
    pub own_environment: bool,
    /// PreToolUse `ask` is a dialog where somebody can be asked.
    pub ask_is_dialog: bool,
}

const TWELVE: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PermissionRequest",
];

const FOURTEEN: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PermissionRequest",
];

/// Events whose matchers were compared as text before matchers were one rule.
const EXACT: &[&str] = &["Notification", "PreCompact", "PostCompact", "StopFailure"];

static V0_24: Behaviour = Behaviour {
    range: VersionRange {
        from: "0.24.4",
        to: "0.24.4",
        basis: "measured on 0.24.4",
        measured: Some(("0.24.4", "2026-11-20")),
    },
    events: None,
    types: &["command", "http", "prompt"],
    asynchronous: true,
    timeout: TimeoutUnit::SecondsOrLegacy,
    matcher: MatcherRule::NamesThenPattern,
    exit_2: Exit2::Json,
    other_exit: OtherExit::NonBlocking,
    broken_json: BrokenJson::Error,
    non_object: NonObject::Text,
    text_is_context: &["SessionStart", "UserPromptSubmit", "UserPromptExpansion"],
    signal: SignalRule::Error,
    layers: LayerRule::All,
    enabling: Enabling::Always,
    stop_always_active: false,
    stop_cap: true,
    new_fields: true,
    textual_project_dir: false,
    own_environment: true,
    ask_is_dialog: true,
};

static V0_15: Behaviour = Behaviour {
    range: VersionRange {
        from: "0.15.6",
        to: "0.15.6",
        basis: "measured on 0.15.6",
        measured: Some(("0.15.6", "2026-11-20")),
    },
    events: Some(FOURTEEN),
    types: &["command", "http"],
    asynchronous: true,
    timeout: TimeoutUnit::Milliseconds,
    matcher: MatcherRule::Pattern { exact: EXACT },
    exit_2: Exit2::Json,
    other_exit: OtherExit::Deny,
    broken_json: BrokenJson::Text,
    non_object: NonObject::ListOrNothing,
    text_is_context: &[],
    signal: SignalRule::Error,
    layers: LayerRule::UserAndProject,
    enabling: Enabling::Always,
    stop_always_active: true,
    stop_cap: false,
    new_fields: false,
    textual_project_dir: true,
    own_environment: false,
    ask_is_dialog: false,
};

static V0_14: Behaviour = Behaviour {
    range: VersionRange { from: "0.14.0", to: "0.14.0", basis: "documented for 0.14.0-preview.2", measured: None },
    events: Some(TWELVE),
    types: &["command"],
    asynchronous: false,
    timeout: TimeoutUnit::Milliseconds,
    matcher: MatcherRule::Pattern { exact: EXACT },
    exit_2: Exit2::Text,
    other_exit: OtherExit::Deny,
    broken_json: BrokenJson::Text,
    non_object: NonObject::ListOrNothing,
    text_is_context: &[],
    signal: SignalRule::Zero,
    layers: LayerRule::Merged,
    enabling: Enabling::Flag,
    stop_always_active: true,
    stop_cap: false,
    new_fields: false,
    textual_project_dir: true,
    own_environment: false,
    ask_is_dialog: false,
};

static ALL: [&Behaviour; 3] = [&V0_24, &V0_15, &V0_14];

/// The ranges whose behaviour is known, newest first.
pub static RANGES: [VersionRange; 3] = [V0_24.range, V0_15.range, V0_14.range];

/// The row of a version: the newest that is not newer than it, else the oldest.
pub fn of(version: &Version) -> &'static Behaviour {
    ALL.into_iter().find(|row| Version::parse(row.range.from).is_some_and(|from| *version >= from)).unwrap_or(&V0_14)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_older_row_counts() {
        for (version, want) in [
            ("0.24.4", &V0_24),
            ("0.30.0", &V0_24),
            ("0.24.3", &V0_15),
            ("0.15.6", &V0_15),
            ("0.14.0-preview.2", &V0_14),
            ("0.15.0", &V0_14),
            ("0.1.0", &V0_14),
        ] {
            assert_eq!(of(&Version::parse(version).unwrap()), want, "{version}");
        }
    }
}
