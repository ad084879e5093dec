//! The Match page as sentences.

use super::pattern_line::build_band;
use crate::model::Model;
use crate::plain::sentences::{band_rows, expanded, sentence};
use hookbench_core::matcher::MatcherKind;
use hookbench_core::matching::MatchCell;
use hookbench_core::text::capitalized;

/// The pattern and its hook.
pub fn pattern(model: &Model) -> String {
    let text = model.matching.text.text();
    let definition = model.matching.owner.as_ref().and_then(|whose| whose.definition(model));
    let of = definition.map(|d| format!(", the matcher of {}", d.label())).unwrap_or_default();
    let changed = if model.matching.differs(model) { ", changed and not written" } else { "" };
    format!("matcher {text}{of}{changed}")
}

/// For each agent its interpretation and the matching names.
pub fn page(model: &Model) -> Vec<String> {
    let (Some(board), Some(asked)) = (&model.matching.board, &model.matching.result) else { return Vec::new() };
    let each = board.columns.iter().zip(&asked.answer.columns).enumerate().map(|(index, (column, said))| {
        let passes = board.values.iter().zip(&asked.answer.cells);
        let passes =
            passes.filter(|(_, cells)| cells.get(index) == Some(&MatchCell::Yes)).map(|(value, _)| value.name.as_str());
        let names: Vec<&str> = passes.collect();
        let reading = said.reading.describe();
        if said.reading.kind == MatcherKind::Ignored {
            return format!("{}: the matcher is ignored, every event runs the hook", column.side.dialect.name());
        }
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        format!("{}: {reading}; it matches {names}", column.side.dialect.name())
    });
    each.collect()
}

/// The page in plain mode: the matcher, its result, the interpretation of each agent.
pub fn spoken(model: &Model) -> Vec<String> {
    let all = page(model);
    let first = sentence(&capitalized(&expanded(&pattern(model))));
    let rest = all.iter().map(|text| sentence(&capitalized(&expanded(text))));
    std::iter::once(first).chain(band_rows(&build_band(model))).chain(rest).collect()
}
