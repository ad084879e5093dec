//! Events from telemetry against what hooks of the same sessions read on stdin (`telemetry/`).

use std::collections::BTreeSet;
use std::fs;

use hookbench::core::recorded::{PayloadSource, RecordedEvent};
use hookbench::core::transcript::event_gaps;
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::files::{TranscriptFile, read, root};

fn events(file: &str) -> Vec<RecordedEvent> {
    read(&TranscriptFile::of(&root().join("tests/transcripts/telemetry").join(file))).events
}

fn stdins(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("tests/rules/transcripts/telemetry").join(file)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn body(event: &RecordedEvent) -> Value {
    serde_json::from_slice(&event.payload).unwrap()
}

/// A record of a hook's run holds its stdin, byte for byte, and all that it answered.
#[test]
fn recorded_runs_have_the_payload_that_the_hook_read() {
    let events = events("gemini.json");
    assert!(events.iter().all(|event| event.payload_source == PayloadSource::Recorded), "no call is there twice");
    let found: BTreeSet<String> =
        events.iter().map(|event| String::from_utf8(event.payload.clone()).unwrap()).collect();
    assert_eq!(found, stdins("gemini-stdin.jsonl").into_iter().collect());
    let refused: Vec<&RecordedEvent> = events.iter().filter(|event| event.verdict.is_some()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!((body(refused[0])["tool_input"]["command"].as_str(), refused[0].runs.len()), (Some("echo denyme"), 2));
    let runs: usize = events.iter().map(|event| event.runs.len()).sum();
    assert_eq!(runs, 69, "each run once");
}

/// What a rebuilt event has equals what the hook read; what it lacks is listed as a gap.
#[test]
fn rebuilt_events_equal_what_hooks_read_up_to_their_gaps() {
    let stdins: Vec<Value> =
        stdins("codex-stdin.jsonl").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events = events("codex.jsonl");
    let mut differences = BTreeSet::new();
    for event in &events {
        let rebuilt = body(event);
        let same = |read: &&Value| {
            ["hook_event_name", "tool_use_id", "prompt"].iter().all(|key| read.get(key) == rebuilt.get(key))
        };
        let read = stdins.iter().find(same).unwrap_or_else(|| panic!("no hook read {rebuilt}"));
        let missing: BTreeSet<String> = event_gaps(event).iter().map(|gap| gap.path[0].clone()).collect();
        for (key, value) in read.as_object().unwrap() {
            match rebuilt.get(key) {
                None => assert!(missing.contains(key), "{key} is missing in {rebuilt}"),
                Some(own) if own != value => {
                    differences.insert(format!("{} {key}: {own} for {value}", event.event));
                }
                Some(_) => {}
            }
        }
        let more = rebuilt.as_object().unwrap().keys().find(|key| read.get(key).is_none());
        assert_eq!(more, None, "{rebuilt}");
    }
    // The record shows the input after a hook has rewritten it.
    let rewritten = r#"PreToolUse tool_input: {"command":"echo rewritten"} for {"command":"echo rewriteme"}"#;
    assert_eq!(differences.into_iter().collect::<Vec<_>>(), [rewritten]);
    // The refused call is in no record, and neither are the start and the end of the session.
    assert_eq!((events.len(), stdins.len()), (38, 41));
}

/// What was cut is said for each event.
#[test]
fn cut_and_nested_values_are_gaps() {
    let always = ["transcript_path is missing", "cwd is missing", "effort is missing"];
    let gaps = |file: &str| -> Vec<String> {
        let of = |event: RecordedEvent| {
            let gaps = event_gaps(&event).into_iter().map(|gap| gap.to_string());
            let gaps: Vec<String> = gaps.filter(|gap| !always.contains(&gap.as_str())).collect();
            format!("{} {}: {}", event.event, event.subject.unwrap_or_default(), gaps.join(", "))
        };
        events(file).into_iter().map(of).filter(|line| !line.starts_with("PostToolUse")).collect()
    };
    let with_details = [
        "UserPromptSubmit : prompt is missing",
        "PreToolUse Bash: ",
        "PreToolUse Bash: ",
        "PreToolUse Bash: ",
        "PreToolUse Read: ",
        "PreToolUse Edit: ",
        "PreToolUse Write: tool_input.content is cut",
        "PreToolUse mcp__mem__put: tool_input.v.deep is missing",
    ];
    assert_eq!(gaps("claude-details.jsonl"), with_details);
    let plain = [
        "UserPromptSubmit : prompt is missing",
        "PreToolUse Bash: tool_input is missing",
        "PreToolUse Bash: tool_input is missing",
        "PreToolUse Bash: tool_input is missing",
        "PreToolUse Read: tool_input is missing",
        "PreToolUse Edit: tool_input is missing",
        "PreToolUse Write: tool_input is missing",
        "PreToolUse : tool_name is missing, tool_input is missing",
    ];
    assert_eq!(gaps("claude-plain.jsonl"), plain);
}
