//! The same session as sentences, line by line: for screen readers and for terminals that cannot draw. Commands are the
//! names of the verbs; what comes of them is said when it changes.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::mpsc;

use crate::app::{Command, Driver, Fact, OpenRequest, Status, kill_every_group};
use crate::core::text::one_line;
use crate::tui::bench::{Band, detail_rows};
use crate::tui::editor;
use crate::tui::keymap::{BINDINGS, Keymap, Verb};
use crate::tui::model::{Model, Tab};
use crate::tui::popup::Popup;
use crate::tui::run::prepare;
use crate::tui::update::{Ask, Msg, act, update};

/// As wide and high as no page is: nothing is cut, and a question is always there as a whole.
const SIZE: (u16, u16) = (1000, 10_000);

/// Opens the workbench as sentences, and stays until it is left.
pub fn plain(args: &OpenRequest) -> Status {
    let (model, _demo) = match prepare(args) {
        Ok(prepared) => prepared,
        Err((status, says)) => {
            eprintln!("hookbench: {says}");
            return status;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            eprintln!("hookbench: cannot start: {why}");
            return Status::Internal;
        }
    };
    let ended = runtime.block_on(Talk::new(model).run());
    kill_every_group();
    runtime.shutdown_background();
    // Where nobody listens any more, there is nothing more to say.
    ended.unwrap_or(Status::Ok)
}

struct Talk {
    model: Model,
    driver: Driver,
    facts: mpsc::Receiver<Fact>,
    /// What was said last of the event and its verdict.
    said: String,
    /// Messages that have not been said yet.
    news: Vec<String>,
    quit: bool,
}

impl Talk {
    fn new(mut model: Model) -> Talk {
        let (sender, facts) = mpsc::channel(Driver::QUEUE);
        let driver = Driver::new(model.session.place.clone(), sender, 1.0).watching();
        model.size = SIZE;
        model.toast = None;
        // What is said to press is what can be said here.
        model.config.keys = Keymap::by_name();
        let news = model.told.clone();
        Talk { model, driver, facts, said: String::new(), news, quit: false }
    }

    async fn run(mut self) -> std::io::Result<Status> {
        self.driver.perform(self.model.session.apply(Command::Reload));
        let mut lines = typed();
        // What is piped in waits for what came before it; a person may want to end what runs.
        let patient = !std::io::stdin().is_terminal();
        let mut over = false;
        loop {
            let read = self.model.session.agents.iter().all(|a| a.loaded.is_some());
            let idle = read && !self.model.session.busy();
            if self.quit || (over && idle) {
                return Ok(Status::Ok);
            }
            tokio::select! {
                biased;
                Some(fact) = self.facts.recv() => self.send(Msg::Fact(fact)),
                line = lines.recv(), if !over && read && (idle || !patient) => match line {
                    Some(line) => self.line(line.trim())?,
                    None => over = true,
                },
                _ = tokio::signal::ctrl_c() => {
                    let asks = self.act(Verb::Cancel);
                    self.perform(asks);
                }
            }
            if self.model.session.agents.iter().all(|a| a.loaded.is_some()) {
                self.say_news()?;
            }
        }
    }

    fn send(&mut self, msg: Msg) {
        let asks = update(&mut self.model, msg, SIZE);
        self.news.extend(self.model.toast.take());
        self.perform(asks);
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.send(Msg::Key(KeyEvent::new(code, modifiers)));
    }

    fn act(&mut self, verb: Verb) -> Vec<Ask> {
        let mut asks = Vec::new();
        act(&mut self.model, verb, SIZE, &mut asks);
        self.model.keep_toast();
        self.news.extend(self.model.toast.take());
        self.model.refresh();
        asks
    }

    fn perform(&mut self, asks: Vec<Ask>) {
        let program = editor::program(self.model.config.editor.as_deref());
        for ask in asks {
            match ask {
                Ask::Jobs(jobs) => self.driver.perform(jobs),
                Ask::Quit => self.quit = true,
                Ask::Kill => kill_every_group(),
                Ask::Copy(text) => self.send(Msg::Told(text)),
                Ask::Redraw => self.said.clear(),
                Ask::EditPayload(text) => match editor::edit_text(&program, &text) {
                    Ok(Some(text)) => self.send(Msg::Edited(text)),
                    Ok(None) => self.send(Msg::Told("nothing was changed".to_owned())),
                    Err(why) => self.send(Msg::Told(format!("the editor {program} did not start: {why}"))),
                },
                Ask::OpenFile { path, line } => {
                    if let Err(why) = editor::open(&program, Path::new(&path), Some(line)) {
                        self.send(Msg::Told(format!("the editor {program} did not start: {why}")));
                    }
                }
                // The shell suspends, and there is no mouse.
                Ask::Suspend | Ask::Mouse(_) => {}
            }
        }
    }

    /// Takes a line: an answer while something is asked, else a command with what it needs.
    fn line(&mut self, line: &str) -> std::io::Result<()> {
        if !self.model.popups.is_empty() {
            self.answer(line);
            return self.say_question();
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        if name.is_empty() {
            return Ok(());
        }
        let Some(verb) = verb_of(name) else {
            return say(&format!("There is no command {name}. help names them all."));
        };
        if verb == Verb::Help {
            return BINDINGS.iter().try_for_each(|b| say(&format!("{}: {}.", b.name, b.help)));
        }
        let (selected, tab) = (self.model.selected, self.model.tab);
        let asks = self.act(verb);
        self.perform(asks);
        if !self.model.popups.is_empty() {
            if !rest.is_empty() {
                self.answer(rest);
            }
            return self.say_question();
        }
        if verb == Verb::Why || self.model.tab != tab {
            return self.say_pane();
        }
        if self.model.selected != selected {
            let hook = self.model.definition().map(|d| format!("{}, {} line {}.", d.label(), d.from.file, d.from.line));
            return say(&hook.unwrap_or_else(|| "No hook: open shows those of other events.".to_owned()));
        }
        Ok(())
    }

    /// Hands an answer to what is asked.
    fn answer(&mut self, text: &str) {
        let none = KeyModifiers::NONE;
        match self.model.popups.last() {
            Some(popup) if matches!(text, "" | "no" | "cancel") => {
                if matches!(popup, Popup::Consent { .. }) {
                    self.news.push("nothing was run".to_owned());
                }
                self.key(KeyCode::Esc, none);
            }
            Some(Popup::Input(_)) => {
                self.key(KeyCode::Char('u'), KeyModifiers::CONTROL);
                self.send(Msg::Paste(text.to_owned()));
                self.key(KeyCode::Enter, none);
            }
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
                    self.news.push(format!("nothing there is called {text}, so nothing was taken"));
                }
            }
            _ => text.chars().take(1).for_each(|c| self.key(KeyCode::Char(c), none)),
        }
    }

    /// Says what is asked; what is only shown is said and closed.
    fn say_question(&mut self) -> std::io::Result<()> {
        let Some(popup) = self.model.popups.last().cloned() else { return Ok(()) };
        match popup {
            Popup::Consent { items, .. } => {
                say("These commands would run for the first time.")?;
                for item in items {
                    say(&format!("{}, {}.", item.command, item.source))?;
                }
                say("Later edits of the scripts run too. Say yes or no.")
            }
            Popup::Pick(pick) | Popup::Values { pick, .. } => {
                say(&format!("{}.", pick.title))?;
                for (index, item) in pick.shown().iter().enumerate() {
                    say(&format!("{}: {}. {}", index + 1, item.label, item.about))?;
                }
                say("Say a number, or a part of a name. no keeps things as they are.")
            }
            Popup::Input(input) => say(&format!("{}. {}", input.title, input.error.unwrap_or(input.hint))),
            Popup::Yank(all) => {
                all.iter().try_for_each(|yank| say(&format!("{}: {}.", yank.key, yank.name)))?;
                say("Say a letter.")
            }
            Popup::Quit => say("Hooks are running. yes ends them and quits, no stays."),
            Popup::Find(_) => say("Say a part of a name."),
            Popup::Refused(why) => {
                self.model.popups.clear();
                say("The payload was not taken.")?;
                why.lines().try_for_each(say)
            }
            Popup::Lines { title, lines, .. } => {
                self.model.popups.clear();
                say(&format!("{title}."))?;
                lines.iter().try_for_each(|line| say(&line.iter().map(|(_, text)| text.as_str()).collect::<String>()))
            }
            Popup::Help { .. } => {
                self.model.popups.clear();
                Ok(())
            }
        }
    }

    /// Says what the pane of the selected hook would show.
    fn say_pane(&self) -> std::io::Result<()> {
        let tab = self.model.current_tab();
        let label = self.model.definition().map(|d| format!(" of {}", d.label())).unwrap_or_default();
        say(&format!("{}{label}.", tab.title()))?;
        if let Some(stream) = self.model.stream().filter(|_| tab != Tab::Why) {
            let text = String::from_utf8_lossy(&stream.head).into_owned();
            return text.lines().try_for_each(say);
        }
        detail_rows(&self.model, tab).iter().try_for_each(|row| {
            let text: String = row.iter().map(|(_, text)| text.as_str()).collect();
            say(text.trim())
        })
    }

    /// Says what has changed: messages, then the event with its verdict.
    fn say_news(&mut self) -> std::io::Result<()> {
        std::mem::take(&mut self.news).iter().try_for_each(|says| say(&format!("{says}.")))?;
        let now = self.sentences();
        if now != self.said {
            say(&now)?;
            self.said = now;
        }
        Ok(())
    }

    /// The event and what the band says of it.
    fn sentences(&self) -> String {
        let model = &self.model;
        let running = model.firing().is_some_and(|f| f.outcome.is_none());
        let name = model.session.current().map_or("", |a| a.dialect.name());
        let event = model.session.bench.event.map_or("", |e| e.name);
        let subject = model.session.bench.input.as_ref().and_then(|i| i.subject.value.clone());
        let mut text = format!("{name}, {event}{}.", subject.map(|s| format!(", {s}")).unwrap_or_default());
        for row in Band::of(model).rows.iter().filter(|row| !row.word.is_empty()) {
            if running {
                // How many are still at it changes all the time; the end is what is waited for.
                text.push_str(" Running.");
                break;
            }
            let mut letters = row.word.to_lowercase().chars().collect::<Vec<_>>();
            if let Some(first) = letters.first_mut() {
                *first = first.to_ascii_uppercase();
            }
            let word: String = letters.into_iter().collect();
            let parts = row.parts.iter().map(|part| part.text.as_str()).chain([row.right.as_str()]);
            let parts: Vec<String> = parts.map(place_in_words).filter(|part| !part.is_empty()).collect();
            text.push_str(&format!(" {word}: {}.", parts.join(", ")));
        }
        text
    }
}

/// `settings.json:12` as people say it, without what only parts columns on a screen.
fn place_in_words(part: &str) -> String {
    let words = part.split_whitespace().map(|word| match word.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() && !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{file} line {line}")
        }
        _ => word.to_owned(),
    });
    words.filter(|word| word != "·").collect::<Vec<_>>().join(" ")
}

/// The verb of a name, or of the beginning of only one.
fn verb_of(name: &str) -> Option<Verb> {
    let exact = BINDINGS.iter().find(|b| b.name == name);
    let mut begin = BINDINGS.iter().filter(|b| b.name.starts_with(name));
    let only = || begin.next().filter(|_| begin.next().is_none());
    exact.or_else(only).map(|b| b.verb)
}

/// One line, with everything harmless in it.
fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", one_line(text))?;
    out.flush()
}

/// Lines of stdin, as they come.
fn typed() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    // A thread of its own, since nothing can interrupt its reading; it ends with the program.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
