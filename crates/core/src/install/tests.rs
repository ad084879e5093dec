//! Tests that installing and removing entries restores the file.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::edits::foreign_content;
use super::*;
use crate::dialects::settings_format::FileForm;
use crate::text::JsonSyntax;
use crate::text::edit::comments;

const LENIENT: FileForm = FileForm {
    syntax: JsonSyntax { comments: true, trailing_commas: false, bom: true },
    is_top_level: false,
    list: None,
    script: None,
};
const HERE: &str = "/opt/hookbench";

fn wanted(events: &[&str]) -> Vec<WantedEntry> {
    let command = "hookbench forward --agent x".to_owned();
    events
        .iter()
        .map(|e| WantedEntry { event: (*e).to_owned(), command: command.clone(), timeout: json!(300) })
        .collect()
}

fn put(text: &str, events: &[&str]) -> Insertion {
    insert_entries(MarkedText::new(text), LENIENT, HERE, &wanted(events)).unwrap()
}

fn out(text: &str, known: Option<&MarkedText>) -> Removal {
    remove_entries(text, LENIENT, HERE, known).unwrap()
}

/// Returns the comments of a text, in order.
fn notes(text: &str) -> Vec<String> {
    comments(text, 0, text.len()).iter().map(|c| text[c.start..c.end].to_owned()).collect()
}

const FILES: &[&str] = &[
    "",
    "\n",
    "\r\n",
    "\u{feff}",
    "\u{feff}{}",
    "{}",
    "{ }",
    "{\n}\n",
    "{ \"a\": 1 }",
    "{\"a\":1}\r\n",
    "{\r\n  \"a\": 1\r\n}\r\n",
    "{ \"hooks\": {} }",
    "{\n  \"hooks\": {}\n}",
    "{\"hooks\":{\"Stop\":[]}}",
    "{\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t}\n}",
    "{ \"hooks\": { /* none */ } } // end",
    "{\n  // first\n  \"hooks\": {\n    \"Stop\": [\n      // mine\n      { \"hooks\": [ {\"type\": \"command\", \"command\": \"a\"} ] } // after\n      // end\n    ] // list\n  }\n}",
    "{\"hooks\":{\"Start\":[{\"hooks\":[{\"command\":\"a\"}]}],\"Stop\":[{\"hooks\":[{\"command\":\"b\"}]}]},\"z\":[1,2]}",
    "{\"a\": \"}//,\", // c\u{a0}\n}",
];

#[test]
fn installed_twice_and_taken_out() {
    for text in FILES {
        for events in [&["Stop"][..], &["Start", "Stop"], &["Stop", "End", "Start"]] {
            let Ok(first) = insert_entries(MarkedText::new(*text), LENIENT, HERE, &wanted(events)) else {
                assert!(text.contains(",  //") || text.contains("1, //") || text.contains("//,\","), "{text}");
                continue;
            };
            assert!(first.states.iter().all(|state| *state == EntryState::Added), "{text}");
            let again = insert_entries(first.marked.clone(), LENIENT, HERE, &wanted(events)).unwrap();
            assert_eq!(again.marked, first.marked, "{text}");
            assert!(again.states.iter().all(|state| *state == EntryState::Unchanged), "{text}");
            let gone = out(&first.marked.text, Some(&again.marked));
            assert_eq!((gone.text.as_str(), gone.exact, gone.removed.len()), (*text, true, events.len()));
        }
    }
}

/// Events at top level, beside those of the user.
#[test]
fn events_without_a_table() {
    let top = FileForm { is_top_level: true, ..LENIENT };
    let group = |command: &str| json!({"hooks": [{"type": "command", "command": command}]});
    for text in [
        "",
        "{}",
        "{\n  \"Stop\": [ /* mine */ ] // end\n}\n",
        "{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}],\"hooks\":{\"Stop\":[]}}",
    ] {
        let put = insert_entries(MarkedText::new(text), top, HERE, &wanted(&["Stop", "Start"])).unwrap();
        let value = read_settings(&put.marked.text, top).unwrap().unwrap().to_value();
        let own = json!({"type": "command", "command": "hookbench forward --agent x", "timeout": 300});
        for event in ["Stop", "Start"] {
            assert_eq!(
                value[event].as_array().and_then(|groups| groups.last()),
                Some(&json!({"hooks": [own]})),
                "{text}"
            );
        }
        assert_eq!(value["Stop"].as_array().unwrap().len() == 2, text.contains("\"a\""), "{text}");
        let gone = remove_entries(&put.marked.text, top, HERE, Some(&put.marked)).unwrap();
        assert_eq!((gone.text.as_str(), gone.exact, gone.removed.len()), (text, true, 2));
        let cut = remove_entries(&put.marked.text, top, HERE, None).unwrap().text;
        let left = read_settings(&cut, top).unwrap().unwrap().to_value();
        assert_eq!(left.get("Start"), None, "{text}");
        let stop = left.get("Stop").cloned();
        assert_eq!(
            stop.filter(|groups| *groups != json!([])),
            text.contains("\"a\"").then(|| json!([group("a")])),
            "{text}"
        );
    }
}

/// Entries on some events leave a file, and the rest can still be removed exactly.
#[test]
fn events_that_another_file_has() {
    let text = "{\n  \"hooks\": { /* mine */ },\n  \"a\": 1\n}\n";
    let mut marked = put(text, &["Start", "Stop", "End"]).marked;
    let removed = remove_events(&mut marked, LENIENT, HERE, &["Stop", "Other"]).unwrap();
    assert_eq!(removed.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(), ["Stop"]);
    let left = find_entries(&marked.text, LENIENT, HERE).unwrap();
    assert_eq!(left.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(), ["Start", "End"]);
    let gone = out(&marked.text, Some(&marked));
    assert_eq!((gone.text.as_str(), gone.exact), (text, true));
}

/// Adds events later, to an unchanged file and to a file changed in between.
#[test]
fn installed_bit_by_bit() {
    let text = "{\n  \"hooks\": {},\n  \"model\": \"a\"\n}\n";
    let first = put(text, &["Stop"]);
    let second = insert_entries(first.marked.clone(), LENIENT, HERE, &wanted(&["Start", "Stop"])).unwrap();
    assert_eq!(second.states, [EntryState::Added, EntryState::Unchanged]);
    assert_eq!(out(&second.marked.text, Some(&second.marked)).text, text);
    let changed = first.marked.text.replace("\"a\"", "\"b\"");
    let third = insert_entries(first.marked.rebase(&changed).unwrap(), LENIENT, HERE, &wanted(&["Start"])).unwrap();
    let gone = out(&third.marked.text, Some(&third.marked));
    assert_eq!((gone.text, gone.exact), (text.replace("\"a\"", "\"b\""), true));
}

#[test]
fn old_entries_are_brought_up_to_date() {
    let text = "{\"hooks\": {\"Stop\": [{\"matcher\": \"m\", \"hooks\": [\n  {\"type\": \"command\", \"command\": \"/old/hookbench forward --agent x\"}, {\"command\": \"mine\"}]}],\n  \"End\": [{\"hooks\": [{\"command\": \"hookbench forward --agent x\", \"timeout\": 5, \"name\": \"n\"}]}]}}";
    let done = put(text, &["Stop", "End"]);
    assert_eq!(done.states, [EntryState::Updated, EntryState::Updated]);
    let want = text
        .replace("\"/old/hookbench forward --agent x\"", "\"hookbench forward --agent x\", \"timeout\": 300")
        .replace("\"timeout\": 5", "\"timeout\": 300");
    assert_eq!(done.marked.text, want);
    // Entries that were there before are hookbench's too.
    let gone = out(&done.marked.text, Some(&done.marked));
    assert_eq!(gone.text, "{\"hooks\": {\"Stop\": [{\"matcher\": \"m\", \"hooks\": [ {\"command\": \"mine\"}]}]}}");
}

/// Removes entries without a recorded insertion.
#[test]
fn cut_out_by_their_command() {
    let own = "{\"command\": \"hookbench forward\"}";
    let group = format!("{{\"hooks\": [{own}]}}");
    for (text, want) in [
        ("{\"hooks\": {\"S\": [GROUP]}}", "{}"),
        ("{\"a\": 1,\n \"hooks\": {\"S\": [GROUP], \"T\": [GROUP, GROUP]}\n}", "{\"a\": 1\n}"),
        ("{\"hooks\": {\"S\": [GROUP]}, \"a\": 1}", "{ \"a\": 1}"),
        (
            "{\"hooks\": {\"S\": [{\"matcher\": \"x\", \"hooks\": [A, OWN, B, OWN]}]}}",
            "{\"hooks\": {\"S\": [{\"matcher\": \"x\", \"hooks\": [A, B]}]}}",
        ),
        (
            "{\"hooks\": {\"S\": [ // a,\n GROUP, // b\n GROUP // c\n]}}",
            "{\"hooks\": {\"S\": [ // a,\n // b\n // c\n]}}",
        ),
        ("{\"hooks\": {\"S\": [ // a\n GROUP, A]}}", "{\"hooks\": {\"S\": [ // a\n A]}}"),
        ("{\"hooks\": {\"S\": [A, /* b */ GROUP /* c */, B]}}", "{\"hooks\": {\"S\": [A, /* b */ /* c */ B]}}"),
        ("{\"hooks\": {\"S\": [A // a\n , // b\n GROUP]}}", "{\"hooks\": {\"S\": [A // a\n  // b\n ]}}"),
        ("{\"hooks\": {/* why */ \"S\": [GROUP]}}", "{\"hooks\": {/* why */}}"),
        ("{\"hooks\": {\"S\": [GROUP]}, \"hooks\": {\"S\": [GROUP]}}", "{}"),
    ] {
        let fill = |text: &str| {
            let foreign = |name: &str| format!("{{\"command\": \"{name}\"}}");
            let text = text.replace("GROUP", &group).replace("OWN", own);
            text.replace("A]", &format!("{}]", foreign("a")))
                .replace("[A", &format!("[{}", foreign("a")))
                .replace(" A", &format!(" {}", foreign("a")))
                .replace(" B", &format!(" {}", foreign("b")))
        };
        let gone = out(&fill(text), None);
        assert_eq!((gone.text, gone.exact), (fill(want), false), "{text}");
        assert!(read_settings(&fill(want), LENIENT).is_ok(), "{want}");
    }
}

#[test]
fn a_file_that_cannot_be_read_stays() {
    for text in ["{ nope", "{\"hooks\": {}", "[1,]"] {
        assert!(remove_entries(text, LENIENT, HERE, None).is_err(), "{text}");
        assert!(insert_entries(MarkedText::new(text), LENIENT, HERE, &wanted(&["Stop"])).is_err(), "{text}");
    }
    for text in ["[]", "{\"hooks\": 1}", "{\"hooks\": {\"Stop\": {}}}"] {
        assert!(insert_entries(MarkedText::new(text), LENIENT, HERE, &wanted(&["Stop"])).is_err(), "{text}");
        assert_eq!(out(text, None).text, text);
    }
}

/// Generates settings with arbitrary whitespace and comments.
fn settings() -> impl Strategy<Value = String> {
    let handlers = prop::collection::vec("[a-z]{1,3}", 0..3);
    let groups = prop::collection::vec(handlers, 0..3);
    let events = prop::collection::vec(("(Start|Stop|Other)", groups), 0..4);
    let others = prop::collection::vec(("[a-c]", 0u8..9), 0..3);
    let blanks = prop::collection::vec(
        prop::sample::select(vec![
            "",
            "",
            " ",
            "\n",
            "\n  ",
            "\r\n",
            "\t",
            "/* \" , */",
            " // ] ,\n",
            "// é\u{a0}\r\n",
        ]),
        200,
    );
    (prop::option::of(events), others, any::<bool>(), blanks).prop_map(|(events, others, first, blanks)| {
        let mut root: Vec<(String, Value)> = others.into_iter().map(|(key, n)| (key, json!([n, "x//y"]))).collect();
        if let Some(events) = events {
            let group = |handlers: Vec<String>| {
                let all: Vec<Value> = handlers.iter().map(|name| json!({"type": "command", "command": name})).collect();
                json!({ "hooks": all })
            };
            let mut table = serde_json::Map::new();
            for (event, groups) in events {
                table.insert(event, groups.into_iter().map(group).collect());
            }
            let at = if first { 0 } else { root.len() };
            root.insert(at, ("hooks".to_owned(), Value::Object(table)));
        }
        let root: serde_json::Map<String, Value> = root.into_iter().collect();
        let mut blanks = blanks.into_iter().cycle();
        spread(&Value::Object(root), &mut blanks)
    })
}

fn spread(value: &Value, blanks: &mut impl Iterator<Item = &'static str>) -> String {
    let mut out = blanks.next().unwrap().to_owned();
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&spread(item, blanks));
            }
            out.push_str(blanks.next().unwrap());
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&format!("{}\"{key}\"{}:", blanks.next().unwrap(), blanks.next().unwrap()));
                out.push_str(&spread(item, blanks));
            }
            out.push_str(blanks.next().unwrap());
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
    out + blanks.next().unwrap()
}

proptest! {
    #[test]
    fn installing_and_uninstalling_is_nothing(
        text in settings(),
        first in prop::sample::subsequence(vec!["Start", "Stop", "End"], 1..=3),
        second in prop::sample::subsequence(vec!["Start", "Stop", "End"], 1..=3),
    ) {
        let once = put(&text, &first).marked;
        let twice = insert_entries(once, LENIENT, HERE, &wanted(&second)).unwrap().marked;
        let gone = out(&twice.text, Some(&twice));
        prop_assert_eq!(&gone.text, &text);
        prop_assert!(gone.exact);
        // Without a record, the settings and the comments are the same.
        let cut = out(&twice.text, None);
        prop_assert_eq!(foreign_content(&cut.text, LENIENT, HERE).unwrap(), foreign_content(&text, LENIENT, HERE).unwrap());
        prop_assert_eq!(notes(&cut.text), notes(&text));
        prop_assert!(find_entries(&cut.text, LENIENT, HERE).unwrap().is_empty());
    }

    /// Files in a serializer's layout are restored without a record.
    #[test]
    fn plain_files_are_given_back_without_a_memory(
        others in prop::collection::btree_map("[a-c]", 0u8..9, 0..3),
        groups in prop::collection::vec("[a-z]{1,3}", 0..3),
        events in prop::sample::subsequence(vec!["Start", "Stop", "End"], 1..=3),
        (unit, ends) in (prop::sample::select(vec!["  ", "    ", "\t"]), prop::sample::select(vec!["\n", "\r\n"])),
    ) {
        let mut root = json!(others);
        if !groups.is_empty() {
            let group = |name: &String| json!({"hooks": [{"type": "command", "command": name}]});
            root["hooks"] = json!({"Stop": groups.iter().map(group).collect::<Vec<_>>()});
        }
        let text = serde_json::to_string_pretty(&root).unwrap().replace("  ", unit).replace('\n', ends) + ends;
        prop_assert_eq!(out(&put(&text, &events).marked.text, None).text, text);
    }
}
