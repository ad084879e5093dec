//! The keys of an output that only this agent's client reads (spec §6).

use serde_json::Value;

pub use crate::shared::gemini_fork::typed_output::TypedOutput;

impl<'a> TypedOutput<'a> {
    /// Returns whether `decision` is exactly `ask`.
    pub(super) fn asks(self) -> bool {
        self.decision() == Some("ask")
    }

    /// Returns the message for the user.
    pub(super) fn message(self) -> Option<String> {
        self.truthy_text("systemMessage")
    }

    /// Returns the arguments that replace the tool's.
    pub(super) fn tool_input(self) -> Option<&'a Value> {
        self.specific_output("tool_input").filter(|v| v.is_object())
    }

    /// Returns the tool call whose result replaces this one.
    pub(super) fn tail_call(self) -> Option<&'a Value> {
        self.specific_output("tailToolCallRequest").filter(|v| v.is_object())
    }

    /// Returns whether the chat is reset.
    pub(super) fn clears_context(self) -> bool {
        self.specific_output("clearContext") == Some(&Value::Bool(true))
    }
}

/// Returns whether a replacement for the model's answer has the shape that the agent can convert; it throws on any
/// other.
pub fn is_convertible(response: &Value) -> bool {
    let parts = |candidate: &Value| candidate.pointer("/content/parts").is_some_and(Value::is_array);
    response.get("candidates").and_then(Value::as_array).is_some_and(|all| all.iter().all(parts))
}

/// Returns whether the first candidate of an answer has content.
pub fn has_parts(response: &Value) -> bool {
    let parts = response.pointer("/candidates/0/content/parts");
    parts.and_then(Value::as_array).is_some_and(|parts| !parts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn responses() {
        for (response, want) in [
            (json!({}), (false, false)),
            (json!("x"), (false, false)),
            (json!({"candidates": []}), (true, false)),
            (json!({"candidates": [{"content": {"parts": []}}]}), (true, false)),
            (json!({"candidates": [{"content": {"parts": ["x"]}}]}), (true, true)),
            (json!({"candidates": [{"content": {"parts": ["x"]}}, null]}), (false, true)),
        ] {
            assert_eq!((is_convertible(&response), has_parts(&response)), want, "{response}");
        }
    }
}
