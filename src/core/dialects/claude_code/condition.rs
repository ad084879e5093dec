//! The `if` of a handler: one permission rule, held against one tool call (spec §4).

use serde_json::Value;

use super::events;
use super::glob;
use super::matcher::Judgement;
use super::shell;
use crate::core::config::Place;
use crate::core::hook::HookInput;

/// Tools whose rules name a file, with the key of the input that holds it.
const FILE_TOOLS: &[(&str, &str)] =
    &[("Write", "file_path"), ("Edit", "file_path"), ("Read", "file_path"), ("NotebookEdit", "notebook_path")];

/// What a rule looks at, as JSON pointers into the payload.
pub const READS: [&str; 5] =
    ["/tool_name", "/cwd", "/tool_input/command", "/tool_input/file_path", "/tool_input/notebook_path"];

/// Holds the rule against the event.
pub fn judge(rule: &str, input: &HookInput, place: &Place) -> Judgement {
    // Before the event is looked at: an empty text was seen to count as no `if` at all.
    if rule.is_empty() {
        return Judgement::yes("condition.empty", "an empty `if` is no filter");
    }
    if !events::about_a_tool(&input.event) {
        let says = format!("a handler with `if` never runs on {}: `if` is for events of one tool call", input.event);
        return Judgement::no("condition.no-tool-event", says);
    }
    let (name, content) = match rule.split_once('(') {
        None => (rule, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, Some(content)),
            None => return not_a_rule(rule),
        },
    };
    let tool = input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    if rule.contains("||") || rule.contains(")|") {
        let says = format!("`{rule}` is read as one rule; write one handler for each");
        return Judgement::no("condition.one-rule", says);
    }
    let is_alias = (name, tool) == ("Task", "Agent");
    if name != tool && !is_alias {
        return other_tool(rule, name, tool);
    }
    let content = content.unwrap_or("");
    if content.is_empty() || content == "*" {
        let says = if is_alias {
            format!(
                "`{rule}` is every call of {tool}: matchers take Task for it too, so a rule is taken to do the same"
            )
        } else {
            format!("`{rule}` is every call of {tool}")
        };
        return Judgement::yes("condition.tool", says);
    }
    let tool_input = input.body.get("tool_input").unwrap_or(&Value::Null);
    if tool == "Bash" {
        let command = tool_input.get("command").and_then(Value::as_str).unwrap_or("");
        return on_command(rule, content, command);
    }
    if let Some((_, key)) = FILE_TOOLS.iter().find(|(name, _)| *name == tool) {
        let cwd = input.body.get("cwd").and_then(Value::as_str).unwrap_or(&place.project);
        let file = tool_input.get(*key).and_then(Value::as_str).unwrap_or("");
        return on_file(rule, content, &place.absolute(cwd, file), cwd, place);
    }
    let says = format!("what `{rule}` says of a call of {tool} was never observed");
    Judgement::unknown("condition.unmeasured", says)
}

fn not_a_rule(rule: &str) -> Judgement {
    Judgement::no("condition.not-a-rule", format!("`{rule}` is no permission rule, so it matches nothing"))
}

fn other_tool(rule: &str, name: &str, tool: &str) -> Judgement {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b);
    let says = if tool.starts_with("mcp__") && tool.starts_with(name.trim_end_matches(['*', '_'])) {
        format!("`{rule}` does not cover {tool}: in an `if` the name of the tool must be exact")
    } else if same(name, tool) {
        format!("`{name}` is not {tool}: the name must be exact, without blanks")
    } else {
        format!("`{rule}` is about {name}, and this is a call of {tool}")
    };
    Judgement::no("condition.other-tool", says)
}

/// How the text in the brackets of a `Bash` rule is read.
enum Pattern {
    /// `git push:*`: these words, and whatever follows.
    Prefix(String),
    /// `*` stands for any text.
    Wildcard(String),
    Exact(String),
}

impl Pattern {
    fn new(content: &str) -> Pattern {
        let mut text = String::new();
        for c in content.chars() {
            if !(c.is_whitespace() && text.ends_with(' ')) {
                text.push(if c.is_whitespace() { ' ' } else { c });
            }
        }
        match text.strip_suffix(":*") {
            Some(prefix) => Pattern::Prefix(prefix.to_owned()),
            None if text.contains('*') => Pattern::Wildcard(text),
            None => Pattern::Exact(text),
        }
    }

    fn holds(&self, command: &str) -> bool {
        match self {
            Pattern::Exact(text) => command == text,
            Pattern::Prefix(prefix) => starts_with_words(command, prefix),
            Pattern::Wildcard(text) => match text.strip_suffix(" *") {
                // The only star, at the end, behind a blank: arguments may be missing too.
                Some(words) if !words.contains('*') => starts_with_words(command, words),
                _ => glob::stars(text, command),
            },
        }
    }

    /// Whether it says more than the name of a program.
    fn is_long(&self) -> bool {
        match self {
            Pattern::Exact(text) | Pattern::Prefix(text) => text.contains(' '),
            Pattern::Wildcard(text) => text.strip_suffix(" *").unwrap_or(text).contains(' '),
        }
    }
}

fn starts_with_words(command: &str, words: &str) -> bool {
    command.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn on_command(rule: &str, content: &str, command: &str) -> Judgement {
    let script = shell::parsed(command);
    let pattern = Pattern::new(content);
    let hit = script.commands.iter().find(|simple| pattern.holds(&simple.written));
    if script.unclosed && hit.is_some() {
        return Judgement::unknown("condition.unmeasured", "the command has an unclosed quote or bracket in it");
    }
    if let Some(simple) = hit {
        return Judgement::yes("condition.command", format!("`{rule}` holds for `{}`", simple.written));
    }
    if script.substitution && pattern.is_long() {
        let says =
            format!("the command runs another one inside, so `{rule}`, which asks for arguments, is taken to hold");
        return Judgement::yes("condition.substitution", says);
    }
    let doubtful = script.commands.iter().any(|simple| pattern.holds(&simple.unquoted) || pattern.holds(&simple.whole));
    if doubtful || (pattern.holds(command) && script.commands.len() > 1) {
        let says = format!("whether `{rule}` is held against `{command}` in that spelling was never observed");
        return Judgement::unknown("condition.unmeasured", says);
    }
    let lines = if script.here_document { ", whose here-document is read line by line" } else { "" };
    Judgement::no("condition.command", format!("`{rule}` holds for no part of `{command}`{lines}"))
}

fn on_file(rule: &str, content: &str, file: &str, cwd: &str, place: &Place) -> Judgement {
    // Two slashes: the root; one: the project's folder; none: the current folder, and a mere name at any depth.
    let (base, pattern, anchored) = if let Some(absolute) = content.strip_prefix("//") {
        ("", absolute, true)
    } else if let Some(inside) = content.strip_prefix('/') {
        (place.project.as_str(), inside, true)
    } else if let Some(inside) = content.strip_prefix("~/") {
        (place.home.as_str(), inside, true)
    } else {
        (cwd, content.strip_prefix("./").unwrap_or(content), false)
    };
    let Some(path) = file.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) else {
        let says = format!("`{rule}` is about files below {base}, and {file} lies elsewhere");
        return Judgement::no("condition.file", says);
    };
    if glob::holds(pattern, path, anchored) {
        Judgement::yes("condition.file", format!("`{rule}`, read as gitignore reads it, holds for {path}"))
    } else {
        Judgement::no("condition.file", format!("`{rule}` does not hold for {path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::hook::Subject;
    use serde_json::json;

    #[allow(clippy::needless_pass_by_value, reason = "the tables read better")]
    fn runs(rule: &str, tool: &str, tool_input: Value, cwd: &str) -> Option<bool> {
        let body = json!({"tool_name": tool, "tool_input": tool_input, "cwd": cwd});
        let input = HookInput { event: "PreToolUse".to_owned(), subject: Subject::default(), body };
        let place =
            Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
        match judge(rule, &input, &place) {
            Judgement::Yes(_) => Some(true),
            Judgement::No { .. } => Some(false),
            Judgement::Unknown(_) => None,
        }
    }

    /// Every row that was observed on 2.1.329.
    #[test]
    fn observed_rows() {
        for line in include_str!("../../../../tests/tables/claude/if-conditions.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| row[key].as_str().unwrap();
            let got = runs(text("if"), text("tool_name"), row["tool_input"].clone(), text("cwd"));
            assert_eq!(got, row["runs"].as_bool(), "{line}");
        }
    }

    /// The table of spec §4.
    #[test]
    fn commands_of_the_specification() {
        let both = [
            "git push",
            "git  push",
            "FOO=bar git push",
            "npm test && git push",
            "cd x; git push",
            "true | git push",
            "! git push",
            "(git push)",
            "if true; then git push; fi",
            "for i in 1 2; do git push; done",
            "git push # x",
            "xargs git push",
            "echo $(git log)",
            "echo `git log`",
            "cat <<EOF\ngit push\nEOF",
        ];
        let neither = [
            "gitk x",
            "/usr/bin/git push",
            "sudo git push",
            "env git push",
            "timeout 5 git push",
            "bash -c 'git push'",
            "echo 'git push'",
            "echo 'unclosed",
            "# git push\necho",
            "echo $HOME",
        ];
        let rows = both
            .map(|command| (command, true, true))
            .into_iter()
            .chain(neither.map(|command| (command, false, false)))
            .chain([("git", true, false), ("echo $(date)", false, true)]);
        for (command, name, long) in rows {
            for (rule, want) in [
                ("Bash(git *)", name),
                ("Bash(git:*)", name),
                ("Bash(git push *)", long),
                ("Bash(git push)", long),
                ("Bash(git push:*)", long),
            ] {
                assert_eq!(runs(rule, "Bash", json!({"command": command}), "/p"), Some(want), "{rule} on {command}");
            }
        }
        for (rule, want) in [
            ("Bash(touch  marker)", true),
            ("Bash()", true),
            ("Bash(*)", true),
            ("*", false),
            ("Task", false),
            ("mcp__.*", false),
            ("Write", false),
        ] {
            assert_eq!(runs(rule, "Bash", json!({"command": "touch marker"}), "/p"), Some(want), "{rule}");
        }
    }

    #[test]
    fn files() {
        let p = "/home/user/project";
        for (rule, file, cwd, want) in [
            ("Write(./f.txt)", "/home/user/project/f.txt", p, Some(true)),
            ("Write(/f.txt)", "/home/user/project/sub/f.txt", p, Some(false)),
            ("Write(/*.txt)", "/home/user/project/sub/f.txt", p, Some(false)),
            ("Write(F.TXT)", "/home/user/project/f.txt", p, Some(true)),
            ("Write(~/x/*)", "/home/user/x/y", p, Some(true)),
            ("Write(sub/**)", "/home/user/project/sub/g.txt", "/home/user/project/sub", Some(false)),
            ("Write(sub/**)", "/tmp/sub/g.txt", p, Some(false)),
            ("Write(*.txt)", "/tmp/g.txt", p, Some(false)),
            ("Write(f.txt)", "/home/user/project/sub/f.txt", p, Some(true)),
            ("Write(sub)", "/home/user/project/sub/g.txt", p, Some(true)),
            ("Write(x/*)", "/home/user/project/x/sub/h.txt", p, Some(true)),
        ] {
            assert_eq!(runs(rule, "Write", json!({"file_path": file}), cwd), want, "{rule} on {file}");
        }
        assert_eq!(runs("WebFetch(domain:x.org)", "WebFetch", json!({"url": "https://x.org"}), p), None);
        for rule in ["mcp__mem", "mcp__mem__*", "mcp__mem__.*"] {
            assert_eq!(runs(rule, "mcp__mem__get", json!({}), p), Some(false), "{rule}");
        }
        assert_eq!(runs("Task", "Agent", json!({}), p), Some(true));
        assert_eq!(runs("Task(Explore)", "Agent", json!({}), p), None);
        assert_eq!(runs("mcp__mem__get", "mcp__mem__get", json!({}), p), Some(true));
    }
}
