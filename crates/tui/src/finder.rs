//! Fuzzy search: the command palette, and one list of hooks, events and commands.

use crossterm::event::KeyCode;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::choices::{Templates, templates};
use crate::command_lines::equivalent_line;
use crate::keymap::{Equivalent, UiCommand};
use crate::model::Model;
use crate::popup::{LIST_KEYS, Popup, PopupResult, foot, frame, moved_row, row};
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, width};
use hookbench_app::Command;

/// A list that typing filters and sorts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finder {
    title: &'static str,
    found: Vec<FinderEntry>,
    filter: String,
    /// Indexes of the matches, the best first.
    matches: Vec<usize>,
    selected: usize,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FinderEntry {
    label: String,
    key: String,
    about: String,
    /// The equivalent command line, or why the entry has no equivalent.
    equivalent: String,
    choice: FinderAction,
}

/// The effect of choosing an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinderAction {
    Verb(UiCommand),
    /// Goes to a hook, by its event and id.
    Hook {
        event: String,
        id: String,
    },
    Do(Vec<Command>),
}

/// The list of all commands.
pub fn palette(model: &Model) -> Popup {
    Popup::Find(Finder::new("Commands", verbs(model)))
}

/// The list of hooks, events with their templates, and commands.
pub fn anything(model: &Model) -> Popup {
    let mut found = Vec::new();
    for definition in model.loaded().iter().flat_map(|loaded| &loaded.definitions) {
        found.push(FinderEntry {
            label: definition.label(),
            key: String::new(),
            about: format!(
                "hook on {}   {}:{}",
                definition.event, definition.provenance.file, definition.provenance.line
            ),
            equivalent: equivalent_line(model, &format!("hookbench why {}", definition.id)),
            choice: FinderAction::Hook { event: definition.event.clone(), id: definition.id.clone() },
        });
    }
    let Templates { items, .. } = templates(model);
    for item in items {
        let event = item.label.split("  ").next().unwrap_or_default().to_owned();
        found.push(FinderEntry {
            label: item.label,
            key: String::new(),
            about: item.about,
            equivalent: equivalent_line(model, &format!("hookbench events {event}")),
            choice: FinderAction::Do(item.commands),
        });
    }
    found.extend(verbs(model));
    Popup::Find(Finder::new("Hooks, events, commands", found))
}

fn verbs(model: &Model) -> Vec<FinderEntry> {
    let found = |(binding, chords): (&crate::keymap::KeyBinding, &Vec<String>)| FinderEntry {
        label: binding.name.to_owned(),
        key: chords.first().cloned().unwrap_or_default(),
        about: binding.help.to_owned(),
        equivalent: match binding.equivalent {
            Equivalent::CommandLine(line) => equivalent_line(model, line),
            Equivalent::ScreenOnly(why) => format!("screen only: {why}"),
        },
        choice: FinderAction::Verb(binding.command),
    };
    model.config.keys.rows().map(found).collect()
}

impl Finder {
    fn new(title: &'static str, found: Vec<FinderEntry>) -> Finder {
        let fits = (0..found.len()).collect();
        Finder { title, found, filter: String::new(), matches: fits, selected: 0 }
    }

    /// Adds text to the filter.
    pub fn push(&mut self, text: &str) {
        self.filter.push_str(text);
        self.search();
    }

    fn search(&mut self) {
        self.selected = 0;
        let pattern = |kind| Pattern::new(&self.filter, CaseMatching::Smart, Normalization::Smart, kind);
        // Names match by some of their letters (fuzzy); descriptions match by substrings, because scattered
        // letters match nearly everywhere in a sentence.
        let (letters, words) = (pattern(AtomKind::Fuzzy), pattern(AtomKind::Substring));
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut score = |pattern: &Pattern, text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
        let mut scored: Vec<((bool, u32), usize)> = Vec::new();
        for (index, found) in self.found.iter().enumerate() {
            let name = score(&letters, &found.label).map(|s| (true, s));
            let said = || score(&words, &format!("{} {}", found.label, found.about)).map(|s| (false, s));
            scored.extend(name.or_else(said).map(|s| (s, index)));
        }
        scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
        self.matches = scored.into_iter().map(|(_, index)| index).collect();
    }

    /// Handles a key.
    pub fn key(&mut self, code: KeyCode, control: bool) -> PopupResult {
        let last = self.matches.len().saturating_sub(1);
        if let Some(selected) = moved_row(code, control, self.selected, last) {
            self.selected = selected;
            return PopupResult::Stay;
        }
        match code {
            KeyCode::Esc => return PopupResult::Close,
            KeyCode::Enter => {
                let chosen = self.matches.get(self.selected).and_then(|index| self.found.get(*index));
                return chosen.map_or(PopupResult::Stay, |found| PopupResult::Choose(found.choice.clone()));
            }
            KeyCode::Char('u') if control => {
                self.filter.clear();
                self.search();
            }
            KeyCode::Backspace => {
                self.filter.pop();
                self.search();
            }
            KeyCode::Char(c) if !control => self.push(c.encode_utf8(&mut [0; 4])),
            _ => {}
        }
        PopupResult::Stay
    }

    /// Draws the list, and below it the equivalent command line. Returns the cursor's position.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, theme: Theme) -> (u16, u16) {
        let inner = frame(area, buf, theme, self.title, 110, (area.height * 2 / 3).max(8));
        let mut cells = RowWriter::new(row(inner, 0), buf, theme);
        cells.put(theme.name(), ": ").put(theme.strong(), &self.filter);
        let cursor = inner.right() - u16::try_from(cells.left()).unwrap_or(0);
        cells.right(theme.quiet(), &format!("{} of {}", self.matches.len(), self.found.len()));
        let below = usize::from(inner.height >= 6) * 2;
        let room = usize::from(inner.height.saturating_sub(2)).saturating_sub(below);
        let visible = ListWindow::around(self.selected, self.matches.len(), room);
        let longest = |text: fn(&FinderEntry) -> &str| self.found.iter().map(|f| width(text(f))).max().unwrap_or(0);
        let label = longest(|f| &f.label).min(usize::from(inner.width) * 2 / 5);
        let key = longest(|f| &f.key);
        for (index, at) in self.matches.iter().enumerate().skip(visible.first).take(room) {
            let Some(found) = self.found.get(*at) else { continue };
            let place = row(inner, 2 + index - visible.first);
            let about = if index == self.selected { theme.plain() } else { theme.quiet() };
            let mut cells = RowWriter::new(place, buf, theme);
            cells.cell(theme.plain(), &found.label, label).cell(theme.name(), &found.key, key).put(about, &found.about);
            if index == self.selected {
                buf.set_style(place, theme.selected());
            }
        }
        foot(inner, buf, theme, LIST_KEYS, visible.hidden());
        let chosen = self.matches.get(self.selected).and_then(|index| self.found.get(*index));
        match chosen {
            Some(found) if below > 0 => {
                let place = row(inner, usize::from(inner.height) - 1);
                RowWriter::new(place, buf, theme).put(theme.quiet(), &found.equivalent);
            }
            Some(_) => {}
            None => {
                RowWriter::new(row(inner, 2), buf, theme).put(theme.quiet(), "nothing is called so");
            }
        }
        (cursor.min(inner.right().saturating_sub(1)), inner.y)
    }
}
