//! Google's `generateContent`.

use serde_json::{Value, json};

use super::exchange::{ModelRequest, ModelTurn, ScriptedReply, list, opening, texts};

pub(super) fn read(body: &Value, streamed: bool) -> ModelRequest {
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

pub(super) fn write(request: &ModelRequest, turn: &ModelTurn) -> ScriptedReply {
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
