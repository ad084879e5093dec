//! The state of the event list in the session. It changes by commands and responses, and never blocks.

use std::sync::Arc;

use super::asks::{Edge, OperatorCount, ShelfAsk, ShelfCommand, ShelfNews, Working};
use super::list::{EventList, PAGE};
use super::order::{Question, ReplayOrder, ReplayResult};
use crate::matching::Kinds;
use crate::recordings::{Indexed, SessionRow};
use crate::{Consent, OwnSession};
use hookbench_core::filter::{Filter, Test, parse};
use hookbench_core::recorded::RecordedEvent;

/// The state of the store.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Holding {
    /// Not loaded yet.
    #[default]
    Unknown,
    /// Loading.
    Reading,
    /// The store is missing or empty.
    Nothing,
    /// The store cannot be used: why, and what to do.
    Fault {
        says: String,
        cure: Option<&'static str>,
    },
    Events,
}

/// The state of the event list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shelf {
    pub holding: Holding,
    /// The filter text.
    pub filter: String,
    /// Show only events of this session.
    pub session: Option<String>,
    pub list: EventList,
    /// The number of matching events, and of all events.
    pub passing: Option<u64>,
    pub all: Option<u64>,
    pub indexed: Option<Indexed>,
    /// Whether the newest event is kept in view.
    pub follow: bool,
    /// The complete selected event. `None` while it is loading; the inner value is `None` if the event no longer
    /// exists.
    pub whole: Option<(i64, Option<Arc<RecordedEvent>>)>,
    /// The agents' own sessions of this project, once they were loaded.
    pub own: Option<Vec<OwnSession>>,
    pub sessions: Option<Vec<SessionRow>>,
    /// The counts for the operators of the filter language, as of the last request.
    pub counts: Vec<OperatorCount>,
    /// The number of events of each subject, once it was requested.
    pub kinds: Option<Arc<Kinds>>,
    pub working: Option<Working>,
    /// Whether the running import or replay is being stopped.
    pub ending: bool,
    /// A pending question. The frontend that shows it takes it.
    pub question: Option<Box<Question>>,
    /// The result of the last replay. The frontend that shows it takes it.
    pub replayed: Option<Arc<ReplayResult>>,
    /// Messages to show once.
    pub(crate) says: Vec<String>,
    /// The number of the latest list.
    number: u64,
    /// The number of requests without a response.
    open: usize,
    /// The number of the requested complete event.
    wanted: Option<i64>,
    /// Whether another process has written since the list was loaded.
    stale: bool,
}

impl Shelf {
    /// Returns whether a response is pending or an import or replay is running.
    pub fn waits(&self) -> bool {
        self.open > 0 || self.working.is_some()
    }

    /// Returns whether a replay is running hooks.
    pub fn runs(&self) -> bool {
        self.working.as_ref().is_some_and(|working| working.pace.is_some())
    }

    /// The filter that combines the typed filter and the selected session.
    pub fn selects(&self) -> Filter {
        let typed = parse(&self.filter).unwrap_or_else(|_| Filter::everything());
        match &self.session {
            Some(name) => Filter::All(vec![Filter::Test(Test::Session(name.clone())), typed]),
            None => typed,
        }
    }

    /// Applies a command. `ToBench` is handled by the session.
    pub(crate) fn apply(&mut self, command: ShelfCommand) -> Vec<ShelfAsk> {
        let mut asks = match command {
            ShelfCommand::Look => self.look(),
            ShelfCommand::Filter(text) if parse(&text).is_err() => Vec::new(),
            ShelfCommand::Filter(text) => {
                self.filter = text;
                self.from(Edge::Newest)
            }
            ShelfCommand::Narrow(session) => {
                self.session = session;
                self.from(Edge::Newest)
            }
            ShelfCommand::Step(by) => {
                self.list.step(by);
                self.follow &= self.list.at_end();
                Vec::new()
            }
            ShelfCommand::Select(row) => {
                self.list.selected = row.min(self.list.rows.len().saturating_sub(1));
                self.follow &= self.list.at_end();
                Vec::new()
            }
            ShelfCommand::Oldest if self.list.begins => {
                self.list.selected = 0;
                self.follow &= self.list.at_end();
                Vec::new()
            }
            ShelfCommand::Oldest => {
                self.follow = false;
                self.from(Edge::Oldest)
            }
            ShelfCommand::Newest if self.list.ends => {
                self.list.selected = self.list.rows.len().saturating_sub(1);
                Vec::new()
            }
            ShelfCommand::Newest => self.from(Edge::Newest),
            ShelfCommand::Follow => {
                self.follow = !self.follow;
                if self.follow { self.from(Edge::Newest) } else { Vec::new() }
            }
            ShelfCommand::Mark => {
                let row = self.list.row();
                row.map(|row| ShelfAsk::Mark { seq: row.seq, marked: !row.marked }).into_iter().collect()
            }
            ShelfCommand::Comment { seq, text } => {
                let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                vec![ShelfAsk::Comment { seq, text }]
            }
            ShelfCommand::Own => vec![ShelfAsk::Own],
            ShelfCommand::Counts => vec![ShelfAsk::Counts],
            ShelfCommand::Kinds => vec![ShelfAsk::Kinds],
            ShelfCommand::Sessions => vec![ShelfAsk::Sessions { filter: self.selects() }],
            ShelfCommand::Import(_) | ShelfCommand::Replay(_) | ShelfCommand::ReplayAgreed(..)
                if self.working.is_some() =>
            {
                self.says.push("one thing after the other: something still goes on".to_owned());
                Vec::new()
            }
            ShelfCommand::Import(file) => {
                let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.works("importing", of);
                vec![ShelfAsk::Import(file)]
            }
            ShelfCommand::Replay(order) => self.replay(order, Vec::new()),
            ShelfCommand::ReplayAgreed(order, agreed) => self.replay(order, agreed),
            ShelfCommand::GoTo(seq) => {
                (self.filter, self.session, self.follow) = (String::new(), None, false);
                let mut asks = self.from(Edge::Newest);
                asks.drain(..1);
                asks.insert(0, ShelfAsk::GoTo { number: self.number, seq, limit: PAGE });
                asks
            }
            ShelfCommand::Stop => {
                self.ending = true;
                vec![ShelfAsk::Stop]
            }
            ShelfCommand::ToBench => Vec::new(),
        };
        asks.extend(self.near());
        self.open += asks.iter().filter(|ask| answered(ask)).count();
        asks
    }

    fn works(&mut self, what: &'static str, of: String) {
        self.ending = false;
        self.working = Some(Working { what, of, percent: None, events: 0, pace: None });
    }

    /// Creates the request for a replay. The session adds the consent.
    fn replay(&mut self, order: ReplayOrder, agreed: Vec<super::order::Agreed>) -> Vec<ShelfAsk> {
        self.works("planning", order.of());
        vec![ShelfAsk::Replay { order, consent: Consent::default(), agreed, asks: true }]
    }

    fn look(&mut self) -> Vec<ShelfAsk> {
        if self.holding == Holding::Events {
            return self.again();
        }
        self.holding = Holding::Reading;
        self.follow = true;
        self.from(Edge::Newest)
    }

    /// Requests a page from another place, and its counts.
    fn from(&mut self, edge: Edge) -> Vec<ShelfAsk> {
        self.number += 1;
        self.list.asked();
        let (number, filter) = (self.number, self.selects());
        let page = ShelfAsk::Page { number, filter: filter.clone(), edge, limit: PAGE };
        vec![page, ShelfAsk::Count { number, filter }]
    }

    /// Requests the loaded rows again, or the newest ones if they are kept in view.
    fn again(&mut self) -> Vec<ShelfAsk> {
        match self.list.again().filter(|_| !self.follow) {
            Some((edge, limit)) => {
                let mut asks = self.from(edge);
                if let Some(ShelfAsk::Page { limit: rows, .. }) = asks.first_mut() {
                    *rows = limit;
                }
                asks
            }
            None => self.from(Edge::Newest),
        }
    }

    /// Requests the rows near the selection, and the selected event.
    fn near(&mut self) -> Vec<ShelfAsk> {
        let mut asks = Vec::new();
        if let Some(edge) = self.list.wants() {
            let (number, filter) = (self.number, self.selects());
            asks.push(ShelfAsk::Page { number, filter, edge, limit: PAGE });
        }
        let seq = self.list.row().map(|row| row.seq);
        if let Some(seq) = seq.filter(|seq| self.wanted != Some(*seq)) {
            self.wanted = Some(seq);
            asks.push(ShelfAsk::Whole { number: self.number, seq });
        }
        asks
    }

    /// Applies a response.
    pub(crate) fn absorb(&mut self, news: ShelfNews) -> Vec<ShelfAsk> {
        self.open = self.open.saturating_sub(usize::from(answers(&news)));
        let mut asks = match news {
            ShelfNews::Fault { missing, says, cure } => self.fault(missing, says, cure),
            ShelfNews::Page { number, edge, rows, limit } => {
                if number == self.number {
                    self.holding = Holding::Events;
                    self.list.take(edge, rows, limit);
                }
                Vec::new()
            }
            ShelfNews::Count { number, passing, all, indexed } if number == self.number => {
                (self.passing, self.all, self.indexed) = (Some(passing), Some(all), Some(indexed));
                if all == 0 { self.fault(true, String::new(), None) } else { Vec::new() }
            }
            ShelfNews::Count { .. } => Vec::new(),
            ShelfNews::Whole { seq, event, .. } => {
                if self.wanted == Some(seq) {
                    self.whole = Some((seq, event));
                }
                Vec::new()
            }
            ShelfNews::Noted { seq, marked, comment } => {
                if let Some(row) = self.list.rows.iter_mut().find(|row| row.seq == seq) {
                    row.marked = marked.unwrap_or(row.marked);
                    row.comment = comment.unwrap_or(row.comment.take());
                }
                self.wanted = None;
                Vec::new()
            }
            ShelfNews::Indexed(indexed) => {
                self.indexed = Some(indexed);
                // Words may match now that were not in the index before.
                if indexed.complete() && !self.filter.is_empty() { self.again() } else { Vec::new() }
            }
            ShelfNews::Sessions(sessions) => {
                self.sessions = Some(sessions);
                Vec::new()
            }
            ShelfNews::Counts(counts) => {
                self.counts = counts;
                Vec::new()
            }
            ShelfNews::Kinds(kinds) => {
                self.kinds = Some(kinds);
                Vec::new()
            }
            ShelfNews::Own(own) => {
                self.own = Some(own);
                Vec::new()
            }
            ShelfNews::Working(working) => {
                self.working = Some(working);
                Vec::new()
            }
            ShelfNews::Changed => {
                self.stale = self.holding != Holding::Unknown;
                Vec::new()
            }
            ShelfNews::Over { says, changed } => {
                self.working = None;
                self.says.push(says);
                if changed {
                    self.wanted = None;
                    self.holding = if self.holding == Holding::Events { Holding::Events } else { Holding::Reading };
                    self.again()
                } else {
                    Vec::new()
                }
            }
            ShelfNews::Question(question) => {
                self.working = None;
                self.question = Some(question);
                Vec::new()
            }
            ShelfNews::Replayed(result) => {
                self.working = None;
                let ran = result.order.run;
                self.says.extend(result.trouble.clone());
                self.replayed = Some(result);
                if ran { self.again() } else { Vec::new() }
            }
            ShelfNews::Trouble(says) => {
                self.list.forget_asked();
                self.says.push(says);
                Vec::new()
            }
        };
        // The list is refreshed only when no request is pending, however often other processes write.
        if self.stale && self.open == 0 && asks.is_empty() {
            self.stale = false;
            asks = self.again();
        }
        asks.extend(self.near());
        self.open += asks.iter().filter(|ask| answered(ask)).count();
        asks
    }

    fn fault(&mut self, missing: bool, says: String, cure: Option<&'static str>) -> Vec<ShelfAsk> {
        self.list = EventList::default();
        if !missing {
            self.holding = Holding::Fault { says, cure };
            return Vec::new();
        }
        let first = self.holding != Holding::Nothing;
        self.holding = Holding::Nothing;
        if first && self.own.is_none() {
            return vec![ShelfAsk::Own];
        }
        Vec::new()
    }
}

/// Returns whether a request has exactly one response.
fn answered(ask: &ShelfAsk) -> bool {
    !matches!(ask, ShelfAsk::Import(_) | ShelfAsk::Replay { .. } | ShelfAsk::Changed | ShelfAsk::Stop)
}

/// Returns whether this is the response to a request.
fn answers(news: &ShelfNews) -> bool {
    !matches!(
        news,
        ShelfNews::Indexed(_)
            | ShelfNews::Working(_)
            | ShelfNews::Over { .. }
            | ShelfNews::Question(_)
            | ShelfNews::Replayed(_)
            | ShelfNews::Changed
    )
}
