//! Translation of a decision into the agent's stdout. Client, server and screen use the same table.

use std::borrow::Cow;

use super::answer::{Decision, LiveAnswer};
use super::payload_fields::native_event;
use super::raw_json::{ObjectText, RawJson, RawObject, decoded_string};
use super::{DecisionKind, LiveFormat, SUPPORTED};
use crate::dialects::live::AnswerShape;

/// Default reasons. An empty reason would make the answer invalid in one agent.
const DENIED: &str = "denied in hookbench";
const ALLOWED: &str = "allowed in hookbench";
const ASKED: &str = "hookbench asks you to decide";
/// Agents cut the text of a hook at 10,000 characters and write the rest to a file.
const LONGEST_CONTENT: usize = 9_500;

/// The output and exit code of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookResponse {
    /// One JSON object and a newline, or any text for a raw decision.
    pub stdout: String,
    pub stderr: String,
    pub exit_code: u8,
    /// The agent does not do what was decided: the decision cannot be expressed, or it is known to have less
    /// effect.
    pub degraded: bool,
}

impl HookResponse {
    /// Prints `{}`, so that the agent continues as without a hook.
    pub fn observe() -> HookResponse {
        HookResponse { stdout: "{}\n".to_owned(), stderr: String::new(), exit_code: 0, degraded: false }
    }
}

/// Returns the decisions that the agent carries out on an event, without `observe` and raw answers.
pub fn expressible_decisions(form: &LiveFormat, event: &str) -> Vec<DecisionKind> {
    let own = |kind: &DecisionKind| shape(form, event, *kind).is_some() && !has_less_effect(form, event, *kind);
    DecisionKind::ALL.into_iter().filter(own).collect()
}

/// A tool whose new input needs a text, and the key of that text.
pub type NeededText = (&'static str, &'static str);

/// Returns the text that a new input of this tool needs, if that is known.
pub fn needed_text(form: &LiveFormat, tool: Option<&str>) -> Option<NeededText> {
    form.required_text.iter().find(|(name, _)| Some(*name) == tool).copied()
}

/// Whether the input has a text under this key.
pub fn has_text(input: &RawJson, key: &str) -> bool {
    let top = serde_json::from_str::<RawObject<'_>>(input.text()).ok();
    top.as_ref().and_then(|top| top.last(key)).and_then(decoded_string).is_some()
}

fn shape(form: &LiveFormat, event: &str, kind: DecisionKind) -> Option<AnswerShape> {
    form.answers.iter().find(|(on, of, _)| *on == event && *of == kind).map(|(_, _, shape)| *shape)
}

fn has_less_effect(form: &LiveFormat, event: &str, kind: DecisionKind) -> bool {
    form.partially_supported.contains(&(event, kind))
}

/// Returns the hook output for an answer. `event` is the name on the wire.
pub fn hook_response(form: &LiveFormat, event: &str, answer: &LiveAnswer) -> HookResponse {
    if let Decision::Raw { stdout, stderr, exit_code } = &answer.decision {
        return HookResponse { stdout: stdout.clone(), stderr: stderr.clone(), exit_code: *exit_code, degraded: false };
    }
    let native = native_event(form, event);
    let kind = answer.decision.kind();
    let shape = shape(form, event, kind);
    let output = DecisionParts::of(&answer.decision).as_output(shape, &native, answer.system_message.as_deref());
    let stdout = output.end() + "\n";
    let degraded = kind != DecisionKind::Observe && (shape.is_none() || has_less_effect(form, event, kind));
    HookResponse { stdout, degraded, ..HookResponse::observe() }
}

/// The parts of a decision.
struct DecisionParts<'a> {
    content: Option<String>,
    reason: Option<&'a str>,
    /// The default reason.
    default_reason: &'static str,
    input: Option<&'a RawJson>,
}

impl<'a> DecisionParts<'a> {
    fn of(decision: &'a Decision) -> DecisionParts<'a> {
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
        DecisionParts {
            content,
            reason: reason.as_deref().filter(|r| !r.trim().is_empty()),
            default_reason: otherwise,
            input,
        }
    }

    /// The object on stdout: only the message without a shape.
    fn as_output(&self, shape: Option<AnswerShape>, native: &str, system_message: Option<&str>) -> ObjectText {
        let always = Some(self.reason.unwrap_or(self.default_reason));
        let content = self.content.as_deref();
        let denial = |word| (word == "deny").then_some(always).flatten();
        let top = ObjectText::default();
        let top = match shape {
            Some(AnswerShape::Word(word)) => top.put("decision", Some(word)).put("reason", always),
            Some(AnswerShape::BareWord(word)) => top.put("decision", Some(word)).put("reason", self.reason),
            Some(AnswerShape::TopContext) => top.put("additionalContext", content),
            Some(AnswerShape::BareContext) => top.put("context", content),
            Some(AnswerShape::TopMessage) => top.put("message", content),
            Some(AnswerShape::TopBehaviour(word)) => top.put("behavior", Some(word)).put("message", denial(word)),
            Some(AnswerShape::Halt | AnswerShape::HaltAndDeny) => {
                top.put("continue", Some(false)).put("stopReason", always)
            }
            _ => top,
        };
        let top = top.put("systemMessage", system_message);
        let own = ObjectText::default().put("hookEventName", Some(native));
        let permit = |own: ObjectText, word, reason| {
            own.put("permissionDecision", Some(word)).put("permissionDecisionReason", reason)
        };
        let own = match shape {
            Some(AnswerShape::Permission(word)) => permit(own, word, self.reason),
            Some(AnswerShape::ReasonedPermission(word)) => permit(own, word, always),
            Some(AnswerShape::HaltAndDeny) => permit(own, "deny", always),
            Some(AnswerShape::WholeInput) => permit(own, "allow", self.reason).put("updatedInput", self.input),
            Some(AnswerShape::MergedInput) => own.put("tool_input", self.input),
            Some(AnswerShape::Context) => own.put("additionalContext", content),
            Some(AnswerShape::Behaviour(word)) => {
                let decision = ObjectText::default().put("behavior", Some(word)).put("message", denial(word));
                own.put("decision", decision.put("updatedInput", self.input).value())
            }
            Some(AnswerShape::Cancel) => return top.put("cancel", Some(true)).put("errorMessage", always),
            Some(AnswerShape::ContextModification) => return top.put("contextModification", content),
            Some(AnswerShape::OverrideInput) => return top.put("overrideInput", self.input),
            Some(AnswerShape::SnakeInput) => {
                let snake = ObjectText::default().put("tool_input", self.input);
                return top.put("hook_specific_output", snake.value());
            }
            Some(AnswerShape::SnakeContext) => {
                let snake = ObjectText::default().put("additional_context", content);
                return top.put("hook_specific_output", snake.value());
            }
            _ => return top,
        };
        top.put("hookSpecificOutput", own.value())
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

/// The reason why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestRefusal {
    /// The request is malformed or too long.
    BadRequest(&'static str),
    /// The body is not a JSON object.
    BadJson(String),
    /// A field is missing or invalid.
    BadField {
        field: &'static str,
        message: &'static str,
    },
    /// The body arrived too slowly.
    Slow,
    /// No usable `Content-Length`.
    NoLength,
    /// The body is longer than [`super::MAX_BODY`].
    TooLarge,
    /// The body is not `application/json`.
    WrongType,
    /// The version of the envelope is not supported.
    Version,
    NoSuchPath,
    /// The path does not support the method. It supports these.
    Method(&'static str),
    /// Too many requests are open or held.
    Busy,
    Internal,
    ShuttingDown,
}

impl RequestRefusal {
    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            RequestRefusal::BadRequest(_) | RequestRefusal::BadJson(_) | RequestRefusal::BadField { .. } => 400,
            RequestRefusal::NoSuchPath => 404,
            RequestRefusal::Method(_) => 405,
            RequestRefusal::Slow => 408,
            RequestRefusal::NoLength => 411,
            RequestRefusal::TooLarge => 413,
            RequestRefusal::WrongType => 415,
            RequestRefusal::Version => 422,
            RequestRefusal::Busy => 429,
            RequestRefusal::Internal => 500,
            RequestRefusal::ShuttingDown => 503,
        }
    }

    /// Returns the error code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            RequestRefusal::BadRequest(_) => "bad_request",
            RequestRefusal::BadJson(_) => "bad_json",
            RequestRefusal::BadField { .. } => "bad_field",
            RequestRefusal::NoSuchPath => "not_found",
            RequestRefusal::Method(_) => "method_not_allowed",
            RequestRefusal::Slow => "timeout",
            RequestRefusal::NoLength => "length_required",
            RequestRefusal::TooLarge => "too_large",
            RequestRefusal::WrongType => "unsupported_type",
            RequestRefusal::Version => "schema_version",
            RequestRefusal::Busy => "busy",
            RequestRefusal::Internal => "internal",
            RequestRefusal::ShuttingDown => "shutting_down",
        }
    }

    /// Returns the body of the response.
    pub fn body(&self) -> String {
        let (field, supported, message): (_, _, Option<Cow<'_, str>>) = match self {
            RequestRefusal::BadRequest(message) => (None, None, Some((*message).into())),
            RequestRefusal::BadJson(message) => (None, None, Some(message.as_str().into())),
            RequestRefusal::BadField { field, message } => (Some(*field), None, Some((*message).into())),
            RequestRefusal::Version => (None, Some(SUPPORTED.collect::<Vec<u64>>()), None),
            RequestRefusal::NoSuchPath => (None, None, Some("this path does not exist".into())),
            RequestRefusal::Method(allow) => (None, None, Some(format!("allowed here: {allow}").into())),
            RequestRefusal::Slow => (None, None, Some("the body did not arrive in time".into())),
            RequestRefusal::NoLength => (None, None, Some("the header Content-Length is missing".into())),
            RequestRefusal::TooLarge => (None, None, Some("the body is longer than 11 MiB".into())),
            RequestRefusal::WrongType => (None, None, Some("the body must be application/json".into())),
            RequestRefusal::Busy => (None, None, Some("too many requests are open".into())),
            RequestRefusal::Internal => (None, None, Some("internal error in hookbench".into())),
            RequestRefusal::ShuttingDown => (None, None, Some("hookbench is shutting down".into())),
        };
        let body = ObjectText::default().put("error", Some(self.code())).put("field", field);
        body.put("supported", supported).put("message", message).end()
    }
}
