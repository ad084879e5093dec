//! Computes an impact from the store: kinds first, then the payloads that plans read, then the events whose
//! recorded runs may determine the verdict.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::known::Known;
use super::pair::Found;
use super::pairs::Pairs;
use super::signs::{BySigns, Signs};
use super::values::Group;
use super::{Change, Impact};
use crate::replay::{Replayed, Tally};
use hookbench_core::hook::{EventSpec, HookInput, Subject};
use hookbench_system::store::{Kind, Store, StoreFault};

/// The time after which a preliminary result is reported.
const FIRST: Duration = Duration::from_millis(50);
/// The time limit of the computation.
const LAST: Duration = Duration::from_secs(5);

/// Cancellation and preliminary results of a computation.
pub struct Control<'a> {
    /// Set when a newer change has arrived.
    pub superseded: &'a AtomicBool,
    pub so_far: &'a mut dyn FnMut(Impact),
}

/// Computes the impact of a change on the recorded events. Returns `None` if a newer change has arrived. `known`
/// caches the data read, which speeds up the next change.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn impact<'a>(
    change: &'a Change,
    store: &Store,
    known: &mut Known,
    control: Control<'a>,
) -> Result<Option<Impact>, StoreFault> {
    let mut work = Work::new(change, known, store, control)?;
    work.done = work.by_kind(known, store)?;
    if work.done {
        work.by_report(store)?;
    }
    Ok((!work.is_superseded()).then(|| work.so_far()))
}

/// Fills the cache for the next change: reads the values in recorded events that these settings depend on.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub fn read_ahead(
    settings: &Change,
    store: &Store,
    known: &mut Known,
    superseded: &AtomicBool,
) -> Result<(), StoreFault> {
    let mut nobody = |_| {};
    let mut work = Work::new(settings, known, store, Control { superseded, so_far: &mut nobody })?;
    (work.ahead, work.told) = (true, true);
    work.by_kind(known, store)?;
    Ok(())
}

/// The result for the events with one name and subject.
#[derive(Clone, Copy)]
pub(super) enum Fate {
    Same,
    /// The difference with this index.
    Other(usize),
    NotCompared,
    /// The payloads decide; the events belong to the group with this index.
    Read(usize),
}

/// The result for all subjects with the same matcher results.
#[derive(Clone)]
enum Shape {
    Fate(Fate),
    /// The payload values at these pointers decide.
    Read(Vec<&'static str>),
}

/// An event whose recorded runs may determine its verdicts.
pub(super) struct Reported {
    pub seq: i64,
    pub pair: usize,
    pub event: &'static EventSpec,
    pub found: usize,
}

pub(super) struct Work<'a> {
    pub change: &'a Change,
    pub pairs: Pairs<'a>,
    /// Set when a newer change has arrived.
    pub superseded: &'a AtomicBool,
    control: Control<'a>,
    start: Instant,
    told: bool,
    /// Whether this only reads ahead, so that unchanged events are read too.
    ahead: bool,
    pub done: bool,
    /// The kinds count all events up to this number, and possibly newer ones.
    pub top: i64,
    pub kinds: Arc<Vec<Kind>>,
    /// The differences found so far.
    pub found: Vec<Found>,
    by_signs: HashMap<(usize, &'static str, Signs), Shape>,
    /// The cache columns of the matchers of an event.
    matchers: HashMap<(usize, &'static str), Arc<Vec<usize>>>,
    pub reports: Vec<Reported>,
    pub tally: Tally,
}

impl<'a> Work<'a> {
    fn new(change: &'a Change, known: &mut Known, store: &Store, control: Control<'a>) -> Result<Work<'a>, StoreFault> {
        let top = store.last_seq()?;
        let kinds = store.kinds()?;
        known.hold(&kinds);
        Ok(Work {
            change,
            top,
            pairs: Pairs::new(change),
            superseded: control.superseded,
            control,
            start: Instant::now(),
            told: false,
            ahead: false,
            done: false,
            found: Vec::new(),
            kinds,
            by_signs: HashMap::new(),
            matchers: HashMap::new(),
            reports: Vec::new(),
            tally: Tally::default(),
        })
    }

    fn is_superseded(&self) -> bool {
        self.superseded.load(Ordering::Relaxed)
    }

    /// Returns whether there is time left. Reports a preliminary result once.
    pub(super) fn goes_on(&mut self) -> bool {
        let took = self.start.elapsed();
        if took > FIRST && !self.told {
            self.told = true;
            let so_far = self.so_far();
            (self.control.so_far)(so_far);
        }
        took < LAST && !self.is_superseded()
    }

    /// Plans every kind, then the kinds that need payload values. Returns `false` if it was cut short.
    fn by_kind(&mut self, known: &mut Known, store: &Store) -> Result<bool, StoreFault> {
        let kinds = Arc::clone(&self.kinds);
        let mut read: HashMap<(usize, &str, Option<&str>), Fate> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        // Pairs of group index and kind index.
        let mut to_read: Vec<(usize, usize)> = Vec::new();
        let mut to_list: HashMap<i64, (usize, &'static EventSpec, usize)> = HashMap::new();
        let agent = self.change.dialect.id();
        for (place, kind) in kinds.iter().enumerate().filter(|(_, kind)| kind.agent == agent) {
            if !self.goes_on() {
                return Ok(false);
            }
            let Some(pair) = self.pairs.of(kind) else { continue };
            let key = (pair, kind.event.as_str(), kind.subject.as_deref());
            let as_before = if read.is_empty() { None } else { read.get(&key).copied() };
            let fate = match as_before {
                Some(fate) => fate,
                None => self.fate(pair, (place, kind), &mut groups, known, store)?,
            };
            let count = usize::try_from(kind.events).unwrap_or(usize::MAX);
            match fate {
                Fate::Same => self.tally.add_same(count),
                Fate::NotCompared => self.tally.add_not_compared(count),
                Fate::Other(found) if self.may_answer(found, kind) => {
                    if let Some(event) = self.event(pair, &kind.event) {
                        to_list.insert(kind.id(), (pair, event, found));
                    }
                }
                Fate::Other(found) => self.count(found, place, count),
                Fate::Read(group) => {
                    to_read.push((group, place));
                    read.insert(key, fate);
                }
            }
        }
        let mut goes_on = true;
        let listed: Vec<i64> = to_list.keys().copied().collect();
        store.of_kinds(&listed, false, &mut |seq, kind, _| {
            if let Some((pair, event, found)) = to_list.get(&kind) {
                self.reports.push(Reported { seq, pair: *pair, event, found: *found });
            }
            goes_on = self.goes_on();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(goes_on && self.by_value(&mut groups, &to_read, known, store)?)
    }

    /// Determines the verdicts of events that have recorded runs. Events that remain when the time is up stay
    /// unknown.
    fn by_report(&mut self, store: &Store) -> Result<(), StoreFault> {
        while let Some(reported) = self.reports.pop() {
            if !self.goes_on() {
                self.reports.push(reported);
                self.done = false;
                break;
            }
            let whole = store.event(reported.seq)?;
            let input = whole
                .as_ref()
                .zip(self.pairs.get_mut(reported.pair))
                .and_then(|(event, pair)| pair.whole(reported.event, &event.payload).map(|input| (pair, event, input)));
            let (Some((pair, event, input)), Some(found)) = (input, self.found.get(reported.found)) else {
                self.tally.add_not_compared(1);
                continue;
            };
            let judged = pair.judged(&input, &event.runs);
            // Hook changes are taken from the shared difference, so that all its events count under one rule.
            let own = !found.for_all || found.one.subject == input.subject.value;
            let other = if own { None } else { pair.in_words_for(found, input.subject.value.as_deref()) };
            let alike = other.as_ref().unwrap_or(&found.one);
            let runs = alike.changes.iter().filter(|change| change.what == "runs").cloned();
            let verdict = judged.changes.iter().filter(|change| change.what != "runs").cloned();
            let one = Replayed { origin: event.id.clone(), changes: runs.chain(verdict).collect(), ..judged };
            self.tally.add(&one);
        }
        Ok(())
    }

    fn fate(
        &mut self,
        pair: usize,
        (place, kind): (usize, &Kind),
        groups: &mut Vec<Group>,
        known: &mut Known,
        store: &Store,
    ) -> Result<Fate, StoreFault> {
        let Some(event) = self.event(pair, &kind.event) else { return Ok(Fate::NotCompared) };
        let Some(of) = self.pairs.get_mut(pair) else { return Ok(Fate::NotCompared) };
        if !self.ahead && of.alike(event) {
            return Ok(Fate::Same);
        }
        let subject = kind.subject.as_deref();
        let matchers = self.matchers.entry((pair, event.name));
        let matchers = Arc::clone(matchers.or_insert_with(|| {
            Arc::new(of.questions(event).matchers.iter().map(|matcher| known.matcher(matcher.as_ref())).collect())
        }));
        let says = |matcher: Option<&Value>, subject: &Subject| of.says(event, matcher, subject);
        let signs = known.signs_of(place, &matchers, || of.subject(event, subject), says);
        let signs = signs.map(|signs| (pair, event.name, signs));
        let as_before = signs.as_ref().and_then(|signs| self.by_signs.get(signs).cloned());
        let shape = match as_before {
            Some(shape) => shape,
            None => {
                let mut input = signs.as_ref().and_then(|_| of.brief(event, subject, Map::new()));
                if input.is_none() {
                    // The subject is not determined by the kind, so one event represents all.
                    store.of_kinds(&[kind.id()], true, &mut |_, _, payload| {
                        input = of.whole(event, payload);
                        ControlFlow::Break(())
                    })?;
                }
                let Some(input) = input else { return Ok(Fate::NotCompared) };
                let reads = of.reads(&input);
                let shape = if reads.is_empty() {
                    Shape::Fate(self.fate_of(pair, event, &input, signs.is_some()))
                } else {
                    Shape::Read(reads)
                };
                if let Some(signs) = signs {
                    self.by_signs.insert(signs, shape.clone());
                }
                shape
            }
        };
        Ok(match shape {
            Shape::Fate(fate) => fate,
            Shape::Read(reads) => {
                groups.push(Group { pair, event, subject: kind.subject.clone(), reads, by_signs: BySigns::new() });
                Fate::Read(groups.len() - 1)
            }
        })
    }

    pub(super) fn fate_of(&mut self, pair: usize, event: &'static EventSpec, input: &HookInput, for_all: bool) -> Fate {
        let Some(of) = self.pairs.get_mut(pair) else { return Fate::NotCompared };
        of.difference(pair, event, input, for_all, &mut self.found).map_or(Fate::Same, Fate::Other)
    }

    pub(super) fn count(&mut self, found: usize, kind: usize, events: usize) {
        let Some(found) = self.found.get_mut(found) else { return };
        match found.counts.last_mut() {
            Some((last, count)) if *last == kind => *count += events,
            _ => found.counts.push((kind, events)),
        }
    }

    /// Returns whether recorded runs of a kind may determine a verdict that is otherwise unknown.
    pub(super) fn may_answer(&self, found: usize, kind: &Kind) -> bool {
        let Some(one) = self.found.get(found) else { return false };
        let sides = one.one.before.iter().chain(one.one.after.iter());
        let mut missing = sides.filter_map(|side| side.missing.as_ref()).peekable();
        missing.peek().is_some() && missing.all(|hook| kind.ran.iter().any(|ran| ran.hook == *hook))
    }

    fn event(&mut self, pair: usize, name: &str) -> Option<&'static EventSpec> {
        self.pairs.get_mut(pair)?.event(name)
    }
}
