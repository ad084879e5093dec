//! Events of an agent, and the hook definitions that a user configured.

mod definition;
mod event;

pub use definition::{
    AdaptedCommand, AgentHandler, CommandHandler, DefinitionId, FILE_SKIPPED, Handler, HookDefinition, HttpHandler,
    Layer, McpToolHandler, PromptHandler, Provenance, Rejection, adapted_command, command_label,
};
pub use event::{EventName, EventSpec, ExamplePayload, HookInput, PayloadField, Subject};
