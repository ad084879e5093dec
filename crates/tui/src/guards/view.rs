//! The layout: the list, and the selected row in full beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::state::GuardPresence;
use super::{GuardsRow, GuardsView, detail};
use crate::bench::{Band, SizeClass, band_row};
use crate::keymap::UiCommand;
use crate::list_detail::{ListDetailLayout, ListDetailSizes};
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, fit, width};
use hookbench_app::guards::{GuardOverview, JudgedHit, Judgement};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::guard::GuardMode;
use hookbench_core::text::{one_line, pluralize};

const SIZES: ListDetailSizes = ListDetailSizes { list_eighths: 4, below: 9 };

fn places(view: &GuardsView, area: Rect, size: SizeClass) -> ListDetailLayout {
    ListDetailLayout::new(&SIZES, area, size, view.detail_open)
}

/// The visible rows and their places.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    let view = &model.guards;
    places(view, area, size).row_places(view.selected, view.rows.len())
}

/// The height of the list, used to scroll by a page.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    places(&model.guards, at.shared, at.size).room()
}

/// The lines of the detail, and the number of rows for them.
pub fn current_detail(model: &Model) -> (Vec<StyledLine>, usize) {
    let at = frame_layout(model);
    let (columns, rows) = places(&model.guards, at.shared, at.size).detail_size();
    (detail::lines(&model.guards, columns, model.theme), rows)
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let size = frame_layout(model).size;
    let layout = places(&model.guards, area, size);
    layout.draw_frames("Guards", model.popups.is_empty(), buf, theme);
    let list = layout.list.inner;
    if model.guards.rows.is_empty() {
        let place = Rect { height: list.height.min(1), ..list };
        RowWriter::new(place, buf, theme).skip(2).put(theme.quiet(), "reading guards");
    }
    for (index, place) in row_places(model, area, size) {
        let Some(row) = model.guards.rows.get(index) else { continue };
        let mut cells = RowWriter::new(place, buf, theme);
        for (style, text) in line(&model.guards, *row, usize::from(place.width), theme) {
            cells.put(style, &text);
        }
        if index == model.guards.selected {
            buf.set_style(place, theme.selected());
        }
    }
    let (lines, _) = current_detail(model);
    layout.draw_detail(&lines, model.guards.scroll, buf, theme);
}

/// Draws the line above the band.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(Rect { height: area.height.min(1), ..area }, buf, theme);
    cells.skip(1).put(theme.plain(), "guards are ready-made hooks that stop bad habits of agents");
}

/// Builds the band: the number of findings, and how to judge them.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let view = &model.guards;
    let open = view.hits().iter().filter(|one| one.judged.is_none() && one.hit.allowed.is_none()).count();
    let (right, wrong) = (model.key(UiCommand::JudgeRight), model.key(UiCommand::JudgeWrong));
    let text = match (view.hits().len(), open) {
        (0, _) => match view.tried() {
            Some(events) => format!("{} checked, nothing found", pluralize(events, "recorded event")),
            None => format!("nothing found yet; {} tries the guards on recorded events", model.key(UiCommand::Replay)),
        },
        (all, 0) => format!("{}, all judged", pluralize(all, "finding")),
        (all, open) => format!("{}, {open} not judged: {right} right, {wrong} wrong", pluralize(all, "finding")),
    };
    Band { rows: vec![band_row("GUARDS", theme.verdict(Verdict::NoObjection), vec![(theme.strong(), text)])] }
}

/// Renders a row for `columns` columns.
pub fn line(view: &GuardsView, row: GuardsRow, columns: usize, theme: Theme) -> StyledLine {
    let selected = view.row() == Some(row);
    let mut line = vec![(theme.plain(), if selected { theme.cursor() } else { " " }.to_owned())];
    match row {
        GuardsRow::Guard(index) => {
            line.extend(
                view.guards().get(index).map(|guard| guard_line(view, index, guard, theme)).unwrap_or_default(),
            );
        }
        GuardsRow::Hit(index) => {
            line.extend(view.hits().get(index).map(|one| hit_line(view, one, columns, theme)).unwrap_or_default());
        }
    }
    line
}

/// The style of a mode.
pub fn mode_style(mode: GuardMode, theme: Theme) -> Style {
    match mode {
        GuardMode::Deny => theme.bad(),
        GuardMode::Warn => theme.warn(),
        GuardMode::Shadow => theme.plain(),
        GuardMode::Off => theme.quiet(),
    }
}

fn guard_line(view: &GuardsView, index: usize, guard: &GuardOverview, theme: Theme) -> StyledLine {
    let mut line = vec![(theme.strong(), format!("{:<10} ", guard.guard.word()))];
    line.push((mode_style(guard.mode, theme), format!("{:<7} ", guard.mode.word())));
    let own = || view.hits().iter().filter(|one| one.hit.guard == guard.guard.word());
    let judged = |judgement| own().filter(|one| one.judged == Some(judgement)).count();
    let counts = [(own().count(), "found"), (judged(Judgement::Right), "right"), (judged(Judgement::Wrong), "wrong")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let found = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
    line.push((theme.quiet(), format!("{}, {found}", presence_words(view, index, guard))));
    let since = guard.since.as_deref().and_then(|since| since.split('T').next());
    line.extend(since.map(|since| (theme.quiet(), format!(", since {since}"))));
    line
}

/// Says where a guard is installed, first of all whether the agent on the bench has it.
fn presence_words(view: &GuardsView, index: usize, guard: &GuardOverview) -> String {
    match view.presence.get(index) {
        Some(GuardPresence::Installed) => return "installed".to_owned(),
        Some(GuardPresence::Inactive) => return "installed, does not run".to_owned(),
        _ => {}
    }
    let mut agents: Vec<&str> = guard.installed.iter().map(|command| dialects::name_of(command.agent)).collect();
    agents.dedup();
    match (agents.as_slice(), view.agent, view.presence.get(index)) {
        ([], Some(agent), Some(GuardPresence::Impossible(_))) => format!("not for {}", dialects::name_of(agent)),
        ([], ..) => "not installed".to_owned(),
        ([one], ..) => format!("only in {one}"),
        (several, ..) => format!("in {} other agents", several.len()),
    }
}

/// The word for the judgement of a finding.
pub fn judged(one: &JudgedHit) -> &'static str {
    match (&one.hit.allowed, one.judged) {
        (Some(_), _) => "allowed",
        (None, Some(judged)) => judged.word(),
        (None, None) => "",
    }
}

fn hit_line(view: &GuardsView, one: &JudgedHit, columns: usize, theme: Theme) -> StyledLine {
    let hit = &one.hit;
    let style = match one.judged {
        Some(Judgement::Right) => theme.good(),
        Some(Judgement::Wrong) => theme.warn(),
        None => theme.quiet(),
    };
    let mut line = vec![(theme.name(), format!("  {:<6} ", hit.rule)), (style, format!("{:<7} ", judged(one)))];
    // Evidence that the sentence repeats says nothing alone.
    let text = if hit.what.contains(&hit.evidence) { &hit.what } else { &hit.evidence };
    let mut left = columns.saturating_sub(19);
    if !view.is_own(one) {
        let other = fit(&one_line(project_name(&one.hit.project)), left / 3, theme);
        left = left.saturating_sub(width(&other) + 2);
        line.push((theme.quiet(), format!("{other}: ")));
    }
    line.push((theme.plain(), fit(&one_line(text), left.max(10), theme)));
    line
}

/// The last part of a project's directory.
fn project_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("no project")
}

const THEME: Theme = Theme { colour: false, unicode: false };

fn text(line: &StyledLine) -> String {
    let whole: String = line.iter().map(|(_, text)| text.as_str()).collect();
    whole.trim_start_matches(['>', ' ']).trim_end().to_owned()
}

/// Every row.
pub fn page(view: &GuardsView) -> Vec<String> {
    view.rows.iter().map(|row| text(&line(view, *row, 200, THEME))).collect()
}

/// The selected row in full.
pub fn selected(view: &GuardsView) -> Vec<String> {
    detail::lines(view, 400, THEME).iter().map(text).filter(|line| !line.is_empty()).collect()
}
