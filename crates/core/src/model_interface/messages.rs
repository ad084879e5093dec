//! Anthropic's Messages.

use serde_json::{Value, json};

use super::exchange::{ModelRequest, ModelTurn, ScriptedReply, list, opening, texts};

pub(super) fn read(body: &Value) -> ModelRequest {
    let assistant = |message: &Value| message.get("role").and_then(Value::as_str) == Some("assistant");
    let messages = list(body, "messages");
    ModelRequest {
        tools: texts(list(body, "tools"), "name"),
        turns: messages.iter().filter(|message| assistant(message)).count(),
        opening: opening(messages, assistant),
        conversation: json!([body.get("system"), body.get("messages")]),
        streamed: body.get("stream") == Some(&Value::Bool(true)),
    }
}

pub(super) fn write(request: &ModelRequest, turn: &ModelTurn, number: usize) -> ScriptedReply {
    let calls = turn.calls();
    let stop = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let id = format!("msg_{number:04}");
    let block = |at: usize, tool: &str, input: &Value| json!({ "type": "tool_use", "id": format!("toolu_{number:04}{at}"), "name": tool, "input": input });
    if !request.streamed {
        let content: Vec<Value> = if calls.is_empty() {
            vec![json!({ "type": "text", "text": turn.sentence() })]
        } else {
            calls.iter().enumerate().map(|(at, call)| block(at, &call.tool, &call.input)).collect()
        };
        return ScriptedReply::document(&json!({
            "id": id, "type": "message", "role": "assistant", "model": "stand-in", "content": content,
            "stop_reason": stop, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
        }));
    }
    let message = json!({
        "id": id, "type": "message", "role": "assistant", "model": "stand-in", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    let mut content = |at: usize, begun: Value, delta: Value| {
        events.push(json!({ "type": "content_block_start", "index": at, "content_block": begun }));
        events.push(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": at }));
    };
    if calls.is_empty() {
        content(0, json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": turn.sentence() }));
    }
    for (at, call) in calls.iter().enumerate() {
        let input = json!({ "type": "input_json_delta", "partial_json": call.input.to_string() });
        content(at, block(at, &call.tool, &json!({})), input);
    }
    events.push(json!({
        "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": { "output_tokens": 5 },
    }));
    events.push(json!({ "type": "message_stop" }));
    let named = events.iter().map(|event| (event.get("type").and_then(Value::as_str), event.to_string()));
    ScriptedReply::stream(named)
}
