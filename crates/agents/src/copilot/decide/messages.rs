//! The texts that Copilot CLI writes around the answers of hooks before it sends them to its model (spec §5.1).

use serde_json::Value;

use super::super::spelling::native_tool;
use hookbench_base::dialects::Scene;

/// Returns the message with the context that hooks added on an event, by its camelCase name. `None` if the model gets
/// only the context.
pub fn context_message(event: &str, scene: &Scene, context: &str) -> Option<String> {
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).map_or("", native_tool);
    match event {
        "preToolUse" => Some(format!("Additional context from preToolUse hook:\n{context}")),
        "postToolUse" => {
            Some(format!("Tool \"{tool}\" succeeded. Additional guidance from postToolUse hooks:\n{context}"))
        }
        "postToolUseFailure" => {
            Some(format!("Tool \"{tool}\" failed. Additional guidance from postToolUseFailure hooks:\n{context}"))
        }
        "userPromptSubmitted" => Some(format!("<system_reminder>\n{context}\n</system_reminder>")),
        _ => None,
    }
}
