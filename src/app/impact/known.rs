//! What was read of recorded events, and what was found out about them: the next change is worked out sooner with it. One
//! change's new settings are the next one's old ones, so that only what is asked for the first time has to be found out.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::signs::{Asked, Signs};
use crate::core::hook::{HookInput, Subject};
use crate::store::Kind;

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

/// What was read of recorded events, as long as nothing is recorded that was not there.
#[derive(Default)]
pub struct Known {
    of: Option<Arc<Vec<Kind>>>,
    inputs: HashMap<Of, Answered>,
    count: usize,
    bytes: usize,
    /// What matchers look at, by the place of the kind among all; none: it was not asked for. None in it: only payloads tell.
    subjects: Vec<OnceCell<Option<Subject>>>,
    /// What matchers say, by the place of the kind; none: it was not asked for.
    matchers: Vec<Column<Option<Value>, OnceCell<Option<bool>>>>,
}

impl Known {
    /// Forgets what may be out of date.
    pub(super) fn hold(&mut self, kinds: &Arc<Vec<Kind>>) {
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, kinds)) {
            *self =
                Known { of: Some(Arc::clone(kinds)), subjects: vec![OnceCell::new(); kinds.len()], ..Known::default() };
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
        self.inputs.remove(of)
    }

    pub(super) fn give_back(&mut self, of: Of, answered: Answered) {
        self.inputs.insert(of, answered);
    }

    /// Keeps what was read for the first time, if there is room for it.
    pub(super) fn keep(&mut self, of: Of, answered: Answered) {
        let (count, bytes) = (self.count + answered.inputs.len(), self.bytes + answered.bytes);
        if count <= MOST && bytes <= MOST_BYTES {
            (self.count, self.bytes) = (count, bytes);
            self.inputs.insert(of, answered);
        }
    }
}

/// Inputs, and what definitions asked of them.
#[derive(Default)]
pub(super) struct Answered {
    /// Of no use once there are too many.
    pub inputs: Inputs,
    bytes: usize,
    /// An answer for each input, or for none at all while nobody has asked.
    columns: Vec<Column<Asked, Option<bool>>>,
}

impl Answered {
    /// Keeps an input of so many bytes, with what `asked` was answered for it.
    pub fn push(&mut self, input: Option<HookInput>, size: usize, asked: &[Asked], signs: &[Option<bool>]) {
        if self.inputs.len() > MOST || self.bytes > MOST_BYTES {
            return;
        }
        for (place, asked) in asked.iter().enumerate() {
            let at = column(&mut self.columns, asked, Vec::new);
            if let Some(column) = self.columns.get_mut(at) {
                column.answers.push(signs.get(place).copied().flatten());
            }
        }
        self.inputs.push((input, 1));
        self.bytes += size + FRAME;
    }

    /// One more event with the input at a place.
    pub fn again(&mut self, at: usize) {
        if let Some((_, events)) = self.inputs.get_mut(at) {
            *events += 1;
        }
    }

    /// Those of the questions that were not asked of all inputs.
    pub fn unanswered(&self, asked: &[Asked]) -> Vec<usize> {
        let all = self.inputs.len();
        let known = |asked: &Asked| self.columns.iter().any(|c| c.question == *asked && c.answers.len() == all);
        asked.iter().enumerate().filter(|(_, asked)| !known(asked)).map(|(at, _)| at).collect()
    }

    /// Takes the answers of a question, one for each input.
    pub fn answer(&mut self, asked: &Asked, answers: Vec<Option<bool>>) {
        let at = column(&mut self.columns, asked, Vec::new);
        if let Some(column) = self.columns.get_mut(at) {
            column.answers = answers;
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
