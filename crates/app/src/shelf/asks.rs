//! What a face may want of recorded events, what is asked of the store for it, and what the store answers.

use std::path::PathBuf;
use std::sync::Arc;

use super::order::{Agreed, Question, ReplayOrder, ReplayResult};
use crate::matching::Kinds;
use crate::recordings::{Indexed, Row, SessionRow};
use crate::{Consent, OwnSession};
use hookbench_core::filter::Filter;
use hookbench_core::recorded::RecordedEvent;
use hookbench_system::store::Place;

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
    /// How many events there are for the operators of the filter language.
    Counts,
    /// Take in a session file.
    Import(PathBuf),
    /// Fire events again.
    Replay(ReplayOrder),
    /// The same after a question: what was shown may run.
    ReplayAgreed(ReplayOrder, Vec<Agreed>),
    /// To the event with this number, whatever passes the filter.
    GoTo(i64),
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
    /// From this one on, in the place of what was held before.
    From(Place),
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
    Counts,
    Own,
    /// A page from this event on.
    GoTo {
        number: u64,
        seq: i64,
        limit: usize,
    },
    /// Whether another process has written something.
    Changed,
    Kinds,
    Import(PathBuf),
    Replay {
        order: ReplayOrder,
        /// What may run without a question.
        consent: Consent,
        /// What was shown in a question and agreed to.
        agreed: Vec<Agreed>,
        /// There may be questions.
        asks: bool,
    },
    Stop,
}

/// What an operator of the filter language finds: its commonest values with their numbers, or one number without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCount {
    /// As it is written: `~v`.
    pub name: &'static str,
    pub values: Vec<(Option<String>, u64)>,
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
    pub pace: Option<Pace>,
}

/// How fast hooks are run, and what that means for the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Of how many events.
    pub all: u64,
    /// Events in ten seconds.
    pub in_ten: u64,
    /// Seconds that the rest takes at this rate; none: nothing has ended yet.
    pub left: Option<u64>,
    pub contained: bool,
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
    Counts(Vec<OperatorCount>),
    Own(Vec<OwnSession>),
    Kinds(Arc<Kinds>),
    Working(Working),
    /// It is over: in words, and whether there may be other events now.
    Over {
        says: String,
        changed: bool,
    },
    /// What would really run is to be shown to the user first.
    Question(Box<Question>),
    Replayed(Arc<ReplayResult>),
    /// Another process has written something.
    Changed,
    /// One thing could not be done.
    Trouble(String),
}
