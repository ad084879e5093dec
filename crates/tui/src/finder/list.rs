//! A list that typing filters and sorts: its state, keys and drawing.

use std::path::PathBuf;

use crossterm::event::KeyCode;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::guard_mode::GuardModeChange;
use crate::keymap::UiCommand;
use crate::popup::{PopupResult, foot, frame, row};
use crate::theme::{Theme, ThemeChoice};
use crate::widgets::{ListWindow, RowWriter, moved_row, width, wrap};
use hookbench_app::{Command, EventListCommand, ReplayOrder, ReplaySelection};
use hookbench_core::filter::parse;

/// Rows besides the entries: the borders, the filter, the command line, and a free row around both.
const AROUND: u16 = 6;

/// A list that typing filters and sorts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finder {
    title: &'static str,
    found: Vec<FinderEntry>,
    /// The commands that take an argument.
    arguments: Vec<ArgumentCommand>,
    filter: String,
    /// Indexes of the matches, the best first.
    matches: Vec<usize>,
    selected: usize,
}

impl Finder {
    pub(super) fn new(title: &'static str, found: Vec<FinderEntry>, arguments: Vec<ArgumentCommand>) -> Finder {
        let fits = (0..found.len()).collect();
        Finder { title, found, arguments, filter: String::new(), matches: fits, selected: 0 }
    }

    /// The command whose argument is typed, and the argument.
    fn argument(&self) -> Option<(&ArgumentCommand, &str)> {
        let (name, text) = self.filter.split_once(' ')?;
        Some((self.arguments.iter().find(|command| command.name == name)?, text.trim_start()))
    }

    /// The listed entries: commands, or the values of an argument.
    fn entries(&self) -> &[FinderEntry] {
        self.argument().map_or(&self.found, |(command, _)| &command.values)
    }

    /// The selected entry.
    fn chosen(&self) -> Option<&FinderEntry> {
        self.matches.get(self.selected).and_then(|index| self.entries().get(*index))
    }

    /// The selected theme, where a theme is chosen.
    pub fn selected_theme(&self) -> Option<ThemeChoice> {
        match self.chosen()?.choice {
            FinderAction::Theme(choice) => Some(choice),
            _ => None,
        }
    }

    /// The verb of Enter.
    pub fn enter_verb(&self) -> &'static str {
        match self.chosen().map(|entry| &entry.choice) {
            _ if self.argument().is_some() => "select",
            Some(FinderAction::Verb(_)) | None => "run",
            Some(FinderAction::Argument(_)) => "list values",
            Some(FinderAction::Hook { .. }) => "go to hook",
            Some(_) => "select",
        }
    }

    /// Completes the filter with the selected entry.
    fn complete(&mut self) {
        let Some(chosen) = self.chosen() else { return };
        self.filter = match self.argument() {
            Some((command, _)) => format!("{} {}", command.name, chosen.label),
            None => {
                let name = chosen.label.split(' ').next().unwrap_or_default();
                let takes = self.arguments.iter().any(|command| command.name == name);
                if takes { format!("{name} ") } else { name.to_owned() }
            }
        };
        self.search();
    }

    /// The effect of Enter; `None` if the argument is not accepted.
    fn choice(&self) -> Option<FinderAction> {
        let typed = self.argument().filter(|(_, text)| !text.is_empty());
        let exact = || self.entries().iter().find(|entry| typed.is_some_and(|(_, text)| entry.label == text));
        let other = || typed.and_then(|(command, text)| command.read(text));
        let is_path = typed.is_some_and(|(_, text)| text.contains(['/', '.']));
        let listed = || exact().or_else(|| self.chosen()).map(|entry| entry.choice.clone());
        if is_path {
            exact().map(|entry| entry.choice.clone()).or_else(other).or_else(listed)
        } else {
            listed().or_else(other)
        }
    }

    /// Adds text to the filter.
    pub fn push(&mut self, text: &str) {
        self.filter.push_str(text);
        self.search();
    }

    fn search(&mut self) {
        let argument = self.argument();
        let wanted = argument.map_or(self.filter.as_str(), |(_, text)| text);
        let selected = argument.filter(|(_, text)| text.is_empty()).map_or(0, |(command, _)| command.current);
        let pattern = |kind| Pattern::new(wanted, CaseMatching::Smart, Normalization::Smart, kind);
        // Names match by some of their letters (fuzzy); descriptions match by substrings, because scattered
        // letters match nearly everywhere in a sentence.
        let (letters, words) = (pattern(AtomKind::Fuzzy), pattern(AtomKind::Substring));
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut score = |pattern: &Pattern, text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
        let mut scored: Vec<((bool, u32), usize)> = Vec::new();
        for (index, found) in self.entries().iter().enumerate() {
            let name = score(&letters, &found.label).map(|s| (true, s));
            let said = || score(&words, &format!("{} {}", found.label, found.about)).map(|s| (false, s));
            scored.extend(name.or_else(said).map(|s| (s, index)));
        }
        scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
        self.matches = scored.into_iter().map(|(_, index)| index).collect();
        self.selected = selected;
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
            KeyCode::Enter => match self.choice() {
                Some(FinderAction::Argument(name)) => {
                    self.filter = format!("{name} ");
                    self.search();
                }
                Some(choice) => return PopupResult::Choose(choice),
                None => {}
            },
            KeyCode::Tab => self.complete(),
            KeyCode::Char('u') if control => {
                self.filter.clear();
                self.search();
            }
            KeyCode::Backspace => {
                self.filter.pop();
                self.search();
            }
            KeyCode::Char(c) if !control => self.push(c.encode_utf8(&mut [0; 4])),
            _ => return PopupResult::Unknown,
        }
        PopupResult::Stay
    }

    /// Draws the list, and below it the equivalent command line. Returns the cursor's position.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, theme: Theme) -> (u16, u16) {
        // The height depends on all entries, so that the frame stays while the filter leaves fewer of them.
        let all = u16::try_from(self.found.len()).unwrap_or(u16::MAX).saturating_add(AROUND);
        let inner = frame(area, buf, theme, self.title, 110, (area.height * 2 / 3).min(all).max(8));
        let mut cells = RowWriter::new(row(inner, 0), buf, theme);
        cells.put(theme.name(), ": ").put(theme.strong(), &self.filter);
        let cursor = inner.right() - u16::try_from(cells.left()).unwrap_or(0);
        let entries = self.entries();
        cells.right(theme.quiet(), &format!("{} of {}", self.matches.len(), entries.len()));
        let below = usize::from(inner.height >= 6) * 2;
        let room = usize::from(inner.height.saturating_sub(2)).saturating_sub(below);
        let visible = ListWindow::around(self.selected, self.matches.len(), room);
        let longest = |text: fn(&FinderEntry) -> &str| entries.iter().map(|f| width(text(f))).max().unwrap_or(0);
        let label = longest(|f| &f.label).min(usize::from(inner.width) * 2 / 5);
        let key = longest(|f| &f.key);
        for (index, at) in self.matches.iter().enumerate().skip(visible.first).take(room) {
            let Some(found) = entries.get(*at) else { continue };
            let place = row(inner, 2 + index - visible.first);
            let about = if index == self.selected { theme.plain() } else { theme.quiet() };
            let mut cells = RowWriter::new(place, buf, theme);
            cells.cell(theme.plain(), &found.label, label).cell(theme.name(), &found.key, key).put(about, &found.about);
            if index == self.selected {
                buf.set_style(place, theme.selected());
            }
        }
        foot(inner, buf, theme, visible.hidden());
        match self.chosen() {
            Some(found) if below > 0 => {
                let place = row(inner, usize::from(inner.height) - 1);
                let help = self.argument().map_or(found.equivalent.as_str(), |(command, _)| command.help);
                RowWriter::new(place, buf, theme).put(theme.quiet(), help);
            }
            Some(_) => {}
            None => {
                let accepts = self.argument().map(|(command, _)| command.accepts());
                let none = accepts.unwrap_or_else(|| "no match".to_owned());
                for (index, line) in wrap(&[(theme.quiet(), none)], usize::from(inner.width), 2).iter().enumerate() {
                    RowWriter::new(row(inner, 2 + index), buf, theme).line(line);
                }
            }
        }
        (cursor.min(inner.right().saturating_sub(1)), inner.y)
    }
}

/// A command that takes an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentCommand {
    pub name: &'static str,
    /// The placeholder of the argument.
    pub form: &'static str,
    pub help: &'static str,
    /// The known values.
    pub values: Vec<FinderEntry>,
    /// The index of the value that is selected at first.
    pub current: usize,
    /// Reads a value that is not known; `None` if only known values are accepted.
    pub other: Option<OtherValue>,
}

/// How a value that is not known is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OtherValue {
    /// A path, relative to this directory, or to the home directory after `~/`.
    Path { directory: PathBuf, home: PathBuf },
    /// The number of a recorded event.
    Number,
    /// A filter for recorded events.
    Filter,
    /// A matcher.
    Matcher,
}

impl ArgumentCommand {
    /// Reads a value that is not known.
    pub(super) fn read(&self, text: &str) -> Option<FinderAction> {
        let wanted = match self.other.as_ref()? {
            OtherValue::Matcher => return Some(FinderAction::Matcher(text.to_owned())),
            OtherValue::Filter => EventListCommand::Filter(parse(text).ok().map(|_| text.to_owned())?),
            OtherValue::Path { directory, home } => {
                let path = text.strip_prefix("~/").map_or_else(|| directory.join(text), |rest| home.join(rest));
                EventListCommand::Import(path)
            }
            OtherValue::Number => {
                EventListCommand::Replay(ReplayOrder::planned(ReplaySelection::One(text.parse().ok()?)))
            }
        };
        Some(FinderAction::Events(Box::new(wanted)))
    }

    /// A sentence that lists the accepted values.
    pub(super) fn accepts(&self) -> String {
        let mut names: Vec<&str> = self.values.iter().map(|value| value.label.as_str()).collect();
        names.truncate(12);
        let other = match &self.other {
            Some(OtherValue::Path { .. }) => Some("a file"),
            Some(OtherValue::Number) => Some("a number"),
            Some(OtherValue::Filter) => Some("a filter, such as ~t Bash & rm"),
            Some(OtherValue::Matcher) => Some("a matcher"),
            None => None,
        };
        format!("{} accepts {}", self.name, names.into_iter().chain(other).collect::<Vec<_>>().join(", "))
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FinderEntry {
    pub label: String,
    pub key: String,
    pub about: String,
    /// The equivalent command line, or why the entry has no equivalent.
    pub equivalent: String,
    pub choice: FinderAction,
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
    /// Does something with recorded events, on their page.
    Events(Box<EventListCommand>),
    /// Tests a matcher on the Match page.
    Matcher(String),
    /// Begins the argument of a command.
    Argument(&'static str),
    /// Shows the screen in a theme and keeps it.
    Theme(ThemeChoice),
    /// Shows the change of a guard's mode.
    GuardMode(GuardModeChange),
    /// Turns the log of runs on or off.
    LogRuns(bool),
}
