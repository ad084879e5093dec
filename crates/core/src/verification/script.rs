//! The course of a session in which an event is fired.

use serde_json::{Map, Value};

use crate::model_interface::{CLOSING_SENTENCE, ModelTurn, ScriptedCall};
use hookbench_base::dialects::Agent;
use hookbench_base::dialects::verification::{EventTrigger, VerificationFormat};
use hookbench_base::hook::HookInput;

/// The prompt of sessions whose event is not one about a prompt.
const PROMPT: &str = "run it";

/// The course of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerificationScript {
    pub prompt: String,
    /// The model's turns. After them, it answers with a sentence.
    pub turns: Vec<ModelTurn>,
    /// The tool that the event is about, as the agent offers it to its model.
    pub tool: Option<String>,
    /// Whether the tool changes nothing. True for events without a tool.
    pub is_harmless: bool,
    /// Whether that tool starts the sub-agent of the event.
    pub starts_subagent: bool,
    /// Whether the agent must ask for permission.
    pub asks_permission: bool,
    /// Files that the tool needs and that are missing, with their content.
    pub files: Vec<(String, String)>,
    /// Differences from the user's event, as sentences.
    pub notes: Vec<String>,
}

/// The course of a session in which this event is fired. `exists` says whether a file of the project exists.
///
/// # Errors
/// Returns the reason if no session without a terminal fires it.
pub fn verification_script(
    dialect: &Agent,
    input: &HookInput,
    exists: impl Fn(&str) -> bool,
) -> Result<VerificationScript, String> {
    let (name, event) = (dialect.name(), input.event.as_str());
    let format = dialect.verification_format();
    let refused = |why: &str| format!("no session of {name} without a terminal can fire this {event}: {why}");
    let text = |key: &str| input.body.get(key).and_then(Value::as_str);
    let mut script = VerificationScript {
        prompt: text("prompt").unwrap_or(PROMPT).to_owned(),
        is_harmless: true,
        ..VerificationScript::default()
    };
    match format.trigger(event) {
        None => return Err(refused("hookbench knows no way to it")),
        Some(EventTrigger::Unreachable(why)) => return Err(refused(why)),
        Some(EventTrigger::Prompt) if script.prompt.trim().is_empty() => {
            return Err(refused("an empty prompt is not sent"));
        }
        Some(EventTrigger::Prompt) => {}
        Some(EventTrigger::TurnEnd) => {
            let answer = ["last_assistant_message", "prompt_response"].into_iter().find_map(text);
            let answer = answer.filter(|answer| !answer.trim().is_empty());
            script.turns.push(ModelTurn::Sentence(answer.unwrap_or(CLOSING_SENTENCE).to_owned()));
        }
        Some(EventTrigger::Session { key, value }) => match text(key) {
            Some(other) if other != value => {
                return Err(refused(&format!("hookbench starts sessions with the {key} \"{value}\", not \"{other}\"")));
            }
            _ => {}
        },
        Some(EventTrigger::Subagent { turns }) => {
            (script.is_harmless, script.starts_subagent) = (false, true);
            script.turns = serde_json::from_str(turns).map_err(|why| refused(&why.to_string()))?;
            // An agent does not offer the tools of a group one by one.
            let first = script.turns.iter().flat_map(ModelTurn::calls).next();
            script.tool = first.filter(|call| call.namespace.is_none()).map(|call| call.tool.clone());
        }
        Some(trigger @ (EventTrigger::ToolCall | EventTrigger::PermissionPrompt)) => {
            script.asks_permission = trigger == EventTrigger::PermissionPrompt;
            let (tool, tool_input) = announced_call(&input.body).ok_or_else(|| refused("the payload names no tool"))?;
            if tool.starts_with("mcp__") || tool.starts_with("mcp_") {
                return Err(refused("the tools of MCP servers are not started"));
            }
            script.is_harmless = !format.can_do_harm(tool);
            script.prepare_files(dialect, tool, tool_input, exists);
            let mut call = model_call(format, tool, tool_input);
            if script.asks_permission {
                ask_permission(format, &mut call, tool_input);
            }
            script.tool = Some(call.tool.clone());
            script.turns.push(ModelTurn::Call(call));
        }
    }
    Ok(script)
}

impl VerificationScript {
    /// Adds the files that the tool needs, and the call that reads the file that it changes.
    fn prepare_files(&mut self, dialect: &Agent, tool: &str, input: &Value, exists: impl Fn(&str) -> bool) {
        let format = dialect.verification_format();
        let old = || dialect.live_format().input.old.iter().find_map(|key| text_of(input, key));
        let text = |key: &str| text_of(input, key);
        let before = format.read_before.iter().find(|before| before.tool == tool);
        let path = text("file_path").or_else(|| text("absolute_path")).or_else(|| text("path"));
        let Some(path) = path else { return };
        let mut is_there = exists(path);
        if let (false, Some(old)) = (is_there, old()) {
            self.files.push((path.to_owned(), format!("{old}\n")));
            self.notes.push(format!("{path} does not exist, so the copy of the project has one with the old text"));
            is_there = true;
        }
        if let (true, Some(before)) = (is_there, before) {
            let mut read = Map::new();
            read.insert(before.path_key.to_owned(), Value::from(path));
            self.turns.push(ModelTurn::Call(ScriptedCall::new(before.read_tool, Value::Object(read))));
        }
    }
}

/// A text of a tool's input. `None` if it is absent or empty.
fn text_of<'a>(input: &'a Value, key: &str) -> Option<&'a str> {
    input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The tool that a payload announces, with its input.
fn announced_call(body: &Value) -> Option<(&str, &Value)> {
    static NOTHING: Value = Value::Null;
    let of = |value: &'_ Value| -> Option<(String, Value)> {
        Some((value.get("tool_name")?.as_str()?.to_owned(), value.get("tool_input")?.clone()))
    };
    // A batch has the first call.
    let call = if of(body).is_some() { Some(body) } else { body.get("tool_calls").and_then(|calls| calls.get(0)) }?;
    Some((call.get("tool_name")?.as_str()?, call.get("tool_input").unwrap_or(&NOTHING)))
}

/// The call by which the model uses a tool.
fn model_call(format: &VerificationFormat, tool: &str, input: &Value) -> ScriptedCall {
    let Some(other) = format.model_tools.iter().find(|other| other.tool == tool) else {
        return ScriptedCall::new(tool, input.clone());
    };
    if other.key.is_empty() {
        return ScriptedCall::new(other.model_name, input.clone());
    }
    let Some(model_key) = other.model_key else {
        return ScriptedCall::new(other.model_name, input.get(other.key).cloned().unwrap_or(Value::Null));
    };
    let mut keys = input.as_object().cloned().unwrap_or_default();
    let value = keys.shift_remove(other.key).unwrap_or(Value::Null);
    keys.retain(|key, _| other.keeps.contains(&key.as_str()));
    keys.insert(model_key.to_owned(), value);
    ScriptedCall::new(other.model_name, Value::Object(keys))
}

/// Adds the keys to a call for which the agent asks for permission.
fn ask_permission(format: &VerificationFormat, call: &mut ScriptedCall, input: &Value) {
    let Some(keys) = call.input.as_object_mut() else { return };
    for (key, value) in format.permission_keys {
        let value = match value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) {
            None => Some(Value::from(*value)),
            Some(name) => input.get(name).cloned(),
        };
        if let Some(value) = value {
            keys.insert((*key).to_owned(), value);
        }
    }
}
