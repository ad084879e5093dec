//! Plain mode: the screen as sentences, line by line, for screen readers and terminals without cursor control. The
//! user types command names; results are printed when they change.

mod commands;
mod lists;
mod questions;
pub mod sentences;
mod stdin_lines;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::mpsc;

use crate::finder::{FinderAction, accepted_arguments, with_argument};
use crate::hook_list::HookListRow;
use crate::intercept::{banner::advice_words, hold_demo_event};
use crate::keymap::{Keymap, UiCommand};
use crate::layer_keys::YES;
use crate::model::Model;
use crate::page::Page;
use crate::page_registry::{refresh, screen_of};
use crate::popup::{Popup, RunList};
use crate::signals::{Signal, Signals};
use crate::start::prepare;
use crate::update::{LoopRequest, Msg, choose, choose_tab, perform, update};
use crate::{editor, tour};
use commands::{PLAIN_COMMANDS, PlainCommand, SCREEN_ONLY, command_of, help, help_all};
use hookbench_app::{
    Command, Driver, ExitStatus, Fact, FiringId, Job, OpenRequest, Task, TaskUpdate, kill_every_group, now_ms,
    store_demo_day, write_stderr,
};
use hookbench_core::hook::HookDefinition;
use hookbench_core::text::one_line;
use sentences::{expanded, sentence};
use stdin_lines::stdin_lines;

/// A screen size at which no text is cut and every question is fully visible.
const SIZE: (u16, u16) = (1000, 10_000);

/// Runs plain mode until the user quits.
pub fn plain(args: &OpenRequest) -> ExitStatus {
    let (model, mut demo) = match prepare(&OpenRequest { remember: false, ..args.clone() }) {
        Ok(prepared) => prepared,
        Err((status, says)) => {
            write_stderr(says);
            return status;
        }
    };
    if let Some(demo) = &mut demo {
        demo.wait_for(store_demo_day(model.session.place()));
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            write_stderr(format!("cannot start: {why}"));
            return ExitStatus::Internal;
        }
    };
    let ended = runtime.block_on(PlainSession::new(model).run());
    kill_every_group();
    runtime.shutdown_background();
    // If stdout is closed, the program ends quietly.
    ended.unwrap_or(ExitStatus::Ok)
}

/// The session of plain mode.
pub struct PlainSession {
    model: Model,
    driver: Driver,
    facts: mpsc::Receiver<Fact>,
    /// The last output: the event and the text about it.
    last_output: (String, Vec<String>),
    /// Whether the open detail is to be printed.
    detail_due: bool,
    /// The title of the last printed list.
    last_list: String,
    /// Messages not printed yet.
    messages: Vec<String>,
    /// Requested texts, to be printed unchanged.
    texts: Vec<String>,
    /// The number of files that are being written.
    writing: usize,
    quit: bool,
}

impl PlainSession {
    fn new(mut model: Model) -> PlainSession {
        let (sender, facts) = mpsc::channel(Driver::QUEUE);
        let driver = Driver::new(model.session.place().clone(), sender, 1.0).watching();
        model.size = SIZE;
        model.toast = None;
        // Commands accept hooks of other events too.
        model.unfolded = true;
        // Messages name commands instead of keys.
        model.config.keys = Keymap::by_name();
        PlainSession {
            messages: model.messages.clone(),
            model,
            driver,
            facts,
            last_output: Default::default(),
            detail_due: false,
            last_list: String::new(),
            texts: Vec::new(),
            writing: 0,
            quit: false,
        }
    }

    async fn run(mut self) -> std::io::Result<ExitStatus> {
        let ended = self.main_loop().await;
        self.driver.shut_down(&mut self.facts).await.into_iter().for_each(write_stderr);
        ended
    }

    async fn main_loop(&mut self) -> std::io::Result<ExitStatus> {
        self.driver.perform(self.model.session.apply(Command::Reload).jobs);
        let mut lines = stdin_lines();
        let mut signals = Signals::new()?;
        // Piped commands wait for earlier ones to finish; an interactive user may want to cancel a run.
        let patient = !std::io::stdin().is_terminal();
        let mut over = false;
        loop {
            let read = self.model.session.agents().iter().all(|a| a.loaded.is_some());
            let session = &self.model.session;
            let calibrates = session.calibration_progress().is_some_and(|progress| progress.running);
            let tests = session.tests_hook() || calibrates;
            let waits = tests || session.event_list().is_waiting() || session.problems().is_checking();
            let idle = read && self.writing == 0 && !session.busy() && !waits;
            if self.quit || (over && idle) {
                return Ok(ExitStatus::Ok);
            }
            tokio::select! {
                biased;
                Some(fact) = self.facts.recv() => {
                    let asked = self.model.popups.len();
                    self.writing -= usize::from(self.writing > 0 && is_written(&fact));
                    self.send(Msg::Fact(fact));
                    if self.model.popups.len() > asked {
                        // A requested list or result has arrived.
                        self.say_question()?;
                    }
                }
                line = lines.recv(), if !over && read && (idle || !patient) => match line {
                    Some(line) => self.line(line.trim())?,
                    None => over = true,
                },
                signal = signals.next() => match signal {
                    Signal::Interrupt => {
                        let asks = self.act(UiCommand::Cancel);
                        self.perform(asks);
                    }
                    Signal::Terminate => return Ok(ExitStatus::Interrupted),
                    Signal::Continued => {}
                },
            }
            if self.model.session.agents().iter().all(|a| a.loaded.is_some()) {
                self.say_news()?;
            }
        }
    }

    fn send(&mut self, msg: Msg) {
        self.model.set_time(std::time::Instant::now(), now_ms());
        let (before, asks) = (advice_words(&self.model), update(&mut self.model, msg, SIZE));
        self.messages.extend(advice_words(&self.model).filter(|says| Some(says) != before.as_ref()));
        self.take_messages();
        self.perform(asks);
    }

    /// Takes the toast and the messages that it has replaced.
    fn take_messages(&mut self) {
        let last = self.model.toast.take();
        self.messages.extend(self.model.news.drain(..).filter(|says| Some(says) != last.as_ref()));
        self.messages.extend(last);
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.send(Msg::Key(KeyEvent::new(code, modifiers)));
    }

    fn act(&mut self, verb: UiCommand) -> Vec<LoopRequest> {
        self.act_by(|model, asks| perform(model, verb, asks))
    }

    fn act_by(&mut self, change: impl FnOnce(&mut Model, &mut Vec<LoopRequest>)) -> Vec<LoopRequest> {
        let mut asks = Vec::new();
        let before = self.model.page;
        change(&mut self.model, &mut asks);
        screen_of(self.model.page).on_open(&mut self.model, before, &mut asks);
        self.model.show_news();
        refresh(&mut self.model);
        tour::advance(&mut self.model);
        hold_demo_event(&mut self.model, &mut asks);
        self.take_messages();
        asks
    }

    fn perform(&mut self, asks: Vec<LoopRequest>) {
        let program = editor::program(self.model.config.editor.as_deref());
        for ask in asks {
            match ask {
                LoopRequest::Jobs(jobs) => {
                    self.writing += jobs.iter().map(facts_about_writing).sum::<usize>();
                    self.driver.perform(jobs);
                }
                LoopRequest::FireOnceDrawn => self.send(Msg::Fire),
                LoopRequest::Quit => self.quit = true,
                LoopRequest::Kill => kill_every_group(),
                LoopRequest::Copy(text) => self.texts.push(text),
                LoopRequest::Redraw => self.last_output = Default::default(),
                LoopRequest::EditPayload(text) => match editor::edit_text(&program, &text) {
                    Ok(Some(text)) => self.send(Msg::Edited(text)),
                    Ok(None) => self.send(Msg::Message("no change".to_owned())),
                    Err(why) => self.send(Msg::Message(format!("the editor {program} did not start: {why}"))),
                },
                LoopRequest::OpenFile { path, line, column } => {
                    match editor::edit_file(&program, Path::new(&path), (line, column)) {
                        Ok(changed) => self.send(Msg::EditorClosed { changed }),
                        Err(why) => self.send(Msg::Message(format!("the editor {program} did not start: {why}"))),
                    }
                }
                // The shell handles suspending, and plain mode has no mouse.
                LoopRequest::Suspend | LoopRequest::Mouse(_) => {}
            }
        }
    }

    /// Handles a line: the answer to an open question, otherwise a command with its argument.
    fn line(&mut self, line: &str) -> std::io::Result<()> {
        if !self.model.popups.is_empty() {
            if line == "quit" {
                self.model.popups.clear();
                self.quit = true;
                return Ok(());
            }
            let selected = self.model.selected;
            self.answer(line);
            self.say_selected(selected)?;
            return self.say_question();
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        if name.is_empty() {
            return Ok(());
        }
        if matches!(name, "yes" | "no") {
            return say("No question is open.");
        }
        let more = PLAIN_COMMANDS.iter().find(|(word, ..)| *word == name);
        if let Some(verb) = command_of(name) {
            let done = match self.model.page {
                Page::Compare => self.open_agent(verb, rest)?,
                Page::Match => self.try_matcher(verb, rest)?,
                _ => false,
            };
            if done {
                return Ok(());
            }
        }
        let about_a_hook = matches!(more, Some((_, PlainCommand::Pane(_), _)))
            || matches!(
                command_of(name),
                Some(UiCommand::Why | UiCommand::LeaveOut | UiCommand::WhatIf | UiCommand::Stress | UiCommand::TryHook)
            );
        let mut rest = rest;
        if about_a_hook && !rest.is_empty() {
            match self.select(rest) {
                Some(left) => rest = left,
                None => return say(&format!("No hook is named {rest}. hooks lists the hooks of this event.")),
            }
        }
        if let Some(action) =
            Some(rest).filter(|rest| !rest.is_empty()).and_then(|rest| with_argument(&self.model, name, rest))
        {
            let asks = self.act_by(|model, asks| choose(model, action, asks));
            self.perform(asks);
            return if self.model.popups.is_empty() { Ok(()) } else { self.say_question() };
        }
        let verb = match more {
            Some((_, PlainCommand::Pane(tab), _)) => {
                choose_tab(&mut self.model, *tab);
                refresh(&mut self.model);
                return self.say_pane();
            }
            Some((_, PlainCommand::List, _)) => return self.say_list(),
            Some((_, PlainCommand::Repeat, _)) => {
                self.last_output = Default::default();
                self.last_list.clear();
                return Ok(());
            }
            Some((_, PlainCommand::Events, _)) => UiCommand::Template,
            None => match command_of(name) {
                Some(verb) => verb,
                None => return say(&format!("Unknown command {name}. help lists all commands.")),
            },
        };
        if verb == UiCommand::Help {
            return if rest == "all" { help_all() } else { help(&self.model) };
        }
        if let (UiCommand::Open, Ok(number)) = (verb, rest.parse()) {
            if !self.select_row(number) {
                return say(&format!("No row has the number {number}. list prints all rows."));
            }
            rest = "";
        }
        if SCREEN_ONLY.contains(&verb) {
            return say(&format!("{name} works only on the screen."));
        }
        let (selected, tab) = (self.model.selected, self.model.tab);
        // As in the palette, a command of another page leads to that page.
        let asks = self.act_by(|model, asks| choose(model, FinderAction::Verb(verb), asks));
        self.perform(asks);
        if !self.model.popups.is_empty() {
            if !rest.is_empty() {
                self.answer(rest);
                self.say_selected(selected)?;
            }
            return self.say_question();
        }
        if !rest.is_empty() {
            let accepts = accepted_arguments(&self.model, name);
            say(&sentence(&accepts.unwrap_or_else(|| format!("{name} takes no argument, so {rest} was ignored"))))?;
        }
        if screen_of(self.model.page).open_sentences(&self.model).is_some() {
            // What it shows may still be read.
            self.detail_due = true;
            return Ok(());
        }
        if verb == UiCommand::Why || self.model.tab != tab {
            return self.say_pane();
        }
        self.say_selected(selected)
    }

    /// Selects the hook named by its id, label or place at the beginning of a text, and returns the text after
    /// `=`. `None` if there is no such hook.
    fn select<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let (name, left) = text.split_once('=').unwrap_or((text, ""));
        let loaded = self.model.loaded()?;
        let named = |d: &HookDefinition| {
            let place = format!("{}:{}", d.provenance.file, d.provenance.line);
            d.id == name || d.label() == name || place == name
        };
        let id = |row: &HookListRow| match row {
            HookListRow::Hook(id) | HookListRow::Other(id) => Some(id.clone()),
            _ => None,
        };
        let here = |row: &HookListRow| id(row).and_then(|id| loaded.definition(&id)).is_some_and(named);
        let row = self.model.rows.iter().position(here)?;
        self.model.selected = row;
        refresh(&mut self.model);
        Some(left)
    }

    /// Prints the selected hook if the selection has changed.
    fn say_selected(&self, before: usize) -> std::io::Result<()> {
        if self.model.selected == before { Ok(()) } else { say(&sentences::selected(&self.model)) }
    }

    /// Answers the open question.
    fn answer(&mut self, text: &str) {
        // The question has been printed.
        self.model.question_unseen.set(false);
        let none = KeyModifiers::NONE;
        match self.model.popups.last() {
            Some(popup) if matches!(text, "" | "no" | "cancel") => {
                if matches!(popup, Popup::Consent { .. } | Popup::Replay { .. }) {
                    self.messages.push("no hook was run".to_owned());
                }
                self.key(KeyCode::Esc, none);
                // Esc would only clear the search of the list of runs.
                self.model.popups.retain(|popup| !matches!(popup, Popup::Runs(_)));
            }
            Some(Popup::Input(_)) => {
                // The first clears the value of a field, the second its path.
                self.key(KeyCode::Char('u'), KeyModifiers::CONTROL);
                self.key(KeyCode::Char('u'), KeyModifiers::CONTROL);
                self.send(Msg::Paste(text.to_owned()));
                self.key(KeyCode::Enter, none);
            }
            Some(Popup::Runs(_)) => self.answer_runs(text),
            Some(Popup::Pick(_) | Popup::Values { .. } | Popup::Find(_)) => {
                match (text.parse::<usize>(), self.model.popups.last_mut()) {
                    (Ok(number), Some(Popup::Pick(pick) | Popup::Values { pick, .. })) => {
                        pick.selected = number.saturating_sub(1);
                    }
                    _ => text.chars().for_each(|c| self.key(KeyCode::Char(c), none)),
                }
                let asked = self.model.popups.len();
                self.key(KeyCode::Enter, none);
                if self.model.popups.len() == asked && matches!(self.model.popups.last(), Some(Popup::Pick(_))) {
                    self.key(KeyCode::Esc, none);
                    self.messages.push(format!("no match for {text}"));
                }
            }
            Some(Popup::Stress { .. }) => {
                text.chars().take(1).for_each(|c| self.key(KeyCode::Char(c), none));
                // It has been printed, and the next line may be a command.
                self.model.popups.retain(|popup| !matches!(popup, Popup::Stress { .. }));
            }
            // The pane is printed as sentences instead of columns.
            Some(Popup::Copy(_)) if text.starts_with('v') => {
                self.model.popups.clear();
                self.texts.push(sentences::pane(&self.model).join("\n"));
            }
            Some(popup) if text == "read" && !popup.consent_items().is_empty() => self.key(KeyCode::Enter, none),
            Some(popup) if popup.is_question() && text.starts_with(['y', 'Y']) => self.key(KeyCode::Char(YES), none),
            Some(popup) if popup.is_question() => self.messages.push("answer yes or no first".to_owned()),
            _ => text.chars().take(1).for_each(|c| self.key(KeyCode::Char(c), none)),
        }
    }

    /// Answers the list of runs: a number returns to a run, `compare` with one compares it, other words filter the list.
    fn answer_runs(&mut self, text: &str) {
        let (compares, what) = text.strip_prefix("compare ").map_or((false, text), |rest| (true, rest));
        let history = self.model.session.history();
        let Some(Popup::Runs(runs)) = self.model.popups.last_mut() else { return };
        match what.trim().parse() {
            Ok(number) if runs.select(FiringId(number), history) => {
                self.key(if compares { KeyCode::Char('d') } else { KeyCode::Enter }, KeyModifiers::NONE);
            }
            Ok(number) => self.messages.push(format!("run {number} is not in this list")),
            Err(_) => {
                self.model.popups.pop();
                let mut runs = RunList::of(history);
                runs.push(text, history);
                runs.key(KeyCode::Enter, false, history);
                self.model.popups.push(Popup::Runs(runs));
            }
        }
    }

    /// Prints the pane of the selected hook.
    fn say_pane(&self) -> std::io::Result<()> {
        sentences::pane(&self.model).iter().try_for_each(|text| say(text))
    }

    /// Prints what has changed: requested texts, messages, then the event and the page.
    fn say_news(&mut self) -> std::io::Result<()> {
        for text in std::mem::take(&mut self.texts) {
            text.lines().filter(|line| !line.trim().is_empty()).try_for_each(say)?;
        }
        std::mem::take(&mut self.messages).iter().try_for_each(|says| say(&sentence(&expanded(says))))?;
        if self.detail_due && !self.model.session.event_list().is_waiting() {
            self.detail_due = false;
            let detail = screen_of(self.model.page).open_sentences(&self.model).unwrap_or_default();
            return detail.iter().try_for_each(|text| say(text));
        }
        let mut says = screen_of(self.model.page).sentences(&self.model);
        // A question is printed with its own answers.
        let step = tour::line(&self.model).filter(|_| self.model.popups.is_empty());
        says.extend(step.map(|(number, text)| format!("Tour {number}: {text}")));
        let now = (self.event(), says);
        if now == self.last_output {
            return Ok(());
        }
        let event = if now.0 == self.last_output.0 { None } else { Some(&now.0) };
        let all: Vec<&str> = event.into_iter().chain(&now.1).map(String::as_str).collect();
        if !all.is_empty() {
            say(&all.join(" "))?;
        }
        self.last_output = now;
        self.say_new_list()
    }

    /// The event on the bench.
    fn event(&self) -> String {
        let bench = self.model.session.bench();
        let name = self.model.session.current().map_or("", |a| a.dialect.name());
        let event = bench.payload.event.map_or("no event", |e| e.name);
        let subject = bench.payload.input.as_ref().and_then(|i| i.subject.value.clone());
        let words = [Some(name.to_owned()), Some(event.to_owned()), subject];
        sentence(&words.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The number of facts with which a job reports what it wrote, tried or could undo.
fn facts_about_writing(job: &Job) -> usize {
    match job {
        Job::WriteFiles(_) | Job::Undo | Job::ReadUndo => 1,
        Job::Task { task: Task::WriteHook(_), .. } => 2,
        _ => 0,
    }
}

/// Whether a fact is one of these.
fn is_written(fact: &Fact) -> bool {
    let is_trial = matches!(fact, Fact::Task { update: TaskUpdate::HookTried(_), .. });
    is_trial || fact.is_about_written_files() || matches!(fact, Fact::UndoRead(_) | Fact::Problem { .. })
}

/// Prints one line, with control characters escaped.
fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", one_line(text))?;
    out.flush()
}
