//! Qwen Code. `NOTES.md` holds the known behaviour and its sources.

mod address;
mod answer;
mod config;
mod debug_log;
mod decide;
mod environment;
mod events;
mod examples;
mod extensions;
mod formats;
mod front_matter;
mod handlers;
mod headless;
mod hook_output;
mod http;
mod launch;
mod layers;
mod lints;
mod matcher;
mod matcher_advice;
mod payloads;
mod plan;
mod prompt;
mod registry;
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
mod version_behaviour;

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
    AgentContext, Confidence, Dialect, ExampleIter, FirstHook, InstallHint, NextStep, RuleContext, Scene, Version,
    VersionRange,
};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookDefinition, HookInput, Subject};
use hookbench_base::matcher::MatcherInterpretation;
use hookbench_base::output::{HookOutput, TextRecipient};
use hookbench_base::plan::Plan;
use hookbench_base::recorded::{SessionDirectory, TranscriptFormat};
use hookbench_base::run::{Launch, RunReport};

/// Qwen Code.
pub struct QwenCode;

impl Dialect for QwenCode {
    fn id(&self) -> AgentId {
        AgentId::new("qwen")
    }
    fn name(&self) -> &'static str {
        "Qwen Code"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &version_behaviour::RANGES
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "qwen", package: "@qwen-code/qwen-code" }
    }
    fn home_variables(&self) -> &'static [&'static str] {
        &["QWEN_HOME"]
    }
    fn rules(&self) -> Vec<RuleId> {
        rules::all()
    }

    fn events(&self, version: &Version) -> Vec<&'static EventSpec> {
        events::for_version(version)
    }
    fn recognize(&self, payload: &Value) -> Confidence {
        payloads::recognise(payload)
    }
    fn iter_examples<'a>(&self, event: &'a EventSpec, place: &'a Place, version: &'a Version) -> ExampleIter<'a> {
        Box::new(payloads::examples(event, place, version))
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
    fn todo_file(&self, place: &Place, session: &str) -> Option<String> {
        Some(format!("{}/todos/{session}.json", layers::user_dir(place)))
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
        let mut loaded = config::load(place, files, version);
        check_patterns(&mut loaded, matcher::describe_invalid, |definition, text| {
            events::by_name(&definition.event).filter(|e| e.subject.is_some())?;
            matcher::compiled(text)
        });
        check_tool_names(&mut loaded, self.id().as_str(), |definition, tool| {
            let event = events::by_name(&definition.event).filter(|e| events::has_tool_subject(e.name))?;
            let subject = plan::subject(event, &json!({"tool_name": tool}), version);
            matcher::matches(
                version_behaviour::for_version(version).matcher,
                event.name,
                definition.matcher.as_ref(),
                &subject,
            )
            .hit()
        });
        loaded
    }
    fn trust_files(&self, place: &Place, _files: &dyn Files) -> Vec<(String, String)> {
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
        matcher::matches(version_behaviour::for_version(version).matcher, event.name, matcher, subject).hit()
    }
    fn read_matcher(&self, event: &EventSpec, matcher: Option<&Value>, version: &Version) -> MatcherInterpretation {
        matcher::read(version_behaviour::for_version(version).matcher, event, matcher)
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
        plan::reads(definition)
    }
    fn conditions_hold(&self, definition: &HookDefinition, input: &HookInput, _place: &Place) -> Option<bool> {
        plan::holds(definition, input)
    }
    fn launch(&self, definition: &HookDefinition, scene: &Scene) -> Launch {
        launch::launch(definition, scene)
    }
    fn interpret_run(&self, definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
        hook_output::read(definition, report, scene)
    }
    fn agent_findings(&self, at: &AgentContext<'_>) -> Vec<Diagnostic> {
        lints::check_agent(at)
    }

    fn text_recipient(&self, event: &EventSpec, version: &Version) -> TextRecipient {
        answer::text_reaches(event, version)
    }

    fn stop_cap(&self, scene: &Scene) -> Option<u32> {
        switches::stop_cap_for(scene)
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
