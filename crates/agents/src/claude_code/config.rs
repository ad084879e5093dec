//! Parses the hooks of a settings file, plugin, skill or agent into definitions, and records everything that the
//! agent drops and why (spec §2).

use crate::claude_code::rules;
use crate::kernel::settings;
use hookbench_base::hook::{EventSpec, FILE_SKIPPED, Handler, HookDefinition, Layer, Rejection};
use std::time::Duration;

use super::version_behaviour::VersionBehaviour;
use super::{events, handlers, misplaced_hooks};
use crate::kernel::settings::SchemaError;
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, NodeValue, Span, nearest};

/// The origin of a set of hooks.
#[derive(Debug, Clone)]
pub struct HookOrigin {
    pub layer: Layer,
    pub bundle: Option<String>,
    /// Whether the hooks come from an agent file, in which `Stop` means `SubagentStop`.
    pub from_agent_file: bool,
}

impl HookOrigin {
    /// The origin of the hooks in a settings file.
    pub fn settings(layer: Layer) -> HookOrigin {
        HookOrigin { layer, bundle: None, from_agent_file: false }
    }
}

/// The result of reading one set of hooks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedHooks {
    pub definitions: Vec<HookDefinition>,
    /// The reason why the whole file is skipped.
    pub skip_reason: Option<String>,
}

/// Reads the value of a `hooks` key.
pub fn read_hooks(node: &Node, origin: &HookOrigin, rules: VersionBehaviour, loaded: &mut LoadedConfig) -> LoadedHooks {
    let mut reader = ConfigReader { origin, rules, loaded, read: LoadedHooks::default(), fatal: None };
    if let Some(problem) = misplaced_hooks::check_hooks_value(node, rules) {
        reader.report_fatal_problem(problem);
    } else if node.members().is_none() {
        let says = format!("`hooks` must be an object keyed by event, not {}", node.kind());
        let problem = SchemaError::new(Code::HW104, node.span, says, "write {\"hooks\": {\"PreToolUse\": [ … ]}}");
        reader.loaded.notes.push(problem.diagnostic("all hooks of this file are ignored"));
        return reader.read;
    }
    for member in node.effective_members() {
        reader.read_event(&member.key, member.key_span, &member.value);
    }
    reader.finish()
}

struct ConfigReader<'a> {
    origin: &'a HookOrigin,
    rules: VersionBehaviour,
    loaded: &'a mut LoadedConfig,
    read: LoadedHooks,
    fatal: Option<SchemaError>,
}

impl ConfigReader<'_> {
    fn read_event(&mut self, name: &str, key: Span, value: &Node) {
        let Some(spec) = events::find_in(name, self.rules) else {
            self.add_unknown_event(name, key, value);
            return;
        };
        let Some(groups) = value.items() else {
            let says = format!("`{name}` must be a list of groups, not {}", value.kind());
            let problem = SchemaError::new(Code::HW103, value.span, says, "write the groups as a list: [ … ]");
            // The agent treats null as a missing value, so it costs only this event.
            let event = if value.value == NodeValue::Null { "" } else { name };
            self.report_problem(event, problem, "this event is ignored in this file");
            if let Some(problem) = misplaced_hooks::find_in_group(value, self.rules)
                .filter(|_| !misplaced_hooks::is_guarding_event(name, self.rules))
            {
                self.report_fatal_problem(problem);
            }
            return;
        };
        for group in groups {
            if let Some(problem) = misplaced_hooks::find_in_group(group, self.rules) {
                self.report_fatal_problem(problem);
            }
            self.read_group(spec, group);
        }
    }

    fn add_unknown_event(&mut self, name: &str, key: Span, value: &Node) {
        if events::find(name).is_some() {
            let says = format!("this version does not have the event `{name}`, so none of its hooks run");
            let help = "newer versions have it; this one continues without it";
            self.loaded.notes.push(Diagnostic::new(Code::HW203, says.clone()).at(key).with_help(help));
            self.add_inactive_hooks(name, value, says);
            return;
        }
        let names: Vec<&str> = events::for_version(self.rules).iter().map(|e| e.name).collect();
        let near = names.iter().find(|n| n.eq_ignore_ascii_case(&name.replace(['_', '-'], "")));
        let near = near.copied().or_else(|| nearest(name, &names));
        let says = format!("the event `{name}` is unknown, so none of its hooks run");
        let help = match near {
            Some(near) => format!("did you mean `{near}`? Event names are case-sensitive"),
            None => "see the list of events".to_owned(),
        };
        self.loaded.notes.push(Diagnostic::new(Code::HW201, says).at(key).with_help(help));
        let says = match near {
            Some(near) => format!("the event `{name}` is unknown; did you mean `{near}`?"),
            None => format!("the event `{name}` is unknown"),
        };
        self.add_inactive_hooks(name, value, says);
    }

    /// Keeps the hooks of an unknown event, with the reason why they never run.
    fn add_inactive_hooks(&mut self, name: &str, value: &Node, says: String) {
        let refused = Rejection { rung: RungName::EventKnown, rule: rules::CONFIG_UNKNOWN_EVENT, message: says };
        for group in value.items().unwrap_or(&[]) {
            for node in group.get("hooks").and_then(Node::items).unwrap_or(&[]) {
                let parsed = handlers::read(node, self.rules).ok();
                self.add_hook(name, None, group, node, parsed, Some(refused.clone()));
            }
        }
    }

    fn read_group(&mut self, spec: &'static EventSpec, group: &Node) {
        let wrong = Self::check_group(group);
        let dropped = |problem: &SchemaError| Rejection {
            rung: RungName::Parsed,
            rule: rules::CONFIG_BAD_GROUP,
            message: format!("its group is ignored: {}", problem.message),
        };
        let refused = wrong.as_ref().map(dropped);
        if let Some(problem) = wrong {
            self.report_problem(spec.name, problem, "the group is ignored");
        }
        let flat = group.get("hooks").is_none() && group.get("type").is_some();
        let handlers = group.get("hooks").and_then(Node::items).unwrap_or(&[]);
        for node in if flat { std::slice::from_ref(group) } else { handlers } {
            let mut refused = refused.clone();
            let parsed = match handlers::read(node, self.rules) {
                Ok(parsed) => Some(parsed),
                Err(problem) => {
                    refused.get_or_insert_with(|| Rejection {
                        rung: RungName::Parsed,
                        rule: rules::CONFIG_BAD_HANDLER,
                        message: format!("ignored: {}", problem.message),
                    });
                    if !flat {
                        self.report_problem(spec.name, problem, "the handler is ignored");
                    }
                    None
                }
            };
            self.add_hook(spec.name, Some(spec), group, node, parsed, refused);
        }
    }

    /// Returns the schema error of a group.
    fn check_group(group: &Node) -> Option<SchemaError> {
        if group.members().is_none() {
            let says = format!("a group must be an object, not {}", group.kind());
            return Some(SchemaError::new(
                Code::HW103,
                group.span,
                says,
                "write {\"matcher\": \"…\", \"hooks\": [ … ]}",
            ));
        }
        if let Some(matcher) = group.get("matcher").filter(|m| m.as_str().is_none()) {
            let says = format!("a matcher must be a string, not {}", matcher.kind());
            return Some(SchemaError::new(Code::HW102, matcher.span, says, "join names with `|`: \"Edit|Write\""));
        }
        match group.get("hooks") {
            None if group.get("type").is_some() => {
                let says = "this handler is not inside a `hooks: [ … ]` list";
                Some(SchemaError::new(Code::HW103, group.span, says, "wrap it: {\"hooks\": [ … ]}"))
            }
            None => Some(SchemaError::new(
                Code::HW103,
                group.span,
                "this group has no `hooks` list",
                "add `hooks`, or delete it",
            )),
            Some(hooks) if hooks.items().is_none() => {
                let says = format!("`hooks` of a group must be a list, not {}", hooks.kind());
                Some(SchemaError::new(Code::HW103, hooks.span, says, "write the handlers as a list: [ … ]"))
            }
            Some(_) => None,
        }
    }

    /// Reports a problem. It invalidates the whole file if it is under PreToolUse or PermissionRequest, or if the
    /// version does not isolate bad entries (spec §2.2).
    fn report_problem(&mut self, event: &str, problem: SchemaError, effect: &str) {
        if !self.rules.keeps_other_entries || misplaced_hooks::is_guarding_event(event, self.rules) {
            self.report_fatal_problem(problem);
        } else {
            self.loaded.notes.push(problem.diagnostic(effect));
        }
    }

    /// Reports a problem that invalidates the whole file.
    fn report_fatal_problem(&mut self, problem: SchemaError) {
        let effect = match self.origin.layer {
            Layer::Plugin => "all hooks of this plugin are ignored",
            _ => "the whole file is skipped, including all its hooks and permission rules",
        };
        self.loaded.notes.push(problem.diagnostic(effect));
        self.fatal.get_or_insert(problem);
    }

    fn add_hook(
        &mut self,
        event: &str,
        spec: Option<&'static EventSpec>,
        group: &Node,
        node: &Node,
        parsed: Option<handlers::ParsedHandler>,
        refused: Option<Rejection>,
    ) {
        let event = if self.origin.from_agent_file && event == "Stop" { "SubagentStop" } else { event };
        let (handler, condition, timeout, detached) = match parsed {
            Some(p) => (p.handler, p.condition, p.timeout, p.detached),
            None => (Handler::Unknown(node.to_value()), None, None, false),
        };
        let timeout = timeout.or_else(|| spec.map(|_| default_timeout(event, &handler)));
        let origin = settings::DefinitionOrigin {
            bundle: self.origin.bundle.clone(),
            ..settings::DefinitionOrigin::of_file(self.origin.layer, None)
        };
        self.read.definitions.push(HookDefinition {
            condition,
            timeout,
            detached,
            rejection: refused,
            ..settings::definition(self.loaded, event, Some(group), node, handler, &origin)
        });
    }

    fn finish(mut self) -> LoadedHooks {
        let Some(problem) = self.fatal else { return self.read };
        let start = self.loaded.sources.start(problem.span);
        let file = self.loaded.sources.name(problem.span.source);
        let what = if self.origin.layer == Layer::Plugin {
            "all hooks of the plugin are ignored"
        } else {
            "the whole file is skipped"
        };
        let says = format!("{what}: {} ({file}:{}:{})", problem.message, start.line, start.column);
        for definition in &mut self.read.definitions {
            // The handler that caused the problem keeps its own reason.
            if definition.rejection.as_ref().is_none_or(|r| r.rule != rules::CONFIG_BAD_HANDLER) {
                definition.rejection =
                    Some(Rejection { rung: RungName::Parsed, rule: FILE_SKIPPED, message: says.clone() });
            }
        }
        self.read.skip_reason = Some(says);
        self.read
    }
}

/// Returns the default timeout of a handler (spec §2.1).
pub fn default_timeout(event: &str, handler: &Handler) -> Duration {
    let seconds = match (handler, event) {
        (Handler::Agent(_), _) => 60,
        (Handler::Prompt(_), _) | (_, "UserPromptSubmit" | "PreModelSwitch" | "PostModelSwitch") => 30,
        (_, "MessageDisplay") => 10,
        _ => 600,
    };
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::Place;
    use hookbench_base::dialects::Version;
    use hookbench_base::text::{JsonSyntax, parse_json};
    use pretty_assertions::assert_eq;

    fn read(text: &str, origin: &HookOrigin) -> (LoadedHooks, LoadedConfig) {
        read_by(&Version::new(2, 1, 329), text, origin)
    }

    fn read_by(version: &Version, text: &str, origin: &HookOrigin) -> (LoadedHooks, LoadedConfig) {
        let mut loaded = LoadedConfig::default();
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let source = loaded.add_source(&place, "/p/.claude/settings.json", text);
        let node = parse_json(source, text, JsonSyntax::default()).unwrap();
        let read = read_hooks(&node, origin, VersionBehaviour::for_version(version), &mut loaded);
        (read, loaded)
    }

    const OK: &str = r#"{"type":"command","command":"ok"}"#;

    fn alive(text: &str, origin: &HookOrigin) -> Vec<String> {
        let (read, _) = read(text, origin);
        read.definitions.iter().filter(|d| d.rejection.is_none()).map(|d| d.handler.text()).collect()
    }

    #[test]
    fn what_is_dropped() {
        let settings = HookOrigin::settings(Layer::Project);
        let plugin = HookOrigin::settings(Layer::Plugin);
        for (text, want) in [
            (format!(r#"{{"PreToolUse":[{{"hooks":[{OK}]}}],"Nope":"x"}}"#), vec!["ok"]),
            (format!(r#"{{"PreToolUse":[{{"hooks":[{OK}]}}],"pretooluse":[{{"hooks":[5]}}]}}"#), vec!["ok"]),
            (format!(r#"{{"PreToolUse":null,"PostToolUse":[{{"hooks":[{OK}]}}]}}"#), vec!["ok"]),
            (format!(r#"{{"PreToolUse":"x","PostToolUse":[{{"hooks":[{OK}]}}]}}"#), vec![]),
            (format!(r#"{{"PostToolUse":"x","PreToolUse":[{{"hooks":[{OK}]}}]}}"#), vec!["ok"]),
            (format!(r#"{{"PreToolUse":[{{"hooks":[{OK},{{"type":"command"}}]}}]}}"#), vec![]),
            (format!(r#"{{"PostToolUse":[{{"hooks":[{OK},{{"type":"command"}},{OK}]}}]}}"#), vec!["ok", "ok"]),
            (format!(r#"{{"PostToolUse":[{{"hooks":[{OK}]}},{OK},{{"matcher":5,"hooks":[{OK}]}}]}}"#), vec!["ok"]),
            (format!(r#"{{"PermissionRequest":[{OK}],"Stop":[{{"hooks":[{OK}]}}]}}"#), vec![]),
            (format!(r#"{{"PreToolUse":[{{"matcher":"Bash","if":"x","hooks":[]}},{{"hooks":[{OK}]}}]}}"#), vec!["ok"]),
            ("[]".to_owned(), vec![]),
        ] {
            assert_eq!(alive(&text, &settings), want, "{text}");
        }
        for (event, want) in [("PostToolUse", vec!["ok".to_owned()]), ("PreToolUse", Vec::new())] {
            let text = format!(r#"{{"{event}":[{{"hooks":[{OK},{{"type":"command"}}]}}]}}"#);
            assert_eq!(alive(&text, &plugin), want, "{event}");
        }
    }

    #[test]
    fn older_versions() {
        let bad = format!(r#"{{"Stop":[{{"hooks":[{OK},{{"type":"command"}}]}}]}}"#);
        let new = format!(r#"{{"Stop":[{{"hooks":[{OK}]}}],"PreModelSwitch":[{{"hooks":[{OK}]}}]}}"#);
        for (patch, text, lost, alive, codes) in [
            (122, &bad, false, 1, vec![Code::HW105]),
            (121, &bad, true, 0, vec![Code::HW105]),
            (241, &new, false, 2, vec![]),
            (240, &new, false, 1, vec![Code::HW203]),
        ] {
            let (read, loaded) = read_by(&Version::new(2, 1, patch), text, &HookOrigin::settings(Layer::Project));
            let runs = read.definitions.iter().filter(|d| d.rejection.is_none()).count();
            let notes: Vec<Code> = loaded.notes.iter().map(|n| n.code).collect();
            assert_eq!((read.skip_reason.is_some(), runs, notes), (lost, alive, codes), "2.1.{patch} {text}");
        }
    }

    #[test]
    fn every_loss_names_its_place_and_cure() {
        let text = "{\"PreToolUse\": [\n  {\"matcher\": [\"Bash\"], \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n]}";
        let (read, loaded) = read(text, &HookOrigin::settings(Layer::Project));
        let notes: Vec<_> = loaded
            .notes
            .iter()
            .map(|n| (n.code, n.message.as_str(), n.place(&loaded.sources), n.help.as_deref()))
            .collect();
        assert_eq!(
            notes,
            vec![(
                Code::HW102,
                "a matcher must be a string, not a list; the whole file is skipped, including all its hooks and permission rules",
                Some((".claude/settings.json".to_owned(), Some((2, 15)))),
                Some("join names with `|`: \"Edit|Write\""),
            )]
        );
        let first = read.definitions.first().unwrap();
        assert_eq!((first.provenance.line, first.provenance.column), (2, 35));
        assert_eq!(
            first.rejection.as_ref().map(|r| (r.rung, r.rule, r.message.as_str())),
            Some((
                RungName::Parsed,
                FILE_SKIPPED,
                "the whole file is skipped: a matcher must be a string, not a list (.claude/settings.json:2:15)"
            ))
        );
    }

    #[test]
    fn timeouts() {
        let (read, _) = read(
            r#"{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"},{"type":"prompt","prompt":"p"},{"type":"agent","prompt":"p"}]}],
                "MessageDisplay":[{"hooks":[{"type":"command","command":"a"}]}],
                "Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"a","timeout":5000}]}]}"#,
            &HookOrigin::settings(Layer::User),
        );
        let got: Vec<u64> = read.definitions.iter().filter_map(|d| d.timeout).map(|t| t.as_secs()).collect();
        assert_eq!(got, [30, 30, 60, 10, 600, 5000]);
    }
}
