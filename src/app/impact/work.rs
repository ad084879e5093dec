//! Going through the store: kinds first, then the payloads that plans read, then the events whose recorded runs may answer.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Map;

use super::pairs::Pairs;
use super::{Change, Impact, by_value};
use crate::app::replay::{Replayed, Tally};
use crate::core::hook::{EventSpec, HookInput};
use crate::store::{Kind, Store, StoreFault};

/// When what is known so far is told for the first time, if that is not all.
const FIRST: Duration = Duration::from_millis(50);
/// When it ends, whatever is left.
const LAST: Duration = Duration::from_secs(5);

/// Who may stop the work, and who hears of what is known so far.
pub struct Control<'a> {
    /// Set when something newer has come.
    pub superseded: &'a AtomicBool,
    pub so_far: &'a mut dyn FnMut(Impact),
}

/// What a change comes to for the recorded events; none: something newer has come.
///
/// # Errors
/// When the store cannot be read.
pub fn impact<'a>(change: &'a Change, store: &Store, control: Control<'a>) -> Result<Option<Impact>, StoreFault> {
    let mut work = Work {
        change,
        pairs: Pairs::new(change),
        control,
        start: Instant::now(),
        told: false,
        done: false,
        found: Vec::new(),
        counts: Vec::new(),
        reports: Vec::new(),
        tally: Tally::default(),
    };
    let kinds = store.kinds()?;
    work.done = work.by_kind(&kinds, store)?;
    if work.done {
        work.by_report(store)?;
    }
    Ok((!work.superseded()).then(|| work.so_far()))
}

/// What is to be asked of each event of a kind: its values, as what this group reads.
struct Group {
    pair: usize,
    event: &'static EventSpec,
    subject: Option<String>,
    reads: Vec<&'static str>,
}

/// What becomes of the events of one event and subject.
#[derive(Clone, Copy)]
enum Fate {
    Same,
    /// As this one of those that were found.
    Other(usize),
    NotCompared,
    /// Their payloads decide: they are of this group.
    Read(usize),
}

/// An event whose recorded runs may say what its verdicts are.
struct Reported {
    seq: i64,
    pair: usize,
    event: &'static EventSpec,
    found: usize,
}

struct Work<'a> {
    change: &'a Change,
    pairs: Pairs<'a>,
    control: Control<'a>,
    start: Instant,
    told: bool,
    done: bool,
    /// Each way in which events change, and how many do without a report that may say more.
    found: Vec<Replayed>,
    counts: Vec<usize>,
    reports: Vec<Reported>,
    tally: Tally,
}

impl Work<'_> {
    fn superseded(&self) -> bool {
        self.control.superseded.load(Ordering::Relaxed)
    }

    /// Whether there is time for more. Says once what is known so far.
    fn goes_on(&mut self) -> bool {
        let took = self.start.elapsed();
        if took > FIRST && !self.told {
            self.told = true;
            let so_far = self.so_far();
            (self.control.so_far)(so_far);
        }
        took < LAST && !self.superseded()
    }

    fn so_far(&self) -> Impact {
        let mut tally = self.tally.clone();
        for (one, count) in self.found.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            tally.add_alike(one, *count);
        }
        for report in &self.reports {
            if let Some(one) = self.found.get(report.found) {
                tally.add_alike(one, 1);
            }
        }
        Impact {
            agent: self.change.dialect.id(),
            project: (!self.pairs.everywhere).then(|| self.change.place.project.clone()),
            summary: tally.finish(),
            at_least: !self.done,
        }
    }

    /// Plans every kind, then the values of those that need them. Whether it came to an end.
    fn by_kind(&mut self, kinds: &[Kind], store: &Store) -> Result<bool, StoreFault> {
        let mut fates: HashMap<(usize, &str, Option<&str>), Fate> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut to_read: HashMap<i64, (usize, &Kind)> = HashMap::new();
        let mut to_list: HashMap<i64, (usize, &'static EventSpec, usize)> = HashMap::new();
        for kind in kinds.iter().filter(|kind| kind.agent == self.change.dialect.id()) {
            if !self.goes_on() {
                return Ok(false);
            }
            let Some(pair) = self.pairs.of(kind) else { continue };
            let key = (pair, kind.event.as_str(), kind.subject.as_deref());
            let fate = match fates.get(&key) {
                Some(fate) => *fate,
                None => self.fate(pair, kind, &mut groups, store)?,
            };
            fates.insert(key, fate);
            let count = usize::try_from(kind.events).unwrap_or(usize::MAX);
            match fate {
                Fate::Same => self.tally.add_same(count),
                Fate::NotCompared => self.tally.add_not_compared(count),
                Fate::Other(found) if self.may_answer(found, kind) => {
                    if let Some(event) = self.event(pair, &kind.event) {
                        to_list.insert(kind.id(), (pair, event, found));
                    }
                }
                Fate::Other(found) => self.count(found, count),
                Fate::Read(group) => {
                    to_read.insert(kind.id(), (group, kind));
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
        Ok(goes_on && self.by_value(&groups, &to_read, store)?)
    }

    /// Plans events by the values that decide.
    fn by_value(
        &mut self,
        groups: &[Group],
        to_read: &HashMap<i64, (usize, &Kind)>,
        store: &Store,
    ) -> Result<bool, StoreFault> {
        let mut fates: Vec<HashMap<String, Fate>> = groups.iter().map(|_| HashMap::new()).collect();
        let mut goes_on = true;
        let kinds: Vec<i64> = to_read.keys().copied().collect();
        store.of_kinds(&kinds, true, &mut |seq, kind, payload| {
            let Some((number, kind)) = to_read.get(&kind) else { return ControlFlow::Continue(()) };
            let (Some(group), Some(known)) = (groups.get(*number), fates.get_mut(*number)) else {
                return ControlFlow::Continue(());
            };
            let fate = match by_value::read(payload, &group.reads) {
                None => self.fate_of_payload(group, payload),
                Some(read) => match known.get(&read.text) {
                    Some(fate) => *fate,
                    None => {
                        let fate = self.fate_of_values(group, &read, payload);
                        known.insert(read.text, fate);
                        fate
                    }
                },
            };
            match fate {
                Fate::Same => self.tally.add_same(1),
                Fate::Other(found) if self.may_answer(found, kind) => {
                    self.reports.push(Reported { seq, pair: group.pair, event: group.event, found });
                }
                Fate::Other(found) => self.count(found, 1),
                Fate::NotCompared | Fate::Read(_) => self.tally.add_not_compared(1),
            }
            goes_on = self.goes_on();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(goes_on)
    }

    /// Judges the events whose recorded runs may answer. Those that are left when the time is over stay unknown.
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
                .zip(self.pairs.get(reported.pair))
                .and_then(|(event, pair)| Some((pair, event, pair.whole(reported.event, &event.payload)?)));
            let (Some((pair, event, input)), Some(alike)) = (input, self.found.get(reported.found)) else {
                self.tally.add_not_compared(1);
                continue;
            };
            let judged = pair.judged(&input, &event.runs);
            // Who runs, in the words of all events alike, so that one rule stays one.
            let runs = alike.changes.iter().filter(|change| change.what == "runs").cloned();
            let verdict = judged.changes.iter().filter(|change| change.what != "runs").cloned();
            let one = Replayed { origin: event.id.clone(), changes: runs.chain(verdict).collect(), ..judged };
            self.tally.add(&one);
        }
        Ok(())
    }

    fn fate(&mut self, pair: usize, kind: &Kind, groups: &mut Vec<Group>, store: &Store) -> Result<Fate, StoreFault> {
        let Some(event) = self.event(pair, &kind.event) else { return Ok(Fate::NotCompared) };
        let Some(of) = self.pairs.get_mut(pair) else { return Ok(Fate::NotCompared) };
        if of.alike(event) {
            return Ok(Fate::Same);
        }
        let subject = kind.subject.as_deref();
        let mut input = of.brief(event, subject, Map::new());
        if input.is_none() {
            // Its subject is none that can be told from the kind alone: one event speaks for all.
            store.of_kinds(&[kind.id()], true, &mut |_, _, payload| {
                input = of.whole(event, payload);
                ControlFlow::Break(())
            })?;
        }
        let Some(input) = input else { return Ok(Fate::NotCompared) };
        let reads = of.reads(&input);
        if !reads.is_empty() {
            groups.push(Group { pair, event, subject: kind.subject.clone(), reads });
            return Ok(Fate::Read(groups.len() - 1));
        }
        Ok(self.fate_of(pair, event, &input))
    }

    fn fate_of_values(&mut self, group: &Group, read: &by_value::Read, payload: &[u8]) -> Fate {
        let values = if read.lacks { None } else { by_value::values(&read.text, &group.reads) };
        let pair = self.pairs.get(group.pair);
        let brief = pair.zip(values).and_then(|(pair, v)| pair.brief(group.event, group.subject.as_deref(), v));
        match brief {
            Some(input) => self.fate_of(group.pair, group.event, &input),
            None => self.fate_of_payload(group, payload),
        }
    }

    fn fate_of_payload(&mut self, group: &Group, payload: &[u8]) -> Fate {
        match self.pairs.get(group.pair).and_then(|pair| pair.whole(group.event, payload)) {
            Some(input) => self.fate_of(group.pair, group.event, &input),
            None => Fate::NotCompared,
        }
    }

    fn fate_of(&mut self, pair: usize, event: &'static EventSpec, input: &HookInput) -> Fate {
        let Some(pair) = self.pairs.get_mut(pair) else { return Fate::NotCompared };
        pair.difference(event, input, &mut self.found).map_or(Fate::Same, Fate::Other)
    }

    fn count(&mut self, found: usize, events: usize) {
        if self.counts.len() <= found {
            self.counts.resize(found + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(found) {
            *count += events;
        }
    }

    /// Whether recorded runs of a kind may make a verdict known that is not known without.
    fn may_answer(&self, found: usize, kind: &Kind) -> bool {
        let Some(one) = self.found.get(found) else { return false };
        let sides = one.before.iter().chain(one.after.iter());
        let mut missing = sides.filter_map(|side| side.missing.as_ref()).peekable();
        missing.peek().is_some() && missing.all(|hook| kind.ran.iter().any(|ran| ran.hook == *hook))
    }

    fn event(&mut self, pair: usize, name: &str) -> Option<&'static EventSpec> {
        self.pairs.get_mut(pair)?.event(name)
    }
}
