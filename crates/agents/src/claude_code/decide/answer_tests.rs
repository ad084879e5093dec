//! Tests of single answers: a table over all events, with the outcomes that spec §7, §10 and §13 require.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::events;
use super::tests::{bash, decided, hook, with_extra};
use hookbench_base::decide::Outcome;

/// A row contains the event with the relevant keys of its payload, how the hook ends, and the outcome fields that
/// the specification mentions. A key of `extra` with the value null must be missing.
#[test]
fn answers_of_the_specification() {
    for line in include_str!("../../../../../tests/tables/claude/answers.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap_or("");
        let exit = i32::try_from(row["exit"].as_i64().unwrap_or(0)).unwrap();
        let handler = row.get("handler").cloned().unwrap_or(json!({}));
        let hook = with_extra(handler, hook(exit, text("stdout"), text("stderr")));
        let headless = row["headless"].as_bool().unwrap_or(true);
        let outcome = decided(text("event"), &row["body"], &[hook], headless);
        let got = fields(&outcome);
        for (key, want) in row["want"].as_object().unwrap() {
            match want.as_object().filter(|_| key == "extra") {
                Some(parts) => {
                    for (key, want) in parts {
                        assert_eq!(outcome.extra.get(key).unwrap_or(&Value::Null), want, "extra.{key} of {line}");
                    }
                }
                None => assert_eq!(&got[key], want, "{key} of {line}"),
            }
        }
    }
}

fn fields(outcome: &Outcome) -> Value {
    json!({
        "verdict": outcome.verdict.word(),
        "blocked": outcome.blocked,
        "reason": outcome.reason,
        "additional_context": outcome.additional_context,
        "updated_input": outcome.updated_input,
        "system_message": outcome.system_message,
        "continue": outcome.continues,
        "stop_reason": outcome.stop_reason,
        "suppress_output": outcome.suppress_output,
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(-1),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
        json!("deny"),
        json!("block"),
        json!("allow"),
        json!({"behavior": "deny"}),
        json!({"behavior": 5}),
        json!({"command": "c"}),
        json!(["a", {}]),
        json!("😀".repeat(6000)),
    ])
}

fn any_key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "continue",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "decision",
        "reason",
        "async",
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
        "updatedToolOutput",
        "updatedMCPToolOutput",
        "retry",
        "action",
        "content",
        "displayContent",
        "worktreePath",
        "sessionTitle",
        "watchPaths",
    ])
}

proptest! {
    /// No answer on any event causes a panic, and an event that cannot be stopped is never blocked.
    #[test]
    fn any_answer_on_any_event(
        event in prop::sample::select(events::EVENTS.events),
        top in prop::collection::vec((any_key(), any_value()), 0..4),
        own in prop::collection::vec((any_key(), any_value()), 0..4),
        exit in prop::sample::select(vec![0, 1, 2, 137]),
        named in any::<bool>(),
        headless in any::<bool>(),
    ) {
        let mut answer: serde_json::Map<String, Value> = top.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        let mut inner: serde_json::Map<String, Value> = own.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        if named {
            inner.insert("hookEventName".to_owned(), json!(event.name));
        }
        if !inner.is_empty() {
            answer.insert("hookSpecificOutput".to_owned(), Value::Object(inner));
        }
        let hook = hook(exit, &Value::Object(answer).to_string(), "E");
        let outcome = decided(event.name, &bash(), &[hook], headless);
        prop_assert!(event.blockable_action.is_some() || !outcome.blocked, "{} {:?}", event.name, outcome);
    }
}
