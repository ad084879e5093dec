//! The page as sentences: for who cannot see it, and to be copied.

use super::facts::{facts, verdict};
use super::{Line, Shown};
use crate::core::dialects;
use crate::tui::model::Model;

fn text(line: &Line) -> String {
    line.iter().map(|(_, text)| text.as_str()).collect::<String>().trim().to_owned()
}

/// An agent, fact by fact.
pub fn agent(model: &Model, shown: &Shown, index: usize) -> Vec<String> {
    let Some(of) = shown.all.agents.get(index) else { return Vec::new() };
    let name = dialects::by_id(of.agent).map_or(of.agent, |d| d.name());
    let mut out = vec![format!("{name}: {}", text(&verdict(model, shown, index)).to_lowercase())];
    for fact in facts(model, shown, index) {
        let says: Vec<String> = fact.lines.iter().map(text).filter(|says| !says.is_empty() && says != "-").collect();
        if !fact.label.is_empty() && !says.is_empty() {
            out.push(format!("{}: {}", fact.label, says.join("; ")));
        }
    }
    out
}

/// Everything: the agents, then where they differ.
pub fn page(model: &Model) -> Vec<String> {
    let Some(shown) = &model.compare.shown else { return Vec::new() };
    let mut out: Vec<String> = (0..shown.len()).flat_map(|index| agent(model, shown, index)).collect();
    for difference in &shown.comparison.differences {
        out.push(format!("they differ: {}", difference.what));
        for cell in &difference.cells {
            let name = dialects::by_id(cell.agent).map_or(cell.agent, |d| d.name());
            let why: Vec<&str> = cell.why.iter().map(|(_, says)| says.as_str()).collect();
            let why = if why.is_empty() { String::new() } else { format!(", {}", why.join("; ")) };
            out.push(format!("{name}: {}{why}", cell.shows));
        }
    }
    out
}

/// What is open of an agent, line by line.
pub fn open(model: &Model) -> Vec<String> {
    model.compare.lines.iter().map(text).filter(|line| !line.is_empty()).collect()
}
