//! How every agent interprets the matcher, branch by branch, and why the selected name matches or does not.

use super::state::MatchView;
use crate::model::Model;
use crate::widgets::StyledLine;
use hookbench_app::MatcherAssessment;
use hookbench_core::diagnostic::Code;
use hookbench_core::dialects;
use hookbench_core::matcher::MatcherKind;
use hookbench_core::matching::{ColumnMatches, MatchTable};
use hookbench_core::plan::{RungName, RungState};

/// Width of the labels, in columns.
const LABEL: usize = 16;
/// Maximum number of names listed for one branch.
const LISTED: usize = 6;

/// All lines, not wrapped.
pub fn lines(model: &Model, matching: &MatchView) -> Vec<StyledLine> {
    let (Some(board), Some(asked)) = (&matching.board, &matching.result) else { return Vec::new() };
    let mut out = ladder(model, matching, board);
    if !out.is_empty() {
        out.push(StyledLine::new());
    }
    out.extend(readings(model, board, asked));
    out.extend(branches(model, asked));
    out.extend(others(model, board, asked));
    out
}

fn name(agent: &str) -> &'static str {
    dialects::by_id(agent).map_or("", |dialect| dialect.name())
}

/// Agents with the same interpretation share a line.
fn readings(model: &Model, board: &MatchTable, asked: &MatcherAssessment) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut groups: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for (column, said) in board.columns.iter().zip(&asked.answer.columns) {
        let (words, because) = (said.reading.describe(), said.reading.reason.as_str());
        match groups.iter_mut().find(|(known, why, _)| *known == words && *why == because) {
            Some((.., agents)) => agents.push(name(column.agent().as_str())),
            None => groups.push((words, because, vec![name(column.agent().as_str())])),
        }
    }
    let mut out = vec![vec![(theme.strong(), "Interpretation".to_owned())]];
    for (words, because, agents) in groups {
        let because = if because.is_empty() { String::new() } else { format!(": {because}") };
        out.push(vec![
            (theme.quiet(), format!("  {}  ", agents.join(", "))),
            (theme.plain(), words),
            (theme.quiet(), because),
        ]);
    }
    for missing in &board.missing {
        out.push(vec![(theme.quiet(), format!("  {}  {}", name(missing.agent.as_str()), missing.message))]);
    }
    out
}

/// The meaning of each branch, and the names that it matches.
fn branches(model: &Model, asked: &MatcherAssessment) -> Vec<StyledLine> {
    let theme = model.theme;
    let Some(said) = asked.answer.columns.first() else { return Vec::new() };
    let all: Vec<_> = said.reading.branches.iter().zip(&said.branches).collect();
    if all.is_empty() || (all.len() == 1 && said.reading.kind != MatcherKind::Pattern) {
        return Vec::new();
    }
    let mut out = vec![StyledLine::new(), vec![(theme.strong(), "Branch by branch".to_owned())]];
    for (branch, passing) in all {
        let whole = passing.whole.iter().map(String::as_str);
        let names: Vec<&str> = whole.chain(passing.partial.iter().map(String::as_str)).collect();
        let (style, found) = match names.len() {
            0 => (theme.warn(), "nothing known".to_owned()),
            _ => (theme.plain(), listed(&names)),
        };
        out.push(vec![
            (theme.strong(), format!("  {}", branch.text)),
            (theme.quiet(), format!("  {}  ", branch.description)),
            (style, found),
        ]);
    }
    out
}

/// The findings of the other agents, and those of this one that did not fit into the band.
fn others(model: &Model, board: &MatchTable, asked: &MatcherAssessment) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut out = Vec::new();
    for ((column, said), found) in board.columns.iter().zip(&asked.answer.columns).zip(&asked.findings) {
        let told = |code: Code| said.near.iter().any(|near| near.code == code);
        let near = said.near.iter().map(|near| (Some(near.code), near.message.clone()));
        let more =
            found.iter().filter(|found| !told(found.code)).map(|found| (Some(found.code), found.message.clone()));
        let also = also_matches(said).map(|says| (None, says));
        for (code, says) in near.chain(also).chain(more) {
            let code = code.map_or_else(String::new, |code| format!("{code} "));
            out.push(vec![
                (theme.quiet(), format!("  {}  {code}", name(column.agent().as_str()))),
                (theme.warn(), says),
            ]);
        }
    }
    if !out.is_empty() {
        out.insert(0, vec![(theme.strong(), "Warnings".to_owned())]);
        out.insert(0, StyledLine::new());
    }
    out
}

fn also_matches(said: &ColumnMatches) -> Option<String> {
    let also = said.unintended_matches();
    (!also.is_empty()).then(|| format!("also matches {}: it is not anchored", listed(&also)))
}

fn listed(names: &[&str]) -> String {
    let first = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The rungs for the selected name in the hook's own agent.
fn ladder(model: &Model, matching: &MatchView, board: &MatchTable) -> Vec<StyledLine> {
    let theme = model.theme;
    let (Some(ladder), Some((value, _)), Some(column)) = (&matching.ladder, matching.selected(), board.columns.first())
    else {
        return Vec::new();
    };
    let title = format!("Why: {value} in {}", name(column.agent().as_str()));
    let mut out = vec![vec![(theme.strong(), title)], vec![(theme.plain(), format!("  {}", ladder.answer))]];
    let red = ladder.rungs.iter().position(|rung| matches!(rung.state, RungState::No | RungState::Unknown));
    // The passed rungs before the matcher are folded.
    let before = ladder.rungs.iter().take_while(|rung| rung.name < RungName::Matcher && rung.state == RungState::Ok);
    let fold = before.count();
    if fold > 1 {
        let ok = (theme.good(), RungState::Ok.word().to_owned());
        out.push(vec![(theme.quiet(), format!("   1-{fold:<LABEL$}  ")), ok]);
    }
    for (index, rung) in ladder.rungs.iter().enumerate().skip(if fold > 1 { fold } else { 0 }) {
        let here = red == Some(index);
        let style = match rung.state {
            RungState::Ok => theme.good(),
            RungState::No => theme.bad(),
            RungState::Unknown => theme.warn(),
            RungState::Skipped => theme.quiet(),
        };
        let text = match rung.state {
            RungState::Skipped => theme.quiet(),
            _ if here => theme.strong(),
            _ => theme.plain(),
        };
        out.push(vec![
            (style, if here { "> " } else { "  " }.to_owned()),
            (theme.quiet(), format!("{:>2} ", index + 1)),
            (text, format!("{:<LABEL$}  ", rung.name.title())),
            (style, format!("{:<4}", rung.state.word())),
            (text, rung.message.clone()),
        ]);
    }
    out
}
