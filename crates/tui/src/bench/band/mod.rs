//! The verdict band: what happens, who decided, what never ran. The second thing on every bench.

mod draw;
mod fill;
mod gone;
mod ready;
mod settings;
mod verdict;

use std::time::Duration;

use ratatui::style::Style;

use super::detail::{limit, seconds};
use crate::keymap::Verb;
use crate::model::Model;
use fill::Group;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::DefinitionId;

pub use draw::{band, band_places};

/// One row: a word on the left, a sentence, something on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct BandRow {
    pub word: String,
    pub style: Style,
    pub parts: Vec<Part>,
    pub right: String,
    /// The right part is worth more than the end of the sentence.
    pub right_stays: bool,
    /// It is worth being looked at first; none: it may be passed over.
    pub right_style: Option<Style>,
    /// How many more there are of its kind; the sentence gives way to it everywhere.
    pub count: String,
    /// The hook that it is about.
    pub hook: Option<DefinitionId>,
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

/// What the band says, and how many rows are kept for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub rows: Vec<BandRow>,
    /// The same before a run, while it goes on and after it, so that nothing below jumps. What no row is about is free for
    /// sentences that are too long for one.
    pub reserved: usize,
}

/// A run that takes longer is worth a row of its own.
const SLOW: Duration = Duration::from_secs(5);

/// Below so many columns the places are gone.
const NARROW: u16 = 60;

/// Rows that are kept for what is broken: where it is, and its cure.
const BROKEN: usize = 2;

/// Rows of "never" that rows are kept for.
const NEVER: usize = 2;

impl Band {
    /// What the band says now.
    pub fn of(model: &Model) -> Band {
        let mut rows = Vec::new();
        let mut failed = Vec::new();
        if let Some(row) = refused(model) {
            rows.push(row);
        } else if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
            failed = verdict::rows(model, outcome, &mut rows);
        } else if model.firing().is_some() {
            rows.push(running(model));
            rows.extend(slow(model));
        } else if let Some(run) = model.gone() {
            gone::rows(model, run, &mut rows);
        } else {
            rows.push(ready::ready(model));
        }
        let broken = settings::broken(model);
        let never = settings::never(model);
        // A verdict takes three rows, where nobody runs two; whatever is said of the settings is said before and after it.
        let verdict = if model.plan().is_some_and(|plan| plan.firing().next().is_some()) { 3 } else { 2 };
        let stays = broken.rows.len().min(BROKEN) + never.rows.len().min(NEVER);
        let least = if model.size.1 >= 20 { 4 } else { 3 };
        let most = usize::from(model.size.1 / 3).max(3);
        let reserved = (verdict + stays).max(least).min(most);
        let groups = [
            broken,
            Group { rows: failed, noun: "failed" },
            Group { rows: settings::failing(model), noun: "will fail" },
            never,
        ];
        Band { rows: fill::fill(rows, groups, reserved), reserved }
    }
}

/// A row without anything on the right.
pub fn row(word: &str, style: Style, parts: Vec<(Style, String)>) -> BandRow {
    let parts = parts.into_iter().map(Part::from).collect();
    BandRow {
        word: word.to_owned(),
        style,
        parts,
        right: String::new(),
        right_stays: false,
        right_style: None,
        count: String::new(),
        hook: None,
    }
}

/// What stands after a name: close to it where space is dear.
fn after(style: Style, text: &str) -> Part {
    Part { style, text: format!("   {text}"), short: Some(format!("  {text}")) }
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

fn running(model: &Model) -> BandRow {
    let theme = model.theme;
    let runs = model.firing().map(|f| f.runs.as_slice()).unwrap_or_default();
    let going = runs.iter().filter(|r| r.ended().is_none()).count();
    let time = model.since(model.started).as_secs_f64();
    let says = format!("{going} of {} still running", runs.len());
    let key = model.key(Verb::Cancel);
    let (word, does) = if model.cancelled_once { ("ENDING", "again kills") } else { ("RUNNING", "ends it") };
    let parts = vec![(theme.strong(), says), (theme.quiet(), format!("   {key} {does}"))];
    let mut row = row(word, theme.verdict(Verdict::Ask), parts);
    row.right = format!("{time:.1} s");
    row
}

/// What a run that takes its time is up to, once that is worth a row.
fn slow(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    if model.since(model.started) < SLOW {
        return None;
    }
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
    Some(BandRow { parts, hook: Some(first.hook.clone()), ..row("waits", theme.quiet(), Vec::new()) })
}
