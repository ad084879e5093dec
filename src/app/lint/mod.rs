//! All findings about the hooks of a project, agent by agent.

mod around;
#[cfg(feature = "store")]
mod recorded;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::session::{AgentState, Session};
use crate::core::config::LayerState;
use crate::core::diagnostic::{Edit, Fix, Severity};
use crate::core::dialects::Start;
use crate::core::hook::HookDefinition;
use crate::core::lint::{Lint, Outside, OutsideScript, Scope, lint, tracked_files};
use crate::core::recorded::definition_key;
use crate::core::text::{Position, SourceMap};

/// One finding, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub agent: &'static str,
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub note: Option<String>,
    pub help: Option<String>,
    pub fix: Option<Mend>,
    /// As shown; none: it is about no file.
    pub file: Option<String>,
    /// The file as it was opened.
    pub path: Option<String>,
    /// From here to here; none: the whole file.
    pub place: Option<(Position, Position)>,
    /// The line on which it begins.
    pub line: String,
}

/// A change of texts that mends a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mend {
    pub safe: bool,
    /// In the order of their places, file by file.
    pub edits: Vec<FileEdit>,
    /// Files, as opened, that are to be made executable.
    pub executable: Vec<String>,
}

/// One place of a file gets another text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// As shown.
    pub file: String,
    /// As opened.
    pub path: String,
    /// Bytes from here …
    pub start: usize,
    /// … to here.
    pub end: usize,
    pub text: String,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linted {
    pub findings: Vec<Finding>,
    /// Files with settings that were read.
    pub files: usize,
    /// Hooks that they hold.
    pub hooks: usize,
}

/// The findings about what an agent has loaded, or all of them. With `only`, those in these files. All agents are to be
/// loaded: what one of them reads is no dead file, whatever the others say of it. `times`: how long recorded runs took, by
/// the key of their definition.
pub fn lint_session(
    session: &Session,
    agent: Option<&str>,
    only: &[String],
    times: &HashMap<String, Vec<Duration>>,
) -> Linted {
    let place = &session.place;
    let agents = || session.agents.iter().filter(|a| agent.is_none_or(|id| a.dialect.id() == id));
    let alive: HashSet<&str> = session
        .agents
        .iter()
        .filter_map(|a| a.loaded.as_ref())
        .flat_map(|l| &l.layers)
        .filter(|l| l.state != LayerState::Absent)
        .map(|l| l.path.as_str())
        .collect();
    let tracked = tracked_files(session.files(), &place.project).map(Arc::new);
    let mut linted = Linted::default();
    let mut files: Vec<String> = Vec::new();
    for agent in agents() {
        let Some(loaded) = &agent.loaded else { continue };
        linted.hooks += loaded.definitions.len();
        let read = loaded.layers.iter().filter(|l| matches!(l.state, LayerState::Read | LayerState::Broken));
        for layer in read {
            if !files.contains(&layer.path) {
                files.push(layer.path.clone());
            }
        }
        let around = around::around(agent.dialect, loaded, place, tracked.clone());
        let outside = |definition: &HookDefinition| Outside {
            times: times.get(&definition_key(agent.dialect.id(), definition)).cloned().unwrap_or_default(),
            ..outside(session, agent, definition)
        };
        let (dialect, version, files) = (agent.dialect, &agent.version, session.files());
        let mut linted_one = lint(Scope { dialect, version, place, files, loaded, around: &around }, &outside);
        #[cfg(feature = "store")]
        linted_one.add(recorded::look(place, dialect.id(), loaded));
        let Lint { found, sources } = linted_one;
        for found in found {
            let source = found.span.map(|span| span.source);
            let shown = found.place(&sources).map(|(file, _)| file);
            let path = match source {
                Some(source) => Some(sources.path(source).to_owned()),
                None => shown.as_ref().map(|file| place.absolute(&place.project, file)),
            };
            let dead = found.code == "HW107" && found.span.is_none();
            let elsewhere = |path: &String| {
                alive.contains(path.as_str()) || ![&place.project, &place.home].iter().any(|of| below(path, of))
            };
            if dead && path.as_ref().is_none_or(elsewhere) {
                continue;
            }
            if !only.is_empty() && !path.as_ref().is_some_and(|path| only.contains(path)) {
                continue;
            }
            let ends = |at: usize, source| sources.position(source, at);
            let at = found.span.map(|span| (ends(span.start, span.source), ends(span.end, span.source)));
            let line = match (found.span, at) {
                (Some(span), Some((start, _))) => sources.line(span.source, start.line).to_owned(),
                _ => String::new(),
            };
            linted.findings.push(Finding {
                agent: agent.dialect.id(),
                code: found.code,
                severity: found.severity,
                message: found.message,
                note: found.note,
                help: found.help,
                fix: found.fix.map(|fix| mend(&fix, &sources)),
                file: shown,
                path,
                place: at,
                line,
            });
        }
    }
    linted.files = files.len();
    linted
}

fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// What is known of a command beside the settings: the script that it comes to, and whether it would start.
fn outside(session: &Session, agent: &AgentState, definition: &HookDefinition) -> Outside {
    let Some(resolved) = session.resolve(agent, definition) else { return Outside::default() };
    let text = session.script_text(&resolved);
    let script = resolved.script.as_ref().zip(text);
    Outside {
        script: script.map(|(path, text)| OutsideScript {
            interpreted: resolved.program.as_ref() != Some(path),
            path: path.clone(),
            text,
        }),
        start: Some(Start {
            by_name: resolved.words.first().is_some_and(|word| !word.text.contains('/')),
            status: resolved.status,
            says: resolved.says,
            program: resolved.program,
        }),
        times: Vec::new(),
    }
}

/// A fix in terms of files.
fn mend(fix: &Fix, sources: &SourceMap) -> Mend {
    let edit = |edit: &Edit| FileEdit {
        file: sources.name(edit.span.source).to_owned(),
        path: sources.path(edit.span.source).to_owned(),
        start: edit.span.start,
        end: edit.span.end,
        text: edit.text.clone(),
    };
    Mend {
        safe: fix.safe,
        edits: fix.edits.iter().map(edit).collect(),
        executable: fix.executable.iter().map(|source| sources.path(*source).to_owned()).collect(),
    }
}

/// A file as agents open it.
pub fn opened(file: &Path) -> Option<String> {
    std::fs::canonicalize(file).ok().map(|path| path.to_string_lossy().into_owned())
}
