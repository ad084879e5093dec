//! A version of a program, and ranges of versions.

use std::cmp::Ordering;
use std::fmt;

/// A program version, compared number by number. A suffix (`-preview.2`) is displayed but not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    parts: [u32; 3],
    /// The text, if it differs from the three numbers. It is optional because planning builds versions for every
    /// event.
    written: Option<String>,
}

impl Version {
    /// Parses `1.2.3`, `1.2` or `v1.2.3-x`. `None` if the text does not begin with a version.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim().trim_start_matches('v');
        let numbers = text.split(['-', '+', ' ']).next()?;
        let mut parts = [0; 3];
        for (index, part) in numbers.split('.').enumerate() {
            *parts.get_mut(index)? = part.parse().ok()?;
        }
        let plain = Version { parts, written: None };
        let written = (text != plain.to_string()).then(|| text.to_owned());
        Some(Version { written, ..plain })
    }

    /// Whether `other` is the next patch of the same minor version.
    pub fn precedes(&self, other: &Version) -> bool {
        let [major, minor, patch] = self.parts;
        other.parts == [major, minor, patch + 1]
    }

    /// A version from its numbers, for tables of behaviour.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Version {
        Version { parts: [major, minor, patch], written: None }
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.parts.cmp(&other.parts))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.parts;
        match &self.written {
            Some(written) => f.write_str(written),
            None => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

/// A range of versions with known behaviour, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionRange {
    pub from: &'static str,
    pub to: &'static str,
    /// The source: `measured on 2.1.329`, `documented`, an issue.
    pub basis: &'static str,
    /// The version that was measured for the range, and the day of the measurement. `None` if no version was run.
    pub measured: Option<(&'static str, &'static str)>,
}

impl VersionRange {
    /// Whether the range contains a version.
    pub fn contains(&self, version: &Version) -> bool {
        let at = |text| Version::parse(text);
        at(self.from).is_some_and(|from| *version >= from) && at(self.to).is_some_and(|to| *version <= to)
    }

    /// The version that newer ones resemble: the measured one if it is in the range, otherwise the last. Versions after the
    /// measured one were only calibrated.
    pub fn newest(&self) -> Option<Version> {
        let measured = self.measured.and_then(|(version, _)| Version::parse(version));
        measured.filter(|version| self.contains(version)).or_else(|| Version::parse(self.to))
    }

    /// The version in the range that is nearest to `version`.
    pub fn nearest(&self, version: &Version) -> Option<Version> {
        let (from, to) = (Version::parse(self.from)?, Version::parse(self.to)?);
        Some(if *version < from {
            from
        } else if *version > to {
            self.newest()?
        } else {
            version.clone()
        })
    }
}
