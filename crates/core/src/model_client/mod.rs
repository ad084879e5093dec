//! A model that the user configures in `[model]`: its settings, the request and the response, and the rules by which it
//! is asked again or not asked at all. Guards ask it about events in which their rules find nothing, and it can answer prompt
//! hooks on the bench.
//!
//! Everything here is computed from its arguments. The network, processes, files, clocks and random numbers belong to
//! the caller.

mod attempts;
mod breaker;
mod endpoint;
mod settings;

pub use attempts::{AttemptFailure, AttemptResult, CallEnd, CallPlan, CallStep, FailureKind, call_budget, retry_after};
pub use breaker::{BreakerState, CallClass, CallPermit};
pub use endpoint::{
    EndpointProblem, ModelEndpoint, ModelPrompt, chat_request, command_input, is_loopback_host, read_chat_response,
};
pub use settings::{
    MODEL_SETTING_NAMES, MODEL_TABLE, ModelKeySource, ModelSettings, guard_model, read_model, read_model_table,
};

/// The maximum size of a response, in bytes.
pub const MAX_RESPONSE: usize = 1 << 20;
/// The maximum size of a prompt, in bytes.
pub const MAX_PROMPT: usize = 10 << 20;
/// The variable that the client sets for the command that it starts. A guard that finds it does not ask the model, so
/// an agent that answers as the model never starts itself again.
pub const RECURSION_VARIABLE: &str = "HOOKBENCH_MODEL_CALL";
