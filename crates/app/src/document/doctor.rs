//! The document of `doctor`.

use std::time::Duration;

use serde::Serialize;

use super::install::{StandingDoc, standing_doc};
use crate::model::ModelHealth;
use crate::setup::doctor::{AgentHealth, DoctorReport, OwnFile, ProgramHealth, ServerHealth};

/// The installed agents, and the state of hookbench's own files and of the terminal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorDoc {
    /// `doctor/1`.
    pub schema: &'static str,
    /// The version of hookbench.
    pub hookbench: &'static str,
    pub agents: Vec<AgentHealthDoc>,
    pub files: Vec<OwnFile>,
    pub server: ServerHealth,
    pub terminal: TerminalDoc,
    /// The configured model. Absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelHealthDoc>,
}

/// The configured model, and its speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelHealthDoc {
    /// The model with its endpoint. Null if the settings name no usable model.
    pub model: Option<String>,
    /// `broken`, `not_allowed`, `answered` or `failed`.
    pub state: &'static str,
    /// The time of the first answer in milliseconds.
    pub first_ms: Option<u64>,
    /// The time of the second answer in milliseconds.
    pub second_ms: Option<u64>,
    /// The time that a call gets, in milliseconds.
    pub budget_ms: u64,
    pub says: String,
}

/// One agent, installed or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentHealthDoc {
    pub agent: String,
    pub name: String,
    /// The command looked up on PATH.
    pub command: String,
    /// Null if it is not installed.
    pub program: Option<ProgramDoc>,
    /// The forwarding hooks in the settings that the agent reads here.
    pub entries: Vec<StandingDoc>,
}

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramDoc {
    /// The path as found on PATH.
    pub path: String,
    /// The path after resolving links.
    pub real_path: String,
    /// The version according to its files.
    pub version_in_files: Option<String>,
    /// The version that the program prints.
    pub version_said: Option<String>,
    /// The exit of the version query.
    pub ended: String,
    /// Whether the behaviour of this version is known; null if the version is unknown.
    pub known: Option<bool>,
    /// The basis of that knowledge, or the version that it is assumed to behave as.
    pub basis: String,
    /// Problems with the program.
    pub notes: Vec<String>,
}

/// The terminal's capabilities, and problems in hookbench's configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TerminalDoc {
    /// `TERM`.
    pub term: Option<String>,
    /// Whether stdin and stdout are terminals, so that the workbench can open.
    pub is_terminal: bool,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    pub colours: String,
    pub utf8: bool,
    /// The method used to copy text.
    pub clipboard: String,
    /// Problems in the configuration, with their locations.
    pub config_problems: Vec<String>,
}

/// Builds the document of a `doctor` report.
pub fn doctor_doc(found: DoctorReport, terminal: TerminalDoc, model: Option<ModelHealth>) -> DoctorDoc {
    DoctorDoc {
        schema: "doctor/1",
        hookbench: env!("CARGO_PKG_VERSION"),
        agents: found.agents.into_iter().map(agent_doc).collect(),
        files: found.files,
        server: found.server,
        terminal,
        model: model.map(model_doc),
    }
}

fn model_doc(health: ModelHealth) -> ModelHealthDoc {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    ModelHealthDoc {
        model: health.model,
        state: health.state,
        first_ms: health.first.map(ms),
        second_ms: health.second.map(ms),
        budget_ms: ms(health.budget),
        says: health.message,
    }
}

fn agent_doc(agent: AgentHealth) -> AgentHealthDoc {
    AgentHealthDoc {
        agent: agent.dialect.to_owned(),
        name: agent.name.to_owned(),
        command: agent.command.to_owned(),
        program: agent.installed.map(program_doc),
        entries: agent.entries.iter().map(standing_doc).collect(),
    }
}

fn program_doc(program: ProgramHealth) -> ProgramDoc {
    ProgramDoc {
        path: program.path,
        real_path: program.program,
        version_in_files: program.version_in_files.map(|v| v.to_string()),
        version_said: program.version_printed.map(|v| v.to_string()),
        ended: program.exit,
        known: program.known,
        basis: program.basis,
        notes: program.notes,
    }
}
