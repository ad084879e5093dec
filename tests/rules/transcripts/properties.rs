//! Properties of every format: growing, truncated and damaged files.

use hookbench::core::recorded::{FileShape, RecordedEvent};
use hookbench::core::transcript::formats;
use proptest::prelude::*;

use super::files::{TranscriptFile, all, read, read_text};

fn ids(events: &[RecordedEvent]) -> Vec<&str> {
    events.iter().map(|event| event.id.as_str()).collect()
}

#[test]
fn reading_twice_gives_the_same() {
    for fixture in all() {
        let (once, twice) = (read(&fixture), read(&fixture));
        assert_eq!(once, twice, "{}", fixture.name());
        let mut distinct = ids(&once.events);
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), once.events.len(), "{}: two events have one id", fixture.name());
    }
}

/// Reads the first `length` bytes of a file. Events returned line by line are a prefix of the events of the whole
/// file. The end of the file adds a few more, and each of them is also among the later events of the whole file.
fn check_prefix(fixture: &TranscriptFile, text: &[u8], length: usize) {
    let format = fixture.format();
    let whole = read_text(format, text, None);
    let part = read_text(format, &text[..length], None);
    let name = format!("{} cut after {length} bytes", fixture.name());
    let (all, some) = (ids(&whole.events), ids(&part.events));
    assert!(all.starts_with(&some[..part.before_the_end]), "{name}: what came first changes");
    let lost: Vec<&&str> = some.iter().filter(|id| !all.contains(id)).collect();
    assert!(lost.is_empty(), "{name}: events that never were: {lost:?}");
}

#[test]
fn a_growing_file_only_adds_events() {
    for fixture in all().iter().filter(|fixture| fixture.format().shape() == FileShape::Lines) {
        let text = fixture.text().into_bytes();
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        for end in ends {
            check_prefix(fixture, &text, end);
            // With half of the next line.
            check_prefix(fixture, &text, (end + 25).min(text.len()));
        }
    }
}

#[test]
fn a_half_written_line_is_said() {
    for fixture in all().iter().filter(|fixture| fixture.format().shape() == FileShape::Lines) {
        let text = fixture.text().into_bytes();
        let lines = fixture.text().lines().count() as u64;
        let got = read_text(fixture.format(), &text[..text.len() - 3], None);
        let half = (lines, "the last line is incomplete".to_owned());
        assert!(got.skipped.contains(&half), "{}: {:?}", fixture.name(), got.skipped);
    }
}

#[test]
fn damage_costs_its_own_line_only() {
    let damage: [(&[u8], &str); 4] = [
        (b"\xff\xfe\x00garbage", "not UTF-8"),
        (b"{\"type\":\"caf\xe9\"}", "not UTF-8"),
        (b"\0\0\0\0\0\0", "zero bytes"),
        (b"}{", "not JSON"),
    ];
    for fixture in all().iter().filter(|fixture| fixture.format().shape() == FileShape::Lines) {
        let text = fixture.text().into_bytes();
        let whole = read_text(fixture.format(), &text, None);
        let mut damaged = Vec::new();
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        for (index, line) in lines.iter().enumerate() {
            damaged.extend_from_slice(line);
            damaged.extend_from_slice(damage[index % damage.len()].0);
            damaged.extend_from_slice(b"\r\n");
        }
        let got = read_text(fixture.format(), &damaged, None);
        assert_eq!(got.events.len(), whole.events.len(), "{}", fixture.name());
        for index in 0..lines.len() {
            let line = 2 * index as u64 + 2;
            let says = damage[index % damage.len()].1;
            let said = got.skipped.iter().any(|(at, why)| *at == line && why.starts_with(says));
            assert!(said, "{}:{line}: {says}", fixture.name());
        }
    }
}

#[test]
fn line_ends_do_not_matter() {
    for fixture in all().iter().filter(|fixture| fixture.format().shape() == FileShape::Lines) {
        let text = fixture.text();
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let (plain, other) =
            (read_text(fixture.format(), text.as_bytes(), None), read_text(fixture.format(), windows.as_bytes(), None));
        assert_eq!(plain, other, "{}", fixture.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_beginning_can_be_read(cut in 0.0..1.0_f64) {
        for fixture in all() {
            let text = fixture.text().into_bytes();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small file")]
            let at = (text.len() as f64 * cut) as usize;
            if fixture.format().shape() == FileShape::Lines {
                check_prefix(&fixture, &text, at);
            } else {
                read_text(fixture.format(), &text[..at], None);
            }
        }
    }

    #[test]
    fn nothing_makes_a_reader_fail(lines in prop::collection::vec(odd_line(), 0..12)) {
        let text = lines.join("\n");
        for format in formats() {
            read_text(format, text.as_bytes(), Some(text.clone()));
        }
    }
}

/// JSON that resembles a record.
fn odd_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "user",
        "assistant",
        "system",
        "attachment",
        "tool_result",
        "tool_call",
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "function_call",
        "function_call_output",
        "user_message",
        "task_complete",
        "gemini",
        "qwen",
        "stop_hook_summary",
        "compact_boundary",
        "a",
        "",
    ]);
    let key = prop::sample::select(vec![
        "type",
        "uuid",
        "sessionId",
        "id",
        "message",
        "content",
        "parts",
        "payload",
        "attachment",
        "subtype",
        "name",
        "input",
        "arguments",
        "call_id",
        "output",
        "toolCalls",
        "args",
        "result",
        "status",
        "$set",
        "messages",
        "hook_event_name",
        "stdin",
        "schema",
        "cwd",
        "timestamp",
        "turnId",
        "projectHash",
        "toolCallResult",
        "functionCall",
        "functionResponse",
        "response",
        "is_error",
        "tool_use_id",
        "systemPayload",
        "text",
    ]);
    let leaf = prop_oneof![
        word.prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
        "\\PC{0,12}".prop_map(serde_json::Value::from),
    ];
    let value = leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    });
    value.prop_map(|value| value.to_string())
}
