//! Plans events by their payload values: one event for each different combination of values. The values are cached
//! for the next change.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::cache::{BySignature, EvaluatedInputs, EventQuestions, ImpactCache, InputKey, Signature};
use super::computation::{EventImpact, ImpactComputation, ReportedEvent};
use hookbench_core::hook::{EventSpec, HookInput};
use hookbench_system::store::{Store, StoreError};

/// The number of threads that evaluate inputs, and the minimum number of inputs for each.
const MAX_THREADS: usize = 4;
const MIN_INPUTS_PER_THREAD: usize = 2_000;

/// The events of one kind that must be planned by their payload values.
pub(super) struct PayloadGroup {
    pub pair: usize,
    pub event: &'static EventSpec,
    pub subject: Option<String>,
    pub reads: Vec<&'static str>,
    /// The result for each signature.
    pub by_signature: BySignature<EventImpact>,
}

/// The data collected while one kind is read.
#[derive(Default)]
struct KindScan {
    by_text: HashMap<String, EventImpact>,
    inputs: EvaluatedInputs,
}

impl ImpactComputation<'_> {
    /// Plans events by their payload values. Returns `false` if it was cut short.
    pub(super) fn plan_by_value(
        &mut self,
        groups: &mut [PayloadGroup],
        to_read: &[(usize, usize)],
        known: &mut ImpactCache,
        store: &Store,
    ) -> Result<bool, StoreError> {
        self.catch_up(groups, to_read, known, store)?;
        let kinds = Arc::clone(&self.kinds);
        let mut unread: HashMap<i64, (usize, usize, KindScan)> = HashMap::new();
        for (number, place) in to_read {
            let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place)) else { continue };
            let of: InputKey = (kind.id(), group.reads.clone());
            // If recorded reports may determine the verdict, each event must be read individually.
            let answered = if kind.hook_results.is_empty() { known.take_inputs(&of) } else { None };
            // Different counts mean that events were deleted.
            let Some(mut answered) = answered.filter(|answered| answered.events() == kind.events) else {
                unread.insert(kind.id(), (*number, *place, KindScan::default()));
                continue;
            };
            answered.mark_read_up_to(self.last_seq);
            let whole = self.plan_cached(group, &mut answered, *place);
            known.put_back(of, answered);
            if !whole || !self.has_time() {
                return Ok(false);
            }
        }
        let mut goes_on = true;
        let ids: Vec<i64> = unread.keys().copied().collect();
        store.for_each_of_kinds(&ids, true, &mut |seq, kind, payload| {
            if let Some((number, place, gathered)) = unread.get_mut(&kind)
                && let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place))
            {
                match self.payload_impact(group, gathered, seq, payload) {
                    EventImpact::Different(found) if self.reports_may_decide(found, kind) => {
                        self.reports.push(ReportedEvent { seq, pair: group.pair, event: group.event, found });
                    }
                    fate => self.count_impact(fate, *place, 1),
                }
            }
            goes_on = self.has_time();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if goes_on {
            for (kind, (number, place, gathered)) in unread {
                let may_be_asked = kinds.get(place).is_some_and(|kind| kind.hook_results.is_empty());
                if let Some(group) = groups.get(number).filter(|_| may_be_asked) {
                    known.put_back((kind, group.reads.clone()), gathered.inputs);
                }
            }
        }
        Ok(goes_on)
    }

    /// Reads the events that were recorded since the cached data was read.
    fn catch_up(
        &mut self,
        groups: &[PayloadGroup],
        to_read: &[(usize, usize)],
        known: &mut ImpactCache,
        store: &Store,
    ) -> Result<(), StoreError> {
        let kinds = Arc::clone(&self.kinds);
        let mut behind: HashMap<i64, (usize, EvaluatedInputs)> = HashMap::new();
        for (number, place) in to_read {
            let (Some(group), Some(kind)) = (groups.get(*number), kinds.get(*place)) else { continue };
            let of: InputKey = (kind.id(), group.reads.clone());
            match known.take_inputs(&of) {
                Some(answered) if answered.events() < kind.events => {
                    behind.insert(kind.id(), (*number, answered));
                }
                Some(answered) => known.put_back(of, answered),
                None => {}
            }
        }
        let Some(from) = behind.values().map(|(_, answered)| answered.read_up_to()).min() else { return Ok(()) };
        let ids: Vec<i64> = behind.keys().copied().collect();
        let read = store.for_each_of_kinds_after(from, &ids, &mut |seq, kind, payload| {
            if let Some((number, answered)) = behind.get_mut(&kind).filter(|(_, answered)| seq > answered.read_up_to())
                && let Some(group) = groups.get(*number)
            {
                let read = read(payload, &group.reads);
                if !answered.count_event(seq, read.as_ref().map(|read| read.text.as_str())) {
                    let input = self.input_of(group, read.as_ref(), payload);
                    answered.push(input, read.map(|read| read.text).ok_or(payload.len()));
                }
            }
            if self.has_time() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        for (kind, (number, answered)) in behind {
            if let Some(group) = groups.get(number).filter(|_| !answered.too_many()) {
                known.put_back((kind, group.reads.clone()), answered);
            }
        }
        read
    }

    fn count_impact(&mut self, fate: EventImpact, place: usize, events: usize) {
        match fate {
            EventImpact::Same => self.tally.add_same(events),
            EventImpact::Different(found) => self.count(found, place, events),
            EventImpact::NotCompared | EventImpact::NeedsPayload(_) => self.tally.add_not_compared(events),
        }
    }

    fn payload_impact(
        &mut self,
        group: &mut PayloadGroup,
        gathered: &mut KindScan,
        seq: i64,
        payload: &[u8],
    ) -> EventImpact {
        let read = read(payload, &group.reads);
        let known = gathered.inputs.count_event(seq, read.as_ref().map(|read| read.text.as_str()));
        if let Some(fate) = read.as_ref().and_then(|read| gathered.by_text.get(&read.text)) {
            return *fate;
        }
        let input = self.input_of(group, read.as_ref(), payload);
        let (fate, asked, signs) = match (&input, self.pairs.get_mut(group.pair)) {
            (Some(input), Some(pair)) => {
                let questions = pair.questions(group.event);
                let signs = pair.payload_signature(&questions, group.event, group.subject.as_deref(), input);
                (self.signature_impact(group, input, &signs), Some(questions), signs)
            }
            _ => (EventImpact::NotCompared, None, Signature::new()),
        };
        if let Some(read) = &read {
            gathered.by_text.insert(read.text.clone(), fate);
        }
        if !known && !gathered.inputs.too_many() {
            gathered.inputs.push(input, read.map(|read| read.text).ok_or(payload.len()));
            gathered.inputs.push_answers(asked.as_ref().map_or(&[][..], |questions| &questions.conditions), &signs);
        }
        fate
    }

    /// The input of an event, reduced to the values that this group reads; `None` if it cannot be built.
    fn input_of(&self, group: &PayloadGroup, read: Option<&PayloadValues>, payload: &[u8]) -> Option<HookInput> {
        let pair = self.pairs.get(group.pair)?;
        let values = read.filter(|read| !read.has_missing_key).and_then(|read| values(&read.text, &group.reads));
        let brief = values.and_then(|values| pair.brief_input(group.event, group.subject.as_deref(), values));
        brief.or_else(|| {
            let whole = pair.full_input(group.event, payload)?;
            let keys: Vec<&str> = group.event.subject.into_iter().chain(["hook_event_name"]).collect();
            let body = reduce(&whole.body, &group.reads, &keys);
            Some(HookInput { body, ..whole })
        })
    }

    /// Plans the cached inputs of a kind. Returns `false` if it was cut short.
    fn plan_cached(&mut self, group: &mut PayloadGroup, answered: &mut EvaluatedInputs, place: usize) -> bool {
        let Some(pair) = self.pairs.get_mut(group.pair) else { return true };
        let questions = pair.questions(group.event);
        if !self.evaluate_missing(group, &questions, answered) {
            return false;
        }
        let inputs = std::mem::take(&mut answered.inputs);
        let answers = answered.answers(&questions.conditions);
        let mut signs = Signature::new();
        for (at, (input, events)) in inputs.iter().enumerate() {
            let fate = match input {
                None => EventImpact::NotCompared,
                Some(input) => {
                    signs.clear();
                    signs.extend(answers.iter().map(|answers| answers.get(at).copied().flatten()));
                    if let Some(pair) = self.pairs.get(group.pair) {
                        pair.add_own_subject(&questions, group.event, group.subject.as_deref(), input, &mut signs);
                    }
                    self.signature_impact(group, input, &signs)
                }
            };
            self.count_impact(fate, place, *events);
        }
        answered.inputs = inputs;
        true
    }

    /// Evaluates the missing conditions of these inputs on several threads. Returns `false` if a newer change has
    /// arrived.
    fn evaluate_missing(
        &mut self,
        group: &PayloadGroup,
        questions: &EventQuestions,
        answered: &mut EvaluatedInputs,
    ) -> bool {
        let new = answered.unanswered(&questions.conditions);
        let Some(pair) = self.pairs.get(group.pair).filter(|_| !new.is_empty()) else { return true };
        let (stop, new) = (self.superseded, new.as_slice());
        let of = |at: usize, input: &Option<HookInput>| -> Vec<Option<bool>> {
            let Some(input) = input.as_ref().filter(|_| !stop.load(Ordering::Relaxed)) else { return Vec::new() };
            let answer = |(question, known): &(usize, usize)| {
                if at < *known { None } else { questions.holds(*question, pair.sides(), input) }
            };
            new.iter().map(answer).collect()
        };
        // Skip the inputs for which all results exist.
        let from = new.iter().map(|(_, known)| *known).min().unwrap_or(0);
        let inputs = answered.inputs.get(from..).unwrap_or_default();
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(MAX_THREADS));
        let part = inputs.len().div_ceil(threads).max(MIN_INPUTS_PER_THREAD);
        let all: Vec<Vec<Option<bool>>> = std::thread::scope(|scope| {
            let parts = inputs.chunks(part).zip((from..).step_by(part)).map(|(part, first)| {
                scope.spawn(move || part.iter().zip(first..).map(|((input, _), at)| of(at, input)).collect::<Vec<_>>())
            });
            let parts: Vec<_> = parts.collect();
            let done = parts.into_iter().map(|part| part.join());
            done.flat_map(|part| part.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
        });
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        for (nth, (question, known)) in new.iter().enumerate() {
            if let Some(asked) = questions.conditions.get(*question) {
                let answers = all.iter().skip(known - from).map(|answers| answers.get(nth).copied().flatten());
                answered.append_answers(asked, answers);
            }
        }
        true
    }

    fn signature_impact(&mut self, group: &mut PayloadGroup, input: &HookInput, signs: &Signature) -> EventImpact {
        if let Some(fate) = group.by_signature.get(signs) {
            return *fate;
        }
        let fate = self.input_impact(group.pair, group.event, input, false);
        group.by_signature.insert(signs.clone(), fate);
        fate
    }
}

/// A separator that valid JSON never contains unescaped.
const SEPARATOR: char = '\0';

/// The values at some JSON pointers, as text that is equal for equal values.
pub(super) struct PayloadValues {
    pub text: String,
    /// Whether a top-level key of the payload is missing; the agent may fill it in.
    pub has_missing_key: bool,
}

/// Reads the values at the pointers. `None` if the payload cannot be read this way and must be parsed as a whole.
pub(super) fn read(payload: &[u8], pointers: &[&str]) -> Option<PayloadValues> {
    let top: BTreeMap<&str, &RawValue> = serde_json::from_slice(payload).ok()?;
    let (mut text, mut lacks) = (String::new(), false);
    for pointer in pointers {
        let (first, rest) = split_pointer(pointer);
        match (top.get(first), rest) {
            (None, _) => lacks = true,
            (Some(raw), None) => text.push_str(raw.get()),
            (Some(raw), Some(rest)) => {
                let inner: BTreeMap<&str, &RawValue> = serde_json::from_str(raw.get()).ok()?;
                text.push_str(inner.get(rest).map_or("", |raw| raw.get()));
            }
        }
        text.push(SEPARATOR);
    }
    Some(PayloadValues { text, has_missing_key: lacks })
}

/// Rebuilds an object with only these values.
pub(super) fn values(text: &str, pointers: &[&str]) -> Option<Map<String, Value>> {
    let mut body = Map::new();
    for (pointer, value) in pointers.iter().zip(text.split(SEPARATOR)) {
        let (first, rest) = split_pointer(pointer);
        match rest {
            None => {
                body.insert(first.to_owned(), serde_json::from_str(value).ok()?);
            }
            Some(rest) => {
                let inner = body.entry(first).or_insert_with(|| Value::Object(Map::new()));
                if let (Some(inner), false) = (inner.as_object_mut(), value.is_empty()) {
                    inner.insert(rest.to_owned(), serde_json::from_str(value).ok()?);
                }
            }
        }
    }
    Some(body)
}

/// Reduces an object to the values at these pointers and keys.
pub(super) fn reduce(body: &Value, pointers: &[&str], keys: &[&str]) -> Value {
    let mut less = Map::new();
    for key in keys {
        less.extend(body.get(key).map(|value| ((*key).to_owned(), value.clone())));
    }
    for pointer in pointers {
        let Some(value) = body.pointer(pointer) else { continue };
        match split_pointer(pointer) {
            (key, None) => {
                less.insert(key.to_owned(), value.clone());
            }
            (key, Some(rest)) => {
                let inner = less.entry(key).or_insert_with(|| Value::Object(Map::new()));
                inner.as_object_mut().map(|inner| inner.insert(rest.to_owned(), value.clone()));
            }
        }
    }
    Value::Object(less)
}

/// Splits a pointer into a key of the payload and a key inside it; no plan reads deeper.
fn split_pointer(pointer: &str) -> (&str, Option<&str>) {
    let path = pointer.trim_start_matches('/');
    path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)))
}
