//! Which events are fired again, against what, whether hooks really run, what is asked before, and what came of it.

use std::path::PathBuf;

use crate::ConsentItem;
use crate::replay::{Baseline, ReplayOptions, Replayed, Summary};
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Version};

/// Which events are fired again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replays {
    One(i64),
    Marked,
    /// All that pass a filter, as it is written.
    Passing(String),
    These(Vec<i64>),
}

/// What they are fired at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Against {
    /// What is configured now, as the agent that was recorded.
    #[default]
    Now,
    /// Another agent.
    Agent(&'static str),
    /// Another version of the agent.
    Version(Version),
    /// Another directory.
    Dir(PathBuf),
    /// What is configured now, held against what a commit has.
    Commit(String),
}

/// Events to be fired again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayOrder {
    pub which: Replays,
    pub against: Against,
    /// Hooks really run; else what was recorded answers for them.
    pub run: bool,
    /// Those that run are kept apart.
    pub contain: bool,
}

/// A definition that was shown, by the key of its consent, and what it is.
pub type Agreed = (String, String);

/// What would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Of the events that were found: what is agreed to is about these.
    pub order: ReplayOrder,
    /// The commands, each with how many of the events it is for.
    pub items: Vec<ConsentItem>,
    pub events: usize,
}

/// What came of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct OfEvent {
    /// Its number.
    pub seq: i64,
    /// The number of the new row, where it really ran.
    pub row: Option<i64>,
    pub replayed: Replayed,
    /// What hooks printed then and now, where that is not the same.
    pub printed: Vec<Printed>,
}

/// What a hook printed then and now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    pub hook: String,
    /// `stdout`, `stderr`.
    pub stream: &'static str,
    pub before: String,
    pub now: String,
}

/// What came of all.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayResult {
    pub order: ReplayOrder,
    pub all: Vec<OfEvent>,
    pub summary: Summary,
    /// So many were meant, when it was broken off before the last.
    pub broken_off: Option<usize>,
    /// Why new rows could not be kept.
    pub trouble: Option<String>,
}

impl Against {
    /// What it is in a few words.
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
    /// Planned against what is configured now.
    pub fn dry(which: Replays) -> ReplayOrder {
        ReplayOrder { which, against: Against::Now, run: false, contain: false }
    }

    /// In a few words: which events.
    pub fn of(&self) -> String {
        match &self.which {
            Replays::One(seq) => format!("#{seq}"),
            Replays::Marked => "what is marked".to_owned(),
            Replays::Passing(filter) if filter.is_empty() => "every event".to_owned(),
            Replays::Passing(filter) => filter.clone(),
            Replays::These(all) => format!("{} events", all.len()),
        }
    }

    /// For the replayer.
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
            // Else what was recorded, and where nothing was the last commit.
            baseline: match &self.against {
                Against::Commit(rev) => Some(Baseline::Git(rev.clone())),
                _ => None,
            },
            // The hooks of a commit are never run here: what was recorded answers for them.
            run: false,
            contain: self.contain,
            headless: false,
            timeout_scale: 1.0,
        }
    }

    /// The words of the command line that does the same, after the program.
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
    /// Those at some places of the list, to be fired again in the same way.
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
