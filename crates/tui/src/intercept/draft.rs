//! An answer as it is put together.

use hookbench_core::live::{Decision, DecisionKind, Verbatim};
use hookbench_core::text::{parse_value, stringify_pretty};

/// What can be chosen, in the order in which it stands on the screen. Raw answers are for programs.
pub const KINDS: [DecisionKind; 7] = [
    DecisionKind::Observe,
    DecisionKind::Allow,
    DecisionKind::Deny,
    DecisionKind::Ask,
    DecisionKind::Modify,
    DecisionKind::Replace,
    DecisionKind::Halt,
];

/// What the user has put together for one held event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// None: nothing is chosen yet, so nothing can be sent.
    pub kind: Option<DecisionKind>,
    pub reason: String,
    /// What the model is told.
    pub content: String,
    /// The new input, as it was written.
    pub input: Option<String>,
}

impl Draft {
    /// The decision, if nothing is missing.
    ///
    /// # Errors
    /// Says what is missing.
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

/// A text that has to be a JSON object.
///
/// # Errors
/// Says what is wrong with it.
pub fn read_object(text: &str) -> Result<Verbatim, String> {
    let text = text.trim();
    parse_value(text).map_err(|why| why.message)?;
    let value = Verbatim::parse(text).ok_or("this is not JSON")?;
    if value.is_object() {
        Ok(value)
    } else {
        Err("the input has to be a JSON object, such as {\"command\": \"ls\"}".to_owned())
    }
}

#[derive(serde::Deserialize)]
struct Call<'a> {
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a serde_json::value::RawValue>,
}

fn call(payload: &str) -> Option<Call<'_>> {
    serde_json::from_str(payload).ok()
}

/// The input that the agent wants to give to its tool, as it stands in the payload.
pub fn input_of(payload: &str) -> Option<String> {
    call(payload)?.tool_input.map(|raw| raw.get().to_owned())
}

/// The tool, as the agent calls it.
pub fn tool_of(payload: &str) -> Option<String> {
    call(payload)?.tool_name
}

/// JSON on as many lines as it is read best on.
pub fn pretty(json: &str) -> String {
    parse_value(json).map_or_else(|_| json.to_owned(), |value| stringify_pretty(&value))
}
