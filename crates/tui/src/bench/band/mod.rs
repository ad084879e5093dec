//! The verdict band: the outcome, the deciding hook, and the hooks that never run. Second from the top on every
//! bench.

mod draw;
mod fill;
mod past_run;
mod ready;
mod settings;
mod verdict;

use std::time::Duration;

use indexmap::IndexMap;
use ratatui::style::Style;

use super::detail::{limit, seconds};
use crate::keymap::UiCommand;
use crate::model::Model;
use fill::BandGroup;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::DefinitionId;

pub use draw::{band_places, draw_band};
pub(super) use verdict::strip_known_start;

/// One row: a word on the left, a sentence, and a text on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct BandRow {
    pub word: String,
    pub style: Style,
    pub parts: Vec<BandPart>,
    pub right: String,
    /// Keeps the right part even if the sentence has to be cut.
    pub keep_right: bool,
    /// A style that draws attention to the right part; `None` for the quiet default.
    pub right_style: Option<Style>,
    /// The number of further rows of its kind; it takes space from the sentence at any width.
    pub count: String,
    /// The hook that the row describes; the first one, if the row is about several.
    pub hook: Option<DefinitionId>,
    /// The number of hooks that the row is about.
    pub hooks: usize,
}

/// One part of a row's sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct BandPart {
    pub style: Style,
    pub text: String,
    /// The shorter text used if the row does not fit.
    pub short: Option<String>,
}

impl From<(Style, String)> for BandPart {
    fn from((style, text): (Style, String)) -> BandPart {
        BandPart { style, text, short: None }
    }
}

/// The rows of the band and the height reserved for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub rows: Vec<BandRow>,
    /// Height in rows; the same for every event and state, so that nothing below moves. Unused rows hold the overflow
    /// of sentences that are too long for one.
    pub reserved: usize,
}

/// A run that takes longer gets a separate row.
const SLOW: Duration = Duration::from_secs(5);

/// Width in columns below which places are hidden.
const NARROW: u16 = 60;

impl Band {
    /// Builds the band for the current state.
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
        } else if let Some(run) = model.past_run() {
            past_run::rows(model, run, &mut rows);
        } else if let Some(run) = model.session.opened_run() {
            past_run::logged_rows(model, run, &mut rows);
        } else {
            rows.push(ready::ready_row(model));
        }
        let broken = settings::broken_files(model);
        let never = settings::never(model);
        // The height depends on the terminal only, so that nothing below moves.
        let reserved = match model.size.1 {
            0..20 => 3,
            20..36 => 4,
            _ => 5,
        };
        let groups = [
            broken,
            BandGroup { rows: failed, noun: "failed" },
            BandGroup { rows: settings::failing(model), noun: "will fail" },
            never,
        ];
        Band { rows: fill::fit_rows(rows, groups, reserved), reserved }
    }
}

/// A row with an empty right side.
pub fn row(word: &str, style: Style, parts: Vec<(Style, String)>) -> BandRow {
    let parts = parts.into_iter().map(BandPart::from).collect();
    BandRow {
        word: word.to_owned(),
        style,
        parts,
        right: String::new(),
        keep_right: false,
        right_style: None,
        count: String::new(),
        hook: None,
        hooks: 1,
    }
}

/// The row of one hook, with the cause of its state and the hook's name.
struct CauseRow {
    cause: String,
    label: String,
    row: BandRow,
}

/// Merges the rows of hooks with the same cause. The first part of a row, the hook's name, gets the number of hooks.
fn merge_causes(rows: impl IntoIterator<Item = CauseRow>) -> Vec<BandRow> {
    let mut merged: IndexMap<String, (BandRow, Vec<String>)> = IndexMap::new();
    for CauseRow { cause, label, row } in rows {
        let (first, labels) = merged.entry(cause).or_insert_with(|| (BandRow { hooks: 0, ..row }, Vec::new()));
        first.hooks += 1;
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let described = merged.into_values().map(|(mut row, labels)| {
        let hooks = row.hooks;
        if let Some(name) = row.parts.first_mut().filter(|_| hooks > 1) {
            name.text = match labels.as_slice() {
                [label] => format!("{label} ({hooks} hooks)"),
                _ => format!("{} and {} more", name.text, hooks - 1),
            };
        }
        row
    });
    described.collect()
}

/// A part that follows a name; less space is left between them in a narrow terminal.
fn following_part(style: Style, text: &str) -> BandPart {
    BandPart { style, text: format!("   {text}"), short: Some(format!("  {text}")) }
}

/// The row shown if the agent would refuse to start here.
fn refused(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let loaded = model.loaded()?;
    if let Some(refusal) = &loaded.refusal {
        return Some(row(
            "REFUSES",
            theme.verdict(Verdict::FailedClosed),
            vec![(theme.strong(), refusal.message.clone())],
        ));
    }
    let lost = model.plan()?.lost.as_ref()?;
    Some(row("LOST", theme.verdict(Verdict::FailedOpen), vec![(theme.strong(), lost.why.message.clone())]))
}

fn running(model: &Model) -> BandRow {
    let theme = model.theme;
    let runs = model.firing().map(|f| f.runs.as_slice()).unwrap_or_default();
    let going = runs.iter().filter(|r| r.ended().is_none()).count();
    let time = model.elapsed(model.started).as_secs_f64();
    let says = format!("{going} of {} still running", runs.len());
    let key = model.key(UiCommand::Cancel);
    let (word, does) = if model.cancelled_once { ("ENDING", "again kills") } else { ("RUNNING", "ends it") };
    let parts = vec![(theme.strong(), says), (theme.quiet(), format!("   {key} {does}"))];
    let mut row = row(word, theme.verdict(Verdict::Ask), parts);
    row.right = format!("{time:.1} s");
    row
}

/// The hooks that a slow run is waiting for; `None` before [`SLOW`].
fn slow(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    if model.elapsed(model.started) < SLOW {
        return None;
    }
    let firing = model.firing()?;
    let mut going = firing.runs.iter().filter(|r| r.ended().is_none());
    let first = going.next()?;
    let more = going.count();
    let mut parts: Vec<BandPart> = vec![(theme.strong(), firing.loaded.definition(&first.hook)?.label()).into()];
    if more > 0 {
        parts.push((theme.quiet(), format!(" and {more} more")).into());
    }
    if let Some(limit) = limit(&first.launch) {
        parts.push((theme.plain(), format!("   the agent ends it at {}", seconds(limit))).into());
    }
    Some(BandRow { parts, hook: Some(first.hook.clone()), ..row("waits", theme.quiet(), Vec::new()) })
}
