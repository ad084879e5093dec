//! The commands of the Problems page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

use super::{ProblemTab, ProblemsView, detail, view};
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::model::{Model, Tab};
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::update::{LoopRequest, choose_tab, command, go_to_hook, open_page};
use crate::widgets;
use hookbench_app::lint::Finding;
use hookbench_app::{Command, SharedPage, shell_quoted};
use hookbench_core::text::escape_for_terminal;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    match verb {
        UiCommand::Open if model.problems.open.is_some() => in_editor(model, asks),
        UiCommand::Open => open(model, Some(ProblemTab::Finding)),
        UiCommand::Explain if model.problems.open == Some(ProblemTab::Explanation) => {
            open(model, Some(ProblemTab::Finding));
        }
        UiCommand::Explain => open(model, Some(ProblemTab::Explanation)),
        UiCommand::PreviousTab
        | UiCommand::NextTab
        | UiCommand::NextPane
        | UiCommand::PreviousPane
        | UiCommand::Left
        | UiCommand::Right => {
            let other = if model.problems.open == Some(ProblemTab::Finding) {
                ProblemTab::Explanation
            } else {
                ProblemTab::Finding
            };
            open(model, Some(other));
        }
        UiCommand::Back => go_back(model),
        UiCommand::Search => {
            open(model, None);
            let now = model.problems.filter.clone();
            model.problems.typing = Some((widgets::InputLine::from(now.clone()), now));
        }
        UiCommand::Fix => on_selected(model, detail::show_fix),
        UiCommand::Allow => on_selected(model, detail::ask_reason),
        UiCommand::OpenEditor | UiCommand::Edit => in_editor(model, asks),
        UiCommand::Why | UiCommand::ToBench => to_bench(model, asks),
        _ => return false,
    }
    true
}

fn selected(model: &Model) -> Option<Finding> {
    model.problems.group().map(|group| group.finding.clone())
}

fn on_selected(model: &mut Model, does: fn(&mut Model, &Finding)) {
    match selected(model) {
        Some(finding) => does(model, &finding),
        None => model.toast = Some("nothing is selected".to_owned()),
    }
}

fn open(model: &mut Model, part: Option<ProblemTab>) {
    model.problems.scroll = 0;
    model.problems.open = part.filter(|_| model.problems.group().is_some());
}

/// Moves up or down: in the open finding, otherwise in the list.
pub fn step(model: &mut Model, by: isize) {
    if model.problems.open.is_some() {
        let (lines, room) = (model.problems.lines.len(), view::open_room(model));
        model.problems.scroll = widgets::scroll(model.problems.scroll, by, lines, room);
    } else {
        model.problems.selected = widgets::step(model.problems.selected, by, model.problems.counts().0);
    }
}

/// Goes back one level; from the list itself to the bench.
fn go_back(model: &mut Model) {
    if model.problems.open.is_some() {
        open(model, None);
    } else if model.problems.filter.is_empty() {
        open_page(model, Page::Bench);
    } else {
        model.problems.filter.clear();
        model.problems.apply_filter();
    }
}

/// Opens the file at the finding's line and column.
fn in_editor(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let finding = selected(model);
    let Some((path, place)) = finding.and_then(|finding| Some((finding.path?, finding.place))) else {
        model.toast = Some("this problem has no file".to_owned());
        return;
    };
    let (line, column) = place.map_or((1, 1), |(start, _)| (start.line, start.column));
    asks.push(LoopRequest::OpenFile { path, line, column });
}

/// Opens the ladder of the finding's hook on the bench.
fn to_bench(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let about = selected(model).and_then(|finding| Some((finding.agent?, finding.hook?)));
    let Some((agent, hook)) = about else {
        model.toast = Some("this problem is not about one hook".to_owned());
        return;
    };
    open_page(model, Page::Bench);
    if model.session.bench().payload.agent != agent {
        command(model, Command::ChooseAgent(agent), asks);
    }
    go_to_hook(model, &hook.event, &hook.id, asks);
    choose_tab(model, Tab::Why);
}

/// The command line that shows the selected finding.
pub fn lint_command_line(model: &Model) -> String {
    let mut words = vec!["hookbench".to_owned(), "lint".to_owned()];
    if let Some(finding) = selected(model) {
        words.extend(finding.path.as_deref().map(shell_quoted));
        words.extend(["--select".to_owned(), finding.code.to_string()]);
        words.extend(finding.agent.iter().flat_map(|agent| ["--agent".to_owned(), agent.to_string()]));
    }
    words.extend(crate::command_lines::start_options(model));
    words.join(" ")
}

/// The texts that can be copied from the selected finding.
pub fn copy_items(model: &Model) -> Result<Vec<CopyItem>, &'static str> {
    let finding = selected(model).ok_or("nothing is selected")?;
    let mut all = Vec::new();
    let mut add = |key, name, text: String| all.push(CopyItem { key, name, text });
    let at = finding.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
    let shown =
        super::view::full_finding(model).iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
    add('v', "full problem", shown);
    add('m', "its message", format!("{}: {}", finding.code, finding.message));
    add('p', "its place", format!("{}{at}", finding.file.clone().unwrap_or_default()));
    add('c', "command line", lint_command_line(model));
    let report = model.session.problems().report.as_deref();
    if let Some(text) = report.and_then(|report| model.to_markdown(SharedPage::Findings(report))) {
        add('a', "all as Markdown (masked)", text);
    }
    Ok(all)
}

/// Handles a key while the filter is typed; returns `false` if the key is a command.
pub fn on_typing_key(model: &mut Model, key: KeyEvent) -> bool {
    let Some((line, before)) = &mut model.problems.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => {
            model.problems.filter = std::mem::take(before);
            model.problems.typing = None;
        }
        KeyCode::Char('c') if control => return false,
        KeyCode::Enter => model.problems.typing = None,
        KeyCode::Up => step(model, -1),
        KeyCode::Down => step(model, 1),
        code => {
            line.key(code, control);
            model.problems.filter = line.text();
        }
    }
    model.problems.apply_filter();
    true
}

/// Adds pasted text to the filter; returns `false` if no filter is being typed.
pub fn on_paste(problems: &mut ProblemsView, text: &str) -> bool {
    let Some((line, _)) = &mut problems.typing else { return false };
    line.insert(text);
    problems.filter = line.text();
    problems.apply_filter();
    true
}

/// Handles a click on a row.
pub fn on_click(model: &mut Model, at: Position) {
    let frame = frame_layout(model);
    let row = widgets::target_at(view::row_places(model, frame.shared, frame.size), at);
    model.problems.selected = row.unwrap_or(model.problems.selected);
}
