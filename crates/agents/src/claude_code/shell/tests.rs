//! Rows measured on 2.1.330 and 2.1.332: each line is a command, with the rules that matched and the rules that did not.

use serde_json::Value;

use super::super::bash_rule::{RuleMatch, match_rule};
use super::super::condition;
use super::{CommandAnalysis, analyse};

#[test]
fn measured_rows() {
    let mut wrong = Vec::new();
    for line in include_str!("../../../../../tests/tables/claude/bash-rules.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let command = row["command"].as_str().unwrap();
        let reading = analyse(command, "/home/user");
        for (key, want) in [("runs", true), ("not", false)] {
            for rule in row[key].as_array().into_iter().flatten() {
                let rule = format!("Bash({})", rule.as_str().unwrap());
                let (_, content) = condition::split_rule(&rule).unwrap();
                if (match_rule(&content.unwrap(), &reading) != RuleMatch::Nothing) != want {
                    wrong.push(format!("{command:?}: {rule:?} should be {want}; {reading:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn readings() {
    let commands = |texts: &[&str]| CommandAnalysis::Commands(texts.iter().map(ToString::to_string).collect());
    let names = |texts: &[&str]| CommandAnalysis::Names(texts.iter().map(ToString::to_string).collect());
    for (command, want) in [
        ("git 'push' \\origin", commands(&["git push origin"])),
        ("A=1 ls > f; [ -f x ] && rm x", commands(&["ls", "[[ -f x", "rm x"])),
        ("x=1; echo $x \"$HOME/a\"", commands(&["echo 1 /home/user/a"])),
        ("xargs rm x", commands(&["rm x", "xargs rm x"])),
        ("cat <<'E'\nrm x\nE\nls", commands(&["cat", "ls"])),
        ("echo $x $(git log)", names(&["echo", "git"])),
        ("echo \"$x\"", CommandAnalysis::Opaque),
        ("{ ls; }", CommandAnalysis::Opaque),
        ("ls # a", commands(&["ls"])),
        ("> f ls # a", commands(&["ls"])),
        ("ls > f; # a", commands(&["ls"])),
        ("ls > f # a", CommandAnalysis::Opaque),
        ("sudo rm $x", CommandAnalysis::Opaque),
        ("ls; echo $x", CommandAnalysis::Opaque),
    ] {
        assert_eq!(*analyse(command, "/home/user"), want, "{command}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text(text in r#"[a-z '"$()`{}\[\]<>&|;#\\\n=!*:/-]{0,60}"#) {
        let _ = analyse(&text, "/home/user");
    }
}

#[test]
fn deep_brackets_do_not_exhaust_the_stack() {
    for part in ["$(", "`$(", "(", "! ", "if ", "\"$(", "a && ", "while "] {
        assert_eq!(*analyse(&part.repeat(10_000), ""), CommandAnalysis::Opaque, "{part}");
    }
}
