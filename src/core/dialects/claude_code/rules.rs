//! What changed between versions of Claude Code, as data. Everything else is as measured on 2.1.329.

use crate::core::dialects::{Version, VersionRange};

/// Ranges of versions, newest first. Each older one differs from its neighbour by the entry that its basis names.
pub const VERSIONS: &[VersionRange] = &[
    VersionRange { from: "2.1.329", to: "2.1.329", basis: "measured on 2.1.329" },
    VersionRange { from: "2.1.295", to: "2.1.328", basis: "as 2.1.329 where no changelog entry says otherwise" },
    VersionRange { from: "2.1.214", to: "2.1.294", basis: "changelog 2.1.295: `onFailure` is not known yet" },
    VersionRange {
        from: "2.1.195",
        to: "2.1.213",
        basis: "changelog 2.1.214: exit 2 with a refused JSON answer does not block yet",
    },
    VersionRange { from: "2.1.191", to: "2.1.194", basis: "changelog 2.1.195: a hyphen makes a matcher a pattern" },
    VersionRange { from: "2.1.101", to: "2.1.190", basis: "changelog 2.1.191: a comma makes a matcher a pattern" },
];

/// The rules that depend on the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one entry of the changelog")]
pub struct Rules {
    /// `Edit,Write` is a list of names (2.1.191).
    pub comma_lists: bool,
    /// `code-reviewer` is a name, not a pattern (2.1.195).
    pub hyphen_names: bool,
    /// Exit 2 blocks although the JSON on stdout is refused (2.1.214).
    pub exit_2_beats_refused: bool,
    /// The `onFailure` key exists (2.1.295).
    pub on_failure: bool,
}

impl Rules {
    /// The rules of a version.
    pub fn of(version: &Version) -> Rules {
        let since = |patch| *version >= Version::new(2, 1, patch);
        Rules {
            comma_lists: since(191),
            hyphen_names: since(195),
            exit_2_beats_refused: since(214),
            on_failure: since(295),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_changelog() {
        for (version, want) in [
            ("2.1.329", [true; 4]),
            ("2.1.294", [true, true, true, false]),
            ("2.1.213", [true, true, false, false]),
            ("2.1.194", [true, false, false, false]),
            ("2.1.190", [false; 4]),
        ] {
            let rules = Rules::of(&Version::parse(version).unwrap());
            let got = [rules.comma_lists, rules.hyphen_names, rules.exit_2_beats_refused, rules.on_failure];
            assert_eq!(got, want, "{version}");
        }
    }
}
