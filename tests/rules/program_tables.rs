//! The tables of the programs, as calibrations have asked for them, against the events, payload keys and tools of the
//! rules.

use std::collections::BTreeSet;

use hookbench::core::calibration::{FactKind, ProgramTables};
use hookbench::core::dialects::{self, Version, default_version};

/// Facts of programs that the rules leave out on purpose, by agent, kind and name, each with the reason.
const LEFT_OUT: [(&str, FactKind, &str, &str); 20] = [
    ("claude", FactKind::PayloadKey, "permission_suggestions[].directories", SOME_PAYLOADS),
    ("claude", FactKind::PayloadKey, "agent_id", SOME_PAYLOADS),
    ("claude", FactKind::PayloadKey, "agent_type", SOME_PAYLOADS),
    ("claude", FactKind::PayloadKey, "prompt_id", SOME_PAYLOADS),
    ("claude", FactKind::PayloadKey, "background_tasks[].agent_type", ITEMS),
    ("claude", FactKind::PayloadKey, "background_tasks[].description", ITEMS),
    ("claude", FactKind::PayloadKey, "background_tasks[].id", ITEMS),
    ("claude", FactKind::PayloadKey, "background_tasks[].status", ITEMS),
    ("claude", FactKind::PayloadKey, "background_tasks[].type", ITEMS),
    ("claude", FactKind::AnswerKey, "decision.behavior", PART_OF_DECISION),
    ("claude", FactKind::AnswerKey, "decision.interrupt", PART_OF_DECISION),
    ("claude", FactKind::AnswerKey, "decision.message", PART_OF_DECISION),
    ("claude", FactKind::AnswerKey, "decision.updatedInput", PART_OF_DECISION),
    ("claude", FactKind::AnswerKey, "decision.updatedPermissions", PART_OF_DECISION),
    ("claude", FactKind::AnswerKey, "suppressOutput", ONLY_CHECKED),
    ("claude", FactKind::AnswerKey, "terminalSequence", ONLY_CHECKED),
    ("claude", FactKind::Tool, "DeferredToolPlaceholder", NO_TOOL),
    ("copilot", FactKind::Event, "preMcpToolCall", DECLARED),
    ("copilot", FactKind::Event, "postResult", DECLARED),
    ("copilot", FactKind::Event, "prePRDescription", DECLARED),
];
/// Tools that hooks see, and that the catalogue of tools does not have.
const NOT_IN_CATALOGUE: [&str; 2] = ["Monitor", "tool_search"];
const SOME_PAYLOADS: &str = "only some payloads have it, and the examples are others";
const ITEMS: &str = "a list of the session, whose items no rule reads";
const PART_OF_DECISION: &str = "the rules read the whole `decision` of a PermissionRequest";
const ONLY_CHECKED: &str = "the rules check its type; it changes only what the user sees";
const NO_TOOL: &str = "a call of it is an error, \"No such tool available\", and no hook runs (2.1.332)";
const DECLARED: &str = "declarations of the program name it; no session was seen to fire it (1.0.102)";

#[test]
fn the_rules_have_every_event_key_and_tool_that_a_program_has() {
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for dialect in dialects::released() {
        let asked = ProgramTables::known(dialect).unwrap();
        let version = Version::parse(&asked.version).unwrap_or_else(|| default_version(dialect));
        let rules = ProgramTables { version: "0.0.0".to_owned(), ..ProgramTables::of_rules(dialect, &version) };
        for fact in asked.news(&rules, Some(&version)) {
            let left_out = |row: &&(&str, FactKind, &str, &str)| {
                (row.0, row.1, row.2) == (dialect.id().as_str(), fact.kind, fact.name.as_str())
            };
            match LEFT_OUT.iter().position(|row| left_out(&row)) {
                Some(row) => drop(used.insert(row)),
                // The rules have no lists of these; the tables are all that hookbench knows.
                None if matches!(fact.kind, FactKind::Variable | FactKind::Limit | FactKind::ToolName) => {}
                None => wrong.push(format!("{dialect:?}: {}", fact.words())),
            }
        }
        for (called, seen) in &asked.called_tools {
            let is_unknown =
                |name: &&String| !rules.tools.contains(*name) && !NOT_IN_CATALOGUE.contains(&name.as_str());
            let unknown = seen.iter().filter(is_unknown);
            wrong.extend(unknown.map(|name| format!("{dialect:?}: hooks see {name} for a call of {called}")));
        }
        if !asked.events.is_empty() {
            let gone = rules.events.difference(&asked.events);
            wrong.extend(gone.map(|event| format!("{dialect:?}: the program does not know {event}")));
        }
    }
    let idle =
        (0..LEFT_OUT.len()).filter(|row| !used.contains(row)).map(|row| format!("{:?} is not needed", LEFT_OUT[row]));
    wrong.extend(idle);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
