//! The Claude Code dialect.

mod allowed_urls;
mod answer;
mod answer_schema;
mod bash_rule;
mod condition;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod examples;
mod formats;
mod front_matter;
mod glob;
mod handlers;
mod headless;
mod hook_output;
mod http;
mod launch;
mod layer_reader;
mod layers;
mod lints;
mod managed_settings;
mod matcher;
mod matcher_advice;
mod misplaced_hooks;
mod model_names;
mod permission_update;
mod plan;
mod plugins;
mod rules;
mod session_state;
mod settings_keys;
mod settings_schema;
mod shell;
mod skill_refusal;
mod skills;
mod switches;
#[cfg(test)]
mod test_scenes;
mod transcript;
mod truncation;
mod url;
mod verification;
mod version_behaviour;

use hookbench_base::names::AgentId;
use hookbench_base::names::RuleId;
use serde_json::{Value, json};

use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::headless::HeadlessFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::dialects::verification::VerificationFormat;
use hookbench_base::dialects::{
    AgentContext, Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, RuleContext, Scene,
    SessionMemory, SessionState, Version, VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, HookInput, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// The Claude Code dialect.
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn id(&self) -> AgentId {
        AgentId::new("claude")
    }
    fn name(&self) -> &'static str {
        "Claude Code"
    }
    fn versions(&self) -> &'static [VersionRange] {
        version_behaviour::VERSIONS
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "claude", package: "@anthropic-ai/claude-code" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["CLAUDE_CONFIG_DIR"]
    }
    fn rules(&self) -> Vec<RuleId> {
        rules::all()
    }

    fn events(&self, version: &Version) -> Vec<&'static EventSpec> {
        events::for_version(version_behaviour::VersionBehaviour::for_version(version))
    }
    fn recognize(&self, payload: &Value) -> Confidence {
        events::recognise(payload)
    }
    fn iter_examples<'a>(&self, event: &'a EventSpec, place: &'a Place, _version: &'a Version) -> ExampleIter<'a> {
        Box::new(examples::samples(event, place))
    }
    fn missing_keys_like(
        &self,
        examples: &[ExamplePayload],
        event: &EventSpec,
        body: &Value,
        place: &Place,
    ) -> Vec<(String, Value)> {
        examples::fill(examples, event, body, place)
    }
    fn transcripts(&self) -> &'static [&'static dyn TranscriptFormat] {
        &transcript::FORMATS
    }
    fn sessions(&self, place: &Place, files: &dyn Files) -> Vec<SessionDirectory> {
        transcript::session_directories(place, files)
    }
    /// Current versions no longer write it.
    fn todo_file(&self, place: &Place, session: &str) -> Option<String> {
        Some(format!("{}/todos/{session}-agent-{session}.json", layer_reader::config_dir(place)))
    }
    fn debug_log(&self) -> &'static DebugLogFormat {
        &debug_log::DEBUG_LOG
    }
    fn first_hooks(&self) -> [FirstHook; 3] {
        FirstHook::for_agent([
            include_str!("first_hooks/refuse.json"),
            include_str!("first_hooks/tell.json"),
            include_str!("first_hooks/stop.json"),
        ])
    }
    fn read_configuration(&self, place: &Place, files: &dyn Files, version: &Version) -> LoadedConfig {
        layers::load(place, files, version)
    }
    fn trust_files(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
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
        matcher::passes(matcher, event, subject, version_behaviour::VersionBehaviour::for_version(version))
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherInterpretation {
        matcher::describe(matcher, event, version_behaviour::VersionBehaviour::for_version(version))
    }
    fn settings_format(&self) -> &'static SettingsFormat {
        &formats::SETTINGS_FORMAT
    }
    fn plugin_format(&self) -> Option<&'static PluginFormat> {
        Some(&formats::PLUGIN_FORMAT)
    }
    fn live_format(&self) -> &'static LiveFormat {
        &formats::LIVE_FORMAT
    }
    fn headless_format(&self) -> &'static HeadlessFormat {
        &headless::HEADLESS_FORMAT
    }
    fn verification_format(&self) -> &'static VerificationFormat {
        &verification::VERIFICATION_FORMAT
    }
    fn plan(&self, scene: &Scene) -> Plan {
        plan::plan(scene)
    }
    fn plan_reads(&self, definition: &HookDefinition) -> Vec<&'static str> {
        plan::payload_pointers(definition)
    }
    fn conditions_hold(&self, definition: &HookDefinition, input: &HookInput, place: &Place) -> Option<bool> {
        plan::condition_holds(definition, input, place)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        hook_output::read(definition, report, scene)
    }
    fn agent_findings(&self, at: &AgentContext<'_>) -> Vec<Diagnostic> {
        lints::check_all(at)
    }

    fn text_recipient(&self, event: &EventSpec, _version: &Version) -> TextRecipient {
        hook_output::text_reaches(event)
    }

    fn stop_cap(&self, scene: &Scene) -> Option<u32> {
        decide::stop_cap(scene)
    }

    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
        session_state::remember(state, input, before, outcome);
    }
    fn recall(&self, state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
        session_state::recall(state, input, filled)
    }

    fn after_run(&self, _run: &HookRun, _scene: &Scene) -> NextStep {
        NextStep::SameInput
    }
    fn after_ahead_runs(&self, _plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> NextStep {
        decide::after_managed(runs, scene)
    }
    fn definition_findings(&self, at: &RuleContext<'_>) -> Vec<Diagnostic> {
        lints::check_hook(at)
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
