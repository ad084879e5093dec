//! The pattern on its line, and its result in the band: the matching names, their count, the probably intended
//! matcher.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::Typing;
use crate::bench::{Band, BandRow, Part, band_row};
use crate::keymap::Verb;
use crate::model::Model;
use crate::widgets::Cells;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::matcher::ReadAs;
use hookbench_core::matching::{ColumnAnswer, Why};

/// Maximum number of names in the band.
const LISTED: usize = 5;

/// Draws the pattern and its hook. Returns the cursor's position while the pattern is typed.
pub fn top_line(model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = model.theme;
    if area.height == 0 || area.width < 3 {
        return None;
    }
    let matching = &model.matching;
    let typing = matching.typing == Some(Typing::Matcher);
    let mut cells = Cells::new(area, buf, theme);
    cells.skip(1);
    if typing {
        cells.right(theme.quiet(), "Enter keeps it, Esc the old ");
    } else if let Some(definition) = matching.whose.as_ref().and_then(|whose| whose.definition(model)) {
        let from = &definition.from;
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
pub fn band_of(model: &Model) -> Band {
    let reserved = reserved(model);
    let mut rows = rows(model);
    rows.truncate(reserved);
    Band { rows, reserved }
}

/// Height reserved for the band, in rows.
fn reserved(model: &Model) -> usize {
    match model.size.1 {
        30.. => 5,
        20.. => 4,
        _ => 2,
    }
}

fn rows(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let matching = &model.matching;
    let (Some(board), Some(asked)) = (&matching.board, &matching.asked) else {
        let says = "no event to match; the bench chooses one".to_owned();
        return vec![band_row("NO EVENT", theme.verdict(Verdict::NoObjection), vec![(theme.plain(), says)])];
    };
    let (Some(column), Some(said)) = (board.columns.first(), asked.answer.columns.first()) else { return Vec::new() };
    let name = dialects::by_id(column.agent()).map_or("", |dialect| dialect.name());
    let mut rows = vec![first(model, said, name, column.about_tools())];
    let (words, because) = (said.reading.words(), &said.reading.because);
    let read = if because.is_empty() {
        vec![(theme.plain(), words)]
    } else {
        vec![(theme.plain(), format!("{words}:")), (theme.quiet(), format!(" {because}"))]
    };
    if let Some(impact) = asked.impact() {
        let mut parts = vec![Part::from((theme.plain(), impact))];
        let beside = asked.beside();
        parts.extend((!beside.is_empty()).then(|| Part::from((theme.quiet(), format!("   {}", beside.join("   "))))));
        rows.push(BandRow { parts, ..band_row("recorded", theme.quiet(), Vec::new()) });
    }
    if let Some(near) = said.near.first() {
        let more = said.near.len() - 1;
        let mut parts = vec![(theme.warn(), near.says.clone())];
        if more > 0 {
            parts.push((theme.quiet(), format!("   and {more} more")));
        }
        rows.push(band_row("nearest", theme.quiet(), parts));
    }
    let also = said.also();
    if !also.is_empty() {
        let says = format!("also {}: it is not anchored", listed(&also));
        rows.push(band_row("too wide", theme.quiet(), vec![(theme.warn(), says)]));
    }
    let told = |code: &str| said.near.iter().any(|near| near.code == code);
    for found in asked.findings.first().into_iter().flatten().filter(|found| !told(found.code)) {
        rows.push(band_row(found.code, theme.quiet(), vec![(theme.warn(), found.message.clone())]));
    }
    let suggested = asked.better.first().map(|better| {
        let key = model.key(Verb::Open);
        let parts = vec![
            Part::from((theme.strong(), better.suggestion.text.clone())),
            Part::from((theme.plain(), format!("   {}", better.suggestion.why.says()))),
            Part { style: theme.quiet(), text: format!("   {key} takes it"), short: Some(format!("  {key}")) },
        ];
        let word = if better.suggestion.why == Why::Everywhere { "for all" } else { "suggest" };
        BandRow { parts, ..band_row(word, theme.quiet(), Vec::new()) }
    });
    // The suggestion takes precedence over further findings.
    let room = reserved(model) - usize::from(suggested.is_some());
    rows.truncate(room);
    if rows.len() < room && !matches!(said.reading.read, ReadAs::Ignored | ReadAs::Invalid) {
        rows.insert(1, band_row("read as", theme.quiet(), read));
    }
    rows.extend(suggested);
    rows
}

/// The matching names, as a word and a sentence.
fn first(model: &Model, said: &ColumnAnswer, agent: &str, tools: bool) -> BandRow {
    let theme = model.theme;
    let what = if tools { "tools" } else { "values" };
    let (some, known) = (said.passing.len(), said.known);
    let names: Vec<&str> = said.passing.iter().map(String::as_str).collect();
    let block = |word: &str, verdict: Verdict, says: String| {
        band_row(word, theme.verdict(verdict), vec![(theme.strong(), says)])
    };
    let row = match said.reading.read {
        ReadAs::Ignored => {
            block("IGNORED", Verdict::Ask, format!("{agent} looks at no matcher here: {}", said.reading.because))
        }
        ReadAs::Invalid => block("INVALID", Verdict::Ask, format!("{agent} cannot read it: {}", said.reading.because)),
        _ if known == 0 => {
            let says = format!("{agent}: no {what} are known to try it on; / adds one");
            block("UNTRIED", Verdict::NoObjection, says)
        }
        _ if some == 0 => block("NOTHING", Verdict::Ask, format!("none of {known} known {what} of {agent} pass")),
        _ if some == known => block("ALL", Verdict::NoObjection, format!("all {known} known {what} of {agent} pass")),
        _ => {
            let mut row = block("MATCHES", Verdict::Allow, listed(&names));
            let says = format!("   {some} of {known} known {what} of {agent}");
            row.parts.push(Part { style: theme.quiet(), text: says, short: Some(format!("   {some} of {known}")) });
            row
        }
    };
    BandRow { right_stays: false, ..row }
}

fn listed(names: &[&str]) -> String {
    let first = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
