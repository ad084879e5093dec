//! The match table: agents as columns, names as rows, and the result for a matcher.

use crate::names::AgentId;
use std::collections::HashMap;

use serde_json::Value as Json;

use super::known_names::{about_tools, example, is_server_tool, known, server_tools, subject};
use super::near_matches::{NearMatch, near_matches};
use crate::hook::{EventSpec, Subject};
use crate::matcher::{MatcherInterpretation, MatcherKind};
use crate::port::{AgentVersion, same_event};

/// A subject of an agent's recorded events, with their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedSubject {
    pub agent: String,
    pub event: String,
    pub subject: String,
    pub events: u64,
}

hookbench_base::words! {
    /// The origin of a name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum NameOrigin {
        /// A known name of an agent.
        Known = "known",
        /// An example of an MCP tool.
        Example = "example",
        /// A name that only recorded events have.
        Recorded = "recorded",
        /// A name that the user has typed.
        Typed = "typed",
    }
    /// The word used in documents.
    fn word;
}

/// A name with its match subject in each agent. `None` if it does not occur there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRow {
    pub name: String,
    pub from: NameOrigin,
    /// The number of recorded events of the first agent with this name.
    pub seen: u64,
    subjects: Vec<Option<Subject>>,
}

/// An agent without an equivalent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentWithoutEvent {
    pub agent: AgentId,
    pub message: String,
}

/// One agent and its event.
#[derive(Clone)]
pub struct MatchColumn {
    pub side: AgentVersion,
    pub event: &'static EventSpec,
    /// The names known to occur there.
    known: Vec<(String, Subject)>,
    /// Whether the matcher `*` means that the hook has none. As a text, it is invalid in some agents.
    star_is_absent: bool,
}

impl MatchColumn {
    fn new(side: AgentVersion, event: &'static EventSpec) -> MatchColumn {
        let known = known(&side, event);
        let known = known.into_iter().map(|name| (name.clone(), subject(&side, event, &name))).collect();
        MatchColumn { side, event, known, star_is_absent: false }
    }

    /// Returns the agent's id.
    pub fn agent(&self) -> AgentId {
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

    /// The name that the matchers of the event are compared with, from a known name.
    pub fn name_in_matchers<'n>(&self, name: &'n str) -> &'n str {
        if self.about_tools() { self.side.dialect.tool_in_matchers(self.event.name, name) } else { name }
    }

    /// Returns how the agent interprets a matcher.
    pub fn read(&self, matcher: &str) -> MatcherInterpretation {
        self.side.dialect.read_matcher(self.event, self.present(&Json::from(matcher)), &self.side.version)
    }

    /// Whether a matcher matches a subject. `None` if that is unknown.
    pub fn matches_subject(&self, matcher: &Json, subject: &Subject) -> Option<bool> {
        self.side.dialect.matches(self.event, self.present(matcher), subject, &self.side.version)
    }

    /// The matcher as the hook has it; `None` if it has none.
    pub(super) fn present<'m>(&self, matcher: &'m Json) -> Option<&'m Json> {
        Some(matcher).filter(|matcher| !(self.star_is_absent && *matcher == "*"))
    }

    /// Whether a matcher matches a name. `None` if that is unknown.
    pub fn matches_name(&self, matcher: &str, name: &str) -> Option<bool> {
        self.matches_subject(&Json::from(matcher), &subject(&self.side, self.event, name))
    }
}

/// Everything that a matcher is tested against. The first column is the agent that the matcher belongs to.
#[derive(Clone)]
pub struct MatchTable {
    pub columns: Vec<MatchColumn>,
    /// Agents without an equivalent event.
    pub missing: Vec<AgentWithoutEvent>,
    pub values: Vec<MatchRow>,
    /// The index of each name in `values`.
    places: HashMap<String, usize>,
}

hookbench_base::words! {
    /// The result of one agent's rule for a name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MatchCell {
        Yes = "yes",
        No = "no",
        /// Not tested: the pattern could take too long.
        Unknown = "unknown",
        /// The name does not occur in the agent.
        Absent = "absent",
    }
    /// The word used in documents.
    fn word;
}

/// The known names that one branch of a matcher matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchMatches {
    /// Names that the branch matches as a whole.
    pub whole: Vec<String>,
    /// Names that contain a match.
    pub partial: Vec<String>,
}

/// The result in one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnMatches {
    pub reading: MatcherInterpretation,
    /// One entry for each branch of the reading.
    pub branches: Vec<BranchMatches>,
    /// The known names that match, and the number of known names.
    pub matching: Vec<String>,
    pub known: usize,
    /// An MCP tool that matches: the example, or one that the matcher writes out. Such tools are not among the known
    /// names.
    pub server_tool: Option<String>,
    pub near: Vec<NearMatch>,
}

impl ColumnMatches {
    /// Returns names that match only by accident: a branch of the matcher is another name that matches, and the
    /// pattern is not anchored.
    pub fn unintended_matches(&self) -> Vec<&str> {
        let also = self.branches.iter().filter(|passing| !passing.whole.is_empty()).flat_map(|p| &p.partial);
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
pub struct MatcherResult {
    pub columns: Vec<ColumnMatches>,
    /// For each value, the results of the agents.
    pub cells: Vec<Vec<MatchCell>>,
    /// The numbers of recorded events of the first agent: those that match, those for which this is unknown, and
    /// all.
    pub fires: u64,
    pub unknown: u64,
    pub recorded: u64,
}

impl MatchTable {
    /// Creates a table for an event of an agent, next to the same event of other agents. `typed` are names that
    /// the user wants to see.
    pub fn new(
        own: &AgentVersion,
        event: &'static EventSpec,
        others: &[AgentVersion],
        seen: &[RecordedSubject],
        typed: &[String],
    ) -> MatchTable {
        let mut columns = vec![MatchColumn::new(own.clone(), event)];
        let mut missing = Vec::new();
        for side in others.iter().filter(|side| side.dialect.id() != own.dialect.id()) {
            match same_event(own, event, side) {
                Ok(event) => columns.push(MatchColumn::new(side.clone(), event)),
                Err(why) => missing.push(AgentWithoutEvent { agent: side.dialect.id(), message: why.text() }),
            }
        }
        let mut board = MatchTable { columns, missing, values: Vec::new(), places: HashMap::new() };
        for name in typed {
            board.add(name, NameOrigin::Typed);
        }
        for column in 0..board.columns.len() {
            let names: Vec<String> =
                board.columns.get(column).into_iter().flat_map(|c| c.known.clone()).map(|(n, _)| n).collect();
            for name in &names {
                board.add(name, NameOrigin::Known);
            }
        }
        for one in seen {
            let of = |column: &MatchColumn| column.agent() == one.agent && column.event.name == one.event;
            let Some(index) = board.columns.iter().position(of) else { continue };
            board.add(&one.subject, NameOrigin::Recorded);
            board.mark_recorded(index, one);
        }
        for column in board.columns.clone() {
            if let Some(name) = example(&column.side, column.event) {
                board.add(&name, NameOrigin::Example);
            }
        }
        board
    }

    /// The table of a hook that has no matcher, which is shown as `*`. An agent in which the text `*` is invalid still
    /// runs the hook.
    #[must_use]
    pub fn without_matcher(mut self) -> MatchTable {
        for column in &mut self.columns {
            column.star_is_absent = column.read("*").kind == MatcherKind::Invalid;
        }
        self
    }

    fn add(&mut self, name: &str, from: NameOrigin) {
        if self.places.contains_key(name) {
            return;
        }
        self.places.insert(name.to_owned(), self.values.len());
        let there = |column: &MatchColumn| {
            let own = || column.known.iter().any(|(known, _)| known == name);
            let occurs = from == NameOrigin::Typed || own() || is_server_tool(&column.side, column.event, name);
            occurs.then(|| subject(&column.side, column.event, name))
        };
        let subjects = self.columns.iter().map(there).collect();
        self.values.push(MatchRow { name: name.to_owned(), from, seen: 0, subjects });
    }

    /// Marks a recorded subject as occurring in its agent, even if it is not a known name.
    fn mark_recorded(&mut self, index: usize, one: &RecordedSubject) {
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
    pub fn firing_events(&self, matcher: &str) -> u64 {
        let Some(own) = self.columns.first() else { return 0 };
        let text = Json::from(matcher);
        let passes = |value: &&MatchRow| {
            let subject = value.subjects.first().and_then(Option::as_ref).filter(|_| value.seen > 0);
            subject.is_some_and(|subject| own.matches_subject(&text, subject) == Some(true))
        };
        self.values.iter().filter(passes).map(|value| value.seen).sum()
    }

    /// Returns the recorded names of the first agent that only one of two matchers matches, with their number of
    /// events and whether the second one matches.
    pub fn changed_names(&self, before: &str, after: &str) -> Vec<(&str, u64, bool)> {
        let Some(own) = self.columns.first() else { return Vec::new() };
        let (before, after) = (Json::from(before), Json::from(after));
        let shift = |value: &'_ MatchRow| {
            let subject = value.subjects.first().and_then(Option::as_ref).filter(|_| value.seen > 0)?;
            match (own.matches_subject(&before, subject)?, own.matches_subject(&after, subject)?) {
                (was, is) if was != is => Some(is),
                _ => None,
            }
        };
        self.values.iter().filter_map(|value| Some((value.name.as_str(), value.seen, shift(value)?))).collect()
    }

    /// Tests a matcher on all values.
    pub fn test_matcher(&self, matcher: &str) -> MatcherResult {
        let text = Json::from(matcher);
        let tried = |column: &MatchColumn, subject: &Option<Subject>| match subject {
            None => MatchCell::Absent,
            Some(subject) => match column.matches_subject(&text, subject) {
                Some(true) => MatchCell::Yes,
                Some(false) => MatchCell::No,
                None => MatchCell::Unknown,
            },
        };
        let mut cells: Vec<Vec<MatchCell>> = vec![Vec::with_capacity(self.columns.len()); self.values.len()];
        // Column by column, so that each agent compiles a pattern only once.
        for (index, column) in self.columns.iter().enumerate() {
            for (value, cells) in self.values.iter().zip(&mut cells) {
                cells.push(value.subjects.get(index).map_or(MatchCell::Absent, |subject| tried(column, subject)));
            }
        }
        let columns = self.columns.iter().map(|column| answer(column, matcher)).collect();
        let count = |wanted: MatchCell| {
            let of = self.values.iter().zip(&cells).filter(|(_, cells)| cells.first() == Some(&wanted));
            of.map(|(value, _)| value.seen).sum::<u64>()
        };
        let (fires, unknown) = (count(MatchCell::Yes), count(MatchCell::Unknown));
        let recorded = self.values.iter().map(|value| value.seen).sum();
        MatcherResult { columns, cells, fires, unknown, recorded }
    }
}

fn answer(column: &MatchColumn, matcher: &str) -> ColumnMatches {
    let reading = column.read(matcher);
    let text = Json::from(matcher);
    let passing: Vec<String> = column
        .known
        .iter()
        .filter(|(_, subject)| column.matches_subject(&text, subject) == Some(true))
        .map(|(name, _)| name.clone())
        .collect();
    let branches = reading.branches.iter().map(|branch| {
        let found = column.known.iter().filter(|(_, subject)| branch.matches(subject) == Some(true));
        let (whole, inside): (Vec<_>, Vec<_>) = found.partition(|(_, subject)| branch.matches_whole(subject));
        let names = |all: Vec<&(String, Subject)>| all.into_iter().map(|(name, _)| name.clone()).collect();
        BranchMatches { whole: names(whole), partial: names(inside) }
    });
    let branches = branches.collect();
    let near = near_matches(column, matcher, &reading);
    let named = server_tools(&column.side, column.event, matcher);
    let mut server_tools = example(&column.side, column.event).into_iter().chain(named);
    let server_tool = server_tools.find(|name| column.matches_name(matcher, name) == Some(true));
    ColumnMatches { branches, matching: passing, known: column.known.len(), server_tool, near, reading }
}
