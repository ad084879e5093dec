//! What a face may want of recorded events, what is asked of the store for it, and what the store answers.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::OwnSession;
use crate::app::matching::Kinds;
use crate::app::recordings::{Indexed, Row, SessionRow};
use crate::app::replay::{Replayed, Summary};
use crate::core::filter::Filter;
use crate::core::recorded::RecordedEvent;
use crate::store::Place;

/// What a face may want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShelfCommand {
    /// See what there is now.
    Look,
    /// Only events that pass; a filter that cannot be read is not taken.
    Filter(String),
    /// Only those of one session, or of all again.
    Narrow(Option<String>),
    /// So many rows down.
    Step(isize),
    /// To the row with this number, of those that are held.
    Select(usize),
    Oldest,
    Newest,
    /// The newest stays in view, or no longer.
    Follow,
    /// Mark the selected event, or take its mark off.
    Mark,
    /// Say something about an event; nothing takes back what was said.
    Comment {
        seq: i64,
        text: String,
    },
    /// The agents' own sessions of this project.
    Own,
    /// The sessions of the events that pass.
    Sessions,
    /// Take in a session file.
    Import(PathBuf),
    /// Fire the selected event again, or all that are marked: planned, with what was recorded in place of runs.
    Replay {
        marked: bool,
    },
    /// End the import or replay that goes on.
    Stop,
    /// Put the selected event on the bench.
    ToBench,
    /// How many events there are of each subject.
    Kinds,
}

/// Where a page of the list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Oldest,
    Newest,
    /// Those that stand before this one.
    Before(Place),
    /// Those that stand after it.
    After(Place),
    /// Those after it, in the place of what was held before.
    Again(Place),
}

/// What is asked of whoever holds the store.
#[derive(Debug, Clone, PartialEq)]
pub enum ShelfAsk {
    /// A page. `number` grows; a question with a lower one is no longer waited for when `anew` asks.
    Page {
        number: u64,
        filter: Filter,
        edge: Edge,
        limit: usize,
    },
    /// How many pass, and how many there are.
    Count {
        number: u64,
        filter: Filter,
    },
    Whole {
        number: u64,
        seq: i64,
    },
    Mark {
        seq: i64,
        marked: bool,
    },
    Comment {
        seq: i64,
        text: Option<String>,
    },
    Sessions {
        filter: Filter,
    },
    Own,
    Kinds,
    Import(PathBuf),
    Replay(Replays),
    Stop,
}

/// Which events are fired again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replays {
    One(i64),
    Marked,
}

/// What goes on, and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// `importing`, `replaying`.
    pub what: &'static str,
    /// Of what.
    pub of: String,
    /// In percent, where it is known.
    pub percent: Option<u64>,
    pub events: u64,
}

/// What the store answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ShelfNews {
    /// There is none, or it cannot be used.
    Fault {
        missing: bool,
        says: String,
        cure: Option<&'static str>,
    },
    Page {
        number: u64,
        edge: Edge,
        rows: Vec<Row>,
        limit: usize,
    },
    Count {
        number: u64,
        passing: u64,
        all: u64,
        indexed: Indexed,
    },
    Whole {
        number: u64,
        seq: i64,
        event: Option<Arc<RecordedEvent>>,
    },
    /// Mark and comment as they are now.
    Noted {
        seq: i64,
        marked: Option<bool>,
        comment: Option<Option<String>>,
    },
    Indexed(Indexed),
    Sessions(Vec<SessionRow>),
    Own(Vec<OwnSession>),
    Kinds(Arc<Kinds>),
    Working(Working),
    /// It is over: in words, and whether there may be other events now.
    Over {
        says: String,
        changed: bool,
    },
    Replayed {
        all: Vec<Replayed>,
        summary: Summary,
        stopped: bool,
    },
    /// One thing could not be done.
    Trouble(String),
}
