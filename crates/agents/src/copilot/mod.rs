//! GitHub Copilot CLI. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod checks;
mod config;
mod debug_log;
mod decide;
mod events;
mod examples;
mod formats;
mod handlers;
mod headless;
mod hook_output;
mod json;
mod launch;
mod layers;
mod lints;
mod matcher;
mod matcher_advice;
mod payloads;
mod plan;
mod rules;
mod setting_types;
mod spelling;
#[cfg(test)]
mod test_firings;
mod tools;
mod transcript;
mod verification;

use hookbench_base::names::{AgentId, RuleId};
use serde_json::{Value, json};

use super::shared::matcher_checks::{check_patterns, check_spelled_tool_names};
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
    Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, RuleContext, Scene, SessionMemory,
    SessionState, Version, VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, HookInput, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "1.0.102",
    to: "1.0.102",
    basis: "tested on 1.0.102",
    measured: Some(("1.0.102", "2026-11-22")),
}];

/// The Copilot CLI dialect.
pub struct CopilotCli;

impl Dialect for CopilotCli {
    fn id(&self) -> AgentId {
        AgentId::new("copilot")
    }
    fn name(&self) -> &'static str {
        "Copilot CLI"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &RANGES
    }
    fn is_configured(&self, place: &Place, files: &dyn Files) -> bool {
        layers::has_own_files(place, files)
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "copilot", package: "@github/copilot" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["COPILOT_HOME"]
    }
    fn rules(&self) -> Vec<RuleId> {
        rules::all()
    }
    fn events(&self, _version: &Version) -> Vec<&'static EventSpec> {
        events::EVENTS.iter().collect()
    }
    fn recognize(&self, payload: &Value) -> Confidence {
        payloads::recognise(payload)
    }
    fn event_of(&self, payload: &Value) -> Option<&'static EventSpec> {
        payloads::event_of(payload)
    }
    fn event_by_spelling(&self, name: &str) -> Option<&'static EventSpec> {
        events::CAMEL_EVENTS.iter().find(|event| event.name == name)
    }
    fn main_spelling<'n>(&self, event: &'n str) -> &'n str {
        spelling::main_spelling(event)
    }
    fn event_spelled_like(&self, event: &'static str, written: &str) -> &'static str {
        events::spelled_like(event, written)
    }
    fn tool_in_matchers<'n>(&self, event: &str, tool: &'n str) -> &'n str {
        spelling::tool_in_matchers(event, tool)
    }
    fn held_payload(&self, event: &str, body: &Value) -> Option<Value> {
        Some(spelling::held_payload(event, body))
    }
    fn sent_payload(&self, event: &str, held: &Value) -> Value {
        spelling::sent_payload(event, held)
    }
    fn iter_examples<'a>(&self, event: &'a EventSpec, place: &'a Place, _version: &'a Version) -> ExampleIter<'a> {
        Box::new(payloads::examples(event, place))
    }
    fn missing_keys_like(
        &self,
        examples: &[ExamplePayload],
        event: &EventSpec,
        body: &Value,
        _place: &Place,
    ) -> Vec<(String, Value)> {
        payloads::fill(examples, event, body)
    }
    fn transcripts(&self) -> &'static [&'static dyn TranscriptFormat] {
        &transcript::FORMATS
    }
    fn sessions(&self, place: &Place, files: &dyn Files) -> Vec<SessionDirectory> {
        transcript::directories(place, files)
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
    fn read_configuration(&self, place: &Place, files: &dyn Files, _version: &Version) -> LoadedConfig {
        let mut loaded = config::load(place, files);
        check_patterns(
            &mut loaded,
            |_| "the hook is skipped",
            |definition, text| matcher::compiled(events::by_name(&definition.event)?, text),
        );
        let spelled =
            |definition: &HookDefinition, tool: &str| spelling::tool_in_matchers(&definition.event, tool).to_owned();
        check_spelled_tool_names(&mut loaded, self.id().as_str(), spelled, |definition, tool| {
            let event = events::by_name(&definition.event)?;
            let key = event.subject.filter(|key| *key == "tool_name")?;
            let subject = plan::subject(event, &json!({ key: tool }));
            matcher::matches(event, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    }
    fn trust_files(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
        let config = json!({ "trustedFolders": [&place.project] });
        vec![(format!("{}/config.json", layers::user_dir(place)), config.to_string())]
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
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherInterpretation {
        matcher::read(event, matcher)
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
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, _scene: &Scene) -> HookOutput {
        hook_output::read(definition, report)
    }
    fn text_recipient(&self, _event: &EventSpec, _version: &Version) -> TextRecipient {
        TextRecipient::Discarded
    }
    fn stop_cap(&self, scene: &Scene) -> Option<u32> {
        decide::stop_cap(scene)
    }
    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
        match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
            _ => {}
        }
    }
    fn after_run(&self, run: &HookRun, scene: &Scene) -> NextStep {
        decide::chain::after(run, scene)
    }
    fn failure_blocks(&self, event: &EventSpec) -> bool {
        lints::failure_blocks(event)
    }
    fn definition_findings(&self, at: &RuleContext<'_>) -> Vec<Diagnostic> {
        lints::check_definition(at)
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
