//! The differences between versions of Claude Code, as data. All other behaviour is that of 2.1.332, 2.1.330 and 2.1.329,
//! which were measured.

use hookbench_base::dialects::{Version, VersionRange};

/// Version ranges, newest first. The basis of each older range names the changelog entry that separates it from
/// the next one.
pub const VERSIONS: &[VersionRange] = &[
    VersionRange { measured: Some(("2.1.332", "2026-11-28")), ..since("2.1.332", "2.1.332", "tested on 2.1.332") },
    VersionRange {
        measured: Some(("2.1.330", "2026-11-22")),
        ..since("2.1.330", "2.1.331", "tested on 2.1.330; before PreSkillShellCommand, which 2.1.332 has")
    },
    since("2.1.329", "2.1.329", "tested on 2.1.329"),
    since("2.1.295", "2.1.328", "like 2.1.329, unless a changelog entry differs"),
    since("2.1.241", "2.1.294", "changelog 2.1.295: before `onFailure`"),
    since("2.1.218", "2.1.240", "reference of 2.1.240: before PreModelSwitch and PostModelSwitch"),
    since("2.1.214", "2.1.217", "changelog 2.1.218: the hooks of a project's agent need no trust yet"),
    since(
        "2.1.195",
        "2.1.213",
        "changelog 2.1.214: exit 2 with a refused JSON answer does not block yet, no session is a fork",
    ),
    since("2.1.191", "2.1.194", "changelog 2.1.195: a hyphen makes a matcher a pattern"),
    since("2.1.143", "2.1.190", "changelog 2.1.191: a comma makes a matcher a pattern"),
    since("2.1.122", "2.1.142", "changelog 2.1.143: blocked stops have no limit"),
    since("2.1.101", "2.1.121", "changelog 2.1.122: one bad entry costs its whole file"),
];

/// A range that is based on the first measurement.
const fn since(from: &'static str, to: &'static str, basis: &'static str) -> VersionRange {
    VersionRange { from, to, basis, measured: Some(("2.1.329", "2026-11-20")) }
}

/// The behaviour that depends on the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one entry of the changelog")]
pub struct VersionBehaviour {
    /// A bad entry invalidates only itself, except under two events (2.1.122).
    pub keeps_other_entries: bool,
    /// Blocked stops are counted, and overridden above a cap (2.1.143).
    pub caps_blocked_stops: bool,
    /// `Edit,Write` is a list of names (2.1.191).
    pub comma_lists: bool,
    /// `code-reviewer` is a name, not a pattern (2.1.195).
    pub hyphen_names: bool,
    /// Exit 2 blocks even if the JSON on stdout is rejected (2.1.214).
    pub exit_2_beats_refused: bool,
    /// A session may start as a fork of another one (2.1.214).
    pub has_forks: bool,
    /// The hooks of a project's agent run only if the directory is trusted (2.1.218).
    pub agents_need_trust: bool,
    /// PreModelSwitch and PostModelSwitch exist: the reference of 2.1.240 lacks them, that of 2.1.302 has them.
    pub has_model_switch: bool,
    /// The `onFailure` key exists (2.1.295).
    pub has_on_failure: bool,
    /// PreSkillShellCommand exists, hooks for Bash see calls of Monitor, and long refusals are cut: measured on 2.1.332.
    pub has_skill_commands: bool,
}

impl VersionBehaviour {
    /// Returns the behaviour of a version.
    pub fn for_version(version: &Version) -> VersionBehaviour {
        let since = |patch| *version >= Version::new(2, 1, patch);
        VersionBehaviour {
            keeps_other_entries: since(122),
            caps_blocked_stops: since(143),
            comma_lists: since(191),
            hyphen_names: since(195),
            exit_2_beats_refused: since(214),
            has_forks: since(214),
            agents_need_trust: since(218),
            has_model_switch: since(241),
            has_on_failure: since(295),
            has_skill_commands: since(332),
        }
    }
}

/// The behaviour of the newest version, for tests.
#[cfg(test)]
pub const NEWEST: VersionBehaviour = VersionBehaviour {
    keeps_other_entries: true,
    caps_blocked_stops: true,
    comma_lists: true,
    hyphen_names: true,
    exit_2_beats_refused: true,
    has_forks: true,
    agents_need_trust: true,
    has_model_switch: true,
    has_on_failure: true,
    has_skill_commands: true,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_changelog() {
        let mut older = NEWEST;
        // From the newest version down: each entry removes one behaviour, which the version before it did not
        // have.
        for (since, take) in [
            (332, (|r| r.has_skill_commands = false) as fn(&mut VersionBehaviour)),
            (295, |r| r.has_on_failure = false),
            (241, |r| r.has_model_switch = false),
            (218, |r| r.agents_need_trust = false),
            (214, |r| (r.exit_2_beats_refused, r.has_forks) = (false, false)),
            (195, |r| r.hyphen_names = false),
            (191, |r| r.comma_lists = false),
            (143, |r| r.caps_blocked_stops = false),
            (122, |r| r.keeps_other_entries = false),
        ] {
            assert_eq!(VersionBehaviour::for_version(&Version::new(2, 1, since)), older, "2.1.{since}");
            take(&mut older);
            assert_eq!(VersionBehaviour::for_version(&Version::new(2, 1, since - 1)), older, "before 2.1.{since}");
            // Each change of behaviour begins a new range.
            let begins = |range: &VersionRange| range.from == format!("2.1.{since}");
            assert!(VERSIONS.iter().any(begins), "2.1.{since}");
        }
    }
}
