//! What lies over the bench for a moment: lists to choose from, a field to fill in, a question, the help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget as _};

use crate::app::{Command, ConsentItem, FiringId};
use crate::core::run::RunId;
use crate::core::text::one_line;
use crate::tui::consent;
use crate::tui::finder::{Choice, Finder};
use crate::tui::model::Model;
use crate::tui::theme::Theme;
use crate::tui::widgets::{Cells, Line, wrap};
use crate::tui::yank::Yank;

/// One popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Popup {
    Pick(Pick),
    /// The known values of one field. What is typed and is none of them is taken too.
    Values {
        path: String,
        title: String,
        pick: Pick,
    },
    Find(Finder),
    Input(Input),
    /// The commands that would run, and the first row that is shown.
    Consent {
        items: Vec<ConsentItem>,
        top: usize,
    },
    /// The payload could not be taken.
    Refused(String),
    /// Lines to read, such as a comparison.
    Lines {
        title: String,
        lines: Vec<Vec<(Style, String)>>,
        top: usize,
    },
    /// What can be copied.
    Yank(Vec<Yank>),
    /// Something runs; really quit?
    Quit,
    Help {
        filter: String,
        top: usize,
    },
}

/// A list to choose from; typing narrows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    pub title: &'static str,
    pub items: Vec<Item>,
    pub filter: String,
    pub selected: usize,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub label: String,
    pub about: String,
    /// What choosing it does.
    pub commands: Vec<Command>,
}

impl Pick {
    /// The items that contain every word of the filter.
    pub fn shown(&self) -> Vec<&Item> {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |item: &&Item| {
            let text = format!("{} {}", item.label, item.about).to_lowercase();
            words.iter().all(|w| text.contains(w))
        };
        self.items.iter().filter(fits).collect()
    }
}

/// One line to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub title: String,
    pub hint: String,
    pub text: Line,
    pub what: InputFor,
    pub error: Option<String>,
}

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputFor {
    Field,
    Answer { firing: FiringId, run: RunId },
    WhatIf { firing: FiringId, run: RunId },
}

/// What a key did to a popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Stay,
    Close,
    Do(Vec<Command>),
    Copy(String),
    /// What was found.
    Choose(Choice),
    /// Edit the refused payload again.
    EditAgain,
    Quit,
}

/// Takes a key.
pub fn key(popup: &mut Popup, key: KeyEvent, size: (u16, u16)) -> Answer {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('c') {
        return if matches!(popup, Popup::Consent { .. }) {
            Answer::Do(vec![Command::WithholdConsent])
        } else {
            Answer::Close
        };
    }
    match popup {
        Popup::Pick(pick) => pick_key(pick, key.code, control),
        Popup::Values { path, pick, .. } if key.code == KeyCode::Enter && pick.shown().is_empty() => {
            Answer::Do(vec![Command::SetField { path: path.clone(), text: pick.filter.trim().to_owned() }])
        }
        Popup::Values { pick, .. } => pick_key(pick, key.code, control),
        Popup::Find(finder) => finder.key(key.code, control),
        Popup::Input(input) => input_key(input, key.code, control),
        Popup::Consent { items, top } => match key.code {
            // Who has not seen the end has not seen what would run.
            KeyCode::Char('y') if consent::reaches_end(items, *top, size) => Answer::Do(vec![Command::GiveConsent]),
            KeyCode::Char('j' | ' ') | KeyCode::Down => scroll(top, 1),
            KeyCode::Char('k') | KeyCode::Up => scroll(top, -1),
            KeyCode::PageDown => scroll(top, 10),
            KeyCode::PageUp => scroll(top, -10),
            KeyCode::Char('G') | KeyCode::End => scroll(top, 100_000),
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Do(vec![Command::WithholdConsent]),
            _ => Answer::Stay,
        },
        Popup::Refused(_) => match key.code {
            KeyCode::Char('e' | 'E') => Answer::EditAgain,
            KeyCode::Esc | KeyCode::Char('q') | KeyCode::Enter => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Lines { top, lines, .. } => {
            let last = lines.len().saturating_sub(1);
            match key.code {
                KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | 'd') => return Answer::Close,
                KeyCode::Down | KeyCode::Char('j') => *top = (*top + 1).min(last),
                KeyCode::Up | KeyCode::Char('k') => *top = top.saturating_sub(1),
                KeyCode::PageDown => *top = (*top + 10).min(last),
                KeyCode::PageUp => *top = top.saturating_sub(10),
                _ => {}
            }
            Answer::Stay
        }
        Popup::Yank(all) => match key.code {
            KeyCode::Char(c) if all.iter().any(|y| y.key == c) => {
                all.iter().find(|y| y.key == c).map_or(Answer::Close, |yank| Answer::Copy(yank.text.clone()))
            }
            KeyCode::Esc | KeyCode::Char('q' | 'n') => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Quit => match key.code {
            KeyCode::Char('y') => Answer::Quit,
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Help { filter, top } => match key.code {
            KeyCode::Esc | KeyCode::Enter => Answer::Close,
            KeyCode::Backspace => {
                filter.pop();
                Answer::Stay
            }
            KeyCode::Down => {
                *top += 1;
                Answer::Stay
            }
            KeyCode::Up => {
                *top = top.saturating_sub(1);
                Answer::Stay
            }
            KeyCode::Char('?') if filter.is_empty() => Answer::Close,
            KeyCode::Char(c) if !control => {
                filter.push(c);
                *top = 0;
                Answer::Stay
            }
            _ => Answer::Stay,
        },
    }
}

/// Where a key leads in a list whose rows are found by typing; `None` when it does not lead anywhere.
pub(super) fn walk(code: KeyCode, control: bool, selected: usize, last: usize) -> Option<usize> {
    match code {
        KeyCode::Up => Some(selected.saturating_sub(1)),
        KeyCode::Down => Some((selected + 1).min(last)),
        KeyCode::PageUp => Some(selected.saturating_sub(10)),
        KeyCode::PageDown => Some((selected + 10).min(last)),
        KeyCode::Char('p') if control => Some(selected.saturating_sub(1)),
        KeyCode::Char('n') if control => Some((selected + 1).min(last)),
        _ => None,
    }
}

fn pick_key(pick: &mut Pick, code: KeyCode, control: bool) -> Answer {
    let last = pick.shown().len().saturating_sub(1);
    if let Some(selected) = walk(code, control, pick.selected, last) {
        pick.selected = selected;
        return Answer::Stay;
    }
    match code {
        KeyCode::Esc => return Answer::Close,
        KeyCode::Enter => {
            let chosen = pick.shown().get(pick.selected).map(|item| item.commands.clone());
            return chosen.map_or(Answer::Stay, Answer::Do);
        }
        KeyCode::Char('c') if control => return Answer::Close,
        KeyCode::Backspace => {
            pick.filter.pop();
            pick.selected = 0;
        }
        KeyCode::Char(c) if !control => {
            pick.filter.push(c);
            pick.selected = 0;
        }
        _ => {}
    }
    Answer::Stay
}

fn input_key(input: &mut Input, code: KeyCode, control: bool) -> Answer {
    match code {
        KeyCode::Esc => return Answer::Close,
        KeyCode::Char('c') if control => return Answer::Close,
        KeyCode::Enter => return submit(input),
        _ => {}
    }
    if input.text.key(code, control) {
        input.error = None;
    }
    Answer::Stay
}

fn submit(input: &mut Input) -> Answer {
    match &input.what {
        InputFor::Field => match field_parts(&input.text.text()) {
            Some((path, text)) if !path.trim().is_empty() => {
                Answer::Do(vec![Command::SetField { path: path.trim().to_owned(), text: text.trim().to_owned() }])
            }
            _ => {
                input.error = Some("write it as a.b=VALUE".to_owned());
                Answer::Stay
            }
        },
        InputFor::WhatIf { firing, run } => {
            let text = input.text.text();
            let text = text.trim_start();
            let (code, stdout) = text.split_once(' ').unwrap_or((text.trim_end(), ""));
            match code.trim().parse::<i32>() {
                Ok(code) => {
                    Answer::Do(vec![Command::WhatIf { firing: *firing, run: *run, code, stdout: stdout.to_owned() }])
                }
                Err(_) => {
                    input.error = Some("an exit status comes first, such as: 2 {\"decision\": \"block\"}".to_owned());
                    Answer::Stay
                }
            }
        }
        InputFor::Answer { firing, run } => {
            Answer::Do(vec![Command::Answer { firing: *firing, run: *run, text: input.text.text() }])
        }
    }
}

/// `a.b=VALUE` or `/a/b = VALUE`. In a pointer a key may have an equals sign in it.
fn field_parts(text: &str) -> Option<(&str, &str)> {
    let pointer = text.starts_with('/').then(|| text.split_once(" = ")).flatten();
    pointer.or_else(|| text.split_once('='))
}

/// Draws a popup in the middle. Returns where the cursor stands, if it shows one.
pub fn draw(popup: &Popup, area: Rect, buf: &mut Buffer, model: &Model) -> Option<(u16, u16)> {
    let theme = model.theme;
    match popup {
        Popup::Pick(pick) => {
            let none = "nothing contains these words";
            Some(draw_pick(pick, (pick.title, none), area, buf, theme))
        }
        Popup::Find(finder) => Some(finder.draw(area, buf, theme)),
        Popup::Values { title, pick, .. } => {
            let none = format!("no known value; Enter takes {}", pick.filter);
            Some(draw_pick(pick, (title, &none), area, buf, theme))
        }
        Popup::Input(input) => {
            let inner = frame(area, buf, theme, &input.title, 76, 5);
            let (text, at) = input.text.window(usize::from(inner.width));
            Cells::new(row(inner, 0), buf, theme).put(theme.strong(), &text);
            let x = inner.x.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
            let (style, hint) = match &input.error {
                Some(error) => (theme.bad(), error.as_str()),
                None => (theme.quiet(), input.hint.as_str()),
            };
            Cells::new(row(inner, 2), buf, theme).put(style, hint);
            Some((x.min(inner.right().saturating_sub(1)), inner.y))
        }
        Popup::Consent { items, top } => {
            consent::draw(items, *top, area, buf, theme);
            None
        }
        Popup::Refused(why) => {
            let lines: Vec<&str> = why.lines().collect();
            let height = u16::try_from(lines.len()).unwrap_or(10) + 4;
            let inner = frame(area, buf, theme, "The payload was not taken", 90, height);
            for (index, line) in lines.iter().enumerate() {
                Cells::new(row(inner, index), buf, theme)
                    .put(if index == 0 { theme.bad() } else { theme.plain() }, line);
            }
            let keys = row(inner, lines.len() + 1);
            Cells::new(keys, buf, theme)
                .put(theme.name(), "e")
                .put(theme.plain(), " edit it again   ")
                .put(theme.name(), "Esc")
                .put(theme.plain(), " keep it as it is");
            None
        }
        Popup::Lines { title, lines, top } => {
            let inner = frame(area, buf, theme, title, area.width.saturating_sub(4), area.height.saturating_sub(4));
            let room = usize::from(inner.height);
            let rows: Vec<_> = lines.iter().flat_map(|l| wrap(l, usize::from(inner.width), 4)).collect();
            let top = (*top).min(rows.len().saturating_sub(room));
            for (index, line) in rows.iter().skip(top).take(room).enumerate() {
                let mut cells = Cells::new(row(inner, index), buf, theme);
                for (style, text) in line {
                    cells.put(*style, text);
                }
            }
            None
        }
        Popup::Yank(all) => {
            let height = u16::try_from(all.len()).unwrap_or(u16::MAX).saturating_add(2);
            let inner = frame(area, buf, theme, "Copy", 90, height);
            for (index, yank) in all.iter().enumerate() {
                let key = yank.key.to_string();
                let text = yank.text.lines().next().unwrap_or_default();
                let mut cells = Cells::new(row(inner, index), buf, theme);
                cells.cell(theme.name(), &key, 1).cell(theme.plain(), yank.name, 31).put(theme.quiet(), text);
            }
            None
        }
        Popup::Quit => {
            let inner = frame(area, buf, theme, "Hooks are running", 50, 4);
            Cells::new(row(inner, 0), buf, theme)
                .put(theme.plain(), "Quit ends them.  ")
                .put(theme.name(), "y")
                .put(theme.plain(), " quit   ")
                .put(theme.name(), "n")
                .put(theme.plain(), " stay");
            None
        }
        Popup::Help { filter, top } => {
            draw_help(filter, *top, area, buf, model);
            None
        }
    }
}

pub(super) fn row(area: Rect, index: usize) -> Rect {
    let y = area.y.saturating_add(u16::try_from(index).unwrap_or(u16::MAX));
    if y >= area.bottom() { Rect { height: 0, ..area } } else { Rect { y, height: 1, ..area } }
}

/// Clears a space in the middle, draws its border and title, and gives the inside.
pub(super) fn frame(area: Rect, buf: &mut Buffer, theme: Theme, title: &str, width: u16, height: u16) -> Rect {
    let width = width.min(area.width);
    let height = height.min(area.height);
    let outer = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 3, width, height };
    Clear.render(outer, buf);
    let set = if theme.unicode { ratatui::symbols::border::ROUNDED } else { ASCII };
    ratatui::widgets::Block::bordered()
        .border_set(set)
        .border_style(theme.quiet())
        .title_style(theme.strong())
        .title(format!(" {} ", one_line(title)))
        .render(outer, buf);
    Rect {
        x: outer.x + 2,
        y: outer.y + 1,
        width: outer.width.saturating_sub(4),
        height: outer.height.saturating_sub(2),
    }
}

const ASCII: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn draw_pick(pick: &Pick, (title, none): (&str, &str), area: Rect, buf: &mut Buffer, theme: Theme) -> (u16, u16) {
    let items = u16::try_from(pick.items.len()).unwrap_or(u16::MAX).saturating_add(5);
    let height = (area.height * 2 / 3).min(items).max(8);
    let inner = frame(area, buf, theme, title, 110, height);
    let shown = pick.shown();
    let mut cells = Cells::new(row(inner, 0), buf, theme);
    cells.put(theme.name(), "/ ").put(theme.strong(), &pick.filter);
    let cursor = inner.right() - u16::try_from(cells.left()).unwrap_or(0);
    cells.right(theme.quiet(), &format!("{} of {}", shown.len(), pick.items.len()));
    let room = usize::from(inner.height.saturating_sub(2));
    // The selected item stands in the middle, as far as the list allows.
    let first = pick.selected.saturating_sub(room / 2).min(shown.len().saturating_sub(room));
    let wide =
        shown.iter().map(|i| crate::tui::widgets::width(&i.label)).max().unwrap_or(0).min(usize::from(inner.width) / 2);
    for (index, item) in shown.iter().enumerate().skip(first).take(room) {
        let place = row(inner, 2 + index - first);
        let about = if index == pick.selected { theme.plain() } else { theme.quiet() };
        Cells::new(place, buf, theme).cell(theme.plain(), &item.label, wide).put(about, &item.about);
        if index == pick.selected {
            buf.set_style(place, theme.selected());
        }
    }
    if shown.is_empty() {
        Cells::new(row(inner, 2), buf, theme).put(theme.quiet(), none);
    }
    (cursor, inner.y)
}

fn scroll(top: &mut usize, by: isize) -> Answer {
    *top = top.saturating_add_signed(by).min(100_000);
    Answer::Stay
}

fn draw_help(filter: &str, top: usize, area: Rect, buf: &mut Buffer, model: &Model) {
    let theme = model.theme;
    let inner = frame(area, buf, theme, "Keys", 96, area.height.saturating_sub(4).max(8));
    Cells::new(row(inner, 0), buf, theme)
        .put(theme.name(), "/ ")
        .put(theme.strong(), filter)
        .right(theme.quiet(), "Esc closes");
    let wanted = filter.to_lowercase();
    let rows = model.config.keys.rows().map(|(binding, chords)| (chords.join(", "), binding.help));
    let shown: Vec<_> = rows.filter(|(keys, help)| format!("{keys} {help}").to_lowercase().contains(&wanted)).collect();
    let room = usize::from(inner.height.saturating_sub(2));
    let top = top.min(shown.len().saturating_sub(room));
    for (index, (keys, help)) in shown.iter().skip(top).take(room).enumerate() {
        Cells::new(row(inner, index + 2), buf, theme).cell(theme.name(), keys, 12).put(theme.plain(), help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_through_a_list_and_never_out_of_it() {
        let to = |code, control, from| walk(code, control, from, 12);
        let cases = [
            (KeyCode::Up, false, 0, Some(0)),
            (KeyCode::Up, false, 5, Some(4)),
            (KeyCode::Down, false, 12, Some(12)),
            (KeyCode::PageUp, false, 12, Some(2)),
            (KeyCode::PageDown, false, 5, Some(12)),
            (KeyCode::Char('p'), true, 5, Some(4)),
            (KeyCode::Char('n'), true, 5, Some(6)),
            // Without Ctrl they are typed.
            (KeyCode::Char('p'), false, 5, None),
            (KeyCode::Char('n'), false, 5, None),
        ];
        for (code, control, from, want) in cases {
            assert_eq!(to(code, control, from), want, "{code:?} from {from}");
        }
    }
}
