//! Reads the fields of a hook output in the same way as the agent. Each agent adds the keys that only it reads.

use serde_json::Value;

use hookbench_base::text::{to_js_string, truthy};

const NO_REASON: &str = "No reason provided";

/// An output: of one hook, or merged.
#[derive(Debug, Clone, Copy)]
pub struct TypedOutput<'a>(pub &'a Value);

impl<'a> TypedOutput<'a> {
    /// Returns a top-level key as a text, if its value is truthy.
    pub fn truthy_text(self, key: &str) -> Option<String> {
        self.0.get(key).filter(|v| truthy(v)).map(to_js_string)
    }

    /// Returns the value of a key in `hookSpecificOutput`.
    pub fn specific_output(self, key: &str) -> Option<&'a Value> {
        self.0.get("hookSpecificOutput")?.get(key)
    }

    /// Returns the top-level `decision` if it is a string.
    pub fn decision(self) -> Option<&'a str> {
        self.0.get("decision").and_then(Value::as_str)
    }

    /// Returns whether `decision` is exactly `block` or `deny`.
    pub fn blocks(self) -> bool {
        matches!(self.decision(), Some("block" | "deny"))
    }

    /// Returns whether `continue` is exactly false.
    pub fn stops(self) -> bool {
        self.0.get("continue") == Some(&Value::Bool(false))
    }

    /// Returns `stopReason`, or `reason`, or a default text.
    pub fn effective_reason(self) -> String {
        self.truthy_text("stopReason").or_else(|| self.truthy_text("reason")).unwrap_or_else(|| NO_REASON.to_owned())
    }

    /// Returns the unescaped `additionalContext` if it is a string.
    pub fn raw_context(self) -> Option<&'a str> {
        self.specific_output("additionalContext").and_then(Value::as_str)
    }

    /// Returns the context with `<` and `>` escaped, as most events deliver it. `None` if it is empty.
    pub fn context(self) -> Option<String> {
        self.raw_context().map(escape_angles).filter(|c| !c.is_empty())
    }
}

/// Replaces `<` and `>` with entities.
pub fn escape_angles(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
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
}
