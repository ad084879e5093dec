//! Reads the hooks of the settings and of plugins (spec §1). All files add up. One wrong group makes the agent drop all
//! hooks of its event, also those of other files.

use std::time::Duration;

use serde_json::Value;

use super::events::EVENTS;
use super::formats::{FORMATS, SETTINGS_FORMAT};
use super::rules;
use crate::kernel::settings::{
    BrokenEffect, DefinitionOrigin, command_problem, definition, read_layer, report, report_ignored, unknown_event,
    update_layer, user_directory,
};
use crate::shared::files_above::report_files_above;
use crate::shared::javascript::number_of;
use hookbench_base::config::{Files, LayerState, LoadedConfig, MemoryFiles, Place};
use hookbench_base::diagnostic::Code;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, HttpHandler, Layer, PromptHandler, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{JsonSyntax, Member, Node, Span, to_js_string, truthy};

/// The limit of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The time of a hook whose limit is negative, no number or too large for a timer.
pub const AT_ONCE: Duration = Duration::from_millis(1);
/// The largest limit, in seconds: the longest timer of Node.js.
const LONGEST: f64 = 2_147_483.647;
/// The variable with the directory of the user's settings.
pub const HOME_VARIABLE: &str = "CODEBUDDY_CONFIG_DIR";
/// The syntax of settings: comments and trailing commas, but no byte-order mark.
pub const SYNTAX: JsonSyntax = JsonSyntax { comments: true, trailing_commas: true, bom: false };

/// Files that look like configuration but that the agent does not read, below the project and the home directory.
const IGNORED: [&str; 4] =
    [".codebuddy/hooks.json", ".codebuddy/hooks/hooks.json", ".claude/settings.json", ".claude/settings.local.json"];
/// The manifests of a plugin, of which one must exist.
const MANIFESTS: [&str; 2] = [".codebuddy-plugin/plugin.json", ".claude-plugin/plugin.json"];
const NAME: &str = "CodeBuddy Code";
/// The layers in the order in which their hooks are configured.
const LAYERS: [Layer; 3] = [Layer::User, Layer::Project, Layer::Local];

/// The directory of the user's settings.
pub fn user_dir(place: &Place) -> String {
    user_directory(place, HOME_VARIABLE, ".codebuddy")
}

/// The file of a layer that users can edit.
pub fn layer_file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", user_dir(place))),
        Layer::Project => Some(format!("{}/.codebuddy/settings.json", place.project)),
        Layer::Local => Some(format!("{}/.codebuddy/settings.local.json", place.project)),
        _ => None,
    }
}

/// Whether a file with settings exists.
pub fn is_configured(place: &Place, files: &dyn Files) -> bool {
    LAYERS.iter().any(|layer| layer_file(place, *layer).is_some_and(|path| files.exists(&path)))
}

/// Reads every file that CodeBuddy reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut reader = Reader { place, loaded: LoadedConfig::default(), lost: Vec::new() };
    for layer in LAYERS {
        let Some(path) = layer_file(place, layer) else { continue };
        // The home directory as the project has one file for both.
        if reader.loaded.layers.iter().all(|read| read.path != path) {
            reader.read_file(files, &path, &DefinitionOrigin::of_file(layer, None));
        }
    }
    let given = FORMATS.given(place);
    if let Some(settings) = given.last("--settings").map(|given| given.value()) {
        let (path, mut inline) = (place.absolute(&place.project, settings), MemoryFiles::default());
        let is_inline = settings.trim_start().starts_with('{');
        inline.put("--settings", settings);
        let (files, path): (&dyn Files, &str) = if is_inline { (&inline, "--settings") } else { (files, &path) };
        reader.read_file(files, path, &DefinitionOrigin::of_file(Layer::Flag, None));
    }
    for directory in given.all("--plugin-dir").flat_map(|plugin| &plugin.values) {
        let root = place.absolute(&place.project, directory);
        let path = format!("{root}/hooks/hooks.json");
        if MANIFESTS.iter().any(|name| files.exists(&format!("{root}/{name}"))) && files.exists(&path) {
            let env = ["CLAUDE_PLUGIN_ROOT", "CODEBUDDY_PLUGIN_ROOT"].map(|name| (name.to_owned(), root.clone()));
            let origin = DefinitionOrigin { env: env.to_vec(), ..DefinitionOrigin::of_file(Layer::Plugin, None) };
            reader.read_file(files, &path, &DefinitionOrigin { bundle: Some(root), ..origin });
        }
    }
    let Reader { mut loaded, lost, .. } = reader;
    for definition in loaded.definitions.iter_mut().filter(|definition| definition.rejection.is_none()) {
        let why = lost.iter().find(|(event, _)| *event == definition.event).map(|(_, why)| why.clone());
        definition.rejection = why.map(|why| Rejection::new(RungName::Parsed, rules::CONFIG_EVENT_LOST, why));
    }
    let why = "CodeBuddy Code reads hooks only from .codebuddy/settings.json and settings.local.json";
    for path in IGNORED.iter().flat_map(|name| [&place.project, &place.home].map(|root| format!("{root}/{name}"))) {
        report_ignored(&mut loaded, place, files, &path, why);
    }
    let above = |directory: &str| {
        ["settings.json", "settings.local.json"].map(|name| format!("{directory}/.codebuddy/{name}")).to_vec()
    };
    let why = "CodeBuddy Code reads .codebuddy only in the directory in which it starts";
    report_files_above(place, files, above, why, &mut loaded);
    loaded.assign_ids();
    loaded
}

struct Reader<'a> {
    place: &'a Place,
    loaded: LoadedConfig,
    /// The events whose hooks are lost, each with the reason.
    lost: Vec<(String, String)>,
}

impl Reader<'_> {
    fn read_file(&mut self, files: &dyn Files, path: &str, origin: &DefinitionOrigin) {
        let parse = |source, text: &str| SETTINGS_FORMAT.form().parse(source, text);
        let broken =
            |file| BrokenEffect::without_hooks(file, "correct the JSON; comments and trailing commas are allowed");
        let Some(root) = read_layer(self.place, files, (origin.layer, path), parse, broken, &mut self.loaded) else {
            return;
        };
        if let Some(switch) = root.member("disableAllHooks").filter(|key| key.value.to_value() == true) {
            let says = "CodeBuddy Code ignores `disableAllHooks`: all hooks run";
            report(&mut self.loaded, Code::HW113, switch.key_span, says, "delete the hooks that must not run");
        }
        let Some(hooks) = root.get("hooks") else { return };
        if hooks.members().is_none() {
            let message = format!("`hooks` is {}, not an object, so every hook of this file is ignored", hooks.kind());
            report(&mut self.loaded, Code::HW104, hooks.span, &message, "write { \"PreToolUse\": [ … ] }");
            update_layer(&mut self.loaded, path, LayerState::Broken, &message);
        }
        for event in hooks.effective_members() {
            let unknown = EVENTS.by_name(&event.key).is_none();
            let unknown = unknown.then(|| unknown_event(NAME, &event.key, EVENTS.suggest(&event.key)));
            if let Some((says, help)) = &unknown {
                let message = format!("{says} {NAME} ignores it.");
                report(&mut self.loaded, Code::HW201, event.key_span, message, help);
            }
            let rejection =
                unknown.map(|(says, _)| Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, says));
            for group in event.value.items().unwrap_or_default() {
                self.read_group(event, group, origin, rejection.as_ref());
            }
            if event.value.items().is_none() && truthy(&event.value.to_value()) {
                let says =
                    format!("the value of {} is {}, not a list, so it is ignored", event.key, event.value.kind());
                let help = "write a list: [ { \"hooks\": [ … ] } ]";
                report(&mut self.loaded, Code::HW103, event.value.span, says, help);
            }
        }
    }

    /// Drops all hooks of an event for a mistake.
    fn lose(&mut self, event: &str, at: Span, what: &str) {
        let message = format!("{what}, so {NAME} drops all hooks of {event}, also those of other files");
        let (file, line) = (self.loaded.sources.name(at.source), self.loaded.sources.start(at).line);
        self.lost.push((event.to_owned(), format!("{file}:{line}: {message}")));
        let help = "write { \"matcher\": \"…\", \"hooks\": [ … ] }";
        report(&mut self.loaded, Code::HW103, at, message, help);
    }

    fn read_group(&mut self, event: &Member, group: &Node, origin: &DefinitionOrigin, unknown: Option<&Rejection>) {
        let Some(handlers) = group.get("hooks").and_then(Node::items) else {
            let flat = group.get("command").map(|_| "the handler is beside its matcher instead of in a `hooks` list");
            return self.lose(&event.key, group.span, flat.unwrap_or("this group has no `hooks` list"));
        };
        for hook in handlers {
            if hook.to_value().is_null() {
                self.lose(&event.key, hook.span, "a hook is null");
                continue;
            }
            let read = self.read_hook(event, group, hook, origin);
            let rejection = unknown.cloned().or_else(|| read.rejection.clone());
            self.loaded.definitions.push(HookDefinition { rejection, ..read });
        }
    }

    /// A handler. One whose `type` is missing or unknown is a command.
    fn read_hook(&mut self, event: &Member, group: &Node, hook: &Node, origin: &DefinitionOrigin) -> HookDefinition {
        let text = |key: &str| hook.get(key).and_then(Node::as_str).map(str::to_owned);
        let or_empty = |key: &str| text(key).unwrap_or_default();
        let handler = match (text("type").as_deref(), text("command")) {
            (Some("http"), _) => Handler::Http(HttpHandler { url: or_empty("url"), ..HttpHandler::default() }),
            (Some("prompt" | "agent"), _) => {
                Handler::Prompt(PromptHandler { prompt: or_empty("prompt"), ..PromptHandler::default() })
            }
            (_, Some(command)) => {
                let env = origin.env.iter().cloned().collect();
                Handler::Command(CommandHandler { command, shell: text("shell"), env, ..CommandHandler::default() })
            }
            _ => Handler::Unknown(hook.to_value()),
        };
        let problem = command_problem(hook).filter(|_| matches!(handler, Handler::Unknown(_)));
        let rejection = problem.map(|message| {
            let help = "write { \"type\": \"command\", \"command\": \"…\" }";
            report(&mut self.loaded, Code::HW105, hook.span, &message, help);
            Rejection::new(RungName::Parsed, rules::CONFIG_HANDLER_DROPPED, message)
        });
        let read = definition(&self.loaded, &event.key, Some(group), hook, handler, origin);
        let timeout = limit(read.raw.get("timeout"));
        if let Some(written) = hook.get("timeout").filter(|_| timeout == AT_ONCE) {
            let says = "the timeout is over at once, and a hook that runs out of time blocks";
            report(&mut self.loaded, Code::HW501, written.span, says, "write seconds, such as 30");
        }
        let condition = text("if").filter(|rule| !rule.trim().is_empty());
        HookDefinition { timeout: Some(timeout), condition, rejection, ..read }
    }
}

/// The seconds of a limit as JavaScript reads them, which may be NaN.
fn seconds(value: Option<&Value>) -> f64 {
    let usual = DEFAULT_TIMEOUT.as_secs_f64();
    value.filter(|value| truthy(value)).map_or(usual, |value| number_of(value).unwrap_or(f64::NAN))
}

/// The limit of a hook from the value of its `timeout`.
pub fn limit(value: Option<&Value>) -> Duration {
    let usable = Some(seconds(value)).filter(|seconds| (AT_ONCE.as_secs_f64()..=LONGEST).contains(seconds));
    usable.map_or(AT_ONCE, Duration::from_secs_f64)
}

/// The limit as the agent names it.
pub fn milliseconds(value: Option<&Value>) -> String {
    let limit = seconds(value) * 1000.0;
    if limit.is_nan() { "NaN".to_owned() } else { to_js_string(&Value::from(limit)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::{file, place};
    use serde_json::json;

    const OK: &str = r#"{"hooks": [{"type": "command", "command": "ok"}]}"#;

    /// A wrong group loses its event in all files, a wrong handler only itself, and other values nothing else (measured).
    #[test]
    fn faults_and_what_they_cost() {
        for (user, runs, code) in [
            (r#"{"Stop": [{"type": "command", "command": "flat"}]}"#, 0, Some(Code::HW103)),
            (r#"{"Stop": [{"hooks": "x"}]}"#, 0, Some(Code::HW103)),
            (r#"{"Stop": [{"hooks": ["x", {"type": "command"}]}]}"#, 1, Some(Code::HW105)),
            (r#"{"Stop": [{"hooks": [{"command": "a"}]}]}"#, 2, None),
            (r#"{"Stop": [{"hooks": [{"type": "magic", "command": "a", "timeout": -1}]}]}"#, 2, Some(Code::HW501)),
            (r#"{"Stop": {"hooks": []}, "PreToolUse": null}"#, 1, Some(Code::HW103)),
            ("[]", 1, Some(Code::HW104)),
        ] {
            let mut files = file("/h/.codebuddy/settings.json", format!(r#"{{"hooks": {user}}}"#));
            files.put("/p/.codebuddy/settings.json", format!(r#"{{"hooks": {{"Stop": [{OK}]}}}}"#));
            let loaded = load(&place(), &files);
            let valid = loaded.definitions.iter().filter(|one| one.rejection.is_none()).count();
            assert_eq!((valid, loaded.notes.first().map(|note| note.code)), (runs, code), "{user}");
        }
    }

    #[test]
    fn places_and_limits() {
        let settings = format!(r#"{{"hooks": {{"Stop": [{OK},]}} /* c */}}"#);
        let moved = Place { env: [(HOME_VARIABLE.to_owned(), "/m".to_owned())].into(), ..place() };
        for (place, path, want) in [
            (place(), "/h/.codebuddy/settings.json", (1, 0)),
            (place(), "/p/.claude/settings.json", (0, 1)),
            (moved, "/m/settings.json", (1, 0)),
            (Place { project: "/r/sub".to_owned(), ..place() }, "/r/.codebuddy/settings.json", (0, 1)),
        ] {
            let loaded = load(&place, &file(path, &settings));
            assert_eq!((loaded.definitions.len(), loaded.ignored_files.len()), want, "{path}");
        }
        for (value, want) in [
            (json!(0), 60_000),
            (json!("5"), 5000),
            (json!(0.5), 500),
            (json!(-1), 1),
            (json!("x"), 1),
            (json!(1e9), 1),
        ] {
            assert_eq!(limit(Some(&value)), Duration::from_millis(want), "{value}");
        }
        let switched = load(&place(), &file("/h/.codebuddy/settings.json", r#"{"disableAllHooks": true}"#));
        assert_eq!(switched.notes.iter().map(|note| note.code).collect::<Vec<_>>(), [Code::HW113]);
    }
}
