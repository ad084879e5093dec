//! Events from telemetry against what hooks of the same sessions read on stdin (`telemetry/`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use hookbench::core::recorded::{PayloadSource, RecordedEvent};
use hookbench::core::transcript::event_gaps;
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::files::{TranscriptFile, read, read_text, root};

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

/// The recording of one session: its telemetry, what its hooks read, and how the two differ.
struct SessionCase {
    telemetry: &'static str,
    stdin: &'static str,
    /// The number of events in the telemetry, and of payloads that hooks read.
    counts: (usize, usize),
    /// `Event key` for each value that differs, with the number of events.
    differences: &'static [(&'static str, usize)],
    refused: usize,
}

const SESSIONS: [SessionCase; 5] = [
    // The record shows the input after a hook has rewritten it. The refused call is in no record, and neither are the start and
    // the end of the session.
    SessionCase {
        telemetry: "codex.jsonl",
        stdin: "codex-stdin.jsonl",
        counts: (38, 41),
        differences: &[("PreToolUse tool_input", 1)],
        refused: 0,
    },
    SessionCase {
        telemetry: "claude-hooks.jsonl",
        stdin: "claude-stdin.jsonl",
        counts: (30, 34),
        differences: &[("PreToolUse tool_input", 1)],
        refused: 1,
    },
    // Logs and detailed spans. The spans have the input before a hook has rewritten it.
    SessionCase {
        telemetry: "claude-traces.jsonl",
        stdin: "claude-traces-stdin.jsonl",
        counts: (22, 26),
        differences: &[],
        refused: 2,
    },
    SessionCase { telemetry: "qwen.json", stdin: "qwen-stdin.jsonl", counts: (34, 57), differences: &[], refused: 1 },
    SessionCase {
        telemetry: "copilot.jsonl",
        stdin: "copilot-stdin.jsonl",
        counts: (20, 42),
        differences: &[],
        refused: 1,
    },
];

/// What a rebuilt event has equals what the hook read; what it lacks is listed as a gap.
#[test]
fn rebuilt_events_equal_what_hooks_read_up_to_their_gaps() {
    for case in SESSIONS {
        let name = case.telemetry;
        let stdins: Vec<Value> = stdins(case.stdin).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let events = events(name);
        let mut differences: BTreeMap<String, usize> = BTreeMap::new();
        let mut read_before = BTreeSet::new();
        for event in &events {
            let rebuilt = body(event);
            let gaps = event_gaps(event);
            let missing: BTreeSet<&str> = gaps.iter().map(|gap| gap.path[0].as_str()).collect();
            let known = ["hook_event_name", "tool_use_id", "tool_call_id", "prompt", "tool_name"];
            let same = |(index, read): &(usize, &Value)| {
                let mut keys = known.iter().filter(|key| rebuilt.get(**key).is_some() && !missing.contains(**key));
                !read_before.contains(index) && keys.all(|key| read.get(*key) == rebuilt.get(*key))
            };
            // Calls without an id may end in another order.
            let is_whole = |(_, read): &(usize, &Value)| read.get("tool_input") == rebuilt.get("tool_input");
            let candidates = stdins.iter().enumerate().filter(same);
            let found = candidates.clone().find(is_whole).or_else(|| candidates.clone().next());
            let (index, read) = found.unwrap_or_else(|| panic!("{name}: no hook read {rebuilt}"));
            read_before.insert(index);
            for (key, value) in read.as_object().unwrap() {
                match rebuilt.get(key) {
                    None => assert!(missing.contains(key.as_str()), "{name}: {key} is missing in {rebuilt}"),
                    Some(own) if own != value && !missing.contains(key.as_str()) => {
                        *differences.entry(format!("{} {key}", event.event)).or_default() += 1;
                    }
                    Some(_) => {}
                }
            }
            let gap = gaps.iter().find(|gap| gap.path.len() == 1 && !gap.is_cut && read.get(&gap.path[0]).is_none());
            assert_eq!(gap, None, "{name}: no hook read it: {read}");
            let more = rebuilt.as_object().unwrap().keys().find(|key| read.get(key).is_none());
            assert_eq!(more, None, "{name}: {rebuilt}");
        }
        let wanted = case.differences.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect();
        assert_eq!(differences, wanted, "{name}");
        assert_eq!((events.len(), stdins.len()), case.counts, "{name}");
        let refused = events.iter().filter(|event| event.verdict.as_deref() == Some("deny")).count();
        assert_eq!(refused, case.refused, "{name}");
    }
}

/// Spans and logs of a call make one event, whichever comes first, with the input of the span and the rest of the logs.
#[test]
fn spans_and_logs_of_a_call_are_one_event() {
    let file = TranscriptFile::of(&root().join("tests/transcripts/telemetry/claude-traces.jsonl"));
    let text = file.text();
    let [logs, spans] = text.lines().collect::<Vec<_>>().try_into().unwrap();
    // The keys of each call beside its input, its verdict, and a hash of the input.
    let calls = |lines: &[&str]| -> BTreeMap<String, (Vec<String>, Option<String>, Value)> {
        let all = read_text(file.format(), lines.join("\n").as_bytes(), None).events;
        let before: Vec<_> = all.iter().filter(|event| event.event == "PreToolUse").collect();
        let ids: BTreeSet<&str> = all.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids.len(), all.len(), "no event is there twice");
        let call = |event: &&RecordedEvent| {
            let body = body(event);
            let keys = body.as_object().unwrap().keys().filter(|key| *key != "tool_input").cloned().collect();
            (
                body["tool_use_id"].as_str().unwrap().to_owned(),
                (keys, event.verdict.clone(), body["tool_input"].clone()),
            )
        };
        before.iter().map(call).collect()
    };
    let (of_logs, of_spans) = (calls(&[logs]), calls(&[spans]));
    let both = calls(&[logs, spans]);
    assert_eq!(calls(&[spans, logs]), both);
    assert_eq!((of_logs.len(), of_spans.len(), both.len()), (12, 12, 12));
    for (id, (keys, verdict, input)) in &both {
        assert_eq!((keys, verdict), (&of_logs[id].0, &of_logs[id].1), "{id}");
        assert_eq!((verdict, input), (&of_spans[id].1, &of_spans[id].2), "{id}");
    }
    let differs = both.iter().filter(|(id, (_, _, input))| *input != of_logs[*id].2).map(|(id, _)| id.as_str());
    // Rewritten, cut, missing and nested in the logs.
    assert_eq!(differs.collect::<Vec<_>>(), ["toolu_02_0", "toolu_03_0", "toolu_07_0", "toolu_10_0"]);
}

/// Resource attributes name the repository and the user.
#[test]
fn an_event_has_the_repository_and_the_user_of_its_record() {
    let origins: BTreeSet<_> =
        events("claude-hooks.jsonl").into_iter().map(|event| (event.repository, event.person)).collect();
    let word = |text: &str| Some(text.to_owned());
    assert_eq!(origins, BTreeSet::from([(word("shop"), word("ann@example.com"))]));
}

/// What was cut is said for each event.
#[test]
fn cut_and_nested_values_are_gaps() {
    let always = ["transcript_path is missing", "cwd is missing", "effort is missing", "permission_mode is missing"];
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
        "PreToolUse mcp__mem__put: mcp_server is missing, tool_input.v.deep is missing",
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
