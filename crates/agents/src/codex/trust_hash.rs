//! Hashes a hook exactly as Codex does for its trust (spec §2.2).

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::events::{CONTEXT, label};
use super::schema::{HandlerKind, TEXT_LIMIT};
use hookbench_base::hook::EventSpec;

/// Returns the hash of one handler. `command` is the line for this platform, `timeout` the effective seconds.
pub fn hash(event: &EventSpec, matcher: Option<&str>, kind: &HandlerKind, command: &str, timeout: u64) -> String {
    let handler = match kind {
        HandlerKind::McpTool { server, tool, input } => {
            let input = input.clone().unwrap_or_else(|| json!({}));
            json!({"type": "mcp_tool", "server": server, "tool": tool, "input": input, "timeout": timeout})
        }
        HandlerKind::Command { detached, status, limit, .. } => {
            let mut handler = json!({"type": "command", "command": command, "timeout": timeout, "async": detached});
            if let Some(object) = handler.as_object_mut() {
                // The limit is hashed only on events with context, and only if it differs from the default.
                let limit = limit.filter(|limit| *limit != TEXT_LIMIT && event.honoured_output.contains(&CONTEXT));
                let optional = [
                    ("statusMessage", status.clone().map(Value::from)),
                    ("additionalContextLimit", limit.map(Value::from)),
                ];
                object.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            }
            handler
        }
        // Codex never runs these, so it never trusts them.
        HandlerKind::Prompt | HandlerKind::Agent => json!({}),
    };
    let mut identity = json!({"event_name": label(event.name), "hooks": [handler]});
    // On an event without a subject the matcher is ignored, so it is not hashed.
    if let (Some(object), Some(matcher), Some(_)) = (identity.as_object_mut(), matcher, event.subject) {
        object.insert("matcher".to_owned(), Value::from(matcher));
    }
    let digest = Sha256::digest(sorted(&identity).to_string().as_bytes());
    let mut text = "sha256:".to_owned();
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            let pairs = keys.into_iter().filter_map(|key| Some((key.clone(), sorted(object.get(key)?))));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codex::events::EVENTS;

    fn command(status: Option<&str>, detached: bool, limit: Option<u64>) -> HandlerKind {
        HandlerKind::Command {
            command: String::new(),
            windows: None,
            detached,
            status: status.map(str::to_owned),
            limit,
        }
    }

    /// Hashes that Codex computed.
    #[test]
    fn as_codex_makes_them() {
        let plain = command(None, false, None);
        for (event, matcher, kind, line, timeout, want) in [
            (
                "PreToolUse",
                None,
                &plain,
                "echo a",
                600,
                "4940b41523e276db410f0fa9647a53d6f1701ab02d89a325290b200003683362",
            ),
            (
                "PreToolUse",
                None,
                &plain,
                "true",
                600,
                "a7de97b60e1412f8e936f33ad7e97c04dfe69190d43e61d14c46265643383835",
            ),
            (
                "SessionStart",
                None,
                &command(None, false, Some(10)),
                "head -c 2000 /dev/zero | tr '\\0' 'a'",
                600,
                "a054a2f365ec81cd96d6cdc1fa6ad50f1777671d75f24d3614f716400a01b6c2",
            ),
            (
                "PreToolUse",
                None,
                &command(None, true, None),
                "sleep 0.3; printf '%s' '{\"systemMessage\": \"sm\"}'",
                600,
                "1573d5887f58a2a7544c53550bc30251383d477338354ee263bc200c1968503c",
            ),
            (
                "PreToolUse",
                Some("mcp__mem"),
                &plain,
                "echo 'mcp__mem' >> $WORK/m",
                600,
                "91619687adc2b45251c98697c85629135e0d5bd235608507423facffd5e00823",
            ),
        ] {
            let event = EVENTS.by_name(event).unwrap();
            assert_eq!(hash(event, matcher, kind, line, timeout), format!("sha256:{want}"), "{line}");
        }
        let ignored = EVENTS.by_name("Stop").unwrap();
        assert_eq!(hash(ignored, Some("x"), &plain, "true", 600), hash(ignored, None, &plain, "true", 600));
        // A limit on an event without context, or one that equals the default, does not change the hash.
        let limited = command(None, false, Some(10));
        let usual = command(None, false, Some(TEXT_LIMIT));
        let start = EVENTS.by_name("SessionStart").unwrap();
        assert_eq!(hash(ignored, None, &limited, "true", 600), hash(ignored, None, &plain, "true", 600));
        assert_eq!(hash(start, None, &usual, "true", 600), hash(start, None, &plain, "true", 600));
        assert_ne!(hash(start, None, &limited, "true", 600), hash(start, None, &plain, "true", 600));
    }
}
