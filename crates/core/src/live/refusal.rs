//! The server's response to a request that it does not answer with a decision. For the client, every refusal means
//! that the event passes through.

use std::borrow::Cow;

use serde::Serialize;

use super::SUPPORTED;

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

#[derive(Serialize)]
struct RefusalBody<'a> {
    error: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supported: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
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
            RequestRefusal::Version => (None, Some(SUPPORTED.collect()), None),
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
        serde_json::to_string(&RefusalBody { error: self.code(), field, supported, message }).unwrap_or_default()
    }
}
