//! The compatibility layer that two documents specify for Qwen Code, and that no release contains. `NOTES.md` holds its
//! sources and the choices between them.

mod answer;
mod commands;
mod config;
mod decide;
mod entries;
mod events;
mod formats;
mod hook_output;
mod internal_payload;
mod launch;
mod layers;
mod matcher;
mod older_payload;
mod payloads;
mod plan;
mod rules;
mod tools;

use hookbench_base::names::{AgentId, RuleId};
use serde_json::Value;

use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::headless::HeadlessFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::dialects::verification::VerificationFormat;
use hookbench_base::dialects::{
    Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, OlderPayload, Scene, Version, VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// The compatibility layer of the documents.
pub struct QwenLegacy;

/// The versions of the format of `hooks.yaml`. No program has them.
static RANGES: [VersionRange; 1] =
    [VersionRange { from: "1.0.0", to: "2.0.0", basis: "specified by two documents, never released", measured: None }];

impl Dialect for QwenLegacy {
    fn id(&self) -> AgentId {
        AgentId::new("qwen-legacy")
    }
    fn name(&self) -> &'static str {
        "Qwen legacy"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &RANGES
    }
    fn is_released(&self) -> bool {
        false
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "qwen-legacy", package: "qwen-legacy" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["QWEN_HOME"]
    }
    fn rules(&self) -> Vec<RuleId> {
        rules::all()
    }

    fn events(&self, _version: &Version) -> Vec<&'static EventSpec> {
        events::EVENTS.iter().collect()
    }
    fn recognize(&self, payload: &Value) -> Confidence {
        internal_payload::recognise(payload)
    }
    fn event_by_spelling(&self, name: &str) -> Option<&'static EventSpec> {
        events::by_spelling(name)
    }
    fn read_older_payload(&self, payload: &Value) -> Option<OlderPayload> {
        older_payload::read(payload)
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
        &[]
    }
    fn sessions(&self, _place: &Place, _files: &dyn Files) -> Vec<SessionDirectory> {
        Vec::new()
    }
    fn first_hooks(&self) -> [FirstHook; 3] {
        FirstHook::for_agent([
            include_str!("first_hooks/refuse.json"),
            include_str!("first_hooks/tell.json"),
            include_str!("first_hooks/stop.json"),
        ])
    }
    fn read_configuration(&self, place: &Place, files: &dyn Files, _version: &Version) -> LoadedConfig {
        config::load(place, files)
    }
    fn trust_files(&self, _place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
        Vec::new()
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
        Some(matcher::matches(event, matcher, subject).hit())
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherInterpretation {
        matcher::read(event, matcher)
    }
    fn settings_format(&self) -> &'static SettingsFormat {
        &formats::SETTINGS_FORMAT
    }
    fn hook_list_key(&self) -> Option<&'static str> {
        Some("claudeHooks")
    }
    fn live_format(&self) -> &'static LiveFormat {
        &formats::LIVE_FORMAT
    }
    fn headless_format(&self) -> &'static HeadlessFormat {
        &formats::HEADLESS_FORMAT
    }
    fn verification_format(&self) -> &'static VerificationFormat {
        &formats::VERIFICATION_FORMAT
    }
    fn debug_log(&self) -> &'static DebugLogFormat {
        &formats::DEBUG_LOG
    }
    fn plan(&self, scene: &Scene) -> Plan {
        plan::plan(scene)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        hook_output::read(definition, report, scene)
    }
    fn text_recipient(&self, _event: &EventSpec, _version: &Version) -> TextRecipient {
        TextRecipient::Discarded
    }
    fn after_run(&self, run: &HookRun, scene: &Scene) -> NextStep {
        decide::after_run(run, scene)
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
