//! The documents of `import`: the results for each file, and the sessions that the agents have stored.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::recordings::import::{AgentSession, ImportReport, MAX_LISTED, SkippedLine, SourceReport};
use hookbench_core::config::Place;
use hookbench_core::recorded::format_time;

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportDoc {
    /// `import/1`.
    pub schema: &'static str,
    pub sources: Vec<SourceFileDoc>,
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceFileDoc {
    pub file: String,
    /// The name of its format; `unreadable` if the file could not be read.
    pub kind: String,
    pub sessions: u64,
    pub events: u64,
    /// Events reconstructed from a session transcript.
    pub rebuilt: u64,
    /// Events with the exact bytes that an agent gave to a hook.
    pub recorded: u64,
    /// Events from telemetry that lack values; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<PartialEventsDoc>,
    /// Lines that should have produced an event but did not. After the first thousand, one entry summarizes the
    /// rest.
    pub skipped: Vec<SkippedLine>,
    /// The content of a debug log; absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug_log: Option<DebugLogDoc>,
}

/// Events that lack values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartialEventsDoc {
    pub events: u64,
    /// The number of events for each missing value: `{"cwd is missing": 12}`.
    pub gaps: BTreeMap<String, u64>,
}

/// The statements of an agent's debug log about hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DebugLogDoc {
    pub agent: String,
    /// The number of hooks that the agent loaded; null if the log does not state it.
    pub loaded: Option<u64>,
    /// The parts of the settings that the agent ignored, in its own words.
    pub ignored: Vec<String>,
    /// The number of events for which it looked for hooks.
    pub firings: usize,
    /// The number of runs.
    pub runs: usize,
}

/// The sessions of a project that agents have stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentSessionsDoc {
    /// `sessions/1`.
    pub schema: &'static str,
    pub project: String,
    /// The most recently written session comes first.
    pub sessions: Vec<AgentSessionDoc>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentSessionDoc {
    pub agent: String,
    pub kind: String,
    pub session: String,
    pub file: String,
    /// UTC; null if the start of the file does not state it.
    pub started: Option<String>,
    /// The time of the file's last write, UTC.
    pub written: Option<String>,
    /// The user's first prompt.
    pub title: Option<String>,
    pub bytes: u64,
    /// The debug log of the session; null if the agent wrote none.
    pub debug_log: Option<String>,
}

/// Builds the document of an import.
pub fn import_doc(report: &ImportReport, place: &Place) -> ImportDoc {
    ImportDoc { schema: "import/1", sources: report.sources.iter().map(|source| source_doc(source, place)).collect() }
}

fn source_doc(source: &SourceReport, place: &Place) -> SourceFileDoc {
    let mut skipped = source.skipped.clone();
    let more = source.skipped_lines.saturating_sub(MAX_LISTED as u64);
    if more > 0 {
        let line = skipped.last().map_or(0, |last| last.line);
        skipped.push(SkippedLine { line, why: format!("{more} more lines after this one") });
    }
    SourceFileDoc {
        file: place.display_path(&source.file.to_string_lossy()),
        kind: source.kind.to_owned(),
        sessions: source.sessions,
        events: source.events,
        rebuilt: source.rebuilt,
        recorded: source.recorded,
        partial: (source.partial > 0).then(|| PartialEventsDoc { events: source.partial, gaps: source.gaps.clone() }),
        skipped,
        debug_log: source.debug_log.as_ref().map(|(agent, log)| DebugLogDoc {
            agent: agent.to_string(),
            loaded: log.loaded,
            ignored: log.ignored.clone(),
            firings: log.firings.len(),
            runs: log.runs(),
        }),
    }
}

/// Builds the document of the sessions of the place's project.
pub fn sessions_doc(sessions: &[AgentSession], place: &Place) -> AgentSessionsDoc {
    let one = |own: &AgentSession| AgentSessionDoc {
        agent: own.session.agent.clone(),
        kind: own.kind.to_owned(),
        session: own.session.session.clone(),
        file: own.file.display().to_string(),
        started: own.session.started.and_then(format_time),
        written: own.written.and_then(format_time),
        title: own.session.title.clone(),
        bytes: own.bytes,
        debug_log: own.debug_log.as_ref().map(|file| file.display().to_string()),
    };
    AgentSessionsDoc {
        schema: "sessions/1",
        project: place.project.clone(),
        sessions: sessions.iter().map(one).collect(),
    }
}
