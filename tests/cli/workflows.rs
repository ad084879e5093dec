//! The workflows: their permissions and pinned actions, and the script that keeps one issue about differences.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pretty_assertions::assert_eq;
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Value, json};
use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/calibration-issue");

fn workflow(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows").join(name)).unwrap()
}

#[test]
fn workflows_are_yaml_with_pinned_actions_and_few_permissions() {
    for (name, jobs, writes) in [
        ("ci.yml", vec!["run", "build-cost", "windows", "platforms"], 0),
        ("calibrate.yml", vec!["calibrate", "report"], 1),
    ] {
        let text = workflow(name);
        let documents = Yaml::load_from_str(&text).unwrap();
        let root = documents[0].as_mapping().unwrap();
        let at = |key: &str| root.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value);
        let names: Vec<&str> =
            at("jobs").unwrap().as_mapping().unwrap().keys().map(|key| key.as_str().unwrap()).collect();
        assert_eq!(names, jobs, "{name}");
        let permissions = at("permissions").unwrap().as_mapping().unwrap();
        assert!(
            permissions
                .iter()
                .all(|(scope, right)| (scope.as_str(), right.as_str()) == (Some("contents"), Some("read")))
        );
        assert_eq!(text.matches(": write").count(), writes, "{name}");
        assert_eq!(text.contains("secrets."), false, "{name}");
        assert_actions_are_pinned(&text);
        assert_eq!(text.matches("uses:").count(), text.matches("persist-credentials: false").count(), "{name}");
    }
}

fn assert_actions_are_pinned(text: &str) {
    for line in text.lines().filter(|line| line.contains("uses:")) {
        let commit = line.split_once('@').unwrap().1.split(' ').next().unwrap();
        assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    }
}

/// Each publishing job has the rights for its own place only; `packaging/check` runs the steps of the action.
#[test]
fn the_release_and_the_action_use_pinned_actions_and_no_secret_before_a_tag() {
    let (release, action) = (workflow("release.yml"), workflow("../../action.yml"));
    for text in [&release, &action] {
        Yaml::load_from_str(text).unwrap();
        assert_actions_are_pinned(text);
    }
    let (built, published) = release.split_once("\n  release:\n").unwrap();
    assert_eq!(
        (built.contains("secrets."), built.contains(": write"), action.contains("secrets.")),
        (false, false, false)
    );
    assert!(published.trim_start().starts_with("if: startsWith(github.ref, 'refs/tags/v')"));
    for job in ["pypi", "npm", "container", "homebrew"] {
        let (_, rest) = published.split_once(&format!("\n  {job}:\n")).unwrap();
        assert!(rest.lines().take(2).any(|line| line.trim() == "needs: release"), "{job} can run without a tag");
    }
}

fn report(differ: &Value, failed: &Value) -> Value {
    let agent = |name: &str, differ: &Value, failed: &Value| {
        json!({
            "agent": name, "version": "2.1.331", "program": "sha256:00", "predicted_as": "2.1.330",
            "probes": 130, "agree": 129, "differ": differ, "failed": failed, "not_measurable": [],
        })
    };
    json!({ "schema": "calibrate/1", "agents": [agent("claude", differ, failed), agent("codex", &json!([]), &json!([]))] })
}

fn difference(seen: &str) -> Value {
    json!([{
        "probe": "pre-tool.exit-2", "says": "Does exit 2 block?", "rules": ["exit.two"],
        "predicted": { "PreToolUse, the tool": "does not run" }, "seen": { "PreToolUse, the tool": seen },
        "settings": { "hooks": { "PreToolUse": [] } },
    }])
}

/// Runs the script with a `gh` that notes its arguments and stdin, and answers with this list of issues.
fn script(arguments: &[&str], environment: &[(&str, &str)], issues: &Value) -> (Output, String) {
    let directory = TempDir::new().unwrap();
    let notes = directory.path().join("notes");
    let gh = directory.path().join("gh");
    let answer = directory.path().join("issues.json");
    fs::write(&answer, issues.to_string()).unwrap();
    let text = format!(
        "#!/bin/sh\necho \"gh $*\" >> '{notes}'\ncase \"$*\" in *--body-file*) cat >> '{notes}';; esac\n\
         case \"$2\" in list) cat '{answer}';; esac\n",
        notes = notes.display(),
        answer = answer.display(),
    );
    crate::programs::write_program(&gh, text.as_bytes());
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("python3");
    command.arg(SCRIPT).args(arguments).env("PATH", path).envs(environment.iter().copied());
    (command.output().unwrap(), fs::read_to_string(&notes).unwrap_or_default())
}

/// The outputs that the workflow passes on: the result and the text of the issue.
fn outputs_of(report: &Value) -> (String, String) {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("report.json");
    fs::write(&file, report.to_string()).unwrap();
    let (output, _) = script(&["body", file.to_str().unwrap()], &[], &json!([]));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let (result, body) = text.split_once('\n').unwrap();
    let (mark, body) = body.strip_prefix("body<<").unwrap().split_once('\n').unwrap();
    (result.strip_prefix("result=").unwrap().to_owned(), body.strip_suffix(&format!("{mark}\n")).unwrap().to_owned())
}

#[test]
fn the_issue_has_what_differs() {
    assert_eq!(outputs_of(&report(&json!([]), &json!([]))), ("agrees".to_owned(), String::new()));
    let hostile = "runs ``` @everyone\n```\n# not a heading";
    let (result, body) =
        outputs_of(&report(&difference(hostile), &json!([{ "probe": "stop.loop", "why": "it hangs" }])));
    assert_eq!(result, "differs");
    insta::assert_snapshot!("calibration_issue", body);
}

#[test]
fn a_long_report_fits_an_issue() {
    let seen = "x".repeat(4_000);
    let probe = difference(&seen)[0].clone();
    let (_, body) = outputs_of(&report(&Value::from(vec![probe; 100]), &json!([])));
    assert!(
        body.len() < 65_000 && body.ends_with("The rest is left out; the log of the workflow has it.\n"),
        "{}",
        body.len()
    );
    assert_eq!(body.matches("\n```").count() % 2, 0, "each block ends");
}

#[test]
fn one_issue_is_created_updated_and_closed() {
    let body = "the text";
    let open = |text: &str| json!([{ "number": 7, "body": text }]);
    let list = "gh issue list --label calibration --state open --limit 1 --json number,body\n";
    let create = "gh label create calibration --force --description hookbench calibrate found a difference\n\
                  gh issue create --title An agent does not behave as hookbench predicts --label calibration --body-file -\nthe text";
    for (result, issues, then) in [
        ("agrees", json!([]), ""),
        ("agrees", open("old"), "gh issue close 7 --comment Every agent behaves as predicted again.\n"),
        ("differs", json!([]), create),
        ("differs", open("old"), "gh issue edit 7 --body-file -\nthe text"),
        ("differs", open("the text\r\n"), ""),
    ] {
        let (output, notes) = script(&["post"], &[("RESULT", result), ("BODY", body)], &issues);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(notes, format!("{list}{then}"), "{result} {issues}");
    }
    let (output, notes) = script(&["post"], &[("RESULT", ""), ("BODY", "")], &json!([]));
    assert!(!output.status.success() && notes == list, "{output:?} {notes}");
}
