//! Computes an impact from the store: kinds first, then the payloads that plans read, then the events whose
//! recorded runs may determine the verdict.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::by_payload::PayloadGroup;
use super::cache::{BySignature, ImpactCache, Signature};
use super::config_pair::PlanDifference;
use super::config_pairs::ConfigPairs;
use super::{Impact, SettingsChange};
use crate::recordings::replay::{ReplayTally, ReplayedEvent};
use hookbench_core::hook::{EventSpec, HookInput, Subject};
use hookbench_core::recorded::PayloadSource;
use hookbench_system::store::{EventKind, Store, StoreError};

/// The time after which a preliminary result is reported.
const PARTIAL_AFTER: Duration = Duration::from_millis(50);
/// The time limit of the computation.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Cancellation and preliminary results of a computation.
pub struct ImpactControl<'a> {
    /// Set when a newer change has arrived.
    pub superseded: &'a AtomicBool,
    pub on_partial_result: &'a mut dyn FnMut(Impact),
}

/// Computes the impact of a change on the recorded events. Returns `None` if a newer change has arrived. `known`
/// caches the data read, which speeds up the next change.
pub fn impact<'a>(
    change: &'a SettingsChange,
    store: &Store,
    known: &mut ImpactCache,
    control: ImpactControl<'a>,
) -> Result<Option<Impact>, StoreError> {
    let mut work = ImpactComputation::new(change, known, store, control)?;
    work.done = work.plan_by_kind(known, store)?;
    if work.done {
        work.decide_by_report(store)?;
    }
    Ok((!work.is_superseded()).then(|| work.summarize()))
}

/// Fills the cache for the next change: reads the values in recorded events that these settings depend on.
pub fn read_ahead(
    settings: &SettingsChange,
    store: &Store,
    known: &mut ImpactCache,
    superseded: &AtomicBool,
) -> Result<(), StoreError> {
    let mut nobody = |_| {};
    let mut work =
        ImpactComputation::new(settings, known, store, ImpactControl { superseded, on_partial_result: &mut nobody })?;
    (work.read_ahead_only, work.reported) = (true, true);
    work.plan_by_kind(known, store)?;
    Ok(())
}

/// The result for the events with one name and subject.
#[derive(Clone, Copy)]
pub(super) enum EventImpact {
    Same,
    /// The difference with this index.
    Different(usize),
    NotCompared,
    /// The payloads decide; the events belong to the group with this index.
    NeedsPayload(usize),
}

/// The result for all subjects with the same matcher results.
#[derive(Clone)]
enum SubjectImpact {
    Known(EventImpact),
    /// The payload values at these pointers decide.
    NeedsPayload(Vec<&'static str>),
}

/// An event whose recorded runs may determine its verdicts.
pub(super) struct ReportedEvent {
    pub seq: i64,
    pub pair: usize,
    pub event: &'static EventSpec,
    pub found: usize,
}

pub(super) struct ImpactComputation<'a> {
    pub change: &'a SettingsChange,
    pub pairs: ConfigPairs<'a>,
    /// Set when a newer change has arrived.
    pub superseded: &'a AtomicBool,
    control: ImpactControl<'a>,
    start: Instant,
    reported: bool,
    /// Whether this only reads ahead, so that unchanged events are read too.
    read_ahead_only: bool,
    pub done: bool,
    /// The kinds count all events up to this number, and possibly newer ones.
    pub last_seq: i64,
    pub kinds: Arc<Vec<EventKind>>,
    /// The differences found so far.
    pub found: Vec<PlanDifference>,
    by_signature: HashMap<(usize, &'static str, Signature), SubjectImpact>,
    /// The cache columns of the matchers of an event.
    matchers: HashMap<(usize, &'static str), Arc<Vec<usize>>>,
    pub reports: Vec<ReportedEvent>,
    pub tally: ReplayTally,
}

impl<'a> ImpactComputation<'a> {
    fn new(
        change: &'a SettingsChange,
        known: &mut ImpactCache,
        store: &Store,
        control: ImpactControl<'a>,
    ) -> Result<ImpactComputation<'a>, StoreError> {
        let top = store.last_seq()?;
        let kinds = store.kinds()?;
        known.update_kinds(&kinds);
        Ok(ImpactComputation {
            change,
            last_seq: top,
            pairs: ConfigPairs::new(change),
            superseded: control.superseded,
            control,
            start: Instant::now(),
            reported: false,
            read_ahead_only: false,
            done: false,
            found: Vec::new(),
            kinds,
            by_signature: HashMap::new(),
            matchers: HashMap::new(),
            reports: Vec::new(),
            tally: ReplayTally::default(),
        })
    }

    fn is_superseded(&self) -> bool {
        self.superseded.load(Ordering::Relaxed)
    }

    /// Returns whether there is time left. Reports a preliminary result once.
    pub(super) fn has_time(&mut self) -> bool {
        let took = self.start.elapsed();
        if took > PARTIAL_AFTER && !self.reported {
            self.reported = true;
            let so_far = self.summarize();
            (self.control.on_partial_result)(so_far);
        }
        took < TIME_LIMIT && !self.is_superseded()
    }

    /// Plans every kind, then the kinds that need payload values. Returns `false` if it was cut short.
    fn plan_by_kind(&mut self, known: &mut ImpactCache, store: &Store) -> Result<bool, StoreError> {
        let kinds = Arc::clone(&self.kinds);
        let mut read: HashMap<(usize, &str, Option<&str>), EventImpact> = HashMap::new();
        let mut groups: Vec<PayloadGroup> = Vec::new();
        // Pairs of group index and kind index.
        let mut to_read: Vec<(usize, usize)> = Vec::new();
        let mut to_list: HashMap<i64, (usize, &'static EventSpec, usize)> = HashMap::new();
        let agent = self.change.dialect.id();
        // Events that the user fired say nothing about the agent's work.
        let concerns = |kind: &EventKind| kind.agent == agent && kind.payload_source != PayloadSource::Fired;
        for (place, kind) in kinds.iter().enumerate().filter(|(_, kind)| concerns(kind)) {
            if !self.has_time() {
                return Ok(false);
            }
            let Some(pair) = self.pairs.of(kind) else { continue };
            let key = (pair, kind.event.as_str(), kind.subject.as_deref());
            let as_before = if read.is_empty() { None } else { read.get(&key).copied() };
            let fate = match as_before {
                Some(fate) => fate,
                None => self.kind_impact(pair, (place, kind), &mut groups, known, store)?,
            };
            let count = usize::try_from(kind.events).unwrap_or(usize::MAX);
            match fate {
                EventImpact::Same => self.tally.add_same(count),
                EventImpact::NotCompared => self.tally.add_not_compared(count),
                EventImpact::Different(found) if self.reports_may_decide(found, kind) => {
                    if let Some(event) = self.event(pair, &kind.event) {
                        to_list.insert(kind.id(), (pair, event, found));
                    }
                }
                EventImpact::Different(found) => self.count(found, place, count),
                EventImpact::NeedsPayload(group) => {
                    to_read.push((group, place));
                    read.insert(key, fate);
                }
            }
        }
        let mut goes_on = true;
        let listed: Vec<i64> = to_list.keys().copied().collect();
        store.for_each_of_kinds(&listed, false, &mut |seq, kind, _| {
            if let Some((pair, event, found)) = to_list.get(&kind) {
                self.reports.push(ReportedEvent { seq, pair: *pair, event, found: *found });
            }
            goes_on = self.has_time();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(goes_on && self.plan_by_value(&mut groups, &to_read, known, store)?)
    }

    /// Determines the verdicts of events that have recorded runs. Events that remain when the time is up stay
    /// unknown.
    fn decide_by_report(&mut self, store: &Store) -> Result<(), StoreError> {
        while let Some(reported) = self.reports.pop() {
            if !self.has_time() {
                self.reports.push(reported);
                self.done = false;
                break;
            }
            let whole = store.event(reported.seq)?;
            let input = whole.as_ref().zip(self.pairs.get_mut(reported.pair)).and_then(|(event, pair)| {
                pair.full_input(reported.event, &event.payload).map(|input| (pair, event, input))
            });
            let (Some((pair, event, input)), Some(found)) = (input, self.found.get(reported.found)) else {
                self.tally.add_not_compared(1);
                continue;
            };
            let judged = pair.assess(&input, &event.runs);
            // Hook changes are taken from the shared difference, so that all its events count under one rule.
            let own = !found.for_all || found.example.subject == input.subject.value;
            let other = if own { None } else { pair.reworded_for(found, input.subject.value.as_deref()) };
            let alike = other.as_ref().unwrap_or(&found.example);
            let runs = alike.changes.iter().filter(|change| change.what == "runs").cloned();
            let verdict = judged.changes.iter().filter(|change| change.what != "runs").cloned();
            let one = ReplayedEvent { origin: event.id.clone(), changes: runs.chain(verdict).collect(), ..judged };
            self.tally.add(&one);
        }
        Ok(())
    }

    fn kind_impact(
        &mut self,
        pair: usize,
        (place, kind): (usize, &EventKind),
        groups: &mut Vec<PayloadGroup>,
        known: &mut ImpactCache,
        store: &Store,
    ) -> Result<EventImpact, StoreError> {
        let Some(event) = self.event(pair, &kind.event) else { return Ok(EventImpact::NotCompared) };
        let Some(of) = self.pairs.get_mut(pair) else { return Ok(EventImpact::NotCompared) };
        if !self.read_ahead_only && of.is_unchanged(event) {
            return Ok(EventImpact::Same);
        }
        let subject = kind.subject.as_deref();
        let matchers = self.matchers.entry((pair, event.name));
        let matchers = Arc::clone(matchers.or_insert_with(|| {
            Arc::new(of.questions(event).matchers.iter().map(|matcher| known.matcher(matcher.as_ref())).collect())
        }));
        let says = |matcher: Option<&Value>, subject: &Subject| of.matches(event, matcher, subject);
        let signs = known.signature(place, &matchers, || of.subject(event, subject), says);
        let signs = signs.map(|signs| (pair, event.name, signs));
        let as_before = signs.as_ref().and_then(|signs| self.by_signature.get(signs).cloned());
        let shape = match as_before {
            Some(shape) => shape,
            None => {
                let mut input = signs.as_ref().and_then(|_| of.brief_input(event, subject, Map::new()));
                if input.is_none() {
                    // The subject is not determined by the kind, so one event represents all.
                    store.for_each_of_kinds(&[kind.id()], true, &mut |_, _, payload| {
                        input = of.full_input(event, payload);
                        ControlFlow::Break(())
                    })?;
                }
                let Some(input) = input else { return Ok(EventImpact::NotCompared) };
                let reads = of.payload_reads(&input);
                let shape = if reads.is_empty() {
                    SubjectImpact::Known(self.input_impact(pair, event, &input, signs.is_some()))
                } else {
                    SubjectImpact::NeedsPayload(reads)
                };
                if let Some(signs) = signs {
                    self.by_signature.insert(signs, shape.clone());
                }
                shape
            }
        };
        Ok(match shape {
            SubjectImpact::Known(fate) => fate,
            SubjectImpact::NeedsPayload(reads) => {
                groups.push(PayloadGroup {
                    pair,
                    event,
                    subject: kind.subject.clone(),
                    reads,
                    by_signature: BySignature::new(),
                });
                EventImpact::NeedsPayload(groups.len() - 1)
            }
        })
    }

    pub(super) fn input_impact(
        &mut self,
        pair: usize,
        event: &'static EventSpec,
        input: &HookInput,
        for_all: bool,
    ) -> EventImpact {
        let Some(of) = self.pairs.get_mut(pair) else { return EventImpact::NotCompared };
        of.difference(pair, event, input, for_all, &mut self.found).map_or(EventImpact::Same, EventImpact::Different)
    }

    pub(super) fn count(&mut self, found: usize, kind: usize, events: usize) {
        let Some(found) = self.found.get_mut(found) else { return };
        match found.counts.last_mut() {
            Some((last, count)) if *last == kind => *count += events,
            _ => found.counts.push((kind, events)),
        }
    }

    /// Returns whether recorded runs of a kind may determine a verdict that is otherwise unknown.
    pub(super) fn reports_may_decide(&self, found: usize, kind: &EventKind) -> bool {
        let Some(one) = self.found.get(found) else { return false };
        let sides = one.example.before.iter().chain(one.example.after.iter());
        let mut missing = sides.filter_map(|side| side.missing.as_ref()).peekable();
        missing.peek().is_some() && missing.all(|hook| kind.hook_results.iter().any(|ran| ran.hook == *hook))
    }

    fn event(&mut self, pair: usize, name: &str) -> Option<&'static EventSpec> {
        self.pairs.get_mut(pair)?.event(name)
    }
}
