//! The `if` of a handler: one permission rule that is compared with one tool call (spec §4).

use crate::claude_code::rules;
use serde_json::Value;

use super::bash_rule::{self, RuleMatch};
use super::matcher::MatchOutcome;
use super::{events, glob, shell};
use hookbench_base::config::Place;
use hookbench_base::hook::HookInput;

/// The tools whose rules name a file, with the input key that contains the path.
const FILE_TOOLS: &[(&str, &str)] =
    &[("Write", "file_path"), ("Edit", "file_path"), ("Read", "file_path"), ("NotebookEdit", "notebook_path")];

/// The tools whose rules never match if the brackets contain anything but `*`, as observed.
const TOOLS_WITHOUT_PATTERNS: &[&str] = &["WebFetch", "WebSearch", "Agent", "Skill"];

/// The values that a rule reads, as JSON pointers into the payload.
pub const PAYLOAD_POINTERS: [&str; 5] =
    ["/tool_name", "/cwd", "/tool_input/command", "/tool_input/file_path", "/tool_input/notebook_path"];

/// Compares a rule with the event.
pub fn evaluate(rule: &str, input: &HookInput, place: &Place) -> MatchOutcome {
    // An empty text is the same as no `if`, as observed, so it is tested before the event.
    if rule.is_empty() {
        return MatchOutcome::yes(rules::CONDITION_EMPTY, "an empty `if` does not filter");
    }
    if !events::has_tool_subject(&input.event) {
        let says =
            format!("a handler with `if` never runs on {}: `if` applies only to events of one tool call", input.event);
        return MatchOutcome::no(rules::CONDITION_NO_TOOL_EVENT, says);
    }
    let Some((name, content)) = split_rule(rule) else { return invalid_rule(rule) };
    let tool = input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    if rule.contains("||") || rule.contains(")|") {
        let says = format!("the agent reads `{rule}` as one rule; write one handler for each rule");
        return MatchOutcome::no(rules::CONDITION_ONE_RULE, says);
    }
    // A rule for Bash also applies to the command of a Monitor call.
    let monitored = events::monitored_command(&input.event, &input.body).filter(|_| name == "Bash");
    let is_alias = (name, tool) == ("Task", "Agent") || monitored.is_some();
    if name != tool && !is_alias {
        return rule_for_other_tool(rule, name, tool);
    }
    let content = content.unwrap_or_default();
    if content.is_empty() || content == "*" {
        let says = if monitored.is_some() {
            format!("`{rule}` matches every command, also those of {tool}")
        } else if is_alias {
            format!(
                "`{rule}` matches every call of {tool}: matchers accept Task for it, so hookbench assumes that rules do too"
            )
        } else {
            format!("`{rule}` matches every call of {tool}")
        };
        return MatchOutcome::yes(rules::CONDITION_TOOL, says);
    }
    let tool_input = input.body.get("tool_input").unwrap_or(&Value::Null);
    if matches!(tool, "Bash" | "Monitor") {
        let command = tool_input.get("command").and_then(Value::as_str).unwrap_or("");
        return match_command(rule, &content, command, place);
    }
    if let Some((_, key)) = FILE_TOOLS.iter().find(|(name, _)| *name == tool) {
        let cwd = input.body.get("cwd").and_then(Value::as_str).unwrap_or(&place.project);
        let file = tool_input.get(*key).and_then(Value::as_str).unwrap_or("");
        return match_file(rule, &content, &place.absolute(cwd, file), cwd, place);
    }
    if TOOLS_WITHOUT_PATTERNS.contains(&tool) || tool.starts_with("mcp__") {
        let says = format!("in an `if`, a rule for {tool} matches only if its brackets are empty or contain `*`");
        return MatchOutcome::no(rules::CONDITION_NO_CONTENT, says);
    }
    let says = format!("it was never tested whether `{rule}` matches a call of {tool}");
    MatchOutcome::unknown(rules::CONDITION_UNMEASURED, says)
}

/// Splits a rule into the tool's name and the text inside the brackets, with escaped brackets unescaped. Returns
/// `None` if the bracket is not closed.
pub fn split_rule(rule: &str) -> Option<(&str, Option<String>)> {
    let Some((name, rest)) = rule.split_once('(') else { return Some((rule, None)) };
    let content = rest.strip_suffix(')')?;
    // An escaped bracket does not close the rule.
    let escaped = content.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    (!escaped).then(|| (name, Some(content.replace("\\(", "(").replace("\\)", ")").replace("\\\\", "\\"))))
}

fn invalid_rule(rule: &str) -> MatchOutcome {
    MatchOutcome::no(rules::CONDITION_NOT_A_RULE, format!("`{rule}` is not a permission rule, so it never matches"))
}

fn rule_for_other_tool(rule: &str, name: &str, tool: &str) -> MatchOutcome {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b);
    let says = if tool.starts_with("mcp__") && tool.starts_with(name.trim_end_matches(['*', '_'])) {
        format!("`{rule}` does not cover {tool}: in an `if` the name of the tool must be exact")
    } else if same(name, tool) {
        format!("`{name}` is not {tool}: the name must be exact, without spaces")
    } else {
        format!("`{rule}` is about {name}, but this is a call of {tool}")
    };
    MatchOutcome::no(rules::CONDITION_OTHER_TOOL, says)
}

fn match_command(rule: &str, content: &str, command: &str, place: &Place) -> MatchOutcome {
    match bash_rule::match_rule(content, &shell::analyse(command, &place.home)) {
        RuleMatch::Command(text) => MatchOutcome::yes(rules::CONDITION_COMMAND, format!("`{rule}` matches `{text}`")),
        RuleMatch::NamesOnly => {
            let says = format!(
                "the arguments depend on a variable or on another command, so `{rule}` counts as matched: the agent decides only rules such as `Bash(git *)`, with one word before the wildcard"
            );
            MatchOutcome::yes(rules::CONDITION_NAMES_ONLY, says)
        }
        RuleMatch::Opaque => {
            let says = "the agent does not analyse this command, so every `Bash(…)` rule counts as matched";
            MatchOutcome::yes(rules::CONDITION_OPAQUE, says)
        }
        RuleMatch::Nothing => {
            let says = format!("`{rule}` matches no part of `{command}`");
            MatchOutcome::no(rules::CONDITION_COMMAND, says)
        }
    }
}

/// Whether the rule matches the call itself, and not only because the agent cannot analyse the command.
pub fn certainly_matches(rule: &str, input: &HookInput, place: &Place) -> bool {
    matches!(evaluate(rule, input, place), MatchOutcome::Yes(why) if why.rule != rules::CONDITION_OPAQUE && why.rule != rules::CONDITION_NAMES_ONLY)
}

fn match_file(rule: &str, content: &str, file: &str, cwd: &str, place: &Place) -> MatchOutcome {
    let content = content.trim_end_matches(' ');
    let exact = content == file || content.starts_with('*') && glob::matches_wildcards(content, file);
    if exact {
        return MatchOutcome::yes(rules::CONDITION_FILE, format!("`{rule}` matches {file}"));
    }
    if content.starts_with(['!', '#']) {
        let says = format!("`{rule}` never matches: it is not a valid gitignore pattern");
        return MatchOutcome::no(rules::CONDITION_FILE, says);
    }
    // `//` starts at the root, `/` at the project directory, `~/` at the home directory. Other paths start in the
    // current directory, and a bare name matches at any depth.
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
        let says = format!("`{rule}` is about files below {base}, but {file} is elsewhere");
        return MatchOutcome::no(rules::CONDITION_FILE, says);
    };
    if glob::matches_path(pattern, path, anchored) {
        MatchOutcome::yes(rules::CONDITION_FILE, format!("`{rule}`, as a gitignore pattern, matches {path}"))
    } else {
        MatchOutcome::no(rules::CONDITION_FILE, format!("`{rule}` does not match {path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::hook::Subject;
    use serde_json::json;

    #[allow(clippy::needless_pass_by_value, reason = "the tables read better")]
    fn runs(rule: &str, tool: &str, tool_input: Value, cwd: &str) -> Option<bool> {
        let body = json!({"tool_name": tool, "tool_input": tool_input, "cwd": cwd});
        let input = HookInput { event: "PreToolUse".to_owned(), subject: Subject::default(), body };
        let place =
            Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
        match evaluate(rule, &input, &place) {
            MatchOutcome::Yes(_) => Some(true),
            MatchOutcome::No { .. } => Some(false),
            MatchOutcome::Unknown(_) => None,
        }
    }

    /// All rows that were observed on 2.1.329.
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
            "echo \"unclosed",
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

    /// File rules, measured on 2.1.330. The project is /w/proj, the home directory /w/home.
    #[test]
    fn measured_files() {
        let place = Place { project: "/w/proj".to_owned(), home: "/w/home".to_owned(), ..Place::default() };
        let mut wrong = Vec::new();
        for line in include_str!("../../../../tests/tables/claude/file-rules.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let tool = row["tool"].as_str().unwrap();
            let body = json!({"tool_name": tool, "tool_input": {"file_path": row["file"]}, "cwd": "/w/proj"});
            let input = HookInput { event: "PreToolUse".to_owned(), subject: Subject::default(), body };
            for (key, want) in [("runs", true), ("not", false)] {
                for rule in row[key].as_array().into_iter().flatten() {
                    let rule = format!("{tool}({})", rule.as_str().unwrap());
                    if matches!(evaluate(&rule, &input, &place), MatchOutcome::Yes(_)) != want {
                        wrong.push(format!("{rule} on {} should be {want}", row["file"]));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
            ("Write(*.txt)", "/tmp/g.txt", p, Some(true)),
            ("Write(/tmp/g.txt)", "/tmp/g.txt", p, Some(true)),
            ("Write(/tmp/*)", "/tmp/g.txt", p, Some(false)),
            ("Write(/home/user/project/a.md)", "/home/user/project/a.md", p, Some(true)),
            ("Write(/home/user/project/A.md)", "/home/user/project/a.md", p, Some(false)),
            ("Write(a\\.md)", "/home/user/project/a.md", p, Some(true)),
            ("Write(a.md )", "/home/user/project/a.md", p, Some(true)),
            ("Write(!a.md)", "/home/user/project/!a.md", p, Some(false)),
            ("Write(\\!a.md)", "/home/user/project/!a.md", p, Some(true)),
            ("Write(f.txt)", "/home/user/project/sub/f.txt", p, Some(true)),
            ("Write(sub)", "/home/user/project/sub/g.txt", p, Some(true)),
            ("Write(x/*)", "/home/user/project/x/sub/h.txt", p, Some(true)),
        ] {
            assert_eq!(runs(rule, "Write", json!({"file_path": file}), cwd), want, "{rule} on {file}");
        }
        assert_eq!(runs("WebFetch(domain:x.org)", "WebFetch", json!({"url": "https://x.org"}), p), Some(false));
        for rule in ["mcp__mem", "mcp__mem__*", "mcp__mem__.*"] {
            assert_eq!(runs(rule, "mcp__mem__get", json!({}), p), Some(false), "{rule}");
        }
        assert_eq!(runs("Task", "Agent", json!({}), p), Some(true));
        assert_eq!(runs("Task(Explore)", "Agent", json!({}), p), Some(false));
        assert_eq!(runs("Glob(*.ts)", "Glob", json!({}), p), None);
        assert_eq!(runs("mcp__mem__get", "mcp__mem__get", json!({}), p), Some(true));
    }
}
