//! Hooks of the events that guard tools (`PreToolUse`, `PermissionRequest`, `PreSkillShellCommand`) in places where the agent does not read them. They may guard the
//! permissions in the same file, so the agent skips the whole file. Measured on 2.1.330.

use super::events;
use super::version_behaviour::VersionBehaviour;
use crate::kernel::settings::SchemaError;
use hookbench_base::diagnostic::Code;
use hookbench_base::text::{Member, Node, NodeValue};

/// Keys whose objects have arbitrary keys, which are therefore not event names.
const FREE_NAMES: [&str; 7] = [
    "env",
    "mcpServers",
    "managedMcpServers",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "pluginConfigs",
    "skillOverrides",
];
const HELP: &str = "write {\"hooks\": {\"PreToolUse\": [{\"matcher\": \"…\", \"hooks\": [ … ]}]}}";

/// Whether a mistake under this event makes the agent skip the file.
pub fn is_guarding_event(event: &str, rules: VersionBehaviour) -> bool {
    matches!(event, "PreToolUse" | "PermissionRequest") || event == "PreSkillShellCommand" && rules.has_skill_commands
}

/// Finds misplaced hooks outside `hooks` in a settings file.
pub fn find_outside_hooks(settings: &Node, rules: VersionBehaviour) -> Option<SchemaError> {
    let whole = MisplacedHookSearch { below_event: false, skip_free_names: true, rules };
    settings.effective_members().into_iter().filter(|m| m.key != "hooks").find_map(|member| {
        // The agent removes invalid items of these lists before it looks for misplaced hooks.
        let rule_list = |m: &Member| matches!(m.key.as_str(), "allow" | "deny" | "ask") && m.value.items().is_some();
        let found = if member.key == "permissions" && member.value.members().is_some() {
            let parts = member.value.effective_members().into_iter().filter(|m| !rule_list(m));
            parts.into_iter().find_map(|m| whole.member(&m.key, &m.value))?
        } else {
            whole.member(&member.key, &member.value)?
        };
        let says = "PreToolUse or PermissionRequest hooks are outside `hooks`, where they do not load";
        Some(SchemaError::new(Code::HW103, found.span, says, HELP))
    })
}

/// Finds misplaced hooks in a `hooks` value that is not an object keyed by event.
pub fn check_hooks_value(hooks: &Node, rules: VersionBehaviour) -> Option<SchemaError> {
    let problem = |node: &Node, says: String| Some(SchemaError::new(Code::HW104, node.span, says, HELP));
    let search = MisplacedHookSearch { below_event: false, skip_free_names: false, rules };
    if let Some(items) = hooks.items() {
        let holds = items.iter().any(|item| item.members().is_some() || search.value(item).is_some());
        let says = || "`hooks` must be an object keyed by event, not a list".to_owned();
        return holds.then(says).and_then(|says| problem(hooks, says));
    }
    let members = hooks.effective_members();
    let single = hooks.get("hooks").filter(|list| is_non_empty_list(list));
    if single.is_some() && !members.iter().any(|m| events::find(&m.key).is_some()) {
        return problem(hooks, "`hooks` must be an object keyed by event, not a single group".to_owned());
    }
    members.into_iter().filter(|m| events::find(&m.key).is_none()).find_map(|member| {
        let below = MisplacedHookSearch { below_event: member.value.items().is_some(), ..search };
        below.value(&member.value)?;
        problem(
            &member.value,
            format!("`{}` is not an event, but contains PreToolUse or PermissionRequest hooks", member.key),
        )
    })
}

/// Finds hooks of a guarding event inside a group or a value of another event.
pub fn find_in_group(group: &Node, rules: VersionBehaviour) -> Option<SchemaError> {
    let search = MisplacedHookSearch { below_event: true, skip_free_names: true, rules };
    let handlers = group.get("hooks").and_then(Node::items);
    let members = group.effective_members().into_iter();
    let found = members
        .filter(|m| m.key != "hooks" || handlers.is_none())
        .find_map(|m| search.member(&m.key, &m.value))
        .or_else(|| handlers.unwrap_or(&[]).iter().find_map(|handler| find_in_handler(handler, rules)))
        .or_else(|| group.items().and_then(|_| search.value(group)))?;
    let says = "PreToolUse or PermissionRequest hooks are inside a group of another event";
    Some(SchemaError::new(Code::HW103, found.span, says, HELP))
}

/// Finds hooks of a guarding event under a key of a handler. The values of other keys are not searched.
fn find_in_handler(handler: &Node, rules: VersionBehaviour) -> Option<&Node> {
    let search = MisplacedHookSearch { below_event: true, skip_free_names: true, rules };
    handler
        .effective_members()
        .into_iter()
        .filter(|m| is_guarding_event(&m.key, rules))
        .find_map(|m| search.member(&m.key, &m.value))
}

fn is_non_empty_list(node: &Node) -> bool {
    node.items().is_some_and(|items| !items.is_empty())
}

/// The state of a search for misplaced hooks.
#[derive(Clone, Copy)]
struct MisplacedHookSearch {
    /// Whether the value is below an event. There, lists named `hooks` are in their proper place.
    below_event: bool,
    /// Whether objects with arbitrary keys, such as `env`, are skipped.
    skip_free_names: bool,
    rules: VersionBehaviour,
}

impl MisplacedHookSearch {
    fn member<'a>(self, key: &str, value: &'a Node) -> Option<&'a Node> {
        let empty = value.value == NodeValue::Null || value.items().is_some_and(<[Node]>::is_empty);
        if is_guarding_event(key, self.rules) {
            return (!empty).then_some(value);
        }
        if key == "hooks" && !self.below_event && is_non_empty_list(value) {
            return Some(value);
        }
        if self.skip_free_names && FREE_NAMES.contains(&key) {
            return None;
        }
        MisplacedHookSearch { below_event: self.below_event || events::find(key).is_some(), ..self }.value(value)
    }

    fn value(self, node: &Node) -> Option<&Node> {
        match node.items() {
            Some(items) => items.iter().find_map(|item| self.value(item)),
            None => node.effective_members().into_iter().find_map(|m| self.member(&m.key, &m.value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::claude_code::layers;
    use hookbench_base::config::{LayerState, MemoryFiles, Place};
    use hookbench_base::dialects::Version;

    /// Measured on 2.1.330: each line is a file, and whether Claude Code skipped it.
    #[test]
    fn what_the_program_skips() {
        let mut wrong = Vec::new();
        let place = Place { project: "/w/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        for line in include_str!("../../../../tests/tables/claude/settings-guards.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut files = MemoryFiles::default();
            files.put("/w/p/.claude/settings.json", row["settings"].to_string());
            let loaded = layers::load(&place, &files, &Version::new(2, 1, 330));
            let state = loaded.layers.iter().find(|l| l.file == ".claude/settings.json").map(|l| l.state);
            let skipped = state == Some(LayerState::Broken);
            if skipped != (row["skipped"] == true) {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
