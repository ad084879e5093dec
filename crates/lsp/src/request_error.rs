//! The errors of requests, and the reading of their parameters.

use lsp_server::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The reason why a request is refused.
pub struct RequestError {
    pub code: ErrorCode,
    pub message: String,
}

impl RequestError {
    /// A request that the client has cancelled.
    pub fn cancelled() -> RequestError {
        RequestError { code: ErrorCode::RequestCanceled, message: "the request was cancelled".to_owned() }
    }

    /// A request that cannot be done.
    pub fn failed(message: String) -> RequestError {
        RequestError { code: ErrorCode::RequestFailed, message }
    }

    /// A hook that is no longer at its address.
    pub fn moved() -> RequestError {
        RequestError::failed("the hook is no longer at this place; choose the command again".to_owned())
    }

    /// A request whose parameters are wrong.
    pub fn of_params(message: impl std::fmt::Display) -> RequestError {
        RequestError { code: ErrorCode::InvalidParams, message: message.to_string() }
    }
}

/// Reads the parameters of a message.
pub fn parse<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    serde_json::from_value(params).map_err(RequestError::of_params)
}
