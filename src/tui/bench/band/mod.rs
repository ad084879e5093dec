//! The verdict band: what happens, who decided, what never ran. The second thing on every bench.

mod draw;
mod gone;
mod verdict;

use std::time::Duration;

use ratatui::style::Style;

use super::detail::{limit, seconds};
use crate::app::{PastRun, UNMEASURED};
use crate::core::config::LayerState;
use crate::core::decide::Verdict;
use crate::tui::keymap::Verb;
use crate::tui::model::Model;

pub use draw::band;

/// One row: a word on the left, a sentence, something on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct BandRow {
    pub word: String,
    pub style: Style,
    pub parts: Vec<Part>,
    pub right: String,
    /// The right part is worth more than the end of the sentence.
    pub right_stays: bool,
}

/// A piece of a row's sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub style: Style,
    pub text: String,
    /// What stands for it where the row has no room for all of it.
    pub short: Option<String>,
}

impl From<(Style, String)> for Part {
    fn from((style, text): (Style, String)) -> Part {
        Part { style, text, short: None }
    }
}

/// The rows of the band; at least four where there is room, so that nothing below jumps.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub rows: Vec<BandRow>,
}

/// What stands before a hook that never runs.
pub const NEVER_WORD: &str = "never";

/// A run that takes longer is worth a row of its own.
const SLOW: Duration = Duration::from_secs(5);

/// Rows of "never" that are shown before they are only counted.
const NEVER: usize = 2;

impl Band {
    /// What the band says now.
    pub fn of(model: &Model) -> Band {
        let mut rows = Vec::new();
        if let Some(row) = refused(model) {
            rows.push(row);
        } else if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
            verdict::rows(model, outcome, &mut rows);
        } else if model.firing().is_some() {
            rows.push(running(model));
            rows.extend(slow(model));
        } else if let Some(run) = model.gone() {
            gone::rows(model, run, &mut rows);
        } else {
            rows.push(ready(model));
        }
        rows.extend(unmeasured(model));
        rows.extend(broken(model));
        rows.extend(failing(model));
        never(model, &mut rows);
        let theme = model.theme;
        let least = if model.size.1 >= 20 { 4 } else { 3 };
        while rows.len() < least {
            rows.push(row("", theme.plain(), Vec::new()));
        }
        Band { rows }
    }
}

fn row(word: &str, style: Style, parts: Vec<(Style, String)>) -> BandRow {
    let parts = parts.into_iter().map(Part::from).collect();
    BandRow { word: word.to_owned(), style, parts, right: String::new(), right_stays: false }
}

/// The agent would not start here at all.
fn refused(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let loaded = model.loaded()?;
    if let Some(refusal) = &loaded.refused {
        return Some(row(
            "REFUSES",
            theme.verdict(Verdict::FailedClosed),
            vec![(theme.strong(), refusal.says.clone())],
        ));
    }
    let lost = model.plan()?.lost.as_ref()?;
    Some(row("LOST", theme.verdict(Verdict::FailedOpen), vec![(theme.strong(), lost.why.says.clone())]))
}

fn ready(model: &Model) -> BandRow {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else {
        return row("READING", theme.strong(), vec![(theme.quiet(), "the settings".to_owned())]);
    };
    let broken = loaded.layers.iter().any(|l| l.state == LayerState::Broken);
    let stale = model.session.current().map_or(0, |a| a.stale.len());
    let ready = model.session.bench.ready();
    if broken && ready.fires == 0 {
        let says = match stale {
            0 => "a file cannot be read, so none of its hooks run".to_owned(),
            1 => "a file cannot be read, so the hook that it had does not run".to_owned(),
            n => format!("a file cannot be read, so the {n} hooks that it had do not run"),
        };
        return row("BROKEN", theme.verdict(Verdict::FailedClosed), vec![(theme.strong(), says)]);
    }
    if loaded.definitions.is_empty() {
        let says = "none is configured here".to_owned();
        return row("NO HOOKS", theme.verdict(Verdict::NotRun), vec![(theme.strong(), says)]);
    }
    let never = model.never().len();
    let others = ready.never.saturating_sub(never.min(ready.never));
    let count = |n: usize, words: &str| if n > 0 { format!(", {n} {words}") } else { String::new() };
    let failing = model.failing.len();
    let would = match ready.fires {
        0 => "nothing will run".to_owned(),
        all if all == failing => format!("{all} will run and fail"),
        some => format!("{some} will run"),
    };
    let says = format!(
        "{would}{}{}{}{}",
        count(if failing < ready.fires { failing } else { 0 }, "of them will fail"),
        count(never.saturating_sub(ready.unknown), "never will"),
        count(others, "for something else"),
        count(ready.unknown, "unknown"),
    );
    let mut parts = vec![(theme.strong(), says)];
    if ready.fires > 0 && !model.session.options.yes && !model.session.consent_missing().is_empty() {
        parts.push((theme.quiet(), format!("   {} asks before the first run", model.key(Verb::Fire))));
    }
    let word = if ready.fires == 0 { "NOBODY" } else { "READY" };
    let mut row = row(word, theme.verdict(Verdict::NoObjection), parts);
    if let Some(last) = model.behind() {
        row.right = format!("run {} of {} goes on", last.id.0, last.input.event);
    } else if let Some(verdict) = model.last_of_bench().and_then(PastRun::verdict) {
        row.right = format!("before: {}", verdict.title().to_lowercase());
    }
    row
}

fn running(model: &Model) -> BandRow {
    let theme = model.theme;
    let runs = model.firing().map(|f| f.runs.as_slice()).unwrap_or_default();
    let going = runs.iter().filter(|r| r.ended().is_none()).count();
    let time = model.started.map_or(0.0, |s| s.elapsed().as_secs_f64());
    let says = format!("{going} of {} still running", runs.len());
    let mut row = row(
        "RUNNING",
        theme.verdict(Verdict::Ask),
        vec![(theme.strong(), says), (theme.quiet(), format!("   {} ends it", model.key(Verb::Cancel)))],
    );
    row.right = format!("{time:.1} s");
    row
}

/// What a run that takes its time is up to, once that is worth a row.
fn slow(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    model.started.filter(|s| s.elapsed() >= SLOW)?;
    let firing = model.firing()?;
    let mut going = firing.runs.iter().filter(|r| r.ended().is_none());
    let first = going.next()?;
    let more = going.count();
    let mut parts: Vec<Part> = vec![(theme.strong(), firing.loaded.definition(&first.hook)?.label()).into()];
    if more > 0 {
        parts.push((theme.quiet(), format!(" and {more} more")).into());
    }
    if let Some(limit) = limit(&first.launch) {
        parts.push((theme.plain(), format!("   the agent ends it at {}", seconds(limit))).into());
    }
    Some(BandRow { parts, ..row("waits", theme.quiet(), Vec::new()) })
}

/// A version that nobody has measured.
fn unmeasured(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    // A verdict that rests on it says so itself.
    model.session.current().filter(|_| model.firing().is_none())?;
    let note = model.session.bench.diagnostics.iter().find(|d| d.code == UNMEASURED)?;
    let short = note.message.split(" (").next().map(|begin| format!("{begin}; what nobody blocked is unknown"));
    let part = Part { style: theme.warn(), text: note.message.clone(), short };
    Some(BandRow { parts: vec![part], ..row("version", theme.warn(), Vec::new()) })
}

/// The first file that cannot be read, with its place, and its cure.
fn broken(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else { return Vec::new() };
    let Some(layer) = loaded.layers.iter().find(|l| l.state == LayerState::Broken) else { return Vec::new() };
    let finding = loaded.notes.iter().find(|d| d.place(&loaded.sources).is_some_and(|(file, _)| file == layer.file));
    let at = finding.and_then(|d| d.place(&loaded.sources)).and_then(|(_, at)| at);
    let at = at.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
    let file = layer.file.rsplit('/').next().unwrap_or(&layer.file);
    let place = Part { style: theme.bad(), text: format!("{}{at}", layer.file), short: Some(format!("{file}{at}")) };
    let says = finding.map(|d| d.message.clone()).or_else(|| layer.says.clone()).unwrap_or_default();
    let says = (theme.plain(), format!("   {says}")).into();
    let mut rows = vec![BandRow { parts: vec![place, says], ..row("broken", theme.bad(), Vec::new()) }];
    if let Some(help) = finding.and_then(|d| d.help.clone()) {
        rows.push(row("cure", theme.good(), vec![(theme.plain(), help)]));
    }
    rows
}

/// The first hook that will be started in vain.
fn failing(model: &Model) -> Option<BandRow> {
    if model.firing().is_some() {
        return None;
    }
    let theme = model.theme;
    let definition = model.loaded()?.definition(model.failing.first()?)?;
    let says = model.session.resolve(model.session.current()?, definition)?.says;
    Some(row("fails", theme.warn(), vec![(theme.strong(), definition.label()), (theme.warn(), format!("   {says}"))]))
}

fn never(model: &Model, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let never = model.never();
    for (definition, entry) in never.iter().take(NEVER) {
        let parts = vec![(theme.strong(), definition.label()), (theme.warn(), format!("   {}", entry.why.says))];
        let mut row = row(NEVER_WORD, theme.warn(), parts);
        if let Some(nearest) = entry.nearest.first() {
            row.right = format!("nearest: {nearest}");
        }
        rows.push(row);
    }
    if never.len() > NEVER
        && let Some(last) = rows.last_mut()
    {
        last.right = format!("+ {} more never run", never.len() - NEVER);
    }
}
