//! Typed access to an output, as the client reads it (spec §6).

use serde_json::Value;

use hookbench_base::text::{to_js_string, truthy};

const NO_REASON: &str = "No reason provided";

/// An output: of one hook, or merged.
#[derive(Debug, Clone, Copy)]
pub struct TypedOutput<'a>(pub &'a Value);

impl<'a> TypedOutput<'a> {
    fn truthy_text(self, key: &str) -> Option<String> {
        self.0.get(key).filter(|v| truthy(v)).map(to_js_string)
    }

    /// Returns a key of `hookSpecificOutput`, if that is an object.
    pub fn specific_output(self, key: &str) -> Option<&'a Value> {
        self.0.get("hookSpecificOutput")?.get(key)
    }

    /// Returns the top-level decision, if it is a text.
    pub fn decision(self) -> Option<&'a str> {
        self.0.get("decision").and_then(Value::as_str)
    }

    /// Returns whether `decision` is exactly `block` or `deny`.
    pub fn blocks(self) -> bool {
        matches!(self.decision(), Some("block" | "deny"))
    }

    /// Returns whether `decision` is exactly `ask`.
    pub fn asks(self) -> bool {
        self.decision() == Some("ask")
    }

    /// Returns whether `continue` is exactly false.
    pub fn stops(self) -> bool {
        self.0.get("continue") == Some(&Value::Bool(false))
    }

    /// Returns `stopReason`, or `reason`, or a default text.
    pub fn effective_reason(self) -> String {
        self.truthy_text("stopReason").or_else(|| self.truthy_text("reason")).unwrap_or_else(|| NO_REASON.to_owned())
    }

    /// Returns the message for the user.
    pub fn message(self) -> Option<String> {
        self.truthy_text("systemMessage")
    }

    /// Returns the context as delivered, with `<` and `>` as entities; an empty one counts as missing.
    pub fn context(self) -> Option<String> {
        let raw = self.specific_output("additionalContext").and_then(Value::as_str).filter(|c| !c.is_empty())?;
        Some(raw.replace('<', "&lt;").replace('>', "&gt;"))
    }

    /// Returns the arguments that replace the tool's.
    pub fn tool_input(self) -> Option<&'a Value> {
        self.specific_output("tool_input").filter(|v| v.is_object())
    }

    /// Returns the tool call whose result replaces this one.
    pub fn tail_call(self) -> Option<&'a Value> {
        self.specific_output("tailToolCallRequest").filter(|v| v.is_object())
    }

    /// Returns whether the chat is reset.
    pub fn clears_context(self) -> bool {
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
    fn reasons_and_contexts() {
        for (output, want) in [
            (json!({"stopReason": "", "reason": "r"}), "r"),
            (json!({"stopReason": ["a", "b"], "reason": "r"}), "a,b"),
            (json!({"reason": null}), NO_REASON),
            (json!({"reason": 5}), "5"),
        ] {
            assert_eq!(TypedOutput(&output).effective_reason(), want, "{output}");
        }
        let context =
            |value: Value| TypedOutput(&json!({"hookSpecificOutput": {"additionalContext": value}})).context();
        assert_eq!(context(json!("<b> & ")), Some("&lt;b&gt; & ".to_owned()));
        assert_eq!((context(json!("")), context(json!(5))), (None, None));
    }

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
