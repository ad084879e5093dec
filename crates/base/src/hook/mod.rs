//! Events of an agent, and the hook definitions that a user configured.

mod adapted_command;
mod definition;
mod event;
mod handler;

pub use adapted_command::{AdaptedCommand, adapted_command};
pub use definition::{DefinitionId, FILE_SKIPPED, HookDefinition, Layer, Provenance, Rejection, command_label};
pub use event::{EventName, EventSpec, ExamplePayload, HookInput, PayloadField, Subject};
pub use handler::{AgentHandler, CommandHandler, Handler, HttpHandler, McpToolHandler, PromptHandler};
