//! Statements about Mistral Vibe 3.0.2 that no observation holds: where a fault of the settings is told, the mistakes in
//! matchers, and texts that are not settings.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::sync::Arc;

use hookbench::app::InputRequest;
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::Verdict;
use hookbench::core::diagnostic::Code;
use hookbench::core::dialects::{self, Agent, default_version, find_event};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::settled_event::{fire_over, scene_of};

const USER: &str = "/h/.vibe/hooks.toml";
const GOOD: &str = "[[hooks]]\nname = \"a\"\ntype = \"pre_tool\"\ncommand = \"s\"\n";

fn agent() -> &'static Agent {
    dialects::by_id("vibe").unwrap()
}

fn load(text: &str) -> LoadedConfig {
    let mut files = MemoryFiles::default();
    files.put(USER, text);
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    LoadedConfig::clone(&agent().load(&place, &files, &default_version(agent())))
}

/// §1.1: each fault has its line and costs only its own hook, and a fix makes the hook run as it was meant.
#[test]
fn faults_are_told_at_their_line() {
    let hook = |lines: &str| format!("name = \"b\"\ncommand = \"x\"\n{lines}");
    for (lines, code, line, is_kept) in [
        ("type = \"pre_tool\"\ncommand = \"x\"".to_owned(), Code::HW105, 5, false),
        ("name = 5\ntype = \"pre_tool\"\ncommand = \"x\"".to_owned(), Code::HW105, 6, false),
        (hook("type = \"PreToolUse\""), Code::HW201, 8, false),
        (hook("type = \"pre_tool\"\nmatch = \"\""), Code::HW102, 9, false),
        (hook("type = \"pre_tool\"\nstrict = 5"), Code::HW105, 9, false),
        (hook("type = \"pre_tool\"\ntimeout = \"x\""), Code::HW501, 9, false),
        (hook("type = \"post_agent\"\nmatch = \"*\""), Code::HW108, 9, false),
        (hook("type = \"post_agent\"\nstrict = true"), Code::HW108, 9, false),
        ("name = \"a\"\ntype = \"post_tool\"\ncommand = \"x\"".to_owned(), Code::HW115, 6, false),
        (hook("type = \"pre_tool\"\nmatcher = \"bash\""), Code::HW113, 9, true),
        (hook("type = \"pre_tool\"\ntimeouts = 5"), Code::HW113, 9, true),
        (hook("type = \"pre_tool\"\ntimeout = 0"), Code::HW502, 9, true),
    ] {
        let text = format!("{GOOD}[[hooks]]\n{lines}\n");
        let loaded = load(&text);
        let note = &loaded.notes[0];
        let at = loaded.sources.start(note.span.unwrap()).line;
        let kept: Vec<bool> = loaded.definitions.iter().map(|one| one.rejection.is_none()).collect();
        assert_eq!((note.code, at, kept), (code, line, vec![true, is_kept]), "{lines}");
        if let Some(fix) = &note.fix {
            let fixed = load(&fix.edits.apply(&text).unwrap());
            assert_eq!((fixed.notes.len(), fixed.definitions[1].rejection.is_none()), (0, true), "{lines}");
        }
    }
    for (text, code) in [
        ("[hooks]\npre_tool = []\n", Some(Code::HW104)),
        ("hooks = [1]", Some(Code::HW105)),
        ("a = ", Some(Code::HW101)),
        ("version = 1\nhooks = []", None),
    ] {
        assert_eq!(load(text).notes.first().map(|note| note.code), code, "{text}");
    }
}

/// §3: the sentence about a matcher that does not match names the mistake, and what would match.
#[test]
fn mistakes_in_matchers_are_named() {
    for (matcher, says, nearest) in [
        ("edit|bash", "\"edit|bash\" is a glob, in which | is a character; write re:edit|bash", "re:edit|bash"),
        (".*", "\".*\" is a glob over the whole name, not a pattern; write re:.*", "re:.*"),
        (" bash ", "the spaces in \" bash \" are part of the name", "file_system.bash"),
        (
            "run_shell_command",
            "\"run_shell_command\" is Qwen Code's name; here the tool is file_system.bash",
            "file_system.bash",
        ),
        (
            "bash(rm *)",
            "\"bash(rm *)\" is a permission rule, but a matcher is compared only with the tool name",
            "file_system.bash",
        ),
        ("edit", "\"edit\" does not match \"file_system.bash\"", "file_system.bash"),
    ] {
        let (place, mut files) = (Place { home: "/h".to_owned(), ..Place::default() }, MemoryFiles::default());
        files.put(USER, format!("{GOOD}match = {}\n", json!(matcher)));
        let loaded = agent().load(&place, &files, &default_version(agent()));
        let request =
            InputRequest { agent: Some(agent().id()), event: Some("pre_tool".to_owned()), ..InputRequest::default() };
        let scene = scene_of(agent(), &Arc::new(place), &files, &loaded, &request, 0);
        let plan = agent().plan(&scene);
        let entry = &plan.entries[0];
        assert_eq!((entry.why.message.as_str(), &entry.nearest), (says, &vec![nearest.to_owned()]), "{matcher}");
    }
}

/// An input that the tool cannot use ends the run (measured), so what happens is not known before.
#[test]
fn an_unusable_input_is_unknown() {
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let request = InputRequest { event: Some("pre_tool".to_owned()), ..InputRequest::default() };
    for (input, is_unknown) in [(json!({"nonsense": 1}), true), (json!({"command": "ls"}), false)] {
        let answer = json!({"hook_specific_output": {"tool_input": input}}).to_string();
        let answers = |_: &str| (0, answer.clone(), String::new());
        let (_, outcome) = fire_over("vibe", place.clone(), &[(USER, json!(GOOD))], &request, 0, answers);
        assert_eq!((outcome.verdict == Verdict::Unknown, outcome.updated_input), (is_unknown, Some(input)), "{answer}");
    }
}

#[test]
fn events_have_the_names_that_others_use() {
    let version = default_version(agent());
    for name in ["pre_tool", "post_tool", "post_agent"] {
        let event = find_event(agent(), &version, name).unwrap();
        let body = agent().examples(event, &Place::default(), &version).remove(0).body;
        assert_eq!(body["hook_event_name"], name);
        assert_eq!(agent().recognize(&body), agent().recognize(&json!({"hook_event_name": name})), "{name}");
    }
    assert_eq!(agent().recognize(&json!({"hook_event_name": "Stop"})), dialects::Confidence::No);
    let names: Vec<Value> = agent().events(&version).iter().map(|event| json!(event.name)).collect();
    assert_eq!(Value::from(names), json!(["pre_tool", "post_tool", "post_agent"]));
}

proptest! {
    #[test]
    fn no_text_of_settings_panics(text: String) {
        let _ = load(&text);
    }
}
