//! The Compare page as sentences, for plain mode and to be copied.

use super::ShownComparison;
use super::agent_facts::{facts, verdict};
use super::band::build_band;
use crate::model::Model;
use crate::plain::sentences::{band_rows, expanded, sentence};
use crate::widgets::StyledLine;
use hookbench_app::{DifferenceCell, DifferenceKind};
use hookbench_core::dialects;
use hookbench_core::text::capitalized;

fn text(line: &StyledLine) -> String {
    line.iter().map(|(_, text)| text.as_str()).collect::<String>().trim().to_owned()
}

/// An agent and its facts.
pub fn agent(model: &Model, shown: &ShownComparison, index: usize) -> Vec<String> {
    let Some(of) = shown.all.agents.get(index) else { return Vec::new() };
    let name = dialects::name_of(of.agent);
    let mut out = vec![format!("{name}: {}", text(&verdict(model, shown, index)).to_lowercase())];
    for fact in facts(model, shown, index) {
        let says: Vec<String> = fact.lines.iter().map(text).filter(|says| !says.is_empty() && says != "-").collect();
        if !fact.label.is_empty() && !says.is_empty() {
            out.push(format!("{}: {}", fact.label, says.join("; ")));
        }
    }
    out
}

/// The whole page: the agents, then the differences.
pub fn page(model: &Model) -> Vec<String> {
    let Some(shown) = &model.compare.shown else { return Vec::new() };
    let mut out: Vec<String> = (0..shown.len()).flat_map(|index| agent(model, shown, index)).collect();
    for difference in &shown.comparison.differences {
        out.push(format!("they differ: {}", difference.title));
        for cell in &difference.cells {
            let name = dialects::name_of(cell.agent);
            let why: Vec<&str> = cell.reasons.iter().map(|(_, says)| says.as_str()).collect();
            let why = if why.is_empty() { String::new() } else { format!(", {}", why.join("; ")) };
            out.push(format!("{name}: {}{why}", cell.text));
        }
    }
    out
}

/// The short form: each agent's outcome, then the differences.
pub fn summary(model: &Model) -> Vec<String> {
    let Some(shown) = &model.compare.shown else { return Vec::new() };
    let name = |id: &str| dialects::by_id(id).map_or(id.to_owned(), |d| d.name().to_owned());
    let mut out = Vec::new();
    for (index, of) in shown.all.agents.iter().enumerate() {
        out.push(format!("{}: {}", name(of.agent.as_str()), text(&verdict(model, shown, index)).to_lowercase()));
        for fact in facts(model, shown, index) {
            let lines: Vec<String> = fact.lines.iter().map(text).collect();
            match fact.label.as_str() {
                "does" if of.event.is_err() || shown.fired() => out.extend(lines),
                "reason" if lines != ["-"] => out.push(format!("The reason: {}", lines.join(" "))),
                "runs" if lines != ["no hook"] => out.push(format!("It runs {}", lines.join("; "))),
                _ => {}
            }
        }
    }
    // The agents' effects and reasons have already been listed.
    let more = |what: &str| !matches!(what, "what the agent does" | "reason");
    for difference in
        shown.comparison.differences.iter().filter(|d| d.kind != DifferenceKind::Outcome || more(&d.title))
    {
        let cell = |cell: &DifferenceCell| format!("in {} {}", name(cell.agent.as_str()), cell.text);
        let cells: Vec<String> = difference.cells.iter().map(cell).collect();
        out.push(format!("Differences in {}: {}", difference.title, cells.join("; ")));
    }
    out
}

/// The open detail, line by line.
pub fn open_detail(model: &Model) -> Vec<String> {
    model.compare.lines.iter().map(text).filter(|line| !line.is_empty()).collect()
}

/// The page in plain mode: the verdicts, each agent, the differences.
pub fn spoken(model: &Model) -> Vec<String> {
    let fired = |id| model.session.firing(id).is_some_and(|firing| !firing.settled);
    if model.compare.firings().any(fired) {
        return vec!["Running in every agent.".to_owned()];
    }
    let all = summary(model);
    band_rows(&build_band(model))
        .into_iter()
        .chain(all.iter().map(|text| sentence(&capitalized(&expanded(text)))))
        .collect()
}
