//! Reads the settings files and returns the hook definitions in the order in which the agent's registry is filled
//! (spec §1.4, §1.6, §3).

use crate::qwen_code::rules;
use serde_json::Value;

use super::registry::Registry;
use super::version_behaviour::{EnablingRule, LayerRule, VersionBehaviour};
use super::{
    environment, events, extensions, front_matter, handlers, layers, switches, timeout, trust, version_behaviour,
};
use crate::kernel::settings::{DefinitionOrigin, report};
use crate::shared::gemini_fork::layers::{
    SettingsFile, Trust, TrustedSettings, check_matcher, check_true, decide_trust, definition, hooks_of_group,
};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::dialects::Version;
use hookbench_base::hook::{Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Node, Span, stringify, truthy};

/// Keys below `hooks` that only a fork of this agent reads.
const FORK_KEYS: [&str; 3] = ["claudeHooks", "timeoutMs", "enabled"];

/// Reads every file that Qwen Code reads for this place.
pub fn load(place: &Place, files: &dyn Files, version: &Version) -> LoadedConfig {
    let behaviour = version_behaviour::for_version(version);
    let first = load_once(place, files, behaviour);
    if first.variables.is_empty() {
        return first;
    }
    // The agent starts itself a second time with the variables of files in its environment.
    let added = first.variables.iter().map(|(name, variable)| (name.clone(), variable.value.clone()));
    let again = Place { env: place.env.clone().into_iter().chain(added).collect(), ..place.clone() };
    LoadedConfig { variables: first.variables, ..load_once(&again, files, behaviour) }
}

fn load_once(place: &Place, files: &dyn Files, behaviour: &'static VersionBehaviour) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let settings = layers::read(place, files, behaviour.layers, &mut loaded);
    let TrustedSettings { trust: trusted, files: effective, merged } = decide_trust(
        &layers::NAMES,
        place,
        &settings,
        &mut loaded,
        |settings| layers::merge(settings.iter()),
        |merged, loaded| trust::look_up(place, files, merged, loaded),
    );
    switches::record(place, behaviour, &effective, &merged, &trusted, &mut loaded);
    if behaviour.own_environment {
        environment::read(place, files, &effective, &merged, trusted.is_trusted(), &mut loaded);
    }
    let mut reader = ConfigReader { behaviour, registry: Registry::default(), loaded: &mut loaded, merged: &merged };
    reader.add_settings(&settings, &trusted);
    for extension in extensions::read(place, files, reader.loaded) {
        reader.add_extension(extension);
    }
    if behaviour.layers == LayerRule::All {
        let mut bundles = Vec::new();
        for file in front_matter::list(place, files, &trusted) {
            let Some(bundle) = front_matter::read(place, files, file, reader.loaded) else { continue };
            if let Some((hooks, origin)) = &bundle.hooks {
                reader.add_hooks(hooks, origin);
            }
            bundles.push(bundle);
        }
        let names = front_matter::context_agents(&bundles);
        reader.loaded.agent_settings.insert(front_matter::CONTEXT_AGENTS.to_owned(), names);
    }
    loaded.assign_ids();
    if trusted.is_trusted() {
        loaded.set_trust(&trusted.describe(), |layer| layer == Layer::Project || behaviour.layers == LayerRule::Merged);
    }
    loaded
}

/// Collects definitions.
pub struct ConfigReader<'a> {
    pub behaviour: &'static VersionBehaviour,
    pub registry: Registry,
    pub loaded: &'a mut LoadedConfig,
    merged: &'a Value,
}

impl ConfigReader<'_> {
    /// Adds the hooks of the settings files in the registry's order: system defaults and system, user, project.
    fn add_settings(&mut self, settings: &[SettingsFile], trusted: &Trust) {
        let order: &[Layer] = match self.behaviour.layers {
            LayerRule::All => &[Layer::SystemDefaults, Layer::System, Layer::User, Layer::Project],
            LayerRule::UserAndProject => &[Layer::User, Layer::Project],
            LayerRule::Merged => &[Layer::SystemDefaults, Layer::User, Layer::Project, Layer::System],
        };
        for layer in order {
            let Some(one) = settings.iter().find(|s| s.layer == *layer) else { continue };
            let gated = *layer == Layer::Project || self.behaviour.layers == LayerRule::Merged;
            let distrusted = gated && !trusted.is_trusted();
            if distrusted && let Some(file) = self.loaded.layers.iter_mut().find(|l| l.path == one.path) {
                file.state = LayerState::Untrusted;
                file.message = Some(trusted.describe());
            }
            let refused =
                distrusted.then(|| Rejection::new(RungName::Trusted, rules::TRUST_UNTRUSTED, trusted.describe()));
            if let Some(hooks) = one.root.get("hooks") {
                self.add_hooks(hooks, &DefinitionOrigin::of_file(*layer, refused));
            }
        }
    }

    fn add_extension(&mut self, extension: extensions::Extension) {
        let Some((hooks, dropped)) = extension.hooks else { return };
        if let Some(why) = &dropped {
            let message = format!("the agent loses all hooks of the extension \"{}\": {why}", extension.name);
            report(self.loaded, Code::HW105, hooks.span, message, "delete the null, or fix the command");
        }
        let off = extension.disabled_reason.map(|why| Rejection::new(RungName::LayerActive, rules::EXTENSION_OFF, why));
        let lost = dropped.map(|why| {
            Rejection::new(
                RungName::Parsed,
                rules::EXTENSION_POISONED,
                format!("{why}, so the agent ignores all hooks of this extension"),
            )
        });
        let origin = DefinitionOrigin {
            layer: Layer::Extension,
            bundle: Some(extension.name),
            refused: off.or(lost),
            env: Vec::new(),
        };
        self.add_hooks(&hooks, &origin);
    }

    fn note(&mut self, diagnostic: Diagnostic) {
        self.loaded.notes.push(diagnostic);
    }

    /// Adds the hooks of a map from event names to lists of definitions.
    pub fn add_hooks(&mut self, hooks: &Node, origin: &DefinitionOrigin) {
        if hooks.members().is_none() {
            if truthy(&hooks.to_value()) {
                let message = format!("`hooks` is {}, so it is ignored", hooks.kind());
                report(self.loaded, Code::HW104, hooks.span, message, "write an object: { \"PreToolUse\": [ … ] }");
            }
            return;
        }
        let fork = self.report_fork_format(hooks);
        for member in hooks.effective_members() {
            if fork && FORK_KEYS.contains(&member.key.as_str()) {
                continue;
            }
            let origin = &self.event_origin(&member.key, member.key_span, origin);
            let Some(origin) = origin else { continue };
            let Some(groups) = member.value.items() else {
                // An unknown event name is already reported; its value does not matter.
                if !events::is_known(self.behaviour, &member.key) {
                    continue;
                }
                let message =
                    format!("the value of {} is {}, so the event is skipped", member.key, member.value.kind());
                report(self.loaded, Code::HW103, member.value.span, message, "write a list: [ { \"hooks\": [ … ] } ]");
                continue;
            };
            for group in groups {
                self.add_group(&member.key, group, origin);
            }
        }
    }

    /// Reports hooks in the format of a fork of this agent, once per block. Returns whether they are in that
    /// format.
    fn report_fork_format(&mut self, hooks: &Node) -> bool {
        let Some(block) = hooks.effective_members().into_iter().find(|member| member.key == "claudeHooks") else {
            return false;
        };
        let count = block.value.items().map_or(0, <[Node]>::len);
        let hooks =
            if count == 1 { "its hook does not run".to_owned() } else { format!("none of its {count} hooks runs") };
        let message = format!("Qwen Code does not read `claudeHooks`, which belongs to a fork of it, so {hooks}");
        let help = "hookbench convert --from qwen-legacy --to qwen --yes writes each hook under its event; then delete the block";
        self.note(Diagnostic::new(Code::HW104, message).at(block.key_span).with_help(help));
        true
    }

    /// Returns the origin of an event's definitions, or `None` for keys that were never events.
    fn event_origin(&mut self, name: &str, span: Span, origin: &DefinitionOrigin) -> Option<DefinitionOrigin> {
        if matches!(name, "enabled" | "disabled" | "notifications") {
            let message = format!("`hooks.{name}` no longer has an effect");
            self.note(
                Diagnostic::lowered(Code::HW207, Severity::Info, message)
                    .at(span)
                    .with_help("use `disableAllHooks` to switch hooks off"),
            );
            return None;
        }
        if events::is_known(self.behaviour, name) {
            return Some(origin.clone());
        }
        let version = self.behaviour.range.to;
        let says = match events::EVENTS.suggest(name).filter(|meant| *meant != name) {
            Some(meant) => format!("Qwen Code has no event \"{name}\"; did you mean {meant}?"),
            None if events::EVENTS.by_name(name).is_some() => format!("{name} does not exist yet in version {version}"),
            None => format!("Qwen Code has no event \"{name}\""),
        };
        let end = if says.ends_with('?') { "" } else { "." };
        let help = events::EVENTS
            .suggest(name)
            .map_or_else(|| "see `hookbench events`".to_owned(), |meant| format!("rename it to {meant}"));
        report(self.loaded, Code::HW201, span, format!("{says}{end} The agent skips it without a message."), help);
        let dropped = Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, says);
        Some(DefinitionOrigin { refused: origin.refused.clone().or(Some(dropped)), ..origin.clone() })
    }

    fn add_group(&mut self, event: &str, group: &Node, origin: &DefinitionOrigin) {
        let is_flat = group.get("command").is_some() || group.get("url").is_some();
        let notes = &mut self.loaded.notes;
        let Some(hooks) = hooks_of_group(group, is_flat, notes) else { return };
        check_matcher(event, group, "Bash|Edit", notes);
        check_true(group, "sequential", "it has no effect", notes);
        for hook in hooks {
            self.add_hook(event, group, hook, origin);
        }
    }

    fn add_hook(&mut self, event: &str, group: &Node, node: &Node, origin: &DefinitionOrigin) {
        let raw = node.to_value();
        let (mut handler, dropped) = match handlers::read(self.behaviour, &raw) {
            Ok(handler) => (handler, None),
            Err(dropped) => {
                self.note(Diagnostic::new(dropped.code, dropped.message.clone()).at(node.span).with_help(dropped.help));
                (
                    Handler::Unknown(raw.clone()),
                    Some(Rejection::new(RungName::Command, rules::CONFIG_INVALID_HOOK, dropped.message)),
                )
            }
        };
        if let Handler::Command(command) = &mut handler {
            command.env.extend(origin.env.iter().cloned());
        }
        let timeout = match &handler {
            Handler::Http(_) => Some(timeout::http(raw.get("timeout"))),
            Handler::Prompt(_) => Some(timeout::prompt(raw.get("timeout"))),
            Handler::Command(_) => Some(self.read_timeout(node, &raw)),
            _ => None,
        };
        let main = ["command", "url", "prompt"].iter().find_map(|key| node.get(key));
        if let Some(main) = main.filter(|main| main.items().is_some() && dropped.is_none()) {
            let message = format!("this is {}, so the agent loses the answer of the hook", main.kind());
            self.note(Diagnostic::new(Code::HW105, message).at(main.span).with_help("write one string"));
        }
        check_true(node, "async", "the agent waits for the hook", &mut self.loaded.notes);
        let detached = self.behaviour.asynchronous
            && raw.get("async") == Some(&Value::Bool(true))
            && matches!(handler, Handler::Command(_));
        let mut definition = HookDefinition {
            detached,
            timeout,
            rejection: origin.refused.clone().or(dropped).or_else(|| self.disabled_by_name(node)),
            ..definition(self.loaded, event, group, node, handler, origin)
        };
        if definition.rejection.is_none() {
            definition.rejection = self.registry.register(&definition, group.span);
        }
        if let Some(twin) = definition.rejection.as_ref().filter(|r| r.rule == rules::REGISTRY_DUPLICATE) {
            // Two hooks with one name may differ, so something is lost; an exact repetition is only redundant.
            let note = if definition.name.is_some() {
                Diagnostic::new(Code::HW115, twin.message.clone()).with_help("give it a unique `name`, or delete it")
            } else {
                Diagnostic::lowered(Code::HW115, Severity::Info, twin.message.clone()).with_help("delete it")
            };
            self.loaded.notes.push(note.at(node.span));
        }
        self.loaded.definitions.push(definition);
    }

    /// Checks `hooksConfig.disabled` of older versions, which lists hooks by name or command.
    fn disabled_by_name(&self, node: &Node) -> Option<Rejection> {
        if self.behaviour.enabling != EnablingRule::RequiresFlag {
            return None;
        }
        let names = self.merged.pointer("/hooksConfig/disabled")?.as_array()?;
        let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|t| !t.is_empty());
        let name = text("name").or_else(|| text("command"))?;
        names.iter().any(|n| n.as_str() == Some(name)).then(|| {
            Rejection::new(
                RungName::LayerActive,
                rules::CONFIG_DISABLED,
                format!("\"{name}\" is in hooksConfig.disabled"),
            )
        })
    }

    fn read_timeout(&mut self, node: &Node, raw: &Value) -> std::time::Duration {
        let (limit, source) = timeout::command(self.behaviour.timeout, raw.get("timeout"));
        let span = node.get("timeout").map_or(node.span, |t| t.span);
        let written = raw.get("timeout").map(stringify).unwrap_or_default();
        let seconds = limit.as_secs_f64();
        match source {
            timeout::TimeoutSource::Unusable => self.note(
                Diagnostic::lowered(
                    Code::HW501,
                    Severity::Warning,
                    format!("the timeout {written} is invalid, so {seconds} s apply"),
                )
                .at(span)
                .with_help("write a number of seconds"),
            ),
            timeout::TimeoutSource::Milliseconds => {
                let exact = self.loaded.sources.slice(span).trim() == written;
                self.loaded.notes.extend(in_milliseconds(self.behaviour, &written, seconds, span, exact));
            }
            timeout::TimeoutSource::Seconds | timeout::TimeoutSource::Default => {}
        }
        limit
    }
}

/// Reports a number that is read as milliseconds, with the value to write if seconds were meant (HW503).
fn in_milliseconds(
    behaviour: &VersionBehaviour,
    written: &str,
    seconds: f64,
    span: Span,
    exact: bool,
) -> Option<Diagnostic> {
    let number: f64 = written.trim_matches('"').trim().parse().ok()?;
    if !behaviour.new_fields {
        // In these versions every number is in milliseconds; a small one was probably meant in seconds.
        let small = (1.0..1000.0).contains(&number);
        let says = format!("the timeout {written} is in milliseconds in version {}: {seconds} s", behaviour.range.to);
        let help = format!("if you meant seconds, write {}", number * 1000.0);
        return small.then(|| Diagnostic::new(Code::HW503, says).at(span).with_help(help));
    }
    if number > timeout::LONGEST_MS {
        let says = format!("the timeout {written} is too long for a timer and expires at once: the hook never answers");
        return Some(Diagnostic::new(Code::HW501, says).at(span).with_help("write seconds, such as 30"));
    }
    let says = format!("the timeout {written} is read as milliseconds: {seconds} s");
    // 1200, 1800, 3600: minutes and hours in seconds.
    if number % 60.0 == 0.0 && number % 1000.0 != 0.0 && number <= 7200.0 {
        let help = format!(
            "values from 1000 on are milliseconds: if you meant {} min, write {}",
            number / 60.0,
            number * 1000.0
        );
        return Some(Diagnostic::new(Code::HW503, says).at(span).with_help(help).with_cause("timeouts in minutes"));
    }
    let whole = number % 1000.0 == 0.0 && seconds < 1000.0;
    if !whole {
        return Some(
            Diagnostic::lowered(Code::HW503, Severity::Info, says).at(span).with_help("values below 1000 are seconds"),
        );
    }
    let found = Diagnostic::lowered(Code::HW503, Severity::Info, says)
        .at(span)
        .with_help(format!("values below 1000 are seconds: write {seconds}"));
    let found = found.with_cause("timeouts in milliseconds");
    Some(if exact { found.with_fix(Fix::proposal(span, seconds.to_string())) } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::{note_places, place};
    use hookbench_base::config::MemoryFiles;
    use proptest::prelude::*;

    fn loaded(text: &[u8]) -> LoadedConfig {
        let mut files = MemoryFiles::default();
        files.put("/p/.qwen/settings.json", text);
        load(&place(), &files, &Version::new(0, 24, 4))
    }

    fn notes(text: &str) -> Vec<(Code, u32, u32)> {
        note_places(&loaded(text.as_bytes()))
    }

    #[test]
    fn every_invalid_part_is_named() {
        for (text, want) in [
            (r#"{"hooks": {"preToolUse": []}}"#, vec![(Code::HW201, 1, 12)]),
            (r#"{"hooks": {"enabled": false}}"#, vec![(Code::HW207, 1, 12)]),
            (r#"{"hooks": {"Stop": {}}}"#, vec![(Code::HW103, 1, 20)]),
            (r#"{"hooks": []}"#, vec![(Code::HW104, 1, 11)]),
            (
                "{\"hooks\": {\"Stop\": [\n null,\n {\"command\": \"x\"}]}}",
                vec![(Code::HW103, 2, 2), (Code::HW103, 3, 2)],
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [null, {"type": "command"}]}]}}"#,
                vec![(Code::HW105, 1, 32), (Code::HW105, 1, 38)],
            ),
            (r#"{"hooks": {"Stop": [{"hooks": [{"type": "function"}]}]}}"#, vec![(Code::HW106, 1, 32)]),
            (r#"{"hooks": {"Stop": [{"matcher": 5, "hooks": []}]}}"#, vec![(Code::HW102, 1, 33)]),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}"#,
                vec![(Code::HW501, 1, 79)],
            ),
            // Too long for a timer, which then expires at once.
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 2147483648}]}]}}"#,
                vec![(Code::HW501, 1, 79)],
            ),
            (r#"{"hooks": {},}"#, vec![(Code::HW101, 1, 13)]),
            (r"[]", vec![(Code::HW101, 1, 1)]),
        ] {
            assert_eq!(notes(text), want, "{text}");
        }
        assert!(loaded(b"[]").refusal.is_some());
        assert!(loaded(b"{").refusal.is_none(), "a broken project file is overwritten, not fatal");
    }

    #[test]
    fn definitions_know_their_place() {
        let text = "{\n  \"hooks\": {\"Stop\": [{\"hooks\": [\n    {\"type\": \"command\", \"command\": \"x\", \"async\": true}\n  ]}]}}";
        let loaded = loaded(text.as_bytes());
        let [definition] = loaded.definitions.as_slice() else { panic!("one definition") };
        assert_eq!(
            (definition.provenance.file.as_str(), definition.provenance.line, definition.provenance.column),
            (".qwen/settings.json", 3, 5)
        );
        assert_eq!((definition.id.as_str(), definition.detached), ("h1", true));
    }

    #[test]
    fn older_versions_read_less() {
        let mut files = MemoryFiles::default();
        let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
        files.put("/etc/qwen-code/settings.json", hooks);
        files.put("/h/.qwen/settings.json", hooks);
        for (version, count) in [("0.24.4", 2), ("0.15.6", 1), ("0.14.0", 2)] {
            let version = Version::parse(version).unwrap();
            assert_eq!(load(&place(), &files, &version).definitions.len(), count, "{version}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let _ = loaded(&bytes);
        }

        #[test]
        fn never_panics_on_settings(parts in prop::collection::vec(prop::sample::select(
            &["{", "}", "[", "]", "\"hooks\":", "\"Stop\":", "\"type\":\"command\"", ",", "null", "\"command\":", "\"x\"", "5", "\"matcher\":"][..]), 0..30)) {
            let _ = loaded(parts.concat().as_bytes());
        }
    }
}
