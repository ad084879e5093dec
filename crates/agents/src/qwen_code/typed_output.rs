//! Reads the keys of a hook output that only Qwen Code has (spec §14).

use serde_json::Value;

pub use crate::shared::gemini_fork::answer::TypedOutput;
use crate::shared::gemini_fork::answer::escape_angles;
use crate::shared::javascript::trim;
use hookbench_base::text::utf16_prefix;

/// The length at which the context of an expanded command is cut.
const EXPANSION: usize = 10_000;
/// The length at which the context of a compaction is cut.
const COMPACTION: usize = 4_000;

/// The permission of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Allow,
    Deny,
    Ask,
}

impl<'a> TypedOutput<'a> {
    /// Returns the permission of PreToolUse: `permissionDecision` if it is a known word, otherwise the meaning of
    /// `decision`.
    pub(super) fn permission(self) -> Option<Permission> {
        match self.specific_output("permissionDecision").and_then(Value::as_str) {
            Some("allow") => return Some(Permission::Allow),
            Some("deny") => return Some(Permission::Deny),
            Some("ask") => return Some(Permission::Ask),
            _ => {}
        }
        match self.decision()? {
            "allow" | "approve" => Some(Permission::Allow),
            "deny" | "block" => Some(Permission::Deny),
            "ask" => Some(Permission::Ask),
            _ => None,
        }
    }

    /// Returns the reason of a PreToolUse permission: `permissionDecisionReason`, or `reason` if that is not a
    /// string. `None` if it is empty.
    pub(super) fn permission_reason(self) -> Option<String> {
        match self.specific_output("permissionDecisionReason") {
            Some(Value::String(reason)) => Some(reason.clone()).filter(|r| !r.is_empty()),
            _ => self.truthy_text("reason"),
        }
    }

    /// Returns the context of an expanded command: `&` is escaped too, and the text is cut without leaving a
    /// broken entity.
    pub(super) fn expansion_context(self) -> Option<String> {
        self.raw_context().map(expansion_text).filter(|c| !c.is_empty())
    }

    /// Returns the context without surrounding whitespace.
    pub(super) fn trimmed_context(self) -> Option<String> {
        let context = self.context()?;
        Some(trim(&context).to_owned()).filter(|c| !c.is_empty())
    }

    /// Returns the context of a compaction, trimmed and cut.
    pub(super) fn compaction_context(self) -> Option<String> {
        self.trimmed_context().map(|c| utf16_prefix(&c, COMPACTION).into_owned())
    }

    /// Returns the decision of PermissionRequest, if it is an object.
    pub(super) fn request_decision(self) -> Option<&'a Value> {
        self.specific_output("decision").filter(|d| d.is_object())
    }

    /// Returns the valid artifacts.
    pub(super) fn artifacts(self) -> Vec<Value> {
        self.specific_output("artifacts").map(artifacts).unwrap_or_default()
    }
}

/// Replaces `&`, `<` and `>` with entities.
pub fn escape_all(text: &str) -> String {
    escape_angles(&text.replace('&', "&amp;"))
}

/// Formats the context of an expanded command for the model and for the next hook of a chain.
pub fn expansion_text(raw: &str) -> String {
    let escaped = escape_all(raw);
    let cut = utf16_prefix(&escaped, EXPANSION);
    let broken = ["&", "&a", "&am", "&amp", "&l", "&lt", "&g", "&gt"];
    let cut = broken.iter().find_map(|end| cut.strip_suffix(end)).unwrap_or(&cut);
    cut.to_owned()
}

/// Returns the valid entries of a list of artifacts.
pub fn artifacts(value: &Value) -> Vec<Value> {
    value.as_array().into_iter().flatten().filter(|v| is_artifact(v)).cloned().collect()
}

/// Returns whether an artifact has the shape that the agent accepts (spec §16).
fn is_artifact(value: &Value) -> bool {
    const TEXTS: [&str; 7] = ["kind", "storage", "description", "workspacePath", "managedId", "url", "mimeType"];
    const SAFE: f64 = 9_007_199_254_740_991.0;
    let Some(object) = value.as_object() else { return false };
    let plain = |v: &Value| !v.is_array() && !v.is_object();
    object.get("title").is_some_and(Value::is_string)
        && TEXTS.iter().all(|key| object.get(*key).is_none_or(Value::is_string))
        && object
            .get("sizeBytes")
            .is_none_or(|size| size.as_f64().is_some_and(|n| n.fract() == 0.0 && (0.0..=SAFE).contains(&n)))
        && object.get("metadata").is_none_or(|m| m.as_object().is_some_and(|m| m.values().all(plain)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn permissions_and_reasons() {
        for (output, permission, reason) in [
            (
                json!({"decision": "deny", "reason": "r", "hookSpecificOutput": {"permissionDecision": "allow"}}),
                Some(Permission::Allow),
                Some("r"),
            ),
            (
                json!({"decision": "deny", "hookSpecificOutput": {"permissionDecision": "nope", "permissionDecisionReason": 7}, "reason": {}}),
                Some(Permission::Deny),
                Some("[object Object]"),
            ),
            (
                json!({"decision": "approve", "hookSpecificOutput": {"permissionDecisionReason": ""}, "reason": "x"}),
                Some(Permission::Allow),
                None,
            ),
            (json!({"decision": "DENY"}), None, None),
            (json!({"decision": "ask", "hookSpecificOutput": null}), Some(Permission::Ask), None),
        ] {
            let typed = TypedOutput(&output);
            assert_eq!((typed.permission(), typed.permission_reason().as_deref()), (permission, reason), "{output}");
        }
        assert_eq!(TypedOutput(&json!({"stopReason": ["a"], "reason": "r"})).effective_reason(), "a");
    }

    #[test]
    fn contexts() {
        assert_eq!(expansion_text("a & <b>"), "a &amp; &lt;b&gt;");
        assert_eq!(expansion_text(&format!("{}<", "x".repeat(9_998))), "x".repeat(9_998));
        assert_eq!(expansion_text(&format!("{}<", "x".repeat(9_996))), format!("{}&lt;", "x".repeat(9_996)));
        let output = json!({"hookSpecificOutput": {"additionalContext": " a <b> & "}});
        assert_eq!(TypedOutput(&output).context().as_deref(), Some(" a &lt;b&gt; & "));
        assert_eq!(TypedOutput(&output).trimmed_context().as_deref(), Some("a &lt;b&gt; &"));
    }

    #[test]
    fn artifacts_are_checked() {
        for (value, want) in [
            (json!({"title": "t"}), true),
            (json!({"title": "t", "sizeBytes": 0, "metadata": {"a": null, "b": 1}}), true),
            (json!({"title": "t", "sizeBytes": 1.5}), false),
            (json!({"title": "t", "metadata": {"a": []}}), false),
            (json!({"title": "t", "url": null}), false),
            (json!({"title": 5}), false),
            (json!("t"), false),
        ] {
            assert_eq!(is_artifact(&value), want, "{value}");
        }
    }
}
