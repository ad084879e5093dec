//! Updates the derived values that pages share. Called after every message, never while drawing.

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::payload_view::PayloadView;
use crate::popup::Popup;
use crate::theme::Theme;
use hookbench_app::Session;
use hookbench_core::text::stringify_pretty;

impl Model {
    /// Creates the screen of a session.
    pub fn new(session: Session, theme: Theme) -> Model {
        let mut model = Model::unrefreshed(session, theme);
        model.derive_facts();
        model.refresh_shared();
        model
    }

    /// Updates the derived values that pages share.
    pub fn refresh_shared(&mut self) {
        self.session.keep_in_full(self.shown_firing.into_iter().chain(self.compare.firings()).collect());
        self.find_last_of_bench();
        if let Some(Popup::Runs(runs)) = self.popups.last_mut() {
            runs.sync(self.session.history());
            if let Some(earlier) = &self.session.event_list().earlier_runs {
                runs.set_earlier(earlier, self.session.history());
            }
        }
        self.refresh_theme_preview();
        self.refresh_rows();
        self.refresh_event_lines();
        // If the settings have changed, an open question is out of date and closed.
        if self.session.bench().consent.is_none() && matches!(self.popups.last(), Some(Popup::Consent { .. })) {
            self.popups.pop();
            self.toast = Some(format!("the settings have changed; {} asks again", self.key(UiCommand::Fire)));
        }
        self.refresh_ladder();
        self.with_part(|model| &mut model.payload_view, PayloadView::refresh);
        self.refresh_stream();
    }

    /// Looks it up again only if there is another payload or another run.
    fn find_last_of_bench(&mut self) {
        let newest = self.session.history().newest().map(|run| run.id);
        let of = Some((self.session.bench().payload.agent, self.session.payload_revision(), newest));
        if self.last_of_bench.0 != of {
            self.last_of_bench = (of, self.session.last_of_bench().map(|run| run.id));
        }
    }

    /// Formats the payload again only if it has changed.
    fn refresh_event_lines(&mut self) {
        let bench = self.session.bench();
        let now = Some(self.session.payload_revision())
            .filter(|_| bench.payload.refused.is_none() && bench.payload.input.is_some());
        if now.is_some() && now == self.event_lines_revision {
            return;
        }
        self.event_lines_revision = now;
        self.event_scroll = 0;
        self.event_lines = match (&bench.payload.refused, bench.body()) {
            (Some(refused), _) => refused.text.lines().map(str::to_owned).collect(),
            (None, Some(body)) => stringify_pretty(body).lines().map(str::to_owned).collect(),
            (None, None) => Vec::new(),
        };
    }
}
