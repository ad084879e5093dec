//! `doctor`.

use serde::Serialize;
use serde_json::Value;

use super::install::{StandingDoc, standing_doc};
use crate::doctor::{Examined, ExaminedAgent, ExaminedProgram, OwnFile, Server};

/// What is installed, and how it stands with our own files and the terminal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorDoc {
    /// `doctor/1`.
    pub schema: &'static str,
    /// Our own version.
    pub hookbench: &'static str,
    pub agents: Vec<AgentHealthDoc>,
    pub files: Vec<OwnFileDoc>,
    pub server: ServerDoc,
    pub terminal: TerminalDoc,
}

/// One agent, installed or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentHealthDoc {
    pub agent: String,
    pub name: String,
    /// What is looked for on PATH.
    pub command: String,
    /// Null: it is not installed.
    pub program: Option<ProgramDoc>,
    /// Entries that hand events to hookbench, in the settings that it reads here.
    pub entries: Vec<StandingDoc>,
}

/// To whom these entries hand events.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerDoc {
    pub socket: String,
    /// `HOOKBENCH_SOCKET`, the file that a server has left, or `default`.
    pub named_by: String,
    /// `none`, `running`, `stale`, `silent` or `not_ours`.
    pub state: &'static str,
    pub says: String,
    /// What it says of itself, while it runs.
    pub health: Option<Value>,
}

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramDoc {
    /// As PATH has it.
    pub path: String,
    /// What links lead to.
    pub real_path: String,
    /// As its files say.
    pub version_in_files: Option<String>,
    /// As it says itself.
    pub version_said: Option<String>,
    /// How it ended when it was asked.
    pub ended: String,
    /// Whether the behaviour of this version is known; null: its version is not known.
    pub known: Option<bool>,
    /// What that rests on, or which version it is assumed to behave as.
    pub basis: String,
    /// What is not as it should be.
    pub notes: Vec<String>,
}

/// One of our own files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnFileDoc {
    pub path: String,
    /// `state` or `config`.
    pub kind: &'static str,
    pub exists: bool,
    /// Octal; null where there is none.
    pub mode: Option<String>,
    /// What is not as it should be.
    pub note: Option<String>,
}

/// What the screen would make of this terminal and these settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TerminalDoc {
    /// `TERM`.
    pub term: Option<String>,
    /// Whether both ends are a terminal, so that the workbench can open.
    pub is_terminal: bool,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    pub colours: String,
    pub utf8: bool,
    /// Which way a copied text goes.
    pub clipboard: String,
    /// What is wrong in the configuration, with its place.
    pub config_problems: Vec<String>,
}

/// Everything that was found.
pub fn doctor_doc(found: Examined, terminal: TerminalDoc) -> DoctorDoc {
    DoctorDoc {
        schema: "doctor/1",
        hookbench: env!("CARGO_PKG_VERSION"),
        agents: found.agents.into_iter().map(agent_doc).collect(),
        files: found.files.into_iter().map(file_doc).collect(),
        server: server_doc(found.server),
        terminal,
    }
}

fn agent_doc(agent: ExaminedAgent) -> AgentHealthDoc {
    AgentHealthDoc {
        agent: agent.dialect.to_owned(),
        name: agent.name.to_owned(),
        command: agent.command.to_owned(),
        program: agent.installed.map(program_doc),
        entries: agent.entries.iter().map(standing_doc).collect(),
    }
}

fn program_doc(program: ExaminedProgram) -> ProgramDoc {
    ProgramDoc {
        path: program.path,
        real_path: program.program,
        version_in_files: program.in_files.map(|v| v.to_string()),
        version_said: program.said.map(|v| v.to_string()),
        ended: program.ended,
        known: program.known,
        basis: program.basis,
        notes: program.notes,
    }
}

fn server_doc(server: Server) -> ServerDoc {
    let Server { socket, named_by, state, says, health } = server;
    ServerDoc { socket, named_by, state, says, health }
}

fn file_doc(file: OwnFile) -> OwnFileDoc {
    OwnFileDoc { path: file.path, kind: file.kind, exists: file.there, mode: file.mode, note: file.note }
}
