//! Codex. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod answer_lints;
mod answer_schema;
mod config;
mod config_keys;
mod config_node;
mod config_types;
mod debug_log;
mod decide;
mod discovery;
mod environment;
mod events;
mod examples;
mod formats;
mod headless;
mod hook_output;
mod hook_state;
mod launch;
mod layers;
mod matcher;
mod matcher_advice;
mod payloads;
mod plan;
mod plugins;
mod project;
mod rules;
mod schema;
mod setting_keys;
mod switches;
mod tools;
mod transcript;
mod trust;
mod trust_hash;
mod verification;

use hookbench_base::names::AgentId;
use hookbench_base::names::RuleId;
use serde_json::{Value, json};

use super::shared::matcher_checks::check_tool_names;
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::headless::HeadlessFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::dialects::verification::VerificationFormat;
use hookbench_base::dialects::{
    Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, Scene, Version, VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};
use hookbench_base::text::replace_surrogates_in;

/// The Codex dialect.
pub struct Codex;

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 2] = [
    VersionRange {
        from: "0.171.0",
        to: "0.171.0",
        basis: "tested on 0.171.0",
        measured: Some(("0.171.0", "2026-11-28")),
    },
    VersionRange {
        from: "0.169.0",
        to: "0.170.99",
        basis: "tested on 0.169.0",
        measured: Some(("0.169.0", "2026-11-20")),
    },
];

impl Dialect for Codex {
    fn id(&self) -> AgentId {
        AgentId::new("codex")
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
    /// Keeps all digits; half a surrogate pair cannot be kept.
    fn normalize_numbers(&self, body: &mut Value) {
        replace_surrogates_in(body);
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
        check_tool_names(&mut loaded, self.id().as_str(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| e.subject == Some("tool_name"))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}));
            Some(matcher::matches(true, definition.matcher.as_ref().and_then(Value::as_str), &subject).hit())
        });
        loaded
    }
    fn trust_files(&self, place: &Place, files: &dyn Files) -> Vec<(String, String)> {
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
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherInterpretation {
        matcher::read(event, matcher.and_then(Value::as_str))
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
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        hook_output::read(definition, report, scene)
    }
    fn text_recipient(&self, event: &EventSpec, _version: &Version) -> TextRecipient {
        answer::text_reaches(event.name)
    }

    fn after_run(&self, _run: &HookRun, _scene: &Scene) -> NextStep {
        NextStep::SameInput
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
