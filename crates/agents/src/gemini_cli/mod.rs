//! Gemini CLI. `NOTES.md` holds the known behaviour and its sources.

mod aggregate;
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
mod launch;
mod layers;
mod live;
mod matcher;
mod merge;
mod output;
mod plan;
mod quoting;
mod read;
mod reasons;
mod redact;
mod remarks;
mod request;
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
mod versions;

use serde_json::{Value, json};

use super::shared::names::note_names;
use super::shared::patterns::note_patterns;
use hookbench_base::config::{Files, Loaded, Place};
use hookbench_base::decide::{HookRun, Outcome, Runs};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::form::SettingsForm;
use hookbench_base::dialects::live::LiveForm;
use hookbench_base::dialects::{
    Confidence, Dialect, FirstHook, InstallHint, Looked, Memory, Next, Scene, SessionState, Version, VersionRange,
    Whole,
};
use hookbench_base::hook::{EventSpec, Example, HookDefinition, HookInput, Subject};
use hookbench_base::matcher::MatcherReading;
use hookbench_base::output::{HookOutput, Reach};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionFolder, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// Gemini CLI.
pub struct GeminiCli;

impl Dialect for GeminiCli {
    fn id(&self) -> &'static str {
        "gemini"
    }
    fn name(&self) -> &'static str {
        "Gemini CLI"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &versions::RANGES
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "gemini", package: "@google/gemini-cli" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["GEMINI_CLI_HOME"]
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
        let broken = |_: &str| "it is compared as text, and fits a tool of that very name alone";
        note_patterns(&mut loaded, broken, |definition, text| {
            matcher::compiled(events::by_name(&definition.event)?, text)
        });
        note_names(&mut loaded, self.id(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| events::about_tools(e))?;
            matcher::matches(event, definition.matcher.as_ref(), &plan::subject(event, &json!({"tool_name": tool})))
                .hit()
        });
        loaded
    }
    fn trusting(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
        let rules = json!({ &place.project: "TRUST_FOLDER" });
        vec![(format!("{}/trustedFolders.json", layers::user_dir(place)), rules.to_string())]
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
        matcher::matches(event, matcher, subject).hit()
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherReading {
        matcher::read(event, matcher)
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
    fn read(&self, _definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        read::read(report, scene)
    }
    fn remarks_on_all(&self, at: &Whole<'_>) -> Vec<Diagnostic> {
        remarks::on_all(at)
    }

    fn text_reaches(&self, event: &EventSpec, _version: &Version) -> Reach {
        output::text_reaches(event)
    }

    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &Memory, outcome: &Outcome) {
        match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "AfterAgent" => state.count_stop(&input.event, before, outcome),
            _ => {}
        }
    }
    fn after(&self, run: &HookRun, scene: &Scene) -> Next {
        chain::after(run, scene)
    }
    fn remarks(&self, at: &Looked<'_>) -> Vec<Diagnostic> {
        quoting::remarks(at)
    }
    fn decide(&self, plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
