//! One definition and its conversion.

use serde_json::{Map, Value};

use super::note::ConversionNote;
use super::shared_hook::SharedHook;
use super::timeout::ConvertedTimeout;
use crate::hook::Layer;
use crate::port::AgentVersion;

/// The source and the target of a conversion.
pub struct ConversionPair<'a> {
    pub from: &'a AgentVersion,
    pub to: &'a AgentVersion,
    /// Whether commands run through `hookbench adapt`, which translates payloads and answers.
    pub adapts: bool,
}

/// A definition as the other agent's settings express it.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenDefinition {
    pub event: String,
    pub matcher: Option<String>,
    /// The keys of the group other than its matcher and its handlers.
    pub group: Map<String, Value>,
    pub handler: Map<String, Value>,
    /// It is already in the settings, or was already written for another definition.
    pub exists: bool,
}

/// One definition and its conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedDefinition {
    /// The id of the loaded definition.
    pub hook: String,
    pub label: String,
    pub layer: Layer,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub event: String,
    pub matcher: Option<String>,
    /// `None` if the definition is dropped.
    pub limit: Option<ConvertedTimeout>,
    /// `None` unless the other agent runs the definition from its file, so that nothing is written.
    pub shared: Option<SharedHook>,
    /// Empty if the definition is dropped or shared.
    pub written: Vec<WrittenDefinition>,
    pub notes: Vec<ConversionNote>,
}
