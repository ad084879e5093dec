//! Versions of an agent's program, and what the answer for one of them rests on.

use std::cmp::Ordering;
use std::fmt;

use super::Dialect;

/// A program version, compared number by number. Suffixes (`-preview.2`) are kept for showing and not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    parts: [u32; 3],
    /// As it is written, where that is not the three numbers: rules make versions for every event that is planned.
    written: Option<String>,
}

impl Version {
    /// Reads `1.2.3`, `1.2` or `v1.2.3-x`; none when it starts otherwise.
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

    /// Whether `other` is the very next patch of the same minor version.
    pub fn precedes(&self, other: &Version) -> bool {
        let [major, minor, patch] = self.parts;
        other.parts == [major, minor, patch + 1]
    }

    /// `major.minor.patch`, for tables of behaviour.
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

/// Versions for which the behaviour is known, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionRange {
    pub from: &'static str,
    pub to: &'static str,
    /// How it is known: `measured on 2.1.329`, `documented`, an issue.
    pub basis: &'static str,
    /// The version whose measurement the range rests on, and the day of that measurement; `None` if no version was run.
    pub measured: Option<(&'static str, &'static str)>,
}

impl VersionRange {
    /// Whether a version lies in the range.
    pub fn contains(&self, version: &Version) -> bool {
        let at = |text| Version::parse(text);
        at(self.from).is_some_and(|from| *version >= from) && at(self.to).is_some_and(|to| *version <= to)
    }

    /// The version of the range that is nearest to `version`.
    fn nearest(&self, version: &Version) -> Option<Version> {
        let (from, to) = (Version::parse(self.from)?, Version::parse(self.to)?);
        Some(if *version < from {
            from
        } else if *version > to {
            to
        } else {
            version.clone()
        })
    }
}

/// How the behaviour of a version is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasisKind {
    /// It was measured, or it lies between measured versions and no change is known.
    Measured,
    /// The installed program was asked, probe by probe.
    Calibrated,
    /// Nobody measured it: it is assumed to behave as another version.
    Assumed,
}

impl BasisKind {
    /// As documents say it.
    pub fn word(self) -> &'static str {
        match self {
            BasisKind::Measured => "measured",
            BasisKind::Calibrated => "calibrated",
            BasisKind::Assumed => "assumed",
        }
    }
}

/// The version that an answer is for, and what the answer rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// The version that is meant: the one that was asked for, else the installed one.
    pub of: Version,
    pub kind: BasisKind,
    /// The version whose measured behaviour is used.
    pub version: Version,
    /// The day of the measurement.
    pub at: Option<&'static str>,
    /// How many probes agreed, where the installed program was asked.
    pub probes: Option<u32>,
}

impl Basis {
    /// The basis of a version, and the version whose rules it follows: its own where they are known, else those of the
    /// newest known version that is not newer, else of the oldest.
    pub fn of(dialect: &dyn Dialect, of: Version) -> (Version, Basis) {
        let ranges = dialect.versions();
        let not_newer = |range: &&VersionRange| Version::parse(range.from).is_some_and(|from| from <= of);
        let range = ranges.iter().find(not_newer).or(ranges.last());
        let acts_as = range.and_then(|range| range.nearest(&of)).unwrap_or_else(|| of.clone());
        let known = range.is_some_and(|range| range.contains(&of));
        let measured = range.and_then(|range| range.measured);
        let version = measured.filter(|_| known).and_then(|(version, _)| Version::parse(version));
        let basis = Basis {
            kind: if known { BasisKind::Measured } else { BasisKind::Assumed },
            version: version.unwrap_or_else(|| acts_as.clone()),
            at: measured.map(|(_, at)| at),
            probes: None,
            of,
        };
        (acts_as, basis)
    }

    /// Whether nobody measured this version.
    pub fn assumed(&self) -> bool {
        self.kind == BasisKind::Assumed
    }

    /// `2.1.331 ≈ 2.1.330`, or the version alone where it was measured.
    pub fn words(&self) -> String {
        if self.assumed() { format!("{} ≈ {}", self.of, self.version) } else { self.of.to_string() }
    }

    /// One sentence about an assumed version.
    pub fn sentence(&self, agent: &str) -> Option<String> {
        let Basis { of, version, .. } = self;
        self.assumed().then(|| format!("{agent} {of} was not measured; hookbench assumes that it behaves as {version}"))
    }
}

/// The version that is meant when none is named: the newest whose behaviour is known.
pub fn default_version(dialect: &dyn Dialect) -> Version {
    dialect.versions().first().and_then(|range| Version::parse(range.to)).unwrap_or_else(|| Version::new(0, 0, 0))
}
