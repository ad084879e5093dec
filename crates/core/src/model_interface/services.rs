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

pub(super) fn read_generate_content(body: &Value, streamed: bool) -> ModelRequest {
    let model = |content: &Value| content.get("role").and_then(Value::as_str) == Some("model");
    let contents = list(body, "contents");
    let declarations = list(body, "tools").iter().flat_map(|tool| list(tool, "functionDeclarations"));
    ModelRequest {
        tools: texts(declarations, "name"),
        turns: contents.iter().filter(|content| model(content)).count(),
        opening: opening(contents, model),
        conversation: json!([body.get("systemInstruction"), body.get("contents")]),
        streamed,
    }
}

pub(super) fn write_generate_content(request: &ModelRequest, turn: &ModelTurn) -> ScriptedReply {
    let parts: Vec<Value> = if turn.calls().is_empty() {
        vec![json!({ "text": turn.sentence() })]
    } else {
        let call =
            |call: &super::exchange::ScriptedCall| json!({ "functionCall": { "name": call.tool, "args": call.input } });
        turn.calls().iter().map(call).collect()
    };
    let content = json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
        "modelVersion": "stand-in",
    });
    if request.streamed {
        ScriptedReply::stream([(None, content.to_string())])
    } else {
        ScriptedReply::document(&content)
    }
}

pub(super) fn read_messages(body: &Value) -> ModelRequest {
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

pub(super) fn write_messages(request: &ModelRequest, turn: &ModelTurn, number: usize) -> ScriptedReply {
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

pub(super) fn read_responses(body: &Value) -> ModelRequest {
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

pub(super) fn write_responses(turn: &ModelTurn, number: usize) -> ScriptedReply {
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
