//! Claude Code.

use serde_json::Value;

use super::{Confidence, Dialect, InstallHint, Next, Scene, Version, VersionRange};
use crate::core::config::{Files, Loaded, Place};
use crate::core::decide::{HookRun, Outcome, Runs, Verdict};
use crate::core::hook::{EventSpec, Example, HookDefinition, Subject};
use crate::core::output::HookOutput;
use crate::core::plan::Plan;
use crate::core::run::{Launch, RunReport};

/// Claude Code.
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude"
    }
    fn name(&self) -> &'static str {
        "Claude Code"
    }
    fn versions(&self) -> &'static [VersionRange] {
        &[VersionRange { from: "2.1.329", to: "2.1.329", basis: "measured on 2.1.329" }]
    }
    fn install(&self) -> InstallHint {
        InstallHint { command: "claude", package: "@anthropic-ai/claude-code" }
    }
    fn events(&self, _version: &Version) -> Vec<&'static EventSpec> {
        Vec::new()
    }
    fn recognise(&self, _payload: &Value) -> Confidence {
        Confidence::No
    }
    fn examples(&self, _event: &EventSpec, _place: &Place, _version: &Version) -> Vec<Example> {
        Vec::new()
    }
    fn fill(&self, _event: &EventSpec, _body: &Value, _place: &Place, _version: &Version) -> Vec<(String, Value)> {
        Vec::new()
    }
    fn load(&self, _place: &Place, _files: &dyn Files, _version: &Version) -> Loaded {
        Loaded::default()
    }
    fn subject(&self, _event: &EventSpec, _body: &Value, _version: &Version) -> Subject {
        Subject::default()
    }
    fn plan(&self, _scene: &Scene) -> Plan {
        Plan::default()
    }
    fn launch(&self, _definition: &HookDefinition, _scene: &Scene) -> Launch {
        Launch::Refused(String::new())
    }
    fn read(&self, _definition: &HookDefinition, _report: &RunReport, _scene: &Scene) -> HookOutput {
        HookOutput::default()
    }
    fn after(&self, _run: &HookRun, _scene: &Scene) -> Next {
        Next::Same
    }
    fn decide(&self, _plan: &Plan, _runs: Runs<'_>, _scene: &Scene) -> Outcome {
        Outcome::quiet(Verdict::NotRun, "")
    }
}
