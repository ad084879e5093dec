//! Statements about Hermes Agent 0.19.0 that no observation holds: where a fault of the settings is told, what is approved, the
//! words of a command, the mistakes in matchers, and texts that are not settings.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::sync::Arc;
use std::time::Duration;

use hookbench::app::InputRequest;
use hookbench::core::config::{AgentArguments, LoadedConfig, MemoryFiles, Place};
use hookbench::core::diagnostic::Code;
use hookbench::core::dialects::{self, Agent, default_version};
use hookbench::core::hook::{Handler, HookDefinition, Layer};
use hookbench::core::plan::RungName;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::settled_event::scene_of;

const USER: &str = "/h/.hermes/config.yaml";
const ACCEPTED: &str = "hooks_auto_accept: true\n";

fn agent() -> &'static Agent {
    dialects::by_id("hermes").unwrap()
}

fn load_with(text: &str, approvals: Option<&str>, env: &[(&str, &str)]) -> LoadedConfig {
    let mut files = MemoryFiles::default();
    files.put(USER, text);
    if let Some(approvals) = approvals {
        files.put("/h/.hermes/shell-hooks-allowlist.json", approvals);
    }
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), env, ..Place::default() };
    LoadedConfig::clone(&agent().load(&place, &files, &default_version(agent())))
}

fn load(text: &str) -> LoadedConfig {
    load_with(&format!("{ACCEPTED}{text}"), None, &[])
}

/// §1: each fault has its line and costs only its own hook.
#[test]
fn faults_are_told_at_their_line() {
    let hook = |lines: &str| format!("hooks:\n  pre_tool_call:\n    - command: a\n    - {lines}\n");
    for (text, code, line, kept) in [
        (hook("matcher: x"), Code::HW105, 5, vec![true, false]),
        (hook("command: ' '"), Code::HW105, 5, vec![true, false]),
        (hook("command: 5"), Code::HW105, 5, vec![true, false]),
        (hook("command: \"a 'b\""), Code::HW105, 5, vec![true, false]),
        (hook("text"), Code::HW105, 5, vec![true]),
        (hook("hooks: [{type: command, command: b}]"), Code::HW105, 5, vec![true, false]),
        (hook("command: b\n      matcher: 5"), Code::HW102, 6, vec![true, true]),
        (hook("command: b\n      matcher: '*'"), Code::HW308, 6, vec![true, true]),
        (hook("command: b\n      timeout: x"), Code::HW501, 6, vec![true, true]),
        (hook("command: b\n      timeout: 0"), Code::HW502, 6, vec![true, true]),
        (hook("command: b\n      timeout: 301"), Code::HW506, 6, vec![true, true]),
        (hook("command: b\n      timeouts: 5"), Code::HW113, 6, vec![true, true]),
        ("hooks:\n  PreToolUse:\n    - command: a\n".to_owned(), Code::HW201, 3, vec![false]),
        ("hooks:\n  pre_tool_call:\n    command: a\n".to_owned(), Code::HW104, 4, vec![]),
        ("hooks:\n  - event: pre_tool_call\n    command: a\n".to_owned(), Code::HW104, 3, vec![]),
        ("hooks: [\n".to_owned(), Code::HW101, 3, vec![]),
    ] {
        let loaded = load(&text);
        let note = &loaded.notes[0];
        let at = loaded.sources.start(note.span.unwrap()).line;
        let runs: Vec<bool> = loaded.definitions.iter().map(|one| one.rejection.is_none()).collect();
        assert_eq!((note.code, at, runs), (code, line, kept), "{text}");
    }
    for text in
        ["", "hooks:\n", "hooks: {}\n", "hooks:\n  pre_tool_call:\n", "hooks:\n  output_spill:\n    enabled: true\n"]
    {
        assert_eq!((load(text).notes.len(), load(text).definitions.len()), (0, 0), "{text}");
    }
}

#[test]
fn time_limits_are_whole_seconds() {
    for (written, seconds) in
        [("5", 5), ("'5'", 5), ("1.9", 1), ("true", 1), ("0", 60), ("x", 60), ("'1.5'", 60), ("null", 60), ("900", 300)]
    {
        let loaded = load(&format!("hooks:\n  pre_tool_call:\n    - command: a\n      timeout: {written}\n"));
        assert_eq!(loaded.definitions[0].timeout, Some(Duration::from_secs(seconds)), "{written}");
    }
}

/// A command is approved for one event, or all are; nobody is asked in safe mode.
#[test]
fn hooks_wait_for_approval() {
    let text = "hooks:\n  pre_tool_call:\n    - command: ' a b '\n";
    let list = |event: &str, command: &str| json!({"approvals": [{"event": event, "command": command}]}).to_string();
    let waits = Some(RungName::Trusted);
    for (text, approvals, env, rung) in [
        (text.to_owned(), None, &[][..], waits),
        (text.to_owned(), Some(list("pre_tool_call", "a b")), &[], None),
        (text.to_owned(), Some(list("post_tool_call", "a b")), &[], waits),
        (text.to_owned(), Some(list("pre_tool_call", "a")), &[], waits),
        (text.to_owned(), Some("[]".to_owned()), &[], waits),
        (format!("{ACCEPTED}{text}"), None, &[], None),
        (format!("hooks_auto_accept: 'On'\n{text}"), None, &[], None),
        (format!("hooks_auto_accept: 1\n{text}"), None, &[], waits),
        (text.to_owned(), None, &[("HERMES_ACCEPT_HOOKS", " YES ")], None),
        (text.to_owned(), None, &[("HERMES_ACCEPT_HOOKS", "0")], waits),
        (format!("{ACCEPTED}{text}"), None, &[("HERMES_SAFE_MODE", "1")], Some(RungName::LayerActive)),
    ] {
        let loaded = load_with(&text, approvals.as_deref(), env);
        let rejection = loaded.definitions[0].rejection.as_ref().map(|why| why.rung);
        assert_eq!((rejection, loaded.trust.len()), (rung, usize::from(rung.is_none())), "{text} {env:?}");
    }
}

/// Profiles and the administrator's files (`tests/tables/hermes/places.jsonl`, observed): which hooks run, and whether the agent
/// starts.
#[test]
fn profiles_and_managed_files() {
    let filled = |text: &str| text.replace("@HOME@", "/h").replace("@WORK@", "/w").replace("@REPO@", "/p");
    let table = include_str!("../tables/hermes/places.jsonl");
    for row in table.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let mut files = MemoryFiles::default();
        for (path, text) in row["files"].as_object().unwrap() {
            files.put(filled(path), filled(text.as_str().unwrap()));
        }
        let env = row["env"].as_object().into_iter().flatten();
        let env = env.map(|(name, value)| (name.clone(), filled(value.as_str().unwrap()))).collect();
        let words =
            row["args"].as_array().into_iter().flatten().map(|word| word.as_str().unwrap().to_owned()).collect();
        let arguments = Some(AgentArguments { agent: agent().id(), words });
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), env, arguments, ..Place::default() };
        let place = Place { profiles: agent().chosen_profile(&place, &files).into_iter().collect(), ..place };
        let loaded = agent().load(&place, &files, &default_version(agent()));
        let starts = loaded.refusal.is_none();
        let mut fired: Vec<Value> = Vec::new();
        for event in ["pre_tool_call", "post_tool_call"] {
            let own = loaded.definitions.iter().filter(|one| one.event == event && one.rejection.is_none() && starts);
            let name = |one: &HookDefinition| {
                one.raw["command"].as_str().unwrap().trim_start_matches("@h:").trim_end_matches('@').to_owned()
            };
            fired.extend(own.map(name).map(Value::from));
        }
        assert_eq!(
            (&Value::from(fired), &json!(starts)),
            (&row["fired"], &row["starts"]),
            "{}: {loaded:#?}",
            row["id"]
        );
    }
}

/// What the administrator's file replaces is told at its line, and a hook of a profile gets the profile's directory.
#[test]
fn a_replaced_event_is_told() {
    let mut files = MemoryFiles::default();
    files.put("/h/.hermes/active_profile", "Coder\n");
    files.put("/h/.hermes/profiles/coder/config.yaml", "hooks:\n  pre_tool_call:\n    - command: own\n");
    files.put("/etc/hermes/config.yaml", "hooks_auto_accept: true\nhooks:\n  pre_tool_call:\n    - command: theirs\n");
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let place = Place { profiles: agent().chosen_profile(&place, &files).into_iter().collect(), ..place };
    let loaded = agent().load(&place, &files, &default_version(agent()));
    let notes: Vec<(Code, &str)> = loaded.notes.iter().map(|note| (note.code, note.message.as_str())).collect();
    let says = "Hermes Agent ignores `pre_tool_call` here: /etc/hermes/config.yaml sets the hooks of this event";
    assert_eq!(notes, [(Code::HW113, says)]);
    let hooks: Vec<(Layer, Option<RungName>)> = loaded
        .definitions
        .iter()
        .map(|one| (one.provenance.layer, one.rejection.as_ref().map(|why| why.rung)))
        .collect();
    assert_eq!(hooks, [(Layer::User, Some(RungName::LayerActive)), (Layer::Managed, None)]);
    let user = agent().settings_format().layer_settings(&place, Layer::User).unwrap();
    assert_eq!(user.path, "/h/.hermes/profiles/coder/config.yaml");
}

#[test]
fn commands_are_words() {
    for (written, words) in [
        ("echo a && exit 2", vec!["echo", "a", "&&", "exit", "2"]),
        ("~/x.sh '~/y' \"a\\\"b\\$\"", vec!["/h/x.sh", "~/y", "a\"b\\$"]),
        ("${TOOLS}/x ${NONE} $TOOLS", vec!["/t/x", "${NONE}", "$TOOLS"]),
        ("a\\ b", vec!["a b"]),
    ] {
        let text = format!("{ACCEPTED}hooks:\n  pre_tool_call:\n    - command: {}\n", json!(written));
        let loaded = load_with(&text, None, &[("TOOLS", "/t")]);
        let Handler::Command(command) = &loaded.definitions[0].handler else { panic!("{written}") };
        let args = command.args.clone().unwrap();
        assert_eq!(std::iter::once(command.command.clone()).chain(args).collect::<Vec<_>>(), words, "{written}");
    }
}

/// §3: the sentence about a matcher that does not match names the mistake.
#[test]
fn mistakes_in_matchers_are_named() {
    for (matcher, says) in [
        ("Terminal", "\"Terminal\" is not \"terminal\" (case)"),
        ("termin", "\"termin\" is a part of \"terminal\", but the pattern must match the whole name; write .*termin.*"),
        (
            "patch | terminal",
            "the spaces or the comma beside \"terminal\" are part of the pattern; separate names only with |",
        ),
        ("run_shell_command", "\"run_shell_command\" is Qwen Code's name; here the tool is terminal"),
        (
            "terminal(rm *)",
            "\"terminal(rm *)\" is a permission rule, but a matcher is compared only with the tool name",
        ),
        ("patch", "\"patch\" does not match \"terminal\""),
    ] {
        let (place, mut files) = (Place { home: "/h".to_owned(), ..Place::default() }, MemoryFiles::default());
        let matcher_line = format!("      matcher: {}\n", json!(matcher));
        files.put(USER, format!("{ACCEPTED}hooks:\n  pre_tool_call:\n    - command: a\n{matcher_line}"));
        let loaded = agent().load(&place, &files, &default_version(agent()));
        let event = Some("pre_tool_call".to_owned());
        let request = InputRequest { agent: Some(agent().id()), event, ..InputRequest::default() };
        let plan = agent().plan(&scene_of(agent(), &Arc::new(place), &files, &loaded, &request, 0));
        assert_eq!(plan.entries[0].why.message, says, "{matcher}");
    }
}

proptest! {
    #[test]
    fn no_text_of_settings_panics(text: String) {
        let _ = load(&text);
        let _ = load(&format!("hooks:\n  pre_tool_call:\n    - command: {text}\n"));
    }
}
