//! Qwen Code. `NOTES.md` holds the known behaviour and its sources.

mod address;
mod aggregate;
mod behaviour;
mod chain;
mod config;
mod decide;
mod effects;
mod events;
mod examples;
mod explain;
mod extensions;
mod form;
mod handlers;
mod http;
mod http_remarks;
mod launch;
mod layers;
mod live;
mod matcher;
mod output;
mod plan;
mod prompt;
mod read;
mod reasons;
mod registry;
mod remarks;
mod secrets;
mod session;
#[cfg(test)]
mod sketch;
mod substitute;
mod switches;
mod templates;
mod timeout;
mod tools;
mod transcript;
mod trust;
mod typed;

use serde_json::{Value, json};

use super::shared::names::note_names;
use super::shared::patterns::note_patterns;
use hookbench_base::config::{Files, Loaded, Place};
use hookbench_base::decide::{HookRun, Outcome, Runs};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::form::SettingsForm;
use hookbench_base::dialects::live::LiveForm;
use hookbench_base::dialects::{
    Confidence, Dialect, FirstHook, InstallHint, Looked, Next, Scene, Version, VersionRange, Whole,
};
use hookbench_base::hook::{EventSpec, Example, HookDefinition, HookInput, Subject};
use hookbench_base::matcher::MatcherReading;
use hookbench_base::output::{HookOutput, Reach};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionFolder, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// Qwen Code.
pub struct QwenCode;

impl Dialect for QwenCode {
    fn id(&self) -> &'static str {
        "qwen"
    }
    fn name(&self) -> &'static str {
        "Qwen Code"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &behaviour::RANGES
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "qwen", package: "@qwen-code/qwen-code" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["QWEN_HOME"]
    }
    fn events(&self, version: &Version) -> Vec<&'static EventSpec> {
        events::of(version)
    }
    fn recognise(&self, payload: &Value) -> Confidence {
        templates::recognise(payload)
    }
    fn examples(&self, event: &EventSpec, place: &Place, version: &Version) -> Vec<Example> {
        templates::examples(event, place, version)
    }
    fn fill(&self, event: &EventSpec, body: &Value, place: &Place, version: &Version) -> Vec<(String, Value)> {
        templates::fill(event, body, place, version)
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
    fn load(&self, place: &Place, files: &dyn Files, version: &Version) -> Loaded {
        let mut loaded = config::load(place, files, version);
        note_patterns(&mut loaded, matcher::without_pattern, |definition, text| {
            events::by_name(&definition.event).filter(|e| e.subject.is_some())?;
            matcher::compiled(text)
        });
        note_names(&mut loaded, self.id(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| events::about_tools(e.name))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}), version);
            matcher::matches(behaviour::of(version).matcher, event.name, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    }
    fn trusting(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
        let rules = json!({ &place.project: "TRUST_FOLDER" });
        vec![(format!("{}/trustedFolders.json", layers::user_dir(place)), rules.to_string())]
    }
    fn subject(&self, event: &EventSpec, body: &Value, version: &Version) -> Subject {
        plan::subject(event, body, version)
    }
    fn matches(
        &self,
        event: &EventSpec,
        matcher: Option<&Value>,
        subject: &Subject,
        version: &Version,
    ) -> Option<bool> {
        matcher::matches(behaviour::of(version).matcher, event.name, matcher, subject).hit()
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherReading {
        matcher::read(behaviour::of(version).matcher, event, matcher)
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
    fn plan_reads(&self, definition: &HookDefinition) -> Vec<&'static str> {
        plan::reads(definition)
    }
    fn holds(&self, definition: &HookDefinition, input: &HookInput, _place: &Place) -> Option<bool> {
        plan::holds(definition, input)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn read(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        read::read(definition, report, scene)
    }
    fn remarks_on_all(&self, at: &Whole<'_>) -> Vec<Diagnostic> {
        remarks::on_all(at)
    }

    fn text_reaches(&self, event: &EventSpec, version: &Version) -> Reach {
        output::text_reaches(event, version)
    }

    fn stop_cap(&self, scene: &Scene) -> Option<u32> {
        switches::cap_of(scene)
    }

    fn after(&self, run: &HookRun, scene: &Scene) -> Next {
        chain::after(run, scene)
    }
    fn remarks(&self, at: &Looked<'_>) -> Vec<Diagnostic> {
        http_remarks::remarks(at)
    }
    fn decide(&self, plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
