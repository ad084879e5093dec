//! The parameters of a replay, its question to the user, and its result.

use std::path::PathBuf;

use serde::Serialize;

use crate::environment::hook_environment::ChosenEnvironment;
use crate::environment::place::other_home;
use crate::firing::approval::ConsentItem;
use crate::recordings::replay::{ReplayBaseline, ReplayOptions, ReplaySummary, ReplayedEvent};
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Version};
use hookbench_core::names::AgentId;

/// The events to replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplaySelection {
    One(i64),
    /// All events that match a filter, given as text.
    Matching(String),
    These(Vec<i64>),
}

/// The configuration under which they are replayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReplayTarget {
    /// The current one, with the recorded agent.
    #[default]
    Current,
    /// Another agent.
    Agent(AgentId),
    /// Another version of the agent.
    Version(Version),
    /// Another directory.
    Dir(PathBuf),
    /// The current one, compared with that of a commit.
    Commit(String),
}

/// The parameters of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayOrder {
    pub selection: ReplaySelection,
    pub target: ReplayTarget,
    /// Whether hooks really run. If not, recorded runs provide their results.
    pub run: bool,
    /// Whether hooks run isolated, in a copy of the project.
    pub contain: bool,
}

/// An approved definition: the key of its consent, and its description.
pub type ApprovedCommand = (String, String);

/// A question to the user: the commands that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayQuestion {
    /// With the numbers of the events that were found, so that the approval applies to exactly these.
    pub order: ReplayOrder,
    /// The commands, each with the number of events that need it.
    pub items: Vec<ConsentItem>,
    pub events: usize,
}

/// The result of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventReplay {
    /// The event's number.
    pub seq: i64,
    /// The number of the new row, if it was really run.
    pub row: Option<i64>,
    pub replayed: ReplayedEvent,
    /// The hooks' outputs that differ.
    pub output_changes: Vec<OutputChange>,
}

/// The output of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OutputChangeDoc"))]
pub struct OutputChange {
    pub hook: String,
    /// `stdout` or `stderr`.
    pub stream: &'static str,
    pub before: String,
    pub after: String,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayResult {
    pub order: ReplayOrder,
    pub events: Vec<EventReplay>,
    pub summary: ReplaySummary,
    /// The number of selected events, if the replay was stopped early.
    pub stopped_of: Option<usize>,
    /// The reason why new rows could not be stored.
    pub trouble: Option<String>,
}

impl ReplayTarget {
    /// A short description.
    pub fn describe(&self) -> String {
        match self {
            ReplayTarget::Current => "the current configuration".to_owned(),
            ReplayTarget::Agent(id) => {
                dialects::by_id(id.as_str()).map_or(id.as_str(), |dialect| dialect.name()).to_owned()
            }
            ReplayTarget::Version(version) => format!("version {version}"),
            ReplayTarget::Dir(dir) => dir.display().to_string(),
            ReplayTarget::Commit(rev) => format!("git:{rev}"),
        }
    }
}

impl ReplayOrder {
    /// A replay that only plans, under the current configuration.
    pub fn planned(which: ReplaySelection) -> ReplayOrder {
        ReplayOrder { selection: which, target: ReplayTarget::Current, run: false, contain: false }
    }

    /// A short description of the selected events.
    pub fn describe_selection(&self) -> String {
        match &self.selection {
            ReplaySelection::One(seq) => format!("#{seq}"),
            ReplaySelection::Matching(_) => "the listed events".to_owned(),
            ReplaySelection::These(all) => format!("{} events", all.len()),
        }
    }

    /// The options for the replayer.
    pub(crate) fn options(&self, place: &Place) -> ReplayOptions {
        let of = |against: &ReplayTarget| match against {
            ReplayTarget::Agent(id) => dialects::by_id(id.as_str()),
            _ => None,
        };
        ReplayOptions {
            project: PathBuf::from(&place.project),
            against: if let ReplayTarget::Dir(dir) = &self.target { Some(dir.clone()) } else { None },
            home: other_home(place),
            as_trusted: place.assumes_trust,
            agent: of(&self.target),
            version: if let ReplayTarget::Version(version) = &self.target { Some(version.clone()) } else { None },
            // The default is the recording, or the last commit if the recording has no complete result.
            baseline: match &self.target {
                ReplayTarget::Commit(rev) => Some(ReplayBaseline::Git(rev.clone())),
                _ => None,
            },
            // The hooks of a commit are never run here; recorded runs provide their results.
            run: false,
            contain: self.contain,
            headless: false,
            timeout_scale: 1.0,
            environment: ChosenEnvironment::of(place),
            arguments: place.arguments.clone(),
        }
    }

    /// The arguments of the equivalent command line, after the program.
    pub fn command_line(&self) -> Vec<String> {
        let mut words = vec!["replay".to_owned()];
        let filter = |text: &str| ["--filter".to_owned(), text.to_owned()];
        match &self.selection {
            ReplaySelection::One(seq) => words.push(seq.to_string()),
            ReplaySelection::Matching(text) if text.is_empty() => words.extend(filter("~a *")),
            ReplaySelection::Matching(text) => words.extend(filter(text)),
            ReplaySelection::These(all) => words.extend(all.iter().map(ToString::to_string)),
        }
        let option = match &self.target {
            ReplayTarget::Current => None,
            ReplayTarget::Agent(id) => Some(("--agent", id.to_string())),
            ReplayTarget::Version(version) => Some(("--agent-version", version.to_string())),
            ReplayTarget::Dir(dir) => Some(("--against", dir.display().to_string())),
            ReplayTarget::Commit(rev) => Some(("--baseline", format!("git:{rev}"))),
        };
        words.extend(option.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]));
        words.extend(self.run.then(|| "--run".to_owned()));
        words.extend((self.run && self.contain).then(|| "--contain".to_owned()));
        words
    }
}

impl ReplayResult {
    /// A replay of the events at these indexes, with the same parameters.
    pub fn again(&self, places: impl Iterator<Item = usize>) -> ReplayOrder {
        let mut seqs: Vec<i64> = places.filter_map(|place| Some(self.events.get(place)?.seq)).collect();
        let which = match (seqs.pop(), seqs.is_empty()) {
            (Some(seq), true) => ReplaySelection::One(seq),
            (last, _) => {
                seqs.extend(last);
                ReplaySelection::These(seqs)
            }
        };
        ReplayOrder { selection: which, ..self.order.clone() }
    }
}
