//! The effect of a firing on the agent, and outputs on which the agent throws.

use crate::shared::rules::DecisionRule;
use serde_json::{Map, Value};

use hookbench_base::decide::Verdict;
use hookbench_base::text::truthy;

/// The source of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockCause {
    /// Nothing is blocked.
    None,
    /// An answer or exit status blocks.
    Answer,
    /// The agent fails or rejects an output, and that blocks.
    Failure,
    /// The result is unknown.
    Unknown,
}

/// The combined effect of the hooks on the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    pub block_cause: BlockCause,
    pub blocked: bool,
    /// Whether the agent ends the turn.
    pub stops_turn: bool,
    pub reason: Option<String>,
    pub context: Option<String>,
    pub updated_input: Option<Value>,
    pub system_message: Option<String>,
    pub extra: Map<String, Value>,
    /// `Ask` or `Allow` if that is the winning decision.
    pub decision: Option<Verdict>,
    /// One sentence that describes it.
    pub summary: String,
    pub seen_by: Option<&'static str>,
    pub rule: DecisionRule,
}

impl Effect {
    /// An effect that blocks nothing.
    pub fn quiet(rule: DecisionRule, summary: impl Into<String>) -> Effect {
        Effect {
            block_cause: BlockCause::None,
            blocked: false,
            stops_turn: false,
            reason: None,
            context: None,
            updated_input: None,
            system_message: None,
            extra: Map::new(),
            decision: None,
            summary: summary.into(),
            seen_by: None,
            rule,
        }
    }

    /// A block by an answer.
    pub fn block(rule: DecisionRule, reason: String, seen_by: &'static str, summary: impl Into<String>) -> Effect {
        Effect {
            block_cause: BlockCause::Answer,
            blocked: true,
            reason: Some(reason),
            seen_by: Some(seen_by),
            ..Effect::quiet(rule, summary)
        }
    }

    /// Adds the context, which the model sees.
    #[must_use]
    pub fn with_context(mut self, context: Option<String>) -> Effect {
        if context.is_some() {
            self.seen_by.get_or_insert("the model");
        }
        self.context = context;
        self
    }

    /// Adds the message, which the user sees.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Effect {
        if message.is_some() {
            self.seen_by.get_or_insert("the user");
        }
        self.system_message = message;
        self
    }

    /// Adds an extra field, if there is a value.
    #[must_use]
    pub fn with(mut self, key: &str, value: Option<Value>) -> Effect {
        if let Some(value) = value {
            self.extra.insert(key.to_owned(), value);
        }
        self
    }
}

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
