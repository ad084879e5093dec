//! The differences between versions, as data (spec §17). `Scene::version` selects the row that the rules use.

use hookbench_base::dialects::{Version, VersionRange};

/// The unit of a command hook's `timeout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    Milliseconds,
    /// Seconds below 1000, milliseconds from 1000 on.
    SecondsOrLegacy,
}

/// How a matcher is compared with its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherRule {
    /// An unanchored pattern, without aliases; an invalid one is compared as text. On the events in `exact`, every
    /// matcher is compared as text.
    Pattern { exact: &'static [&'static str] },
    /// Exact names and aliases, lists, then an unanchored pattern; an invalid pattern matches nothing.
    NamesThenPattern,
}

/// How stderr is read on exit status 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit2Rule {
    /// It is always the reason, as text.
    AlwaysText,
    /// A JSON object on stderr is the answer.
    JsonObject,
}

/// The meaning of plain text with an exit status other than 0, 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherExitRule {
    Deny,
    NonBlocking,
}

/// How text that starts like a JSON object but is invalid is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenJsonRule {
    Text,
    Error,
}

/// How JSON that is not an object is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NonObjectRule {
    /// A list is used as the answer; anything else is ignored.
    ListOrNothing,
    Text,
}

/// The exit status that a death by signal counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalRule {
    Zero,
    Error,
}

/// The settings layers that contribute hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerRule {
    /// All settings are merged and count as the project's; extensions are added.
    Merged,
    /// User and project.
    UserAndProject,
    /// System defaults, system, user, project, extensions, session.
    All,
}

/// Whether hooks must be enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnablingRule {
    /// Off unless `hooksConfig.enabled` is true (or `--experimental-hooks` is given).
    RequiresFlag,
    Always,
}

/// One row: the behaviour of a range of versions.
#[derive(Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one line of the specification's table")]
pub struct VersionBehaviour {
    pub range: VersionRange,
    /// The events that exist, or `None` if all known ones do.
    pub events: Option<&'static [&'static str]>,
    pub types: &'static [&'static str],
    pub asynchronous: bool,
    pub timeout: TimeoutUnit,
    pub matcher: MatcherRule,
    pub exit_2: Exit2Rule,
    pub other_exit: OtherExitRule,
    pub broken_json: BrokenJsonRule,
    pub non_object: NonObjectRule,
    /// Events on which plain stdout becomes context.
    pub text_is_context: &'static [&'static str],
    pub signal: SignalRule,
    pub layers: LayerRule,
    pub enabling: EnablingRule,
    /// Whether `stop_hook_active` is true from the first stop on.
    pub stop_always_active: bool,
    /// Whether blocked stops are counted and limited by a cap.
    pub stop_cap: bool,
    /// Whether payloads have the keys of the newest version: `permission_mode` on all events, `prompt_id`,
    /// `tool_call_id`, ….
    pub new_fields: bool,
    /// Whether the project directory is inserted into the command as quoted text.
    pub textual_project_dir: bool,
    /// Whether internal secrets are hidden from hooks and `QWEN_CODE_*` variables are set.
    pub own_environment: bool,
    /// Whether `ask` on PreToolUse opens a dialog when a user is present.
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

/// Events whose matchers were compared as text in older versions.
const EXACT: &[&str] = &["Notification", "PreCompact", "PostCompact", "StopFailure"];

static V0_24: VersionBehaviour = VersionBehaviour {
    range: VersionRange {
        from: "0.24.4",
        to: "0.24.4",
        basis: "tested on 0.24.4",
        measured: Some(("0.24.4", "2026-11-20")),
    },
    events: None,
    types: &["command", "http", "prompt"],
    asynchronous: true,
    timeout: TimeoutUnit::SecondsOrLegacy,
    matcher: MatcherRule::NamesThenPattern,
    exit_2: Exit2Rule::JsonObject,
    other_exit: OtherExitRule::NonBlocking,
    broken_json: BrokenJsonRule::Error,
    non_object: NonObjectRule::Text,
    text_is_context: &["SessionStart", "UserPromptSubmit", "UserPromptExpansion"],
    signal: SignalRule::Error,
    layers: LayerRule::All,
    enabling: EnablingRule::Always,
    stop_always_active: false,
    stop_cap: true,
    new_fields: true,
    textual_project_dir: false,
    own_environment: true,
    ask_is_dialog: true,
};

static V0_15: VersionBehaviour = VersionBehaviour {
    range: VersionRange {
        from: "0.15.6",
        to: "0.15.6",
        basis: "tested on 0.15.6",
        measured: Some(("0.15.6", "2026-11-20")),
    },
    events: Some(FOURTEEN),
    types: &["command", "http"],
    asynchronous: true,
    timeout: TimeoutUnit::Milliseconds,
    matcher: MatcherRule::Pattern { exact: EXACT },
    exit_2: Exit2Rule::JsonObject,
    other_exit: OtherExitRule::Deny,
    broken_json: BrokenJsonRule::Text,
    non_object: NonObjectRule::ListOrNothing,
    text_is_context: &[],
    signal: SignalRule::Error,
    layers: LayerRule::UserAndProject,
    enabling: EnablingRule::Always,
    stop_always_active: true,
    stop_cap: false,
    new_fields: false,
    textual_project_dir: true,
    own_environment: false,
    ask_is_dialog: false,
};

static V0_14: VersionBehaviour = VersionBehaviour {
    range: VersionRange { from: "0.14.0", to: "0.14.0", basis: "documented for 0.14.0-preview.2", measured: None },
    events: Some(TWELVE),
    types: &["command"],
    asynchronous: false,
    exit_2: Exit2Rule::AlwaysText,
    signal: SignalRule::Zero,
    layers: LayerRule::Merged,
    enabling: EnablingRule::RequiresFlag,
    ..V0_15
};

static ALL: [&VersionBehaviour; 3] = [&V0_24, &V0_15, &V0_14];

/// The version ranges whose behaviour is known, newest first.
pub static RANGES: [VersionRange; 3] = [V0_24.range, V0_15.range, V0_14.range];

/// Returns the row of a version: the newest one that is not newer than the version, or the oldest.
pub fn for_version(version: &Version) -> &'static VersionBehaviour {
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
            assert_eq!(for_version(&Version::parse(version).unwrap()), want, "{version}");
        }
    }
}
