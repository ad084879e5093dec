//! The list of hooks: those of this event in plan order, the others folded, and the files that are not loaded.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::band::ignored_answer;
use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::problems::FAILED_TO_BLOCK;
use crate::run_time::took;
use crate::theme::Mark;
use crate::time_line;
use crate::widgets::{Pane, RowWriter, width};
use hookbench_app::{LEFT_OUT, RunRecord};
use hookbench_core::decide::HookRun;
use hookbench_core::diagnostic::{Diagnostic, Severity};
use hookbench_core::hook::HookDefinition;
use hookbench_core::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::run::{Exit, Launch};
use hookbench_core::text::{mark_lookalikes, pluralize};

/// Draws the pane with the list. Where `two_lines` fit, a hook with a problem has a second line for it.
pub fn draw_hooks(model: &Model, pane: Pane, buf: &mut Buffer, two_lines: bool) {
    let theme = model.theme;
    if !pane.is_shown() {
        return;
    }
    let (title, right) = title(model);
    let focused = model.focus == Focus::Hooks && model.popups.is_empty();
    pane.draw((theme.strong(), &title), &right, focused, buf, theme);
    let area = pane.inner;
    if model.rows.is_empty() {
        return draw_empty(model, area, buf);
    }
    let whole = area;
    let (heights, area) = heights(model, area, two_lines);
    let first = first_row(&heights, model.selected, area.height);
    let names = column(model, 22, |d| d.label());
    // In a narrow terminal the sentence names the relevant part of the matcher.
    let matchers = if model.size.0 < 60 { 0 } else { column(model, 16, |d| mark_lookalikes(&d.matcher_text())) };
    for (index, place) in hook_places(model, whole, two_lines) {
        let Some(row) = model.rows.get(index) else { break };
        let selected = index == model.selected;
        let line = Rect { height: 1, ..place };
        let mut cells = RowWriter::new(line, buf, theme);
        cells.put(theme.name(), if selected { theme.cursor() } else { " " });
        let repeats = index > first && repeats_problem(model, index, two_lines);
        draw_row(model, row, (names, matchers), &mut cells, (two_lines, repeats));
        if selected && focused {
            buf.set_style(line, theme.selected());
        }
        if place.height == 2 {
            second_line(model, row, Rect { y: place.y + 1, height: 1, ..area }, buf);
        }
    }
    let used = heights.iter().fold(0_u16, |all, height| all.saturating_add(*height));
    draw_times(
        model,
        Rect { y: whole.y + used.min(whole.height), height: whole.height.saturating_sub(used), ..whole },
        buf,
    );
    let hidden = model.rows.len().saturating_sub(first + count_fitting(&heights, first, area.height));
    if whole.height > area.height {
        let place = Rect { y: area.bottom(), height: 1, ..whole };
        let above = if first > 0 { format!("{first} above") } else { String::new() };
        let below = if hidden > 0 { format!("{hidden} below") } else { String::new() };
        let says = [above, below].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", ");
        RowWriter::new(place, buf, theme).right(theme.quiet(), &says);
    }
}

/// Draws the times of the shown firing at the lower end of the room below the list, after an empty row.
fn draw_times(model: &Model, room: Rect, buf: &mut Buffer) {
    let Some(firing) = model.firing() else { return };
    let columns = usize::from(room.width).saturating_sub(2);
    let lines = time_line::chart(model.theme, &time_line::firing_times(model, firing), columns);
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    if rows < room.height {
        for (y, line) in (room.bottom() - rows..).zip(&lines) {
            RowWriter::new(Rect { y, height: 1, ..room }, buf, model.theme).skip(1).line(line);
        }
    }
}

/// The title of the pane, and the text at its right end.
fn title(model: &Model) -> (String, String) {
    if model.rows.is_empty() {
        return ("Hooks".to_owned(), String::new());
    }
    let hooks = model.rows.iter().filter_map(|row| if let HookListRow::Hook(id) = row { Some(id) } else { None });
    let fires = |id: &&String| model.entry(id).is_some_and(|e| matches!(e.selection, Selection::Fires { .. }));
    let (hooks, runs) = (hooks.clone().count(), hooks.filter(fires).count());
    let event = model.session.bench().payload.event.map_or("", |event| event.name);
    (format!("Hooks on {event}"), if hooks == 0 { "none".to_owned() } else { format!("{runs} of {hooks} run") })
}

/// The sentence of a hook that never runs, fails, or has another problem that its row has to name. `None` if it has
/// no problem.
fn problem_of(model: &Model, row: Option<&HookListRow>) -> Option<String> {
    let Some(HookListRow::Hook(id)) = row else { return None };
    let definition = model.loaded()?.definition(id)?;
    let entry = model.entry(id);
    let (_, problem) = mark(model, definition, entry);
    (problem || has_mistake(model, id)).then(|| state(model, definition, entry).1)
}

/// Whether the answer of a hook's run has a mistake that the agent does not report as a failure.
fn has_mistake(model: &Model, id: &str) -> bool {
    let Some(ended) = model.run_of(id).and_then(RunRecord::ended) else { return false };
    let output = &ended.output;
    let mistaken = || output.notes.iter().any(|note| note.severity != Severity::Info);
    output.notes.iter().any(|note| note.code == FAILED_TO_BLOCK)
        || output.vote == Vote::None && (mistaken() || unused_answer(output).is_some())
}

/// Whether a row does not name its problem, because the row above it names the same. Where `two_lines` fit, the
/// sentence of a hook has a line of its own.
fn repeats_problem(model: &Model, index: usize, two_lines: bool) -> bool {
    let row = |index: Option<usize>| index.and_then(|index| model.rows.get(index));
    let stale_file = |row: Option<&HookListRow>| {
        let Some(HookListRow::Stale(index)) = row else { return None };
        Some(&model.session.current()?.stale.get(*index)?.provenance.file)
    };
    let (this, above) = (row(Some(index)), row(index.checked_sub(1)));
    match this {
        Some(HookListRow::Stale(_)) => stale_file(this) == stale_file(above),
        _ if two_lines => false,
        _ => problem_of(model, this).is_some_and(|problem| problem_of(model, above) == Some(problem)),
    }
}

/// The height of each row, and the area for them. If rows are hidden, the last line of the area is kept for their
/// count.
fn heights(model: &Model, area: Rect, two_lines: bool) -> (Vec<u16>, Rect) {
    // The sentence of a problem is below the last of the rows that have it.
    let problems: Vec<Option<String>> = model.rows.iter().map(|row| problem_of(model, Some(row))).collect();
    let high = |(index, row): (usize, &HookListRow)| match row {
        HookListRow::Stale(_) if two_lines => 2,
        HookListRow::Hook(_) if two_lines => {
            let problem = problems.get(index).and_then(Option::as_ref);
            let below = problems.get(index + 1).and_then(Option::as_ref);
            1 + u16::from(problem.is_some() && problem != below)
        }
        _ => 1,
    };
    let heights: Vec<u16> = model.rows.iter().enumerate().map(high).collect();
    let all = heights.iter().fold(0_u16, |all, height| all.saturating_add(*height));
    let kept = u16::from(all > area.height && area.height > 2);
    (heights, Rect { height: area.height - kept, ..area })
}

/// The visible rows and their places.
pub fn hook_places(model: &Model, area: Rect, two_lines: bool) -> Vec<(usize, Rect)> {
    let (heights, area) = heights(model, area, two_lines);
    let first = first_row(&heights, model.selected, area.height);
    let mut y = area.y;
    let mut places = Vec::new();
    for (index, height) in heights.into_iter().enumerate().skip(first) {
        if y >= area.bottom() {
            break;
        }
        let height = height.min(area.bottom() - y);
        places.push((index, Rect { y, height, ..area }));
        y += height;
    }
    places
}

fn count_fitting(heights: &[u16], first: usize, height: u16) -> usize {
    let mut used = 0;
    heights
        .iter()
        .skip(first)
        .take_while(|h| {
            used += **h;
            used <= height
        })
        .count()
}

/// The first row to draw so that the selected one is visible.
fn first_row(heights: &[u16], selected: usize, height: u16) -> usize {
    let mut left = height;
    let above = heights.iter().take(selected + 1).rev().take_while(|high| {
        let fits = **high <= left;
        left = left.saturating_sub(**high);
        fits
    });
    (selected + 1).min(heights.len()).saturating_sub(above.count()).min(selected)
}

/// Draws the help for a project without hooks: the files they are read from, and example hooks to copy.
fn draw_empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else { return };
    // A broken file may contain hooks, so no examples are offered.
    let broken = model.broken_layers();
    for (layer, y) in broken.iter().zip(area.top()..area.bottom()) {
        let mut cells = RowWriter::new(Rect { y, height: 1, ..area }, buf, theme);
        cells.skip(1).put(theme.bad(), &layer.file).put(theme.plain(), " cannot be read, so its hooks are unknown");
    }
    if !broken.is_empty() {
        return;
    }
    let new = format!("{} writes a hook from a recipe", model.key(UiCommand::NewHook));
    let mut lines: Vec<(Style, String)> =
        vec![(theme.strong(), new), (theme.plain(), String::new()), (theme.strong(), "Hooks are read from".to_owned())];
    let layers = loaded.layers.iter().map(|layer| width(layer.layer.word())).max().unwrap_or(0);
    lines.extend(loaded.layers.iter().map(|l| (theme.name(), format!("  {:<layers$}   {}", l.layer.word(), l.file))));
    lines.push((theme.plain(), String::new()));
    lines.push((theme.plain(), format!("{} copies settings to start with:", model.key(UiCommand::Copy))));
    let first = model.session.current().map(|a| a.dialect.first_hooks());
    lines.extend(first.into_iter().flatten().map(|hook| (theme.plain(), format!("  {}", hook.name))));
    lines.push((theme.plain(), String::new()));
    lines.push((theme.plain(), "hookbench demo shows hooks that run".to_owned()));
    for (index, (style, text)) in lines.iter().enumerate().take(usize::from(area.height)) {
        let y = area.y + u16::try_from(index).unwrap_or(0);
        RowWriter::new(Rect { y, height: 1, ..area }, buf, theme).skip(1).put(*style, text);
    }
}

/// The width of a column over the hooks of this event.
fn column(model: &Model, most: usize, text: impl Fn(&HookDefinition) -> String) -> usize {
    let Some(loaded) = model.loaded() else { return most };
    let wide = |row: &HookListRow| match row {
        HookListRow::Hook(id) => loaded.definition(id).map_or(0, |d| width(&text(d))),
        HookListRow::Stale(index) => {
            model.session.current().and_then(|a| a.stale.get(*index)).map_or(0, |d| width(&text(d)))
        }
        _ => 0,
    };
    model.rows.iter().map(wide).max().unwrap_or(0).clamp(4, most)
}

/// The widths of names and matchers of other events' hooks: their content's width, limited by the room that the
/// places leave.
fn other_columns(model: &Model, room: usize) -> (usize, usize) {
    let Some(loaded) = model.loaded() else { return (0, 0) };
    let others = || {
        let of = |row: &HookListRow| if let HookListRow::Other(id) = row { loaded.definition(id) } else { None };
        model.rows.iter().filter_map(of)
    };
    let widest = |text: &dyn Fn(&HookDefinition) -> String| others().map(|d| width(&text(d))).max().unwrap_or(0);
    let place = others().filter(|d| d.rejection.is_none()).map(|d| width(&place_of(d))).max().unwrap_or(0);
    let left = room.saturating_sub(place + 2);
    let names = widest(&HookDefinition::label).clamp(4, 32).min(left);
    let matchers = widest(&|d| mark_lookalikes(&d.matcher_text())).min(16).min(left.saturating_sub(names + 2));
    (names, if matchers < 4 { 0 } else { matchers })
}

fn draw_row(
    model: &Model,
    row: &HookListRow,
    (names, matchers): (usize, usize),
    cells: &mut RowWriter<'_>,
    (two_lines, repeats): (bool, bool),
) {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else { return };
    match row {
        HookListRow::Hook(id) => {
            let Some(definition) = loaded.definition(id) else { return };
            let entry = model.entry(id);
            let fires = entry.is_some_and(|e| matches!(e.selection, Selection::Fires { .. }));
            let ((style, sign), problem) = mark(model, definition, entry);
            cells.put(style, sign).skip(1);
            cells.cell(if fires { theme.strong() } else { theme.plain() }, &definition.label(), names);
            if let Some(run) = model.run_of(id) {
                let time = if model.is_assumed(run) { "assumed".to_owned() } else { timing(model, run) };
                cells.right(theme.quiet(), &time);
                if run.ended().is_none_or(|ended| ended.report.exit != Exit::Code(0)) {
                    cells.right(theme.plain(), &ending(run));
                }
            }
            if matchers > 0 {
                cells.cell(theme.quiet(), &mark_lookalikes(&definition.matcher_text()), matchers);
            }
            let (style, says) = state(model, definition, entry);
            let place = place_of(definition);
            // A problem is on the second line. If another sentence does not fit, the place is shown instead.
            if two_lines && (problem || has_mistake(model, id) || width(&says) > cells.left()) {
                if cells.left() >= width(&place) {
                    cells.put(theme.quiet(), &place);
                }
            } else if repeats {
                cells.put(theme.quiet(), "same problem as above");
            } else {
                cells.put(style, &says);
            }
        }
        HookListRow::Others(count) => {
            let (mark, does) = if model.unfolded { ("-", "collapse") } else { ("+", "expand") };
            let hint = format!("{} {does}", model.key(UiCommand::Open));
            cells.put(theme.plain(), &format!("{mark} {count} on other events")).right(theme.quiet(), &hint);
        }
        HookListRow::Own { file, hooks } => {
            let (mark, does) = if model.unfolded_own.contains(file) { ("-", "collapse") } else { ("+", "expand") };
            let hint = format!("{} {does}", model.key(UiCommand::Open));
            let events = pluralize(*hooks, "event");
            cells.put(theme.quiet(), &format!("{mark} hookbench records {events} here")).right(theme.quiet(), &hint);
            cells.put(theme.quiet(), &format!("   {file}"));
        }
        HookListRow::EventName(name) => {
            cells.put(theme.name(), &format!("  {name}"));
        }
        HookListRow::Other(id) => {
            let Some(definition) = model.session.loaded().and_then(|l| l.definition(id)) else { return };
            let style = if definition.rejection.is_some() { theme.quiet() } else { theme.plain() };
            cells.skip(2);
            let (names, matchers) = other_columns(model, cells.left());
            cells.cell(style, &definition.label(), names);
            if matchers > 0 {
                cells.cell(theme.quiet(), &mark_lookalikes(&definition.matcher_text()), matchers);
            }
            match &definition.rejection {
                Some(refused) => cells.put(theme.warn(), &refused.message),
                None => cells.put(theme.quiet(), &place_of(definition)),
            };
        }
        HookListRow::Stale(index) => {
            let Some(definition) = model.session.current().and_then(|a| a.stale.get(*index)) else { return };
            cells.put(theme.warn(), theme.mark(Mark::Never)).skip(1).cell(theme.quiet(), &definition.label(), names);
            if repeats {
                cells.put(theme.quiet(), "same problem as above");
            } else {
                cells.put(theme.warn(), "its file is skipped");
            }
        }
        HookListRow::NotLoaded(index) => {
            let Some(file) = model.session.loaded().and_then(|l| l.ignored_files.get(*index)) else { return };
            cells.put(theme.warn(), theme.mark(Mark::Never)).skip(1);
            cells.put(theme.plain(), &file.file).put(theme.warn(), &format!("  not loaded: {}", file.message));
        }
    }
}

fn second_line(model: &Model, row: &HookListRow, place: Rect, buf: &mut Buffer) {
    let Some(loaded) = model.loaded() else { return };
    let mut cells = RowWriter::new(place, buf, model.theme);
    cells.skip(5);
    match row {
        HookListRow::Hook(id) => {
            let Some(definition) = loaded.definition(id) else { return };
            let (style, says) = state(model, definition, model.entry(id));
            cells.put(style, &says);
        }
        HookListRow::Stale(index) => {
            let Some(definition) = model.session.current().and_then(|a| a.stale.get(*index)) else { return };
            cells.put(model.theme.quiet(), &format!("{}   {}", definition.event, place_of(definition)));
        }
        _ => {}
    }
}

/// The layer and line of a definition, as in `project:12`.
fn place_of(definition: &HookDefinition) -> String {
    format!("{}:{}", definition.provenance.layer.word(), definition.provenance.line)
}

/// The sign for a hook's state, and whether the state is a problem. The words beside it say the same.
fn mark(model: &Model, definition: &HookDefinition, entry: Option<&PlanEntry>) -> ((Style, &'static str), bool) {
    let theme = model.theme;
    let sign = |style: Style, mark: Mark| (style, theme.mark(mark));
    let Some(entry) = entry else { return (sign(theme.quiet(), Mark::Skipped), false) };
    let aside = entry.why.rule == LEFT_OUT || model.for_others.contains(&definition.id);
    match entry.selection {
        Selection::Skipped if aside => return (sign(theme.quiet(), Mark::Skipped), false),
        Selection::Skipped => return (sign(theme.warn(), Mark::Never), true),
        Selection::Unknown => return (sign(theme.ask(), Mark::Unknown), true),
        Selection::Fires { .. } => {}
    }
    let Some(run) = model.run_of(&definition.id) else {
        return if model.known_problem(&definition.id).is_some() {
            (sign(theme.warn(), Mark::Failed), true)
        } else if model.needs(&definition.id).is_some() {
            (sign(theme.ask(), Mark::Unknown), false)
        } else {
            (sign(theme.name(), Mark::Waits), false)
        };
    };
    let Some(ended) = run.ended() else { return (sign(theme.name(), Mark::Waits), false) };
    if ended.report.exit == Exit::Unanswered {
        return (sign(theme.ask(), Mark::Unknown), true);
    }
    if ended.output.failure.is_some() || model.known_failure(run).is_some() {
        return (sign(theme.warn(), Mark::Failed), true);
    }
    match ended.output.vote {
        // No row of the band names the hook, so its own row does.
        Vote::None if ended.output.stops_agent() => (sign(theme.bad(), Mark::Decided), true),
        Vote::Deny | Vote::Block => (sign(theme.bad(), Mark::Decided), false),
        Vote::Allow => (sign(theme.good(), Mark::Decided), false),
        Vote::Ask | Vote::Defer => (sign(theme.ask(), Mark::Decided), false),
        // The band names a hook whose answer the agent ignores.
        Vote::None if ignored_answer(&ended.output).is_some() => (sign(theme.warn(), Mark::Failed), false),
        Vote::None => (sign(theme.good(), Mark::Silent), false),
    }
}

/// The hook's state in a few words.
fn state(model: &Model, definition: &HookDefinition, entry: Option<&PlanEntry>) -> (Style, String) {
    let theme = model.theme;
    let Some(entry) = entry else { return (theme.quiet(), String::new()) };
    match entry.selection {
        Selection::Skipped if entry.why.rule == LEFT_OUT => return (theme.quiet(), entry.why.message.clone()),
        Selection::Skipped if model.for_others.contains(&definition.id) => {
            return (theme.quiet(), format!("not for this: {}", entry.why.message));
        }
        Selection::Skipped => return (theme.warn(), format!("never: {}", entry.why.message)),
        Selection::Unknown => return (theme.warn(), format!("unknown: {}", entry.why.message)),
        Selection::Fires { .. } => {}
    }
    let Some(run) = model.run_of(&definition.id) else {
        if let Some(says) = model.known_problem(&definition.id) {
            return (theme.warn(), format!("will run and fail: {says}"));
        }
        if let Some(needs) = model.needs(&definition.id) {
            return (theme.quiet(), format!("not run here: {needs}"));
        }
        let detached = if definition.detached { "in the background; " } else { "" };
        return (theme.quiet(), format!("will run: {detached}{}", entry.why.message));
    };
    // The clock beside it shows that it is running.
    let Some(ended) = run.ended() else { return (theme.quiet(), entry.why.message.clone()) };
    if let Exit::Unanswered = ended.report.exit {
        let needs = match &run.launch {
            Launch::ByHand(question) => question.requires,
            _ => "needs the agent",
        };
        return (theme.warn(), format!("unknown: {needs}; {} answers by hand", model.key(UiCommand::Open)));
    }
    if let Some(says) = model.known_failure(run) {
        return (theme.warn(), says.to_owned());
    }
    if let Some(note) = ended.output.notes.iter().find(|note| note.code == FAILED_TO_BLOCK) {
        return (theme.warn(), note.message.clone());
    }
    if let Some(failure) = &ended.output.failure {
        return (theme.warn(), failure.clone());
    }
    answer_words(model, run, ended)
}

/// The answer of a run that did not fail, with remarks.
fn answer_words(model: &Model, run: &RunRecord, ended: &HookRun) -> (Style, String) {
    let theme = model.theme;
    let output = &ended.output;
    // A mistake that the agent does not report matters more than an empty answer.
    let mistake = |note: &&Diagnostic| note.severity != Severity::Info;
    let silent = output.vote == Vote::None && !output.stops_agent();
    if let Some(note) = output.notes.iter().find(mistake).filter(|_| silent) {
        return (theme.warn(), note.message.clone());
    }
    if let Some(says) = unused_answer(output) {
        return (theme.warn(), says);
    }
    let style = match output.vote {
        Vote::None if output.stops_agent() => theme.bad(),
        Vote::Deny | Vote::Block => theme.bad(),
        Vote::Allow => theme.good(),
        Vote::Ask | Vote::Defer => theme.warn(),
        Vote::None => theme.quiet(),
    };
    let event = model.session.bench().payload.event.filter(|e| e.name == ended.input.event);
    let mut says = output.words_on(event);
    if let Some(note) = output.notes.first().filter(|_| silent) {
        says = format!("{says}   {}", note.message);
    }
    if ended.report.stdin_read == 0 && matches!(run.launch, Launch::Process(_)) {
        says.push_str("   did not read its stdin");
    }
    if !ended.report.leftovers.is_empty() {
        says.push_str("   left processes behind");
    }
    (style, says)
}

/// The reason why the first key does not count, if no key of the answer counts.
fn unused_answer(output: &HookOutput) -> Option<String> {
    let counts = |field: &FieldUse| field.key_use == KeyUse::Used && !field.pointer.ends_with("/hookEventName");
    let first = output.fields.iter().find(|f| f.key_use != KeyUse::Used).filter(|_| output.vote == Vote::None)?;
    let key = first.pointer.rsplit('/').next().unwrap_or_default();
    let vain = output.form == AnswerForm::Json && !output.fields.iter().any(counts);
    vain.then(|| format!("`{key}` is ignored: {}", first.message))
}

fn ending(run: &RunRecord) -> String {
    run.ended().map_or_else(|| "running".to_owned(), |r| r.report.exit.describe())
}

fn timing(model: &Model, run: &RunRecord) -> String {
    let time = match run.ended() {
        Some(ended) => ended.report.timing.duration(),
        None => model.elapsed(model.started),
    };
    format!("{:>7}", took(time))
}
