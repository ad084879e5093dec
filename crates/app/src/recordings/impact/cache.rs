//! A cache of the data read from recorded events and of matcher and condition results, which speeds up the next
//! change. The new settings of one change are the old settings of the next, so only new questions must be answered.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use crate::firing::setup::FiringSetup;
use hookbench_core::hook::{HookDefinition, HookInput, Layer, Subject};
use hookbench_system::store::EventKind;

/// Limits of the cache: the number of different inputs, and their size in bytes. Inputs beyond them are read again
/// for every change.
pub(super) const MAX_INPUTS: usize = 40_000;
pub(super) const MAX_INPUT_BYTES: usize = 32 * 1024 * 1024;
/// The approximate size in bytes of an input without its values.
const INPUT_OVERHEAD: usize = 400;

/// The number of changes after which unused results are dropped, such as those for intermediate states while a
/// matcher is being typed.
const MAX_AGE: u8 = 8;

/// The inputs of the events of a kind, reduced to the values that plans read, each with the number of events that
/// have it. `None` is an input that cannot be built.
pub(super) type CountedInputs = Vec<(Option<HookInput>, usize)>;

/// A question with the results for the items that it was asked about.
struct AnswerColumn<Q, A> {
    question: Q,
    answers: Vec<A>,
    age: u8,
}

/// A kind, and the JSON pointers that are read from its payloads.
pub(super) type InputKey = (i64, Vec<&'static str>);

/// The cached data of recorded events. New events are added to it; deleted events are detected by the event counts.
#[derive(Default)]
pub struct ImpactCache {
    kinds: Arc<Vec<EventKind>>,
    inputs: HashMap<InputKey, EvaluatedInputs>,
    count: usize,
    bytes: usize,
    /// The subject that matchers are compared with, by the index of the kind. An empty cell was not computed yet;
    /// `None` in it means that the subject depends on the payload.
    subjects: Vec<OnceCell<Option<Subject>>>,
    /// The results of each matcher, by the index of the kind. An empty cell was not computed yet.
    matchers: Vec<AnswerColumn<Option<Value>, OnceCell<Option<bool>>>>,
}

impl ImpactCache {
    /// Makes room for new kinds and drops deleted ones. The data of all other kinds is kept, because it does not
    /// depend on the number of events.
    pub(super) fn update_kinds(&mut self, kinds: &Arc<Vec<EventKind>>) {
        if !Arc::ptr_eq(&self.kinds, kinds) {
            let was: HashMap<i64, usize> = self.kinds.iter().zip(0..).map(|(kind, place)| (kind.id(), place)).collect();
            // The id may have been reused for another kind.
            let before = |kind: &EventKind| {
                was.get(&kind.id()).copied().filter(|at| self.kinds.get(*at).is_some_and(|was| was.is_same_kind(kind)))
            };
            let places: Vec<Option<usize>> = kinds.iter().map(before).collect();
            reorder(&places, &mut self.subjects);
            self.matchers.iter_mut().for_each(|column| reorder(&places, &mut column.answers));
            let still: HashSet<i64> =
                kinds.iter().zip(&places).filter(|(_, before)| before.is_some()).map(|(kind, _)| kind.id()).collect();
            self.inputs.retain(|(kind, _), _| still.contains(kind));
            self.count = self.inputs.values().map(|answered| answered.inputs.len()).sum();
            self.bytes = self.inputs.values().map(|answered| answered.bytes).sum();
            self.kinds = Arc::clone(kinds);
        }
        expire(&mut self.matchers);
        self.inputs.values_mut().for_each(|answered| expire(&mut answered.columns));
    }

    /// The index of a matcher's column.
    pub(super) fn matcher(&mut self, matcher: Option<&Value>) -> usize {
        let kinds = self.subjects.len();
        column(&mut self.matchers, &matcher.cloned(), || vec![OnceCell::new(); kinds])
    }

    /// The results of the given matcher columns for the kind at an index. `tell` determines the kind's subject, and
    /// `says` evaluates a matcher against it. `None` if the subject depends on the payload.
    pub(super) fn signature(
        &self,
        place: usize,
        matchers: &[usize],
        tell: impl FnOnce() -> Option<Subject>,
        says: impl Fn(Option<&Value>, &Subject) -> Option<bool>,
    ) -> Option<Signature> {
        let subject = self.subjects.get(place)?.get_or_init(tell).as_ref()?;
        let mut signs = Signature::with_capacity(matchers.len());
        for matcher in matchers {
            let AnswerColumn { question, answers, .. } = self.matchers.get(*matcher)?;
            signs.push(*answers.get(place)?.get_or_init(|| says(question.as_ref(), subject)));
        }
        Some(signs)
    }

    /// Takes the data of a kind out of the cache; the caller puts it back afterwards.
    pub(super) fn take_inputs(&mut self, of: &InputKey) -> Option<EvaluatedInputs> {
        let answered = self.inputs.remove(of)?;
        self.count -= answered.inputs.len();
        self.bytes -= answered.bytes;
        Some(answered)
    }

    /// Stores the data of a kind if there is space.
    pub(super) fn put_back(&mut self, of: InputKey, answered: EvaluatedInputs) {
        let (count, bytes) = (self.count + answered.inputs.len(), self.bytes + answered.bytes);
        if count <= MAX_INPUTS && bytes <= MAX_INPUT_BYTES {
            (self.count, self.bytes) = (count, bytes);
            self.inputs.insert(of, answered);
        }
    }
}

/// Moves each result to the new index of its kind.
fn reorder<T>(before: &[Option<usize>], answers: &mut Vec<OnceCell<T>>) {
    let mut was = std::mem::take(answers);
    let one = |at: &Option<usize>| at.and_then(|at| was.get_mut(at)).map(std::mem::take).unwrap_or_default();
    *answers = before.iter().map(one).collect();
}

/// The inputs of the events of a kind, and the results of the conditions evaluated on them.
#[derive(Default)]
pub(super) struct EvaluatedInputs {
    /// Incomplete once there are too many.
    pub inputs: CountedInputs,
    /// The index of the input with these values.
    by_text: HashMap<String, usize>,
    bytes: usize,
    /// The number of events read. Events deleted since are still counted; the difference reveals the deletion.
    events: u64,
    /// All events up to this number have been read.
    read_up_to: i64,
    /// The results for the first inputs; inputs read later have no result yet.
    columns: Vec<AnswerColumn<ConditionKey, Option<bool>>>,
}

impl EvaluatedInputs {
    /// The number of events read.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// All events up to this number have been read.
    pub fn read_up_to(&self) -> i64 {
        self.read_up_to
    }

    /// Records that all events up to this number have been read.
    pub fn mark_read_up_to(&mut self, seq: i64) {
        self.read_up_to = self.read_up_to.max(seq);
    }

    /// Returns whether there are more inputs than the cache keeps, so that the stored ones are incomplete.
    pub fn too_many(&self) -> bool {
        self.inputs.len() > MAX_INPUTS || self.bytes > MAX_INPUT_BYTES
    }

    /// Counts one more event. Returns whether its input is already stored.
    pub fn count_event(&mut self, seq: i64, text: Option<&str>) -> bool {
        self.events += 1;
        self.mark_read_up_to(seq);
        let known = text.and_then(|text| self.by_text.get(text)).and_then(|at| self.inputs.get_mut(*at));
        known.map(|(_, events)| *events += 1).is_some()
    }

    /// Stores a new input with the text of its values, or else with its size in bytes.
    pub fn push(&mut self, input: Option<HookInput>, text: Result<String, usize>) {
        if self.too_many() {
            return;
        }
        // The values are stored twice: parsed and as text.
        self.bytes += INPUT_OVERHEAD + text.as_ref().map_or_else(|size| *size, |text| 2 * text.len());
        if let Ok(text) = text {
            self.by_text.insert(text, self.inputs.len());
        }
        self.inputs.push((input, 1));
    }

    /// Stores the results for the input that was added last.
    pub fn push_answers(&mut self, asked: &[ConditionKey], signs: &[Option<bool>]) {
        let before = self.inputs.len() - 1;
        for (place, asked) in asked.iter().enumerate() {
            let at = column(&mut self.columns, asked, Vec::new);
            // A column that does not cover the earlier inputs is completed later.
            if let Some(column) = self.columns.get_mut(at).filter(|column| column.answers.len() == before) {
                column.answers.push(signs.get(place).copied().flatten());
            }
        }
    }

    /// The questions that have not been asked of all inputs, each with the number of inputs answered so far.
    pub fn unanswered(&self, asked: &[ConditionKey]) -> Vec<(usize, usize)> {
        let known =
            |asked: &ConditionKey| self.columns.iter().find(|c| c.question == *asked).map_or(0, |c| c.answers.len());
        let all = asked.iter().map(known).enumerate();
        all.filter(|(_, known)| *known < self.inputs.len()).collect()
    }

    /// Appends the results of a question for the next inputs.
    pub fn append_answers(&mut self, asked: &ConditionKey, answers: impl Iterator<Item = Option<bool>>) {
        let at = column(&mut self.columns, asked, Vec::new);
        if let Some(column) = self.columns.get_mut(at) {
            column.answers.extend(answers);
        }
    }

    /// The results of these questions, in the same order.
    pub fn answers(&mut self, asked: &[ConditionKey]) -> Vec<&[Option<bool>]> {
        let places: Vec<usize> = asked.iter().map(|asked| column(&mut self.columns, asked, Vec::new)).collect();
        places.iter().map(|at| self.columns.get(*at).map_or(&[][..], |column| &column.answers)).collect()
    }
}

/// Returns the index of a question's column, and marks it as used.
fn column<Q: PartialEq + Clone, A>(
    columns: &mut Vec<AnswerColumn<Q, A>>,
    question: &Q,
    new: impl FnOnce() -> Vec<A>,
) -> usize {
    let at = columns.iter().position(|column| column.question == *question).unwrap_or_else(|| {
        columns.push(AnswerColumn { question: question.clone(), answers: new(), age: 0 });
        columns.len() - 1
    });
    if let Some(column) = columns.get_mut(at) {
        column.age = 0;
    }
    at
}

fn expire<Q, A>(columns: &mut Vec<AnswerColumn<Q, A>>) {
    for column in columns.iter_mut() {
        column.age += 1;
    }
    columns.retain(|column| column.age <= MAX_AGE);
}

/// The results, in a fixed order.
pub(super) type Signature = Vec<Option<bool>>;

/// A result for each signature.
pub(super) type BySignature<T> = HashMap<Signature, T>;

/// A definition's condition with everything that its result depends on. Equal conditions have equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConditionKey {
    condition: Option<String>,
    layer: Layer,
    bundle: Option<String>,
}

impl ConditionKey {
    fn of_definition(definition: &HookDefinition) -> ConditionKey {
        let from = &definition.provenance;
        ConditionKey { condition: definition.condition.clone(), layer: from.layer, bundle: from.bundle.clone() }
    }
}

/// The matchers and conditions for the events of one name, from both sides, without duplicates.
pub(super) struct EventQuestions {
    pub matchers: Vec<Option<Value>>,
    pub conditions: Vec<ConditionKey>,
    /// For each condition, a definition that has it, by side and by index in the list of all definitions.
    condition_owners: Vec<(usize, usize)>,
}

impl EventQuestions {
    /// Collects the matchers and conditions of the definitions for an event.
    pub fn of(sides: [&FiringSetup; 2], event: &str) -> EventQuestions {
        let mut questions =
            EventQuestions { matchers: Vec::new(), conditions: Vec::new(), condition_owners: Vec::new() };
        for (side, stage) in sides.into_iter().enumerate() {
            let mine = stage.loaded.definitions.iter().enumerate();
            for (at, definition) in
                mine.filter(|(_, d)| stage.dialect.is_same_event(&d.event, event) && d.rejection.is_none())
            {
                if !questions.matchers.contains(&definition.matcher) {
                    questions.matchers.push(definition.matcher.clone());
                }
                let asked = ConditionKey::of_definition(definition);
                if !stage.dialect.plan_reads(definition).is_empty() && !questions.conditions.contains(&asked) {
                    questions.conditions.push(asked);
                    questions.condition_owners.push((side, at));
                }
            }
        }
        questions
    }

    /// Evaluates all conditions on a payload.
    pub fn evaluate(&self, sides: [&FiringSetup; 2], input: &HookInput) -> Signature {
        (0..self.conditions.len()).map(|question| self.holds(question, sides, input)).collect()
    }

    /// Evaluates one condition on a payload.
    pub fn holds(&self, question: usize, sides: [&FiringSetup; 2], input: &HookInput) -> Option<bool> {
        let (side, at) = *self.condition_owners.get(question)?;
        let stage = sides[side];
        stage.loaded.definitions.get(at).and_then(|d| stage.dialect.conditions_hold(d, input, &stage.place))
    }
}
