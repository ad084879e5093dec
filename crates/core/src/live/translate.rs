//! Translation of a decision into the agent's stdout. Client, server and screen use the same table.

use serde::Serialize;

use super::answer::{Answer, Decision};
use super::names::native_event;
use super::verbatim::{TopLevel, Verbatim, text_of};
use super::{DecisionKind, LiveForm};
use crate::dialects::live::Shape;

/// Default reasons. An empty reason would make the answer invalid in one agent.
const DENIED: &str = "denied in hookbench";
const ALLOWED: &str = "allowed in hookbench";
const ASKED: &str = "hookbench asks you to decide";
/// Agents cut the text of a hook at 10,000 characters and write the rest to a file.
const LONGEST_CONTENT: usize = 9_500;

/// The output and exit code of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// One JSON object and a newline, or any text for a raw decision.
    pub stdout: String,
    pub stderr: String,
    pub exit_code: u8,
    /// The agent does not do what was decided: the decision cannot be expressed, or it is known to have less
    /// effect.
    pub degraded: bool,
}

impl Told {
    /// Prints `{}`, so that the agent continues as without a hook.
    pub fn nothing() -> Told {
        Told { stdout: "{}\n".to_owned(), stderr: String::new(), exit_code: 0, degraded: false }
    }
}

/// Returns the decisions that the agent carries out on an event, without `observe` and raw answers.
pub fn choices(form: &LiveForm, event: &str) -> Vec<DecisionKind> {
    let own = |kind: &DecisionKind| shape(form, event, *kind).is_some() && !falls_short(form, event, *kind);
    DecisionKind::ALL.into_iter().filter(own).collect()
}

/// A tool whose new input needs a text, and the key of that text.
pub type NeededText = (&'static str, &'static str);

/// Returns the text that a new input of this tool needs, if that is known.
pub fn needed_text(form: &LiveForm, tool: Option<&str>) -> Option<NeededText> {
    form.needed_text.iter().find(|(name, _)| Some(*name) == tool).copied()
}

/// Whether the input has a text under this key.
pub fn has_text(input: &Verbatim, key: &str) -> bool {
    let top = serde_json::from_str::<TopLevel<'_>>(input.text()).ok();
    top.as_ref().and_then(|top| top.last(key)).and_then(text_of).is_some()
}

fn shape(form: &LiveForm, event: &str, kind: DecisionKind) -> Option<Shape> {
    form.rows.iter().find(|(on, of, _)| *on == event && *of == kind).map(|(_, _, shape)| *shape)
}

fn falls_short(form: &LiveForm, event: &str, kind: DecisionKind) -> bool {
    form.falls_short.contains(&(event, kind))
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Object<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Own<'a>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Own<'a> {
    hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Verbatim>,
    #[serde(rename = "tool_input", skip_serializing_if = "Option::is_none")]
    tool_input: Option<&'a Verbatim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Behaviour<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Behaviour<'a> {
    behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Verbatim>,
}

/// Returns the hook output for an answer. `event` is the name on the wire.
pub fn tell(form: &LiveForm, event: &str, answer: &Answer) -> Told {
    if let Decision::Raw { stdout, stderr, exit_code } = &answer.decision {
        return Told { stdout: stdout.clone(), stderr: stderr.clone(), exit_code: *exit_code, degraded: false };
    }
    let native = native_event(form, event);
    let kind = answer.decision.kind();
    let shape = shape(form, event, kind);
    let said = Said::of(&answer.decision);
    let mut output = shape.map_or_else(Object::default, |shape| said.as_output(shape, &native));
    output.system_message = answer.system_message.as_deref();
    let stdout = serde_json::to_string(&output).unwrap_or_else(|_| "{}".to_owned()) + "\n";
    let degraded = kind != DecisionKind::Observe && (shape.is_none() || falls_short(form, event, kind));
    Told { stdout, degraded, ..Told::nothing() }
}

/// The parts of a decision.
struct Said<'a> {
    content: Option<String>,
    reason: Option<&'a str>,
    /// The default reason.
    otherwise: &'static str,
    input: Option<&'a Verbatim>,
}

impl<'a> Said<'a> {
    fn of(decision: &'a Decision) -> Said<'a> {
        let (content, reason, input) = match decision {
            Decision::Observe | Decision::Raw { .. } => (None, &None, None),
            Decision::Replace { content } => (Some(cut(content)), &None, None),
            Decision::Allow { reason }
            | Decision::Deny { reason }
            | Decision::Ask { reason }
            | Decision::Halt { reason } => (None, reason, None),
            Decision::Modify { updated_input, reason } => (None, reason, Some(updated_input)),
        };
        let otherwise = match decision.kind() {
            DecisionKind::Allow => ALLOWED,
            DecisionKind::Ask => ASKED,
            _ => DENIED,
        };
        Said { content, reason: reason.as_deref().filter(|r| !r.trim().is_empty()), otherwise, input }
    }

    fn as_output(&self, shape: Shape, native: &'a str) -> Object<'_> {
        let always = Some(self.reason.unwrap_or(self.otherwise));
        let own = Own { hook_event_name: native, ..Own::default() };
        let with = |own| Object { hook_specific_output: Some(own), ..Object::default() };
        match shape {
            Shape::Permission(word) => {
                with(Own { permission_decision: Some(word), permission_decision_reason: self.reason, ..own })
            }
            Shape::ReasonedPermission(word) => {
                with(Own { permission_decision: Some(word), permission_decision_reason: always, ..own })
            }
            Shape::WholeInput => with(Own {
                permission_decision: Some("allow"),
                permission_decision_reason: self.reason,
                updated_input: self.input,
                ..own
            }),
            Shape::MergedInput => with(Own { tool_input: self.input, ..own }),
            Shape::Context => with(Own { additional_context: self.content.as_deref(), ..own }),
            Shape::Behaviour(word) => {
                let message = (word == "deny").then_some(always).flatten();
                with(Own { decision: Some(Behaviour { behavior: word, message, updated_input: self.input }), ..own })
            }
            Shape::Word(word) => Object { decision: Some(word), reason: always, ..Object::default() },
            Shape::BareWord(word) => Object { decision: Some(word), reason: self.reason, ..Object::default() },
            Shape::Halt => Object { goes_on: Some(false), stop_reason: always, ..Object::default() },
            Shape::HaltAndDeny => Object {
                goes_on: Some(false),
                stop_reason: always,
                ..with(Own { permission_decision: Some("deny"), permission_decision_reason: always, ..own })
            },
        }
    }
}

/// Shortens a text to the length that agents accept, in UTF-16 code units as in JavaScript. A last line reports
/// the cut.
fn cut(content: &str) -> String {
    let whole: usize = content.chars().map(char::len_utf16).sum();
    if whole <= LONGEST_CONTENT {
        return content.to_owned();
    }
    let mut kept = 0;
    let mut end = 0;
    for (at, c) in content.char_indices() {
        if kept + c.len_utf16() > LONGEST_CONTENT {
            break;
        }
        kept += c.len_utf16();
        end = at + c.len_utf8();
    }
    format!("{}\n[cut by hookbench: {kept} of {whole} characters]", &content[..end])
}
