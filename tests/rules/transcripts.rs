//! Files from which recorded events are read: recordings of the real agents and small handwritten ones, for every
//! format (`tests/transcripts/<kind>/`). The parsed events are snapshots; common properties are asserted.
#![allow(clippy::disallowed_methods, reason = "reads the files")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

mod files;
mod import;
mod properties;
mod telemetry;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use files::{ParsedTranscript, TranscriptFile, all, read};
use hookbench::core::dialects;
use hookbench::core::recorded::{FileShape, PayloadSource, RecordedEvent};
use hookbench::core::transcript::event_gaps;
use pretty_assertions::assert_eq;
use serde_json::Value;

/// All parsed events, one line each.
fn page(got: &ParsedTranscript) -> String {
    let mut page = String::new();
    for session in &got.sessions {
        let (version, project) = (session.version.as_deref(), session.project.as_deref());
        let title = session.title.as_deref();
        writeln!(
            page,
            "session {} of {}: {version:?}, {project:?}, {title:?}, {:?} to {:?}",
            session.session, session.agent, session.started, session.ended
        )
        .unwrap();
    }
    for event in &got.events {
        let at = event.source.as_ref().map_or(0, |source| source.line);
        write!(page, "{at}: {} {}", event.event, event.subject.as_deref().unwrap_or("-")).unwrap();
        if event.payload_source != PayloadSource::Rebuilt {
            write!(page, " ({})", event.payload_source.word()).unwrap();
        }
        if let Some(verdict) = &event.verdict {
            write!(page, " = {verdict}").unwrap();
        }
        writeln!(page, "\n    {}", String::from_utf8_lossy(&event.payload)).unwrap();
        for run in &event.runs {
            let (out, err) = (run.report.stdout.text(), run.report.stderr.text());
            let took = run.report.timing.duration();
            writeln!(page, "    {}: {}, {took:?}, {out:?}, {err:?}", run.hook, run.report.exit.describe()).unwrap();
        }
    }
    for (line, why) in &got.skipped {
        writeln!(page, "{line}: skipped: {why}").unwrap();
    }
    page
}

#[test]
fn every_file_is_read() {
    for fixture in all() {
        let got = read(&fixture);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../transcripts/read");
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!(fixture.name(), page(&got)));
    }
}

#[test]
fn every_format_has_a_file() {
    let known: BTreeSet<&str> = hookbench::core::transcript::formats().map(|format| format.kind()).collect();
    let there: BTreeSet<String> = all().iter().map(|fixture| fixture.kind.clone()).collect();
    let missing: Vec<&&str> = known.iter().filter(|kind| !there.contains(**kind) && **kind != "event-lines").collect();
    assert!(missing.is_empty(), "no file of {missing:?}");
}

/// Reconstructed payloads have the same keys, in the same order, as the agent's own payloads.
#[test]
fn rebuilt_payloads_are_like_recorded_ones() {
    // Keys that no session file has. All other keys that are always sent must be there.
    let untold: &[(&str, &[&str])] = &[
        ("claude", &["background_tasks", "session_crons", "duration_ms"]),
        (
            "qwen",
            &[
                "permission_mode",
                "prompt_id",
                "tool_use_id",
                "duration_ms",
                "background_tasks",
                "crons",
                "context_usage",
                "context_limit",
                "input_tokens",
                // In older versions the project's path is only known as a hash.
                "cwd",
            ],
        ),
        ("gemini", &["cwd"]),
        ("kimi", &["cwd", "is_steer", "stop_hook_active"]),
        ("hermes", &[]),
        ("vibe", &["cwd", "transcript_path", "parent_session_id", "tool_output_text", "duration_ms"]),
        (
            "cline",
            &[
                "cwd",
                "timestamp",
                "taskId",
                "sessionContext",
                "workspaceInfo",
                "agent_id",
                "parent_agent_id",
                "iteration",
                "durationMs",
                "startedAt",
                "endedAt",
            ],
        ),
        ("codebuddy", &["permission_mode", "version", "stop_hook_active", "background_tasks", "session_crons"]),
        ("codex", &["transcript_path"]),
        ("copilot", &[]),
        (
            "droid",
            &[
                "CLAUDE_ENV_FILE",
                "tool_execution_count",
                "elapsed_time",
                "reason",
                "session_duration_ms",
                "message_count",
            ],
        ),
    ];
    let mut wrong = BTreeSet::new();
    let mut compared = BTreeMap::new();
    for fixture in all() {
        for event in read(&fixture).events.iter().filter(|event| event.payload_source == PayloadSource::Rebuilt) {
            let sent = recorded(&event.agent, &event.event);
            let mine = keys(&event.payload);
            let name = format!("{} {} of {}", event.agent, event.event, fixture.name());
            let Some(first) = sent.first() else { continue };
            *compared.entry(event.agent.clone()).or_insert(0) += 1;
            let always = first.iter().filter(|key| sent.iter().all(|keys| keys.contains(key)));
            let untold = untold.iter().find(|(agent, _)| *agent == event.agent).unwrap().1;
            for key in always.filter(|key| !mine.contains(key) && !untold.contains(&key.as_str())) {
                // Keys that old versions did not write are unknown.
                let then = fixture.name().contains("-old");
                let is_gap = event_gaps(event).iter().any(|gap| gap.path[0] == **key);
                if !then && !is_gap && !left_out(event, key) && fixture.kind != "seed001-transcript" {
                    wrong.insert(format!("{name} lacks {key}"));
                }
            }
            let inside = ["agent_id", "agent_type", "parent_agent_id", "is_interrupt", "submitted_prompt"];
            for key in mine.iter().filter(|key| sent.iter().all(|keys| !keys.contains(key))) {
                if !inside.contains(&key.as_str()) && fixture.kind != "seed001-transcript" {
                    wrong.insert(format!("{name} has {key}"));
                }
            }
            let ordered = |one: &Vec<String>| {
                let common: Vec<&String> = mine.iter().filter(|key| one.contains(key)).collect();
                let theirs: Vec<&String> = one.iter().filter(|key| mine.contains(key)).collect();
                common == theirs
            };
            if !sent.iter().any(ordered) && fixture.kind != "seed001-transcript" {
                wrong.insert(format!("{name} has another order: {mine:?}"));
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "\n  {}\n", wrong.join("\n  "));
    for dialect in dialects::released().filter(|dialect| !dialect.transcripts().is_empty()) {
        assert!(compared.get(dialect.id().as_str()).is_some_and(|count| *count > 8), "{compared:?}");
    }
}

/// Returns true for keys that only some files have.
fn left_out(event: &RecordedEvent, key: &str) -> bool {
    matches!(
        (event.event.as_str(), key),
        // The program rewrites the summary in its own words.
        ("PostCompact", "compact_summary")
        // Sub-agents' files only have the result for the model.
        | ("PostToolUse", "tool_response")
        // Only prompts have the mode.
        | ("PreToolUse" | "PostToolUse" | "PostToolBatch" | "SubagentStop", "permission_mode")
        | ("SubagentStart" | "UserPromptSubmit" | "Stop", "turn_id" | "permission_mode" | "model")
        | ("PreToolUse" | "PostToolUse", "turn_id")
    )
}

fn keys(payload: &[u8]) -> Vec<String> {
    let payload: Value = serde_json::from_slice(payload).unwrap();
    payload.as_object().unwrap().keys().cloned().collect()
}

/// Returns the keys of every recorded payload of that event.
fn recorded(agent: &str, event: &str) -> Vec<Vec<String>> {
    let file = files::root().join("tests/recordings").join(agent).join(format!("{event}.jsonl"));
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let payload = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let payload = value.get("stdin").cloned().unwrap_or(value);
        let held = dialects::by_id(agent).unwrap().held_payload(event, &payload);
        held.unwrap_or(payload).as_object().unwrap().keys().cloned().collect()
    };
    text.lines().map(payload).collect()
}

/// The recorded session and recorded payloads of the same session have the same values.
#[test]
fn the_recorded_session_agrees_with_its_payloads() {
    let directory = files::root().join("tests/transcripts/claude-transcript");
    let got = read(&TranscriptFile::of(&directory.join("recorded.jsonl")));
    let counts = counted(&got);
    assert_eq!(counts["PreToolUse"], 9);
    assert_eq!((counts["PostToolUse"], counts["PostToolUseFailure"], counts["PostToolBatch"]), (7, 1, 8));
    assert_eq!((counts["UserPromptSubmit"], counts["Stop"]), (2, 2));
    assert!(got.skipped.is_empty(), "{:?}", got.skipped);
    let sent = std::fs::read_to_string(files::root().join("tests/recordings/claude/PostToolUse.jsonl")).unwrap();
    let mut equal = 0;
    for line in sent.lines() {
        let sent: Value = serde_json::from_str(line).unwrap();
        let same = |event: &&RecordedEvent| {
            let payload: Value = serde_json::from_slice(&event.payload).unwrap();
            event.event == "PostToolUse"
                && payload["tool_input"] == sent["tool_input"]
                && payload["tool_use_id"] == sent["tool_use_id"]
        };
        let Some(event) = got.events.iter().find(same) else { continue };
        let rebuilt: Value = serde_json::from_slice(&event.payload).unwrap();
        for key in ["session_id", "cwd", "permission_mode", "effort", "tool_name", "tool_input", "tool_response"] {
            assert_eq!(rebuilt[key], sent[key], "{key} of {}", sent["tool_use_id"]);
            assert_eq!(rebuilt[key].to_string(), sent[key].to_string(), "{key}, letter by letter");
        }
        equal += 1;
    }
    assert!(equal >= 1, "no payload of this session was recorded");
    // The hooks of that session, on the events for which they ran.
    let runs: Vec<(&str, usize, Option<&str>)> = got
        .events
        .iter()
        .filter(|event| !event.runs.is_empty())
        .map(|event| (event.event.as_str(), event.runs.len(), event.verdict.as_deref()))
        .collect();
    assert_eq!(
        runs,
        [
            ("PostToolUse", 1, None),
            ("PreToolUse", 1, Some("deny")),
            ("PreToolUse", 1, Some("allow")),
            ("Stop", 1, Some("no_objection")),
            ("PostToolUse", 1, None),
            ("Stop", 1, Some("no_objection")),
        ]
    );
}

#[test]
fn the_recorded_sub_agent_is_told_apart() {
    let directory = files::root().join("tests/transcripts/claude-transcript");
    let main = read(&TranscriptFile::of(&directory.join("recorded.jsonl")));
    let sub = read(&TranscriptFile::of(&directory.join("recorded-subagent.jsonl")));
    assert_eq!(main.sessions.last().unwrap().session, sub.sessions.last().unwrap().session);
    assert!(main.events.iter().all(|event| event.agent_id.is_none()));
    let id = Some("a967df7c707d0ddaf".to_owned());
    assert!(sub.events.iter().all(|event| event.agent_id == id));
    let names: Vec<&str> = sub.events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(names, ["SubagentStart", "PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStop"]);
    let kinds: BTreeSet<Option<&str>> = sub.events.iter().map(|event| event.subject.as_deref()).collect();
    assert_eq!(kinds, BTreeSet::from([None, Some("Bash"), Some("general-purpose")]));
}

fn counted(got: &ParsedTranscript) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in &got.events {
        *counts.entry(event.event.clone()).or_insert(0) += 1;
    }
    counts
}

/// A reconstructed payload can be fired: its agent recognises it, knows the event, and fills in missing keys.
#[test]
fn every_event_is_its_agent_s() {
    for fixture in all() {
        for event in read(&fixture).events {
            let dialect = dialects::by_id(&event.agent).unwrap();
            let version = dialects::default_version(dialect);
            let spec = dialects::find_event(dialect, &version, &event.event);
            let name = format!("{} {}", fixture.name(), event.event);
            assert!(spec.is_some(), "{name} is no event of {}", dialect.name());
            let body: Value = serde_json::from_slice(&event.payload).unwrap();
            assert_eq!(body["hook_event_name"], event.event.as_str(), "{name}");
            // A sub-agent may have a session of its own.
            let sessions = [Some(event.session.as_str()), event.agent_id.as_deref()];
            assert!(sessions.contains(&body["session_id"].as_str()), "{name}");
        }
    }
}

#[test]
fn whole_files_say_on_which_line_a_record_begins() {
    for fixture in all().iter().filter(|fixture| fixture.format().shape() == FileShape::Whole) {
        let lines: Vec<String> = fixture.text().lines().map(str::to_owned).collect();
        for event in read(fixture).events {
            let line = event.source.unwrap().line;
            let begins = &lines[usize::try_from(line).unwrap() - 1];
            assert!(begins.trim_start().starts_with('{'), "{}:{line}: {begins}", fixture.name());
        }
    }
}
