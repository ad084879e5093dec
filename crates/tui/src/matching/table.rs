//! The table of names: the result in each agent, how often each was recorded, and a remark.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::MatchView;
use super::state::TypingTarget;
use crate::bench::{Band, BandPart, BandRow, band_height, band_row};
use crate::compare::first_word;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::{RowWriter, StyledLine, fit, width};
use hookbench_core::decide::Verdict;
use hookbench_core::diagnostic::Code;
use hookbench_core::dialects;
use hookbench_core::matcher::MatcherKind;
use hookbench_core::matching::{ColumnMatches, MatchCell, MatchRow, MatchTable, NameOrigin, SuggestionReason};

/// Maximum width of a name, in columns.
const NAME: usize = 26;
/// Minimum width of a name, in columns.
const LEAST: usize = 14;
/// Minimum width of an agent's column, including the space after it.
const AGENT: usize = 5;
/// Width of the key that chooses agents, and the number of those without a column.
const MORE: usize = 6;
/// Width of the count.
const SEEN: usize = 7;
/// Width of the remark.
const NOTE: usize = 10;

/// The visible columns and their widths.
pub struct MatchColumns {
    name: usize,
    /// The width of each agent's column.
    agents: Vec<usize>,
    /// The number of agents without a column.
    hidden: usize,
    seen: bool,
    note: bool,
}

impl MatchColumns {
    /// Chooses the columns that fit. The remark is hidden first, then the count, then the agents from the right.
    pub fn of(board: &MatchTable, wide: usize) -> MatchColumns {
        let longest = board.values.iter().map(|value| width(&value.name)).max().unwrap_or(0);
        let all = board.columns.len();
        let widths = agent_widths(board);
        let takes = |agents: usize, seen: bool, note: bool| {
            let more = if agents < all { MORE } else { 0 };
            let agents: usize = widths.iter().take(agents).sum();
            3 + agents + more + if seen { SEEN } else { 0 } + if note { NOTE } else { 0 }
        };
        let any = board.values.iter().any(|value| value.seen > 0);
        let ways = [(all, any, true), (all, any, false), (all, false, false)];
        let fewer = (1..all).rev().map(|agents| (agents, false, false));
        let (agents, seen, note) = ways
            .into_iter()
            .chain(fewer)
            .find(|(agents, seen, note)| takes(*agents, *seen, *note) + LEAST <= wide)
            .unwrap_or((1, false, false));
        let left = wide.saturating_sub(takes(agents, seen, note));
        let name = longest.min(NAME).min(left).max(4);
        MatchColumns { name, agents: widths.into_iter().take(agents).collect(), hidden: all - agents, seen, note }
    }

    /// The width with which every agent has its column.
    pub fn needed(board: &MatchTable) -> usize {
        3 + LEAST + agent_widths(board).iter().sum::<usize>()
    }
}

fn agent_widths(board: &MatchTable) -> Vec<usize> {
    board.columns.iter().map(|column| (width(first_word(column.agent().as_str())) + 1).max(AGENT)).collect()
}

/// The column titles.
pub fn head(model: &Model, board: &MatchTable, columns: &MatchColumns) -> StyledLine {
    let theme = model.theme;
    let matching = &model.matching;
    let typing = matching.typing == Some(TypingTarget::Filter);
    let filter = matching.filter.text();
    let mut line = vec![(theme.plain(), " ".to_owned())];
    let names = match matching.rows.len() {
        1 => "1 name".to_owned(),
        count => format!("{count} names"),
    };
    let what = if typing || !filter.is_empty() { format!("/{filter}") } else { names };
    let style = if typing { theme.strong() } else { theme.quiet() };
    let what = fit(&what, columns.name, theme);
    let air = (columns.name + 2).saturating_sub(width(&what));
    line.push((style, what));
    if typing {
        line.push((theme.selected(), " ".to_owned()));
    }
    line.push((theme.plain(), " ".repeat(air.saturating_sub(usize::from(typing)))));
    for (column, wide) in board.columns.iter().zip(&columns.agents) {
        line.push((theme.quiet(), format!("{:<wide$}", first_word(column.agent().as_str()))));
    }
    if columns.hidden > 0 {
        line.push((theme.name(), format!("{} ", model.key(UiCommand::Agent))));
        line.push((theme.quiet(), format!("+{}", columns.hidden)));
    }
    if columns.seen {
        line.push((theme.quiet(), format!("{:>5}  ", "seen")));
    }
    line
}

/// One row.
pub fn row(model: &Model, matching: &MatchView, index: usize, columns: &MatchColumns) -> Option<(String, StyledLine)> {
    let theme = model.theme;
    let value = matching.board.as_ref()?.values.get(index)?;
    let cells = matching.result.as_ref()?.answer.cells.get(index)?;
    let own = cells.first().copied().unwrap_or(MatchCell::Absent);
    let style = match own {
        MatchCell::Yes => theme.strong(),
        MatchCell::Absent if !cells.contains(&MatchCell::Yes) => theme.quiet(),
        _ => theme.plain(),
    };
    let name = fit(&value.name, columns.name, theme);
    let mut line = vec![(style, format!("{name}{}", " ".repeat((columns.name + 2).saturating_sub(width(&name)))))];
    for (cell, wide) in cells.iter().zip(&columns.agents) {
        let (style, word) = match cell {
            MatchCell::Yes => (theme.good().patch(theme.strong()), "YES"),
            MatchCell::No => (theme.quiet(), "no"),
            MatchCell::Unknown => (theme.warn(), "?"),
            MatchCell::Absent => (theme.quiet(), "."),
        };
        line.push((style, format!("{word:<wide$}")));
    }
    if columns.seen {
        let seen = if value.seen > 0 { value.seen.to_string() } else { "-".to_owned() };
        line.push((if own == MatchCell::Yes { theme.plain() } else { theme.quiet() }, format!("{seen:>5}  ")));
    }
    if columns.note {
        line.push(note(model, matching, value, own));
    }
    Some((value.name.clone(), line))
}

/// The remark about a name.
fn note(model: &Model, matching: &MatchView, value: &MatchRow, own: MatchCell) -> (ratatui::style::Style, String) {
    let theme = model.theme;
    let said = matching.result.as_ref().and_then(|asked| asked.answer.columns.first());
    let near = said.and_then(|said| said.near.iter().find(|near| near.replacement == value.name));
    let also =
        said.is_some_and(|said| own == MatchCell::Yes && said.unintended_matches().contains(&value.name.as_str()));
    match (near, value.from) {
        (Some(near), _) => (theme.warn(), if near.code == Code::HW301 { "case" } else { "nearly" }.to_owned()),
        (None, _) if also => (theme.warn(), "too wide".to_owned()),
        (None, NameOrigin::Example) => (theme.quiet(), "any server".to_owned()),
        (None, NameOrigin::Typed) => (theme.quiet(), "typed".to_owned()),
        (None, NameOrigin::Recorded) => (theme.quiet(), "recorded".to_owned()),
        (None, NameOrigin::Known) => (theme.quiet(), String::new()),
    }
}

/// Maximum number of names in the band.
const LISTED: usize = 5;

/// Draws the pattern and its hook. Returns the cursor's position while the pattern is typed.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = model.theme;
    if area.height == 0 || area.width < 3 {
        return None;
    }
    let matching = &model.matching;
    let typing = matching.typing == Some(TypingTarget::Matcher);
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if typing {
        cells.right(theme.quiet(), "Enter apply, Esc cancel ");
    } else if let Some(definition) = matching.owner.as_ref().and_then(|whose| whose.definition(model)) {
        let from = &definition.provenance;
        let place = format!("{} {} {}:{} ", definition.label(), from.layer.word(), from.file, from.line);
        let changed = if matching.differs(model) { "changed, not written   " } else { "" };
        let whole = format!("{changed}{place}");
        let fits = cells.left() > whole.chars().count() + 40;
        let short = if changed.is_empty() { definition.label() } else { "changed, not written ".to_owned() };
        cells.right(if changed.is_empty() { theme.quiet() } else { theme.warn() }, if fits { &whole } else { &short });
    }
    let (text, at) = matching.text.window(cells.left());
    let shown = if text.is_empty() && !typing { "(none)".to_owned() } else { text };
    cells.put(theme.strong(), &shown);
    let event = matching.board.as_ref().and_then(|board| board.columns.first()).map_or("", |c| c.event.name);
    if !typing && cells.left() > event.len() + 2 {
        cells.skip(2).put(theme.quiet(), event);
    }
    typing.then(|| ((area.x + 1 + u16::try_from(at).unwrap_or(0)).min(area.right() - 1), area.y))
}

/// Builds the band.
pub fn build_band(model: &Model) -> Band {
    let mut rows = rows(model);
    rows.truncate(reserved(model));
    Band { rows }
}

/// Height of the band, in rows.
fn reserved(model: &Model) -> usize {
    usize::from(band_height(Page::Match, model.size))
}

fn rows(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let matching = &model.matching;
    let (Some(board), Some(asked)) = (&matching.board, &matching.result) else {
        let says = "no event; choose one on the bench".to_owned();
        return vec![band_row("NO EVENT", theme.verdict(Verdict::NoObjection), vec![(theme.plain(), says)])];
    };
    let (Some(column), Some(said)) = (board.columns.first(), asked.answer.columns.first()) else { return Vec::new() };
    let name = dialects::by_id(column.agent().as_str()).map_or("", |dialect| dialect.name());
    let mut rows = vec![result_row(model, said, name, column.about_tools())];
    let (words, because) = (said.reading.describe(), &said.reading.reason);
    let read = if because.is_empty() {
        vec![(theme.plain(), words)]
    } else {
        vec![(theme.plain(), format!("{words}:")), (theme.quiet(), format!(" {because}"))]
    };
    if let Some(impact) = asked.impact() {
        let mut parts = vec![BandPart::from((theme.plain(), impact))];
        let beside = asked.comparisons();
        parts.extend(
            (!beside.is_empty()).then(|| BandPart::from((theme.quiet(), format!("   {}", beside.join("   "))))),
        );
        rows.push(BandRow { parts, ..band_row("recorded", theme.quiet(), Vec::new()) });
    }
    if let Some(near) = said.near.first() {
        let more = said.near.len() - 1;
        let mut parts = vec![(theme.warn(), near.message.clone())];
        if more > 0 {
            parts.push((theme.quiet(), format!("   and {more} more")));
        }
        rows.push(band_row("nearest", theme.quiet(), parts));
    }
    let also = said.unintended_matches();
    if !also.is_empty() {
        let says = format!("also {}: it is not anchored", listed(&also));
        rows.push(band_row("too wide", theme.quiet(), vec![(theme.warn(), says)]));
    }
    let told = |code: Code| said.near.iter().any(|near| near.code == code);
    for found in asked.findings.first().into_iter().flatten().filter(|found| !told(found.code)) {
        rows.push(band_row(found.code.as_str(), theme.quiet(), vec![(theme.warn(), found.message.clone())]));
    }
    let suggested = asked.suggestions.first().map(|better| {
        // While the matcher is typed, the key applies what was typed.
        let typing = model.matching.typing == Some(TypingTarget::Matcher);
        let apply = if typing { String::new() } else { format!("   {} apply", model.key(UiCommand::Open)) };
        let parts = vec![
            BandPart::from((theme.strong(), better.suggestion.text.clone())),
            BandPart::from((theme.plain(), format!("   {}", better.suggestion.reason.message()))),
            BandPart { style: theme.quiet(), text: apply, short: Some(String::new()) },
        ];
        let word = if better.suggestion.reason == SuggestionReason::Everywhere { "for all" } else { "suggest" };
        BandRow { parts, ..band_row(word, theme.quiet(), Vec::new()) }
    });
    // The suggestion takes precedence over further findings.
    let room = reserved(model) - usize::from(suggested.is_some());
    rows.truncate(room);
    if rows.len() < room && !matches!(said.reading.kind, MatcherKind::Ignored | MatcherKind::Invalid) {
        rows.insert(1, band_row("read as", theme.quiet(), read));
    }
    rows.extend(suggested);
    rows
}

/// The matching names, as a word and a sentence.
fn result_row(model: &Model, said: &ColumnMatches, agent: &str, tools: bool) -> BandRow {
    let theme = model.theme;
    let what = if tools { "tools" } else { "values" };
    let (some, known) = (said.matching.len(), said.known);
    let names: Vec<&str> = said.matching.iter().map(String::as_str).collect();
    let block = |word: &str, verdict: Verdict, says: String| {
        band_row(word, theme.verdict(verdict), vec![(theme.strong(), says)])
    };
    let row = match said.reading.kind {
        MatcherKind::Ignored => {
            block("IGNORED", Verdict::Ask, format!("{agent} ignores the matcher here: {}", said.reading.reason))
        }
        MatcherKind::Invalid => {
            block("INVALID", Verdict::FailedOpen, format!("{agent} cannot read it: {}", said.reading.reason))
        }
        _ if known == 0 => {
            let says = format!("{agent}: no known {what}; / adds one");
            block("UNTRIED", Verdict::NoObjection, says)
        }
        _ if some == 0 && said.server_tool.is_some() => {
            let example = said.server_tool.as_deref().unwrap_or_default();
            let mut row = block("MATCHES", Verdict::Allow, format!("MCP tools such as {example}"));
            let says = format!("   none of {known} known {what} of {agent}");
            row.parts.push(BandPart { style: theme.quiet(), text: says, short: Some(format!("   none of {known}")) });
            row
        }
        _ if some == 0 => {
            block("NOTHING", Verdict::FailedOpen, format!("matches none of {known} known {what} of {agent}"))
        }
        _ if some == known => {
            block("ALL", Verdict::NoObjection, format!("matches all {known} known {what} of {agent}"))
        }
        _ => {
            let mut row = block("MATCHES", Verdict::Allow, listed(&names));
            let says = format!("   {some} of {known} known {what} of {agent}");
            row.parts.push(BandPart { style: theme.quiet(), text: says, short: Some(format!("   {some} of {known}")) });
            row
        }
    };
    BandRow { keep_right: false, ..row }
}

fn listed(names: &[&str]) -> String {
    let first = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
