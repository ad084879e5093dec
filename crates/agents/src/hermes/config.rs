//! Reads the hooks of the user's settings (spec §1). A fault drops its own entry; the agent says so only in its log. A hook
//! without approval does not run.

use std::time::Duration;

use serde_json::{Value, json};

use super::events::EVENTS;
use super::formats::{FORMATS, LIST, SETTINGS_FORMAT};
use super::rules;
use crate::kernel::profiles::ProfileRules;
use crate::kernel::settings::{
    BrokenEffect, DefinitionOrigin, direct_handler, event_lists, list_definition, read_layer, refuse, renamed_key,
    report, report_unread_hooks, unknown_event,
};
use crate::shared::dotenv::with_dotenv;
use crate::shared::python::whole_seconds;
use crate::shared::words::{expand_braced, split_words};
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::hook::{EventSpec, HookDefinition, Layer, Rejection};
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

/// Profiles have settings, approvals and logs of their own.
pub const PROFILES: ProfileRules = ProfileRules {
    variable: HOME_VARIABLE,
    usual: ".hermes",
    folder: "profiles",
    chosen: "active_profile",
    flag: "--profile",
};

/// The directory of the user's files.
pub fn user_dir(place: &Place) -> String {
    PROFILES.directory(place, &FORMATS.given(place))
}

/// The directory of the administrator's settings.
fn managed_dir(place: &Place) -> String {
    let named = place.var("HERMES_MANAGED_DIR").map(str::trim).filter(|directory| !directory.is_empty());
    named.map_or_else(|| "/etc/hermes".to_owned(), |directory| place.absolute(&place.project, directory))
}

/// The user's file with hooks.
pub fn settings_file(place: &Place) -> String {
    format!("{}/config.yaml", user_dir(place))
}

/// Settings while their hooks are read.
struct Reader<'a> {
    place: &'a Place,
    layer: Layer,
    /// The events whose hooks the administrator's file replaces.
    replaced: Vec<String>,
    /// Why every hook is approved.
    accepted: Option<String>,
    /// The approved pairs of an event and a command.
    approved: Vec<Value>,
    loaded: LoadedConfig,
}

/// Reads the files of this place: the hooks of an event in the administrator's file replace those of the user.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let (path, managed) = (settings_file(place), managed_dir(place));
    if let Some(says) = PROFILES.missing(place, files, &FORMATS.given(place)) {
        refuse(&mut loaded, format!("Hermes Agent does not start: {says}"), None);
    }
    let place = &with_dotenv(place, files, &[&user_dir(place), &managed], &mut loaded);
    let form = SETTINGS_FORMAT.form();
    let parse = |source, text: &str| {
        let mut root = form.parse(source, text)?;
        root.map_strings(&mut |text| expand_braced(text, |name| variable(name, place)));
        Ok(if root.value == NodeValue::Null { Node { value: NodeValue::Object(Vec::new()), ..root } } else { root })
    };
    let broken = |broken| BrokenEffect::of_language("YAML", broken, "the agent drops every hook of this file", false);
    let managed = managed + "/config.yaml";
    let mut read = |layer, path: &str| read_layer(place, files, (layer, path), parse, broken, &mut loaded);
    let pinned = files.exists(&managed).then(|| read(Layer::Managed, &managed)).flatten();
    let user = read(Layer::User, &path);
    let pinned_hooks = hooks_of(pinned.as_ref());
    let replaced = pinned_hooks.and_then(Node::members).unwrap_or_default().iter().map(|event| event.key.clone());
    let approved = approvals(place, files);
    let accepted = acceptance(place, [&pinned, &user].into_iter().flatten());
    let mut reader = Reader { place, layer: Layer::User, replaced: replaced.collect(), accepted, approved, loaded };
    // What is not a map replaces the whole map.
    if pinned_hooks.is_none_or(|hooks| hooks.members().is_some()) {
        reader.read_hooks(hooks_of(user.as_ref()), &path);
    }
    (reader.layer, reader.replaced) = (Layer::Managed, Vec::new());
    reader.read_hooks(pinned_hooks, &managed);
    let Reader { accepted, mut loaded, .. } = reader;
    let why = "Hermes Agent reads hooks only from the config.yaml of the user";
    let unread = UNREAD.iter().map(|name| format!("{}/{name}", place.project)).filter(|unread| *unread != path);
    report_unread_hooks(&mut loaded, place, files, &unread.collect::<Vec<_>>(), why);
    loaded.assign_ids();
    let reason = accepted.unwrap_or_else(|| format!("it is in {}", place.display_path(&approvals_file(place))));
    let approved = loaded.definitions.iter().filter(|one| one.rejection.is_none());
    loaded.trust = approved.map(|one| (one.id.clone(), reason.clone())).collect();
    loaded
}

fn hooks_of(root: Option<&Node>) -> Option<&Node> {
    root?.get("hooks").filter(|hooks| hooks.value != NodeValue::Null)
}

/// The value of a variable, for `${NAME}` in the settings.
fn variable(name: &str, place: &Place) -> Option<String> {
    if name == "HOME" && place.home_given { Some(place.home.clone()) } else { place.var(name).map(str::to_owned) }
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
fn acceptance<'n>(place: &Place, mut roots: impl Iterator<Item = &'n Node>) -> Option<String> {
    let accepts = |value: &Node| value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(is_on));
    let (why, _) = [
        (Place::TRUST_ASSUMED, place.assumes_trust),
        ("the agent is started with --accept-hooks", FORMATS.given(place).last("--accept-hooks").is_some()),
        ("HERMES_ACCEPT_HOOKS approves every hook", place.var("HERMES_ACCEPT_HOOKS").is_some_and(is_on)),
        (
            "`hooks_auto_accept` approves every hook",
            roots.find_map(|root| root.get("hooks_auto_accept")).is_some_and(accepts),
        ),
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
        let Some(hooks) = hooks else { return };
        for (event, entries) in event_lists(&mut self.loaded, hooks, path, |name| EVENTS.by_name(name).is_some()) {
            let spec = EVENTS.by_name(&event.key);
            let lost = match spec {
                _ if event.key == NO_EVENT => continue,
                _ if self.replaced.contains(&event.key) => Some(self.report_replaced(event)),
                None => Some(self.report_event(event)),
                Some(_) => None,
            };
            for entry in entries {
                self.read_entry(&event.key, spec, entry, lost.as_ref());
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

    /// Reports an event for which the administrator's file has hooks, or none.
    fn report_replaced(&mut self, event: &Member) -> Rejection {
        let file = format!("{}/config.yaml", managed_dir(self.place));
        let says = format!("Hermes Agent ignores `{}` here: {file} sets the hooks of this event", event.key);
        report(
            &mut self.loaded,
            Code::HW113,
            event.key_span,
            says.clone(),
            "add the hook to that file, or delete it here",
        );
        Rejection::new(RungName::LayerActive, rules::CONFIG_REPLACED, says)
    }

    fn read_entry(&mut self, event: &str, spec: Option<&EventSpec>, entry: &Node, lost: Option<&Rejection>) {
        let command = entry.get("command").and_then(Node::as_str).unwrap_or_default().trim();
        let words = split_words(&expand_home(command, self.place), &['"', '\\']);
        let limit = entry.get("timeout").and_then(whole_seconds);
        let rejection = lost.cloned().or_else(|| self.drop_entry(entry, words.as_ref().err()));
        if rejection.is_none() {
            self.loaded.notes.extend(find_oddities(spec, entry, limit));
        }
        let rejection = rejection.or_else(|| self.refuse(event, command, entry));
        if entry.members().is_none() {
            return;
        }
        let origin = DefinitionOrigin::of_file(self.layer, rejection.clone());
        let definition = list_definition(&self.loaded, LIST, entry, &origin);
        let handler = words.ok().and_then(direct_handler).unwrap_or(definition.handler);
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
        notes.extend(meant.map(|meant| renamed_key("Hermes Agent", member, meant, "")));
    }
    notes
}
