//! One configuration before and after: which of its events may be planned otherwise, and what becomes of each.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::signs::{Questions, Signs};
use crate::input::{InputRequest, read_payload};
use crate::rehearsal::Stage;
use crate::replay::{Replayed, compare, judge};
use hookbench_core::config::{Loaded, Place};
use hookbench_core::dialects::{self, Memory, Scene};
use hookbench_core::hook::{DefinitionId, EventSpec, HookDefinition, HookInput, Subject};
use hookbench_core::plan::{Plan, RungName};
use hookbench_core::recorded::RecordedRun;

/// What an agent makes of the events of one project and version, before and after.
pub(super) struct Pair {
    pub before: Arc<Stage>,
    pub after: Arc<Stage>,
    scenes: [Scene; 2],
    /// The command of every definition as a number, the same one on both sides.
    commands: [HashMap<DefinitionId, usize>; 2],
    /// Whether nothing that plans of an event rest on has changed.
    alike: HashMap<&'static str, bool>,
    events: HashMap<String, Option<&'static EventSpec>>,
    /// What was judged for who runs on either side.
    judged: HashMap<Ran, Replayed>,
    /// Which of those that were found it is, for one subject or for all.
    known: HashMap<(Ran, Whose), usize>,
    questions: HashMap<&'static str, Arc<Questions>>,
}

/// Of which subject a way is.
#[derive(PartialEq, Eq, Hash)]
enum Whose {
    /// Of every subject for which the same hooks run.
    All,
    /// Of this one, or of none.
    One(Option<String>),
}

/// A way in which events change.
pub(super) struct Found {
    /// What becomes of one of them.
    pub one: Replayed,
    /// With what it was planned.
    pub pair: usize,
    pub event: &'static EventSpec,
    /// The others may be of other subjects.
    pub for_all: bool,
    /// Of which kind, by its place among all, how many: those without a report that may say more.
    pub counts: Vec<(usize, usize)>,
}

/// An event, and who runs on either side. That is all that a verdict without reports rests on.
type Ran = (&'static str, Vec<DefinitionId>, Vec<DefinitionId>);

impl Pair {
    pub fn new(before: Arc<Stage>, after: Arc<Stage>) -> Pair {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut commands = |loaded: &Loaded| {
            let number = |d: &HookDefinition| {
                let next = numbers.len();
                (d.id.clone(), *numbers.entry(d.handler.text()).or_insert(next))
            };
            loaded.definitions.iter().map(number).collect::<HashMap<_, _>>()
        };
        let commands = [commands(&before.loaded), commands(&after.loaded)];
        let place: Arc<Place> = Arc::new(after.place.clone());
        let scene = |stage: &Stage| Scene {
            input: HookInput { event: String::new(), subject: Subject::default(), body: Value::Null },
            loaded: Arc::clone(&stage.loaded),
            place: Arc::clone(&place),
            version: stage.version.clone(),
            headless: stage.headless,
            memory: Memory::default(),
        };
        let scenes = [scene(&before), scene(&after)];
        Pair {
            before,
            after,
            scenes,
            commands,
            alike: HashMap::new(),
            events: HashMap::new(),
            judged: HashMap::new(),
            known: HashMap::new(),
            questions: HashMap::new(),
        }
    }

    /// The event of that name.
    pub fn event(&mut self, name: &str) -> Option<&'static EventSpec> {
        if let Some(event) = self.events.get(name) {
            return *event;
        }
        let event = dialects::event_of(self.after.dialect, &self.after.version, name);
        self.events.insert(name.to_owned(), event);
        event
    }

    /// Whether nothing that plans of this event rest on has changed.
    pub fn alike(&mut self, event: &'static EventSpec) -> bool {
        let (before, after) = (&self.before.loaded, &self.after.loaded);
        *self.alike.entry(event.name).or_insert_with(|| alike(before, after, event.name))
    }

    /// What matchers look at in an event of this subject; none: only its payload tells.
    pub fn subject(&self, event: &'static EventSpec, subject: Option<&str>) -> Option<Subject> {
        let body = match (event.subject, subject) {
            (Some(_), None) => return None,
            (Some(key), Some(subject)) => Value::Object(Map::from_iter([(key.to_owned(), Value::from(subject))])),
            (None, _) => Value::Null,
        };
        let found = self.after.dialect.subject(event, &body, &self.after.version);
        (found.value.as_deref() == subject).then_some(found)
    }

    /// The input of an event of which only what plans read is known.
    pub fn brief(
        &self,
        event: &'static EventSpec,
        subject: Option<&str>,
        values: Map<String, Value>,
    ) -> Option<HookInput> {
        let mut body = values;
        body.insert("hook_event_name".to_owned(), Value::from(event.name));
        if event.subject.is_some() && subject.is_none() {
            return None;
        }
        if let (Some(key), Some(subject)) = (event.subject, subject) {
            body.entry(key.to_owned()).or_insert_with(|| Value::from(subject));
        }
        let body = Value::Object(body);
        let found = self.after.dialect.subject(event, &body, &self.after.version);
        let fits = found.value.as_deref() == subject;
        fits.then(|| HookInput { event: event.name.to_owned(), subject: found, body })
    }

    /// The input of an event as a replay builds it.
    pub fn whole(&self, event: &'static EventSpec, payload: &[u8]) -> Option<HookInput> {
        let request = InputRequest {
            agent: Some(self.after.dialect.id()),
            event: Some(event.name.to_owned()),
            payload: Some(read_payload("payload", payload).ok()?),
            ..InputRequest::default()
        };
        self.after.build(&request).ok().map(|built| built.input)
    }

    fn plans(&mut self, input: &HookInput) -> [Plan; 2] {
        let dialect = self.after.dialect;
        self.scenes.each_mut().map(|scene| {
            scene.input.clone_from(input);
            dialect.plan(scene)
        })
    }

    /// What plans of an event with this subject read of its payload, beside the subject.
    pub fn reads(&mut self, input: &HookInput) -> Vec<&'static str> {
        let dialect = self.after.dialect;
        let mut reads = Vec::new();
        let plans = self.plans(input);
        for (plan, scene) in plans.iter().zip(&self.scenes) {
            let planned = plan.by_hook();
            // Whom the matcher passes over reads nothing more.
            let passed_over = |d: &HookDefinition| {
                d.refused.is_some() || planned.get(d.id.as_str()).is_some_and(|e| e.fell_at == Some(RungName::Matcher))
            };
            let mine = scene.loaded.definitions.iter().filter(|d| d.event == input.event && !passed_over(d));
            reads.extend(mine.flat_map(|d| dialect.plan_reads(d)));
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// What is asked of events of this name.
    pub fn questions(&mut self, event: &'static EventSpec) -> Arc<Questions> {
        let known = self.questions.entry(event.name);
        Arc::clone(known.or_insert_with(|| Arc::new(Questions::of([&self.before, &self.after], event.name))))
    }

    /// Before and after.
    pub fn sides(&self) -> [&Stage; 2] {
        [&self.before, &self.after]
    }

    /// What one matcher says of a subject.
    pub fn says(&self, event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> Option<bool> {
        self.after.dialect.matches(event, matcher, subject, &self.after.version)
    }

    /// What holds of the payload of an event; with what matchers say of it, where that is not the subject of all.
    pub fn signs_of_payload(
        &self,
        questions: &Questions,
        event: &EventSpec,
        all: Option<&str>,
        input: &HookInput,
    ) -> Signs {
        let mut signs = questions.of_payload(self.sides(), input);
        self.add_own_subject(questions, event, all, input, &mut signs);
        signs
    }

    /// What matchers say of an event, where its subject is not that of all.
    pub fn add_own_subject(
        &self,
        questions: &Questions,
        event: &EventSpec,
        all: Option<&str>,
        input: &HookInput,
        signs: &mut Signs,
    ) {
        if all != input.subject.value.as_deref() {
            signs.extend(questions.matchers.iter().map(|matcher| self.says(event, matcher.as_ref(), &input.subject)));
        }
    }

    /// What becomes of an event: none, nothing; else which of `found`, to which it is added when it is a new one. With
    /// `for_all` it is found for every subject for which the same hooks run.
    pub fn difference(
        &mut self,
        pair: usize,
        event: &'static EventSpec,
        input: &HookInput,
        for_all: bool,
        found: &mut Vec<Found>,
    ) -> Option<usize> {
        let plans = self.plans(input);
        let mut ids: [Vec<DefinitionId>; 2] = Default::default();
        let mut ran: [Vec<usize>; 2] = Default::default();
        for side in 0..2 {
            let (plan, loaded) = (&plans[side], &self.scenes[side].loaded);
            if loaded.refused.is_none() && plan.lost.is_none() {
                ids[side] = plan.firing().map(|e| e.hook.clone()).collect();
            }
            ran[side] = ids[side].iter().filter_map(|id| self.commands[side].get(id)).copied().collect();
            ran[side].sort_unstable();
        }
        if ran[0] == ran[1] {
            return None;
        }
        let [before, after] = ids;
        let ran = (event.name, before, after);
        let whose = if for_all { Whose::All } else { Whose::One(input.subject.value.clone()) };
        let key = (ran.clone(), whose);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        if !self.judged.contains_key(&ran) {
            let judged = self.judged(input, &[]);
            self.judged.insert(ran.clone(), judged);
        }
        let one = self.planned_as(self.judged.get(&ran)?, &input.subject, &plans)?;
        found.push(Found { one, pair, event, for_all, counts: Vec::new() });
        self.known.insert(key, found.len() - 1);
        Some(found.len() - 1)
    }

    /// The same as what was found for another subject, in the words for this one.
    pub fn in_words_for(&mut self, found: &Found, subject: Option<&str>) -> Option<Replayed> {
        let input = self.brief(found.event, subject, Map::new())?;
        let plans = self.plans(&input);
        self.planned_as(&found.one, &input.subject, &plans)
    }

    fn planned_as(&self, one: &Replayed, subject: &Subject, plans: &[Plan; 2]) -> Option<Replayed> {
        let before = one.before.as_ref()?.planned_as(&plans[0], &self.scenes[0].loaded);
        let after = one.after.as_ref().ok()?.planned_as(&plans[1], &self.scenes[1].loaded);
        Some(Replayed {
            subject: subject.value.clone(),
            changes: compare(&before, &after),
            before: Some(before),
            after: Ok(after),
            ..one.clone()
        })
    }

    /// An event under both, with the reports that were recorded of it.
    pub fn judged(&self, input: &HookInput, recorded: &[RecordedRun]) -> Replayed {
        let before = judge(&self.before, Memory::default(), input.clone(), recorded);
        let after = judge(&self.after, Memory::default(), input.clone(), recorded);
        Replayed {
            origin: String::new(),
            event: None,
            agent: self.after.dialect.id(),
            name: input.event.clone(),
            subject: input.subject.value.clone(),
            what: None,
            changes: compare(&before, &after),
            before: Some(before),
            after: Ok(after),
            flags: Vec::new(),
        }
    }
}

/// Whether nothing that a plan of this event rests on has changed. Where in a file it stands says nothing.
fn alike(before: &Loaded, after: &Loaded, event: &str) -> bool {
    let of = |loaded: &Loaded| -> Vec<_> {
        let told = |d: &HookDefinition| {
            let refused = d.refused.as_ref().map(|r| (r.rung, r.rule));
            let from = (d.from.layer, d.from.bundle.clone(), loaded.trust.get(&d.id).cloned());
            (d.matcher.clone(), d.condition.clone(), d.raw.clone(), d.group.clone(), refused, from)
        };
        loaded.definitions.iter().filter(|d| d.event == event).map(told).collect()
    };
    of(before) == of(after) && before.settings == after.settings && before.refused.is_some() == after.refused.is_some()
}
