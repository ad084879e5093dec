//! Definitions as settings files and extensions hold them.

use crate::kernel::settings::{self, DefinitionOrigin};
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::{Handler, HookDefinition};
use hookbench_base::text::{Node, to_js_string, truthy};

/// Returns the hooks of a group, or reports that it has none. `is_flat` is whether the group is itself a handler.
pub fn hooks_of_group<'a>(group: &'a Node, is_flat: bool, notes: &mut Vec<Diagnostic>) -> Option<&'a [Node]> {
    let hooks = group.get("hooks").and_then(Node::items);
    if hooks.is_none() {
        let (message, help) = if is_flat {
            (
                "the handler is beside its matcher instead of in a `hooks` list, so it is skipped",
                "wrap it: { \"hooks\": [ { … } ] }",
            )
        } else {
            (
                "the `hooks` list is missing in this definition, so it is skipped",
                "write { \"matcher\": \"…\", \"hooks\": [ … ] }",
            )
        };
        notes.push(Diagnostic::new(Code::HW103, message).at(group.span).with_help(help));
    }
    hooks
}

/// Reports a matcher on which the agent throws. `example` is a matcher for the help.
pub fn check_matcher(event: &str, group: &Node, example: &str, notes: &mut Vec<Diagnostic>) {
    if let Some(matcher) = group.get("matcher").filter(|m| m.as_str().is_none() && truthy(&m.to_value())) {
        let message = format!(
            "the matcher is {}: the agent throws an error when {event} fires and loses every hook of the event",
            matcher.kind()
        );
        let note = Diagnostic::new(Code::HW102, message).at(matcher.span);
        notes.push(note.with_help(format!("write a string, such as \"{example}\"")));
    }
}

/// Reports a key with a truthy value other than `true`, which has no effect.
pub fn check_true(node: &Node, key: &str, so: &str, notes: &mut Vec<Diagnostic>) {
    if let Some(value) = node.get(key).filter(|v| truthy(&v.to_value()) && v.as_bool() != Some(true)) {
        let message = format!("`{key}` is {}, but only true counts, so {so}", value.kind());
        notes.push(
            Diagnostic::lowered(Code::HW105, Severity::Warning, message)
                .at(value.span)
                .with_help("write true without quotes"),
        );
    }
}

/// Returns the definition of a hook, without timeout and rejection.
pub fn definition(
    loaded: &LoadedConfig,
    event: &str,
    group: &Node,
    hook: &Node,
    handler: Handler,
    origin: &DefinitionOrigin,
) -> HookDefinition {
    let definition = settings::definition(loaded, event, Some(group), hook, handler, origin);
    HookDefinition { name: definition.raw.get("name").filter(|name| truthy(name)).map(to_js_string), ..definition }
}
