//! One agent in full: why its hooks run, its event, and the input and output of its hooks.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::agent_facts::run_words;
use super::state::{CompareSheet, CompareTarget};
use super::{CompareTab, ShownComparison};

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::run_time::took;
use crate::widgets::{ListWindow, StyledLine, hidden_words, json_line, plain_line, row_of, width, wrap};
use hookbench_app::{PlannedAgentEvent, RunRecord, StreamBuffer};
use hookbench_core::dialects;
use hookbench_core::plan::Selection;
use hookbench_core::port::TranslationNoteKind;
use hookbench_core::run::{Launch, Stream};
use hookbench_core::text::{pluralize, stringify_pretty};
use hookbench_core::trace::TraceStep;

/// Width of the labels, in columns.
const LABEL: usize = 10;
/// Maximum lines of a payload, and of a hook's output.
const PAYLOAD: usize = 2_000;
const WRITTEN: usize = 200;
/// Maximum bytes of a hook's output that are read.
const BYTES: usize = 64 << 10;

/// Rows below the title.
pub fn room(area: Rect) -> usize {
    usize::from(area.height).saturating_sub(1)
}

/// Lays the detail out.
pub fn sheet(model: &Model, shown: &ShownComparison, area: Rect) -> CompareSheet {
    let theme = model.theme;
    let mut sheet = CompareSheet::default();
    let index = model.compare.selected(model);
    let (Some(of), Some(at)) = (shown.all.agents.get(index), row_of(area, 0)) else { return sheet };
    let name = dialects::name_of(of.agent);
    let mut line =
        vec![(theme.plain(), " ".to_owned()), (theme.strong(), name.to_string()), (theme.plain(), "  ".to_owned())];
    let mut x = 3 + width(name);
    for part in CompareTab::ALL {
        let current = theme.strong().add_modifier(Modifier::UNDERLINED);
        line.push((if model.compare.open == Some(part) { current } else { theme.quiet() }, part.title().to_owned()));
        line.push((theme.plain(), "  ".to_owned()));
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let place =
            Rect { x: at.x.saturating_add(number(x)), width: number(width(part.title())), ..at }.intersection(at);
        sheet.hits.push((CompareTarget::Part(part), place));
        x += width(part.title()) + 2;
    }
    let (room, lines) = (room(area), &model.compare.lines);
    let shown = ListWindow::from(model.compare.scroll, lines.len(), room);
    let key = model.key(UiCommand::Open);
    let way = if of.event.is_err() { String::new() } else { format!("{key} open on the bench") };
    let hidden = hidden_words(shown.first, shown.below);
    for text in [way, hidden] {
        if !text.is_empty() && x + width(&text) + 3 <= usize::from(at.width) {
            line.push((theme.quiet(), format!(" {text}  ")));
            x += width(&text) + 3;
        }
    }
    sheet.put(at, line);
    for (y, line) in lines.iter().skip(shown.first).take(room).enumerate() {
        if let Some(at) = row_of(area, y + 1) {
            sheet.put(Rect { x: at.x + 1.min(at.width), width: at.width.saturating_sub(1), ..at }, line.clone());
        }
    }
    sheet
}

/// A page that is built line by line.
struct DetailWriter<'a> {
    model: &'a Model,
    columns: usize,
    lines: Vec<StyledLine>,
}

impl DetailWriter<'_> {
    fn put(&mut self, line: &[(Style, String)], indent: usize) {
        self.lines.extend(wrap(line, self.columns, indent));
    }

    fn say(&mut self, label: &str, text: &str) {
        let theme = self.model.theme;
        self.put(&[(theme.quiet(), format!("{label:<LABEL$}")), (theme.plain(), text.to_owned())], LABEL);
    }

    fn head(&mut self, pieces: &[(Style, String)]) {
        if !self.lines.is_empty() {
            self.lines.push(StyledLine::new());
        }
        self.put(pieces, 2);
    }

    fn steps(&mut self, steps: &[TraceStep], depth: usize) {
        let theme = self.model.theme;
        for step in steps {
            let air = " ".repeat(LABEL + 2 * depth);
            let indent = air.len() + 2;
            let line = vec![
                (theme.plain(), air),
                (theme.plain(), step.message.clone()),
                (theme.quiet(), format!("   {}", step.rule)),
            ];
            self.put(&line, indent);
            self.steps(&step.children, (depth + 1).min(6));
        }
    }
}

/// The wrapped lines of one tab of an agent.
pub fn lines(model: &Model, shown: &ShownComparison, index: usize, part: CompareTab) -> Vec<StyledLine> {
    let columns = usize::from(model.size.0).saturating_sub(2).max(8);
    let mut text = DetailWriter { model, columns, lines: Vec::new() };
    let Some((of, _, _)) = shown.agent(index) else { return text.lines };
    match (&of.event, part) {
        (Err(missing), _) => text.put(&[(model.theme.plain(), missing.text())], 0),
        (Ok(there), CompareTab::Why) => why(&mut text, there),
        (Ok(there), CompareTab::Input) => input(&mut text, there),
        (Ok(there), CompareTab::Runs) => runs(&mut text, there),
    }
    text.lines
}

fn why(text: &mut DetailWriter<'_>, there: &PlannedAgentEvent) {
    let theme = text.model.theme;
    let fired = text.model.session.fired_there(there);
    if let Some((fired, outcome)) = fired.and_then(|fired| Some((fired, fired.outcome.as_ref()?))) {
        let word = (theme.verdict(outcome.verdict), format!(" {} ", outcome.verdict.title()));
        text.head(&[word, (theme.plain(), "  ".to_owned()), (theme.strong(), outcome.sentence())]);
        if let Some(reason) = fired.reason() {
            let seen = outcome.reader().map_or(String::new(), |who| format!("   {who} reads it"));
            let label = (theme.quiet(), format!("{:<LABEL$}", "reason"));
            text.put(&[label, (theme.strong(), reason.to_owned()), (theme.quiet(), seen)], LABEL);
        }
        let trace = outcome.trace.clone();
        text.steps(&trace, 0);
    }
    if let Some(refusal) = &there.loaded.refusal {
        text.head(&[(theme.bad(), refusal.message.clone())]);
    }
    if let Some(lost) = &there.plan.lost {
        text.head(&[(theme.warn(), lost.why.message.clone())]);
        text.say("", lost.why.rule.as_str());
    }
    if there.entries().next().is_none() {
        text.head(&[(theme.plain(), format!("no hook is configured for {}", there.input.event))]);
    }
    for entry in there.entries() {
        let Some(definition) = there.loaded.definition(&entry.hook) else { continue };
        let (style, word) = match entry.selection {
            Selection::Fires { order } => (theme.good(), format!("runs as number {order}")),
            Selection::Skipped => (theme.bad(), "does not run".to_owned()),
            Selection::Unknown => (theme.warn(), "unknown".to_owned()),
        };
        let place = format!("   {}:{}", definition.provenance.file, definition.provenance.line);
        text.head(&[
            (theme.strong(), definition.label()),
            (theme.plain(), "   ".to_owned()),
            (style, word),
            (theme.quiet(), place),
        ]);
        text.say("matcher", &format!("`{}`", definition.matcher_text()));
        let rung = entry.failed_rung.map_or(String::new(), |rung| format!("stopped at {}: ", rung.title()));
        let line = vec![
            (theme.quiet(), format!("{:<LABEL$}", "because")),
            (theme.plain(), format!("{rung}{}", entry.why.message)),
            (theme.quiet(), format!("   {}", entry.why.rule)),
        ];
        text.put(&line, LABEL);
        if !entry.nearest.is_empty() {
            text.say("nearest", &entry.nearest.join(", "));
        }
    }
    let own = there.own_hooks();
    if own > 0 {
        let says = format!("{} of hookbench, to record events; a firing does not run them", pluralize(own, "hook"));
        text.head(&[(theme.quiet(), says)]);
    }
}

fn input(text: &mut DetailWriter<'_>, there: &PlannedAgentEvent) {
    let theme = text.model.theme;
    let subject = there.input.subject.value.as_deref().map_or(String::new(), |value| format!("  {value}"));
    text.head(&[(theme.strong(), there.input.event.clone()), (theme.plain(), subject)]);
    for (kind, label) in [(TranslationNoteKind::NotSent, "not sent"), (TranslationNoteKind::Own, "its own")] {
        let of_kind = there.notes.iter().filter(|note| note.kind == kind);
        let keys: Vec<&str> = of_kind.map(|note| note.key.as_str()).collect();
        if !keys.is_empty() {
            text.say(label, &keys.join(", "));
        }
    }
    if !there.filled.is_empty() {
        text.say("filled in", &there.filled.join(", "));
    }
    for note in &there.notes {
        let label = match note.kind {
            TranslationNoteKind::Lost => "lost",
            TranslationNoteKind::Invented => "invented",
            TranslationNoteKind::Kept => "kept",
            TranslationNoteKind::NotSent | TranslationNoteKind::Own => continue,
        };
        let line = vec![(theme.warn(), format!("{label:<LABEL$}")), (theme.plain(), note.message.clone())];
        text.put(&line, LABEL);
    }
    text.lines.push(StyledLine::new());
    let payload = stringify_pretty(&there.input.body);
    let all = payload.lines().count();
    for line in payload.lines().take(PAYLOAD) {
        let (indent, key, value) = json_line(line);
        let pieces =
            vec![(theme.plain(), indent.to_owned()), (theme.key(), key.to_owned()), (theme.plain(), value.to_owned())];
        text.put(&pieces, indent.len() + 2);
    }
    if all > PAYLOAD {
        text.say("", &format!("{} more lines on the bench", all - PAYLOAD));
    }
}

fn runs(text: &mut DetailWriter<'_>, there: &PlannedAgentEvent) {
    let theme = text.model.theme;
    let fired = text.model.session.fired_there(there);
    let runs = fired.map(|fired| fired.runs.as_slice()).unwrap_or_default();
    if runs.is_empty() {
        let says = match fired {
            Some(_) => "nothing ran".to_owned(),
            None => format!("not run yet; {} fires in every agent", text.model.key(UiCommand::Fire)),
        };
        text.head(&[(theme.quiet(), says)]);
    }
    for run in runs {
        let label = there.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), |d| d.label());
        let time = run.ended().map_or(String::new(), |e| format!("   {}", took(e.report.timing.duration())));
        text.head(&[(theme.strong(), label), (theme.plain(), format!("   {}", run_words(run))), (theme.quiet(), time)]);
        add_launch(text, run);
        for (name, stream) in [("stdout", Stream::Stdout), ("stderr", Stream::Stderr)] {
            add_stream(text, name, run.stream(stream));
        }
        if let Some(ended) = run.ended() {
            if let Some(failure) = &ended.output.failure {
                text.put(&[(theme.quiet(), format!("{:<LABEL$}", "failed")), (theme.warn(), failure.clone())], LABEL);
            }
            let fields = ended.output.fields.iter().map(|field| format!("{} {}", field.pointer, field.message));
            for field in fields.collect::<Vec<_>>() {
                text.say("key", &field);
            }
            let trace = ended.output.trace.clone();
            text.steps(&trace, 0);
        }
    }
}

fn add_launch(text: &mut DetailWriter<'_>, run: &RunRecord) {
    match &run.launch {
        Launch::Process(spec) => {
            let words: Vec<&str> = std::iter::once(&spec.program).chain(&spec.args).map(String::as_str).collect();
            text.say("command", &words.join(" "));
            text.say("directory", &spec.cwd);
            text.say("stdin", &format!("{} bytes: the input, as one line", spec.stdin.len()));
        }
        Launch::Http(spec) => text.say("POST", &spec.url),
        Launch::ByHand(question) => text.say("needs", question.requires),
        Launch::Refused(error) => text.say("refused", error),
        Launch::Canned { .. } => text.say("note", "the agent answers this itself; no process starts"),
    }
}

/// Adds the end of a stream.
fn add_stream(text: &mut DetailWriter<'_>, name: &str, stream: &StreamBuffer) {
    if stream.total() == 0 {
        return;
    }
    let bytes = if stream.tail.is_empty() { &stream.head } else { &stream.tail };
    let from = bytes.len().saturating_sub(BYTES);
    let lines: Vec<String> =
        bytes.get(from..).unwrap_or_default().split_inclusive(|b| *b == b'\n').map(plain_line).collect();
    let skip = lines.len().saturating_sub(WRITTEN);
    let whole = from == 0 && skip == 0 && stream.gap == 0 && stream.tail.is_empty();
    if !whole {
        text.say(
            name,
            &format!("the last {} lines of {} bytes; more on the bench", lines.len() - skip, stream.total()),
        );
    }
    for (index, line) in lines.iter().skip(skip).enumerate() {
        text.say(if index == 0 && whole { name } else { "" }, line);
    }
}
