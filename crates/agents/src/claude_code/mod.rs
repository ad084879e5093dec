//! The Claude Code dialect.

mod answer;
mod answer_schema;
mod bash_rule;
mod bundles;
mod cap;
mod condition;
mod config;
mod decide;
mod environment;
mod events;
mod examples;
mod form;
mod glob;
mod guards;
mod handler;
mod http;
mod launch;
mod layers;
mod live;
mod managed;
mod matcher;
mod near;
mod output;
mod plan;
mod plugins;
mod remarks;
mod rules;
mod schema;
mod schema_keys;
mod session;
mod shell;
mod switches;
#[cfg(test)]
mod testing;
mod transcript;
mod url;

use serde_json::{Value, json};

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

/// The Claude Code dialect.
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude"
    }
    fn name(&self) -> &'static str {
        "Claude Code"
    }
    fn versions(&self) -> &'static [VersionRange] {
        rules::VERSIONS
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "claude", package: "@anthropic-ai/claude-code" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["CLAUDE_CONFIG_DIR"]
    }
    fn events(&self, version: &Version) -> Vec<&'static EventSpec> {
        events::of(rules::Rules::of(version))
    }
    fn recognise(&self, payload: &Value) -> Confidence {
        events::recognise(payload)
    }
    fn examples(&self, event: &EventSpec, place: &Place, _version: &Version) -> Vec<Example> {
        examples::of(event, place)
    }
    fn fill(&self, event: &EventSpec, body: &Value, place: &Place, _version: &Version) -> Vec<(String, Value)> {
        examples::fill(event, body, place)
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
        layers::load(place, files, version)
    }
    fn trusting(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
        let state = json!({ "projects": { &place.project: { "hasTrustDialogAccepted": true } } });
        vec![(layers::state_file(place), state.to_string())]
    }
    fn subject(&self, event: &EventSpec, body: &Value, _version: &Version) -> Subject {
        events::subject(event, body)
    }
    fn matches(
        &self,
        event: &EventSpec,
        matcher: Option<&Value>,
        subject: &Subject,
        version: &Version,
    ) -> Option<bool> {
        matcher::passes(matcher, event, subject, rules::Rules::of(version))
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherReading {
        matcher::read(matcher, event, rules::Rules::of(version))
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
    fn holds(&self, definition: &HookDefinition, input: &HookInput, place: &Place) -> Option<bool> {
        plan::holds(definition, input, place)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn read(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        output::read(definition, report, scene)
    }
    fn remarks_on_all(&self, at: &Whole<'_>) -> Vec<Diagnostic> {
        remarks::on_all(at)
    }

    fn text_reaches(&self, event: &EventSpec, _version: &Version) -> Reach {
        output::text_reaches(event)
    }

    fn stop_cap(&self, scene: &Scene) -> Option<u32> {
        decide::stop_cap(scene)
    }

    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &Memory, outcome: &Outcome) {
        session::remember(state, input, before, outcome);
    }
    fn recall(&self, state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
        session::recall(state, input, filled)
    }

    fn after(&self, _run: &HookRun, _scene: &Scene) -> Next {
        Next::Same
    }
    fn after_ahead(&self, _plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Next {
        decide::after_managed(runs, scene)
    }
    fn remarks(&self, at: &Looked<'_>) -> Vec<Diagnostic> {
        remarks::on_one(at)
    }
    fn decide(&self, plan: &Plan, runs: Runs<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
