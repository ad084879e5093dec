//! The screen without a terminal, controlled by the lines of a script, for tests and bug reports. The session, its
//! driver and the hooks are real; only the terminal is simulated.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc;
use unicode_width::UnicodeWidthStr as _;

use crate::key_names;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_registry::resize;
use crate::signals::{Signal, Signals};
use crate::start::prepare;
use crate::update::{LoopRequest, Msg, update};
use crate::view::view;
use hookbench_app::{
    Command, Driver, ExitStatus, Fact, ScriptRequest, kill_every_group, now_ms, screen_size, store_demo_day,
    write_stderr,
};

/// One step.
#[derive(Debug, Clone, PartialEq)]
enum ScriptStep {
    Keys(Vec<KeyEvent>),
    Type(String),
    Until(String),
    Dump(String),
    Resize(u16, u16),
}

/// The valid steps, for error messages.
const STEPS: &str = "steps are key K…, type TEXT, until TEXT, dump [NAME] and resize CxR";

/// The reason why a script stopped early.
#[derive(Debug, thiserror::Error)]
enum ScriptError {
    #[error("{0}")]
    Script(String),
    /// The text of an `until`, or the settings, did not appear in time.
    #[error("{0}")]
    Timeout(String),
    #[error("{0}")]
    Output(#[from] std::io::Error),
}

/// Plays a script and prints the requested frames.
pub fn play(request: &ScriptRequest) -> ExitStatus {
    let name =
        if request.script == Path::new("-") { "<stdin>".to_owned() } else { request.script.display().to_string() };
    let steps = match read(&request.script).map_err(|why| format!("{name}: {why}")).and_then(|text| parse(&name, &text))
    {
        Ok(steps) => steps,
        Err(says) => {
            write_stderr(says);
            return ExitStatus::BadFile;
        }
    };
    let (model, mut demo) = match prepare(&request.open) {
        Ok(prepared) => prepared,
        Err((status, says)) => {
            write_stderr(says);
            return status;
        }
    };
    if let Some(demo) = &mut demo {
        demo.wait_for(store_demo_day(model.session.place()));
    }
    for says in &model.messages {
        write_stderr(says);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            write_stderr(format!("cannot start: {why}"));
            return ExitStatus::Internal;
        }
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = ScriptPlayer::new(model, request).play(&name, &steps) => Some(ended),
            () = end_signal() => None,
        }
    });
    kill_every_group();
    runtime.shutdown_background();
    match ended {
        None => ExitStatus::Interrupted,
        Some(Ok(())) => ExitStatus::Ok,
        // The reader has closed the pipe.
        Some(Err(ScriptError::Output(why))) if why.kind() == std::io::ErrorKind::BrokenPipe => ExitStatus::Ok,
        Some(Err(why)) => {
            write_stderr(&why);
            match why {
                ScriptError::Script(_) => ExitStatus::BadFile,
                ScriptError::Timeout(_) => ExitStatus::NotAsExpected,
                ScriptError::Output(_) => ExitStatus::Internal,
            }
        }
    }
}

async fn end_signal() {
    // Without signal handlers the default actions of the system apply.
    let Ok(mut signals) = Signals::new() else { return std::future::pending().await };
    while signals.next().await == Signal::Continued {}
}

fn read(path: &Path) -> std::io::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().take(hookbench_system::disk::MAX_FILE_BYTES).read_to_string(&mut text)?;
        return Ok(text);
    }
    hookbench_system::disk::read_text(path)
}

/// Parses the steps with their line numbers.
fn parse(name: &str, text: &str) -> Result<Vec<(usize, ScriptStep)>, String> {
    let mut steps = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let step = step(line).map_err(|says| format!("{name}:{}: {says}", index + 1))?;
        steps.push((index + 1, step));
    }
    Ok(steps)
}

fn step(line: &str) -> Result<ScriptStep, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "key" if !rest.trim().is_empty() => {
            let key = |text: &str| {
                key_names::parse(text)
                    .ok_or_else(|| format!("\"{text}\" is not a key; keys look like f, G, Enter, Ctrl+C"))
            };
            rest.split_whitespace().map(key).collect::<Result<_, _>>().map(ScriptStep::Keys)
        }
        "type" if !rest.is_empty() => Ok(ScriptStep::Type(rest.to_owned())),
        "until" if !rest.is_empty() => Ok(ScriptStep::Until(rest.to_owned())),
        "dump" => Ok(ScriptStep::Dump(rest.trim().to_owned())),
        "resize" => match screen_size(rest.trim()) {
            Some((columns, rows)) => Ok(ScriptStep::Resize(columns, rows)),
            None => Err(format!("\"{}\" is not a size; a size looks like 80x24", rest.trim())),
        },
        _ => Err(format!("\"{line}\" is not a step; {STEPS}")),
    }
}

struct ScriptPlayer {
    model: Model,
    driver: Driver,
    facts: mpsc::Receiver<Fact>,
    size: (u16, u16),
    limit: Duration,
    dump_end: bool,
    quit: bool,
}

impl ScriptPlayer {
    fn new(model: Model, request: &ScriptRequest) -> ScriptPlayer {
        let (sender, facts) = mpsc::channel(Driver::QUEUE);
        let driver = Driver::new(model.session.place().clone(), sender, 1.0).watching();
        let limit = Duration::try_from_secs_f64(request.limit).unwrap_or(Duration::MAX);
        ScriptPlayer { model, driver, facts, size: request.size, limit, dump_end: request.dump, quit: false }
    }

    async fn play(mut self, name: &str, steps: &[(usize, ScriptStep)]) -> Result<(), ScriptError> {
        let ended = self.run_steps(name, steps).await;
        self.driver.shut_down(&mut self.facts).await.into_iter().for_each(write_stderr);
        ended
    }

    async fn run_steps(&mut self, name: &str, steps: &[(usize, ScriptStep)]) -> Result<(), ScriptError> {
        self.driver.perform(self.model.session.apply(Command::Reload).jobs);
        let read = |model: &Model| model.session.agents().iter().all(|a| a.loaded.is_some());
        if !self.wait_for(read).await {
            return Err(ScriptError::Timeout("the settings were not read in time".to_owned()));
        }
        for (line, step) in steps {
            if self.quit {
                return Err(ScriptError::Script(format!("{name}:{line}: the workbench quit before this step")));
            }
            match step {
                ScriptStep::Keys(keys) => keys.iter().for_each(|key| self.send(Msg::Key(*key))),
                ScriptStep::Type(text) => {
                    for c in text.chars() {
                        self.send(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
                    }
                }
                ScriptStep::Until(text) => {
                    let size = self.size;
                    if !self.wait_for(|model| frame(model, size).contains(text.as_str())).await {
                        self.print("after the time limit")?;
                        let seconds = self.limit.as_secs_f64();
                        return Err(ScriptError::Timeout(format!(
                            "{name}:{line}: did not see \"{text}\" in {seconds} s"
                        )));
                    }
                }
                ScriptStep::Dump(title) => self.print(title)?,
                ScriptStep::Resize(columns, rows) => {
                    self.size = (*columns, *rows);
                    resize(&mut self.model, self.size);
                }
            }
            self.take_waiting();
            // The keys of one step arrive together; the screen is drawn after each step, as in a terminal.
            frame(&self.model, self.size);
        }
        if self.dump_end { self.print("end").map_err(ScriptError::from) } else { Ok(()) }
    }

    /// Handles events until `holds` returns true. Returns `false` if the time limit is reached first.
    async fn wait_for(&mut self, holds: impl Fn(&Model) -> bool) -> bool {
        let end = tokio::time::sleep(self.limit);
        tokio::pin!(end);
        while !holds(&self.model) {
            tokio::select! {
                () = &mut end => return false,
                Some(fact) = self.facts.recv() => {
                    self.send(Msg::Fact(fact));
                    self.take_waiting();
                }
            }
        }
        true
    }

    /// Handles the events that are already waiting.
    fn take_waiting(&mut self) {
        while let Ok(fact) = self.facts.try_recv() {
            self.send(Msg::Fact(fact));
        }
    }

    fn send(&mut self, msg: Msg) {
        self.model.set_time(std::time::Instant::now(), now_ms());
        let mut asks = update(&mut self.model, msg, self.size);
        while !asks.is_empty() {
            let mut next = Vec::new();
            for ask in asks {
                match ask {
                    LoopRequest::Jobs(jobs) => self.driver.perform(jobs),
                    LoopRequest::FireOnceDrawn => next.extend(update(&mut self.model, Msg::Fire, self.size)),
                    LoopRequest::Quit => self.quit = true,
                    LoopRequest::Kill => kill_every_group(),
                    LoopRequest::EditPayload(_) | LoopRequest::OpenFile { .. } => {
                        let says =
                            format!("a script has no editor; {} sets a field", self.model.key(UiCommand::SetField));
                        next.extend(update(&mut self.model, Msg::Message(says), self.size));
                    }
                    LoopRequest::Copy(text) => {
                        let says = format!("a script has no clipboard: {text}");
                        next.extend(update(&mut self.model, Msg::Message(says), self.size));
                    }
                    // A script has no terminal to clear or to leave.
                    LoopRequest::Redraw | LoopRequest::Suspend | LoopRequest::Mouse(_) => {}
                }
            }
            asks = next;
        }
    }

    fn print(&self, title: &str) -> std::io::Result<()> {
        let (columns, rows) = self.size;
        let title = if title.is_empty() { String::new() } else { format!("{title}  ") };
        let mut out = std::io::stdout().lock();
        write!(out, "=== {title}{columns}x{rows}\n{}", frame(&self.model, self.size))?;
        out.flush()
    }
}

/// The screen as text, one line per row, without trailing spaces.
fn frame(model: &Model, (columns, rows): (u16, u16)) -> String {
    let Ok(mut terminal) = Terminal::new(TestBackend::new(columns, rows));
    let Ok(_) = terminal.draw(|frame| view(model, frame));
    let buffer = terminal.backend().buffer();
    let mut out = String::new();
    for y in 0..rows {
        let mut line = String::new();
        let mut x = 0;
        while x < columns {
            let symbol = buffer.cell((x, y)).map_or(" ", |cell| cell.symbol());
            line.push_str(symbol);
            // A wide character takes two cells; the second is empty.
            x += u16::try_from(symbol.width().max(1)).unwrap_or(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let text = "# a comment\n\nkey f Enter\ntype a b \nuntil DENY\ndump\ndump after\nresize 40x12\n";
        let steps: Vec<ScriptStep> = parse("s", text).unwrap().into_iter().map(|(_, step)| step).collect();
        let keys = ["f", "Enter"].map(|k| key_names::parse(k).unwrap()).to_vec();
        let texts =
            [ScriptStep::Type("a b".to_owned()), ScriptStep::Until("DENY".to_owned()), ScriptStep::Dump(String::new())];
        let rest = [ScriptStep::Dump("after".to_owned()), ScriptStep::Resize(40, 12)];
        assert_eq!(steps, [vec![ScriptStep::Keys(keys)], texts.to_vec(), rest.to_vec()].concat());
        for (text, says) in [
            ("key", "s:1: \"key\" is not a step"),
            ("\nkey Entr", "s:2: \"Entr\" is not a key"),
            ("resize big", "s:1: \"big\" is not a size"),
            ("press f", "is not a step; steps are key K"),
        ] {
            assert!(parse("s", text).unwrap_err().contains(says), "{text}");
        }
    }
}
