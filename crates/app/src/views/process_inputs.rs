//! The inputs of each agent's hook processes for one event: stdin keys, shell, directory and environment.

use std::time::Duration;

use serde_json::Value;

use crate::session::{AgentEvent, CrossAgentEvent, PlannedAgentEvent, Session};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::{Launch, ProcessSpec};

/// The inputs of one agent's hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessInput {
    pub stdin: KeyDifferences,
    /// The launch of the agent's first hook that is a process.
    pub process: Option<LaunchSummary>,
}

/// The keys of a payload, compared with another agent's payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyDifferences {
    /// The number of top-level keys.
    pub sent: usize,
    /// Keys that only this payload has; a key of a tool's input is written as `tool_input.key`.
    pub added: Vec<String>,
    /// Keys that only the other payload has.
    pub removed: Vec<String>,
    /// Keys in both payloads with different values.
    pub changed: Vec<String>,
}

/// How a hook process is started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchSummary {
    /// The shell with its flags, or `None` if the program is started directly with its arguments.
    pub shell: Option<String>,
    pub directory: String,
    /// Variables that are new or differ from hookbench's own environment.
    pub sets: Vec<String>,
    /// Variables of hookbench's own environment that the process does not receive.
    pub removes: Vec<String>,
    pub timeout: Option<Duration>,
}

impl Session {
    /// The inputs of every agent's hooks, in the order of the agents; `None` for an agent without this event.
    pub fn process_inputs(&self, all: &CrossAgentEvent) -> Vec<Option<ProcessInput>> {
        let from = all.translated().find(|(of, _)| of.agent == all.origin).map(|(_, there)| &there.input.body);
        let handed = |of: &AgentEvent| {
            let there = of.event.as_ref().ok()?;
            let keys = from.map(|from| compare_keys(from, &there.input.body)).unwrap_or_default();
            Some(ProcessInput { stdin: keys, process: self.first_launch(of.agent.as_str(), there) })
        };
        all.agents.iter().map(handed).collect()
    }

    /// The launch of the first hook that is a process: the recorded one if it ran, otherwise the planned one.
    fn first_launch(&self, agent: &str, there: &PlannedAgentEvent) -> Option<LaunchSummary> {
        let fired = self.fired_there(there).into_iter().flat_map(|fired| &fired.runs);
        let ran = fired.filter_map(|run| Some((there.loaded.definition(&run.hook)?, run.launch.clone())));
        let state = self.agent(agent)?;
        let scene = self.scene_of(state, &there.input)?;
        let hooks = there.plan.firing().filter_map(|entry| there.loaded.definition(&entry.hook));
        let would = hooks.map(|definition| (definition, state.dialect.launch(definition, &scene)));
        ran.chain(would).find_map(|(definition, launch)| match launch {
            Launch::Process(spec) => Some(self.launch_summary(definition, &spec)),
            Launch::Http(_) | Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
        })
    }

    fn launch_summary(&self, definition: &HookDefinition, spec: &ProcessSpec) -> LaunchSummary {
        let direct = matches!(&definition.handler, Handler::Command(command) if command.args.is_some());
        let flags = spec.args.split_last().map(|(_, flags)| flags).unwrap_or_default();
        let words: Vec<&str> = std::iter::once(&spec.program).chain(flags).map(String::as_str).collect();
        let mut sets: Vec<String> = spec.env.scratch_files.clone();
        for variable in spec.env.effective() {
            if !sets.contains(&variable.name) && self.place().var(&variable.name) != Some(variable.value.as_str()) {
                sets.push(variable.name.clone());
            }
        }
        let set = |name: &String| spec.env.value(name).is_some() || spec.env.scratch_files.contains(name);
        let removes = spec.env.remove.iter().filter(|name| self.place().var(name).is_some() && !set(name));
        LaunchSummary {
            shell: (!direct).then(|| words.join(" ")),
            directory: spec.cwd.clone(),
            sets,
            removes: removes.cloned().collect(),
            timeout: spec.timeout,
        }
    }
}

/// Compares the keys of a payload with those of another.
fn compare_keys(from: &Value, there: &Value) -> KeyDifferences {
    let (was, is) = (flatten(from), flatten(there));
    let has = |all: &[(String, &Value)], key: &str| all.iter().any(|(k, _)| k == key);
    let names = |all: Vec<&(String, &Value)>| all.into_iter().map(|(key, _)| key.clone()).collect();
    let differs = |(key, value): &&(String, &Value)| was.iter().any(|(k, v)| k == key && v != value);
    KeyDifferences {
        sent: there.as_object().map_or(0, serde_json::Map::len),
        added: names(is.iter().filter(|(key, _)| !has(&was, key)).collect()),
        removed: names(was.iter().filter(|(key, _)| !has(&is, key)).collect()),
        changed: names(is.iter().filter(differs).collect()),
    }
}

/// Every key with its value; a tool's input is flattened key by key.
fn flatten(body: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (key, value) in body.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) if key == "tool_input" => {
                all.extend(inner.iter().map(|(name, value)| (format!("{key}.{name}"), value)));
            }
            _ => all.push((key.clone(), value)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let from = json!({"a": 1, "b": {"c": 1}, "tool_input": {"x": 1, "y": 2}});
        let there = json!({"a": 2, "b": {"c": 1}, "n": 0, "tool_input": {"x": 1, "z": 2}});
        let texts = |all: &[&str]| all.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let want = KeyDifferences {
            sent: 4,
            added: texts(&["n", "tool_input.z"]),
            removed: texts(&["tool_input.y"]),
            changed: texts(&["a"]),
        };
        assert_eq!(compare_keys(&from, &there), want);
        assert_eq!(compare_keys(&from, &from), KeyDifferences { sent: 3, ..KeyDifferences::default() });
    }
}
