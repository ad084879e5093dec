//! One project and version, before and after: finds the events whose plan may differ, and the difference for each.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::cache::{EventQuestions, Signature};
use crate::firing::input::{InputRequest, read_payload};
use crate::firing::setup::FiringSetup;
use crate::recordings::replay::{ReplayedEvent, assess, compare};
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{self, Scene, SessionMemory};
use hookbench_core::hook::{DefinitionId, EventSpec, HookDefinition, HookInput, Subject};
use hookbench_core::plan::{Plan, RungName};
use hookbench_core::recorded::RecordedRun;

/// The configurations of one project and version, before and after.
pub(super) struct ConfigPair {
    pub before: Arc<FiringSetup>,
    pub after: Arc<FiringSetup>,
    scenes: [Scene; 2],
    /// The command of every definition as a number; equal commands have the same number on both sides.
    commands: [HashMap<DefinitionId, usize>; 2],
    /// By event: whether nothing that its plans depend on has changed.
    unchanged: HashMap<&'static str, bool>,
    events: HashMap<String, Option<&'static EventSpec>>,
    /// The results by the hooks that run before and after.
    assessments: HashMap<HookRuns, ReplayedEvent>,
    /// The index of a known difference, for one subject or for all.
    known: HashMap<(HookRuns, SubjectScope), usize>,
    questions: HashMap<&'static str, Arc<EventQuestions>>,
}

/// The subjects that a difference applies to.
#[derive(PartialEq, Eq, Hash)]
enum SubjectScope {
    /// Every subject for which the same hooks run.
    All,
    /// Only this subject, or only events without a subject.
    One(Option<String>),
}

/// One way in which events differ before and after.
pub(super) struct PlanDifference {
    /// The result for one of the events.
    pub example: ReplayedEvent,
    /// The index of the pair that it was planned with.
    pub pair: usize,
    pub event: &'static EventSpec,
    /// Whether it also applies to other subjects.
    pub for_all: bool,
    /// The number of events by the index of their kind. Events whose recorded reports may determine the verdict are
    /// not included.
    pub counts: Vec<(usize, usize)>,
}

/// An event and the hooks that run before and after, which determine the verdict in the absence of reports.
type HookRuns = (&'static str, Vec<DefinitionId>, Vec<DefinitionId>);

impl ConfigPair {
    pub fn new(before: Arc<FiringSetup>, after: Arc<FiringSetup>) -> ConfigPair {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut commands = |loaded: &LoadedConfig| {
            let number = |d: &HookDefinition| {
                let next = numbers.len();
                (d.id.clone(), *numbers.entry(d.handler.text()).or_insert(next))
            };
            loaded.definitions.iter().map(number).collect::<HashMap<_, _>>()
        };
        let commands = [commands(&before.loaded), commands(&after.loaded)];
        let place: Arc<Place> = Arc::new(after.place.clone());
        let scene = |stage: &FiringSetup| Scene {
            input: HookInput { event: String::new(), subject: Subject::default(), body: Value::Null },
            loaded: Arc::clone(&stage.loaded),
            place: Arc::clone(&place),
            version: stage.version.clone(),
            headless: stage.headless,
            memory: SessionMemory::default(),
        };
        let scenes = [scene(&before), scene(&after)];
        ConfigPair {
            before,
            after,
            scenes,
            commands,
            unchanged: HashMap::new(),
            events: HashMap::new(),
            assessments: HashMap::new(),
            known: HashMap::new(),
            questions: HashMap::new(),
        }
    }

    /// Looks up an event by name.
    pub fn event(&mut self, name: &str) -> Option<&'static EventSpec> {
        if let Some(event) = self.events.get(name) {
            return *event;
        }
        let event = dialects::find_event(self.after.dialect, &self.after.version, name);
        self.events.insert(name.to_owned(), event);
        event
    }

    /// Returns whether nothing that the plans of this event depend on has changed.
    pub fn is_unchanged(&mut self, event: &'static EventSpec) -> bool {
        let (before, after) = (&self.before.loaded, &self.after.loaded);
        *self.unchanged.entry(event.name).or_insert_with(|| alike(before, after, event.name))
    }

    /// The subject that matchers are compared with; `None` if it depends on the payload.
    pub fn subject(&self, event: &'static EventSpec, subject: Option<&str>) -> Option<Subject> {
        let body = match (event.subject, subject) {
            (Some(_), None) => return None,
            (Some(key), Some(subject)) => Value::Object(Map::from_iter([(key.to_owned(), Value::from(subject))])),
            (None, _) => Value::Null,
        };
        let found = self.after.dialect.subject(event, &body, &self.after.version);
        (found.value.as_deref() == subject).then_some(found)
    }

    /// Builds the input of an event from only the values that plans read.
    pub fn brief_input(
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

    /// Builds the input of an event from its full payload, as a replay does.
    pub fn full_input(&self, event: &'static EventSpec, payload: &[u8]) -> Option<HookInput> {
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

    /// The JSON pointers that plans of an event with this subject read, besides the subject.
    pub fn payload_reads(&mut self, input: &HookInput) -> Vec<&'static str> {
        let dialect = self.after.dialect;
        let mut reads = Vec::new();
        let plans = self.plans(input);
        for (plan, scene) in plans.iter().zip(&self.scenes) {
            let planned = plan.by_hook();
            // A hook whose matcher does not match reads nothing else.
            let passed_over = |d: &HookDefinition| {
                d.rejection.is_some()
                    || planned.get(d.id.as_str()).is_some_and(|e| e.failed_rung == Some(RungName::Matcher))
            };
            let is_mine = |d: &&HookDefinition| dialect.is_same_event(&d.event, &input.event) && !passed_over(d);
            let mine = scene.loaded.definitions.iter().filter(is_mine);
            reads.extend(mine.flat_map(|d| dialect.plan_reads(d)));
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// The questions about events of this name.
    pub fn questions(&mut self, event: &'static EventSpec) -> Arc<EventQuestions> {
        let known = self.questions.entry(event.name);
        Arc::clone(known.or_insert_with(|| Arc::new(EventQuestions::of([&self.before, &self.after], event.name))))
    }

    /// The configurations before and after.
    pub fn sides(&self) -> [&FiringSetup; 2] {
        [&self.before, &self.after]
    }

    /// Evaluates one matcher against a subject.
    pub fn matches(&self, event: &EventSpec, matcher: Option<&Value>, subject: &Subject) -> Option<bool> {
        self.after.dialect.matches(event, matcher, subject, &self.after.version)
    }

    /// The signature of a payload. Matcher results are included if the event's subject differs from the group's.
    pub fn payload_signature(
        &self,
        questions: &EventQuestions,
        event: &EventSpec,
        all: Option<&str>,
        input: &HookInput,
    ) -> Signature {
        let mut signs = questions.evaluate(self.sides(), input);
        self.add_own_subject(questions, event, all, input, &mut signs);
        signs
    }

    /// Adds the matcher results to a signature if the event's subject differs from the group's.
    pub fn add_own_subject(
        &self,
        questions: &EventQuestions,
        event: &EventSpec,
        all: Option<&str>,
        input: &HookInput,
        signs: &mut Signature,
    ) {
        if all != input.subject.value.as_deref() {
            signs
                .extend(questions.matchers.iter().map(|matcher| self.matches(event, matcher.as_ref(), &input.subject)));
        }
    }

    /// Plans an event before and after. Returns `None` if the same commands run; otherwise the index of the
    /// difference in `found`, where new ones are added. With `for_all`, the difference applies to every subject for
    /// which the same hooks run.
    pub fn difference(
        &mut self,
        pair: usize,
        event: &'static EventSpec,
        input: &HookInput,
        for_all: bool,
        found: &mut Vec<PlanDifference>,
    ) -> Option<usize> {
        let plans = self.plans(input);
        let mut ids: [Vec<DefinitionId>; 2] = Default::default();
        let mut ran: [Vec<usize>; 2] = Default::default();
        for side in 0..2 {
            let (plan, loaded) = (&plans[side], &self.scenes[side].loaded);
            if loaded.refusal.is_none() && plan.lost.is_none() {
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
        let whose = if for_all { SubjectScope::All } else { SubjectScope::One(input.subject.value.clone()) };
        let key = (ran.clone(), whose);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        if !self.assessments.contains_key(&ran) {
            let judged = self.assess(input, &[]);
            self.assessments.insert(ran.clone(), judged);
        }
        let one = self.with_plans(self.assessments.get(&ran)?, &input.subject, &plans)?;
        found.push(PlanDifference { example: one, pair, event, for_all, counts: Vec::new() });
        self.known.insert(key, found.len() - 1);
        Some(found.len() - 1)
    }

    /// Rewords a difference that was found for one subject for another subject.
    pub fn reworded_for(&mut self, found: &PlanDifference, subject: Option<&str>) -> Option<ReplayedEvent> {
        let input = self.brief_input(found.event, subject, Map::new())?;
        let plans = self.plans(&input);
        self.with_plans(&found.example, &input.subject, &plans)
    }

    fn with_plans(&self, one: &ReplayedEvent, subject: &Subject, plans: &[Plan; 2]) -> Option<ReplayedEvent> {
        let before = one.before.as_ref()?.with_plan(&plans[0], &self.scenes[0].loaded);
        let after = one.after.as_ref().ok()?.with_plan(&plans[1], &self.scenes[1].loaded);
        Some(ReplayedEvent {
            subject: subject.value.clone(),
            changes: compare(&before, &after),
            before: Some(before),
            after: Ok(after),
            ..one.clone()
        })
    }

    /// Decides an event before and after, with its recorded reports.
    pub fn assess(&self, input: &HookInput, recorded: &[RecordedRun]) -> ReplayedEvent {
        let before = assess(&self.before, SessionMemory::default(), input.clone(), recorded);
        let after = assess(&self.after, SessionMemory::default(), input.clone(), recorded);
        ReplayedEvent {
            origin: String::new(),
            event: None,
            agent: Some(self.after.dialect.id()),
            name: input.event.clone(),
            subject: input.subject.value.clone(),
            project: None,
            person: None,
            what: None,
            recorded_runs: Vec::new(),
            changes: compare(&before, &after),
            before: Some(before),
            after: Ok(after),
            flags: Vec::new(),
        }
    }
}

/// Returns whether nothing that a plan of this event depends on has changed. The position in a file does not
/// matter.
fn alike(before: &LoadedConfig, after: &LoadedConfig, event: &str) -> bool {
    let of = |loaded: &LoadedConfig| -> Vec<_> {
        let told = |d: &HookDefinition| {
            let refused = d.rejection.as_ref().map(|r| (r.rung, r.rule));
            let from = (d.provenance.layer, d.provenance.bundle.clone(), loaded.trust.get(&d.id).cloned());
            (d.matcher.clone(), d.condition.clone(), d.raw.clone(), d.group.clone(), refused, from)
        };
        loaded.definitions.iter().filter(|d| d.event == event).map(told).collect()
    };
    of(before) == of(after)
        && (&before.hooks_off, &before.agent_settings) == (&after.hooks_off, &after.agent_settings)
        && before.refusal.is_some() == after.refusal.is_some()
}
