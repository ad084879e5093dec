//! The import use case: files and directories, the events in the sink, and the report about everything else.

use hookbench::core::names::AgentId;
use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use hookbench::app::{
    ImportCounts, ImportError, ImportProgress, ImportReport, Sink, SinkError, UNREADABLE, import, sessions_of,
};
use hookbench::core::config::Place;
use hookbench::core::recorded::{RecordedEvent, RecordedSession, format_event_line, parse_event_line};

use super::files::root;

/// A sink that keeps everything and recognises duplicates.
#[derive(Default)]
struct RecordingSink {
    events: Vec<RecordedEvent>,
    ids: HashSet<String>,
    sessions: Vec<RecordedSession>,
    batches: usize,
}

impl Sink for RecordingSink {
    fn receive(&mut self, session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        let mut added = ImportCounts::default();
        for event in events {
            assert_eq!((&event.agent, &event.session), (&session.agent, &session.session));
            if self.ids.insert(event.id.clone()) {
                added.new += 1;
                self.events.push(event);
            } else {
                added.known += 1;
            }
        }
        self.sessions.push(session.clone());
        Ok(added)
    }

    fn commit(&mut self) -> Result<(), SinkError> {
        self.batches += 1;
        Ok(())
    }
}

fn place() -> Place {
    Place { project: "/home/u/p".to_owned(), home: "/home/u".to_owned(), ..Place::default() }
}

fn run(path: &Path, sink: &mut dyn Sink) -> Result<ImportReport, ImportError> {
    import(path, &place(), sink, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn every_recording_is_imported() {
    let mut kept = RecordingSink::default();
    let report = run(&root().join("tests/recordings"), &mut kept).unwrap();
    // The numbers from the README beside the recordings.
    for (agent, events, files) in [
        ("claude", 62, 30),
        ("qwen", 195, 22),
        ("gemini", 58, 11),
        ("codex", 42, 14),
        ("copilot", 47, 14),
        ("droid", 63, 5),
        ("kimi", 27, 10),
        ("codebuddy", 26, 10),
        ("vibe", 38, 3),
        ("hermes", 33, 14),
        ("cline", 10, 5),
    ] {
        let own: Vec<&RecordedEvent> = kept.events.iter().filter(|event| event.agent == agent).collect();
        assert_eq!(own.len(), events, "{agent}");
        let names: HashSet<&str> = own.iter().map(|event| event.event.as_str()).collect();
        assert_eq!(names.len(), files, "{agent}");
    }
    assert_eq!(report.sources.iter().map(|source| source.recorded).sum::<u64>(), 601);
    for source in &report.sources {
        let event = source.file.file_stem().unwrap().to_str().unwrap();
        let agent = source.file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let event = hookbench::core::dialects::by_id(agent).unwrap().main_spelling(event);
        assert_eq!(source.by_event.keys().collect::<Vec<_>>(), [event], "{}", source.file.display());
        assert_eq!((source.kind, source.skipped_lines, source.rebuilt), ("payloads", 0, 0));
    }
    // The payload bytes are those of the file.
    let text = fs::read_to_string(root().join("tests/recordings/claude/Stop.jsonl")).unwrap();
    let stops: Vec<&str> = kept
        .events
        .iter()
        .filter(|event| event.agent == "claude" && event.event == "Stop")
        .map(|event| std::str::from_utf8(&event.payload).unwrap())
        .collect();
    assert_eq!(stops, text.lines().collect::<Vec<_>>());
    let versions: HashSet<_> = kept.events.iter().filter(|e| e.agent == "qwen").map(|e| e.version.clone()).collect();
    assert_eq!(versions, HashSet::from([Some("0.24.4".to_owned())]));
}

#[test]
fn importing_again_adds_what_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("growing");
    let text = fs::read_to_string(root().join("tests/transcripts/claude-transcript/recorded.jsonl")).unwrap();
    let mut kept = RecordingSink::default();
    let mut sum = 0;
    for part in [text.len() / 3, text.len() / 2, text.len(), text.len()] {
        fs::write(&file, &text.as_bytes()[..part]).unwrap();
        let source = run(&file, &mut kept).unwrap().sources.remove(0);
        assert_eq!(source.added.new + source.added.known, source.events);
        assert_eq!(source.added.known, sum, "all that was there is known");
        sum += source.added.new;
    }
    assert_eq!(sum, 29);
}

#[test]
fn our_own_lines_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let mut kept = RecordingSink::default();
    run(&root().join("tests/transcripts"), &mut kept).unwrap();
    let lines: String = kept.events.iter().map(|event| format_event_line(event) + "\n").collect();
    let file = dir.path().join("events.txt");
    fs::write(&file, lines.clone() + "{\"schema\":\"event/2\"}\n{\"schema\":\"event/1\"}\n").unwrap();
    let mut again = RecordingSink::default();
    let report = run(&file, &mut again).unwrap();
    let sorted = |mut events: Vec<RecordedEvent>| {
        events.sort_by(|a, b| a.id.cmp(&b.id));
        events
    };
    assert_eq!(report.sources[0].kind, "event-lines");
    let whys: Vec<&str> = report.sources[0].skipped.iter().map(|skipped| skipped.why.as_str()).collect();
    assert!(
        whys[0].starts_with("written by a newer hookbench") && whys[1].starts_with("not an event line"),
        "{whys:?}"
    );
    assert_eq!(sorted(again.events), sorted(kept.events));
    assert!(lines.lines().all(|line| parse_event_line(line).is_ok()));
}

#[test]
fn directories_are_walked_by_content() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let text = fs::read(root().join("tests/transcripts/codex-rollout/made.jsonl")).unwrap();
    put("deep/er/no-ending", &text);
    put("notes.md", b"# hello\n");
    put("data.jsonl", b"{\"matcher\":\"Bash\"}\n");
    put("empty.jsonl", b"");
    put(
        "wide.jsonl",
        &[&[0xff, 0xfe][..], &"{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()].concat(),
    );
    let report = run(dir.path(), &mut RecordingSink::default()).unwrap();
    let kinds: Vec<&str> = report.sources.iter().map(|source| source.kind).collect();
    assert_eq!(kinds, [UNREADABLE, "codex-rollout"]);
    assert!(report.sources[0].skipped[0].why.contains("UTF-16"));
    assert_eq!(report.others, 3);
}

#[test]
fn sub_agents_come_with_their_session() {
    let dir = tempfile::tempdir().unwrap();
    let directory = root().join("tests/transcripts/claude-transcript");
    let below = dir.path().join("s/subagents");
    fs::create_dir_all(&below).unwrap();
    fs::copy(directory.join("recorded.jsonl"), dir.path().join("s.jsonl")).unwrap();
    fs::copy(directory.join("recorded-subagent.jsonl"), below.join("agent-a967df7c707d0ddaf.jsonl")).unwrap();
    fs::copy(directory.join("recorded-subagent.meta.json"), below.join("agent-a967df7c707d0ddaf.meta.json")).unwrap();
    let mut kept = RecordingSink::default();
    let report = run(&dir.path().join("s.jsonl"), &mut kept).unwrap();
    assert_eq!(report.sources.iter().map(|source| source.events).collect::<Vec<_>>(), [29, 5]);
    let stop = kept.events.iter().find(|event| event.event == "SubagentStop").unwrap();
    let payload: serde_json::Value = serde_json::from_slice(&stop.payload).unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(payload["transcript_path"], path("s.jsonl"));
    assert_eq!(payload["agent_transcript_path"], path("s/subagents/agent-a967df7c707d0ddaf.jsonl"));
    assert_eq!(payload["agent_type"], "general-purpose");
    // Importing the directory gives the same.
    let mut directory = RecordingSink::default();
    run(dir.path(), &mut directory).unwrap();
    assert_eq!(directory.ids, kept.ids);
}

#[test]
fn files_that_cannot_be_imported() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("notes"), "hello\n").unwrap();
    fs::write(path("empty"), "").unwrap();
    let says = |name: &str| run(&path(name), &mut RecordingSink::default()).unwrap_err().to_string();
    assert!(says("notes").contains("unknown format"), "{}", says("notes"));
    assert!(says("empty").contains("unknown format"));
    assert!(says("gone").contains("gone: the file does not exist"), "{}", says("gone"));
    assert_eq!(run(dir.path(), &mut RecordingSink::default()).unwrap().sources, []);
}

#[test]
fn a_sink_that_fails_ends_it() {
    struct FailingSink;
    impl Sink for FailingSink {
        fn receive(&mut self, _: &RecordedSession, _: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
            Err(SinkError("the disk is full".to_owned()))
        }
    }
    let why = run(&root().join("tests/recordings/claude"), &mut FailingSink).unwrap_err();
    assert_eq!(why.to_string(), "the disk is full");
}

#[test]
fn import_can_be_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let line = fs::read_to_string(root().join("tests/recordings/claude/Stop.jsonl")).unwrap();
    fs::write(dir.path().join("many.jsonl"), line.repeat(5000)).unwrap();
    let mut kept = RecordingSink::default();
    let mut seen: Vec<ImportProgress> = Vec::new();
    let report = import(dir.path(), &place(), &mut kept, &mut |progress| {
        seen.push(progress.clone());
        if progress.events > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let report = report.unwrap();
    assert!(report.cancelled);
    assert_eq!((seen[0].read, seen[0].events, seen[1].files, seen[1].events > 0), (0, 0, 1, true));
    assert!(seen.len() < 50, "{} reports", seen.len());
    assert!(seen.is_sorted_by_key(|progress| progress.read) && seen.last().unwrap().read < seen[0].size);
    assert_eq!(kept.events.len() as u64, report.sources[0].events, "what was read by then is kept");
    assert!(report.sources[0].events < 10_000);
    assert!(kept.batches > 1);
}

/// One line can be longer than a user waits.
#[test]
fn import_can_be_cancelled_inside_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("long.jsonl");
    fs::copy(root().join("tests/recordings/claude/Stop.jsonl"), &file).unwrap();
    let whole = run(&file, &mut RecordingSink::default()).unwrap().sources[0].events;
    fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
    let mut kept = RecordingSink::default();
    let report = import(&file, &place(), &mut kept, &mut |progress| {
        if progress.read > 1 << 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let report = report.unwrap();
    assert!(report.cancelled);
    assert_eq!((kept.events.len() as u64, report.sources[0].skipped_lines), (whole, 0));
}

#[test]
fn own_sessions_are_found_where_agents_keep_them() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let project = "/home/u/p";
    let place = Place { project: project.to_owned(), home: home.to_str().unwrap().to_owned(), ..Place::default() };
    let lay = |to: &str, from: &str| {
        let path = home.join(to);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(root().join("tests/transcripts").join(from), path).unwrap();
    };
    lay(".claude/projects/-home-u-p/s1.jsonl", "claude-transcript/made.jsonl");
    lay(".claude/projects/-home-u-p/s1/subagents/agent-1.jsonl", "claude-transcript/recorded-subagent.jsonl");
    lay(".claude/projects/-home-u-other/s2.jsonl", "claude-transcript/recorded.jsonl");
    lay(".qwen/projects/-home-u-p/chats/q.jsonl", "qwen-transcript/made.jsonl");
    lay(".codex/sessions/2026/03/01/rollout-1.jsonl", "codex-rollout/made.jsonl");
    lay(".codex/sessions/2026/03/01/rollout-2.jsonl", "codex-rollout/subagent.jsonl");
    lay(".gemini/tmp/p/chats/session-1.jsonl", "gemini-transcript/made.jsonl");
    fs::write(home.join(".gemini/tmp/p/.project_root"), project).unwrap();
    lay(".codebuddy/projects/home-u-p/s.jsonl", "codebuddy-session/real-2.117.jsonl");
    // The directory has the start of the hash of the project's path.
    let kimi = ".kimi-code/sessions/wd_p_60ad706fe533/session_1";
    lay(&format!("{kimi}/agents/main/wire.jsonl"), "kimi-session/real-2.1.jsonl");
    fs::write(home.join(kimi).join("state.json"), r#"{"id": "session_1", "cwd": "/home/u/p"}"#).unwrap();
    let found = sessions_of(&place, None);
    let mut rows: Vec<(String, String, &str)> = found
        .iter()
        .map(|own| (own.session.agent.clone(), own.session.title.clone().unwrap_or_default(), own.kind))
        .collect();
    rows.sort();
    let row = |agent: &str, title: &str, kind| (agent.to_owned(), title.to_owned(), kind);
    assert_eq!(
        rows,
        [
            row("claude", "Fix the failing test", "claude-transcript"),
            row("codebuddy", "first prompt", "codebuddy-session"),
            row("codex", "list the files", "codex-rollout"),
            row("gemini", "use the tools", "gemini-transcript"),
            row("kimi", "first prompt", "kimi-session"),
            row("qwen", "list the files", "qwen-transcript"),
        ]
    );
    assert!(found.iter().all(|own| own.session.started.is_some() && own.bytes > 0 && own.written.is_some()));
    assert_eq!(sessions_of(&place, Some(AgentId::new("qwen"))).len(), 1);
    let elsewhere = Place { project: "/home/u/x".to_owned(), ..place };
    assert_eq!(sessions_of(&elsewhere, None), []);
}
