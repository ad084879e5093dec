//! What was read of recorded events, and what was found out about them: the next change is worked out sooner with it. One
//! change's new settings are the next one's old ones, so that only what is asked for the first time has to be found out.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::signs::{Asked, Signs};
use hookbench_core::hook::{HookInput, Subject};
use hookbench_system::store::Kind;

/// So many different inputs are kept, of so many bytes; where there are more, they are read again for every change.
pub(super) const MOST: usize = 40_000;
pub(super) const MOST_BYTES: usize = 32 * 1024 * 1024;
/// What an input takes beside its values, near enough.
const FRAME: usize = 400;

/// Answers to a question that was not asked for so many changes are forgotten: it was a letter on the way to another.
const OLD: u8 = 8;

/// The inputs of the events of a kind, as far as plans read them, each once, with how many events have it. None: an input
/// that cannot be built.
pub(super) type Inputs = Vec<(Option<HookInput>, usize)>;

/// A question with an answer for each of those that it was asked about.
struct Column<Q, A> {
    question: Q,
    answers: Vec<A>,
    age: u8,
}

/// Of which kind, and what is read of its payloads.
pub(super) type Of = (i64, Vec<&'static str>);

/// What was read of recorded events. What is recorded later is added to it; what is deleted is found by the numbers.
#[derive(Default)]
pub struct Known {
    of: Arc<Vec<Kind>>,
    inputs: HashMap<Of, Answered>,
    count: usize,
    bytes: usize,
    /// What matchers look at, by the place of the kind among all; none: it was not asked for. None in it: only payloads tell.
    subjects: Vec<OnceCell<Option<Subject>>>,
    /// What matchers say, by the place of the kind; none: it was not asked for.
    matchers: Vec<Column<Option<Value>, OnceCell<Option<bool>>>>,
}

impl Known {
    /// Makes room for kinds that are new, and forgets those that are gone. Of the others all is kept: nothing that is known
    /// of a kind depends on how many events there are.
    pub(super) fn hold(&mut self, kinds: &Arc<Vec<Kind>>) {
        if !Arc::ptr_eq(&self.of, kinds) {
            let was: HashMap<i64, usize> = self.of.iter().zip(0..).map(|(kind, place)| (kind.id(), place)).collect();
            // A number may have been given to another kind since.
            let before = |kind: &Kind| {
                was.get(&kind.id()).copied().filter(|at| self.of.get(*at).is_some_and(|was| was.is_still(kind)))
            };
            let places: Vec<Option<usize>> = kinds.iter().map(before).collect();
            move_to(&places, &mut self.subjects);
            self.matchers.iter_mut().for_each(|column| move_to(&places, &mut column.answers));
            let still: HashSet<i64> =
                kinds.iter().zip(&places).filter(|(_, before)| before.is_some()).map(|(kind, _)| kind.id()).collect();
            self.inputs.retain(|(kind, _), _| still.contains(kind));
            self.count = self.inputs.values().map(|answered| answered.inputs.len()).sum();
            self.bytes = self.inputs.values().map(|answered| answered.bytes).sum();
            self.of = Arc::clone(kinds);
        }
        grow_old(&mut self.matchers);
        self.inputs.values_mut().for_each(|answered| grow_old(&mut answered.columns));
    }

    /// Where the answers of a matcher stand.
    pub(super) fn matcher(&mut self, matcher: Option<&Value>) -> usize {
        let kinds = self.subjects.len();
        column(&mut self.matchers, &matcher.cloned(), || vec![OnceCell::new(); kinds])
    }

    /// What matchers, by where their answers stand, say of the kind at a place; `tell` tells its subject, `says` what a
    /// matcher says of it. None: the subject is not known without a payload.
    pub(super) fn signs_of(
        &self,
        place: usize,
        matchers: &[usize],
        tell: impl FnOnce() -> Option<Subject>,
        says: impl Fn(Option<&Value>, &Subject) -> Option<bool>,
    ) -> Option<Signs> {
        let subject = self.subjects.get(place)?.get_or_init(tell).as_ref()?;
        let mut signs = Signs::with_capacity(matchers.len());
        for matcher in matchers {
            let Column { question, answers, .. } = self.matchers.get(*matcher)?;
            signs.push(*answers.get(place)?.get_or_init(|| says(question.as_ref(), subject)));
        }
        Some(signs)
    }

    /// Hands out what is known of a kind; it is to be given back.
    pub(super) fn take(&mut self, of: &Of) -> Option<Answered> {
        let answered = self.inputs.remove(of)?;
        self.count -= answered.inputs.len();
        self.bytes -= answered.bytes;
        Some(answered)
    }

    /// Keeps what was read, if there is room for it.
    pub(super) fn keep(&mut self, of: Of, answered: Answered) {
        let (count, bytes) = (self.count + answered.inputs.len(), self.bytes + answered.bytes);
        if count <= MOST && bytes <= MOST_BYTES {
            (self.count, self.bytes) = (count, bytes);
            self.inputs.insert(of, answered);
        }
    }
}

/// Takes each answer along to the place where its kind stands now.
fn move_to<T>(before: &[Option<usize>], answers: &mut Vec<OnceCell<T>>) {
    let mut was = std::mem::take(answers);
    let one = |at: &Option<usize>| at.and_then(|at| was.get_mut(at)).map(std::mem::take).unwrap_or_default();
    *answers = before.iter().map(one).collect();
}

/// The inputs of the events of a kind, and what definitions asked of them.
#[derive(Default)]
pub(super) struct Answered {
    /// Of no use once there are too many.
    pub inputs: Inputs,
    /// Which input has these values.
    by_text: HashMap<String, usize>,
    bytes: usize,
    /// How many events were read. One that was deleted since is counted still: that is how it is found out.
    events: u64,
    /// Of the events up to this number all were read.
    upto: i64,
    /// Answers for the first inputs: what was read later is not asked yet.
    columns: Vec<Column<Asked, Option<bool>>>,
}

impl Answered {
    /// How many events were read.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Of the events up to this number all were read.
    pub fn upto(&self) -> i64 {
        self.upto
    }

    /// There was none beside those that were read when this was the highest number.
    pub fn is_whole_upto(&mut self, seq: i64) {
        self.upto = self.upto.max(seq);
    }

    /// There are more than are kept: what is here is not all.
    pub fn too_many(&self) -> bool {
        self.inputs.len() > MOST || self.bytes > MOST_BYTES
    }

    /// One more event was read. Whether its input is known.
    pub fn read(&mut self, seq: i64, text: Option<&str>) -> bool {
        self.events += 1;
        self.is_whole_upto(seq);
        let known = text.and_then(|text| self.by_text.get(text)).and_then(|at| self.inputs.get_mut(*at));
        known.map(|(_, events)| *events += 1).is_some()
    }

    /// Keeps an input that is new, with the text of its values, or else how many bytes it takes.
    pub fn push(&mut self, input: Option<HookInput>, text: Result<String, usize>) {
        if self.too_many() {
            return;
        }
        // Its values are kept twice: read, and as text.
        self.bytes += FRAME + text.as_ref().map_or_else(|size| *size, |text| 2 * text.len());
        if let Ok(text) = text {
            self.by_text.insert(text, self.inputs.len());
        }
        self.inputs.push((input, 1));
    }

    /// What the input that was kept last was answered.
    pub fn told(&mut self, asked: &[Asked], signs: &[Option<bool>]) {
        let before = self.inputs.len() - 1;
        for (place, asked) in asked.iter().enumerate() {
            let at = column(&mut self.columns, asked, Vec::new);
            // Who was not asked of the others is asked of all later.
            if let Some(column) = self.columns.get_mut(at).filter(|column| column.answers.len() == before) {
                column.answers.push(signs.get(place).copied().flatten());
            }
        }
    }

    /// Those of the questions that were not asked of all inputs, each with how many of the first ones it was asked of.
    pub fn unanswered(&self, asked: &[Asked]) -> Vec<(usize, usize)> {
        let known = |asked: &Asked| self.columns.iter().find(|c| c.question == *asked).map_or(0, |c| c.answers.len());
        let all = asked.iter().map(known).enumerate();
        all.filter(|(_, known)| *known < self.inputs.len()).collect()
    }

    /// Takes the answers of a question for the next inputs.
    pub fn answer(&mut self, asked: &Asked, answers: impl Iterator<Item = Option<bool>>) {
        let at = column(&mut self.columns, asked, Vec::new);
        if let Some(column) = self.columns.get_mut(at) {
            column.answers.extend(answers);
        }
    }

    /// The answers of these questions, in their order.
    pub fn answers(&mut self, asked: &[Asked]) -> Vec<&[Option<bool>]> {
        let places: Vec<usize> = asked.iter().map(|asked| column(&mut self.columns, asked, Vec::new)).collect();
        places.iter().map(|at| self.columns.get(*at).map_or(&[][..], |column| &column.answers)).collect()
    }
}

/// Where a question stands, which is asked now.
fn column<Q: PartialEq + Clone, A>(
    columns: &mut Vec<Column<Q, A>>,
    question: &Q,
    new: impl FnOnce() -> Vec<A>,
) -> usize {
    let at = columns.iter().position(|column| column.question == *question).unwrap_or_else(|| {
        columns.push(Column { question: question.clone(), answers: new(), age: 0 });
        columns.len() - 1
    });
    if let Some(column) = columns.get_mut(at) {
        column.age = 0;
    }
    at
}

fn grow_old<Q, A>(columns: &mut Vec<Column<Q, A>>) {
    for column in columns.iter_mut() {
        column.age += 1;
    }
    columns.retain(|column| column.age <= OLD);
}
