//! Gemini CLI. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod examples;
mod extensions;
mod formats;
mod handlers;
mod headless;
mod hook_output;
mod launch;
mod layers;
mod lints;
mod matcher;
mod matcher_advice;
mod merge;
mod model_request;
mod payloads;
mod plan;
mod redaction;
mod rules;
mod substitution;
mod switches;
#[cfg(test)]
mod test_firings;
mod timeout;
mod tools;
mod transcript;
mod trust;
mod typed_output;
mod verification;

use hookbench_base::names::AgentId;
use hookbench_base::names::RuleId;
use serde_json::{Value, json};

use super::shared::matcher_checks::check_patterns;
use super::shared::matcher_checks::check_tool_names;
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

/// The measurement behind both ranges.
const MEASURED: Option<(&str, &str)> = Some(("0.61.0", "2026-11-20"));

/// The versions whose behaviour is known, newest first. The rules are the same in all of them.
static RANGES: [VersionRange; 2] = [
    VersionRange { from: "0.61.0", to: "0.61.0", basis: "tested on 0.61.0", measured: MEASURED },
    VersionRange {
        from: "0.56.0",
        to: "0.60.99",
        basis: "the source of 0.56, which has the same hooks as 0.61.0",
        measured: MEASURED,
    },
];

/// Gemini CLI.
pub struct GeminiCli;

impl Dialect for GeminiCli {
    fn id(&self) -> AgentId {
        AgentId::new("gemini")
    }
    fn name(&self) -> &'static str {
        "Gemini CLI"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &RANGES
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "gemini", package: "@google/gemini-cli" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["GEMINI_CLI_HOME"]
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
        let broken = |_: &str| "it is compared literally and matches only a tool with exactly that name";
        check_patterns(&mut loaded, broken, |definition, text| {
            matcher::compiled(events::by_name(&definition.event)?, text)
        });
        check_tool_names(&mut loaded, self.id().as_str(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| events::has_tool_subject(e))?;
            matcher::matches(event, definition.matcher.as_ref(), &plan::subject(event, &json!({"tool_name": tool})))
                .hit()
        });
        loaded
    }
    fn trust_files(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
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
    fn interpret_run(&self, _definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        hook_output::read(report, scene)
    }
    fn agent_findings(&self, at: &AgentContext<'_>) -> Vec<Diagnostic> {
        lints::check_agent(at)
    }

    fn text_recipient(&self, event: &EventSpec, _version: &Version) -> TextRecipient {
        answer::text_reaches(event)
    }

    fn remember(&self, state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
        match input.event.as_str() {
            "SessionStart" => *state = SessionState::default(),
            "AfterAgent" => state.count_stop(&input.event, before, outcome),
            _ => {}
        }
    }
    fn after_run(&self, run: &HookRun, scene: &Scene) -> NextStep {
        decide::chain::after(run, scene)
    }
    fn definition_findings(&self, at: &RuleContext<'_>) -> Vec<Diagnostic> {
        lints::check_definition(at)
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
