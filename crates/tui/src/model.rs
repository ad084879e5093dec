//! What is shown beside the session: selection, focus, popups, and what is worked out once instead of at every frame.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bench::{Edge, Split, Stdin};
use crate::compare::Compare;
use crate::config::{Config, Problem};
use crate::event_view::EventView;
use crate::events::EventsView;
use crate::files::FilesView;
use crate::intercept::InterceptView;
use crate::keymap::Verb;
use crate::matching::Matching;
use crate::page::Page;
use crate::popup::Popup;
use crate::problems::ProblemsView;
use crate::rows::RowsOf;
use crate::theme::{Shades, Theme};
use crate::widgets::LogView;
use hookbench_app::{FiringId, FiringRecord, Ladder, PastRun, Prospect, Resolved, RunRecord, Session, Subjects};
use hookbench_core::config::Loaded;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{Plan, PlanEntry};
use hookbench_core::text::stringify_pretty;

/// The panes of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Hooks,
    Detail,
    Event,
}

/// What is shown of the selected hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Stdin,
    Stdout,
    Stderr,
    Decision,
    Process,
    Why,
}

impl Tab {
    /// All of them, from left to right.
    pub const ALL: [Tab; 6] = [Tab::Stdin, Tab::Stdout, Tab::Stderr, Tab::Decision, Tab::Process, Tab::Why];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Stdin => "stdin",
            Tab::Stdout => "stdout",
            Tab::Stderr => "stderr",
            Tab::Decision => "decision",
            Tab::Process => "process",
            Tab::Why => "why",
        }
    }
}

/// One row of the list of hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A definition of this event, by its id.
    Hook(String),
    /// The fold of all definitions of other events.
    Others(usize),
    /// A heading of an unfolded event.
    EventName(String),
    /// A definition of another event, by its id.
    Other(String),
    /// A definition of a file that is broken now: an index into the agent's stale ones.
    Stale(usize),
    /// Something that is not loaded: an index into the agent's list.
    NotLoaded(usize),
}

/// Agent, payload and newest run: with these the last run of the bench changes.
type BenchAt = (&'static str, u64, Option<FiringId>);

/// The whole state of the screen.
pub struct Model {
    pub session: Session,
    pub theme: Theme,
    /// What the screen is about.
    pub page: Page,
    /// The same event in every agent.
    pub compare: Compare,
    /// One matcher in every agent.
    pub matching: Matching,
    /// Recorded events.
    pub events: EventsView,
    /// What is wrong with the hooks of all agents.
    pub problems: ProblemsView,
    /// What every agent looks at.
    pub files: FilesView,
    /// What is held of running agents.
    pub intercept: InterceptView,
    /// The time of day in milliseconds since 1970, as it was told last.
    pub now_ms: i64,
    /// The instant, as it was told last: nothing that is drawn looks at a clock.
    pub now: Instant,
    pub focus: Focus,
    pub zoomed: bool,
    /// How the user has parted the panes.
    pub split: Split,
    /// The line between panes that the mouse holds.
    pub dragged: Option<Edge>,
    pub unfolded: bool,
    pub rows: Vec<Row>,
    pub(super) rows_of: RowsOf,
    pub selected: usize,
    /// The tab that the user chose; none: the one that says most.
    pub tab: Option<Tab>,
    /// First line shown of the detail; none: follow the end.
    pub scroll: Option<usize>,
    pub event_scroll: usize,
    pub popups: Vec<Popup>,
    /// A question was asked that has not been drawn yet.
    pub unseen: Cell<bool>,
    pub toast: Option<String>,
    /// The firing whose results are shown; none: the plan is.
    pub shown: Option<FiringId>,
    /// The last run of what lies on the bench, and of which payload and newest run that was found.
    last_of_bench: (Option<BenchAt>, Option<FiringId>),
    /// When the shown firing was started, for its timer.
    pub started: Option<Instant>,
    pub event_lines: Vec<String>,
    /// The payload that the lines are of.
    event_text_of: Option<u64>,
    pub event: EventView,
    pub ladder: Option<Ladder>,
    /// What is known of the selected definition whatever is fired.
    pub known: Option<Known>,
    /// How the stream of the selected run is looked at.
    pub log: LogView,
    /// What the selected run was given, as it is shown.
    pub stdin: Stdin,
    /// The same program with these words does what the screen shows.
    pub program: ProgramWords,
    pub demo: bool,
    /// How the screen is left is remembered.
    pub remembers: bool,
    /// Ctrl+C was pressed while something ran.
    pub cancelled_once: bool,
    /// Hooks that are skipped here because they are for something else.
    pub for_others: Vec<String>,
    /// Hooks that will be started and cannot work, and why not.
    pub failing: Vec<(String, String)>,
    /// Hooks that only the agent itself could run, and what of it they need.
    pub by_hand: Vec<(String, &'static str)>,
    pub shades: Shades,
    pub config: Config,
    /// Everything that was told at the bottom, oldest first.
    pub told: Vec<String>,
    /// Width and height of the screen.
    pub size: (u16, u16),
}

/// What is known of a definition whatever is fired. Worked out once, because every known subject is tried.
#[derive(Debug, Clone)]
pub struct Known {
    pub definition: HookDefinition,
    pub prospect: Option<Prospect>,
    pub subjects: Option<Subjects>,
}

impl Known {
    /// What the command line comes to.
    pub fn resolved(&self) -> Option<&Resolved> {
        self.prospect.as_ref()?.resolved.as_ref()
    }
}

/// How this workbench was opened, for command lines that can be copied.
#[derive(Debug, Clone, Default)]
pub struct ProgramWords {
    pub project: Option<String>,
    pub home: Option<String>,
}

impl Model {
    /// A screen over a session.
    pub fn new(session: Session, theme: Theme) -> Model {
        let mut model = Model {
            session,
            theme,
            page: Page::default(),
            compare: Compare::default(),
            matching: Matching::default(),
            events: EventsView::default(),
            problems: ProblemsView::default(),
            files: FilesView::default(),
            intercept: InterceptView::default(),
            now_ms: 0,
            now: Instant::now(),
            focus: Focus::Hooks,
            zoomed: false,
            split: Split::default(),
            dragged: None,
            unfolded: false,
            rows: Vec::new(),
            rows_of: RowsOf::default(),
            selected: 0,
            tab: None,
            scroll: None,
            event_scroll: 0,
            popups: Vec::new(),
            unseen: Cell::new(false),
            toast: None,
            shown: None,
            last_of_bench: (None, None),
            started: None,
            event_lines: Vec::new(),
            event_text_of: None,
            event: EventView::default(),
            ladder: None,
            known: None,
            log: LogView::default(),
            stdin: Stdin::default(),
            program: ProgramWords::default(),
            demo: false,
            remembers: false,
            cancelled_once: false,
            for_others: Vec::new(),
            failing: Vec::new(),
            by_hand: Vec::new(),
            shades: Shades::default(),
            config: Config::default(),
            told: Vec::new(),
            size: (80, 24),
        };
        model.judge();
        model.refresh();
        model
    }

    /// Takes the size of the screen, for all that depends on it.
    pub fn fit(&mut self, size: (u16, u16)) {
        if self.size != size {
            self.size = size;
            self.refresh();
        }
    }

    /// Remembers what is told at the bottom.
    pub fn keep_toast(&mut self) {
        const KEPT: usize = 200;
        if self.toast.is_some() && self.toast.as_ref() != self.told.last() {
            self.told.extend(self.toast.clone());
            let over = self.told.len().saturating_sub(KEPT);
            self.told.drain(..over);
        }
    }

    /// How a verb is reached: its key, else its name in the palette.
    pub fn key(&self, verb: Verb) -> String {
        let rows = || self.config.keys.rows().find(|(b, _)| b.verb == verb);
        let key = rows().and_then(|(_, chords)| chords.first().cloned());
        key.or_else(|| Some(format!(":{}", rows()?.0.name))).unwrap_or_default()
    }

    /// What time it is: an instant, and milliseconds since 1970.
    pub fn tell_time(&mut self, now: Instant, now_ms: i64) {
        (self.now, self.now_ms) = (now, now_ms);
    }

    /// How long ago that was; nothing, where nothing has begun.
    pub fn since(&self, started: Option<Instant>) -> Duration {
        started.map_or(Duration::ZERO, |started| self.now.saturating_duration_since(started))
    }

    /// Takes the user's settings, and tells what is wrong in them.
    pub fn configure(&mut self, config: Config, problems: &[Problem]) {
        self.session.options.watch = config.watch.clone();
        self.session.problems.levels = config.lint.clone();
        self.session.settle_live(config.desk.clone());
        self.config = config;
        self.told.extend(problems.iter().map(ToString::to_string));
        // Said before the first one, which may be too long for its end to be seen.
        let count = match problems.len() {
            0 | 1 => String::new(),
            n => format!("{n} mistakes ({} lists them)   ", self.key(Verb::Messages)),
        };
        self.toast = problems.first().map(|first| format!("{count}{first}"));
    }

    /// The firing whose results are shown.
    pub fn firing(&self) -> Option<&FiringRecord> {
        self.session.firing(self.shown?)
    }

    /// The shown run, when only what it came to is still kept of it.
    pub fn gone(&self) -> Option<&PastRun> {
        self.session.history.get(self.shown?).filter(|run| run.record().is_none())
    }

    /// What the screen is about: what the shown firing rests on, else what is loaded now.
    pub fn loaded(&self) -> Option<&Arc<Loaded>> {
        self.firing().map(|f| &f.loaded).or_else(|| self.session.loaded())
    }

    /// The plan that the screen is about.
    pub fn plan(&self) -> Option<&Plan> {
        self.firing().map(|f| &f.plan).or(self.session.bench.plan.as_ref())
    }

    /// What the settings say of its event is no longer what the firing that is shown rests on.
    pub fn outdated(&self) -> bool {
        self.firing().zip(self.session.loaded()).is_some_and(|(firing, now)| {
            let planned = firing.plan.entries.iter().filter_map(|e| firing.loaded.definition(&e.hook));
            let of_it: HashSet<&str> = planned.map(|d| d.event.as_str()).collect();
            let asks = |event: &str| event == firing.input.event || of_it.contains(event);
            !Arc::ptr_eq(&firing.loaded, now) && !firing.loaded.same_for(now, asks)
        })
    }

    /// A firing that goes on while something else is shown. Those of one event in every agent are shown together.
    pub fn behind(&self) -> Option<&FiringRecord> {
        let compared = |f: &&FiringRecord| self.session.compared.iter().any(|all| all.has(f.id));
        self.session.history.going_on().find(|f| Some(f.id) != self.shown && !compared(f))
    }

    /// The verdict before the one that is shown, of the same event.
    pub fn previous(&self) -> Option<&PastRun> {
        self.session.history.decided_before(self.shown?)
    }

    /// The last run of what lies on the bench.
    pub fn last_of_bench(&self) -> Option<&PastRun> {
        self.session.history.get(self.last_of_bench.1?)
    }

    /// Found anew only when there is another payload or another run.
    fn find_last_of_bench(&mut self) {
        let newest = self.session.history.newest().map(|run| run.id);
        let of = Some((self.session.bench.agent, self.session.payload_revision, newest));
        if self.last_of_bench.0 != of {
            self.last_of_bench = (of, self.session.last_of_bench().map(|run| run.id));
        }
    }

    /// The definition of the selected row.
    pub fn definition(&self) -> Option<&HookDefinition> {
        match self.rows.get(self.selected)? {
            Row::Hook(id) => self.loaded()?.definition(id),
            Row::Other(id) => self.session.loaded()?.definition(id),
            Row::Stale(index) => self.session.current()?.stale.get(*index),
            Row::Others(_) | Row::EventName(_) | Row::NotLoaded(_) => None,
        }
    }

    /// What the plan says of a definition.
    pub fn entry(&self, hook: &str) -> Option<&PlanEntry> {
        self.plan()?.entry(hook)
    }

    /// The run of a definition in the firing that is shown.
    pub fn run_of(&self, hook: &str) -> Option<&RunRecord> {
        self.firing()?.run_of(hook)
    }

    /// The run of the selected definition.
    pub fn selected_run(&self) -> Option<&RunRecord> {
        let Row::Hook(id) = self.rows.get(self.selected)? else { return None };
        self.run_of(id)
    }

    /// The tab that is shown: the chosen one, else the one that says most.
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

    /// Brings everything that is derived up to date. Called after every message, never while drawing.
    pub fn refresh(&mut self) {
        self.session.hold(self.shown.into_iter().chain(self.compare.firings()).collect());
        self.find_last_of_bench();
        if let Some(Popup::Runs(runs)) = self.popups.last_mut() {
            runs.sync(&self.session.history);
        }
        self.refresh_rows();
        self.refresh_event_lines();
        // A question that has been overtaken by a change is not asked any more.
        if self.session.bench.consent.is_none() && matches!(self.popups.last(), Some(Popup::Consent { .. })) {
            self.popups.pop();
            self.toast = Some(format!("the settings have changed; {} asks again", self.key(Verb::Fire)));
        }
        self.climb();
        let mut event = std::mem::take(&mut self.event);
        event.refresh(self);
        self.event = event;
        self.refresh_stream();
        let mut compare = std::mem::take(&mut self.compare);
        compare.refresh(self);
        self.compare = compare;
        let mut matching = std::mem::take(&mut self.matching);
        matching.refresh(self);
        self.matching = matching;
        let mut events = std::mem::take(&mut self.events);
        events.refresh(self);
        self.events = events;
        let mut problems = std::mem::take(&mut self.problems);
        problems.refresh(self);
        self.problems = problems;
        let mut files = std::mem::take(&mut self.files);
        files.refresh(self);
        self.files = files;
        let mut intercept = std::mem::take(&mut self.intercept);
        intercept.refresh(self);
        self.intercept = intercept;
    }

    /// The payload as text, made anew only when it is another one.
    fn refresh_event_lines(&mut self) {
        let bench = &self.session.bench;
        let now = Some(self.session.payload_revision).filter(|_| bench.refused.is_none() && bench.input.is_some());
        if now.is_some() && now == self.event_text_of {
            return;
        }
        self.event_text_of = now;
        self.event_scroll = 0;
        self.event_lines = match (&bench.refused, bench.body()) {
            (Some(refused), _) => refused.text.lines().map(str::to_owned).collect(),
            (None, Some(body)) => stringify_pretty(body).lines().map(str::to_owned).collect(),
            (None, None) => Vec::new(),
        };
    }
}
