//! Names by which things refer to one another: rules, rungs, definitions, runs and their streams.
//!
//! They lie below everything that has such a name, so that a trace can cite a run, and a definition a rung, without the
//! folders depending on each other in a circle. Everybody else uses them under their home folder: `run::RunId`,
//! `plan::RungName`.

use serde::Serialize;

/// Names a rule of an agent's behaviour, such as `decide.any-deny`.
pub type RuleId = &'static str;

/// Unique within one load, and the same as long as the configuration is unchanged (`h1`, `h2`, …).
pub type DefinitionId = String;

/// Which run of a firing. Counted from 0 in the order of starting; a definition that runs twice has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// The streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Stdin,
    Stdout,
    Stderr,
}

/// The ten rungs between a line in a file and a running process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RungName {
    FileFound,
    Parsed,
    LayerActive,
    EventKnown,
    Surface,
    Trusted,
    Matcher,
    Condition,
    Command,
    Started,
}

impl RungName {
    /// All ten, from the first.
    pub const ALL: [RungName; 10] = [
        RungName::FileFound,
        RungName::Parsed,
        RungName::LayerActive,
        RungName::EventKnown,
        RungName::Surface,
        RungName::Trusted,
        RungName::Matcher,
        RungName::Condition,
        RungName::Command,
        RungName::Started,
    ];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            RungName::FileFound => "file found",
            RungName::Parsed => "parsed",
            RungName::LayerActive => "layer active",
            RungName::EventKnown => "event known",
            RungName::Surface => "surface fires it",
            RungName::Trusted => "trusted",
            RungName::Matcher => "matcher",
            RungName::Condition => "if",
            RungName::Command => "command",
            RungName::Started => "started",
        }
    }
}
