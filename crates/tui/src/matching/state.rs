//! The state of the Match page. The result is recomputed when the text, the settings or the recorded events
//! change, and never while drawing.

use std::sync::Arc;

use super::whose::{self, Whose};
use crate::compare::Line;
use crate::model::Model;
use crate::page::Page;
use crate::widgets;
use hookbench_app::{Asked, Kinds, Ladder};
use hookbench_core::config::Loaded;
use hookbench_core::fix::{apply, set_matcher};
use hookbench_core::hook::Layer;
use hookbench_core::matching::{Board, Cell, From};

/// The text that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// The matcher.
    Matcher,
    /// The filter of the names; a name that is not listed is added.
    Filter,
}

/// The panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Values,
    /// The interpretations and the reasons.
    Read,
}

/// The change of the file, on the line of the matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub line: u32,
    pub before: Option<String>,
    pub after: Vec<String>,
}

/// The state of the Match page.
#[derive(Default)]
pub struct Matching {
    pub whose: Option<Whose>,
    /// The matcher being tested.
    pub text: widgets::Line,
    pub typing: Option<Typing>,
    /// The matcher before typing began.
    pub before: String,
    pub filter: widgets::Line,
    /// Names added by the user.
    pub typed: Vec<String>,
    pub board: Option<Board>,
    pub asked: Option<Asked>,
    /// The rows of the table, as indexes of values.
    pub rows: Vec<usize>,
    /// The name under the cursor; `None` for the first row.
    pub name: Option<String>,
    pub pane: Pane,
    pub zoomed: bool,
    /// The first visible line of the interpretations.
    pub scroll: usize,
    /// The ladder for the selected name.
    pub ladder: Option<Ladder>,
    /// The change of the file, or the reason why it cannot be written; `None` if the matcher is unchanged.
    pub change: Option<Result<Change, String>>,
    /// The interpretations and reasons, not wrapped.
    pub lines: Vec<Line>,
    /// Whether recorded events have been requested.
    pub counted: bool,
    of: Option<Of>,
    asked_of: Option<String>,
    filtered: Option<String>,
    lines_of: Option<(String, u16)>,
}

/// The inputs that the board was built from.
#[derive(PartialEq)]
struct Of {
    whose: Option<Whose>,
    event: String,
    loaded: Vec<Option<Ptr<Loaded>>>,
    kinds: Option<Ptr<Kinds>>,
    typed: Vec<String>,
    shown: Vec<&'static str>,
}

/// A value compared by identity: equal until it is read again.
struct Ptr<T>(Arc<T>);

impl<T> PartialEq for Ptr<T> {
    fn eq(&self, other: &Ptr<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Matching {
    /// Loads the matcher of a hook.
    pub fn take(&mut self, model: &Model, whose: Option<Whose>) {
        let matcher = whose.as_ref().and_then(|whose| whose.definition(model)).map(|d| d.matcher_text());
        self.text = matcher.unwrap_or_default().into();
        self.whose = whose;
        (self.name, self.typing, self.scroll) = (None, None, 0);
        self.filter = widgets::Line::default();
    }

    /// The hook's current matcher.
    pub fn has(&self, model: &Model) -> Option<String> {
        self.whose.as_ref()?.definition(model).map(|definition| definition.matcher_text())
    }

    /// Whether the tested matcher differs from the hook's.
    pub fn differs(&self, model: &Model) -> bool {
        self.has(model).is_some_and(|has| has != self.text.text())
    }

    /// The agent and the event of the matcher.
    fn about(&self, model: &Model) -> Option<(&'static str, String)> {
        match &self.whose {
            Some(whose) => Some((whose.agent, whose.definition(model)?.event.clone())),
            None => Some((model.session.bench.agent, model.session.bench.event?.name.to_owned())),
        }
    }

    /// Recomputes the results if their inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        if model.page != Page::Match {
            return;
        }
        // If the settings have changed or were just loaded, another hook may have to be selected.
        let gone = self.whose.as_ref().is_some_and(|whose| whose.definition(model).is_none());
        let new = self.whose.is_none() && self.typing.is_none() && self.text.text().is_empty();
        if gone || new && !whose::all(model).is_empty() {
            let next = whose::begin(model);
            self.take(model, next);
        }
        let Some((agent, event)) = self.about(model) else {
            (self.board, self.asked, self.of) = (None, None, None);
            return;
        };
        let session = &model.session;
        let agents = || session.agents.iter();
        let shown: Vec<&'static str> = agents().map(|a| a.dialect.id()).filter(|id| session.compares(id)).collect();
        let of = Of {
            whose: self.whose.clone(),
            event: event.clone(),
            loaded: agents().map(|a| a.loaded.clone().map(Ptr)).collect(),
            kinds: session.shelf.kinds.clone().map(Ptr),
            typed: self.typed.clone(),
            shown: shown.clone(),
        };
        let anew = self.of.as_ref() != Some(&of);
        if anew {
            let definition = self.whose.as_ref().and_then(|whose| whose.definition(model));
            let everywhere = definition.is_some_and(|definition| definition.from.layer == Layer::User);
            let kinds = (session.shelf.kinds.as_deref(), everywhere);
            self.board = session.board((agent, &event), &|id| shown.contains(&id), kinds, &self.typed);
            self.of = Some(of);
        }
        let text = self.text.text();
        if anew || self.asked_of.as_deref() != Some(&text) {
            let has = self.has(model);
            self.asked = self.board.as_ref().map(|board| Asked::of(board, &text, has.as_deref()));
            self.change = self.change_of(model, &text);
            self.asked_of = Some(text);
            (self.filtered, self.lines_of) = (None, None);
        }
        let filter = self.filter.text();
        if self.filtered.as_deref() != Some(&filter) {
            self.sort(&filter);
            self.filtered = Some(filter);
        }
        self.refresh_lines(model);
    }

    /// Recomputes the ladder of the selected name and the lines beside the table.
    fn refresh_lines(&mut self, model: &Model) {
        let name = self.selected().map(|(value, _)| value).unwrap_or_default();
        let of = Some((name.clone(), model.size.0));
        if self.lines_of == of {
            return;
        }
        self.lines_of = of;
        let definition = self.whose.as_ref().and_then(|whose| Some((whose.agent, whose.definition(model)?)));
        self.ladder = definition
            .and_then(|(agent, definition)| model.session.ladder_for(agent, definition, &self.text.text(), &name));
        self.lines = super::read::lines(model, self);
    }

    fn change_of(&self, model: &Model, text: &str) -> Option<Result<Change, String>> {
        let whose = self.whose.as_ref().filter(|_| self.differs(model))?;
        let definition = whose.definition(model)?;
        let loaded = model.session.agent(whose.agent)?.loaded.as_ref()?;
        let source = definition.from.span.source;
        let before = loaded.sources.text(source);
        let edit = match set_matcher(loaded, definition, text) {
            Ok(edit) => edit,
            Err(why) => return Some(Err(why.to_string())),
        };
        let after = apply(before, std::slice::from_ref(&edit))?;
        let line = loaded.sources.position(source, edit.start).line;
        let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let more = after.lines().count().saturating_sub(before.lines().count());
        let was = before.lines().nth(at).map(str::to_owned).filter(|_| more == 0);
        let shown = after.lines().skip(at).take(1 + more.saturating_sub(1)).map(str::to_owned).collect();
        Some(Ok(Change { line, before: was, after: shown }))
    }

    /// Sorts the rows: matching names first, then near misses.
    fn sort(&mut self, filter: &str) {
        let (Some(board), Some(asked)) = (&self.board, &self.asked) else {
            self.rows.clear();
            return;
        };
        let wanted = filter.to_lowercase();
        let near = |name: &str| {
            asked.answer.columns.first().is_some_and(|said| said.near.iter().any(|near| near.meant == name))
        };
        let rank = |index: usize| -> u8 {
            let (Some(value), Some(cells)) = (board.values.get(index), asked.answer.cells.get(index)) else { return 9 };
            match value.from {
                From::Typed => 0,
                _ if cells.first() == Some(&Cell::Yes) => 1,
                _ if near(&value.name) => 2,
                _ if cells.first() == Some(&Cell::Unknown) => 3,
                _ if cells.contains(&Cell::Yes) => 4,
                _ if value.seen > 0 => 5,
                _ if cells.first() == Some(&Cell::No) => 6,
                _ => 7,
            }
        };
        let fits =
            |index: &usize| board.values.get(*index).is_some_and(|value| value.name.to_lowercase().contains(&wanted));
        let mut rows: Vec<usize> = (0..board.values.len()).filter(fits).collect();
        rows.sort_by_key(|index| rank(*index));
        self.rows = rows;
    }

    /// The row under the cursor.
    pub fn row(&self) -> usize {
        let named = |index: &usize| {
            let value = self.board.as_ref().and_then(|board| board.values.get(*index));
            value.is_some_and(|value| Some(&value.name) == self.name.as_ref())
        };
        self.rows.iter().position(named).unwrap_or(0)
    }

    /// The name under the cursor, and its result in each agent.
    pub fn selected(&self) -> Option<(String, Vec<Cell>)> {
        let index = *self.rows.get(self.row())?;
        let value = self.board.as_ref()?.values.get(index)?;
        let cells = self.asked.as_ref()?.answer.cells.get(index)?;
        Some((value.name.clone(), cells.clone()))
    }

    /// Moves the cursor to a row.
    pub fn select(&mut self, row: usize) {
        let row = row.min(self.rows.len().saturating_sub(1));
        let value = self.rows.get(row).and_then(|index| self.board.as_ref()?.values.get(*index));
        self.name = value.map(|value| value.name.clone());
        self.scroll = 0;
    }
}
