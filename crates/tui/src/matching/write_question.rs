//! The question before a change of the matcher is written to its file. Only `Y` writes it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layer_keys::LayerKey;
use crate::model::Model;
use crate::popup::{answer_row, frame, row};
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, wrap};
use hookbench_app::MatcherChange;

/// The effect on the recorded events: the names that newly match or no longer match, and the plans that change.
/// Empty without recorded events.
pub fn effect(model: &Model, change: &MatcherChange) -> Vec<String> {
    let matching = &model.matching;
    let recorded = matching.result.as_ref().map_or(0, |asked| asked.answer.recorded);
    let Some(board) = matching.board.as_ref().filter(|_| recorded > 0) else { return Vec::new() };
    let mut shifts = board.changed_names(change.previous.as_deref().unwrap_or_default(), &change.matcher);
    shifts.sort_by_key(|(_, events, _)| std::cmp::Reverse(*events));
    let sign = |now: bool| if now { '+' } else { '-' };
    let mut parts: Vec<String> =
        shifts.iter().take(MOST).map(|(name, events, now)| format!("{}{events} {name}", sign(*now))).collect();
    if shifts.len() > MOST {
        parts.push(format!("{} more names", shifts.len() - MOST));
    }
    let of = if recorded == 1 { "event".to_owned() } else { format!("{recorded} recorded events") };
    if parts.is_empty() {
        return vec![format!("of {of}: no change")];
    }
    let known = model.session.agent(change.agent.as_str()).and_then(|agent| agent.preview.as_ref());
    let then = match known.filter(|(after, _)| *after == change.after) {
        Some((_, Some(impact))) => impact.words().unwrap_or_else(|| "no event is affected".to_owned()),
        _ => "computing the effect".to_owned(),
    };
    vec![format!("of {of}: {}", parts.join("  ")), then]
}

/// Maximum number of names in the effect.
const MOST: usize = 4;

fn lines(change: &MatcherChange, theme: Theme) -> Vec<StyledLine> {
    let diff = change.diff.lines().skip_while(|line| !line.starts_with("@@"));
    let mut out: Vec<StyledLine> = diff
        .map(|line| {
            let style = match line.chars().next() {
                Some('+') => theme.good(),
                Some('-') => theme.bad(),
                Some('@') => theme.quiet(),
                _ => theme.plain(),
            };
            vec![(style, line.to_owned())]
        })
        .collect();
    if !change.affected_hooks.is_empty() {
        let says = format!("{} has the same matcher and changes too", change.affected_hooks.join(", "));
        out.push(vec![(theme.warn(), says)]);
    }
    if let Some(waits) = &change.next_step {
        out.push(vec![(theme.warn(), format!("then {waits}"))]);
    }
    out
}

/// Draws the question.
pub fn draw(change: &MatcherChange, keys: &[LayerKey], area: Rect, buf: &mut Buffer, model: &Model) {
    let theme = model.theme;
    let effect = effect(model, change);
    let wide = area.width.saturating_sub(4).min(100);
    let rows: Vec<StyledLine> =
        lines(change, theme).iter().flat_map(|line| wrap(line, usize::from(wide.saturating_sub(4)), 2)).collect();
    let tall =
        u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(4 + u16::try_from(effect.len()).unwrap_or(0));
    let inner = frame(area, buf, theme, &format!("Write {}?", change.file), wide, tall);
    let room = usize::from(inner.height).saturating_sub(2 + effect.len());
    // The changed line is in the middle, so the context around it is cut first.
    let skip = rows.len().saturating_sub(room) / 2;
    for (index, line) in rows.iter().skip(skip).take(room).enumerate() {
        RowWriter::new(row(inner, index), buf, theme).line(line);
    }
    for (index, line) in effect.iter().enumerate() {
        let at = usize::from(inner.height).saturating_sub(1 + effect.len()) + index;
        RowWriter::new(row(inner, at), buf, theme).put(if index == 0 { theme.strong() } else { theme.plain() }, line);
    }
    answer_row(row(inner, usize::from(inner.height).saturating_sub(1)), buf, theme, keys);
}
