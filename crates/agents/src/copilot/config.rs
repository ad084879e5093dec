//! Reads the hooks of every file, in the order in which the agent runs them (spec §1, §2).

use serde_json::Value;

use super::checks::{EMPTY_MATCHER, check_entry, check_file, matcher_of};
use super::layers::{self, HooksFile, HooksFileKind, Trust};
use super::spelling::Spelling;
use super::{events, handlers, rules};
use crate::kernel::settings::{DefinitionOrigin, definition, unknown_event, update_layer};
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Member, Node};

/// Reads every file that Copilot CLI reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let trust = layers::look_up_trust(place, files);
    let reason = match &trust {
        Trust::Trusted(reason) => Some(reason.clone()),
        Trust::Untrusted => None,
    };
    let mut reader = ConfigReader { place, trust, loaded: &mut loaded };
    for file in layers::hooks_files(place, files) {
        if let Some(root) = layers::read_object(&file, place, files, reader.loaded) {
            reader.read_file(&file, &root);
        }
    }
    layers::report_ignored(place, files, &mut loaded);
    loaded.assign_ids();
    if let Some(reason) = reason {
        loaded.set_trust(&reason, |layer| matches!(layer, Layer::Project | Layer::Local));
    }
    loaded
}

/// Collects definitions.
struct ConfigReader<'a> {
    place: &'a Place,
    trust: Trust,
    loaded: &'a mut LoadedConfig,
}

impl ConfigReader<'_> {
    fn read_file(&mut self, file: &HooksFile, root: &Node) {
        let distrust = (file.is_of_project() && self.trust == Trust::Untrusted).then(|| {
            let says = "the directory is not trusted, so the agent ignores the repository's hooks; start it once and trust the directory";
            Rejection::new(RungName::Trusted, rules::TRUST_UNTRUSTED, says)
        });
        if distrust.is_some() {
            update_layer(self.loaded, &file.path, LayerState::Untrusted, "the directory is not trusted");
        }
        let error = check_file(file, root, self.place).map(|error| {
            let line = self.loaded.sources.start(error.span).line;
            let message = match file.kind {
                HooksFileKind::Foreign | HooksFileKind::Settings if error.message.starts_with(EMPTY_MATCHER) => {
                    format!("Copilot CLI ignores the whole file because of `\"matcher\": \"\"` in line {line}")
                }
                HooksFileKind::Foreign | HooksFileKind::Settings => {
                    format!("Copilot CLI ignores the whole file because {} in line {line}", error.message)
                }
                HooksFileKind::Hooks => format!("{}, so every hook of this file is ignored", error.message),
            };
            self.loaded.notes.push(error.note(message.clone()));
            let place = match file.kind {
                HooksFileKind::Hooks => format!("line {line}: {message}"),
                // The message names the line.
                HooksFileKind::Foreign | HooksFileKind::Settings => message,
            };
            update_layer(self.loaded, &file.path, LayerState::Broken, &place);
            Rejection::new(RungName::Parsed, rules::CONFIG_FILE_SKIPPED, place)
        });
        let off = if error.is_none() && distrust.is_none() { self.read_switch(file, root) } else { None };
        let refused = error.or(distrust).or(off);
        let Some(hooks) = root.get("hooks") else { return };
        let members = hooks.effective_members();
        // Within a file the camelCase hooks run first, whatever the order of the keys is.
        for spelling in [Spelling::Camel, Spelling::Pascal] {
            for event in members.iter().filter(|event| Spelling::of(&event.key) == spelling) {
                self.read_event(file, event, refused.as_ref());
            }
        }
    }

    /// Reads `disableAllHooks`. In the repository's settings it switches off every hook, the user's too; in any other file
    /// only those of the file.
    fn read_switch(&mut self, file: &HooksFile, root: &Node) -> Option<Rejection> {
        let member = root.member("disableAllHooks").filter(|member| member.value.as_bool() == Some(true))?;
        let name = self.place.display_path(&file.path);
        let switches_all = file.is_of_project() && file.kind != HooksFileKind::Hooks;
        let says = if switches_all { "no hook of any file runs" } else { "the hooks of this file do not run" };
        self.loaded.switches.push(Switch {
            name: "disableAllHooks".to_owned(),
            value: Value::Bool(true),
            set_by: Some(name.clone()),
            span: Some(member.value.span),
            message: says.to_owned(),
        });
        let note = Diagnostic::new(Code::HW207, format!("`disableAllHooks` is true: {says}"));
        self.loaded.notes.push(note.at(member.key_span).with_help("delete the key, or write false"));
        let off = format!("disableAllHooks is true in {name}");
        if switches_all {
            self.loaded.hooks_off.get_or_insert(format!("{off}, so no hook runs"));
        }
        Some(Rejection::new(RungName::LayerActive, rules::SWITCH_OFF, off))
    }

    fn read_event(&mut self, file: &HooksFile, event: &Member, refused: Option<&Rejection>) {
        let is_known = events::by_name(&event.key).is_some();
        if !is_known && refused.is_none() {
            let (says, help) = unknown(&event.key);
            let ignores = if events::is_only_declared(&event.key) { "" } else { " Copilot CLI ignores it." };
            let message = says + ignores;
            self.loaded.notes.push(Diagnostic::new(Code::HW201, message).at(event.key_span).with_help(help));
        }
        let entries = event.value.items();
        if is_known && refused.is_none() && entries.is_none() {
            let message =
                format!("the value of {} is {}, not a list, so Copilot CLI ignores it", event.key, event.value.kind());
            let note = Diagnostic::new(Code::HW103, message).at(event.value.span);
            self.loaded.notes.push(note.with_help("write a list: [ { … } ]"));
        }
        for entry in entries.unwrap_or(&[]) {
            // Beside a command, only a list makes it a group.
            match entry.get("hooks").filter(|hooks| hooks.items().is_some() || entry.get("command").is_none()) {
                Some(hooks) => match hooks.items() {
                    Some(hooks) => {
                        if refused.is_none() {
                            self.report_group_matcher(entry);
                        }
                        for hook in hooks {
                            self.read_hook(file, event, Some(entry), hook, refused);
                        }
                    }
                    None => self.skip_entry(event, entry, "`hooks` is not a list", refused),
                },
                None => self.read_hook(file, event, None, entry, refused),
            }
        }
    }

    /// Reports the matcher of a group that is not a string. The agent ignores it.
    fn report_group_matcher(&mut self, group: &Node) {
        if let Some(matcher) = group.get("matcher").filter(|matcher| matcher.as_str().is_none()) {
            let message = format!(
                "the matcher of this group is {}, not a string, so it is ignored and the hooks run for everything",
                matcher.kind()
            );
            let note = Diagnostic::new(Code::HW102, message).at(matcher.span);
            self.loaded.notes.push(note.with_help("write a string, or delete the key"));
        }
    }

    /// Reports an entry that is neither a handler nor a group.
    fn skip_entry(&mut self, event: &Member, entry: &Node, why: &str, refused: Option<&Rejection>) {
        if refused.is_none() {
            let note = Diagnostic::new(Code::HW103, format!("{why} in this entry of {}, so it is skipped", event.key));
            self.loaded.notes.push(note.at(entry.span).with_help("write { \"matcher\": \"…\", \"hooks\": [ … ] }"));
        }
    }

    fn read_hook(
        &mut self,
        file: &HooksFile,
        event: &Member,
        group: Option<&Node>,
        hook: &Node,
        refused: Option<&Rejection>,
    ) {
        let raw = hook.to_value();
        let is_known = events::by_name(&event.key).is_some();
        let read = check_entry(&event.key, group, hook, self.place, file.kind != HooksFileKind::Hooks);
        let (handler, skipped) = match read {
            Ok(handler) => (handler, None),
            Err((code, span, message, help)) => {
                if refused.is_none() && is_known {
                    let note = Diagnostic::new(code, format!("{message}, so this hook is skipped"));
                    self.loaded.notes.push(note.at(span).with_help(help));
                }
                (Handler::Unknown(raw.clone()), Some(Rejection::new(RungName::Command, rules::CONFIG_SKIPPED, message)))
            }
        };
        let unknown = (!is_known)
            .then(|| Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, unknown(&event.key).0));
        let matcher = matcher_of(group, hook);
        let origin = DefinitionOrigin::of_file(file.layer, None);
        self.loaded.definitions.push(HookDefinition {
            matcher: matcher.map(Node::to_value),
            matcher_span: matcher.map(|matcher| matcher.span),
            name: raw.get("name").and_then(Value::as_str).map(str::to_owned),
            timeout: Some(handlers::timeout(&raw)),
            rejection: refused.cloned().or(unknown).or(skipped),
            ..definition(self.loaded, &event.key, group, hook, handler, &origin)
        });
    }
}

fn unknown(event: &str) -> (String, String) {
    let (says, help) = unknown_event("Copilot CLI", event, events::suggest(event));
    if events::is_only_declared(event) {
        return (format!("Copilot CLI declares the event \"{event}\", but no session was seen to fire it."), help);
    }
    (says, help)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::trusting;
    use super::*;
    use crate::kernel::test::place;
    use proptest::prelude::*;

    #[test]
    fn an_event_that_is_only_declared_is_not_called_unknown() {
        for (event, says) in [
            (
                "preMcpToolCall",
                "Copilot CLI declares the event \"preMcpToolCall\", but no session was seen to fire it.",
            ),
            ("preMcpToolCalls", "Copilot CLI has no event \"preMcpToolCalls\". Copilot CLI ignores it."),
        ] {
            let text = format!(r#"{{"hooks": {{"{event}": [{{"type": "command", "bash": "true"}}]}}}}"#);
            let found = loaded(OWN, &text);
            let messages: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
            assert_eq!(messages, [says], "{event}");
        }
    }

    fn loaded(path: &str, text: &str) -> LoadedConfig {
        let mut files = trusting();
        files.put(path, text);
        load(&place(), &files)
    }

    /// Returns the commands that can run, in order.
    fn commands(loaded: &LoadedConfig) -> Vec<String> {
        loaded.definitions.iter().filter(|d| d.rejection.is_none()).map(|d| d.handler.text()).collect()
    }

    const OWN: &str = "/h/.copilot/hooks/h.json";
    const FOREIGN: &str = "/p/.claude/settings.json";

    #[test]
    fn whole_files_and_single_entries() {
        let good = r#"{"command": "b"}"#;
        for (entry, own, foreign) in [
            (r#"{"command": "a"}"#, vec!["a", "b"], vec!["a", "b"]),
            (r#"{"command": "a", "matcher": ""}"#, vec!["b"], vec![]),
            (r#"{"command": "a", "timeout": 0}"#, vec!["b"], vec![]),
            (r#"{"type": "magic", "command": "a"}"#, vec!["b"], vec![]),
            (r#"{"type": "command"}"#, vec!["b"], vec![]),
            (r#"{"command": "a", "matcher": null}"#, vec!["b"], vec![]),
            (r#"{"matcher": "x", "hooks": []}"#, vec!["b"], vec!["b"]),
            (r#"{"hooks": {"command": "a"}}"#, vec!["b"], vec![]),
            ("5", vec!["b"], vec![]),
            ("null", vec!["b"], vec![]),
            (r#"{"matcher": 7, "hooks": [{"command": "a"}]}"#, vec!["a", "b"], vec!["a", "b"]),
            (r#"{"matcher": "", "hooks": [{"command": "a", "matcher": "x"}]}"#, vec!["a", "b"], vec!["a", "b"]),
            (r#"{"command": "c", "hooks": [{"command": "a"}]}"#, vec!["a", "b"], vec!["a", "b"]),
            (r#"{"command": "a", "hooks": null}"#, vec!["a", "b"], vec!["a", "b"]),
            (r#"{"command": "a", "cwd": 7}"#, vec!["b"], vec![]),
            (r#"{"command": "a", "timeout": 5, "timeoutSec": 0}"#, vec!["b"], vec![]),
            (r#"{"hooks": [{"hooks": [{"command": "a"}]}]}"#, vec![], vec![]),
        ] {
            let text = format!(r#"{{"hooks": {{"PreToolUse": [{entry}, {good}]}}}}"#);
            assert_eq!(commands(&loaded(OWN, &text)), own, "{entry}");
            assert_eq!(commands(&loaded(FOREIGN, &text)), foreign, "{entry} in another agent's settings");
        }
        for (text, runs) in [
            (format!(r#"{{"version": 1, "hooks": {{"preToolUse": [{good}]}}}}"#), true),
            (format!(r#"{{"version": 2, "hooks": {{"preToolUse": [{good}]}}}}"#), false),
            (format!(r#"{{"version": null, "hooks": {{"preToolUse": [{good}]}}}}"#), false),
            (format!(r#"{{"preToolUse": [{good}]}}"#), false),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "agentStop": null}}}}"#), false),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "foo": null}}}}"#), true),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "Stop": null}}}}"#), true),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "PreToolUse": 5}}}}"#), true),
            (format!(r#"{{"hooks": {{"preToolUse": 5, "PreToolUse": [{good}]}}}}"#), true),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "agentStop": null, "Stop": []}}}}"#), true),
            (format!(r#"{{"hooks": {{"preToolUse": [{good}], "agentStop": null, "Stop": null}}}}"#), false),
            (format!(r#"{{"disableAllHooks": "x", "hooks": {{"preToolUse": [{good}]}}}}"#), false),
            (format!(r#"{{"hooks": {{"pre_tool_use": [{good}]}}}}"#), false),
            (format!("// c\n{{\"hooks\": {{\"preToolUse\": [{good}]}}}}"), false),
        ] {
            assert_eq!(!commands(&loaded(OWN, &text)).is_empty(), runs, "{text}");
        }
    }

    /// A setting of a wrong type loses the file, but not in each place.
    #[test]
    fn wrong_types_beside_the_hooks() {
        let places = ["/h/.copilot/settings.json", FOREIGN, "/p/.github/copilot/settings.json", OWN];
        for (setting, read) in [
            (r#""model": 5"#, [false, true, false, true]),
            (r#""model": "m""#, [true, true, true, true]),
            (r#""banner": 5"#, [false, true, true, true]),
            (r#""permissions": null"#, [false, true, true, true]),
            (r#""effortLevel": {}"#, [true, true, false, true]),
            (r#""enabledPlugins": {"a": 5}"#, [false, false, false, true]),
            (r#""enabledPlugins": {"a": true}"#, [true, true, true, true]),
            (r#""extraKnownMarketplaces": {"a": 5}"#, [false, false, false, true]),
            (r#""extraKnownMarketplaces": {"a": {}}"#, [true, true, true, true]),
            (r#""companyAnnouncements": {}"#, [false, false, false, true]),
            (r#""zzz": 5"#, [true, true, true, true]),
            (r#""x": 1e999"#, [true, false, false, false]),
            (r#""x": "\ud800""#, [false, false, false, false]),
        ] {
            let text = format!(r#"{{{setting}, "hooks": {{"PreToolUse": [{{"command": "a"}}]}}}}"#);
            let found = places.map(|path| !commands(&loaded(path, &text)).is_empty());
            assert_eq!(found, read, "{setting}");
        }
        for (text, read) in [
            (r#"{"hooks": {"PreToolUse": [{"command": "a"},]}} // c"#, [true, false, false, false]),
            ("\u{feff}{\"hooks\": {\"PreToolUse\": [{\"command\": \"a\"}]}}", [true, false, false, false]),
        ] {
            assert_eq!(places.map(|path| !commands(&loaded(path, text)).is_empty()), read, "{text}");
        }
    }

    #[test]
    fn switches_and_trust() {
        let hooks = |command: &str, off: bool| {
            format!(r#"{{"disableAllHooks": {off}, "hooks": {{"preToolUse": [{{"command": "{command}"}}]}}}}"#)
        };
        for (off, want, all_off) in [
            ("/h/.copilot/hooks/z.json", vec!["u", "s"], false),
            ("/h/.copilot/settings.json", vec!["u"], false),
            ("/p/.github/hooks/z.json", vec!["u", "s"], false),
            ("/p/.github/copilot/settings.json", vec!["u", "s"], true),
            ("/p/.claude/settings.local.json", vec!["u", "s"], true),
        ] {
            let mut files = trusting();
            files.put("/h/.copilot/hooks/u.json", hooks("u", false));
            files.put("/h/.copilot/settings.json", hooks("s", false));
            files.put(off, hooks("x", true));
            let loaded = load(&place(), &files);
            assert_eq!(
                (commands(&loaded), loaded.hooks_off.is_some()),
                (want.iter().map(|c| (*c).to_owned()).collect(), all_off),
                "{off}"
            );
        }
        let mut files = hookbench_base::config::MemoryFiles::default();
        files.put("/h/.copilot/hooks/u.json", hooks("u", false));
        files.put("/p/.github/hooks/p.json", hooks("p", false));
        assert_eq!(commands(&load(&place(), &files)), ["u"]);
    }

    #[test]
    fn camel_hooks_of_a_file_come_first() {
        let text = r#"{"hooks": {"PreToolUse": [{"command": "b"}], "preToolUse": [{"command": "a"}]}}"#;
        assert_eq!(commands(&loaded(OWN, text)), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn never_panics(text: String) {
            let _ = (loaded(OWN, &text), loaded(FOREIGN, &text));
        }
    }
}
