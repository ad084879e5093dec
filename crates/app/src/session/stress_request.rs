//! The stress test of a hook in the loaded settings.

use std::sync::Arc;

use serde_json::Value;

use super::agent::AgentState;
use super::firing_findings::script_file;
use super::state::Session;
use crate::firing::input::InputRequest;
use crate::firing::record::is_forwarding;
use crate::stress::{LONGEST_TEST, LintTrial, StressParts, StressRequest};
use hookbench_core::catalogue::catalogue;
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::run::Launch;
use hookbench_core::script_keys::read_keys;
use hookbench_core::stress::{common_deeds, common_prompts, tool_call};

impl Session {
    /// Prepares a stress test of a hook. Without a payload, the event's templates and common deeds are tried.
    ///
    /// Returns `None` if the settings are not loaded or the agent has no such event.
    pub fn stress_request(
        &self,
        agent: &AgentState,
        definition: &HookDefinition,
        payload: Option<Value>,
        parts: StressParts,
    ) -> Option<StressRequest> {
        let loaded = Arc::clone(agent.loaded.as_ref()?);
        let event = dialects::find_event(agent.dialect, &agent.version, &definition.event)?;
        let script = self.hook_script(agent, definition);
        let source =
            script.as_ref().map(|one| one.text.iter().fold(one.command.clone(), |all, text| all + "\n" + text));
        let walks = script.as_ref().map_or(&[][..], |script| &script.walks);
        let payloads = match payload {
            Some(payload) => vec![payload],
            None => self.payloads_to_try(agent, definition, (event.subject, &source.unwrap_or_default())),
        };
        Some(StressRequest {
            dialect: agent.dialect,
            version: agent.version.clone(),
            place: Arc::clone(&self.place),
            loaded,
            definition: definition.clone(),
            event,
            payloads,
            programs: self.programs_of(definition, script.as_ref()),
            script_keys: read_keys(walks),
            files: self.settings_files().into_iter().chain(self.scripts()).collect(),
            headless: self.options.headless,
            contain: self.contain,
            parts,
            longest_test: LONGEST_TEST,
        })
    }

    /// Prepares a run of a hook for lint. `None` if the agent does not start it.
    pub fn lint_trial(&self, agent: &AgentState, definition: &HookDefinition) -> Option<LintTrial> {
        if definition.rejection.is_some() || is_forwarding(definition) {
            return None;
        }
        let (launch, resolved) = self.launch_of(agent, definition)?;
        if !matches!(launch, Launch::Process(_)) {
            return None;
        }
        let script = resolved.as_ref().and_then(|resolved| script_file(resolved, self.files()));
        let request = self.stress_request(agent, definition, None, StressParts::World)?;
        Some(LintTrial { request, script })
    }

    /// Common deeds with the agent's own tools, first those of which the hook's script speaks, and the templates of the
    /// event.
    fn payloads_to_try(
        &self,
        agent: &AgentState,
        definition: &HookDefinition,
        (subject, script): (Option<&str>, &str),
    ) -> Vec<Value> {
        let id = agent.dialect.id();
        let build = |tool: Option<(String, Value)>| {
            let (tool, tool_input) = tool.map_or((None, None), |(tool, input)| (Some(tool), Some(input)));
            let request = InputRequest {
                agent: Some(id),
                event: Some(definition.event.clone()),
                tool,
                tool_input,
                ..InputRequest::default()
            };
            self.build(&request).ok().map(|built| built.input.body)
        };
        let mut payloads = Vec::new();
        if subject == Some("tool_name")
            && let Some(tools) = catalogue().agent(id.as_str())
        {
            payloads.extend(common_deeds(script).iter().filter_map(|deed| build(Some(tool_call(deed, tools)?))));
        }
        if let Some(event) = dialects::find_event(agent.dialect, &agent.version, &definition.event) {
            let examples = agent.dialect.examples(event, &self.place, &agent.version);
            let examples: Vec<Value> = examples.into_iter().map(|example| example.body).collect();
            let prompts: Vec<Value> = examples.iter().flat_map(common_prompts).collect();
            payloads.extend(examples);
            payloads.extend(prompts);
        }
        payloads
    }
}
