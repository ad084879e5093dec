//! Plans events by their payload values: one event for each different combination of values. The values are cached
//! for the next change.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::by_value;
use super::known::{Answered, Known, Of};
use super::signs::{BySigns, Questions, Signs};
use super::work::{Fate, Reported, Work};
use hookbench_core::hook::{EventSpec, HookInput};
use hookbench_system::store::{Store, StoreFault};

/// The number of threads that evaluate inputs, and the minimum number of inputs for each.
const THREADS: usize = 4;
const WORTH_A_THREAD: usize = 2_000;

/// The events of one kind that must be planned by their payload values.
pub(super) struct Group {
    pub pair: usize,
    pub event: &'static EventSpec,
    pub subject: Option<String>,
    pub reads: Vec<&'static str>,
    /// The result for each signature.
    pub by_signs: BySigns<Fate>,
}

/// The data collected while one kind is read.
#[derive(Default)]
struct Gathered {
    by_text: HashMap<String, Fate>,
    answered: Answered,
}

impl Work<'_> {
    /// Plans events by their payload values. Returns `false` if it was cut short.
    pub(super) fn by_value(
        &mut self,
        groups: &mut [Group],
        to_read: &[(usize, usize)],
        known: &mut Known,
        store: &Store,
    ) -> Result<bool, StoreFault> {
        self.catch_up(groups, to_read, known, store)?;
        let kinds = Arc::clone(&self.kinds);
        let mut unread: HashMap<i64, (usize, usize, Gathered)> = HashMap::new();
        for (number, place) in to_read {
            let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place)) else { continue };
            let of: Of = (kind.id(), group.reads.clone());
            // If recorded reports may determine the verdict, each event must be read individually.
            let answered = if kind.ran.is_empty() { known.take(&of) } else { None };
            // Different counts mean that events were deleted.
            let Some(mut answered) = answered.filter(|answered| answered.events() == kind.events) else {
                unread.insert(kind.id(), (*number, *place, Gathered::default()));
                continue;
            };
            answered.is_whole_upto(self.top);
            let whole = self.of_known(group, &mut answered, *place);
            known.keep(of, answered);
            if !whole || !self.goes_on() {
                return Ok(false);
            }
        }
        let mut goes_on = true;
        let ids: Vec<i64> = unread.keys().copied().collect();
        store.of_kinds(&ids, true, &mut |seq, kind, payload| {
            if let Some((number, place, gathered)) = unread.get_mut(&kind)
                && let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place))
            {
                match self.fate_of_payload(group, gathered, seq, payload) {
                    Fate::Other(found) if self.may_answer(found, kind) => {
                        self.reports.push(Reported { seq, pair: group.pair, event: group.event, found });
                    }
                    fate => self.count_fate(fate, *place, 1),
                }
            }
            goes_on = self.goes_on();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if goes_on {
            for (kind, (number, place, gathered)) in unread {
                let may_be_asked = kinds.get(place).is_some_and(|kind| kind.ran.is_empty());
                if let Some(group) = groups.get(number).filter(|_| may_be_asked) {
                    known.keep((kind, group.reads.clone()), gathered.answered);
                }
            }
        }
        Ok(goes_on)
    }

    /// Reads the events that were recorded since the cached data was read.
    fn catch_up(
        &mut self,
        groups: &[Group],
        to_read: &[(usize, usize)],
        known: &mut Known,
        store: &Store,
    ) -> Result<(), StoreFault> {
        let kinds = Arc::clone(&self.kinds);
        let mut behind: HashMap<i64, (usize, Answered)> = HashMap::new();
        for (number, place) in to_read {
            let (Some(group), Some(kind)) = (groups.get(*number), kinds.get(*place)) else { continue };
            let of: Of = (kind.id(), group.reads.clone());
            match known.take(&of) {
                Some(answered) if answered.events() < kind.events => {
                    behind.insert(kind.id(), (*number, answered));
                }
                Some(answered) => known.keep(of, answered),
                None => {}
            }
        }
        let Some(from) = behind.values().map(|(_, answered)| answered.upto()).min() else { return Ok(()) };
        let ids: Vec<i64> = behind.keys().copied().collect();
        let read = store.of_kinds_after(from, &ids, &mut |seq, kind, payload| {
            if let Some((number, answered)) = behind.get_mut(&kind).filter(|(_, answered)| seq > answered.upto())
                && let Some(group) = groups.get(*number)
            {
                let read = by_value::read(payload, &group.reads);
                if !answered.read(seq, read.as_ref().map(|read| read.text.as_str())) {
                    let input = self.input_of(group, read.as_ref(), payload);
                    answered.push(input, read.map(|read| read.text).ok_or(payload.len()));
                }
            }
            if self.goes_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        for (kind, (number, answered)) in behind {
            if let Some(group) = groups.get(number).filter(|_| !answered.too_many()) {
                known.keep((kind, group.reads.clone()), answered);
            }
        }
        read
    }

    fn count_fate(&mut self, fate: Fate, place: usize, events: usize) {
        match fate {
            Fate::Same => self.tally.add_same(events),
            Fate::Other(found) => self.count(found, place, events),
            Fate::NotCompared | Fate::Read(_) => self.tally.add_not_compared(events),
        }
    }

    fn fate_of_payload(&mut self, group: &mut Group, gathered: &mut Gathered, seq: i64, payload: &[u8]) -> Fate {
        let read = by_value::read(payload, &group.reads);
        let known = gathered.answered.read(seq, read.as_ref().map(|read| read.text.as_str()));
        if let Some(fate) = read.as_ref().and_then(|read| gathered.by_text.get(&read.text)) {
            return *fate;
        }
        let input = self.input_of(group, read.as_ref(), payload);
        let (fate, asked, signs) = match (&input, self.pairs.get_mut(group.pair)) {
            (Some(input), Some(pair)) => {
                let questions = pair.questions(group.event);
                let signs = pair.signs_of_payload(&questions, group.event, group.subject.as_deref(), input);
                (self.fate_of_signs(group, input, &signs), Some(questions), signs)
            }
            _ => (Fate::NotCompared, None, Signs::new()),
        };
        if let Some(read) = &read {
            gathered.by_text.insert(read.text.clone(), fate);
        }
        if !known && !gathered.answered.too_many() {
            gathered.answered.push(input, read.map(|read| read.text).ok_or(payload.len()));
            gathered.answered.told(asked.as_ref().map_or(&[][..], |questions| &questions.asked), &signs);
        }
        fate
    }

    /// The input of an event, reduced to the values that this group reads; `None` if it cannot be built.
    fn input_of(&self, group: &Group, read: Option<&by_value::Read>, payload: &[u8]) -> Option<HookInput> {
        let pair = self.pairs.get(group.pair)?;
        let values = read.filter(|read| !read.lacks).and_then(|read| by_value::values(&read.text, &group.reads));
        let brief = values.and_then(|values| pair.brief(group.event, group.subject.as_deref(), values));
        brief.or_else(|| {
            let whole = pair.whole(group.event, payload)?;
            let keys: Vec<&str> = group.event.subject.into_iter().chain(["hook_event_name"]).collect();
            let body = by_value::only(&whole.body, &group.reads, &keys);
            Some(HookInput { body, ..whole })
        })
    }

    /// Plans the cached inputs of a kind. Returns `false` if it was cut short.
    fn of_known(&mut self, group: &mut Group, answered: &mut Answered, place: usize) -> bool {
        let Some(pair) = self.pairs.get_mut(group.pair) else { return true };
        let questions = pair.questions(group.event);
        if !self.ask(group, &questions, answered) {
            return false;
        }
        let inputs = std::mem::take(&mut answered.inputs);
        let answers = answered.answers(&questions.asked);
        let mut signs = Signs::new();
        for (at, (input, events)) in inputs.iter().enumerate() {
            let fate = match input {
                None => Fate::NotCompared,
                Some(input) => {
                    signs.clear();
                    signs.extend(answers.iter().map(|answers| answers.get(at).copied().flatten()));
                    if let Some(pair) = self.pairs.get(group.pair) {
                        pair.add_own_subject(&questions, group.event, group.subject.as_deref(), input, &mut signs);
                    }
                    self.fate_of_signs(group, input, &signs)
                }
            };
            self.count_fate(fate, place, *events);
        }
        answered.inputs = inputs;
        true
    }

    /// Evaluates the missing conditions of these inputs on several threads. Returns `false` if a newer change has
    /// arrived.
    fn ask(&mut self, group: &Group, questions: &Questions, answered: &mut Answered) -> bool {
        let new = answered.unanswered(&questions.asked);
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
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(THREADS));
        let part = inputs.len().div_ceil(threads).max(WORTH_A_THREAD);
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
            if let Some(asked) = questions.asked.get(*question) {
                let answers = all.iter().skip(known - from).map(|answers| answers.get(nth).copied().flatten());
                answered.answer(asked, answers);
            }
        }
        true
    }

    fn fate_of_signs(&mut self, group: &mut Group, input: &HookInput, signs: &Signs) -> Fate {
        if let Some(fate) = group.by_signs.get(signs) {
            return *fate;
        }
        let fate = self.fate_of(group.pair, group.event, input, false);
        group.by_signs.insert(signs.clone(), fate);
        fate
    }
}
