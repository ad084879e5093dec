//! One command hook alone: what an agent does with its output. Nothing is started.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::config::{LoadedConfig, MemoryFiles, Place};
use crate::decide::{HookRun, Outcome};
use crate::dialects::{Scene, find_event};
use crate::firing::{Firing, FiringStep};
use crate::hook::HookInput;
use crate::output::{HookOutput, KeyUse};
use crate::port::AgentVersion;
use crate::run::{Launch, RunReport};

/// The command in the settings. Nothing runs it.
pub(super) const COMMAND: &str = "hook";

/// Output keys whose effect is a field of the outcome.
const KEYS_OF_OUTCOMES: [&str; 23] = [
    "/continue",
    "/stopReason",
    "/decision",
    "/reason",
    "/systemMessage",
    "/suppressOutput",
    "/hookSpecificOutput",
    "/hookSpecificOutput/hookEventName",
    "/hookSpecificOutput/permissionDecision",
    "/hookSpecificOutput/permissionDecisionReason",
    "/hookSpecificOutput/additionalContext",
    "/hookSpecificOutput/updatedInput",
    "/hookSpecificOutput/tool_input",
    "/hookSpecificOutput/decision",
    "/hookSpecificOutput/decision/behavior",
    "/hookSpecificOutput/decision/message",
    "/hookSpecificOutput/decision/updatedInput",
    "/permissionDecision",
    "/permissionDecisionReason",
    "/additionalContext",
    "/modifiedArgs",
    "/behavior",
    "/message",
];

/// An agent whose only hook is one command, on one event and without a matcher.
pub struct LoneHook {
    side: AgentVersion,
    event: String,
    place: Arc<Place>,
    loaded: Arc<LoadedConfig>,
}

/// What the agent makes of the hook's output.
#[derive(Debug, Clone, PartialEq)]
pub struct LoneDecision {
    pub output: HookOutput,
    pub outcome: Outcome,
}

impl LoneHook {
    /// The hook on an event. `None` if users can edit no settings of the agent.
    pub fn on(side: &AgentVersion, event: &str, place: &Place) -> Option<LoneHook> {
        let place = place.as_trusted();
        let mut files = MemoryFiles::default();
        let groups = json!([{"hooks": [{"type": "command", "command": COMMAND}]}]);
        let (_, file) = side.dialect.usual_file_for_event(&place, event)?;
        files.put(file.path, file.form.whole_file(&Map::from_iter([(event.to_owned(), groups)])));
        let loaded = side.dialect.load(&place, &files, &side.version);
        Some(LoneHook { side: side.clone(), event: event.to_owned(), place: Arc::new(place), loaded })
    }

    /// Whether this is the hook of an agent on an event.
    pub(super) fn is_on(&self, side: &AgentVersion, event: &str) -> bool {
        self.side.dialect.id() == side.dialect.id() && self.side.version == side.version && self.event == event
    }

    /// The inputs of the event's examples.
    pub fn example_inputs(&self, event: &str) -> Vec<HookInput> {
        let Some(event) = find_event(self.side.dialect, &self.side.version, event) else { return Vec::new() };
        let examples = self.side.dialect.examples(event, &self.place, &self.side.version).into_iter();
        let input = |body: Value| HookInput {
            event: event.name.to_owned(),
            subject: self.side.dialect.subject(event, &body, &self.side.version),
            body,
        };
        examples.map(|example| input(example.body)).collect()
    }

    /// What the agent does after a run of the hook. `None` if the hook does not run on this input.
    pub fn decide(&self, input: &HookInput, report: &RunReport) -> Option<LoneDecision> {
        let (mut firing, steps) = Firing::start(self.side.dialect, self.scene(input));
        let run = steps.into_iter().find_map(|step| match step {
            FiringStep::Launch(request) if matches!(request.launch, Launch::Process(_)) => Some(request.run),
            _ => None,
        })?;
        let steps = firing.report(RunReport { run, ..report.clone() });
        let outcome = steps.into_iter().find_map(|step| match step {
            FiringStep::Decided(outcome) => Some(*outcome),
            _ => None,
        })?;
        let output = firing.finished().first().map(|run: &HookRun| run.output.clone())?;
        Some(LoneDecision { output, outcome })
    }

    pub(super) fn scene(&self, input: &HookInput) -> Scene {
        Scene::new(input.clone(), Arc::clone(&self.loaded), Arc::clone(&self.place), self.side.version.clone())
    }
}

impl LoneDecision {
    /// The keys of the output that have an effect and that no field of the outcome holds, with their values.
    pub fn other_keys(&self) -> Vec<(String, Value)> {
        let Some(value) = &self.output.value else { return Vec::new() };
        let used = self.output.pointers(KeyUse::Used).into_iter();
        let other = used.filter(|pointer| !is_translated(pointer));
        other.filter_map(|pointer| Some((pointer.clone(), value.pointer(&pointer)?.clone()))).collect()
    }
}

/// Whether the effect of an output key, given as a JSON pointer, is part of an outcome and thus translated.
pub fn is_translated(pointer: &str) -> bool {
    KEYS_OF_OUTCOMES.contains(&pointer)
}

/// The text of a hook without the agent's remark on which hook said it.
pub(super) fn plain_reason(text: &str) -> &str {
    text.strip_prefix("[hook]").map_or(text, |rest| rest.trim_start_matches(':')).trim()
}
