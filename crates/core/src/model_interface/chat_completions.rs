//! OpenAI's Chat Completions.

use serde_json::{Value, json};

use super::exchange::{ModelRequest, ModelTurn, ScriptedReply, list, opening, texts};

pub(super) fn read(body: &Value) -> ModelRequest {
    let assistant = |message: &Value| message.get("role").and_then(Value::as_str) == Some("assistant");
    let messages = list(body, "messages");
    ModelRequest {
        tools: texts(list(body, "tools").iter().filter_map(|tool| tool.get("function")), "name"),
        turns: messages.iter().filter(|message| assistant(message)).count(),
        opening: opening(messages, assistant),
        conversation: json!([body.get("messages")]),
        streamed: body.get("stream") == Some(&Value::Bool(true)),
    }
}

pub(super) fn write(request: &ModelRequest, turn: &ModelTurn, number: usize) -> ScriptedReply {
    let calls: Vec<Value> = turn
        .calls()
        .iter()
        .enumerate()
        .map(|(at, call)| {
            json!({
                "index": at, "id": format!("call_{number:04}{at}"), "type": "function",
                "function": { "name": call.tool, "arguments": call.input.to_string() },
            })
        })
        .collect();
    let (message, finish) = if calls.is_empty() {
        (json!({ "role": "assistant", "content": turn.sentence() }), "stop")
    } else {
        (json!({ "role": "assistant", "content": null, "tool_calls": calls }), "tool_calls")
    };
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let id = format!("chatcmpl-{number:04}");
    if !request.streamed {
        return ScriptedReply::document(&json!({
            "id": id, "object": "chat.completion", "created": 1, "model": "stand-in", "usage": usage,
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        }));
    }
    let chunk = |choice: Value, usage: Option<&Value>| {
        let mut chunk = json!({
            "id": id, "object": "chat.completion.chunk", "created": 1, "model": "stand-in", "choices": [choice],
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage.clone();
        }
        (None, chunk.to_string())
    };
    ScriptedReply::stream([
        chunk(json!({ "index": 0, "delta": message, "finish_reason": null }), None),
        chunk(json!({ "index": 0, "delta": {}, "finish_reason": finish }), Some(&usage)),
        (None, "[DONE]".to_owned()),
    ])
}
