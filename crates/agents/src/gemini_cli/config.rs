//! Reads the settings files and returns the hook definitions in the order in which the agent's registry is filled
//! (spec §1.1, §1.3, §1.5).

use crate::gemini_cli::rules;
use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Value, json};

use super::formats::FORMATS;
use super::{environment, events, extensions, handlers, layers, merge, switches, timeout, trust};
use crate::kernel::settings::{DefinitionOrigin, refuse, report, unknown_event};
use crate::shared::gemini_fork::layers::{
    SettingsFile, Trust, TrustedSettings, check_matcher, check_true, decide_trust, definition, hooks_of_group,
};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::hook::{Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Member, Node, Span, stringify, truthy};

/// A timeout up to this number is certainly meant in seconds.
const MAX_CERTAIN_SECONDS: u64 = 120;

/// Sections whose keys the agent reads at startup without checking that the section exists.
const REQUIRED_SECTIONS: [&str; 5] = ["advanced", "hooksConfig", "security", "tools", "ui"];

/// Reads every file that Gemini CLI reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let settings = layers::read(place, files, &mut loaded);
    let TrustedSettings { trust: trusted, files: effective, merged } = decide_trust(
        &layers::NAMES,
        place,
        &settings,
        &mut loaded,
        |settings| merge::merge(settings.iter()),
        |merged, loaded| trust::look_up(place, files, merged, loaded),
    );
    let project = settings.iter().find(|s| s.layer == Layer::Project && trusted.is_trusted());
    let unseen = trust::unseen_hooks(place, files, project.and_then(|s| s.root.get("hooks")));
    for key in REQUIRED_SECTIONS {
        if let Some(member) = merged.member(key).filter(|member| member.value.to_value().is_null()) {
            let says = format!("`{key}` is null, so the agent fails at start: no hook of any file runs");
            let at = member.value.span;
            report(&mut loaded, Code::HW104, at, says, "delete the key, or write an object");
            refuse(&mut loaded, format!("`{key}` is null"), Some(at));
        }
    }
    switches::record(place, &effective, &merged, &trusted, &unseen, &mut loaded);
    let disabled = merged.get("hooksConfig").and_then(|c| c.get("disabled")).map(Node::to_value).unwrap_or_default();
    environment::read(place, files, &effective, &merged, trusted.is_trusted(), &mut loaded);
    let mut reader = ConfigReader { loaded: &mut loaded, disabled };
    // Most projects are trusted, and their settings are merged already.
    let all = if effective.len() == settings.len() {
        Cow::Borrowed(&merged)
    } else {
        Cow::Owned(merge::merge(settings.iter()))
    };
    let distrust = Distrust::of(place, &trusted);
    reader.add_settings(&settings, &all, &distrust);
    for extension in extensions::read(place, files, &merged, trusted.is_trusted(), reader.loaded) {
        reader.add_extension(extension);
    }
    loaded.assign_ids();
    if trusted.is_trusted() {
        // Without trust the user's hooks do not run either.
        loaded.set_trust(&trusted.describe(), |_| true);
    }
    loaded
}

/// Why hooks of settings do not run in a directory that is not trusted.
struct Distrust {
    message: Option<String>,
    /// `--skip-trust` lets a session start. The agent has read the settings before, so it leaves the project's out and runs
    /// the user's (0.61.0).
    only_project: bool,
}

impl Distrust {
    fn of(place: &Place, trusted: &Trust) -> Distrust {
        let is_restricted = place.var("GEMINI_RESTRICTED_MODE") == Some("true");
        let only_project = FORMATS.given(place).last("--skip-trust").is_some() && !is_restricted;
        let message = (!trusted.is_trusted()).then(|| {
            if only_project {
                "`--skip-trust` lets the agent start here, but it does not read the settings of the project".to_owned()
            } else {
                trusted.describe()
            }
        });
        Distrust { message, only_project }
    }

    /// The reason for a layer.
    fn rejection(&self, layer: Layer) -> Option<Rejection> {
        let message = self.message.as_ref().filter(|_| !self.only_project || layer == Layer::Project)?;
        Some(Rejection::new(RungName::Trusted, rules::TRUST_UNTRUSTED, message.clone()))
    }
}

/// Collects definitions.
struct ConfigReader<'a> {
    loaded: &'a mut LoadedConfig,
    /// The merged `hooksConfig.disabled`.
    disabled: Value,
}

impl ConfigReader<'_> {
    /// Adds the hooks of the merged settings files; then those that a later file has replaced.
    fn add_settings(&mut self, settings: &[SettingsFile], merged: &Node, distrust: &Distrust) {
        for one in settings {
            let file = self.loaded.layers.iter_mut().find(|l| l.path == one.path && l.state == LayerState::Read);
            if let (Some(file), Some(why)) = (file, distrust.rejection(one.layer)) {
                file.state = LayerState::Untrusted;
                // Without trust the user's hooks do not run either.
                file.message = Some(why.message);
            }
            if let Some(hooks) = one.root.get("hooks") {
                self.check_hooks(hooks);
            }
        }
        let layer_of = |span: Span| settings.iter().find(|s| s.root.span.source == span.source).map(|s| s.layer);
        let mut taken: HashSet<Span> = HashSet::new();
        // Within an event the agent's order applies; the events are in the user's order.
        let mut names: Vec<&str> = Vec::new();
        for event in settings.iter().filter_map(|s| s.root.get("hooks")).flat_map(Node::effective_members) {
            if !names.contains(&event.key.as_str()) {
                names.push(&event.key);
            }
        }
        for event in names.into_iter().filter_map(|name| merged.get("hooks")?.member(name)) {
            for group in event.value.items().unwrap_or(&[]) {
                taken.insert(group.span);
                let Some(layer) = layer_of(group.span) else { continue };
                let origin = DefinitionOrigin::of_file(layer, distrust.rejection(layer));
                self.add_group(event, group, &origin);
            }
        }
        for one in settings {
            let says = "the `hooks` of a later settings file is not an object, which removes those of earlier files";
            let lost =
                distrust.rejection(one.layer).or(Some(Rejection::new(RungName::Parsed, rules::CONFIG_REPLACED, says)));
            let origin = DefinitionOrigin::of_file(one.layer, lost);
            for event in one.root.get("hooks").map(Node::effective_members).unwrap_or_default() {
                for group in groups(&event.value).filter(|g| !taken.contains(&g.span)) {
                    self.add_group(event, group, &origin);
                }
            }
        }
    }

    fn add_extension(&mut self, extension: extensions::Extension) {
        self.record_variables(&extension);
        let Some(hooks) = extension.hooks else { return };
        let off = extension.disabled_reason.map(|why| Rejection::new(RungName::LayerActive, rules::EXTENSION_OFF, why));
        let bundle = Some(extension.name);
        let origin = DefinitionOrigin {
            layer: Layer::Extension,
            bundle,
            refused: off,
            env: extension.env.into_iter().map(|(name, one)| (name, one.value)).collect(),
        };
        for event in hooks.effective_members() {
            self.check_event_key(event);
            match event.value.items() {
                Some(groups) => groups.iter().for_each(|group| {
                    self.check_group(&event.key, group);
                    self.add_group(event, group, &origin);
                }),
                None => self.report_no_list(event, "so the agent skips the event"),
            }
        }
    }

    /// Records the files that set the variables of an extension.
    fn record_variables(&mut self, extension: &extensions::Extension) {
        let places =
            extension.env.iter().map(|(name, one)| (name.clone(), json!({"file": one.file, "line": one.line})));
        let all = self.loaded.agent_settings.entry(extensions::VARIABLES.to_owned()).or_insert_with(|| json!({}));
        if let Some(all) = all.as_object_mut() {
            all.insert(extension.name.clone(), Value::Object(places.collect()));
        }
    }

    fn note(&mut self, diagnostic: Diagnostic) {
        self.loaded.notes.push(diagnostic);
    }

    /// Reports mistakes in the `hooks` of one settings file.
    fn check_hooks(&mut self, hooks: &Node) {
        if hooks.members().is_none() {
            let message =
                format!("`hooks` is {}, which also removes the hooks of earlier settings files", hooks.kind());
            report(self.loaded, Code::HW104, hooks.span, message, "write an object: { \"BeforeTool\": [ … ] }");
        }
        for event in hooks.effective_members() {
            self.check_event_key(event);
            if event.value.items().is_none() && event.value.members().is_none() && is_known_event(&event.key) {
                self.report_no_list(event, "so it is ignored");
            }
            for group in groups(&event.value).filter(|_| is_known_event(&event.key)) {
                self.check_group(&event.key, group);
            }
        }
    }

    fn report_no_list(&mut self, event: &Member, so: &str) {
        let message = format!("the value of {} is {}, {so}", event.key, event.value.kind());
        let note = Diagnostic::new(Code::HW103, message).at(event.value.span);
        self.note(note.with_help("write a list: [ { \"hooks\": [ … ] } ]"));
    }

    /// Reports keys that are not events.
    fn check_event_key(&mut self, event: &Member) {
        let name = event.key.as_str();
        if matches!(name, "enabled" | "disabled" | "notifications") {
            self.note(
                check_obsolete_key(name, &event.value)
                    .at(event.key_span)
                    .with_help(format!("use `hooksConfig.{name}`")),
            );
        } else if events::EVENTS.by_name(name).is_none() {
            let (says, help) = unknown(name);
            let message = format!("{says} The agent warns and skips it.");
            self.note(Diagnostic::new(Code::HW201, message).at(event.key_span).with_help(help));
        }
    }

    fn check_group(&mut self, event: &str, group: &Node) {
        let notes = &mut self.loaded.notes;
        let Some(hooks) = hooks_of_group(group, group.get("command").is_some(), notes) else { return };
        if events::EVENTS.by_name(event).is_some_and(|e| e.subject.is_some()) {
            check_matcher(event, group, "write_file|replace", notes);
        }
        // Settings do not convert a text to a boolean.
        check_true(group, "sequential", "it has no effect", notes);
        for hook in hooks {
            self.check_hook(hook);
        }
    }

    fn check_hook(&mut self, node: &Node) {
        let raw = node.to_value();
        if let Err(dropped) = handlers::read(&raw) {
            self.note(Diagnostic::new(dropped.code, dropped.message).at(node.span).with_help(dropped.help));
            return;
        }
        if let Some(why) = handlers::runtime_error(&raw) {
            let message = format!("this hook fails every time: {why}");
            let help = "write { \"type\": \"command\", \"command\": \"…\" }";
            self.note(Diagnostic::new(Code::HW105, message).at(node.span).with_help(help));
        }
        let (limit, source) = timeout::limit(raw.get("timeout"));
        let span = node.get("timeout").map_or(node.span, |t| t.span);
        let written = raw.get("timeout").map(stringify).unwrap_or_default();
        let small = raw.get("timeout").and_then(Value::as_u64).filter(|n| (2..1000).contains(n));
        let help = match small {
            Some(n) => format!("write milliseconds: {} for {n} seconds", n * 1000),
            None => "write milliseconds, for example 30000 for half a minute".to_owned(),
        };
        match source {
            timeout::TimeoutSource::Immediate => {
                let message = format!("the timeout {written} expires at once, so the hook never answers in time");
                self.note(Diagnostic::new(Code::HW501, message).at(span).with_help(help));
            }
            timeout::TimeoutSource::Milliseconds if limit.as_millis() < 1000 => {
                let few = limit.as_millis();
                let unit = if few == 1 { "millisecond" } else { "milliseconds" };
                let message = format!("the timeout {written} means {few} {unit} here");
                let whole =
                    raw.get("timeout").and_then(Value::as_u64).filter(|n| *n > 0 && node.get("timeout").is_some());
                let seconds = whole.filter(|n| *n <= MAX_CERTAIN_SECONDS);
                let found = match seconds {
                    Some(_) => Diagnostic::new(Code::HW501, message),
                    None => Diagnostic::lowered(Code::HW501, Severity::Warning, message),
                };
                let found = match (seconds, whole) {
                    (Some(n), _) => found.with_fix(Fix::safe(span, (n * 1000).to_string())),
                    (None, Some(n)) => found.with_fix(Fix::proposal(span, (n * 1000).to_string())),
                    (None, None) => found,
                };
                self.note(found.at(span).with_help(help).with_cause("timeouts in seconds"));
            }
            _ => {}
        }
    }

    fn add_group(&mut self, event: &Member, group: &Node, origin: &DefinitionOrigin) {
        if matches!(event.key.as_str(), "enabled" | "disabled" | "notifications") {
            return;
        }
        for hook in group.get("hooks").and_then(Node::items).unwrap_or(&[]) {
            self.add_hook(&event.key, group, hook, origin);
        }
    }

    fn add_hook(&mut self, event: &str, group: &Node, node: &Node, origin: &DefinitionOrigin) {
        let raw = node.to_value();
        let unknown = events::EVENTS
            .by_name(event)
            .is_none()
            .then(|| Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, unknown(event).0));
        let (mut handler, dropped) = match handlers::read(&raw) {
            Ok(handler) => (handler, None),
            Err(dropped) => (
                Handler::Unknown(raw.clone()),
                Some(Rejection::new(RungName::Command, rules::CONFIG_INVALID_HOOK, dropped.message)),
            ),
        };
        if let Handler::Command(command) = &mut handler
            && raw.get("type").and_then(Value::as_str) == Some("command")
        {
            command.env.extend(origin.env.iter().cloned());
        }
        let off = handlers::disabled_as(&raw, &self.disabled).filter(|_| dropped.is_none()).map(|name| {
            Rejection::new(
                RungName::LayerActive,
                rules::CONFIG_DISABLED,
                format!("\"{name}\" is in hooksConfig.disabled"),
            )
        });
        let definition = HookDefinition {
            timeout: Some(timeout::limit(raw.get("timeout")).0),
            rejection: origin.refused.clone().or(unknown).or(dropped).or(off),
            ..definition(self.loaded, event, group, node, handler, origin)
        };
        self.loaded.definitions.push(definition);
    }
}

fn is_known_event(event: &str) -> bool {
    events::EVENTS.by_name(event).is_some()
}

/// Returns the definitions of an event in a settings file: a list, or a single object.
fn groups(value: &Node) -> impl Iterator<Item = &Node> {
    let single = value.members().is_some().then_some(value);
    value.items().unwrap_or(&[]).iter().chain(single)
}

fn unknown(event: &str) -> (String, String) {
    unknown_event("Gemini CLI", event, events::EVENTS.suggest(event))
}

/// Reports a key of `hooks` that was a setting in older versions (spec §1.2). A user who writes "off" there
/// believes that hooks are off.
fn check_obsolete_key(name: &str, value: &Node) -> Diagnostic {
    let named = value.items().map_or(0, <[Node]>::len);
    match name {
        "disabled" if named > 0 => {
            Diagnostic::new(Code::HW711, "`hooks.disabled` is no longer read: the hooks in it do run")
        }
        "enabled" if !truthy(&value.to_value()) => Diagnostic::lowered(
            Code::HW207,
            Severity::Warning,
            "`hooks.enabled` no longer has an effect: the hooks do run",
        ),
        _ => Diagnostic::lowered(Code::HW207, Severity::Info, format!("`hooks.{name}` no longer has an effect")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::trusting;
    use super::*;
    use crate::kernel::test::{note_places, place};
    use proptest::prelude::*;

    fn loaded(text: &[u8]) -> LoadedConfig {
        let mut files = trusting();
        files.put("/p/.gemini/settings.json", text);
        load(&place(), &files)
    }

    fn notes(text: &str) -> Vec<(Code, u32, u32)> {
        note_places(&loaded(text.as_bytes()))
    }

    #[test]
    fn every_invalid_part_is_named() {
        for (text, want) in [
            (r#"{"hooks": {"PreToolUse": []}}"#, vec![(Code::HW201, 1, 12)]),
            (r#"{"hooks": {"enabled": false}}"#, vec![(Code::HW207, 1, 12)]),
            (r#"{"hooks": {"AfterTool": 5}}"#, vec![(Code::HW103, 1, 25)]),
            (r#"{"hooks": {"AfterTool": {"hooks": []}}}"#, vec![]),
            (r#"{"hooks": []}"#, vec![(Code::HW104, 1, 11)]),
            (
                "{\"hooks\": {\"AfterTool\": [\n null,\n {\"command\": \"x\"}]}}",
                vec![(Code::HW103, 2, 2), (Code::HW103, 3, 2)],
            ),
            (
                r#"{"hooks": {"AfterTool": [{"hooks": [null, {"type": "command"}]}]}}"#,
                vec![(Code::HW105, 1, 37), (Code::HW105, 1, 43)],
            ),
            (r#"{"hooks": {"AfterTool": [{"hooks": [{"type": "http"}]}]}}"#, vec![(Code::HW106, 1, 37)]),
            (r#"{"hooks": {"AfterTool": [{"matcher": 5, "hooks": []}]}}"#, vec![(Code::HW102, 1, 38)]),
            (r#"{"hooks": {"AfterAgent": [{"matcher": 5, "hooks": []}]}}"#, vec![]),
            (
                r#"{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "x", "timeout": 30}]}]}}"#,
                vec![(Code::HW501, 1, 84)],
            ),
            (r#"{"hooks": {},}"#, vec![(Code::HW101, 1, 13)]),
            (r"[]", vec![(Code::HW101, 1, 1)]),
        ] {
            assert_eq!(notes(text), want, "{text}");
        }
        assert!(loaded(b"{").refusal.is_some());
    }

    #[test]
    fn definitions_know_their_place_and_layer() {
        let mut files = trusting();
        let hook = |command: &str| {
            format!(
                "{{\n \"hooks\": {{\"AfterTool\": [{{\"hooks\": [\n  {{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}}}"
            )
        };
        files.put("/p/.gemini/settings.json", hook("p"));
        files.put("/h/.gemini/settings.json", hook("u"));
        files.put("/etc/gemini-cli/settings.json", hook("s"));
        files.put("/etc/gemini-cli/system-defaults.json", hook("d"));
        let loaded = load(&place(), &files);
        let found: Vec<(Layer, String, u32, u32)> = loaded
            .definitions
            .iter()
            .map(|d| (d.provenance.layer, d.handler.text(), d.provenance.line, d.provenance.column))
            .collect();
        let want = [
            (Layer::SystemDefaults, "d".to_owned(), 3, 3),
            (Layer::User, "u".to_owned(), 3, 3),
            (Layer::Project, "p".to_owned(), 3, 3),
            (Layer::System, "s".to_owned(), 3, 3),
        ];
        assert_eq!(found, want);
    }

    /// The merged value counts: an object in a later file replaces null.
    #[test]
    fn a_section_that_is_null() {
        let null = r#"{"hooksConfig": null}"#;
        let object = r#"{"hooksConfig": {"disabled": []}}"#;
        for (user, project, starts) in [
            ("{}", null, false),
            (null, "{}", false),
            (null, object, true),
            (object, null, false),
            ("{}", r#"{"hooksConfig": 5}"#, true),
            ("{}", r#"{"tools": null}"#, false),
            ("{}", r#"{"general": null}"#, true),
            ("{}", r#"{"hooks": null}"#, true),
        ] {
            let mut files = trusting();
            files.put("/h/.gemini/settings.json", user);
            files.put("/p/.gemini/settings.json", project);
            let loaded = load(&place(), &files);
            assert_eq!(loaded.refusal.is_none(), starts, "{user} {project}");
            let noted = loaded.notes.iter().any(|note| note.message.contains("fails at start"));
            assert_eq!(noted, !starts, "{user} {project}");
        }
    }

    #[test]
    fn what_is_wiped_out_stays_in_the_list() {
        let mut files = trusting();
        files.put(
            "/h/.gemini/settings.json",
            r#"{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "u"}]}]}}"#,
        );
        files.put("/p/.gemini/settings.json", r#"{"hooks": null}"#);
        let loaded = load(&place(), &files);
        let rules: Vec<_> = loaded.definitions.iter().filter_map(|d| d.rejection.as_ref()).map(|r| r.rule).collect();
        assert_eq!(rules, [rules::CONFIG_REPLACED]);
    }

    proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let _ = loaded(&bytes);
        }

        #[test]
        fn never_panics_on_settings(parts in prop::collection::vec(prop::sample::select(
            &["{", "}", "[", "]", "\"hooks\":", "\"AfterTool\":", "\"type\":\"command\"", ",", "null", "\"command\":", "\"x\"", "5", "\"matcher\":"][..]), 0..30)) {
            let _ = loaded(parts.concat().as_bytes());
        }
    }
}
