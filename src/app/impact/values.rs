//! Planning by the values of payloads: of each that differs one is planned, and what was read is kept for the next change.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::by_value;
use super::signs::{BySigns, Signs};
use super::work::{Fate, Reported, Work};
use crate::core::hook::{EventSpec, HookInput};
use crate::store::{Kind, Store, StoreFault};

/// So many different inputs are kept, of so many bytes; where there are more, they are read again for every change.
const MOST: usize = 40_000;
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// What an input takes beside its values, near enough.
const FRAME: usize = 400;

/// Inputs are looked at on so many threads, each with enough to do.
const THREADS: usize = 4;
const WORTH_A_THREAD: usize = 2_000;

/// What is to be asked of each event of a kind: its values, as what this group reads.
pub(super) struct Group {
    pub pair: usize,
    pub event: &'static EventSpec,
    pub subject: Option<String>,
    pub reads: Vec<&'static str>,
    /// What becomes of them.
    pub by_signs: BySigns<Fate>,
}

/// The inputs of the events of a kind, as far as plans read them, each once, with how many events have it. None: an input
/// that cannot be built.
type Inputs = Vec<(Option<HookInput>, usize)>;

/// What was read of recorded events, as long as nothing is recorded that was not there.
#[derive(Default)]
pub struct Known {
    of: Option<Arc<Vec<Kind>>>,
    inputs: HashMap<(i64, Vec<&'static str>), Arc<Inputs>>,
    count: usize,
    bytes: usize,
}

impl Known {
    /// Forgets what may be out of date.
    pub(super) fn hold(&mut self, kinds: &Arc<Vec<Kind>>) {
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, kinds)) {
            *self = Known { of: Some(Arc::clone(kinds)), ..Known::default() };
        }
    }

    fn keep(&mut self, kind: i64, reads: &[&'static str], gathered: Gathered) {
        let (count, bytes) = (self.count + gathered.inputs.len(), self.bytes + gathered.bytes);
        if count <= MOST && bytes <= MOST_BYTES {
            (self.count, self.bytes) = (count, bytes);
            self.inputs.insert((kind, reads.to_vec()), Arc::new(gathered.inputs));
        }
    }
}

/// What is gathered of one kind while it is read.
#[derive(Default)]
struct Gathered {
    by_text: HashMap<String, (usize, Fate)>,
    /// Of no use once there are too many.
    inputs: Inputs,
    bytes: usize,
}

impl Gathered {
    fn keep(&mut self, input: Option<HookInput>, size: usize) {
        if self.inputs.len() <= MOST && self.bytes <= MOST_BYTES {
            self.inputs.push((input, 1));
            self.bytes += size + FRAME;
        }
    }
}

impl Work<'_> {
    /// Plans events by the values that decide. Whether it came to an end.
    pub(super) fn by_value(
        &mut self,
        groups: &mut [Group],
        to_read: &[(usize, usize)],
        known: &mut Known,
        store: &Store,
    ) -> Result<bool, StoreFault> {
        let kinds = Arc::clone(&self.kinds);
        let mut unread: HashMap<i64, (usize, usize, Gathered)> = HashMap::new();
        for (number, place) in to_read {
            let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place)) else { continue };
            // Of those whose reports may answer, each event is to be named.
            let inputs = known.inputs.get(&(kind.id(), group.reads.clone())).filter(|_| kind.ran.is_empty());
            let Some(inputs) = inputs.map(Arc::clone) else {
                unread.insert(kind.id(), (*number, *place, Gathered::default()));
                continue;
            };
            let Some(signs) = self.signs_of_all(group, &inputs) else { return Ok(false) };
            for ((input, events), signs) in inputs.iter().zip(signs) {
                let fate = match (input, signs) {
                    (None, _) => Fate::NotCompared,
                    (Some(input), Some(signs)) => self.fate_of_signs(group, input, signs),
                    (Some(_), None) => return Ok(false),
                };
                self.count_fate(fate, *place, *events);
            }
            if !self.goes_on() {
                return Ok(false);
            }
        }
        let mut goes_on = true;
        let ids: Vec<i64> = unread.keys().copied().collect();
        store.of_kinds(&ids, true, &mut |seq, kind, payload| {
            if let Some((number, place, gathered)) = unread.get_mut(&kind)
                && let (Some(group), Some(kind)) = (groups.get_mut(*number), kinds.get(*place))
            {
                match self.fate_of_payload(group, gathered, payload) {
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
            for (kind, (number, _, gathered)) in unread {
                if let Some(group) = groups.get(number) {
                    known.keep(kind, &group.reads, gathered);
                }
            }
        }
        Ok(goes_on)
    }

    fn count_fate(&mut self, fate: Fate, place: usize, events: usize) {
        match fate {
            Fate::Same => self.tally.add_same(events),
            Fate::Other(found) => self.count(found, place, events),
            Fate::NotCompared | Fate::Read(_) => self.tally.add_not_compared(events),
        }
    }

    fn fate_of_payload(&mut self, group: &mut Group, gathered: &mut Gathered, payload: &[u8]) -> Fate {
        let read = by_value::read(payload, &group.reads);
        if let Some(read) = &read
            && let Some((index, fate)) = gathered.by_text.get(&read.text)
        {
            if let Some((_, events)) = gathered.inputs.get_mut(*index) {
                *events += 1;
            }
            return *fate;
        }
        let values = read.as_ref().filter(|read| !read.lacks).and_then(|r| by_value::values(&r.text, &group.reads));
        let pair = self.pairs.get(group.pair);
        let input = pair.and_then(|pair| {
            let brief = values.and_then(|values| pair.brief(group.event, group.subject.as_deref(), values));
            brief.or_else(|| {
                let whole = pair.whole(group.event, payload)?;
                let keys: Vec<&str> = group.event.subject.into_iter().chain(["hook_event_name"]).collect();
                let body = by_value::only(&whole.body, &group.reads, &keys);
                Some(HookInput { body, ..whole })
            })
        });
        let fate = self.fate_of_values(group, input.as_ref());
        gathered.keep(input, read.as_ref().map_or(payload.len(), |read| read.text.len()));
        if let Some(read) = read {
            gathered.by_text.insert(read.text, (gathered.inputs.len() - 1, fate));
        }
        fate
    }

    /// What holds of each input, found out on several threads; none of an input: something newer has come.
    fn signs_of_all(&mut self, group: &Group, inputs: &Inputs) -> Option<Vec<Option<Signs>>> {
        let stop = self.superseded;
        let pair = self.pairs.get_mut(group.pair)?;
        let questions = pair.questions(group.event);
        let (pair, questions) = (&*pair, &*questions);
        let of = |input: &Option<HookInput>| {
            let input = input.as_ref().filter(|_| !stop.load(Ordering::Relaxed))?;
            Some(pair.signs_of_payload(questions, group.event, group.subject.as_deref(), input))
        };
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(THREADS));
        let part = inputs.len().div_ceil(threads).max(WORTH_A_THREAD);
        Some(std::thread::scope(|scope| {
            let parts = inputs
                .chunks(part)
                .map(|part| scope.spawn(move || part.iter().map(|(input, _)| of(input)).collect::<Vec<_>>()));
            let parts: Vec<_> = parts.collect();
            let done = parts.into_iter().map(|part| part.join());
            done.flat_map(|part| part.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
        }))
    }

    fn fate_of_values(&mut self, group: &mut Group, input: Option<&HookInput>) -> Fate {
        let (Some(input), Some(pair)) = (input, self.pairs.get_mut(group.pair)) else { return Fate::NotCompared };
        let questions = pair.questions(group.event);
        let signs = pair.signs_of_payload(&questions, group.event, group.subject.as_deref(), input);
        self.fate_of_signs(group, input, signs)
    }

    fn fate_of_signs(&mut self, group: &mut Group, input: &HookInput, signs: Signs) -> Fate {
        if let Some(fate) = group.by_signs.get(&signs) {
            return *fate;
        }
        let fate = self.fate_of(group.pair, group.event, input, false);
        group.by_signs.insert(signs, fate);
        fate
    }
}
