//! Telemetry of many people: rows of `replay --format jsonl`, and `report merge` on them.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::telemetry::recording;

/// The number of synthetic calls.
const CALLS: usize = 60;

/// A line of telemetry: one call in one of three repositories, by one of four people.
pub fn call(n: usize, command: &str) -> String {
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let parameters = json!({"full_command": command}).to_string();
    // One call was refused when it was recorded.
    let (name, decision) = if n == 3 { ("tool_decision", "reject") } else { ("tool_result", "accept") };
    let at = 1_796_043_835_000_000_000_u64 + n as u64 * 1_000_000_000;
    let record = json!({"timeUnixNano": at.to_string(), "attributes": [
        attribute("event.name", name), attribute("tool_name", "Bash"), attribute("tool_use_id", &format!("t{n}")),
        attribute("session.id", &format!("s{}", n / 5)), attribute("user.email", &format!("u{}@example.com", n % 4)),
        attribute("decision", decision), attribute("source", "hook"), attribute("tool_parameters", &parameters),
    ]});
    let resource = [attribute("service.name", "claude-code"), attribute("vcs.repository.name", &format!("r{}", n % 3))];
    let records = json!([{"resource": {"attributes": resource}, "scopeLogs": [{"logRecords": [record]}]}]);
    json!({"resourceLogs": records}).to_string() + "\n"
}

/// A project whose guard refuses publishing, and telemetry of the calls of several people in several repositories.
fn fleet() -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.program("jq").settings(
        &json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}})
            .to_string(),
    );
    sandbox.file(
        "guard.sh",
        "case $(jq -r .tool_input.command) in *publish*) echo 'ask the release manager' >&2; exit 2;; esac\n",
    );
    let refused = |n: usize| n % 10 == 3;
    let lines = |from: usize, to: usize| {
        let command = |n| if refused(n) { format!("npm publish --tag t{n}") } else { format!("echo {n}") };
        (from..to).map(|n| call(n, &command(n))).collect::<String>()
    };
    // The files overlap.
    sandbox.file("otel/a.jsonl", lines(0, CALLS / 2 + 4)).file("otel/b.jsonl", lines(CALLS / 2, CALLS));
    sandbox
}

fn rows(sandbox: &Sandbox, line: &str) -> Vec<Value> {
    let run = sandbox.run(line).assert_status(0);
    run.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

#[test]
fn refusals_are_grouped_and_people_are_masked() {
    let sandbox = fleet();
    let found = rows(&sandbox, "replay otel --project . --as-trusted --run --yes --format jsonl");
    assert_eq!(found.len(), CALLS + 4);
    let refused = found.iter().find(|row| row["what"] == "npm publish --tag t13").unwrap();
    let wanted = json!({
        "schema": "replay-row/1", "id": refused["id"], "agent": "claude", "event": "PreToolUse", "subject": "Bash", "call": true,
        "project": "r1", "person": refused["person"], "before": null, "now": "deny", "changed": true, "hook": "guard.sh",
        "rule": "[sh guard.sh]: ask the release manager", "reason": "[sh guard.sh]: ask the release manager", "unknown": null,
        "what": "npm publish --tag t13", "part": null, "part_rows": null,
    });
    assert_eq!(*refused, wanted);
    let (last, others) = found.split_last().unwrap();
    assert_eq!((&last["part"], &last["part_rows"]), (&json!("1/1 otel"), &json!(CALLS + 4)));
    assert!(others.iter().all(|row| row["part"].is_null() && row["part_rows"].is_null()));
    let people: std::collections::BTreeSet<&str> = found.iter().filter_map(|row| row["person"].as_str()).collect();
    assert!(people.len() == 4 && people.iter().all(|person| person.starts_with("person-")), "{people:?}");
    let shown = rows(&sandbox, "replay otel --project . --as-trusted --format jsonl --show-people");
    assert!(shown.iter().all(|row| row["person"].as_str().unwrap().ends_with("@example.com")));
    // Nothing was stored.
    assert_eq!(sandbox.run("db export --filter ~replay").stdout, "");
}

#[test]
fn the_report_is_the_same_for_one_run_and_for_its_parts() {
    let sandbox = fleet();
    let replay = |options: &str, to: &str| {
        let run = sandbox.run(&format!("replay {options} --project . --as-trusted --run --yes --format jsonl"));
        sandbox.file(to, run.assert_status(0).stdout);
    };
    replay("otel", "all.jsonl");
    (1..=3).for_each(|n| replay(&format!("otel --shard {n}/3"), &format!("part-{n}.jsonl")));
    replay("otel/a.jsonl", "a.jsonl");
    replay("otel/b.jsonl", "b.jsonl");
    let none = r#"{"resourceLogs":[]}"#;
    sandbox.file("otel-none.jsonl", none);
    replay("otel-none.jsonl", "none.jsonl");
    let merge = |files: &str, format: &str| {
        sandbox.run(&format!("report merge {files} --format {format}")).assert_status(0).stdout
    };
    for format in ["text", "json"] {
        let whole = merge("all.jsonl", format);
        for parts in [
            "part-1.jsonl part-2.jsonl part-3.jsonl",
            "part-3.jsonl part-1.jsonl part-2.jsonl",
            "none.jsonl b.jsonl a.jsonl",
        ] {
            assert_eq!(merge(parts, format), whole, "{parts}");
        }
    }
    let report: Value = serde_json::from_str(&merge("all.jsonl", "json")).unwrap();
    assert_eq!(
        (&report["events"], &report["calls"], &report["newly_refused"], &report["projects"], &report["people"]),
        (&json!(CALLS), &json!(CALLS), &json!(5), &json!(3), &json!(4))
    );
    assert_eq!(report["verdicts"], json!({"deny": 6, "no_objection": CALLS - 6}));
    let groups: BTreeMap<String, (u64, u64)> = report["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let word = |key: &str| group[key].as_str().unwrap().to_owned();
            let key = format!("{} {} {}", word("hook"), word("project"), group["examples"].as_array().unwrap().len());
            (key + &word("person"), (group["events"].as_u64().unwrap(), group["new"].as_u64().unwrap()))
        })
        .collect();
    assert_eq!(groups.values().map(|(events, _)| events).sum::<u64>(), 6);
    assert_eq!(groups.values().map(|(_, new)| new).sum::<u64>(), 5);
    let text = merge("all.jsonl", "text");
    assert!(
        text.starts_with(" 5 of 60 calls in 3 projects would now be refused\n 60 events, 4 known users: "),
        "{text}"
    );
    // The other formats of a replay have the same groups.
    let document =
        sandbox.run("replay otel/b.jsonl --project . --as-trusted --run --yes --format json").assert_status(0).json();
    let of_part: Value = serde_json::from_str(&merge("b.jsonl", "json")).unwrap();
    assert_eq!(document["refusals"], of_part["refusals"]);
    let page = sandbox.run("replay otel/b.jsonl --project . --as-trusted --run --yes").assert_status(0).stdout;
    assert!(
        page.contains(" refused\n") && page.contains("\n          [sh guard.sh]: ask the release manager\n"),
        "{page}"
    );
}

/// A part that is missing or cut would make the report too small.
#[test]
fn missing_rows_are_noticed() {
    let sandbox = fleet();
    let mut parts = Vec::new();
    for part in 1..=3 {
        let line = format!("replay otel --project . --as-trusted --format jsonl --shard {part}/3");
        parts.push(sandbox.run(&line).assert_status(0).stdout);
        sandbox.file(&format!("{part}.jsonl"), &parts[part - 1]);
    }
    let without_end = |text: &str| text.split_inclusive('\n').rev().skip(1).collect::<Vec<_>>().concat();
    let without_start = |text: &str| text.split_inclusive('\n').skip(1).collect::<String>();
    sandbox
        .file("empty.jsonl", "")
        .file("end.jsonl", without_end(&parts[1]))
        .file("start.jsonl", without_start(&parts[1]))
        .file("inside.jsonl", &parts[1][..parts[1].len() - 20])
        .file("all.jsonl", parts.join("\n"));
    for (files, want) in [
        ("3.jsonl 1.jsonl", "part 2 of 3 of otel is missing"),
        ("2.jsonl", "part 1 of 3 of otel, part 3 of 3 of otel are missing"),
        ("1.jsonl empty.jsonl 3.jsonl", "empty.jsonl: its last row does not end a part"),
        ("1.jsonl end.jsonl 3.jsonl", "end.jsonl: its last row does not end a part"),
        ("1.jsonl start.jsonl 3.jsonl", "not a row of a replay: part 2/3 otel has"),
        ("1.jsonl inside.jsonl 3.jsonl", "not a row of a replay: EOF while parsing"),
    ] {
        sandbox.run(&format!("report merge {files}")).assert_status(5).assert_stderr(&[want]);
    }
    let whole = sandbox.run("report merge 1.jsonl 2.jsonl 3.jsonl").assert_status(0).stdout;
    for files in ["all.jsonl", "all.jsonl 2.jsonl"] {
        assert_eq!(sandbox.run(&format!("report merge {files}")).assert_status(0).stdout, whole, "{files}");
    }
}

#[test]
fn what_is_not_a_row_is_named() {
    let sandbox = fleet();
    let all = sandbox.run("replay otel --project . --as-trusted --format jsonl").assert_status(0).stdout;
    sandbox
        .file("rows.jsonl", format!("{all}\n{{\"schema\":\"error/1\"}}\n"))
        .file("newer.jsonl", all.replace("replay-row/1", "replay-row/1x"));
    let count = all.lines().count();
    sandbox
        .run("report merge rows.jsonl")
        .assert_status(5)
        .assert_stderr(&[&format!("rows.jsonl:{}: not a row of a replay", count + 1)]);
    sandbox.file("good.jsonl", &all);
    sandbox
        .run("report merge good.jsonl newer.jsonl")
        .assert_status(5)
        .assert_stderr(&["newer.jsonl:1: not a row of a replay"]);
    sandbox
        .run("report merge good.jsonl gone.jsonl")
        .assert_status(5)
        .assert_stderr(&["gone.jsonl: the file does not exist"]);
    sandbox
        .run("report merge good.jsonl --format junit")
        .assert_status(2)
        .assert_stderr(&["only the formats text and json"]);
}

/// A row says the same as the document, although events with the same values share one assessment.
#[test]
fn rows_equal_the_document() {
    for agent in ["claude", "codex", "gemini", "qwen", "copilot"] {
        let sandbox = Sandbox::for_agent(agent);
        let hooks = |script: &str| json!([{"type": "command", "command": format!("sh {script}.sh")}]);
        let all =
            json!([{"matcher": "@shell", "hooks": hooks("content")}, {"matcher": "*", "hooks": hooks("directory")}]);
        sandbox.settings(&json!({"hooks": {"@tool": all}}).to_string());
        sandbox.file("content.sh", "jq -r .tool_input.content\n").file("directory.sh", "jq -r .cwd\n");
        for file in
            ["claude-details.jsonl", "claude-hooks.jsonl", "codex.jsonl", "gemini.json", "qwen.json", "copilot.jsonl"]
        {
            sandbox.file(file, recording(file));
            let line = format!("replay {file} --project . --as-trusted --format json");
            let document = sandbox.run(&line).assert_status(0).json();
            let side = |side: &Value| match side["verdict"].as_str() {
                Some("unknown") if side["agent_does"] == "" => Value::Null,
                _ => side["verdict"].clone(),
            };
            let of_document: Vec<Value> = document["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| json!([event["origin"], event["name"], event["subject"], side(&event["after"])]))
                .collect();
            let of_rows: Vec<Value> = rows(&sandbox, &format!("{line}l"))
                .into_iter()
                .map(|row| json!([row["id"], row["event"], row["subject"], row["now"]]))
                .collect();
            assert_eq!(of_rows, of_document, "{agent} {file}");
            let reasons = |values: Vec<Value>| values.into_iter().filter(|why| !why.is_null()).collect::<Vec<_>>();
            let whys =
                document["events"].as_array().unwrap().iter().map(|event| match side(&event["after"]).as_str() {
                    Some("unknown") => event["after"]["agent_does"].clone(),
                    _ => Value::Null,
                });
            let of_rows = rows(&sandbox, &format!("{line}l")).into_iter().map(|row| row["unknown"].clone());
            assert_eq!(reasons(of_rows.collect()), reasons(whys.collect()), "{agent} {file}");
        }
    }
}

/// Gemini CLI's file holds each run of a hook, so a replay reuses their results without running anything.
#[test]
fn a_recorded_run_answers_for_a_hook_with_the_same_command_and_input() {
    let sandbox = Sandbox::for_agent("gemini");
    sandbox.file("gemini.json", recording("gemini.json"));
    let imported = sandbox.run("import gemini.json --to -").assert_status(0).stdout;
    let events: Vec<Value> = imported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refused = events.iter().find(|event| event["verdict"] == "deny").unwrap();
    let commands: Vec<&str> =
        refused["runs"].as_array().unwrap().iter().map(|run| run["command"].as_str().unwrap()).collect();
    let settings = |commands: &[&str]| {
        let hooks: Vec<Value> = commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
        sandbox.settings(&json!({"hooks": {"BeforeTool": [{"matcher": "*", "hooks": hooks}]}}).to_string());
        let found = rows(&sandbox, "replay gemini.json --project . --as-trusted --format jsonl");
        let row = found.into_iter().find(|row| row["id"] == refused["id"]).unwrap();
        (row["before"].clone(), row["now"].clone())
    };
    assert_eq!(settings(&commands), (json!("deny"), json!("deny")));
    assert_eq!(settings(&["sh another.sh"]), (json!("deny"), json!("unknown")));
    assert_eq!(settings(&[]), (json!("deny"), json!("not_run")));
}
