//! Codex. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod config;
mod decide;
mod discovery;
mod events;
mod examples;
mod explain;
mod form;
mod hash;
mod launch;
mod layers;
mod live;
mod matcher;
mod notes;
mod plan;
mod plugins;
mod project;
mod read;
mod shape;
mod shell;
mod state;
mod switches;
mod templates;
mod tools;
mod transcript;
mod tree;
mod trust;
mod wire;

use serde_json::{Value, json};

use super::shared::names::note_names;
use hookbench_base::config::{Files, Loaded, Place};
use hookbench_base::decide::{HookRun, Outcome, Runs};
use hookbench_base::dialects::form::SettingsForm;
use hookbench_base::dialects::live::LiveForm;
use hookbench_base::dialects::{Confidence, Dialect, FirstHook, InstallHint, Next, Scene, Version, VersionRange};
use hookbench_base::hook::{EventSpec, Example, HookDefinition, Subject};
use hookbench_base::matcher::MatcherReading;
use hookbench_base::output::{HookOutput, Reach};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionFolder, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};
use hookbench_base::text::whole_texts;

/// The Codex dialect.
pub struct Codex;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "0.169.0",
    to: "0.169.0",
    basis: "measured on 0.169.0",
    measured: Some(("0.169.0", "2026-11-20")),
}];

impl Dialect for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }
    fn name(&self) -> &'static str {
        "Codex"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &RANGES
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "codex", package: "@openai/codex" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["CODEX_HOME"]
    }
    fn events(&self, _version: &Version) -> Vec<&'static EventSpec> {
        events::EVENTS.iter().collect()
    }
    fn recognise(&self, payload: &Value) -> Confidence {
        templates::recognise(payload)
    }
    fn examples(&self, event: &EventSpec, place: &Place, _version: &Version) -> Vec<Example> {
        templates::examples(event, place)
    }
    /// Keeps all digits; half a surrogate pair cannot be kept.
    fn hold(&self, body: &mut Value) {
        whole_texts(body);
    }
    fn fill(&self, event: &EventSpec, body: &Value, place: &Place, _version: &Version) -> Vec<(String, Value)> {
        templates::fill(event, body, place)
    }
    fn transcripts(&self) -> &'static [&'static dyn TranscriptFormat] {
        &transcript::FORMATS
    }
    fn sessions(&self, place: &Place, files: &dyn Files) -> Vec<SessionFolder> {
        transcript::folders(place, files)
    }
    fn first_hooks(&self) -> [FirstHook; 3] {
        FirstHook::three([
            include_str!("first_hooks/refuse.json"),
            include_str!("first_hooks/tell.json"),
            include_str!("first_hooks/stop.json"),
        ])
    }
    fn load(&self, place: &Place, files: &dyn Files, _version: &Version) -> Loaded {
        let mut loaded = config::load(place, files);
        note_names(&mut loaded, self.id(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| e.subject == Some("tool_name"))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}));
            Some(matcher::matches(true, definition.matcher.as_ref().and_then(Value::as_str), &subject).hit())
        });
        loaded
    }
    fn trusting(&self, place: &Place, files: &dyn Files) -> Vec<(String, String)> {
        trust::trusting(place, files)
    }
    fn subject(&self, event: &EventSpec, body: &Value, _version: &Version) -> Subject {
        plan::subject(event, body)
    }
    fn matches(
        &self,
        event: &EventSpec,
        matcher: Option<&Value>,
        subject: &Subject,
        _version: &Version,
    ) -> Option<bool> {
        let text = matcher.and_then(Value::as_str);
        Some(matcher::matches(event.subject.is_some(), text, subject).hit())
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherReading {
        matcher::read(event, matcher.and_then(Value::as_str))
    }
    fn form(&self) -> &'static SettingsForm {
        &form::FORM
    }
    fn live(&self) -> &'static LiveForm {
        &live::FORM
    }
    fn plan(&self, scene: &Scene) -> Plan {
        plan::plan(scene)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn read(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        read::read(definition, report, scene)
    }
    fn text_reaches(&self, event: &EventSpec, _version: &Version) -> Reach {
        answer::text_reaches(event.name)
    }

    fn after(&self, _run: &HookRun, _scene: &Scene) -> Next {
        Next::Same
    }
    fn decide(&self, plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
