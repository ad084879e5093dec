//! The document of `match`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::hook::{PlanHookDoc, hook_doc};
use crate::analysis::matching::{MatcherAssessment, MatcherChange};
use hookbench_core::hook::HookDefinition;
use hookbench_core::matching::{ColumnMatches, MatchTable, MatcherFinding, NearMatch};

/// A matcher checked against all known names, agent by agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchDoc {
    /// `match/1`.
    pub schema: &'static str,
    pub matcher: String,
    /// The event of the first agent.
    pub event: String,
    /// The hook that the matcher belongs to.
    pub hook: Option<PlanHookDoc>,
    pub agents: Vec<MatchAgentDoc>,
    /// Agents without such an event.
    pub missing: Vec<MatchMissingDoc>,
    pub values: Vec<MatchValueDoc>,
    pub recorded: MatchRecordedDoc,
    pub suggestions: Vec<MatchSuggestionDoc>,
    /// The change of the settings file if the hook gets this matcher; null if it already has it, or if no hook was
    /// named.
    pub change: Option<MatchChangeDoc>,
}

/// One agent's interpretation of the matcher, and the names that it matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchAgentDoc {
    pub agent: String,
    pub version: String,
    pub event: String,
    pub read: MatchReadDoc,
    /// Known names that match.
    pub matches: Vec<String>,
    /// The number of known names.
    pub known: usize,
    /// An example of an MCP tool that matches; null if none does.
    pub mcp: Option<String>,
    /// Matching names that only contain a branch although they are another tool's name: the matcher is not
    /// anchored.
    pub also: Vec<String>,
    pub nearest: Vec<NearMatch>,
    pub findings: Vec<MatcherFinding>,
}

/// The number of names that are listed before the rest is only counted.
const LISTED: usize = 8;

impl MatchAgentDoc {
    /// The known names that match, in words: `2 of 17 known names: Bash, Edit`.
    pub fn matches_words(&self) -> String {
        let shown = self.matches.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match self.matches.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let words = match (self.matches.len(), self.known) {
            (0, 0) => "no known names to try".to_owned(),
            (0, known) => format!("none of {known} known names"),
            (some, known) if some == known => format!("all {known} known names"),
            (some, known) => format!("{some} of {known} known names: {shown}{more}"),
        };
        match &self.mcp {
            Some(example) if self.matches.len() < self.known => format!("{words}; MCP tools such as {example}"),
            _ => words,
        }
    }
}

/// The interpretation of the matcher.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchReadDoc {
    /// `everything`, `names`, `text`, `pattern`, `names_then_pattern`, `invalid`, `ignored` or `nothing`.
    #[serde(rename = "as")]
    pub read: &'static str,
    pub says: String,
    pub because: String,
    /// Whether every branch must match the whole name.
    pub anchored: bool,
    pub branches: Vec<MatchBranchDoc>,
}

/// One alternative of the matcher.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchBranchDoc {
    pub text: String,
    pub says: String,
    /// Known names that it matches as a whole.
    pub whole: Vec<String>,
    /// Known names that only contain it.
    pub inside: Vec<String>,
}

/// An agent without such an event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchMissingDoc {
    pub agent: String,
    pub says: String,
}

/// A name, and whether it matches in each agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchValueDoc {
    pub value: String,
    /// `known`, `example` (an example tool of an MCP server), `recorded` or `typed`.
    pub from: &'static str,
    /// The number of recorded events of the first agent with this name.
    pub seen: u64,
    /// By agent: `yes`, `no`, `unknown` or `absent` (the agent has no such name).
    pub agents: BTreeMap<String, &'static str>,
}

/// The effect on recorded events of the first agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchRecordedDoc {
    pub events: u64,
    pub fires: u64,
    /// Events for which the result is unknown.
    pub unknown: u64,
    /// The number of events that fired with the hook's current matcher.
    pub was: Option<u64>,
}

/// A suggested matcher.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchSuggestionDoc {
    pub matcher: String,
    /// `meant`, `exact` or `everywhere`.
    pub why: &'static str,
    pub says: &'static str,
    /// The number of recorded events for which it would fire.
    pub fires: u64,
}

/// The settings file with the new matcher.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchChangeDoc {
    pub file: String,
    pub line: u32,
    pub was: Option<String>,
    pub diff: String,
    /// Other hooks whose matcher changes with it.
    pub also: Vec<String>,
    /// The step that is needed before the agent runs the hook.
    pub waits: Option<String>,
    pub written: bool,
}

/// Builds the document of a matcher check.
pub fn match_doc(
    board: &MatchTable,
    asked: &MatcherAssessment,
    hook: Option<&HookDefinition>,
    change: Option<(&MatcherChange, bool)>,
) -> MatchDoc {
    let columns = || board.columns.iter();
    let agents =
        columns().zip(&asked.answer.columns).zip(&asked.findings).map(|((column, said), found)| MatchAgentDoc {
            agent: column.agent().to_string(),
            version: column.side.version.to_string(),
            event: column.event.name.to_owned(),
            read: read_doc(said),
            matches: said.matching.clone(),
            known: said.known,
            mcp: said.server_tool.clone(),
            also: said.unintended_matches().into_iter().map(str::to_owned).collect(),
            nearest: said.near.clone(),
            findings: found.clone(),
        });
    let values = board.values.iter().zip(&asked.answer.cells).map(|(value, cells)| MatchValueDoc {
        value: value.name.clone(),
        from: value.from.word(),
        seen: value.seen,
        agents: columns().zip(cells).map(|(column, cell)| (column.agent().to_string(), cell.word())).collect(),
    });
    let missing = board.missing.iter();
    let suggestions = asked.suggestions.iter().map(|better| MatchSuggestionDoc {
        matcher: better.suggestion.text.clone(),
        why: better.suggestion.reason.word(),
        says: better.suggestion.reason.message(),
        fires: better.fires,
    });
    MatchDoc {
        schema: "match/1",
        matcher: asked.matcher.clone(),
        event: board.columns.first().map_or(String::new(), |column| column.event.name.to_owned()),
        hook: hook.map(|definition| hook_doc(definition, None)),
        agents: agents.collect(),
        missing: missing.map(|m| MatchMissingDoc { agent: m.agent.to_string(), says: m.message.clone() }).collect(),
        values: values.collect(),
        recorded: MatchRecordedDoc {
            events: asked.answer.recorded,
            fires: asked.answer.fires,
            unknown: asked.answer.unknown,
            was: asked.current_fires,
        },
        suggestions: suggestions.collect(),
        change: change.map(|(change, written)| MatchChangeDoc {
            file: change.file.clone(),
            line: change.line,
            was: change.previous.clone(),
            diff: change.diff.clone(),
            also: change.affected_hooks.clone(),
            waits: change.next_step.clone(),
            written,
        }),
    }
}

fn read_doc(said: &ColumnMatches) -> MatchReadDoc {
    let branches = said.reading.branches.iter().zip(&said.branches).map(|(branch, passing)| MatchBranchDoc {
        text: branch.text.clone(),
        says: branch.description.clone(),
        whole: passing.whole.clone(),
        inside: passing.partial.clone(),
    });
    MatchReadDoc {
        read: said.reading.kind.word(),
        says: said.reading.describe(),
        because: said.reading.reason.clone(),
        anchored: !said.reading.branches.is_empty() && said.reading.anchors().both(),
        branches: branches.collect(),
    }
}
