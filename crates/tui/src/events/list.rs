//! The rows of the list, and the order in which columns are hidden on a narrow screen. The verdict is never
//! hidden.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::intercept;
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{RowWriter, fit, width};
use hookbench_app::EventListRow;
use hookbench_app::live::LiveEvent;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::recorded::format_time;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventColumn {
    Date,
    Time,
    Agent,
    Event,
    Target,
    What,
    Hooks,
    Took,
    Verdict,
    /// How the event was made: in full, or in three letters, which the filter language accepts too.
    Made,
    MadeShort,
    Number,
}

use EventColumn::{Agent, Date, Event, Hooks, Made, MadeShort, Number, Target, Time, Took, What};

/// All columns, from left to right.
const ALL: [EventColumn; 12] =
    [Date, Time, Agent, Event, Target, What, Hooks, Took, EventColumn::Verdict, Made, MadeShort, Number];

/// The order in which columns are hidden. `Made` is replaced by its three letters.
const HIDING_ORDER: [EventColumn; 9] = [Date, Made, Hooks, MadeShort, Number, Took, Agent, Time, Target];

impl EventColumn {
    fn wide(self) -> usize {
        match self {
            Date => 5,
            Time => 8,
            Agent => 6,
            Event => 16,
            Target => 9,
            What => 0,
            Hooks => 5,
            Took => 6,
            EventColumn::Verdict => 13,
            Made => 9,
            MadeShort => 3,
            Number => 6,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Date => "date",
            Time => "UTC",
            Agent => "agent",
            Event => "event",
            Target => "target",
            What => "what",
            Hooks => "hooks",
            Took => "ms",
            EventColumn::Verdict => "verdict",
            Made => "source",
            MadeShort => "src",
            Number => "#",
        }
    }

    /// Whether the column is right-aligned.
    fn right(self) -> bool {
        matches!(self, Hooks | Took | Number)
    }
}

/// Columns before the first one: the cursor, the mark, the sign of a comment.
const GUTTER: usize = 3;

/// Width of the target if there is plenty of room.
const WIDE_TARGET: usize = 18;
/// Width that `what` keeps beside a wide target.
const ENOUGH: usize = 40;

/// The columns that fit, with their widths.
fn columns(room: usize) -> Vec<(EventColumn, usize)> {
    let least = if room >= 60 { 14 } else { 6 };
    let mut all: Vec<EventColumn> = ALL.into_iter().filter(|column| *column != MadeShort).collect();
    let taken = |all: &[EventColumn]| GUTTER + all.iter().map(|column| column.wide() + 1).sum::<usize>();
    for next in HIDING_ORDER {
        if taken(&all) + least <= room {
            break;
        }
        if next == Made
            && let Some(place) = all.iter().position(|column| *column == Made)
        {
            all[place] = MadeShort;
        }
        all.retain(|column| *column != next);
    }
    let what = room.saturating_sub(taken(&all));
    let more = what.saturating_sub(ENOUGH).min(WIDE_TARGET - Target.wide());
    let more = if all.contains(&Target) { more } else { 0 };
    let width_of = |column| match column {
        What => what - more,
        Target => Target.wide() + more,
        _ => column.wide(),
    };
    all.into_iter().map(|column| (column, width_of(column))).collect()
}

/// The verdict of a row, styled.
pub fn verdict(row: &EventListRow, theme: Theme) -> (Style, String) {
    match row.verdict.as_deref().map(|word| (word, Verdict::from_word(word))) {
        // Most events have these, so that the others are seen.
        Some((_, Some(verdict @ (Verdict::NoObjection | Verdict::NotRun)))) => {
            (theme.plain(), verdict.title().to_owned())
        }
        Some((_, Some(verdict))) => (theme.verdict_text(verdict), verdict.title().to_owned()),
        Some((word, None)) => (theme.plain(), word.to_owned()),
        None => (theme.quiet(), "-".to_owned()),
    }
}

/// The answer to an event of a running agent; `None` if its verdict is stored or it has none.
fn live_verdict(model: &Model, row: &EventListRow) -> Option<(Style, String)> {
    if row.verdict.is_some() {
        return None;
    }
    match model.session.live().event(&row.id) {
        Some(event) => Some(intercept::state_words(model.theme, &event.state)),
        None => row.answer.as_ref().map(|answer| intercept::answer_words(model.theme, answer)),
    }
}

/// The verdict of the event's replay in this session, if none was recorded. The sign says that it is not the recorded
/// one.
fn replayed_verdict(model: &Model, row: &EventListRow) -> Option<(Style, String)> {
    let replayed = model.session.event_list().replayed.get(&row.seq).filter(|_| row.verdict.is_none())?;
    let style = match replayed.verdict {
        Verdict::NoObjection | Verdict::NotRun => model.theme.plain(),
        verdict => model.theme.verdict_text(verdict),
    };
    Some((style, format!("~{}", replayed.verdict.title())))
}

/// Draws an event that has arrived and is not in the list yet.
pub fn draw_unlisted(model: &Model, event: &LiveEvent, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let arrived = &event.arrived;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(GUTTER);
    for (column, wide) in columns(usize::from(area.width)) {
        let time = |from, to| format_time(arrived.at).and_then(|text| text.get(from..to).map(str::to_owned));
        let quiet = |text: String| (theme.quiet(), text);
        let plain = |text: String| (theme.plain(), text);
        let cell = match column {
            Date => quiet(time(5, 10).unwrap_or_default()),
            Time => quiet(time(11, 19).unwrap_or_default()),
            Agent => {
                let name = dialects::by_id(&arrived.agent).map_or(arrived.agent.as_str(), |dialect| dialect.name());
                plain(name.split(' ').next().unwrap_or(name).to_owned())
            }
            Event => plain(arrived.event.clone()),
            Target => plain(arrived.subject.clone().unwrap_or_else(|| "-".to_owned())),
            What => plain(arrived.what.clone().unwrap_or_default()),
            Hooks | Took => quiet("-".to_owned()),
            EventColumn::Verdict => intercept::state_words(theme, &event.state),
            Made => quiet("live".to_owned()),
            MadeShort => quiet("liv".to_owned()),
            Number => quiet("-".to_owned()),
        };
        put(&mut cells, theme, column, wide, cell);
    }
}

/// The text without the directory of the event's project in front.
fn without_project<'a>(what: &'a str, row: &EventListRow) -> &'a str {
    let below = row.project.as_deref().and_then(|project| what.strip_prefix(project)?.strip_prefix('/'));
    below.unwrap_or(what)
}

fn cell(model: &Model, row: &EventListRow, column: EventColumn) -> (Style, String) {
    let theme = model.theme;
    // UTC, like all recorded times: 2026-11-20T14:31:02.000Z
    let time = |from: usize, to: usize| {
        let text = row.at.and_then(format_time);
        text.and_then(|text| text.get(from..to).map(str::to_owned)).unwrap_or_else(|| "-".to_owned())
    };
    match column {
        Date => (theme.quiet(), time(5, 10)),
        Time => (theme.quiet(), time(11, 19)),
        Agent => {
            let name = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
            (theme.plain(), name.split(' ').next().unwrap_or(name).to_owned())
        }
        Event => (theme.plain(), row.event.clone()),
        Target => (theme.plain(), row.subject.clone().unwrap_or_else(|| "-".to_owned())),
        What => {
            let what = match (&row.origin, row.origin_seq) {
                (None, _) => {
                    row.highlight.as_deref().map(|what| without_project(what, row)).unwrap_or_default().to_owned()
                }
                (Some(_), Some(origin)) => format!("replay of #{origin}"),
                (Some(_), None) => "replay of a deleted event".to_owned(),
            };
            match &row.comment {
                Some(comment) => (theme.strong(), format!("{what}  \"{comment}\"")),
                None => (theme.plain(), what),
            }
        }
        Hooks => {
            let ran = if row.hooks == 0 { "-".to_owned() } else { row.hooks.to_string() };
            let configured = model.session.configured_for(row).filter(|now| *now > 0 || row.hooks > 0);
            (theme.quiet(), configured.map_or_else(|| ran.clone(), |now| format!("{ran}/{now}")))
        }
        Took => (theme.quiet(), row.took.map_or_else(|| "-".to_owned(), |took| took.as_millis().to_string())),
        EventColumn::Verdict => {
            live_verdict(model, row).or_else(|| replayed_verdict(model, row)).unwrap_or_else(|| verdict(row, theme))
        }
        Made => (theme.quiet(), row.payload_source.word().to_owned()),
        MadeShort => (theme.quiet(), row.payload_source.word().chars().take(3).collect()),
        Number => (theme.quiet(), format!("#{}", row.seq)),
    }
}

/// Draws the column titles.
pub fn draw_titles(model: &Model, area: Rect, buf: &mut Buffer) {
    let shown = columns(usize::from(area.width));
    let mut cells = RowWriter::new(area, buf, model.theme);
    // Both columns of the source count as one.
    let hidden = ALL.len() - 1 - shown.len();
    if hidden > 0 {
        cells.right(model.theme.quiet(), &format!("+{hidden}"));
    }
    cells.skip(GUTTER);
    for (column, wide) in shown {
        put(&mut cells, model.theme, column, wide, (model.theme.quiet(), column.title().to_owned()));
    }
}

/// Draws one row.
pub fn draw_row(model: &Model, row: &EventListRow, selected: bool, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.put(theme.strong(), if selected { theme.cursor() } else { " " });
    cells.put(theme.strong(), if row.marked { "*" } else { " " });
    cells.put(theme.strong(), if row.comment.is_some() { "\"" } else { " " });
    let mut columns = columns(usize::from(area.width));
    // A row without a text leaves its room to the target, such as the reason of a session's end.
    let what = columns.iter().position(|(column, _)| *column == What);
    if let Some(at) = what.filter(|at| *at > 0 && columns[at - 1].0 == Target && cell(model, row, What).1.is_empty()) {
        columns[at - 1].1 += columns[at].1 + 1;
        columns.remove(at);
    }
    for (column, wide) in columns {
        put(&mut cells, theme, column, wide, cell(model, row, column));
    }
    if selected {
        buf.set_style(area, theme.selected());
    }
}

fn put(cells: &mut RowWriter<'_>, theme: Theme, column: EventColumn, wide: usize, (style, text): (Style, String)) {
    let text = fit(&hookbench_core::text::one_line(&text), wide, theme);
    let air = wide.saturating_sub(width(&text));
    if column.right() {
        cells.skip(air).put(style, &text).skip(1);
    } else {
        cells.put(style, &text).skip(air + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_the_last_to_go() {
        for room in [20, 40, 60, 80, 100, 120, 200] {
            let (all, widths): (Vec<_>, Vec<_>) = columns(room).into_iter().unzip();
            let what = all.iter().position(|column| *column == What).map_or(0, |index| widths[index]);
            assert!(all.contains(&EventColumn::Verdict) && all.contains(&Event), "{room}");
            assert!(all.contains(&MadeShort) || all.contains(&Made) || room < 100, "{room}: {all:?}");
            assert!(room < 60 || what >= 14, "{room}: {what}");
        }
        assert_eq!(columns(120).len(), 11);
        // A user looks for the tool, not for how a row was made.
        let at_80: Vec<EventColumn> = columns(78).into_iter().map(|(column, _)| column).collect();
        assert_eq!(at_80, [Time, Agent, Event, Target, What, EventColumn::Verdict]);
    }
}
