//! Versions of an agent's program, and the evidence for the behaviour of each.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Agent;
use super::version::{Version, VersionRange};
use crate::names::RuleId;

/// The kind of evidence for the behaviour of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasisKind {
    /// The version was measured, or is between measured versions with no known change.
    Measured,
    /// The installed program was tested with probes.
    Calibrated,
    /// The version was not measured; it is assumed to behave like another version.
    Assumed,
    /// The agent was specified and never released, so nothing can be measured.
    Specified,
}

/// The label of every version on a system where no agent was measured.
const NOT_MEASURED_HERE: Option<&str> = if cfg!(windows) { Some("not measured on Windows") } else { None };

/// The label of agents that were specified but never released.
pub const NEVER_RELEASED: &str = "specified, never released";

impl BasisKind {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            BasisKind::Measured => "measured",
            BasisKind::Calibrated => "calibrated",
            BasisKind::Assumed | BasisKind::Specified => "assumed",
        }
    }
}

/// The version of an answer, and the evidence for its behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionBasis {
    /// The requested version; if none was requested, the installed one.
    pub requested: Version,
    pub kind: BasisKind,
    /// The version whose measured behaviour is used.
    pub version: Version,
    /// The day of the measurement.
    pub measured_on: Option<&'static str>,
    /// The test of the installed program, if it was tested.
    pub calibration: Option<Arc<Calibration>>,
}

/// The result of testing an installed program with probes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The version of the program.
    pub version: String,
    /// The day of the test: `2026-11-24`.
    pub on: String,
    /// The number of probes that ran.
    pub probes: u32,
    /// The number of probes that agreed.
    pub agreed: u32,
    /// The rules that the program does not follow, each with a probe that showed it.
    pub broken_rules: Vec<BrokenRule>,
    /// The number of events, tools, keys, variables and limits of the program that hookbench does not know.
    #[serde(default)]
    pub news: u32,
}

impl Calibration {
    /// The version with its mark: `2.1.332 ✓`, or `2.1.332, 3 new` for a program with parts that hookbench does not know.
    pub fn mark(&self, version: &Version) -> String {
        match self.news {
            0 => format!("{version} ✓"),
            news => format!("{version}, {news} new"),
        }
    }
}

/// A rule that an installed program does not follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    pub rule: String,
    pub probe: String,
}

impl VersionBasis {
    /// Returns the version whose rules `of` follows, and the basis: `of` itself if it is known; otherwise the
    /// newest known version that is not newer, or the oldest.
    pub fn of(dialect: &Agent, of: Version) -> (Version, VersionBasis) {
        let ranges = dialect.versions();
        let not_newer = |range: &&VersionRange| Version::parse(range.from).is_some_and(|from| from <= of);
        let range = ranges.iter().find(not_newer).or(ranges.last());
        let acts_as = range.and_then(|range| range.nearest(&of)).unwrap_or_else(|| of.clone());
        let known = range.is_some_and(|range| range.contains(&of));
        let measured = range.and_then(|range| range.measured);
        let version = measured.filter(|_| known).and_then(|(version, _)| Version::parse(version));
        let basis = VersionBasis {
            kind: match known {
                _ if !dialect.is_released() => BasisKind::Specified,
                true if NOT_MEASURED_HERE.is_none() => BasisKind::Measured,
                true => BasisKind::Assumed,
                false => BasisKind::Assumed,
            },
            version: version.unwrap_or_else(|| acts_as.clone()),
            measured_on: measured.map(|(_, at)| at),
            calibration: None,
            requested: of,
        };
        (acts_as, basis)
    }

    /// The basis after a test of the installed program. A test of another version changes nothing.
    #[must_use]
    pub fn with_calibration(self, calibration: Option<&Arc<Calibration>>) -> VersionBasis {
        let of_this = |found: &&Arc<Calibration>| found.version == self.requested.to_string();
        match calibration.filter(of_this) {
            Some(found) => VersionBasis { kind: BasisKind::Calibrated, calibration: Some(Arc::clone(found)), ..self },
            None => self,
        }
    }

    /// The day of the measurement or of the test.
    pub fn established_on(&self) -> Option<&str> {
        self.calibration.as_ref().map(|found| found.on.as_str()).or(self.measured_on)
    }

    /// The first of these rules that the installed program does not follow.
    pub fn broken_rule(&self, rules: impl IntoIterator<Item = RuleId>) -> Option<&BrokenRule> {
        let broken = &self.calibration.as_ref()?.broken_rules;
        rules.into_iter().find_map(|rule| broken.iter().find(|broken| broken.rule == rule.as_str()))
    }

    /// Whether the version was not measured.
    pub fn is_assumed(&self) -> bool {
        matches!(self.kind, BasisKind::Assumed | BasisKind::Specified)
    }

    /// The version with the mark of its calibration.
    pub fn calibrated_words(&self) -> String {
        let mark = |found: &Arc<Calibration>| found.mark(&self.requested);
        self.calibration.as_ref().map_or_else(|| self.requested.to_string(), mark)
    }

    /// `2.1.332 ≈ 2.1.330` for an assumed version, `2.1.332 ✓` for a tested program, otherwise the version alone.
    pub fn words(&self) -> String {
        match self.kind {
            BasisKind::Assumed => match NOT_MEASURED_HERE {
                Some(why) if self.requested == self.version => format!("{}, {why}", self.requested),
                Some(why) => format!("{} ≈ {}, {why}", self.requested, self.version),
                None => format!("{} ≈ {}", self.requested, self.version),
            },
            BasisKind::Calibrated => self.calibrated_words(),
            BasisKind::Measured => self.requested.to_string(),
            BasisKind::Specified => format!("{}, {NEVER_RELEASED}", self.requested),
        }
    }

    /// One sentence about an assumed version. `None` if it was measured.
    pub fn sentence(&self, agent: &str) -> Option<String> {
        let VersionBasis { requested: of, version, .. } = self;
        match self.kind {
            BasisKind::Measured | BasisKind::Calibrated => None,
            BasisKind::Assumed if NOT_MEASURED_HERE.is_some() => Some(format!(
                "{agent} was not measured on Windows; hookbench assumes that it behaves there as {version} does elsewhere"
            )),
            BasisKind::Assumed => {
                Some(format!("{agent} {of} was not tested; hookbench assumes that it behaves like {version}"))
            }
            BasisKind::Specified => Some(format!("{agent} is {NEVER_RELEASED}: no agent runs these hooks like this")),
        }
    }
}

/// The default version: the newest with known behaviour.
pub fn default_version(dialect: &Agent) -> Version {
    dialect.versions().first().and_then(VersionRange::newest).unwrap_or_else(|| Version::new(0, 0, 0))
}
