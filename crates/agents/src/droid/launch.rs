//! How Droid runs a definition (spec §5).

use std::time::Duration;

use serde_json::Value;

use super::events;
use crate::kernel::launch::{ShellRun, in_shell};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{Handler, HookDefinition};
use hookbench_base::run::{FinishCondition, HookVariable, Launch, VariableSource};
use hookbench_base::text::stringify;

const RUN: ShellRun<'_> = ShellRun { shell: "sh", finish: FinishCondition::AtExit, grace: Duration::ZERO };

/// The variables that hold the session's directory, not that of the repository.
const DIRECTORIES: [&str; 3] = ["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The variables of a plugin's directory, and what every other hook finds in them, whatever the agent's own environment has
/// (measured on 0.225.2).
const PLUGIN_DIRECTORIES: [&str; 2] = ["DROID_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];
const NO_PLUGIN: &str = "/PLUGIN_ROOT_NOT_EXPANDED_ERROR";

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    match &definition.handler {
        Handler::Command(command) if command.command.is_empty() => Launch::Refused("the command is empty".to_owned()),
        _ => in_shell(definition, scene, &RUN, variables(definition, scene)),
    }
}

/// The variables that the agent adds to its own environment: the directories, and every scalar of the payload.
fn variables(definition: &HookDefinition, scene: &Scene) -> Vec<HookVariable> {
    let directories = DIRECTORIES.iter().map(|name| HookVariable::of_agent(*name, &scene.place.project));
    let plugins = PLUGIN_DIRECTORIES.iter().map(|name| HookVariable::of_agent(*name, NO_PLUGIN));
    let fields = events::EVENTS.by_name(&definition.event).map_or(&[][..], |event| event.fields);
    // A payload can be part of a project. A key in capital letters could be a variable that programs obey.
    let is_data = |key: &str| {
        let known = events::EVENTS.common.iter().chain(fields).any(|field| field.name == key);
        known && !key.contains(|c: char| c.is_ascii_uppercase())
    };
    let scalars = scene.input.body.as_object().into_iter().flatten().filter_map(|(key, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => stringify(value),
            _ => return None,
        };
        let source = if is_data(key) { VariableSource::Event } else { VariableSource::Payload };
        Some(HookVariable { name: key.clone(), value: text, source })
    });
    directories.chain(plugins).chain(scalars).collect()
}

/// The limit of a hook that does not set one.
pub const DEFAULT: Duration = Duration::from_secs(60);

/// The largest limit, in seconds: the longest timer of Node.js. A longer one ends at once (0.225.2).
pub const LONGEST: f64 = 2_147_483.647;

/// The time that a hook gets if its limit is too large for a timer: the agent is busy starting it. Hooks of 10 ms answered,
/// hooks of 40 ms did not (0.225.2).
const AT_ONCE: Duration = Duration::from_millis(20);

/// Returns the limit in the value of `timeout`: seconds, with fractions. Zero means no limit, and a negative number
/// kills the hook at once, as does one that is too large for a timer.
pub fn limit(value: Option<&Value>) -> Option<Duration> {
    let Some(seconds) = value.and_then(Value::as_f64) else { return Some(DEFAULT) };
    if seconds == 0.0 {
        return None;
    }
    if seconds > LONGEST {
        return Some(AT_ONCE);
    }
    Some(Duration::from_secs_f64(seconds.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::launch_hook;
    use hookbench_base::run::Launch;
    use serde_json::json;

    #[test]
    fn scalars_of_the_payload_are_variables() {
        let Launch::Process(spec) = launch_hook("Stop", &json!({"type": "command", "command": "x"})) else {
            panic!("a command is a process");
        };
        let value = |name: &str| spec.env.value(name);
        assert_eq!((spec.program.as_str(), spec.args.last().map(String::as_str)), ("sh", Some("x")));
        for (name, want) in [
            ("CLAUDE_PROJECT_DIR", Some("/p")),
            ("CLAUDE_PLUGIN_ROOT", Some("/PLUGIN_ROOT_NOT_EXPANDED_ERROR")),
            ("hook_event_name", Some("Stop")),
            ("stop_hook_active", Some("false")),
            ("tool_execution_count", Some("0")),
            ("HOME", None),
        ] {
            assert_eq!(value(name), want, "{name}");
        }
    }

    #[test]
    fn an_empty_command_does_not_start() {
        let empty = launch_hook("Stop", &json!({"type": "command", "command": ""}));
        assert_eq!(empty, Launch::Refused("the command is empty".to_owned()));
    }
}

#[cfg(test)]
mod timeout_tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seconds_with_fractions() {
        for (value, want) in [
            (None, Some(DEFAULT)),
            (Some(json!(0.5)), Some(Duration::from_millis(500))),
            (Some(json!(30)), Some(Duration::from_secs(30))),
            (Some(json!(0)), None),
            (Some(json!(-1)), Some(Duration::ZERO)),
            (Some(json!(2_147_483)), Some(Duration::from_secs(2_147_483))),
            (Some(json!(2_147_483.648)), Some(AT_ONCE)),
            (Some(json!(2_147_484)), Some(AT_ONCE)),
            (Some(json!(1e300)), Some(AT_ONCE)),
        ] {
            assert_eq!(limit(value.as_ref()), want, "{value:?}");
        }
    }
}
