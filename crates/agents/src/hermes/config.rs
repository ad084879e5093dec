//! Reads the hooks of the user's settings (spec §1). A fault drops its own entry; the agent says so only in its log. A hook
//! without approval does not run.

use std::time::Duration;

use serde_json::{Value, json};

use super::events::EVENTS;
use super::formats::{FORMATS, LIST, SETTINGS_FORMAT};
use super::rules;
use crate::kernel::settings::{
    BrokenEffect, DefinitionOrigin, list_definition, read_layer, report, report_ignored, unknown_event, update_layer,
    user_directory,
};
use crate::shared::words::split_words;
use hookbench_base::config::{Files, LayerState, LoadedConfig, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::hook::{CommandHandler, EventSpec, Handler, HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Member, Node, NodeValue, nearest};

/// The keys of an entry.
const KEYS: [&str; 3] = ["command", "matcher", "timeout"];
/// The limit of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest limit.
pub const LONGEST: Duration = Duration::from_secs(300);
/// The variable with the directory of the user's files.
pub const HOME_VARIABLE: &str = "HERMES_HOME";
/// The list of approved pairs of an event and a command, beside the settings.
const APPROVALS: &str = "shell-hooks-allowlist.json";
/// A key beside the events that is none.
const NO_EVENT: &str = "output_spill";
/// The ways to approve a hook.
const TO_APPROVE: &str = "approve it in a terminal at the next start of `hermes`, or start that with --accept-hooks; \
                          HERMES_ACCEPT_HOOKS=1 and `hooks_auto_accept: true` do the same";
/// Files in which other agents, or this one's users, have hooks: below the project.
const UNREAD: [&str; 3] = [".hermes/config.yaml", ".claude/settings.json", ".claude/settings.local.json"];

/// The directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    user_directory(place, HOME_VARIABLE, ".hermes")
}

/// The only file with hooks.
pub fn settings_file(place: &Place) -> String {
    format!("{}/config.yaml", user_dir(place))
}

/// The user's settings while their hooks are read.
struct Reader<'a> {
    place: &'a Place,
    /// Why every hook is approved.
    accepted: Option<String>,
    /// The approved pairs of an event and a command.
    approved: Vec<Value>,
    loaded: LoadedConfig,
}

/// Reads the file that Hermes Agent reads for this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut reader =
        Reader { place, accepted: None, approved: approvals(place, files), loaded: LoadedConfig::default() };
    let path = settings_file(place);
    let form = SETTINGS_FORMAT.form();
    let parse = |source, text: &str| {
        let mut root = form.parse(source, text)?;
        root.map_strings(&mut |text| expand(text, place));
        Ok(if root.value == NodeValue::Null { Node { value: NodeValue::Object(Vec::new()), ..root } } else { root })
    };
    let broken = |broken| BrokenEffect::of_language("YAML", broken, "the agent drops every hook of this file", false);
    if let Some(root) = read_layer(place, files, (Layer::User, &path), parse, broken, &mut reader.loaded) {
        reader.accepted = acceptance(place, &root);
        reader.read_hooks(root.get("hooks"), &path);
    }
    let Reader { accepted, mut loaded, .. } = reader;
    let why = "Hermes Agent reads hooks only from the config.yaml of the user";
    for unread in UNREAD.iter().map(|name| format!("{}/{name}", place.project)).filter(|unread| *unread != path) {
        if read_settings(files, &unread).is_ok_and(|text| text.windows(5).any(|word| word == b"hooks")) {
            report_ignored(&mut loaded, place, files, &unread, why);
        }
    }
    loaded.assign_ids();
    let reason = accepted.unwrap_or_else(|| format!("it is in {}", place.display_path(&approvals_file(place))));
    let approved = loaded.definitions.iter().filter(|one| one.rejection.is_none());
    loaded.trust = approved.map(|one| (one.id.clone(), reason.clone())).collect();
    loaded
}

/// Puts the values of variables in place of `${NAME}`, if they are set.
fn expand(text: &str, place: &Place) -> String {
    let value = |name| if name == "HOME" && place.home_given { Some(place.home.as_str()) } else { place.var(name) };
    let mut parts = text.split("${");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}').and_then(|(name, rest)| Some((value(name)?, rest))) {
            Some((value, rest)) => out.extend([value, rest]),
            None => out.extend(["${", part]),
        }
    }
    out
}

fn is_on(word: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&word.trim().to_lowercase().as_str())
}

fn approvals_file(place: &Place) -> String {
    format!("{}/{APPROVALS}", user_dir(place))
}

fn approvals(place: &Place, files: &dyn Files) -> Vec<Value> {
    let list = files.read(&approvals_file(place)).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    list.and_then(|list| list.get("approvals")?.as_array().cloned()).unwrap_or_default()
}

/// Why every hook counts as approved.
fn acceptance(place: &Place, root: &Node) -> Option<String> {
    let accepts = |value: &Node| value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(is_on));
    let (why, _) = [
        (Place::TRUST_ASSUMED, place.assumes_trust),
        ("the agent is started with --accept-hooks", FORMATS.given(place).last("--accept-hooks").is_some()),
        ("HERMES_ACCEPT_HOOKS approves every hook", place.var("HERMES_ACCEPT_HOOKS").is_some_and(is_on)),
        ("`hooks_auto_accept` approves every hook", root.get("hooks_auto_accept").is_some_and(accepts)),
    ]
    .into_iter()
    .find(|(_, is_given)| *is_given)?;
    Some(why.to_owned())
}

/// The file that approves the hooks of this place.
pub fn trust_files(place: &Place, files: &dyn Files) -> Vec<(String, String)> {
    let loaded = load(&place.as_trusted(), files);
    let command =
        |one: &HookDefinition| one.raw.get("command").and_then(Value::as_str).map(str::trim).map(str::to_owned);
    let pair = |one: &HookDefinition| json!({"event": one.event, "command": command(one)});
    let pairs: Vec<Value> = loaded.definitions.iter().filter(|one| one.rejection.is_none()).map(pair).collect();
    vec![(approvals_file(place), format!("{:#}\n", json!({ "approvals": pairs })))]
}

impl Reader<'_> {
    fn read_hooks(&mut self, hooks: Option<&Node>, path: &str) {
        let Some(hooks) = hooks.filter(|hooks| hooks.value != NodeValue::Null) else { return };
        let Some(events) = hooks.members() else {
            let says = format!("`hooks` is {}, not a map of events, so the agent drops every hook", hooks.kind());
            update_layer(&mut self.loaded, path, LayerState::Broken, &says);
            report(&mut self.loaded, Code::HW104, hooks.span, says, "write each event as a key, with a list of hooks");
            return;
        };
        for event in events.iter().filter(|event| event.key != NO_EVENT) {
            let spec = EVENTS.by_name(&event.key);
            let unknown = spec.is_none().then(|| self.report_event(event));
            match event.value.items() {
                Some(entries) => {
                    for entry in entries {
                        self.read_entry(&event.key, spec, entry, unknown.as_ref());
                    }
                }
                None if spec.is_none() || event.value.value == NodeValue::Null => {}
                None => {
                    let says =
                        format!("`{}` is {}, not a list, so the agent drops its hooks", event.key, event.value.kind());
                    report(&mut self.loaded, Code::HW104, event.value.span, says, "write a list: - command: …");
                }
            }
        }
    }

    /// Reports an event that the agent does not have.
    fn report_event(&mut self, event: &Member) -> Rejection {
        let meant = EVENTS.suggest(&event.key);
        let (says, help) = unknown_event("Hermes Agent", &event.key, meant);
        let note = Diagnostic::new(Code::HW201, says.clone()).at(event.key_span).with_help(help);
        let fix = meant.map(|meant| Fix::proposal(event.key_span, meant));
        self.loaded.notes.push(Diagnostic { fix, ..note });
        Rejection::new(RungName::EventKnown, rules::CONFIG_ENTRY_DROPPED, says)
    }

    fn read_entry(&mut self, event: &str, spec: Option<&EventSpec>, entry: &Node, unknown: Option<&Rejection>) {
        let command = entry.get("command").and_then(Node::as_str).unwrap_or_default().trim();
        let words = split_words(&expand_home(command, self.place), &['"', '\\']);
        let limit = read_limit(entry.get("timeout"));
        let rejection = unknown.cloned().or_else(|| self.drop_entry(entry, words.as_ref().err()));
        if rejection.is_none() {
            self.loaded.notes.extend(find_oddities(spec, entry, limit));
        }
        let rejection = rejection.or_else(|| self.refuse(event, command, entry));
        if entry.members().is_none() {
            return;
        }
        let origin = DefinitionOrigin::of_file(Layer::User, rejection.clone());
        let definition = list_definition(&self.loaded, LIST, entry, &origin);
        let handler = match words.ok().filter(|words| !words.is_empty()) {
            Some(mut words) => {
                let program = words.remove(0);
                Handler::Command(CommandHandler { command: program, args: Some(words), ..CommandHandler::default() })
            }
            None => definition.handler,
        };
        let timeout = Some(limit.unwrap_or(DEFAULT_TIMEOUT).clamp(Duration::from_secs(1), LONGEST));
        self.loaded.definitions.push(HookDefinition {
            event: event.to_owned(),
            handler,
            timeout,
            rejection,
            ..definition
        });
    }

    /// Reports the fault for which the agent drops an entry. `broken` is what is wrong with the words of its command.
    fn drop_entry(&mut self, entry: &Node, broken: Option<&String>) -> Option<Rejection> {
        let (says, span, help) = match entry.get("command") {
            _ if entry.members().is_none() => {
                (format!("the hook is {}, not a map", entry.kind()), entry.span, "write - command: …")
            }
            None if entry.get("hooks").is_some() => (
                "`command` is missing in the hook".to_owned(),
                entry.span,
                "write the command itself: the agent has no groups",
            ),
            None => ("`command` is missing in the hook".to_owned(), entry.span, "add a command"),
            Some(command) => match command.as_str() {
                None => {
                    (format!("`command` is {}, not a string", command.kind()), command.span, "write a command line")
                }
                Some(text) if text.trim().is_empty() => {
                    ("`command` is empty".to_owned(), command.span, "write a command line")
                }
                Some(_) => (broken?.clone(), command.span, "no shell reads the command; close its quotes"),
            },
        };
        let message = format!("{says}, so Hermes Agent drops this hook");
        report(&mut self.loaded, Code::HW105, span, message.clone(), help);
        Some(Rejection::new(RungName::Parsed, rules::CONFIG_ENTRY_DROPPED, message))
    }

    /// Why a hook without a fault does not run: safe mode, or it is not approved, which is reported.
    fn refuse(&mut self, event: &str, command: &str, entry: &Node) -> Option<Rejection> {
        let is_pair = |pair: &&Value| {
            ["event", "command"].map(|key| pair.get(key).and_then(Value::as_str)) == [Some(event), Some(command)]
        };
        let is_safe = FORMATS.given(self.place).last("--safe-mode").is_some();
        if is_safe || self.place.var("HERMES_SAFE_MODE").is_some_and(is_on) {
            let says = "safe mode switches all hooks off";
            return Some(Rejection::new(RungName::LayerActive, rules::SWITCH_OFF, says));
        }
        if self.accepted.is_some() || self.approved.iter().find(is_pair).is_some() {
            return None;
        }
        let says = "this command is not approved for this event, so without a terminal the agent skips it";
        let note = Diagnostic::lowered(Code::HW704, Severity::Warning, says).at(entry.span).with_cause("review");
        self.loaded.notes.push(note.with_help(TO_APPROVE));
        Some(Rejection::new(RungName::Trusted, rules::TRUST_UNAPPROVED, says))
    }
}

/// Puts the home directory in place of a `~` at the start of a command, the only place where the agent does.
fn expand_home(command: &str, place: &Place) -> String {
    let rest = command.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    rest.map_or_else(|| command.to_owned(), |rest| format!("{}{rest}", place.home))
}

/// The whole seconds of a limit. `None` if it is missing or the agent cannot use it, for which the default applies.
fn read_limit(limit: Option<&Node>) -> Option<Duration> {
    let seconds = match &limit?.value {
        NodeValue::Bool(flag) => f64::from(u8::from(*flag)),
        NodeValue::Number(seconds) => *seconds,
        NodeValue::String(text) => f64::from(text.trim().parse::<i32>().ok()?),
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds.trunc()).ok().filter(|limit| *limit >= Duration::from_secs(1))
}

/// The values that the agent reads in another way than they are meant.
fn find_oddities(spec: Option<&EventSpec>, entry: &Node, limit: Option<Duration>) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let mut note =
        |code, span, says: String, help: &str| notes.push(Diagnostic::new(code, says).at(span).with_help(help));
    let is_text = |value: &Node| value.as_str().is_some() || value.value == NodeValue::Null;
    if let Some(matcher) = entry.get("matcher").filter(|matcher| !is_text(matcher)) {
        let effect =
            if spec.is_some_and(|spec| spec.subject.is_some()) { ", so the hook runs for every tool" } else { "" };
        let says = format!("the matcher is {}, not a string{effect}", matcher.kind());
        note(Code::HW102, matcher.span, says, "write a string, or delete the key");
    }
    if let Some(written) = entry.get("timeout") {
        let (code, says) = match limit {
            None if written.as_f64().is_some_and(|seconds| seconds < 1.0) => {
                (Code::HW502, "`timeout` is less than 1, so 60 seconds apply")
            }
            None => (Code::HW501, "`timeout` is not a whole number, so 60 seconds apply"),
            Some(limit) if limit > LONGEST => {
                (Code::HW506, "the agent waits 300 seconds at most, even if a longer timeout is set")
            }
            Some(_) => (Code::HW113, ""),
        };
        if !says.is_empty() {
            note(code, written.span, says.to_owned(), "write seconds from 1 to 300, or delete the key");
        }
    }
    for member in entry.members().unwrap_or_default() {
        let meant = nearest(&member.key, &KEYS).filter(|meant| *meant != member.key);
        if let Some(meant) = meant {
            let says = format!("Hermes Agent ignores `{}`: the key is called `{meant}`", member.key);
            note(Code::HW113, member.key_span, says, &format!("rename it to `{meant}`"));
        }
    }
    notes
}
