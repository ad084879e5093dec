//! An answer while the user edits it.

use hookbench_core::live::{Decision, DecisionKind, RawJson};
use hookbench_core::text::{parse_value, stringify_pretty};

/// The decisions that can be chosen, in display order. Raw answers are for programs.
pub const KINDS: [DecisionKind; 7] = [
    DecisionKind::Observe,
    DecisionKind::Allow,
    DecisionKind::Deny,
    DecisionKind::Ask,
    DecisionKind::Modify,
    DecisionKind::Replace,
    DecisionKind::Halt,
];

/// The letter of a decision on the Intercept page. `k` and `j` move there, so that `ask` has the letter of "user".
pub fn letter(kind: DecisionKind) -> Option<char> {
    Some(match kind {
        DecisionKind::Observe => 'o',
        DecisionKind::Allow => 'a',
        DecisionKind::Deny => 'd',
        DecisionKind::Ask => 'u',
        DecisionKind::Modify => 'm',
        DecisionKind::Replace => 'r',
        DecisionKind::Halt => 'h',
        DecisionKind::Raw => return None,
    })
}

/// The user's draft of an answer to one held event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerDraft {
    /// `None`: no decision is chosen yet, so nothing can be sent.
    pub kind: Option<DecisionKind>,
    pub reason: String,
    /// The text for the model.
    pub content: String,
    /// The new input as the user wrote it.
    pub input: Option<String>,
}

impl AnswerDraft {
    /// Builds the decision.
    ///
    /// # Errors
    /// Returns the name of the missing part.
    pub fn decision(&self, kind: DecisionKind) -> Result<Decision, &'static str> {
        let reason = Some(self.reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        Ok(match kind {
            DecisionKind::Observe => Decision::Observe,
            DecisionKind::Allow => Decision::Allow { reason },
            DecisionKind::Deny => Decision::Deny { reason },
            DecisionKind::Ask => Decision::Ask { reason },
            DecisionKind::Halt => Decision::Halt { reason },
            DecisionKind::Replace if self.content.trim().is_empty() => return Err("a text for the model"),
            DecisionKind::Replace => Decision::Replace { content: self.content.clone() },
            DecisionKind::Modify => {
                let text = self.input.as_deref().ok_or("another input")?;
                let updated_input = read_object(text).map_err(|_| "an input that is a JSON object")?;
                Decision::Modify { updated_input, reason }
            }
            DecisionKind::Raw => return Err("a program that sends it"),
        })
    }
}

/// Parses a text that has to be a JSON object.
///
/// # Errors
/// Returns the reason if it is not one.
pub fn read_object(text: &str) -> Result<RawJson, String> {
    let text = text.trim();
    parse_value(text).map_err(|why| why.message)?;
    let value = RawJson::parse(text).ok_or("this is not JSON")?;
    if value.is_object() {
        Ok(value)
    } else {
        Err("the input must be a JSON object, such as {\"command\": \"ls\"}".to_owned())
    }
}

#[derive(serde::Deserialize)]
struct CallFields<'a> {
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a serde_json::value::RawValue>,
}

fn call(payload: &str) -> Option<CallFields<'_>> {
    serde_json::from_str(payload).ok()
}

/// The tool input in the payload, unchanged.
pub fn input_of(payload: &str) -> Option<String> {
    call(payload)?.tool_input.map(|raw| raw.get().to_owned())
}

/// The agent's name of the tool.
pub fn tool_of(payload: &str) -> Option<String> {
    call(payload)?.tool_name
}

/// Formats JSON for reading; other text is returned unchanged.
pub fn pretty(json: &str) -> String {
    parse_value(json).map_or_else(|_| json.to_owned(), |value| stringify_pretty(&value))
}
