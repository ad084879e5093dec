//! The filter with its counts, and the selected event in the band.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::{Band, BandPart, BandRow, band_height, band_row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::run_time::utc;
use crate::theme::Theme;
use crate::widgets::{RowWriter, width};
use hookbench_app::live::LiveEventState;
use hookbench_app::{EventListRow, EventListScope, EventStoreState, LongJobProgress};
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

/// Columns before the filter.
const BEFORE: u16 = 3;

/// The number of listed events, the progress of the index, and whether the list follows new events.
fn counts(model: &Model) -> String {
    let shelf = model.session.event_list();
    let mut parts = Vec::new();
    match (shelf.matching, shelf.all) {
        (Some(passing), Some(all)) if passing == all => parts.push(pluralize(all, "event")),
        (Some(passing), Some(all)) => parts.push(format!("{passing} of {all} shown")),
        _ => {}
    }
    if shelf.replays > 0 {
        parts.push(format!("{} hidden (~replay)", pluralize(shelf.replays, "replay")));
    }
    if let Some(indexed) = shelf.indexed.filter(|indexed| !indexed.complete()) {
        parts.push(format!("indexed {} %", indexed.percent()));
    }
    parts.push(if shelf.follow { "newest last, follow on".to_owned() } else { "newest last".to_owned() });
    parts.join("   ")
}

/// Draws the filter. Returns the cursor's position while the filter is typed.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = model.theme;
    if area.height == 0 || area.width <= BEFORE {
        return None;
    }
    let view = &model.events;
    if let Some(open) = &view.report {
        super::report::draw_path(model, open, area, buf);
        return None;
    }
    let shelf = model.session.event_list();
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if matches!(shelf.store, EventStoreState::Events) {
        cells.right(theme.quiet(), &format!("{} ", counts(model)));
    }
    let search = model.key(UiCommand::Search);
    let Some((line, _)) = &view.typing else {
        put_crumbs(model, &mut cells);
        if !shelf.filter.is_empty() {
            cells.skip(3).put(theme.name(), &search).skip(1).put(theme.strong(), &shelf.filter);
        }
        return None;
    };
    cells.put(theme.name(), &search).skip(1);
    let room = cells.left();
    let (text, at) = line.window(room);
    cells.put(theme.strong(), &text);
    let x = area.x + BEFORE + u16::try_from(at).unwrap_or(0);
    Some((x.min(area.right() - 1), area.y))
}

/// The maximum number of letters of a session's name.
const SESSION: usize = 12;

/// The path to the listed events: all, the project, the session.
pub fn crumbs(model: &Model) -> Vec<String> {
    let list = model.session.event_list();
    let mut crumbs = vec!["all".to_owned()];
    let project = &model.session.place().project;
    let inside = |row: &EventListRow| row.project.as_ref().is_some_and(|of| Path::new(of).starts_with(project));
    let in_project = match &list.scope {
        EventListScope::All => false,
        EventListScope::Project => true,
        EventListScope::Session(_) => list.window.rows.first().is_none_or(inside),
    };
    if in_project {
        let name = Path::new(project).file_name().map_or_else(|| project.clone(), |n| n.to_string_lossy().into_owned());
        crumbs.push(format!("project {name}"));
    }
    if let EventListScope::Session(session) = &list.scope {
        crumbs.push(format!("session {}", short_session(model, session)));
    }
    crumbs
}

/// The first characters of a session's id.
fn short_session(model: &Model, session: &str) -> String {
    let short: String = session.chars().take(SESSION).collect();
    let cut = if short.len() < session.len() { if model.theme.unicode { "…" } else { "..." } } else { "" };
    format!("{short}{cut}")
}

/// Writes the path to the listed events; its last part is where the list is.
pub fn put_crumbs(model: &Model, cells: &mut RowWriter<'_>) {
    let theme = model.theme;
    let crumbs = crumbs(model);
    for (index, crumb) in crumbs.iter().enumerate() {
        let last = index + 1 == crumbs.len();
        cells.put(if last { theme.strong() } else { theme.quiet() }, crumb);
        if !last {
            cells.put(theme.quiet(), separator(theme));
        }
    }
}

/// The separator between the parts of a path.
pub fn separator(theme: Theme) -> &'static str {
    if theme.unicode { " › " } else { " > " }
}

/// Marks the invalid part of the filter with carets on the row below it.
pub fn carets(model: &Model, area: Rect, buf: &mut Buffer) {
    let view = &model.events;
    let (Some((line, _)), Some(wrong)) = (&view.typing, &view.filter_error) else { return };
    let text = line.text();
    let columns = |part: Option<&str>| part.map_or(0, width);
    let from = usize::from(BEFORE) + columns(text.get(..wrong.start));
    let count = columns(text.get(wrong.start..wrong.end)).max(1);
    let below = Rect { y: area.y + 1, ..area }.intersection(buf.area);
    if below.height > 0 && from < usize::from(below.width) {
        let marks = "^".repeat(count.min(usize::from(below.width) - from));
        RowWriter::new(below, buf, model.theme).skip(from).put(model.theme.bad(), &marks);
    }
}

/// Builds the band: the progress of running work, then the error in the filter or the selected event.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let reserved = usize::from(band_height(Page::Events, model.size));
    let shelf = model.session.event_list();
    let block = theme.verdict(Verdict::NoObjection);
    let plain = |word: &str, says: String| band_row(word, block, vec![(theme.plain(), says)]);
    let quiet = |word: &str, says: String| band_row(word, theme.quiet(), vec![(theme.quiet(), says)]);
    let mut rows: Vec<BandRow> = Vec::new();
    if let Some(working) = &shelf.progress {
        rows.push(progress_row(model, working));
    }
    if let Some(report) = &model.events.report {
        rows.extend(super::report::build_band(model, report).rows);
        rows.truncate(reserved);
        return Band { rows };
    }
    if let Some(wrong) = model.events.filter_error.as_ref().filter(|_| model.events.typing.is_some()) {
        rows.push(band_row("WRONG", theme.verdict(Verdict::Ask), vec![(theme.plain(), wrong.message.clone())]));
        rows.push(quiet("help", wrong.help.clone()));
    }
    match &shelf.store {
        EventStoreState::Unknown | EventStoreState::Reading => {
            rows.push(plain("READING", "the store of recorded events".to_owned()));
        }
        EventStoreState::Empty => {
            let (key, elsewhere) = (model.key(UiCommand::Scope), pluralize(shelf.elsewhere, "event"));
            match shelf.elsewhere {
                0 => rows.push(plain("NONE YET", "no recorded events yet".to_owned())),
                _ => rows.push(plain(
                    "NONE HERE",
                    format!("no recorded events of this project   {key} next scope ({elsewhere})"),
                )),
            }
            rows.push(quiet("import", "paste the path of a file, or events as JSON".to_owned()));
        }
        EventStoreState::Fault { message: says, help: cure } => {
            rows.push(band_row("CLOSED", theme.verdict(Verdict::Ask), vec![(theme.plain(), says.clone())]));
            rows.push(quiet("fix", cure.unwrap_or("").to_owned()));
        }
        EventStoreState::Events => rows.extend(selected(model)),
    }
    rows.truncate(reserved);
    Band { rows }
}

/// The row of running work: progress, rate, remaining time.
fn progress_row(model: &Model, working: &LongJobProgress) -> BandRow {
    let theme = model.theme;
    let ending = model.session.event_list().stopping;
    let word = if ending { "ENDING".to_owned() } else { working.activity.to_uppercase() };
    let key = model.key(UiCommand::Cancel);
    let (far, rest) = match working.pace {
        None => {
            let percent = working.percent.map(|percent| format!("   {percent} %")).unwrap_or_default();
            (format!("{}{percent}", working.subject), format!("   {} events", working.events))
        }
        Some(pace) => {
            let rate = match pace.in_ten {
                0 => String::new(),
                1..100 => format!("   {}.{}/s", pace.in_ten / 10, pace.in_ten % 10),
                _ => format!("   {}/s", pace.in_ten / 10),
            };
            let left = pace.left.map(|left| format!("   {} left", seconds_words(left))).unwrap_or_default();
            let how = if pace.contained { "   contained" } else { "   not contained" };
            (format!("{} of {}", working.events, pace.all), format!("{how}{left}{rate}"))
        }
    };
    let does = if ending && working.pace.is_some() { "again kills" } else { "ends it" };
    let parts = vec![(theme.strong(), far), (theme.plain(), rest)];
    BandRow { right: format!("{key} {does}"), keep_right: true, ..band_row(&word, theme.verdict(Verdict::Ask), parts) }
}

/// A number of seconds as text: `40 s`, `5 min`, `2 h`.
fn seconds_words(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

fn selected(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let shelf = model.session.event_list();
    let Some(row) = shelf.window.row() else {
        let says = match (shelf.matching, shelf.matching_elsewhere) {
            (Some(0), 0) => "no event matches this filter".to_owned(),
            (Some(0), there) => {
                let (events, key) = (pluralize(there, "event"), model.key(UiCommand::Scope));
                let matches = if there == 1 { "matches" } else { "match" };
                format!("no event here matches this filter   {key} next scope ({events} {matches} elsewhere)")
            }
            _ => String::new(),
        };
        return vec![band_row("NOTHING", theme.verdict(Verdict::NoObjection), vec![(theme.plain(), says)])];
    };
    let verdict = row.verdict.as_deref().and_then(Verdict::from_word);
    let live = model.session.live().event(&row.id).map(|event| &event.state);
    let held = verdict.is_none() && live == Some(&LiveEventState::Held);
    let is_answered = row.answer.is_some() || matches!(live, Some(LiveEventState::Answered(_)));
    let word = verdict.map_or_else(
        || match (held, is_answered) {
            (true, _) => "HELD",
            (false, true) => "ANSWERED",
            (false, false) => "NO VERDICT",
        },
        Verdict::title,
    );
    let style = theme.verdict(verdict.unwrap_or(if held { Verdict::Ask } else { Verdict::NoObjection }));
    let subject = row.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = row.highlight.as_ref().map(|what| format!("   {what}")).unwrap_or_default();
    let mut first = BandRow {
        parts: vec![
            BandPart::from((theme.strong(), format!("{}{subject}", row.event))),
            BandPart::from((theme.plain(), what)),
        ],
        ..band_row(word, style, Vec::new())
    };
    first.right = format!("#{}", row.seq);
    first.keep_right = true;
    let at = row.at.and_then(utc).map(|at| format!("{at}   ")).unwrap_or_default();
    let project = row.project.as_deref().unwrap_or("unknown project");
    let session = short_session(model, &row.session);
    let says = BandPart {
        style: theme.quiet(),
        text: format!("{at}session {session}   {project}"),
        short: Some(format!("{at}session {session}")),
    };
    let made = BandRow { parts: vec![says], ..band_row(row.payload_source.word(), theme.quiet(), Vec::new()) };
    let mut rows = vec![first, made];
    if let Some(replayed) = model.session.event_list().replayed.get(&row.seq).filter(|_| verdict.is_none()) {
        let text = vec![
            (theme.verdict_text(replayed.verdict), replayed.verdict.title().to_owned()),
            (theme.quiet(), format!("   in the replay, kept as #{}", replayed.row)),
        ];
        rows.push(band_row("replayed", theme.quiet(), text));
    }
    if let Some(comment) = &row.comment {
        rows.push(band_row("comment", theme.quiet(), vec![(theme.strong(), comment.clone())]));
    }
    rows
}
