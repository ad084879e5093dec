//! Factory Droid. `NOTES.md` holds the known behaviour and its sources.

mod answer;
mod config;
mod debug_log;
mod decide;
mod events;
mod examples;
mod formats;
mod headless;
mod hook_output;
mod launch;
mod layers;
mod lints;
mod matcher;
mod matcher_advice;
mod payloads;
mod plan;
mod rules;
#[cfg(test)]
mod test_firings;
mod timeout;
mod tools;
mod transcript;
mod verification;

use hookbench_base::names::{AgentId, RuleId};
use serde_json::{Value, json};

use super::shared::matcher_checks::{check_patterns, check_tool_names};
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::headless::HeadlessFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::plugin_format::PluginFormat;
use hookbench_base::dialects::settings_format::{HookFile, SettingsFormat};
use hookbench_base::dialects::verification::VerificationFormat;
use hookbench_base::dialects::{
    Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, RuleContext, Scene, Version, VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, Layer, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// Whether other versions behave differently is unknown.
static RANGES: [VersionRange; 1] = [VersionRange {
    from: "0.225.2",
    to: "0.225.2",
    basis: "tested on 0.225.2",
    measured: Some(("0.225.2", "2026-11-22")),
}];

/// The Droid dialect.
pub struct Droid;

impl Dialect for Droid {
    fn id(&self) -> AgentId {
        AgentId::new("droid")
    }
    fn name(&self) -> &'static str {
        "Droid"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &RANGES
    }
    fn is_configured(&self, place: &Place, files: &dyn Files) -> bool {
        layers::has_files(place, files)
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "droid", package: "@factory/cli" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &[]
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
        check_patterns(
            &mut loaded,
            |_| "it matches nothing",
            |definition, text| matcher::compiled(events::by_name(&definition.event)?, text),
        );
        check_tool_names(&mut loaded, self.id().as_str(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|event| event.subject == Some("tool_name"))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}));
            matcher::matches(event, definition.matcher.as_ref(), &subject).hit()
        });
        loaded
    }
    /// Droid asks for no trust: hooks of a repository run at once.
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
        matcher::matches(event, matcher, subject).hit()
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, _version: &Version) -> MatcherInterpretation {
        matcher::read(event, matcher)
    }
    fn settings_format(&self) -> &'static SettingsFormat {
        &formats::SETTINGS_FORMAT
    }
    fn hook_files(&self, place: &Place, layer: Layer) -> Vec<HookFile> {
        layers::hook_files(place, layer)
    }
    fn file_for_event(&self, place: &Place, files: &dyn Files, layer: Layer, event: &str) -> Option<HookFile> {
        config::file_for_event(place, files, layer, event)
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
    fn text_recipient(&self, event: &EventSpec, _version: &Version) -> TextRecipient {
        if event.name == "SessionStart" { TextRecipient::Model } else { TextRecipient::Discarded }
    }
    fn after_run(&self, _run: &HookRun, _scene: &Scene) -> NextStep {
        NextStep::SameInput
    }
    fn definition_findings(&self, at: &RuleContext<'_>) -> Vec<Diagnostic> {
        lints::check_definition(at)
    }
    fn decide(&self, plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
        decide::decide(plan, runs, scene)
    }
}
