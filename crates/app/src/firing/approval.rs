//! The launch that the user approves before a hook runs: as the agent makes it, in full and in shell syntax.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::disk::state_dir::{StateDir, StateError};
use hookbench_core::config::AgentArguments;
use hookbench_core::dialects;
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::recorded::find_secrets;
use hookbench_core::run::{HookVariable, HttpSpec, Launch, ProcessSpec, VariableSource};
use hookbench_core::text::{has_lookalikes, mark_lookalikes, stringify};

/// Replaces what looks like a secret.
const MASK: &str = "[masked]";
/// Parts of names of variables with secrets.
const SECRET_NAMES: [&str; 8] = ["TOKEN", "KEY", "SECRET", "PASSW", "AUTHORIZATION", "CREDENTIAL", "COOKIE", "PWD"];
/// The shortest part of a longer secret that is masked.
const LONG_PART: usize = 16;

/// One command that waits for consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentItem {
    pub key: String,
    pub hook: String,
    /// The command as its shell gets it, or the words of a program with their quotes.
    pub command: String,
    /// The rest of the launch: each variable from a file, and another directory.
    pub details: Vec<String>,
    /// `file:line`.
    pub source: String,
}

/// A command with the places that configure it.
#[derive(Debug, PartialEq, Eq)]
pub struct ConsentCommand<'a> {
    pub command: &'a str,
    pub details: Vec<&'a str>,
    pub sources: Vec<&'a str>,
}

/// The commands of a question.
#[derive(Debug, PartialEq, Eq)]
pub struct ConsentCommands<'a> {
    /// Each command once, in the order in which they are asked about.
    pub commands: Vec<ConsentCommand<'a>>,
    /// The details that all of several commands have. They are shown once.
    pub shared: Vec<&'a str>,
}

impl ConsentItem {
    /// The question about a launch. `None` if the launch starts nothing.
    pub fn of(project: &str, agent: &str, definition: &HookDefinition, launch: &Launch) -> Option<ConsentItem> {
        let (command, details) = match launch {
            Launch::Process(spec) => (command_text(spec, definition), process_details(spec, project)),
            Launch::Http(spec) => (definition.handler.text(), request_details(spec, definition)),
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => return None,
        };
        let source = format!("{}:{}", definition.provenance.file, definition.provenance.line);
        Some(ConsentItem {
            key: consent_key(project, agent, definition, launch),
            hook: definition.id.clone(),
            command: shown_in_full(&masked(&command)),
            details: details.iter().map(|line| shown_in_full(line)).collect(),
            source: shown_in_full(&source),
        })
    }
}

/// A text in which nothing looks like something else. A line break is marked, too: `^J` would look like these two letters, and
/// what follows a comment like a part of it.
fn shown_in_full(text: &str) -> String {
    mark_lookalikes(&text.replace('\n', "<U+000A>"))
}

/// The key that consent is bound to: a hash of the project, the agent, the event, the handler as written, and the launch:
/// program, arguments, directory, and every variable that the hook finds, whichever file sets it. Not included are the
/// user's own variables, and the values that the agent takes from the event for its own variables. A changed script behind
/// the same command has the same key.
pub fn consent_key(project: &str, agent: &str, definition: &HookDefinition, launch: &Launch) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    };
    for part in ["launch/1", project, agent, &definition.event, &stringify(&definition.raw)] {
        add(part);
    }
    match launch {
        Launch::Process(spec) => {
            for part in [&spec.program, &spec.cwd].into_iter().chain(&spec.args) {
                add(part);
            }
            // The order of files and keys does not matter.
            let mut variables = spec.env.effective();
            variables.sort_by(|one, other| one.name.cmp(&other.name));
            for variable in variables {
                let value = match variable.source {
                    VariableSource::User => continue,
                    VariableSource::Event => "",
                    VariableSource::Agent | VariableSource::Payload | VariableSource::File { .. } => &variable.value,
                };
                add(&variable.name);
                add(value);
            }
        }
        Launch::Http(spec) => {
            add(&spec.url);
            for (name, value) in &spec.headers {
                add(name);
                add(value);
            }
        }
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => {}
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The text that a usual shell gets, or all words.
fn command_text(spec: &ProcessSpec, definition: &HookDefinition) -> String {
    let direct = matches!(&definition.handler, Handler::Command(command) if command.args.is_some());
    let is_usual = matches!(spec.program.as_str(), "sh" | "bash" | "/bin/sh" | "/bin/bash" | "/bin/zsh");
    match spec.args.split_last() {
        Some((text, flags)) if !direct && is_usual && flags.last().is_some_and(|flag| flag == "-c") => text.clone(),
        _ => std::iter::once(&spec.program)
            .chain(&spec.args)
            .map(|word| shell_quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn process_details(spec: &ProcessSpec, project: &str) -> Vec<String> {
    let variables = spec.env.effective().into_iter().filter(|variable| variable.source.needs_approval());
    // A command can use a variable as a program or as its argument, where nothing may be hidden.
    let words = || spec.args.iter().chain([&spec.program]).chain(spec.env.set.iter().map(|one| &one.value));
    let is_used = |name: &str| words().any(|word| word.contains(name));
    let mut details: Vec<String> = variables.map(|one| variable_text(one, !is_used(&one.name))).collect();
    if spec.cwd != project {
        details.push(format!("in {}", shell_quoted(&spec.cwd)));
    }
    details
}

fn variable_text(variable: &HookVariable, masks: bool) -> String {
    let shown = if masks { masked_value(&variable.name, &variable.value) } else { variable.value.clone() };
    let value = if shown == MASK { shown } else { shell_quoted(&shown) };
    format!("with {}={value}, from {}", shell_quoted(&variable.name), variable.source.describe())
}

fn request_details(spec: &HttpSpec, definition: &HookDefinition) -> Vec<String> {
    let mut details = Vec::new();
    if spec.url != definition.handler.text() {
        details.push(format!("sent to {}", masked(&spec.url)));
    }
    let written = |name: &str| match &definition.handler {
        Handler::Http(handler) => handler.headers.get(name).cloned(),
        _ => None,
    };
    // The value in the settings: the one that is sent may be a secret of the user.
    details
        .extend(spec.headers.iter().filter_map(|(name, _)| Some(format!("with {name}: {}", masked(&written(name)?)))));
    details
}

/// Groups the items of a question by command and details.
pub fn commands_by_place(items: &[ConsentItem]) -> ConsentCommands<'_> {
    let mut commands: Vec<ConsentCommand<'_>> = Vec::new();
    // Two agents may read one file.
    let mut asked = HashSet::new();
    let mut known = HashMap::new();
    for item in items.iter().filter(|item| asked.insert((&item.command, &item.details, &item.source))) {
        let index = *known.entry((&item.command, &item.details)).or_insert(commands.len());
        if index == commands.len() {
            let details = item.details.iter().map(String::as_str).collect();
            commands.push(ConsentCommand { command: &item.command, details, sources: Vec::new() });
        }
        commands[index].sources.push(&item.source);
    }
    let (first, others) = match commands.split_first() {
        Some((first, others)) if !others.is_empty() => (first.details.clone(), others),
        _ => return ConsentCommands { commands, shared: Vec::new() },
    };
    let is_shared = |line: &&str| others.iter().all(|other| other.details.contains(line));
    let shared: Vec<&str> = first.into_iter().filter(is_shared).collect();
    for command in &mut commands {
        command.details.retain(|line| !shared.contains(line));
    }
    ConsentCommands { commands, shared }
}

/// Explanations of the marks in a question.
pub fn consent_notes(items: &[ConsentItem]) -> Vec<&'static str> {
    let has = |mark: &str| {
        items.iter().any(|item| item.command.contains(mark) || item.details.iter().any(|d| d.contains(mark)))
    };
    let mut notes = Vec::new();
    if has(MASK) {
        notes.push("[masked] hides a secret. Your approval covers its value.");
    }
    if has("<U+") {
        notes.push("<U+…> is a character that looks like another one, is invisible, or breaks the line.");
    }
    notes
}

/// The meaning of an approval.
pub const REMEMBERED: &str =
    "hookbench remembers your approval until the settings change. Later edits of the scripts run too.";

/// The commands of a question as plain text, with their places, their details and notes.
pub fn commands_to_approve(items: &[ConsentItem]) -> String {
    let ConsentCommands { commands, shared } = commands_by_place(items);
    let mut text = String::from(if commands.len() == 1 {
        "this command needs your approval before it runs:\n"
    } else {
        "these commands need your approval before they run:\n"
    });
    for command in commands {
        text.push_str(&format!("  {}\n    {}\n", command.command, command.sources.join(", ")));
        text.extend(command.details.iter().map(|line| format!("    {line}\n")));
    }
    text.push_str(if shared.is_empty() { "" } else { "  all of them\n" });
    text.extend(shared.iter().map(|line| format!("    {line}\n")));
    text.extend(consent_notes(items).iter().map(|note| format!("{note}\n")));
    text
}

/// Quotes a text as one word of a shell.
pub fn shell_quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// The command line that starts an agent: its program, so that the arguments stay with it, and the arguments.
pub fn start_line(arguments: &AgentArguments) -> String {
    let program = dialects::by_id(arguments.agent.as_str()).map_or("", |dialect| dialect.install().command);
    let words = arguments.words.iter().map(|word| shell_quoted(word));
    std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Masks the value of a variable whose name or form tells of a secret. A value that could be a command is not a secret, so
/// that nothing can hide behind the mask.
pub fn masked_value(name: &str, value: &str) -> String {
    let name = name.to_ascii_uppercase();
    let is_named = SECRET_NAMES.iter().any(|part| name.contains(part));
    if is_named && !value.is_empty() && is_bare(value) && !has_lookalikes(value) {
        return MASK.to_owned();
    }
    masked(value)
}

/// Whether a text can be nothing but a secret: a short word can be a program on PATH, and a text with a slash a file.
fn is_bare(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-+=.:@%^*!#,?".contains(c);
    text.len() >= LONG_PART
        && text.chars().all(plain)
        && text.contains(|c: char| c.is_ascii_digit())
        && !text.starts_with('.')
}

/// Masks texts with the form of a secret.
fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for found in find_secrets(text) {
        out.push_str(text.get(end..found.start).unwrap_or_default());
        let secret = text.get(found.clone()).unwrap_or_default();
        end = found.end;
        if is_bare(secret) {
            out.push_str(MASK);
            continue;
        }
        // Words between the long parts could be commands.
        for part in secret.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "+/=_-".contains(c))) {
            let word = part.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || "+/=_-".contains(c)));
            if word.len() >= LONG_PART && !word.contains('/') {
                out.push_str(MASK);
                out.push_str(part.get(word.len()..).unwrap_or_default());
            } else {
                out.push_str(part);
            }
        }
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

const FILE: &str = "consent.json";

/// All consent given so far. An unreadable file counts as no consent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Consent {
    /// Key → approved command, which makes the file readable for people.
    given: BTreeMap<String, String>,
    /// The reason why stored consent is ignored.
    pub ignored_reason: Option<String>,
}

impl Consent {
    /// Reads stored consent.
    pub fn read(state: &StateDir) -> Consent {
        if let Some(why) = state.tampering_reason(FILE) {
            let refused = Some(format!("saved consent is ignored: {why}"));
            return Consent { ignored_reason: refused, ..Consent::default() };
        }
        let value: Value = state.read(FILE).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let given = value
            .get("given")
            .and_then(Value::as_object)
            .map(|map| map.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or("").to_owned())).collect())
            .unwrap_or_default();
        Consent { given, ignored_reason: None }
    }

    /// Returns whether this key has consent.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// Records consent for this session.
    pub fn give(&mut self, key: String, says: String) {
        self.given.insert(key, says);
    }

    /// Adds to the stored consent; entries that another process has added meanwhile are kept.
    pub fn save(state: &StateDir, more: &[(String, String)]) -> Result<(), StateError> {
        let mut all = Consent::read(state);
        all.given.extend(more.iter().cloned());
        let document = serde_json::json!({ "schema": "consent/1", "given": all.given });
        state.write(FILE, &format!("{document:#}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_behind_a_mask() {
        for (name, value, want) in [
            ("A_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "[masked]"),
            ("DB_PASSWORD", "correct-horse-7-battery", "[masked]"),
            ("DB_PASSWORD", "hunter2", "hunter2"),
            ("API_KEY", "touch", "touch"),
            (
                "API_KEY",
                "hooks/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "hooks/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            ),
            (
                "API_KEY",
                "hooks/a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0",
                "hooks/a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0",
            ),
            ("LOG", "1 /usr/bin/true #", "1 /usr/bin/true #"),
            ("API_KEY", "touch EVIL", "touch EVIL"),
            ("API_KEY", "touch${IFS}EVIL", "touch${IFS}EVIL"),
            ("API_KEY", "hooks/evil.sh", "hooks/evil.sh"),
            ("API_KEY", "./evil", "./evil"),
            ("PATH", "/p/bin:/usr/bin", "/p/bin:/usr/bin"),
            ("X", "sk-0123456789abcdef0123; touch EVIL", "[masked]; touch EVIL"),
            ("X", "{\"token\":\"x; touch EVIL\"}", "{\"token\":\"x; touch EVIL\"}"),
            (
                "X",
                "-----BEGIN PRIVATE KEY-----\ntouch EVIL\n0123456789abcdefABCDEF+==\n-----END PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----\ntouch EVIL\n[masked]\n-----END PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(masked_value(name, value), want, "{name}");
        }
    }

    #[test]
    fn a_variable_is_quoted_as_a_shell_would() {
        for (name, value, want) in [
            ("LOG", "1 /usr/bin/true #", "with LOG='1 /usr/bin/true #', from .env:2"),
            ("A", "x", "with A=x, from .env:2"),
            ("A", "", "with A='', from .env:2"),
            ("A", "it's", "with A='it'\\''s', from .env:2"),
            ("A;B", "x", "with 'A;B'=x, from .env:2"),
        ] {
            let source = VariableSource::File { file: ".env".to_owned(), line: Some(2) };
            let variable = HookVariable { name: name.to_owned(), value: value.to_owned(), source };
            assert_eq!(variable_text(&variable, true), want);
        }
    }

    #[test]
    fn a_command_of_several_places_is_asked_about_once() {
        let item = |command: &str, details: &[&str], source: &str| ConsentItem {
            key: source.to_owned(),
            hook: "h1".to_owned(),
            command: command.to_owned(),
            details: details.iter().map(|line| (*line).to_owned()).collect(),
            source: source.to_owned(),
        };
        let items = [
            item("sh a", &[], "x:1"),
            item("sh b", &[], "x:2"),
            item("sh a", &[], "y:3"),
            item("sh a", &[], "x:1"),
            item("sh a", &["with A=1, from .env:1"], "z:4"),
        ];
        let commands = commands_by_place(&items).commands;
        let found: Vec<(&str, String)> = commands.iter().map(|one| (one.command, one.sources.join(", "))).collect();
        assert_eq!(
            found,
            [("sh a", "x:1, y:3".to_owned()), ("sh b", "x:2".to_owned()), ("sh a", "z:4".to_owned())],
            "with another variable, it is another question"
        );
    }

    #[test]
    fn details_of_all_commands_are_said_once() {
        let item = |command: &str, details: &[&str]| ConsentItem {
            key: command.to_owned(),
            hook: "h1".to_owned(),
            command: command.to_owned(),
            details: details.iter().map(|line| (*line).to_owned()).collect(),
            source: "x:1".to_owned(),
        };
        let items = [item("sh a", &["with A=1", "with B=2"]), item("sh b", &["with C=3", "with A=1"])];
        let asked = commands_by_place(&items);
        let own: Vec<&[&str]> = asked.commands.iter().map(|one| one.details.as_slice()).collect();
        assert_eq!((own, asked.shared), (vec![&["with B=2"][..], &["with C=3"][..]], vec!["with A=1"]));
        let alone = commands_by_place(&items[..1]);
        assert_eq!((alone.commands[0].details.len(), alone.shared.len()), (2, 0));
    }
}
