//! The loop: input first, then events, drawn at most once a frame. Without input or events it sleeps.

use std::collections::VecDeque;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::Frame;
use tokio::sync::{Notify, mpsc};

use crate::clipboard::{self, ClipboardRoute};
use crate::editor::RunningEditor;
use crate::matching::{takes_text, typed_char};
use crate::model::Model;
use crate::page_registry::resize;
use crate::run_log::LogHint;
use crate::signals::{Signal, Signals};
use crate::start::prepare;
use crate::terminal::{self, AppTerminal};
use crate::terminal_events::{next_event, take_pending};
use crate::tour::Tour;
use crate::update::{LoopRequest, Msg, update};
use crate::view::view;
use crate::window::WindowFocus;
use crate::{crash, editor, saved_layout};
use hookbench_app::{
    Command, Demo, Driver, ExitStatus, Fact, OpenRequest, kill_every_group, log_hint_is_over, now_ms,
    remember_log_hint, remember_tour, store_demo_day, tour_is_over, write_stderr,
};

/// Minimum time between two frames without a key press.
const FRAME: Duration = Duration::from_millis(16);
/// Redraw interval of the clocks while hooks run.
const CLOCK: Duration = Duration::from_millis(100);
/// Redraw interval of the remaining time of a held event.
const COUNTDOWN: Duration = Duration::from_secs(1);
/// Maximum number of events handled before a redraw.
const DRAIN: usize = 256;

/// The update and view functions of the loop; tests replace them.
pub struct Frontend {
    pub update: fn(&mut Model, Msg, (u16, u16)) -> Vec<LoopRequest>,
    pub view: fn(&Model, &mut Frame<'_>),
}

/// Runs the screen until the user quits.
pub fn open(args: &OpenRequest) -> ExitStatus {
    open_as(args, &Frontend { update, view })
}

/// Like [`open`], with other update and view functions; tests use it to provoke errors.
pub fn open_as(args: &OpenRequest, face: &Frontend) -> ExitStatus {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if args.plain || (dumb && std::io::stdin().is_terminal()) {
        return crate::plain(args);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        write_stderr(
            "the workbench needs a terminal\n  help: hookbench fire, plan, why, list and events work without one",
        );
        return ExitStatus::Usage;
    }
    match prepare(args) {
        Ok((mut model, mut demo)) => {
            if demo.is_some() && !tour_is_over() {
                model.tour = Some(Tour::begin());
            }
            if demo.is_none() && !model.config.log_runs && !log_hint_is_over() {
                model.log_hint = LogHint::Due;
            }
            let status = run_screen(model, face, demo.as_mut());
            // The sample project is deleted only now, when no hook runs in it.
            drop(demo);
            status
        }
        Err((status, says)) => {
            write_stderr(says);
            status
        }
    }
}

fn run_screen(mut model: Model, face: &Frontend, demo: Option<&mut Demo>) -> ExitStatus {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            write_stderr(format!("cannot start: {why}"));
            return ExitStatus::Internal;
        }
    };
    // Signals are installed before the terminal is entered, so that it is always restored.
    let signals = {
        let _inside = runtime.enter();
        Signals::new()
    };
    let signals = match signals {
        Ok(signals) => signals,
        Err(why) => {
            write_stderr(format!("cannot listen for signals: {why}"));
            return ExitStatus::Internal;
        }
    };
    let mut screen = match terminal::enter(model.config.mouse) {
        Ok(screen) => screen,
        Err(why) => {
            write_stderr(format!("cannot use the terminal: {why}"));
            return ExitStatus::Internal;
        }
    };
    // The panic is caught here, because dropping the runtime while unwinding would wait for its threads.
    let ended = catch_unwind(AssertUnwindSafe(|| runtime.block_on(run(&mut model, &mut screen, signals, face, demo))));
    terminal::leave();
    kill_every_group();
    // After a panic the state may be inconsistent and is not saved.
    if model.saves_layout
        && ended.is_ok()
        && let Err(says) = saved_layout::save(&model)
    {
        write_stderr(says);
    }
    if model.tour.is_some_and(|tour| tour.is_over())
        && let Err(why) = remember_tour()
    {
        write_stderr(why);
    }
    if model.log_hint == LogHint::Shown
        && let Err(why) = remember_log_hint()
    {
        write_stderr(why);
    }
    // Killed hooks may still block a reading thread, which is not waited for.
    runtime.shutdown_background();
    match ended {
        Ok(Ok((status, unstored))) => {
            unstored.into_iter().for_each(write_stderr);
            status
        }
        Ok(Err(why)) => {
            write_stderr(format!("the terminal was closed: {why}"));
            ExitStatus::Interrupted
        }
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs the loop. Returns the status, and a message to print after the terminal has been restored.
async fn run(
    model: &mut Model,
    screen: &mut AppTerminal,
    signals: Signals,
    face: &Frontend,
    demo: Option<&mut Demo>,
) -> std::io::Result<(ExitStatus, Option<String>)> {
    let (sender, mut facts) = mpsc::channel::<Fact>(Driver::QUEUE);
    let mut driver = Driver::new(model.session.place().clone(), sender, 1.0).watching();
    let status = main_loop(model, screen, (signals, demo), face, &mut driver, &mut facts).await;
    let unstored = driver.shut_down(&mut facts).await;
    status.map(|status| (status, unstored))
}

async fn main_loop(
    model: &mut Model,
    screen: &mut AppTerminal,
    (mut signals, mut demo): (Signals, Option<&mut Demo>),
    face: &Frontend,
    driver: &mut Driver,
    facts: &mut mpsc::Receiver<Fact>,
) -> std::io::Result<ExitStatus> {
    let broken = crash::PanicListener::new();
    let gone = Arc::new(Notify::new());
    terminal::watch_hang_up({
        let gone = Arc::clone(&gone);
        move || terminal::leave_a_dead_terminal(&gone)
    });
    driver.perform(model.session.apply(Command::Reload).jobs);
    let (teller, mut told) = mpsc::unbounded_channel::<String>();
    let mut input = Some(EventStream::new());
    let mut keys_wait = false;
    let mut window = WindowFocus::default();
    let (mut dirty, mut painted) = (true, false);
    let mut last = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
    // The first frame waits briefly for the settings, to avoid a flicker.
    let first = Instant::now() + FRAME;
    loop {
        let ready = is_loaded(model) || Instant::now() >= first;
        if !signals.until_ours().await {
            return Ok(ExitStatus::Interrupted);
        }
        model.set_time(Instant::now(), now_ms());
        // A question is drawn after every key that was typed before it, because none of them answers it.
        let ready = ready && !(keys_wait && model.question_unseen.get());
        if dirty && ready && last.elapsed() >= FRAME {
            draw(screen, model, face)?;
            last = Instant::now();
            dirty = false;
            painted = true;
        }
        if let Some(demo) = demo.take_if(|_| painted) {
            demo.wait_for(store_demo_day(model.session.place()));
        }
        let wait = if dirty {
            FRAME.saturating_sub(last.elapsed()).max(Duration::from_millis(1))
        } else if let Some(left) = model.flash.left(model.now).or(model.intercept.ignores_keys_for(model.now)) {
            left
        } else if model.session.busy() {
            CLOCK
        } else if !model.session.live().pending.is_empty() {
            COUNTDOWN
        } else {
            Duration::MAX
        };
        let mut asks = Vec::new();
        tokio::select! {
            biased;
            () = broken.notified() => return Ok(ExitStatus::Internal),
            () = gone.notified() => return Ok(ExitStatus::Interrupted),
            signal = signals.next() => {
                if signal != Signal::Continued || !signals.until_ours().await {
                    return Ok(ExitStatus::Interrupted);
                }
                *screen = terminal::re_enter(model.config.mouse)?;
                dirty = true;
            }
            event = next_event(&mut input, &mut keys_wait) => {
                match event {
                    Some(Ok(event)) => {
                        let mut typed = String::new();
                        let mut taken = 0;
                        let mut take = |event: Option<Event>, asks: &mut Vec<LoopRequest>| {
                            taken += 1;
                            // A burst of characters is applied as one change of the text.
                            if let Some(c) = event.as_ref().and_then(typed_char).filter(|_| takes_text(model)) {
                                typed.push(c);
                                return Ok(false);
                            }
                            if !typed.is_empty() {
                                let text = std::mem::take(&mut typed);
                                on_event(model, Event::Paste(text), screen, &mut window, face, asks)?;
                            }
                            match event {
                                Some(event) => on_event(model, event, screen, &mut window, face, asks).map(|()| true),
                                None => Ok(true),
                            }
                        };
                        take(Some(event), &mut asks)?;
                        keys_wait = take_pending(&mut input, &mut asks, Instant::now() + FRAME, &mut take).await?;
                        take(None, &mut asks)?;
                        if taken > 2 {
                            // Crossterm reads a limited number at once; more keys may be waiting.
                            terminal::remind();
                        }
                    }
                    Some(Err(why)) => return Err(why),
                    // The terminal is gone.
                    None => return Ok(ExitStatus::Interrupted),
                }
                // A key press is drawn at once.
                last = Instant::now().checked_sub(FRAME).unwrap_or(last);
                dirty = true;
            }
            fact = facts.recv() => {
                model.set_time(Instant::now(), now_ms());
                let size = size_of(screen)?;
                let mut next = fact;
                for _ in 0..DRAIN {
                    let Some(fact) = next else { break };
                    asks.extend((face.update)(model, Msg::Fact(fact), size));
                    next = facts.try_recv().ok();
                }
                if let Some(fact) = next {
                    asks.extend((face.update)(model, Msg::Fact(fact), size));
                }
                dirty = true;
            }
            Some(says) = told.recv() => {
                asks.extend((face.update)(model, Msg::Message(says), size_of(screen)?));
                dirty = true;
            }
            () = sleep(wait) => dirty = true,
        }
        if !painted && is_loaded(model) {
            // The first frame does not wait for the jobs of the loaded settings: watching a large directory takes long.
            draw(screen, model, face)?;
            last = Instant::now();
            (dirty, painted) = (false, true);
        }
        let program = editor::program(model.config.editor.as_deref());
        let mut visited = false;
        let performed = perform_all(asks, async |ask| {
            visited |= match &ask {
                LoopRequest::EditPayload(_) => true,
                LoopRequest::OpenFile { .. } => RunningEditor::around(model.config.editor.as_deref()).is_none(),
                _ => false,
            };
            dirty = true;
            match ask {
                LoopRequest::Jobs(jobs) => driver.perform(jobs),
                LoopRequest::FireOnceDrawn => {
                    draw(screen, model, face)?;
                    return Ok(ControlFlow::Continue((face.update)(model, Msg::Fire, size_of(screen)?)));
                }
                LoopRequest::Quit => return Ok(ControlFlow::Break(ExitStatus::Ok)),
                LoopRequest::Kill => kill_every_group(),
                LoopRequest::Mouse(on) => terminal::mouse(on)?,
                LoopRequest::Redraw => *screen = terminal::clear()?,
                LoopRequest::Copy(text) => copy(model, text, &teller)?,
                LoopRequest::Suspend => {
                    input = None;
                    terminal::leave();
                    terminal::suspend();
                    if !signals.until_ours().await {
                        return Ok(ControlFlow::Break(ExitStatus::Interrupted));
                    }
                    retake_terminal(screen, &mut input, model.config.mouse)?;
                }
                LoopRequest::EditPayload(text) => {
                    let edited = with_terminal_lent(screen, &mut input, model.config.mouse, || {
                        editor::edit_text(&program, &text)
                    })?;
                    let msg = match edited {
                        Ok(Some(text)) => Msg::Edited(text),
                        Ok(None) => Msg::Message("no change".to_owned()),
                        Err(why) => Msg::Message(format!("the editor {program} did not start: {why}")),
                    };
                    return Ok(ControlFlow::Continue((face.update)(model, msg, size_of(screen)?)));
                }
                LoopRequest::OpenFile { path, line, column } => {
                    if let Some(running) = RunningEditor::around(model.config.editor.as_deref()) {
                        let teller = teller.clone();
                        tokio::task::spawn_blocking(move || teller.send(running.open(&path, (line, column))));
                        return Ok(ControlFlow::Continue(Vec::new()));
                    }
                    let opened = with_terminal_lent(screen, &mut input, model.config.mouse, || {
                        editor::edit_file(&program, Path::new(&path), (line, column))
                    })?;
                    let msg = match opened {
                        Ok(changed) => Msg::EditorClosed { changed },
                        Err(why) => Msg::Message(format!("the editor {program} did not start: {why}")),
                    };
                    return Ok(ControlFlow::Continue((face.update)(model, msg, size_of(screen)?)));
                }
            }
            Ok(ControlFlow::Continue(Vec::new()))
        });
        if let ControlFlow::Break(status) = performed.await? {
            return Ok(status);
        }
        if visited {
            // Keys sent to the editor, such as its Ctrl+C, also reached this process and are ignored.
            signals.forget_keys()?;
        }
    }
}

/// Performs requests in order. Handling a text from the editor adds further requests, which come last. Stops when
/// the program is to end.
async fn perform_all(
    asks: Vec<LoopRequest>,
    mut perform: impl AsyncFnMut(LoopRequest) -> std::io::Result<ControlFlow<ExitStatus, Vec<LoopRequest>>>,
) -> std::io::Result<ControlFlow<ExitStatus>> {
    let mut asks = VecDeque::from(asks);
    while let Some(ask) = asks.pop_front() {
        match perform(ask).await? {
            ControlFlow::Continue(more) => asks.extend(more),
            ControlFlow::Break(status) => return Ok(ControlFlow::Break(status)),
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn on_event(
    model: &mut Model,
    event: Event,
    screen: &AppTerminal,
    window: &mut WindowFocus,
    face: &Frontend,
    asks: &mut Vec<LoopRequest>,
) -> std::io::Result<()> {
    model.set_time(Instant::now(), now_ms());
    let size = size_of(screen)?;
    if !window.accepts(&event, Instant::now()) {
        return Ok(());
    }
    match event {
        Event::Key(key) => asks.extend((face.update)(model, Msg::Key(key), size)),
        Event::Paste(text) => asks.extend((face.update)(model, Msg::Paste(text), size)),
        Event::Mouse(event) => asks.extend((face.update)(model, Msg::Mouse(event), size)),
        Event::Resize(..) => terminal::remind(),
        Event::FocusGained | Event::FocusLost => {}
    }
    Ok(())
}

fn size_of(screen: &AppTerminal) -> std::io::Result<(u16, u16)> {
    screen.size().map(|s| (s.width, s.height))
}

/// Whether the settings of every agent are loaded.
fn is_loaded(model: &Model) -> bool {
    model.session.agents().iter().all(|agent| agent.loaded.is_some())
}

fn draw(screen: &mut AppTerminal, model: &mut Model, face: &Frontend) -> std::io::Result<()> {
    let size = size_of(screen)?;
    if let Some(message) = screen.backend_mut().new_bounds()? {
        model.toast = Some(message);
        model.store_toast();
    }
    resize(model, size);
    crossterm::queue!(screen.backend_mut(), BeginSynchronizedUpdate)?;
    screen.draw(|frame| {
        crash::note_size((frame.area().width, frame.area().height));
        (face.view)(model, frame);
    })?;
    crossterm::execute!(screen.backend_mut(), EndSynchronizedUpdate)
}

/// Leaves the screen while `visit` uses the terminal. The keyboard reader is dropped first, because otherwise both
/// would read keys.
fn with_terminal_lent<T>(
    screen: &mut AppTerminal,
    input: &mut Option<EventStream>,
    mouse: bool,
    visit: impl FnOnce() -> T,
) -> std::io::Result<T> {
    *input = None;
    terminal::leave();
    let result = terminal::lend(visit);
    retake_terminal(screen, input, mouse)?;
    Ok(result)
}

/// Takes over the terminal again.
fn retake_terminal(screen: &mut AppTerminal, input: &mut Option<EventStream>, mouse: bool) -> std::io::Result<()> {
    *screen = terminal::enter(mouse)?;
    // The dropped stream has left a wake-up behind that would swallow the first key, so it is consumed here. Keys
    // typed meanwhile were meant for the editor and are discarded.
    terminal::forget_keys();
    crossterm::event::poll(Duration::ZERO)?;
    *input = Some(EventStream::new());
    Ok(())
}

/// Copies a text and reports the way used.
fn copy(model: &mut Model, text: String, told: &mpsc::UnboundedSender<String>) -> std::io::Result<()> {
    let var = |name: &str| std::env::var(name).ok();
    match clipboard::route(&model.config.clipboard, &var, &clipboard::installed) {
        ClipboardRoute::Terminal { tmux } => {
            model.toast = Some(clipboard::through_terminal(&text, tmux, &mut std::io::stdout())?);
        }
        ClipboardRoute::Tool(line) => {
            let told = told.clone();
            // A tool can be slow.
            tokio::task::spawn_blocking(move || told.send(clipboard::through_tool(&text, &line)));
        }
        ClipboardRoute::Off => {
            model.toast = Some("the clipboard is off in the configuration; nothing was copied".to_owned());
        }
    }
    model.store_toast();
    Ok(())
}

async fn sleep(wait: Duration) {
    if wait == Duration::MAX {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(wait).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_of_an_edited_text_come_after_those_that_waited() {
        let edit = LoopRequest::EditPayload("{}".to_owned());
        let asks = vec![LoopRequest::Redraw, edit.clone(), LoopRequest::Mouse(true), LoopRequest::Mouse(false)];
        let mut performed = Vec::new();
        let ended = perform_all(asks, async |ask| {
            let more =
                if ask == edit { vec![LoopRequest::Copy("a".to_owned()), LoopRequest::Quit] } else { Vec::new() };
            let quit = ask == LoopRequest::Quit;
            performed.push(ask);
            Ok(if quit { ControlFlow::Break(ExitStatus::Ok) } else { ControlFlow::Continue(more) })
        });
        assert_eq!(ended.await.unwrap(), ControlFlow::Break(ExitStatus::Ok));
        let (on, off) = (LoopRequest::Mouse(true), LoopRequest::Mouse(false));
        let copy = LoopRequest::Copy("a".to_owned());
        assert_eq!(performed, [LoopRequest::Redraw, edit, on, off, copy, LoopRequest::Quit]);
    }
}
