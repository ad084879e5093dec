//! A hook that never runs, or that does nothing, has a finding in every agent, whatever the mistake is.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::diagnostic::Diagnostic;
use hookbench::core::dialects::{Agent, MachineFacts, default_version, find_event, released};
use hookbench::core::hook::HookDefinition;
use hookbench::core::lint::{CommandFacts, LintScope, lint};
use serde_json::{Map, Value, json};

use crate::agent_words::let_a_shell_read;

/// The findings for these settings of a project.
fn findings_for(dialect: &Agent, settings: &Value) -> Vec<Diagnostic> {
    load_and_lint(dialect, settings).1
}

/// The names of the agent's switches, and the findings for these settings of a project.
fn load_and_lint(dialect: &Agent, settings: &Value) -> (Vec<String>, Vec<Diagnostic>) {
    let version = default_version(dialect);
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let mut files = MemoryFiles::default();
    for (path, text) in dialect.trust_files(&place, &files) {
        files.put(path, text);
    }
    let (_, file) = dialect.settings_format().usual_settings(&place).unwrap();
    let mut settings = settings.clone();
    if dialect.settings_format().has_no_shell {
        let_a_shell_read(&mut settings);
    }
    let text = match settings["hooks"].as_object() {
        Some(events) if file.form.list.is_some() => file.form.whole_file(events),
        _ => settings.to_string(),
    };
    files.put(file.path, text);
    let loaded = dialect.load(&place, &files, &version);
    let machine = MachineFacts::default();
    let scope =
        LintScope { dialect, version: &version, place: &place, files: &files, loaded: &loaded, machine: &machine };
    let switches = loaded.switches.iter().map(|switch| switch.name.clone()).collect();
    (switches, lint(scope, &|_: &HookDefinition| CommandFacts::default()).findings)
}

/// The event before a tool, and the name of the tool that runs commands in its matchers.
fn tool_event(dialect: &Agent) -> (&'static str, &'static str) {
    let event = dialect.events(&default_version(dialect)).into_iter().find(|event| {
        let has = |name: &str| event.fields.iter().any(|field| field.name == name);
        event.subject == Some("tool_name") && has("tool_input") && !has("tool_response")
    });
    let tools = hookbench::core::catalogue::catalogue().agent(dialect.id().as_str()).unwrap();
    (event.unwrap().name, tools.tool_for_row("shell").unwrap().id)
}

fn with_group(event: &str, group: &Value) -> Value {
    json!({"hooks": {event: [group]}})
}

/// The codes that say why a hook never runs, or runs for other calls than it was meant for.
fn codes(found: &[Diagnostic]) -> Vec<&'static str> {
    // The review of a hook has nothing to do with its mistakes.
    found.iter().map(|one| one.code.as_str()).filter(|code| !code.starts_with("HW7")).collect()
}

#[test]
fn a_matcher_for_which_the_hook_never_runs_has_a_finding() {
    for dialect in released() {
        let (event, shell) = tool_event(dialect);
        let half = &shell[..shell.len() - 1];
        let cased: String = shell
            .chars()
            .rev()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .rev()
            .collect();
        for (matcher, code) in [
            (format!("!{shell}"), "HW319"),
            (format!("^!{shell}$"), "HW319"),
            (format!("not {shell}"), "HW319"),
            (format!("tool:{shell}"), "HW319"),
            (format!("${shell}"), "HW319"),
            (format!("{shell}$^"), "HW319"),
            ("git .*".to_owned(), "HW302"),
            ("git commit".to_owned(), "HW302"),
            ("rm -rf|npm run .*".to_owned(), "HW302"),
            (format!("{half}x{}.*", &shell[half.len()..]), "HW302"),
            // A glob is compared without case, so this one is only meant as a pattern.
            (format!("{cased}.*"), if dialect.settings_format().pattern_prefix.is_some() { "HW311" } else { "HW301" }),
        ] {
            let found = findings_for(
                dialect,
                &with_group(event, &json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]})),
            );
            assert_eq!(codes(&found), [code], "{} {matcher}: {found:#?}", dialect.name());
            assert!(found.iter().any(|one| one.help.is_some()), "{} {matcher} needs a help", dialect.name());
        }
    }
}

#[test]
fn a_matcher_that_may_match_has_no_finding() {
    for dialect in released() {
        let (event, shell) = tool_event(dialect);
        let form = hookbench::core::catalogue::catalogue().agent(dialect.id().as_str()).unwrap().mcp.form;
        let prefix = dialect.settings_format().pattern_prefix.unwrap_or_default();
        let server =
            |server: &str, tool: &str| format!("{prefix}{}", form.replace("<server>", server).replace("<tool>", tool));
        for matcher in [
            shell.to_owned(),
            format!("{prefix}{shell}|NoSuchTool"),
            "NoSuchTool".to_owned(),
            server("notes", "read"),
            server("my-notes", ".*"),
            server(".*", "write.*"),
            format!("{prefix}.*"),
        ] {
            let found = findings_for(
                dialect,
                &with_group(event, &json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]})),
            );
            assert_eq!(codes(&found), [""; 0], "{} {matcher}: {found:#?}", dialect.name());
        }
    }
}

#[test]
fn a_key_that_differs_in_case_or_by_a_letter_has_a_finding() {
    // In a list of hooks, such a key is not ignored.
    for dialect in released().filter(|dialect| dialect.settings_format().list.is_none()) {
        let (event, shell) = tool_event(dialect);
        let hook = json!({"type": "command", "command": "true"});
        for key in ["Matcher", "MATCHER", "mather", "matchers"] {
            let group = Map::from_iter([(key.to_owned(), shell.into()), ("hooks".to_owned(), json!([hook]))]);
            let found = findings_for(dialect, &with_group(event, &group.into()));
            assert_eq!(codes(&found), ["HW113"], "{} {key}: {found:#?}", dialect.name());
            assert_eq!(found.iter().find_map(|one| one.help.as_deref()).unwrap(), "did you mean `matcher`?", "{key}");
        }
        for key in ["Timeout", "TIMEOUT", "timeOut"] {
            let hook = json!({"type": "command", "command": "true", key: 5});
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            assert_eq!(codes(&found), ["HW113"], "{} {key}: {found:#?}", dialect.name());
        }
        for key in ["Command", "COMMAND", "comand", "Type", "typ"] {
            let name = if key.to_ascii_lowercase().starts_with('t') { "type" } else { "command" };
            let mut hook = hook.clone();
            let value = hook.as_object_mut().unwrap().remove(name).unwrap();
            hook[key] = value;
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            // One agent runs a command without a type.
            let runs = dialect.id() == "codebuddy" && name == "type";
            assert_eq!(codes(&found).is_empty(), runs, "{} {key}", dialect.name());
        }
        for key in ["Hooks", "hook", "hoks"] {
            let found = findings_for(dialect, &with_group(event, &json!({key: [hook]})));
            assert!(!codes(&found).is_empty(), "{} {key} in a group", dialect.name());
            let found = findings_for(dialect, &json!({key: {event: [{"hooks": [hook]}]}}));
            assert!(!codes(&found).is_empty(), "{} {key} in the file", dialect.name());
        }
    }
}

#[test]
fn the_key_of_a_switch_in_another_spelling_has_a_finding() {
    let mut tried = 0;
    for dialect in released() {
        let (event, _) = tool_event(dialect);
        let hooks = json!({event: [{"hooks": [{"type": "command", "command": "true"}]}]});
        let (switches, _) = load_and_lint(dialect, &json!({"hooks": hooks}));
        let is_json = dialect.settings_format().list.is_none();
        // Some agents refuse a file with any other key.
        let refuses = |key: &str| codes(&findings_for(dialect, &json!({"hooks": hooks, key: true}))) == ["HW108"];
        let is_root_key = |name: &&String| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('.');
        for name in switches.iter().filter(is_root_key).filter(|name| is_json && !refuses(name)) {
            let capital = name[..1].to_uppercase() + &name[1..];
            for key in [capital, name.to_uppercase(), name[..name.len() - 1].to_owned()] {
                let found = findings_for(dialect, &json!({"hooks": hooks, key.as_str(): true}));
                assert_eq!(codes(&found), ["HW113"], "{} {key}: {found:#?}", dialect.name());
                tried += 1;
            }
        }
    }
    assert!(tried >= 9, "{tried}");
}

#[test]
fn a_command_without_a_program_has_a_finding() {
    for dialect in released() {
        let (event, _) = tool_event(dialect);
        let comments = ["# nothing", " # a\n\n# b"].into_iter().filter(|_| !dialect.settings_format().has_no_shell);
        for command in ["", " ", "  \t", "\n"].into_iter().chain(comments) {
            let hook = json!({"type": "command", "command": command});
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            assert_eq!(codes(&found), ["HW105"], "{} {command:?}: {found:#?}", dialect.name());
        }
        for command in ["true", ":", "# a\ntrue"] {
            let hook = json!({"type": "command", "command": command});
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            assert_eq!(codes(&found), [""; 0], "{} {command:?}: {found:#?}", dialect.name());
        }
    }
}

#[test]
fn an_answer_of_which_nothing_arrives_has_a_finding() {
    for dialect in released() {
        let (event, _) = tool_event(dialect);
        let answers = ["additionalContext", "output", "message", "behavior", "status", "reason"]
            .into_iter()
            .map(|key| json!({key: "a text"}))
            .chain([
                json!({"continue": true, "stdout": "a text"}),
                json!({"ok": false, "reason": "a text"}),
                json!({"hookSpecificOutput": {"mine": "a text"}}),
            ]);
        let version = default_version(dialect);
        let honoured = find_event(dialect, &version, event).unwrap().honoured_output;
        for answer in answers
            .filter(|answer| answer.get("additionalContext").is_none() || !honoured.contains(&"/additionalContext"))
        {
            let hook = json!({"type": "command", "command": format!("cat > /dev/null; echo '{answer}'")});
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            let about_answers = codes(&found).into_iter().filter(|code| code.starts_with("HW6")).count();
            assert_eq!(about_answers, 1, "{} {event} {answer}: {found:#?}", dialect.name());
        }
        for answer in [json!({}), json!({"continue": true}), json!({"continue": true, "suppressOutput": true})] {
            let hook = json!({"type": "command", "command": format!("cat > /dev/null; echo '{answer}'")});
            let found = findings_for(dialect, &with_group(event, &json!({"hooks": [hook]})));
            // Some agents refuse the one, or do not know the other.
            let strange = codes(&found).into_iter().any(|code| !["HW605", "HW606", "HW622"].contains(&code));
            assert!(!strange, "{} {event} {answer}: {found:#?}", dialect.name());
        }
    }
}
