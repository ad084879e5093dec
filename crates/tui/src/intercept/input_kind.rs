//! The kinds of input lines of the Intercept page.

use super::draft::read_object;
use hookbench_app::live::read_breakpoint;
use hookbench_core::live::intercept::check_required_text;
use hookbench_core::live::{DecisionKind, NeededText};

/// The purpose of an input line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterceptInput {
    /// The reason or the text of an answer; Enter sends the answer.
    Answer(DecisionKind),
    Reason,
    Content,
    /// The new input, and the field that it must have.
    Object(Option<NeededText>),
    Breakpoint,
    Token,
}

impl InterceptInput {
    /// The verb of Enter.
    pub fn verb(self) -> &'static str {
        match self {
            InterceptInput::Answer(DecisionKind::Allow) => "allow it",
            InterceptInput::Answer(DecisionKind::Deny) => "deny it",
            InterceptInput::Answer(DecisionKind::Ask) => "let the agent ask",
            InterceptInput::Answer(DecisionKind::Halt) => "stop the agent",
            InterceptInput::Answer(_) => "send it",
            InterceptInput::Breakpoint => "add breakpoint",
            InterceptInput::Token => "use token",
            InterceptInput::Reason | InterceptInput::Content | InterceptInput::Object(_) => "save in answer",
        }
    }

    /// Checks a line before it is accepted.
    ///
    /// # Errors
    /// Returns the reason if the line is not valid.
    pub fn check(self, text: &str) -> Result<(), String> {
        match self {
            InterceptInput::Object(needed) => new_input(needed, text),
            InterceptInput::Breakpoint => read_breakpoint(text.trim()).map(drop),
            InterceptInput::Answer(DecisionKind::Replace) if text.trim().is_empty() => {
                Err("the model needs a text".to_owned())
            }
            InterceptInput::Token if text.trim().is_empty() => Err("a token has 32 letters and digits".to_owned()),
            InterceptInput::Answer(_) | InterceptInput::Reason | InterceptInput::Content | InterceptInput::Token => {
                Ok(())
            }
        }
    }
}

/// Checks a new input.
pub(super) fn new_input(needed: Option<NeededText>, text: &str) -> Result<(), String> {
    check_required_text(needed, &read_object(text)?).map_err(|why| why.to_string())
}
