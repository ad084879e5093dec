//! Rebuilds the payloads that hooks received from the values that a session file still contains (spec §5.1, §5.2).

use serde_json::Value;

use crate::shared::reconstruction::PayloadBuilder;
use hookbench_base::recorded::FileContext;

/// The values of the keys before an event's own keys.
#[derive(Debug, Clone, Default)]
pub struct CommonFields {
    pub cwd: Option<String>,
    /// The time of the record, as written: the event fired about then.
    pub at: Option<String>,
    /// The approval mode as written.
    pub mode: Option<String>,
    pub prompt_id: Option<String>,
    pub agent_id: Option<String>,
}

/// Events that carry the mode in its internal spelling.
const RAW_MODE: [&str; 5] = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest"];

/// Returns the keys before the event's own keys, in their order. Unknown values are omitted.
pub fn common(event: &str, session: &str, about: &FileContext, around: &CommonFields) -> PayloadBuilder {
    let mode = around.mode.as_deref().map(|mode| match mode {
        "auto-edit" if !RAW_MODE.contains(&event) => "auto_edit",
        mode => mode,
    });
    PayloadBuilder::default()
        .put("session_id", session)
        .put_some("transcript_path", session_file(about))
        .put_some("cwd", around.cwd.clone())
        .put("hook_event_name", event)
        .put_some("timestamp", around.at.clone())
        .put_some("permission_mode", mode)
        .put_some("agent_id", around.agent_id.clone())
        .put_some("prompt_id", around.prompt_id.clone())
}

/// Returns the transcript of the session. A sub-agent's own file is in the `subagents` directory next to `chats`.
fn session_file(about: &FileContext) -> Option<String> {
    let Some((project, inside)) = about.path.split_once("/subagents/") else { return Some(about.path.clone()) };
    let (session, _) = inside.split_once('/')?;
    Some(format!("{project}/chats/{session}.jsonl"))
}

/// Returns a tool's response.
pub fn tool_response(output: Value, shown: Option<Value>) -> Value {
    PayloadBuilder::default().put("llmContent", output).put_some("returnDisplay", shown).into_value()
}

/// Returns the type of a sub-agent, which its id begins with: `<type>-<call>`.
pub fn agent_type(id: &str) -> Option<&str> {
    id.find("-call").and_then(|at| id.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_session_s_file() {
        for (path, want) in [
            ("/q/projects/-p/chats/s.jsonl", "/q/projects/-p/chats/s.jsonl"),
            ("/q/projects/-p/subagents/s/agent-a.jsonl", "/q/projects/-p/chats/s.jsonl"),
        ] {
            let about = FileContext { path: path.to_owned(), ..FileContext::default() };
            assert_eq!(session_file(&about).as_deref(), Some(want));
        }
    }

    #[test]
    fn modes_have_two_spellings() {
        let around = CommonFields { mode: Some("auto-edit".to_owned()), ..CommonFields::default() };
        for (event, want) in [("PreToolUse", "auto-edit"), ("Stop", "auto_edit")] {
            let body = common(event, "s", &FileContext::default(), &around).into_value();
            assert_eq!(body["permission_mode"], json!(want), "{event}");
        }
    }

    #[test]
    fn sub_agents_are_named_after_their_kind() {
        assert_eq!(agent_type("general-purpose-call_m1_0"), Some("general-purpose"));
        assert_eq!(agent_type("explore-7f3c"), None);
    }
}
