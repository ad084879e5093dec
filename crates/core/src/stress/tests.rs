//! Variants of any text, and their payloads for each agent.

use serde_json::json;

use super::*;
use crate::catalogue::catalogue;
use crate::text::shell::Shell;

fn context(agent: &str) -> DeedContext<'_> {
    let tools = catalogue().agent(agent).unwrap();
    DeedContext { tools, cwd: "/work/shop", home: "/home/user", ignores_case: false }
}

#[test]
fn each_agent_receives_its_own_tools() {
    for agent in catalogue().agents {
        let Some(shell) = agent.tool_for_row("shell") else { continue };
        let body = json!({"hook_event_name": "E", "tool_name": shell.id, "tool_input": {"command": "cat .env"}});
        let deed = variants(&body, &context(agent.id)).unwrap();
        assert_eq!(deed.text, "cat .env");
        for variant in &deed.variants {
            assert!(!variant.why_the_same.is_empty());
            assert_eq!(variant.body["hook_event_name"], "E");
            let tool = variant.body["tool_name"].as_str().unwrap();
            assert!(agent.by_id(tool).is_some(), "{tool}");
            assert!(variant.body["tool_input"] != body["tool_input"], "{}", variant.text);
        }
    }
}

#[test]
fn names_are_stable_and_unique() {
    let names: std::collections::BTreeSet<&str> = DeedFamily::ALL.iter().map(|family| family.name()).collect();
    assert_eq!(names.len(), DeedFamily::ALL.len());
    for family in DeedFamily::ALL {
        assert_eq!(serde_json::to_value(family).unwrap(), family.name());
    }
}

#[test]
fn a_prompt_and_an_unknown_tool() {
    let agent = catalogue().agents.first().unwrap();
    let context = context(agent.id);
    let deed = variants(&json!({"prompt": "delete the build"}), &context).unwrap();
    assert!(deed.variants.len() >= 8);
    assert_eq!(variants(&json!({"tool_name": "mcp__a__b", "tool_input": {"query": "weather"}}), &context), None);
    assert_eq!(variants(&json!({"reason": "exit"}), &context), None);
}

#[test]
fn quoted_patterns_and_expansions_stay_as_written() {
    let agent = catalogue().agents.first().unwrap();
    let tool = &agent.tool_for_row("shell").unwrap().id;
    for command in ["rm -rf *.o", "rm -rf ~/x/*", "rm -rf \"$DIR\"", "rm -rf {a,b}"] {
        let body = json!({"tool_name": tool, "tool_input": {"command": command}});
        let deed = variants(&body, &context(agent.id)).unwrap();
        let quoted = command.rsplit(' ').next().unwrap();
        for variant in deed.variants.iter().filter(|variant| variant.family == DeedFamily::ShellQuoting) {
            assert!(variant.text.ends_with(quoted), "{}", variant.text);
        }
    }
}

proptest::proptest! {
    /// Any text gives variants that a shell accepts, each once, and none is the text itself.
    #[test]
    fn any_command_is_handled(text in "(rm|git push|-f|--force|'a b'|\"[$]X\"|é|/etc/x|~|[*]|;|&&|[|]|\n|[$][(]ls[)]|<|>|#|curl|https://é[.]x/ä|sh| ){0,10}") {
        let agent = catalogue().agents.first().unwrap();
        let tool = &agent.tool_for_row("shell").unwrap().id;
        let body = json!({"tool_name": tool, "tool_input": {"command": text}});
        let deed = variants(&body, &context(agent.id)).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for variant in &deed.variants {
            let DeedAction::Command(command) = &variant.action else { continue };
            proptest::prop_assert!(*command != text);
            proptest::prop_assert!(seen.insert(command.clone()), "{command}");
            proptest::prop_assert_eq!(Shell::parse(command).syntax_error, None, "{}", command);
        }
    }

    /// Any URL, path or statement is handled.
    #[test]
    fn any_other_text_is_handled(text in "\\PC{0,12}") {
        let agent = catalogue().agents.first().unwrap();
        for (tool, key) in [("web_fetch", "url"), ("write_file", "file_path"), ("read_file", "file_path")] {
            let Some(tool) = agent.tool_for_row(tool) else { continue };
            let body = json!({"tool_name": tool.id, "tool_input": {key: format!("https://{text}")}});
            let _ = variants(&body, &context(agent.id));
            let body = json!({"tool_name": "mcp__a__b", "tool_input": {"sql": format!("drop table {text}")}});
            let _ = variants(&body, &context(agent.id));
        }
    }
}
