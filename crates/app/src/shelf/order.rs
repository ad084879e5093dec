//! The parameters of a replay, its question to the user, and its result.

use std::path::PathBuf;

use crate::ConsentItem;
use crate::replay::{Baseline, ReplayOptions, Replayed, Summary};
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Version};

/// The events to replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replays {
    One(i64),
    Marked,
    /// All events that match a filter, given as text.
    Passing(String),
    These(Vec<i64>),
}

/// The configuration under which they are replayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Against {
    /// The current one, with the recorded agent.
    #[default]
    Now,
    /// Another agent.
    Agent(&'static str),
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
    pub which: Replays,
    pub against: Against,
    /// Whether hooks really run. If not, recorded runs provide their results.
    pub run: bool,
    /// Whether hooks run isolated, in a copy of the project.
    pub contain: bool,
}

/// An approved definition: the key of its consent, and its description.
pub type Agreed = (String, String);

/// A question to the user: the commands that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// With the numbers of the events that were found, so that the approval applies to exactly these.
    pub order: ReplayOrder,
    /// The commands, each with the number of events that need it.
    pub items: Vec<ConsentItem>,
    pub events: usize,
}

/// The result of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct OfEvent {
    /// The event's number.
    pub seq: i64,
    /// The number of the new row, if it was really run.
    pub row: Option<i64>,
    pub replayed: Replayed,
    /// The hooks' outputs that differ.
    pub printed: Vec<Printed>,
}

/// The output of a hook then and now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    pub hook: String,
    /// `stdout` or `stderr`.
    pub stream: &'static str,
    pub before: String,
    pub now: String,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayResult {
    pub order: ReplayOrder,
    pub all: Vec<OfEvent>,
    pub summary: Summary,
    /// The number of selected events, if the replay was stopped early.
    pub broken_off: Option<usize>,
    /// The reason why new rows could not be stored.
    pub trouble: Option<String>,
}

impl Against {
    /// A short description.
    pub fn words(&self) -> String {
        match self {
            Against::Now => "what is configured now".to_owned(),
            Against::Agent(id) => dialects::by_id(id).map_or(*id, |dialect| dialect.name()).to_owned(),
            Against::Version(version) => format!("version {version}"),
            Against::Dir(dir) => dir.display().to_string(),
            Against::Commit(rev) => format!("git:{rev}"),
        }
    }
}

impl ReplayOrder {
    /// A replay that only plans, under the current configuration.
    pub fn dry(which: Replays) -> ReplayOrder {
        ReplayOrder { which, against: Against::Now, run: false, contain: false }
    }

    /// A short description of the selected events.
    pub fn of(&self) -> String {
        match &self.which {
            Replays::One(seq) => format!("#{seq}"),
            Replays::Marked => "what is marked".to_owned(),
            Replays::Passing(filter) if filter.is_empty() => "every event".to_owned(),
            Replays::Passing(filter) => filter.clone(),
            Replays::These(all) => format!("{} events", all.len()),
        }
    }

    /// The options for the replayer.
    pub(super) fn options(&self, place: &Place) -> ReplayOptions {
        let of = |against: &Against| match against {
            Against::Agent(id) => dialects::by_id(id),
            _ => None,
        };
        ReplayOptions {
            project: PathBuf::from(&place.project),
            against: if let Against::Dir(dir) = &self.against { Some(dir.clone()) } else { None },
            home: place.home_given.then(|| PathBuf::from(&place.home)),
            agent: of(&self.against),
            version: if let Against::Version(version) = &self.against { Some(version.clone()) } else { None },
            // The default is the recording, or the last commit if the recording has no complete result.
            baseline: match &self.against {
                Against::Commit(rev) => Some(Baseline::Git(rev.clone())),
                _ => None,
            },
            // The hooks of a commit are never run here; recorded runs provide their results.
            run: false,
            contain: self.contain,
            headless: false,
            timeout_scale: 1.0,
        }
    }

    /// The arguments of the equivalent command line, after the program.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["replay".to_owned()];
        let filter = |text: &str| ["--filter".to_owned(), text.to_owned()];
        match &self.which {
            Replays::One(seq) => words.push(seq.to_string()),
            Replays::Marked => words.extend(filter("~marked")),
            Replays::Passing(text) if text.is_empty() => words.extend(filter("~a *")),
            Replays::Passing(text) => words.extend(filter(text)),
            Replays::These(all) => words.extend(all.iter().map(ToString::to_string)),
        }
        let option = match &self.against {
            Against::Now => None,
            Against::Agent(id) => Some(("--agent", (*id).to_owned())),
            Against::Version(version) => Some(("--agent-version", version.to_string())),
            Against::Dir(dir) => Some(("--against", dir.display().to_string())),
            Against::Commit(rev) => Some(("--baseline", format!("git:{rev}"))),
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
        let mut seqs: Vec<i64> = places.filter_map(|place| Some(self.all.get(place)?.seq)).collect();
        let which = match (seqs.pop(), seqs.is_empty()) {
            (Some(seq), true) => Replays::One(seq),
            (last, _) => {
                seqs.extend(last);
                Replays::These(seqs)
            }
        };
        ReplayOrder { which, ..self.order.clone() }
    }
}
