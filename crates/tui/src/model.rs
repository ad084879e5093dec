//! The state of the screen beside the session: selection, focus, popups, and values that are computed once instead
//! of in every frame.

use hookbench_core::names::AgentId;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;

use crate::bench::{PaneEdge, PaneSizes, ScriptView, StdinView, VerdictFlash};
use crate::compare::CompareView;
use crate::config::{ConfigProblem, UserConfig};
use crate::events::EventsView;
use crate::files::FilesView;
use crate::guards::GuardsView;
use crate::hook_list::{HookListRow, RowsInputs};
use crate::intercept::InterceptView;
use crate::keymap::UiCommand;
use crate::matching::MatchView;
use crate::page::Page;
use crate::payload_view::PayloadView;
use crate::popup::Popup;
use crate::problems::ProblemsView;
use crate::theme::{Shades, Theme, ThemePreview};
use crate::tour::Tour;
use crate::widgets::LogView;
use hookbench_app::lint::Finding;
use hookbench_app::{
    Command, FiringId, FiringRecord, HookFacts, Ladder, MarkdownWriter, PastRun, RunRecord, Session, SessionSettings,
    SharedPage,
};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{Plan, PlanEntry};

/// The panes of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Hooks,
    Detail,
    Event,
}

hookbench_core::words! {
    /// The tabs of the selected hook.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Tab {
        Stdin = "stdin",
        Stdout = "stdout",
        Stderr = "stderr",
        Decision = "decision",
        Process = "process",
        Why = "why",
        Script = "script",
    }
    /// The display name.
    fn title; const ALL;
}

/// Agent, payload revision and newest run; the last run of the bench changes only with these.
pub(crate) type LastRunInputs = (AgentId, u64, Option<FiringId>);

/// The whole state of the screen.
pub struct Model {
    pub session: Session,
    pub theme: Theme,
    /// The open page.
    pub page: Page,
    /// The Compare page: the same event in every agent.
    pub compare: CompareView,
    /// The Match page: one matcher in every agent.
    pub matching: MatchView,
    /// The Events page: recorded events.
    pub events: EventsView,
    /// The Problems page: the findings of lint for all agents.
    pub problems: ProblemsView,
    /// The Files page: the files that every agent reads.
    pub files: FilesView,
    /// The Guards page: guards and their findings.
    pub guards: GuardsView,
    /// The Intercept page: held events of running agents.
    pub intercept: InterceptView,
    /// The time of day in milliseconds since 1970, from the last message.
    pub now_ms: i64,
    /// The current instant, from the last message; drawing never reads a clock.
    pub now: Instant,
    pub focus: Focus,
    pub zoomed: bool,
    /// The sizes of the panes chosen by the user.
    pub pane_sizes: PaneSizes,
    /// The edge being dragged with the mouse.
    pub dragged: Option<PaneEdge>,
    pub unfolded: bool,
    /// The files whose hooks of hookbench itself are listed.
    pub unfolded_own: BTreeSet<String>,
    pub rows: Vec<HookListRow>,
    pub(super) rows_inputs: RowsInputs,
    pub selected: usize,
    /// The tab chosen by the user; `None`: chosen by the content.
    pub tab: Option<Tab>,
    /// The first visible line of the detail; `None`: follow the end.
    pub scroll: Option<usize>,
    pub event_scroll: usize,
    pub popups: Vec<Popup>,
    /// Whether a question is open that has not been drawn yet.
    pub question_unseen: Cell<bool>,
    pub toast: Option<String>,
    /// The file that the editor opens when the files of a patch are written.
    pub(crate) opens_next: Option<String>,
    /// The first key of a sequence, while the second is awaited.
    pub first_key: Option<KeyEvent>,
    /// The firing whose results are shown; `None` for the plan.
    pub shown_firing: Option<FiringId>,
    /// The last run of the event on the bench, with the inputs that it was looked up for.
    pub(crate) last_of_bench: (Option<LastRunInputs>, Option<FiringId>),
    pub flash: VerdictFlash,
    /// Start of the shown firing, for its timer.
    pub started: Option<Instant>,
    /// Renders what is copied for others; `None` if no Markdown is offered.
    pub markdown: Option<MarkdownWriter>,
    pub event_lines: Vec<String>,
    /// The payload revision of these lines.
    pub(crate) event_lines_revision: Option<u64>,
    pub payload_view: PayloadView,
    pub ladder: Option<Ladder>,
    /// Facts about the selected definition that do not depend on the payload.
    pub definition_facts: Option<HookFacts>,
    /// The view of the selected run's stream.
    pub stream_view: LogView,
    /// The stdin of the selected run, formatted.
    pub stdin: StdinView,
    /// The script of the selected hook, as displayed.
    pub script: ScriptView,
    /// The lint findings about the selected hook and its script.
    pub hook_findings: Vec<Finding>,
    /// The program's options, for command lines that can be copied.
    pub program_options: ProgramOptions,
    pub demo: bool,
    /// The guided tour of the demo.
    pub tour: Option<Tour>,
    /// Whether the state of the screen is saved on exit.
    pub saves_layout: bool,
    /// Whether Ctrl+C was pressed while the hooks of the last firing ran.
    pub cancelled_once: bool,
    /// Hooks that are skipped because they are for other subjects.
    pub for_others: Vec<String>,
    /// Hooks that will run but are known to fail, with the reason.
    pub failing: Vec<(String, String)>,
    /// The hooks that would run, each with the digest of its script as it is now.
    pub(crate) script_digests: Vec<(String, Option<String>)>,
    /// Hooks that only the agent itself can run, with their needs.
    pub needing_agent: Vec<(String, &'static str)>,
    pub shades: Shades,
    /// The theme that is shown only while it is selected in the palette.
    pub(crate) theme_preview: Option<ThemePreview>,
    /// Whether the user still has to learn that runs can be logged.
    pub log_hint: crate::run_log::LogHint,
    pub config: UserConfig,
    /// All messages shown in the toast, oldest first.
    pub messages: Vec<String>,
    /// The session's messages since the last key or event. The toast has room for the last one.
    pub news: Vec<String>,
    /// The result of the last trial of a new hook. It stays in the toast until the next key.
    pub trial_result: Option<String>,
    /// Width and height of the screen.
    pub size: (u16, u16),
}

/// The options this program was started with, for command lines that can be copied.
#[derive(Debug, Clone, Default)]
pub struct ProgramOptions {
    pub project: Option<String>,
    pub home: Option<String>,
    /// The text of `--agent-args`.
    pub agent_args: Option<String>,
}

impl Model {
    /// The screen of a session before anything was derived.
    pub(crate) fn unrefreshed(session: Session, theme: Theme) -> Model {
        Model {
            session,
            theme,
            page: Page::default(),
            compare: CompareView::default(),
            matching: MatchView::default(),
            events: EventsView::default(),
            problems: ProblemsView::default(),
            files: FilesView::default(),
            guards: GuardsView::default(),
            intercept: InterceptView::default(),
            now_ms: 0,
            now: Instant::now(),
            focus: Focus::Hooks,
            zoomed: false,
            pane_sizes: PaneSizes::default(),
            dragged: None,
            unfolded: false,
            unfolded_own: BTreeSet::new(),
            rows: Vec::new(),
            rows_inputs: RowsInputs::default(),
            selected: 0,
            tab: None,
            scroll: None,
            event_scroll: 0,
            popups: Vec::new(),
            question_unseen: Cell::new(false),
            toast: None,
            opens_next: None,
            first_key: None,
            shown_firing: None,
            last_of_bench: (None, None),
            flash: VerdictFlash::default(),
            started: None,
            markdown: None,
            event_lines: Vec::new(),
            event_lines_revision: None,
            payload_view: PayloadView::default(),
            ladder: None,
            definition_facts: None,
            stream_view: LogView::default(),
            stdin: StdinView::default(),
            script: ScriptView::default(),
            hook_findings: Vec::new(),
            program_options: ProgramOptions::default(),
            demo: false,
            tour: None,
            saves_layout: false,
            cancelled_once: false,
            for_others: Vec::new(),
            failing: Vec::new(),
            script_digests: Vec::new(),
            needing_agent: Vec::new(),
            shades: Shades::default(),
            log_hint: crate::run_log::LogHint::default(),
            theme_preview: None,
            config: UserConfig::default(),
            messages: Vec::new(),
            news: Vec::new(),
            trial_result: None,
            size: (80, 24),
        }
    }

    /// Shows the session's messages in the toast, one after the other, so that all are in the list of messages.
    pub fn show_news(&mut self) {
        for says in self.news.clone() {
            if self.toast.is_some() && self.toast == self.trial_result {
                // What happens by itself does not cover what the user waits for.
                self.messages.insert(self.messages.len().saturating_sub(1), says);
                continue;
            }
            self.toast = Some(says);
            self.store_toast();
        }
        self.store_toast();
    }

    /// A page for others as Markdown. `None` if no Markdown is offered.
    pub fn to_markdown(&self, page: SharedPage<'_>) -> Option<String> {
        self.markdown.map(|write| write(&self.session, page))
    }

    /// Adds the toast to the list of messages.
    pub fn store_toast(&mut self) {
        const KEPT: usize = 200;
        if self.toast.is_some() && self.toast.as_ref() != self.messages.last() {
            self.messages.extend(self.toast.clone());
            let over = self.messages.len().saturating_sub(KEPT);
            self.messages.drain(..over);
        }
    }

    /// The key of a command; without one, its name in the palette.
    pub fn key(&self, verb: UiCommand) -> String {
        let rows = || self.config.keys.rows().find(|(b, _)| b.command == verb);
        let key = rows().and_then(|(_, chords)| chords.first().cloned());
        key.or_else(|| Some(format!(":{}", rows()?.0.name))).unwrap_or_default()
    }

    /// A command's key and label, for example `f fire`; the label alone if the key is the label.
    pub fn key_hint(&self, verb: UiCommand, label: &str) -> String {
        let key = self.key(verb);
        if key == label { key } else { format!("{key} {label}") }
    }

    /// Sets the current time: an instant, and milliseconds since 1970.
    pub fn set_time(&mut self, now: Instant, now_ms: i64) {
        (self.now, self.now_ms) = (now, now_ms);
    }

    /// Time since `started`; zero for `None`.
    pub fn elapsed(&self, started: Option<Instant>) -> Duration {
        started.map_or(Duration::ZERO, |started| self.now.saturating_duration_since(started))
    }

    /// Applies the user's settings and shows their problems.
    pub fn configure(&mut self, config: UserConfig, problems: &[ConfigProblem]) {
        self.config = config;
        self.configure_session();
        self.messages.extend(problems.iter().map(ToString::to_string));
        // The count comes first, because the end of a long message may be cut.
        let count = match problems.len() {
            0 | 1 => String::new(),
            n => format!("{n} mistakes ({} lists them)   ", self.key(UiCommand::Messages)),
        };
        self.toast = problems.first().map(|first| format!("{count}{first}"));
    }

    /// Turns the log of runs on or off.
    pub fn log_runs(&mut self, on: bool) {
        self.config.log_runs = on;
        self.configure_session();
    }

    /// Gives the session the user's settings.
    pub(crate) fn configure_session(&mut self) {
        let settings = SessionSettings {
            watch: self.config.watch.clone(),
            lint: self.config.lint.clone(),
            intercept: self.config.intercept.clone(),
            log_runs: self.config.log_runs,
        };
        self.session.apply(Command::Configure(Box::new(settings)));
    }

    /// The firing whose results are shown.
    pub fn firing(&self) -> Option<&FiringRecord> {
        self.session.firing(self.shown_firing?)
    }

    /// The shown run, if only its outcome is still stored.
    pub fn past_run(&self) -> Option<&PastRun> {
        self.session.history().get(self.shown_firing?).filter(|run| run.record().is_none())
    }

    /// The settings shown on the screen: those of the shown firing, otherwise the current ones.
    pub fn loaded(&self) -> Option<&Arc<LoadedConfig>> {
        self.firing().map(|f| &f.loaded).or_else(|| self.session.loaded())
    }

    /// The plan shown on the screen.
    pub fn plan(&self) -> Option<&Plan> {
        self.firing().map(|f| &f.plan).or(self.session.bench().plan.as_ref())
    }

    /// Whether the settings for the event of the shown firing have changed since.
    pub fn outdated(&self) -> bool {
        self.firing().zip(self.session.loaded()).is_some_and(|(firing, now)| {
            let planned = firing.plan.entries.iter().filter_map(|e| firing.loaded.definition(&e.hook));
            let of_it: HashSet<&str> = planned.map(|d| d.event.as_str()).collect();
            let asks = |event: &str| event == firing.input.event || of_it.contains(event);
            !Arc::ptr_eq(&firing.loaded, now) && !firing.loaded.has_same_hooks(now, asks)
        })
    }

    /// A firing that is still running while something else is shown.
    pub fn background_firing(&self) -> Option<&FiringRecord> {
        self.session.history().running().find(|f| self.is_background(f.id))
    }

    /// Returns whether something else than this firing is shown. Firings of the comparison are shown together.
    pub fn is_background(&self, id: FiringId) -> bool {
        Some(id) != self.shown_firing && !self.session.compared().iter().any(|all| all.has_firing(id))
    }

    /// The run before the shown one, of the same event.
    pub fn previous_run(&self) -> Option<&PastRun> {
        self.session.history().decided_before(self.shown_firing?)
    }

    /// The last run of the event on the bench.
    pub fn last_of_bench(&self) -> Option<&PastRun> {
        self.session.history().get(self.last_of_bench.1?)
    }

    /// The definition of the selected row.
    pub fn definition(&self) -> Option<&HookDefinition> {
        self.definition_of(self.rows.get(self.selected)?)
    }

    /// The definition of a row of the list of hooks.
    pub fn definition_of(&self, row: &HookListRow) -> Option<&HookDefinition> {
        match row {
            HookListRow::Hook(id) => self.loaded()?.definition(id),
            HookListRow::Other(id) => self.session.loaded()?.definition(id),
            HookListRow::Stale(index) => self.session.current()?.stale.get(*index),
            HookListRow::Others(_)
            | HookListRow::EventName(_)
            | HookListRow::Own { .. }
            | HookListRow::NotLoaded(_) => None,
        }
    }

    /// The plan's entry for a definition.
    pub fn entry(&self, hook: &str) -> Option<&PlanEntry> {
        self.plan()?.entry(hook)
    }

    /// The run of a definition in the shown firing.
    pub fn run_of(&self, hook: &str) -> Option<&RunRecord> {
        self.firing()?.last_run_of(hook)
    }

    /// The run of the selected definition.
    pub fn selected_run(&self) -> Option<&RunRecord> {
        let HookListRow::Hook(id) = self.rows.get(self.selected)? else { return None };
        self.run_of(id)
    }

    /// The visible tab: the user's choice, otherwise the most informative one.
    pub fn current_tab(&self) -> Tab {
        if let Some(tab) = self.tab {
            return tab;
        }
        match self.selected_run() {
            None => Tab::Why,
            Some(run) if run.stderr.total() > 0 && run.stdout.total() == 0 => Tab::Stderr,
            Some(run) if run.stdout.total() > 0 => Tab::Stdout,
            Some(run) if run.ended().is_some() => Tab::Decision,
            Some(_) => Tab::Stdout,
        }
    }

    /// Opens a question. "Yes" is not accepted before the question has been drawn.
    pub fn ask_question(&mut self, question: Popup) {
        self.question_unseen.set(true);
        self.popups.push(question);
    }

    /// Closes what was opened or typed on the pages, because a page is being opened.
    pub fn close_pages(&mut self) {
        self.compare.close();
        self.matching.close();
        self.events.close();
        self.problems.close();
        self.files.close();
        self.guards.close();
    }

    /// Takes a part out of the model, changes it with the rest of the model in view, and puts it back.
    pub(crate) fn with_part<P: Default, T>(
        &mut self,
        part: fn(&mut Model) -> &mut P,
        change: impl FnOnce(&mut P, &Model) -> T,
    ) -> T {
        let mut taken = std::mem::take(part(self));
        let done = change(&mut taken, self);
        *part(self) = taken;
        done
    }
}
