//! Events of an agent, and the hook definitions that a user configured.

mod definition;
mod event;

pub use definition::{AdaptedCommand, adapted_command};
pub use definition::{AgentHandler, CommandHandler, Handler, HttpHandler, McpToolHandler, PromptHandler};
pub use definition::{DefinitionId, FILE_SKIPPED, HookDefinition, Layer, Provenance, Rejection, command_label};
pub use event::{EventName, EventSpec, ExamplePayload, HookInput, PayloadField, Subject};
