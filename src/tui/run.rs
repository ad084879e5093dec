//! The loop: input first, then facts, drawn at most once a frame. Nothing ticks while nothing happens.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;

use crate::app::{
    Command, Consent, Demo, DiskFiles, Driver, Fact, OpenRequest, Remembered, Session, SessionOptions, StateDir,
    Status, find_installed, kill_every_group, make_place,
};
use crate::core::dialects;
use crate::tui::clipboard::{self, Route};
use crate::tui::model::{Model, ProgramWords};
use crate::tui::terminal::{self, Screen};
use crate::tui::update::{Ask, Msg, update};
use crate::tui::view::view;
use crate::tui::{config, editor, remembered};

/// The least time between two frames that nobody pressed a key for.
const FRAME: Duration = Duration::from_millis(16);
/// How often clocks are drawn anew while something runs.
const CLOCK: Duration = Duration::from_millis(100);
/// Facts that are taken in before the screen is drawn again.
const DRAIN: usize = 256;
/// Firings that are kept to look back at.
const KEEP: usize = 200;

/// Opens the workbench, and stays until it is left.
pub fn open(args: &OpenRequest) -> Status {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if args.plain || (dumb && std::io::stdin().is_terminal()) {
        return crate::tui::plain(args);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        eprintln!(
            "hookbench: the workbench needs a terminal\n  help: hookbench fire, plan, why, list and events work without one"
        );
        return Status::Usage;
    }
    match prepare(args) {
        Ok((model, demo)) => {
            let status = live(model);
            // Only now, when nothing runs in it any more.
            drop(demo);
            status
        }
        Err((status, says)) => {
            eprintln!("hookbench: {says}");
            status
        }
    }
}

/// Everything that is there before the first frame.
pub(super) fn prepare(args: &OpenRequest) -> Result<(Model, Option<Demo>), (Status, String)> {
    let demo = if args.demo {
        let demo = Demo::unpack()
            .map_err(|why| (Status::Internal, format!("the sample project cannot be laid out: {why}")))?;
        Some(demo)
    } else {
        None
    };
    let (project, home) = match &demo {
        Some(demo) => (Some(demo.project()), Some(demo.home())),
        None => (args.dir.clone(), args.home.clone()),
    };
    let mut place =
        make_place(project.as_deref(), home.as_deref()).map_err(|why| (Status::BadFile, why.to_string()))?;
    if demo.is_some() {
        // The sample has no user layer, but its hooks run in the user's own environment.
        place.home_given = false;
    }
    let state = StateDir::of(&place);
    let (left, problem) =
        if args.remember && !args.reset_layout { Remembered::read(&state, &place.project) } else { (None, None) };
    let was = left.as_ref().and_then(|l| dialects::by_id(l.agent.as_deref()?)).map(|d| d.id());
    let agent = args.agent.or(was).or_else(|| dialects::ALL.first().map(|d| d.id())).unwrap_or_default();
    let installed: Vec<_> = dialects::ALL.iter().map(|d| (d.id(), find_installed(&d.install(), &place))).collect();
    let options = SessionOptions {
        yes: args.yes,
        keep_firings: KEEP,
        agent_version: args.agent_version.clone(),
        // An event is one of its agent.
        begin_with: left
            .as_ref()
            .filter(|_| was == Some(agent))
            .and_then(|l| Some((l.event.clone()?, l.template.unwrap_or(0)))),
        ..SessionOptions::default()
    };
    let consent = Consent::read(&state);
    let words =
        ProgramWords { project: project.map(|p| p.display().to_string()), home: home.map(|h| h.display().to_string()) };
    let session = Session::new(options, place, Box::new(DiskFiles), agent, &installed, consent);
    let var = |name: &str| std::env::var(name).ok();
    let (config, problems) = config::read(&var);
    let (theme, shades) = config.theme.settle(&var);
    let mut model = Model::new(session, theme);
    model.shades = shades;
    model.configure(config, &problems);
    model.program = words;
    model.remembers = args.remember;
    if let Some(left) = &left {
        remembered::restore(&mut model, left);
    }
    if let Some(says) = problem {
        model.toast = Some(says);
        model.keep_toast();
    }
    model.demo = demo.is_some();
    Ok((model, demo))
}

fn live(mut model: Model) -> Status {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            eprintln!("hookbench: cannot start: {why}");
            return Status::Internal;
        }
    };
    terminal::guard_panics();
    let screen = match terminal::enter(model.config.mouse) {
        Ok(screen) => screen,
        Err(why) => {
            eprintln!("hookbench: the terminal cannot be used: {why}");
            return Status::Internal;
        }
    };
    let ended = runtime.block_on(run(&mut model, screen));
    terminal::leave();
    kill_every_group();
    if model.remembers
        && let Err(says) = remembered::keep(&model)
    {
        eprintln!("hookbench: {says}");
    }
    // Hooks that were just killed may still hold a reading thread; nobody waits for them.
    runtime.shutdown_background();
    match ended {
        Ok(status) => status,
        Err(why) => {
            eprintln!("hookbench: the terminal went away: {why}");
            Status::Internal
        }
    }
}

async fn run(model: &mut Model, mut screen: Screen) -> std::io::Result<Status> {
    let (sender, mut facts) = mpsc::channel::<Fact>(Driver::QUEUE);
    let mut driver = Driver::new(model.session.place.clone(), sender, 1.0).watching();
    driver.perform(model.session.apply(Command::Reload));
    let (teller, mut told) = mpsc::unbounded_channel::<String>();
    let mut input = Some(EventStream::new());
    let mut stops = Stops::new()?;
    let mut focused = None;
    let mut dirty = true;
    let mut last = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
    // The first frame waits for the settings, which take a moment less than anybody sees.
    let first = Instant::now() + FRAME;
    loop {
        let ready = model.session.agents.iter().all(|a| a.loaded.is_some()) || Instant::now() >= first;
        if dirty && ready && last.elapsed() >= FRAME {
            draw(&mut screen, model)?;
            last = Instant::now();
            dirty = false;
        }
        let wait = if dirty {
            FRAME.saturating_sub(last.elapsed()).max(Duration::from_millis(1))
        } else if model.session.busy() {
            CLOCK
        } else {
            Duration::MAX
        };
        let mut asks = Vec::new();
        tokio::select! {
            biased;
            () = stops.stopped() => return Ok(Status::Interrupted),
            event = next_event(&mut input) => {
                match event {
                    Some(Ok(event)) => on_event(model, event, &screen, &mut focused, &mut asks)?,
                    Some(Err(why)) => return Err(why),
                    // The terminal is gone.
                    None => return Ok(Status::Interrupted),
                }
                // A key is shown at once.
                last = Instant::now().checked_sub(FRAME).unwrap_or(last);
                dirty = true;
            }
            fact = facts.recv() => {
                let size = size_of(&screen)?;
                let mut next = fact;
                for _ in 0..DRAIN {
                    let Some(fact) = next else { break };
                    asks.extend(update(model, Msg::Fact(fact), size));
                    next = facts.try_recv().ok();
                }
                if let Some(fact) = next {
                    asks.extend(update(model, Msg::Fact(fact), size));
                }
                dirty = true;
            }
            Some(says) = told.recv() => {
                asks.extend(update(model, Msg::Told(says), size_of(&screen)?));
                dirty = true;
            }
            () = sleep(wait) => dirty = true,
        }
        let program = editor::program(model.config.editor.as_deref());
        let visited = asks.iter().any(|a| matches!(a, Ask::EditPayload(_) | Ask::OpenFile { .. }));
        for ask in asks {
            match ask {
                Ask::Jobs(jobs) => driver.perform(jobs),
                Ask::Quit => return Ok(Status::Ok),
                Ask::Kill => kill_every_group(),
                Ask::Mouse(on) => terminal::mouse(on)?,
                Ask::Redraw => screen = terminal::renew()?,
                Ask::Copy(text) => copy(model, text, &teller)?,
                Ask::Suspend => away(&mut screen, &mut input, model.config.mouse, terminal::suspend)?,
                Ask::EditPayload(text) => {
                    let edited =
                        away(&mut screen, &mut input, model.config.mouse, || editor::edit_text(&program, &text))?;
                    let msg = match edited {
                        Ok(Some(text)) => Msg::Edited(text),
                        Ok(None) => Msg::Told("nothing was changed".to_owned()),
                        Err(why) => Msg::Told(format!("the editor {program} did not start: {why}")),
                    };
                    let size = size_of(&screen)?;
                    for ask in update(model, msg, size) {
                        if let Ask::Jobs(jobs) = ask {
                            driver.perform(jobs);
                        }
                    }
                }
                Ask::OpenFile { path, line } => {
                    let opened = away(&mut screen, &mut input, model.config.mouse, || {
                        editor::open(&program, Path::new(&path), Some(line))
                    })?;
                    if let Err(why) = opened {
                        model.toast = Some(format!("the editor {program} did not start: {why}"));
                    }
                }
            }
            dirty = true;
        }
        if visited {
            // What was meant for the editor (its Ctrl+C reached us too) is not meant for us.
            stops = Stops::new()?;
        }
    }
}

/// A click that comes so soon after the window has been given the focus was meant for the window.
const MEANT_FOR_THE_WINDOW: Duration = Duration::from_millis(250);

fn on_event(
    model: &mut Model,
    event: Event,
    screen: &Screen,
    focused: &mut Option<Instant>,
    asks: &mut Vec<Ask>,
) -> std::io::Result<()> {
    let size = size_of(screen)?;
    match event {
        Event::Key(key) => asks.extend(update(model, Msg::Key(key), size)),
        Event::Paste(text) => asks.extend(update(model, Msg::Paste(text), size)),
        Event::Mouse(_) if focused.is_some_and(|at| at.elapsed() < MEANT_FOR_THE_WINDOW) => {}
        Event::Mouse(event) => asks.extend(update(model, Msg::Mouse(event), size)),
        Event::FocusGained => *focused = Some(Instant::now()),
        Event::Resize(..) | Event::FocusLost => {}
    }
    Ok(())
}

fn size_of(screen: &Screen) -> std::io::Result<(u16, u16)> {
    screen.size().map(|s| (s.width, s.height))
}

fn draw(screen: &mut Screen, model: &Model) -> std::io::Result<()> {
    crossterm::queue!(screen.backend_mut(), BeginSynchronizedUpdate)?;
    screen.draw(|frame| view(model, frame))?;
    crossterm::execute!(screen.backend_mut(), EndSynchronizedUpdate)
}

/// Leaves the screen for something that needs the terminal, and comes back. The keyboard is let go of first, or both
/// would read it.
fn away<T>(
    screen: &mut Screen,
    input: &mut Option<EventStream>,
    mouse: bool,
    visit: impl FnOnce() -> T,
) -> std::io::Result<T> {
    *input = None;
    terminal::leave();
    let result = visit();
    *screen = terminal::enter(mouse)?;
    // The stream that was dropped left a wake-up behind. Taken together with the first key, it would swallow that key,
    // so it is taken now; what was typed meanwhile was not meant for us.
    terminal::forget_keys();
    crossterm::event::poll(Duration::ZERO)?;
    *input = Some(EventStream::new());
    Ok(result)
}

/// Copies a text, and tells which way it went.
fn copy(model: &mut Model, text: String, told: &mpsc::UnboundedSender<String>) -> std::io::Result<()> {
    let var = |name: &str| std::env::var(name).ok();
    match clipboard::route(&model.config.clipboard, &var, &clipboard::installed) {
        Route::Terminal { tmux } => {
            model.toast = Some(clipboard::through_terminal(&text, tmux, &mut std::io::stdout())?);
        }
        Route::Tool(line) => {
            let told = told.clone();
            // A tool may take its time.
            tokio::task::spawn_blocking(move || told.send(clipboard::through_tool(&text, &line)));
        }
        Route::Off => model.toast = Some("the clipboard is off in the configuration; nothing was copied".to_owned()),
    }
    model.keep_toast();
    Ok(())
}

async fn next_event(input: &mut Option<EventStream>) -> Option<std::io::Result<Event>> {
    match input {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

async fn sleep(wait: Duration) {
    if wait == Duration::MAX {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(wait).await;
}

/// Signals that ask the program to end.
#[cfg(unix)]
struct Stops {
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    quit: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Stops {
    fn new() -> std::io::Result<Stops> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Stops {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    async fn stopped(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.quit.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Stops;

#[cfg(not(unix))]
impl Stops {
    #[allow(clippy::unnecessary_wraps, reason = "the same shape as where there are signals")]
    fn new() -> std::io::Result<Stops> {
        Ok(Stops)
    }

    async fn stopped(&mut self) {
        std::future::pending::<()>().await;
    }
}
