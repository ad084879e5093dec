//! OpenAI's Responses.

use serde_json::{Value, json};

use super::exchange::{ModelRequest, ModelTurn, ScriptedReply, list, opening, texts};

pub(super) fn read(body: &Value) -> ModelRequest {
    let said = |item: &Value| item.get("role").and_then(Value::as_str) == Some("assistant");
    let made = |item: &Value| said(item) || matches!(kind(item), "function_call" | "custom_tool_call" | "reasoning");
    let input = list(body, "input");
    ModelRequest {
        tools: texts(list(body, "tools"), "name"),
        // Calls that were made together are one turn, and so is a sentence before a call.
        turns: input.chunk_by(|a, b| made(a) == made(b)).filter(|items| items.first().is_some_and(made)).count(),
        opening: opening(input, made),
        conversation: json!([body.get("instructions"), body.get("input")]),
        streamed: true,
    }
}

pub(super) fn write(turn: &ModelTurn, number: usize) -> ScriptedReply {
    let items: Vec<Value> = if turn.calls().is_empty() {
        let text = json!({ "type": "output_text", "text": turn.sentence(), "annotations": [] });
        let id = format!("msg_{number:04}");
        vec![json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [text] })]
    } else {
        let call = |(at, call): (usize, &super::exchange::ScriptedCall)| match call.input.as_str() {
            // The input of a free-form tool is a text.
            Some(text) => json!({
                "type": "custom_tool_call", "id": format!("ctc_{number:04}{at}"), "call_id": format!("call_{number:04}{at}"),
                "name": call.tool, "input": text, "status": "completed",
            }),
            None => {
                let mut item = json!({
                    "type": "function_call", "id": format!("fc_{number:04}{at}"), "call_id": format!("call_{number:04}{at}"),
                    "name": call.tool, "arguments": call.input.to_string(), "status": "completed",
                });
                if let Some(namespace) = &call.namespace {
                    item["namespace"] = Value::from(namespace.as_str());
                }
                item
            }
        };
        turn.calls().iter().enumerate().map(call).collect()
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 1,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 2,
    });
    let response = |status: &str, output: &[Value]| {
        json!({
            "id": format!("resp_{number:04}"), "object": "response", "created_at": 1, "model": "stand-in",
            "status": status, "output": output, "usage": usage,
        })
    };
    let mut events = vec![json!({ "type": "response.created", "response": response("in_progress", &[]) })];
    for (at, item) in items.iter().enumerate() {
        events.push(json!({ "type": "response.output_item.added", "output_index": at, "item": item }));
        events.push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
    }
    events.push(json!({ "type": "response.completed", "response": response("completed", &items) }));
    ScriptedReply::stream(events.iter().map(|event| (event.get("type").and_then(Value::as_str), event.to_string())))
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}
