//! Computes the result again when the text, the settings or the recorded events have changed, and never while drawing.

use super::interpretation;
use super::owners;
use super::state::{ArcIdentity, BoardInputs, MatchView, MatcherLineChange, MatcherOwner};
use crate::model::Model;
use crate::widgets;
use hookbench_app::MatcherAssessment;
use hookbench_core::fix::set_matcher;
use hookbench_core::matching::{MatchCell, NameOrigin};
use hookbench_core::names::AgentId;
use hookbench_core::text::edit::EditSet;

impl MatchView {
    /// Loads the matcher of a hook.
    pub fn load(&mut self, model: &Model, whose: Option<MatcherOwner>) {
        let matcher = whose.as_ref().and_then(|whose| whose.definition(model)).map(|d| d.matcher_text());
        self.text = matcher.unwrap_or_default().into();
        self.owner = whose;
        (self.selected_name, self.typing, self.scroll) = (None, None, 0);
        self.filter = widgets::InputLine::default();
    }

    /// The hook's current matcher.
    pub fn current_matcher(&self, model: &Model) -> Option<String> {
        self.owner.as_ref()?.definition(model).map(|definition| definition.matcher_text())
    }

    /// Whether the tested matcher differs from the hook's.
    pub fn differs(&self, model: &Model) -> bool {
        self.current_matcher(model).is_some_and(|has| has != self.text.text())
    }

    /// The agent and the event of the matcher.
    fn subject(&self, model: &Model) -> Option<(&'static str, String)> {
        match &self.owner {
            Some(whose) => Some((whose.agent.as_str(), whose.definition(model)?.event.clone())),
            None => Some((
                model.session.bench().payload.agent.as_str(),
                model.session.bench().payload.event?.name.to_owned(),
            )),
        }
    }

    /// Recomputes the results if their inputs have changed.
    pub fn refresh(&mut self, model: &Model) {
        // If the settings have changed or were just loaded, another hook may have to be selected.
        let gone = self.owner.as_ref().is_some_and(|whose| whose.definition(model).is_none());
        let new = self.owner.is_none() && self.typing.is_none() && self.text.text().is_empty();
        if gone || new && !owners::all(model).is_empty() {
            let next = owners::initial(model);
            self.load(model, next);
        }
        let Some((agent, event)) = self.subject(model) else {
            (self.board, self.result, self.board_inputs) = (None, None, None);
            return;
        };
        let session = &model.session;
        let agents = || session.agents().iter();
        let shown: Vec<AgentId> = agents().map(|a| a.dialect.id()).filter(|id| session.compares(id.as_str())).collect();
        let of = BoardInputs {
            whose: self.owner.clone(),
            event: event.clone(),
            loaded: agents().map(|a| a.loaded.clone().map(ArcIdentity)).collect(),
            kinds: session.event_list().subject_counts.clone().map(ArcIdentity),
            typed: self.added_names.clone(),
            shown: shown.clone(),
        };
        let anew = self.board_inputs.as_ref() != Some(&of);
        if anew {
            let definition = self.owner.as_ref().and_then(|whose| whose.definition(model));
            let kinds = session.event_list().subject_counts.as_deref();
            let is_shown = |id: &str| shown.iter().any(|own| *own == id);
            self.board = session.board((agent, &event), &is_shown, kinds, definition, &self.added_names);
            self.board_inputs = Some(of);
        }
        let text = self.text.text();
        if anew || self.result_inputs.as_deref() != Some(&text) {
            let has = self.current_matcher(model);
            self.result = self.board.as_ref().map(|board| MatcherAssessment::of(board, &text, has.as_deref()));
            self.change = self.change_of(model, &text);
            self.result_inputs = Some(text);
            (self.filtered, self.lines_inputs) = (None, None);
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
        if self.lines_inputs == of {
            return;
        }
        self.lines_inputs = of;
        let definition = self.owner.as_ref().and_then(|whose| Some((whose.agent, whose.definition(model)?)));
        self.ladder = definition.and_then(|(agent, definition)| {
            model.session.ladder_for(agent.as_str(), definition, &self.text.text(), &name)
        });
        self.lines = interpretation::lines(model, self);
    }

    fn change_of(&self, model: &Model, text: &str) -> Option<Result<MatcherLineChange, String>> {
        let whose = self.owner.as_ref().filter(|_| self.differs(model))?;
        let definition = whose.definition(model)?;
        let loaded = model.session.agent(whose.agent.as_str())?.loaded.as_ref()?;
        let source = definition.provenance.span.source;
        let before = loaded.sources.text(source);
        let edit = match set_matcher(loaded, definition, text) {
            Ok(edit) => edit,
            Err(why) => return Some(Err(why.to_string())),
        };
        let line = loaded.sources.position(source, edit.start).line;
        let after = EditSet::from_iter([edit]).apply(before).ok()?;
        let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let more = after.lines().count().saturating_sub(before.lines().count());
        let was = before.lines().nth(at).map(str::to_owned).filter(|_| more == 0);
        let shown = after.lines().skip(at).take(1 + more.saturating_sub(1)).map(str::to_owned).collect();
        Some(Ok(MatcherLineChange { line, before: was, after: shown }))
    }

    /// Sorts the rows: matching names first, then near misses.
    fn sort(&mut self, filter: &str) {
        let (Some(board), Some(asked)) = (&self.board, &self.result) else {
            self.rows.clear();
            return;
        };
        let wanted = filter.to_lowercase();
        let near = |name: &str| {
            asked.answer.columns.first().is_some_and(|said| said.near.iter().any(|near| near.replacement == name))
        };
        let rank = |index: usize| -> u8 {
            let (Some(value), Some(cells)) = (board.values.get(index), asked.answer.cells.get(index)) else { return 9 };
            match value.from {
                NameOrigin::Typed => 0,
                _ if cells.first() == Some(&MatchCell::Yes) => 1,
                _ if near(&value.name) => 2,
                _ if cells.first() == Some(&MatchCell::Unknown) => 3,
                _ if cells.contains(&MatchCell::Yes) => 4,
                _ if value.seen > 0 => 5,
                _ if cells.first() == Some(&MatchCell::No) => 6,
                _ => 7,
            }
        };
        let fits =
            |index: &usize| board.values.get(*index).is_some_and(|value| value.name.to_lowercase().contains(&wanted));
        let mut rows: Vec<usize> = (0..board.values.len()).filter(fits).collect();
        rows.sort_by_key(|index| rank(*index));
        self.rows = rows;
    }
}
