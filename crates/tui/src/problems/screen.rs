//! The Problems page and its commands.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{ProblemTab, ProblemsView, band, detail, view};
use crate::bench::{Band, FrameLayout};
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::{Model, Tab};
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::plain::sentences::detail;
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
use crate::update::{LoopRequest, choose_tab, command, go_to_hook, open_page};
use crate::widgets;
use hookbench_app::lint::Finding;
use hookbench_app::{Command, SharedPage, shell_quoted};
use hookbench_core::text::escape_for_terminal;

/// The page.
pub struct ProblemsScreen;

impl Screen for ProblemsScreen {
    fn tab_count(&self, model: &Model) -> Option<(usize, Style)> {
        let style = if model.problems.has_errors() { model.theme.bad() } else { model.theme.warn() };
        Some((model.problems.urgent_count(), style))
    }

    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.problems, ProblemsView::refresh);
    }

    fn always_fresh(&self) -> bool {
        true
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
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

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
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

    fn on_paste(&self, model: &mut Model, text: &str, _: &mut Vec<LoopRequest>) -> bool {
        on_paste(&mut model.problems, text)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        let frame = frame_layout(model);
        let row = widgets::target_at(view::row_places(model, frame.shared, frame.size), at);
        model.problems.selected = row.unwrap_or(model.problems.selected);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        step(model, by);
    }

    fn visible_rows(&self, model: &Model) -> usize {
        if model.problems.open.is_some() { view::open_room(model) } else { view::room(model) }
    }

    fn band(&self, model: &Model) -> Band {
        band::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        band::draw_top_line(model, area, buf)
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        view::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open, UiCommand::Explain], "open, explain"),
            (&[UiCommand::Fix, UiCommand::Undo], "fix, undo"),
            (&[UiCommand::Allow], "allow with a reason"),
            (&[UiCommand::Search], "filter"),
            (&[UiCommand::Why, UiCommand::ToBench], "show hook on bench"),
            (&[UiCommand::OpenEditor, UiCommand::Edit], "open file"),
            (&[UiCommand::PreviousTab, UiCommand::NextTab], "switch part"),
        ]
    }

    fn bench_command(&self) -> UiCommand {
        UiCommand::Why
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        model.problems.typing.as_ref().map(|_| typing_keys("keep filter", "cancel"))
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let palette = (UiCommand::Palette, "");
        if model.problems.group().is_none() {
            return vec![(UiCommand::NewHook, "new hook"), palette];
        }
        vec![
            (if model.problems.open.is_some() { UiCommand::Back } else { UiCommand::Open }, ""),
            (UiCommand::Fix, ""),
            (UiCommand::Explain, ""),
            (UiCommand::Why, ""),
            (UiCommand::Search, "filter"),
            (UiCommand::OpenEditor, "editor"),
            palette,
        ]
    }

    /// The texts that can be copied from the selected finding.
    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        let finding = selected(model).ok_or("nothing is selected")?;
        let mut all = Vec::new();
        let mut add = |key, name, text: String| all.push(CopyItem { key, name, text });
        let at = finding.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
        let shown = super::view::full_finding(model)
            .iter()
            .map(|line| escape_for_terminal(line))
            .collect::<Vec<_>>()
            .join("\n");
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

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(lint_command_line(model))
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let is_covered = model.problems.open.is_some();
        (!is_covered).then(|| PageList::new("problems", view::rows(model), model.problems.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        view::page(model)
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        model.problems.open?;
        Some(detail(&view::full_finding(model)))
    }
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

/// Adds pasted text to the filter; returns `false` if no filter is being typed.
pub fn on_paste(problems: &mut ProblemsView, text: &str) -> bool {
    let Some((line, _)) = &mut problems.typing else { return false };
    line.insert(text);
    problems.filter = line.text();
    problems.apply_filter();
    true
}
