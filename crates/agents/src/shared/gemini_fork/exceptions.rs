//! Outputs on which the agent throws.

use serde_json::Value;

use hookbench_base::text::truthy;

/// The agent throws while it handles the firing, so every output is lost. Names the output that caused it, and
/// why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentException {
    pub culprit: usize,
    pub message: String,
}

/// Describes a `hookSpecificOutput` on which JavaScript's `in` throws: truthy but not an object. Lists count as
/// objects.
pub fn specific_output_error(output: &Value) -> Option<String> {
    let kind = match output.get("hookSpecificOutput").filter(|s| truthy(s))? {
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true",
        _ => return None,
    };
    Some(format!("its hookSpecificOutput is {kind} instead of an object, and the agent throws an error"))
}

/// Checks the `hookSpecificOutput` of all outputs.
///
/// # Errors
///
/// Returns the first output on which the agent throws.
pub fn check_specific_outputs(outputs: &[&Value]) -> Result<(), AgentException> {
    match outputs.iter().enumerate().find_map(|(at, output)| Some((at, specific_output_error(output)?))) {
        Some((culprit, message)) => Err(AgentException { culprit, message }),
        None => Ok(()),
    }
}
