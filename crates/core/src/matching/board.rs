//! The match table: agents as columns, names as rows, and the result for a matcher.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::known::{about_tools, example, is_server_tool, known, subject};
use super::near::{Near, near};
use crate::hook::{EventSpec, Subject};
use crate::matcher::MatcherReading;
use crate::port::{Side, same_event};

/// A subject of an agent's recorded events, with their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub agent: String,
    pub event: String,
    pub subject: String,
    pub events: u64,
}

/// The origin of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// A known name of an agent.
    Known,
    /// An example of an MCP tool.
    Example,
    /// A name that only recorded events have.
    Recorded,
    /// A name that the user has typed.
    Typed,
}

impl From {
    /// The word used in documents.
    pub fn word(self) -> &'static str {
        match self {
            From::Known => "known",
            From::Example => "example",
            From::Recorded => "recorded",
            From::Typed => "typed",
        }
    }
}

/// A name with its match subject in each agent. `None` if it does not occur there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    pub name: String,
    pub from: From,
    /// The number of recorded events of the first agent with this name.
    pub seen: u64,
    subjects: Vec<Option<Subject>>,
}

/// An agent without an equivalent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    pub agent: &'static str,
    pub says: String,
}

/// One agent and its event.
#[derive(Clone)]
pub struct Column {
    pub side: Side,
    pub event: &'static EventSpec,
    /// The names known to occur there.
    known: Vec<(String, Subject)>,
}

impl Column {
    fn new(side: Side, event: &'static EventSpec) -> Column {
        let known = known(&side, event);
        let known = known.into_iter().map(|name| (name.clone(), subject(&side, event, &name))).collect();
        Column { side, event, known }
    }

    /// Returns the agent's id.
    pub fn agent(&self) -> &'static str {
        self.side.dialect.id()
    }

    /// Returns the known names with their match subjects.
    pub fn known(&self) -> &[(String, Subject)] {
        &self.known
    }

    /// Whether the event is about a tool.
    pub fn about_tools(&self) -> bool {
        about_tools(self.event)
    }

    /// Returns how the agent interprets a matcher.
    pub fn read(&self, matcher: &str) -> MatcherReading {
        self.side.dialect.read_matcher(self.event, Some(&Json::from(matcher)), &self.side.version)
    }

    /// Whether a matcher matches a subject. `None` if that is unknown.
    pub fn passes(&self, matcher: &Json, subject: &Subject) -> Option<bool> {
        self.side.dialect.matches(self.event, Some(matcher), subject, &self.side.version)
    }

    /// Whether a matcher matches a name. `None` if that is unknown.
    pub fn lets_pass(&self, matcher: &str, name: &str) -> Option<bool> {
        self.passes(&Json::from(matcher), &subject(&self.side, self.event, name))
    }
}

/// Everything that a matcher is tested against. The first column is the agent that the matcher belongs to.
#[derive(Clone)]
pub struct Board {
    pub columns: Vec<Column>,
    /// Agents without an equivalent event.
    pub missing: Vec<Missed>,
    pub values: Vec<Value>,
    /// The index of each name in `values`.
    places: HashMap<String, usize>,
}

/// The result of one agent's rule for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    Yes,
    No,
    /// Not tested: the pattern could take too long.
    Unknown,
    /// The name does not occur in the agent.
    Absent,
}

impl Cell {
    /// The word used in documents.
    pub fn word(self) -> &'static str {
        match self {
            Cell::Yes => "yes",
            Cell::No => "no",
            Cell::Unknown => "unknown",
            Cell::Absent => "absent",
        }
    }
}

/// The known names that one branch of a matcher matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passing {
    /// Names that the branch matches as a whole.
    pub whole: Vec<String>,
    /// Names that contain a match.
    pub inside: Vec<String>,
}

/// The result in one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnAnswer {
    pub reading: MatcherReading,
    /// One entry for each branch of the reading.
    pub branches: Vec<Passing>,
    /// The known names that match, and the number of known names.
    pub passing: Vec<String>,
    pub known: usize,
    pub near: Vec<Near>,
}

impl ColumnAnswer {
    /// Returns names that match only by accident: a branch of the matcher is another name that matches, and the
    /// pattern is not anchored.
    pub fn also(&self) -> Vec<&str> {
        let also = self.branches.iter().filter(|passing| !passing.whole.is_empty()).flat_map(|p| &p.inside);
        let mut out: Vec<&str> = Vec::new();
        for name in also {
            let meant = self.branches.iter().any(|p| p.whole.contains(name));
            if !meant && !out.contains(&name.as_str()) {
                out.push(name);
            }
        }
        out
    }
}

/// The result of a matcher.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub columns: Vec<ColumnAnswer>,
    /// For each value, the results of the agents.
    pub cells: Vec<Vec<Cell>>,
    /// The numbers of recorded events of the first agent: those that match, those for which this is unknown, and
    /// all.
    pub fires: u64,
    pub unknown: u64,
    pub recorded: u64,
}

impl Board {
    /// Creates a table for an event of an agent, next to the same event of other agents. `typed` are names that
    /// the user wants to see.
    pub fn new(own: &Side, event: &'static EventSpec, others: &[Side], seen: &[Seen], typed: &[String]) -> Board {
        let mut columns = vec![Column::new(own.clone(), event)];
        let mut missing = Vec::new();
        for side in others.iter().filter(|side| side.dialect.id() != own.dialect.id()) {
            match same_event(own, event, side) {
                Ok(event) => columns.push(Column::new(side.clone(), event)),
                Err(why) => missing.push(Missed { agent: side.dialect.id(), says: why.words() }),
            }
        }
        let mut board = Board { columns, missing, values: Vec::new(), places: HashMap::new() };
        for name in typed {
            board.add(name, From::Typed);
        }
        for column in 0..board.columns.len() {
            let names: Vec<String> =
                board.columns.get(column).into_iter().flat_map(|c| c.known.clone()).map(|(n, _)| n).collect();
            for name in &names {
                board.add(name, From::Known);
            }
        }
        for one in seen {
            let of = |column: &Column| column.agent() == one.agent && column.event.name == one.event;
            let Some(index) = board.columns.iter().position(of) else { continue };
            board.add(&one.subject, From::Recorded);
            board.see(index, one);
        }
        for column in board.columns.clone() {
            if let Some(name) = example(&column.side, column.event) {
                board.add(&name, From::Example);
            }
        }
        board
    }

    fn add(&mut self, name: &str, from: From) {
        if self.places.contains_key(name) {
            return;
        }
        self.places.insert(name.to_owned(), self.values.len());
        let there = |column: &Column| {
            let own = || column.known.iter().any(|(known, _)| known == name);
            let occurs = from == From::Typed || own() || is_server_tool(&column.side, column.event, name);
            occurs.then(|| subject(&column.side, column.event, name))
        };
        let subjects = self.columns.iter().map(there).collect();
        self.values.push(Value { name: name.to_owned(), from, seen: 0, subjects });
    }

    /// Marks a recorded subject as occurring in its agent, even if it is not a known name.
    fn see(&mut self, index: usize, one: &Seen) {
        let Some(column) = self.columns.get(index) else { return };
        let subject = subject(&column.side, column.event, &one.subject);
        let place = self.places.get(&one.subject).copied();
        let Some(value) = place.and_then(|place| self.values.get_mut(place)) else { return };
        if index == 0 {
            value.seen += one.events;
        }
        if let Some(there) = value.subjects.get_mut(index) {
            there.get_or_insert(subject);
        }
    }

    /// Returns the number of recorded events of the first agent that a matcher matches.
    pub fn fires(&self, matcher: &str) -> u64 {
        let Some(own) = self.columns.first() else { return 0 };
        let text = Json::from(matcher);
        let passes = |value: &&Value| {
            let subject = value.subjects.first().and_then(Option::as_ref).filter(|_| value.seen > 0);
            subject.is_some_and(|subject| own.passes(&text, subject) == Some(true))
        };
        self.values.iter().filter(passes).map(|value| value.seen).sum()
    }

    /// Returns the recorded names of the first agent that only one of two matchers matches, with their number of
    /// events and whether the second one matches.
    pub fn shifts(&self, before: &str, after: &str) -> Vec<(&str, u64, bool)> {
        let Some(own) = self.columns.first() else { return Vec::new() };
        let (before, after) = (Json::from(before), Json::from(after));
        let shift = |value: &'_ Value| {
            let subject = value.subjects.first().and_then(Option::as_ref).filter(|_| value.seen > 0)?;
            match (own.passes(&before, subject)?, own.passes(&after, subject)?) {
                (was, is) if was != is => Some(is),
                _ => None,
            }
        };
        self.values.iter().filter_map(|value| Some((value.name.as_str(), value.seen, shift(value)?))).collect()
    }

    /// Tests a matcher on all values.
    pub fn ask(&self, matcher: &str) -> Answer {
        let text = Json::from(matcher);
        let tried = |column: &Column, subject: &Option<Subject>| match subject {
            None => Cell::Absent,
            Some(subject) => match column.passes(&text, subject) {
                Some(true) => Cell::Yes,
                Some(false) => Cell::No,
                None => Cell::Unknown,
            },
        };
        let mut cells: Vec<Vec<Cell>> = vec![Vec::with_capacity(self.columns.len()); self.values.len()];
        // Column by column, so that each agent compiles a pattern only once.
        for (index, column) in self.columns.iter().enumerate() {
            for (value, cells) in self.values.iter().zip(&mut cells) {
                cells.push(value.subjects.get(index).map_or(Cell::Absent, |subject| tried(column, subject)));
            }
        }
        let columns = self.columns.iter().map(|column| answer(column, matcher)).collect();
        let count = |wanted: Cell| {
            let of = self.values.iter().zip(&cells).filter(|(_, cells)| cells.first() == Some(&wanted));
            of.map(|(value, _)| value.seen).sum::<u64>()
        };
        let (fires, unknown) = (count(Cell::Yes), count(Cell::Unknown));
        let recorded = self.values.iter().map(|value| value.seen).sum();
        Answer { columns, cells, fires, unknown, recorded }
    }
}

fn answer(column: &Column, matcher: &str) -> ColumnAnswer {
    let reading = column.read(matcher);
    let text = Json::from(matcher);
    let passing: Vec<String> = column
        .known
        .iter()
        .filter(|(_, subject)| column.passes(&text, subject) == Some(true))
        .map(|(name, _)| name.clone())
        .collect();
    let branches = reading.branches.iter().map(|branch| {
        let found = column.known.iter().filter(|(_, subject)| branch.lets_pass(subject) == Some(true));
        let (whole, inside): (Vec<_>, Vec<_>) = found.partition(|(_, subject)| branch.is_whole(subject));
        let names = |all: Vec<&(String, Subject)>| all.into_iter().map(|(name, _)| name.clone()).collect();
        Passing { whole: names(whole), inside: names(inside) }
    });
    let branches = branches.collect();
    let near = near(column, matcher, &reading);
    ColumnAnswer { branches, passing, known: column.known.len(), near, reading }
}
