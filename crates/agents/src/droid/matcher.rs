//! How Droid matches (spec §4): sixteen matchers of the recordings, and the advice about others.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::ID;
use super::events::EVENTS;
use crate::kernel::patterns::{explain, matches};
use hookbench_base::hook::Subject;

fn hit(event: &str, matcher: &Value, subject: &str) -> Option<bool> {
    let subject = Subject { value: Some(subject.to_owned()), aliases: Vec::new() };
    matches(EVENTS.by_name(event).unwrap(), Some(matcher), &subject).hit()
}

/// Sixteen matchers on a tool and on `SessionStart`, and whether Droid ran the hook.
#[test]
fn sixteen_matchers() {
    for (matcher, fires) in [
        ("T", true),
        ("t", false),
        ("Part", true),
        ("Part.*", true),
        ("^T$", true),
        ("inner", true),
        ("zz|T", true),
        ("zz | T", false),
        ("zz,T", false),
        (" T ", false),
        ("*", true),
        ("", true),
        (".*", true),
        ("T*", true),
        ("(?!zz).*", true),
        ("(T", false),
    ] {
        for (event, name, part, inner) in
            [("PreToolUse", "Execute", "Execu", "xecut"), ("SessionStart", "startup", "start", "tart")]
        {
            let own = match matcher {
                "t" if event == "PreToolUse" => "execute".to_owned(),
                "t" => "Startup".to_owned(),
                "inner" => inner.to_owned(),
                other => other.replace("Part", part).replace('T', name),
            };
            assert_eq!(hit(event, &json!(own), name), Some(fires), "{event} {own}");
        }
    }
}

#[test]
fn names_of_other_agents_and_ignored_matchers() {
    for (event, matcher, subject, fires) in [
        ("PreToolUse", "Bash", "Execute", false),
        ("PreToolUse", "Write|Edit", "Edit", true),
        ("PreToolUse", "MultiEdit", "Edit", false),
        ("Stop", "(", "", true),
        ("SessionEnd", "zzz", "", true),
    ] {
        assert_eq!(hit(event, &json!(matcher), subject), Some(fires), "{event} {matcher} {subject}");
    }
}

proptest! {
    #[test]
    fn never_panics(matcher: String, subject: String) {
        let _ = hit("PreToolUse", &json!(matcher), &subject);
    }
}

#[test]
fn near_misses_name_their_mistake() {
    for (matcher, value, says) in [
        ("execute", "Execute", "\"execute\" is not \"Execute\" (case)"),
        ("Bash", "Execute", "\"Bash\" is Claude Code's name; here the tool is Execute"),
        ("^Write$|Bash", "Create", "\"Write\" is Claude Code's name; here the tool is Create"),
        (
            "Bash(git *)",
            "Execute",
            "\"Bash(git *)\" is a permission rule, but a matcher is compared only with the tool name",
        ),
        (
            "Edit | Create",
            "Create",
            "the spaces or the comma beside \"Create\" are part of the pattern; separate names only with |",
        ),
        ("Glob", "Execute", "\"Glob\" does not match \"Execute\""),
    ] {
        let event = EVENTS.by_name("PreToolUse").unwrap();
        let subject = Subject { value: Some(value.to_owned()), aliases: Vec::new() };
        let found = matches(event, Some(&Value::from(matcher)), &subject);
        assert_eq!(explain(ID, event, matcher, &subject, &found).0.message, says, "{matcher}");
    }
}
