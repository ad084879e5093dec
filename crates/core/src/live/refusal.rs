//! The server's response to a request that it does not answer with a decision. For the client, every refusal means
//! that the event passes through.

use std::borrow::Cow;

use serde::Serialize;

use super::SUPPORTED;

/// The reason why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
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

#[derive(Serialize)]
struct Body<'a> {
    error: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supported: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
}

impl Refusal {
    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Refusal::BadRequest(_) | Refusal::BadJson(_) | Refusal::BadField { .. } => 400,
            Refusal::NoSuchPath => 404,
            Refusal::Method(_) => 405,
            Refusal::Slow => 408,
            Refusal::NoLength => 411,
            Refusal::TooLarge => 413,
            Refusal::WrongType => 415,
            Refusal::Version => 422,
            Refusal::Busy => 429,
            Refusal::Internal => 500,
            Refusal::ShuttingDown => 503,
        }
    }

    /// Returns the error code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::BadRequest(_) => "bad_request",
            Refusal::BadJson(_) => "bad_json",
            Refusal::BadField { .. } => "bad_field",
            Refusal::NoSuchPath => "not_found",
            Refusal::Method(_) => "method_not_allowed",
            Refusal::Slow => "timeout",
            Refusal::NoLength => "length_required",
            Refusal::TooLarge => "too_large",
            Refusal::WrongType => "unsupported_type",
            Refusal::Version => "schema_version",
            Refusal::Busy => "busy",
            Refusal::Internal => "internal",
            Refusal::ShuttingDown => "shutting_down",
        }
    }

    /// Returns the body of the response.
    pub fn body(&self) -> String {
        let (field, supported, message): (_, _, Option<Cow<'_, str>>) = match self {
            Refusal::BadRequest(message) => (None, None, Some((*message).into())),
            Refusal::BadJson(message) => (None, None, Some(message.as_str().into())),
            Refusal::BadField { field, message } => (Some(*field), None, Some((*message).into())),
            Refusal::Version => (None, Some(SUPPORTED.collect()), None),
            Refusal::NoSuchPath => (None, None, Some("there is nothing at this path".into())),
            Refusal::Method(allow) => (None, None, Some(format!("allowed here: {allow}").into())),
            Refusal::Slow => (None, None, Some("the body did not come in time".into())),
            Refusal::NoLength => (None, None, Some("say the length of the body: Content-Length".into())),
            Refusal::TooLarge => (None, None, Some("the body is longer than 11 MiB".into())),
            Refusal::WrongType => (None, None, Some("the body has to be application/json".into())),
            Refusal::Busy => (None, None, Some("too many requests are open".into())),
            Refusal::Internal => (None, None, Some("something went wrong in hookbench".into())),
            Refusal::ShuttingDown => (None, None, Some("hookbench is ending".into())),
        };
        serde_json::to_string(&Body { error: self.code(), field, supported, message }).unwrap_or_default()
    }
}
