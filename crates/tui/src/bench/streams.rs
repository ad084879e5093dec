//! Stdin, stdout and stderr of the selected run: drawing, scrolling and searching.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::detail_rows::rows_for_height;
use super::{StdinView, script_facts};
use crate::keymap::UiCommand;
use crate::model::{Focus, Model, Tab};
use crate::page_layout::frame_layout;
use crate::run_time::{limit, seconds, took};
use crate::widgets::{self, ByteMode, LogArea, StyledLine, json_line};
use hookbench_app::StreamBuffer;
use hookbench_core::run::{Launch, Stream};

impl Model {
    /// The visible stream; `None` if the tab shows something else or if no run is selected.
    pub fn stream(&self) -> Option<&StreamBuffer> {
        let tab = self.current_tab();
        if tab == Tab::Script {
            return Some(&self.script.shown).filter(|shown| shown.total() > 0);
        }
        let run = self.selected_run()?;
        match tab {
            Tab::Stdin => sent_bytes(&run.launch).map(|_| &self.stdin.shown),
            Tab::Stdout => Some(run.stream(Stream::Stdout)),
            Tab::Stderr => Some(run.stream(Stream::Stderr)),
            Tab::Decision | Tab::Process | Tab::Why | Tab::Script => None,
        }
    }

    /// Updates only the parts that change when a hook writes output.
    pub fn refresh_stream(&mut self) {
        let tab = self.current_tab();
        let columns = super::detail_width(self.size, self.zoomed, self.pane_sizes);
        if tab == Tab::Script {
            self.refresh_script();
            return self.script.show_in(&mut self.stream_view, columns);
        }
        let (Some(run), Some(firing)) = (self.selected_run(), self.shown_firing) else { return };
        let number = run.run.0;
        if tab == Tab::Stdin {
            let of = (firing.0, number, self.stream_view.mode == ByteMode::Wrapped);
            if self.stdin.source != Some(of) {
                let bytes = sent_bytes(&run.launch).unwrap_or_default();
                let head = if of.2 { formatted(bytes) } else { bytes.to_vec() };
                self.stdin = StdinView { source: Some(of), shown: StreamBuffer { head, ..StreamBuffer::default() } };
            }
        }
        let mut log = std::mem::take(&mut self.stream_view);
        if let Some(stream) = self.stream() {
            let which = u8::try_from(Tab::ALL.iter().position(|t| *t == tab).unwrap_or(0)).unwrap_or(0);
            log.update((firing.0, number, which), stream, columns, tab == Tab::Stdin);
        }
        self.stream_view = log;
    }
}

/// The bytes sent to a run: stdin or the HTTP body.
fn sent_bytes(launch: &Launch) -> Option<&[u8]> {
    match launch {
        Launch::Process(spec) => Some(&spec.stdin),
        Launch::Http(spec) => Some(&spec.body),
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
    }
}

/// Formats JSON on several lines with coloured keys; other bytes are returned unchanged.
fn formatted(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let Ok(value) = hookbench_core::text::parse_value(text.trim_end()) else { return bytes.to_vec() };
    let mut out = String::new();
    for line in hookbench_core::text::stringify_pretty(&value).lines() {
        let (indent, key, value) = json_line(line);
        if key.is_empty() {
            out.push_str(&format!("{indent}{value}\n"));
        } else {
            out.push_str(&format!("{indent}\u{1b}[36m{key}\u{1b}[39m{value}\n"));
        }
    }
    out.into_bytes()
}

/// The space for the stream's lines in a pane of `rows` by `columns`, without title, clock and search line.
pub fn area_for(model: &Model, rows: u16, columns: u16) -> LogArea {
    LogArea {
        rows: usize::from(rows).saturating_sub(1 + lines_below(model).len()),
        columns: usize::from(columns).saturating_sub(2),
        theme: model.theme,
    }
}

/// The space for the stream's lines in the current layout.
pub fn current_area(model: &Model) -> LogArea {
    let area = frame_layout(model).detail.with_title();
    area_for(model, area.height, area.width)
}

/// The visible rows of the stream.
pub fn rows(model: &Model, pane: LogArea) -> Vec<StyledLine> {
    let theme = model.theme;
    let quiet = |says: &str| vec![vec![(theme.quiet(), says.to_owned())]];
    let Some(stream) = model.stream() else { return quiet("it has no stdin") };
    if stream.total() == 0 {
        let ended = model.selected_run().is_some_and(|r| r.ended().is_some());
        return quiet(if ended { "nothing was written" } else { "nothing yet" });
    }
    model.stream_view.rows(stream, pane)
}

/// The first rows of a stream, at most one more than `most`, in the width of the pane.
pub fn first_rows(model: &Model, stream: &StreamBuffer, most: usize) -> Vec<StyledLine> {
    let columns = super::detail_width(model.size, model.zoomed, model.pane_sizes);
    let lines = stream.head.split_inclusive(|byte| *byte == b'\n').take(most + 1);
    let rows = lines.flat_map(|line| widgets::wrap(&[(model.theme.plain(), widgets::plain_line(line))], columns, 0));
    rows.take(most + 1).collect()
}

/// The lines below the text of a tab.
pub fn lines_below(model: &Model) -> Vec<StyledLine> {
    let last = if model.current_tab() == Tab::Script {
        script_facts::lines(model)
    } else {
        clock_line(model).into_iter().collect()
    };
    search_line(model).into_iter().chain(last).collect()
}

/// The line below the stream: the search, otherwise the position if the view does not follow the end.
pub fn search_line(model: &Model) -> Option<StyledLine> {
    let theme = model.theme;
    model.stream()?;
    if let Some(search) = model.stream_view.search() {
        let mut line = vec![(theme.name(), "/".to_owned()), (theme.plain(), search.text.clone())];
        if search.typing {
            line.push((theme.selected(), " ".to_owned()));
        }
        let part = model.stream().is_some_and(|stream| stream.gap > 0) && search.finds_nothing();
        let place = if part { " in the stored part" } else { "" };
        line.push((theme.strong(), format!("   {}{place}", search.position_words())));
        let keys = if search.typing {
            // While the user types, other keys are letters.
            "   Enter keep, Esc clear".to_owned()
        } else {
            let [next, previous, back] =
                [UiCommand::NextMatch, UiCommand::PreviousMatch, UiCommand::Back].map(|verb| model.key(verb));
            format!("   {next} {previous} step, {back} clear")
        };
        line.push((theme.quiet(), keys));
        return Some(line);
    }
    let position = model.stream_view.position().filter(|_| !shows_a_start(model))?;
    let ended = model.selected_run().is_some_and(|r| r.ended().is_some());
    let end = model.key(UiCommand::Bottom);
    let says = if ended { format!("   {end} go to the end") } else { format!("   not following, {end} follow") };
    Some(vec![(theme.strong(), position), (theme.quiet(), says)])
}

/// The byte mode, for the title.
pub fn mode_words(model: &Model) -> Option<String> {
    let stream = model.stream()?;
    let mode = match (model.current_tab(), model.stream_view.mode) {
        // Stdin is formatted until another mode is chosen.
        (Tab::Stdin, ByteMode::Wrapped) => "pretty".to_owned(),
        (Tab::Script, ByteMode::Wrapped) => String::new(),
        _ => model.stream_view.mode_words(),
    };
    let more = shows_a_start(model) && model.stream_view.has_more(stream, current_area(model));
    let parts: Vec<&str> =
        [mode.as_str(), if more { "more below" } else { "" }].into_iter().filter(|part| !part.is_empty()).collect();
    Some(parts.join(", ")).filter(|words| !words.is_empty())
}

/// Whether the tab shows the start of a text. Other tabs follow their end and show a position when they do not.
fn shows_a_start(model: &Model) -> bool {
    matches!(model.current_tab(), Tab::Stdin | Tab::Script)
}

/// Scrolls the detail in any tab.
pub fn scroll(model: &mut Model, by: isize) {
    let pane = current_area(model);
    if with_stream_view(model, |log, stream| log.scroll(by, stream, pane)).is_some() {
        return;
    }
    let lines = rows_for_height(model, model.current_tab(), pane.rows).len();
    model.scroll = Some(widgets::scroll(model.scroll.unwrap_or(0), by, lines, pane.rows));
}

/// Calls `act` on the view of the visible stream; `None` without a stream.
fn with_stream_view<T>(
    model: &mut Model,
    act: impl FnOnce(&mut crate::widgets::LogView, &StreamBuffer) -> T,
) -> Option<T> {
    let mut log = std::mem::take(&mut model.stream_view);
    let done = model.stream().map(|stream| act(&mut log, stream));
    model.stream_view = log;
    done
}

/// Scrolls an unwrapped stream sideways; returns `false` if the key means something else.
pub fn scroll_sideways(model: &mut Model, right: bool) -> bool {
    model.focus == Focus::Detail && model.stream().is_some() && model.stream_view.scroll_side(right)
}

/// Switches to the next byte mode.
pub fn next_mode(model: &mut Model) {
    if model.stream().is_none() {
        model.toast =
            Some("only stdin, stdout and stderr of a run can be shown wrapped, unwrapped or as hex".to_owned());
        return;
    }
    model.stream_view.cycle();
    model.refresh_stream();
}

/// Opens the search in the visible stream.
pub fn begin_search(model: &mut Model) {
    if model.stream().is_none() {
        model.toast = Some("select stdin, stdout or stderr of a run to search".to_owned());
        return;
    }
    model.focus = Focus::Detail;
    model.stream_view.begin_search();
}

/// Moves to the next or previous match.
pub fn step_match(model: &mut Model, forward: bool) {
    let pane = current_area(model);
    if with_stream_view(model, |log, stream| log.step(forward, stream, pane)) != Some(true) {
        model.toast = Some("/ searches in this stream".to_owned());
    }
}

/// Whether a search is typed.
pub fn is_typing(model: &Model) -> bool {
    model.stream().is_some() && model.stream_view.search().is_some_and(|search| search.typing)
}

/// Handles a key while a search is typed; returns `false` if no search is open for typing.
pub fn search_key(model: &mut Model, key: KeyEvent) -> bool {
    let Some(search) = model.stream_view.search().filter(|s| s.typing) else { return false };
    if model.stream().is_none() {
        // The stream is no longer on the screen, so the search is closed.
        model.stream_view.clear_search();
        return false;
    }
    let mut text = search.text.clone();
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Enter => model.stream_view.end_typing(),
        KeyCode::Esc => {
            model.stream_view.clear_search();
        }
        KeyCode::Char('c') if control => {
            model.stream_view.clear_search();
        }
        KeyCode::Char('u') if control => search_for(model, String::new()),
        KeyCode::Backspace if text.is_empty() => {
            model.stream_view.clear_search();
        }
        KeyCode::Backspace => {
            text.pop();
            search_for(model, text);
        }
        KeyCode::Char(c) if !control => {
            text.push(c);
            search_for(model, text);
        }
        KeyCode::Down => step_match(model, true),
        KeyCode::Up => step_match(model, false),
        _ => {}
    }
    true
}

/// Adds pasted text to a search; returns `false` if no search is open for typing.
pub fn paste(model: &mut Model, line: &str) -> bool {
    let Some(search) = model.stream_view.search().filter(|s| s.typing) else { return false };
    let text = format!("{}{line}", search.text);
    search_for(model, text);
    true
}

fn search_for(model: &mut Model, text: String) {
    let pane = current_area(model);
    with_stream_view(model, |log, stream| log.search_for(text, stream, pane));
}

/// Width of the clock's bar, in cells.
const CLOCK: usize = 10;

/// The elapsed time against the timeout, and the effect of a timeout.
pub fn clock_line(model: &Model) -> Option<StyledLine> {
    let theme = model.theme;
    let run = model.selected_run().filter(|run| !model.is_assumed(run))?;
    let limit = limit(&run.launch)?;
    let used = match run.ended() {
        Some(ended) => ended.report.timing.duration(),
        None => model.elapsed(model.started),
    };
    let share = (used.as_secs_f64() / limit.as_secs_f64().max(1e-9)).clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of ten cells")]
    let filled = (share * 10.0).ceil() as usize;
    let bar = theme.meter(filled, CLOCK);
    let style = if share >= 1.0 { theme.warn() } else { theme.quiet() };
    let mut line = vec![(theme.plain(), format!("{} of {}  ", took(used), seconds(limit)))];
    let narrow = model.size.0 < 60;
    if !narrow {
        line.push((style, format!("{bar}  ")));
    }
    let means = model.definition_facts.as_ref().and_then(|k| k.prospect.as_ref()).map(|p| p.timeout_effect.as_str());
    if let Some(first) = means.and_then(|m| m.split(", ").next()) {
        let short = first.strip_prefix("a timeout here ").filter(|_| narrow);
        line.push((style, short.map_or_else(|| first.to_owned(), |rest| format!("timeout {rest}"))));
    }
    Some(line)
}
