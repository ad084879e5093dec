//! The verdict band: the outcome, the deciding hook, and the hooks that never run. Second from the top on every
//! bench.

mod draw;
mod fill;
mod past_run;
mod ready;
mod rows;
mod settings;
mod verdict;

use std::time::Duration;

use ratatui::style::Modifier;

use super::layout::band_height;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::run_time::{limit, seconds};
use fill::BandGroup;
use hookbench_app::FiringRecord;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;

pub use draw::{band_places, draw_band};
pub use rows::{Band, BandPart, BandRow, row};
pub use verdict::ignored_answer;

/// A run that takes longer gets a separate row.
const SLOW: Duration = Duration::from_secs(5);

impl Band {
    /// Builds the band for the current state.
    pub fn of(model: &Model) -> Band {
        let mut rows = Vec::new();
        let (mut failed, mut ignored) = (Vec::new(), Vec::new());
        if let Some(row) = refused(model) {
            rows.push(row);
        } else if let Some(row) = verifying(model) {
            rows.push(row);
        } else if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
            failed = verdict::rows(model, outcome, &mut rows);
            ignored = verdict::ignored_rows(model);
        } else if model.firing().is_some() {
            rows.push(running(model));
            rows.extend(slow(model));
        } else if let Some(run) = model.past_run() {
            past_run::rows(model, run, &mut rows);
        } else if let Some(run) = model.session.opened_run() {
            past_run::logged_rows(model, run, &mut rows);
        } else {
            rows.push(ready::ready_row(model));
            rows.extend(ready::other_agents(model));
        }
        let broken = settings::broken_files(model);
        let never = settings::never(model);
        let reserved = usize::from(band_height(Page::Bench, model.size));
        let groups = [
            broken,
            BandGroup { rows: failed, noun: "failed" },
            BandGroup { rows: ignored, noun: "ignored" },
            BandGroup { rows: settings::failing(model), noun: "will fail" },
            never,
            BandGroup { rows: settings::advice(model), noun: "warnings" },
        ];
        Band { rows: fill::fit_rows(rows, groups, reserved) }
    }
}

/// The row shown if the agent would refuse to start here.
fn refused(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let loaded = model.loaded()?;
    if let Some(refusal) = &loaded.refusal {
        return Some(row(
            "CANNOT START",
            theme.verdict(Verdict::FailedClosed),
            vec![(theme.strong(), refusal.message.clone())],
        ));
    }
    let lost = model.plan()?.lost.as_ref()?;
    Some(row("LOST", theme.verdict(Verdict::FailedOpen), vec![(theme.strong(), lost.why.message.clone())]))
}

/// The row shown while the installed agent runs and no hook does.
fn verifying(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let agent = model.session.verifying()?;
    if model.firing().is_some_and(|firing| !firing.settled) {
        return None;
    }
    let name = dialects::by_id(agent.as_str())?.name();
    let says = format!("{name} runs on a copy of the project");
    let parts = vec![(theme.strong(), says), (theme.quiet(), format!("   {} ends it", model.key(UiCommand::Cancel)))];
    Some(row("RUNNING", theme.verdict(Verdict::Ask), parts))
}

fn running(model: &Model) -> BandRow {
    let theme = model.theme;
    let all = model.firing().map_or(0, FiringRecord::run_count);
    let going = all - model.firing().map_or(0, |firing| firing.ended.len()).min(all);
    let time = model.elapsed(model.started).as_secs_f64();
    let says = format!("{going} of {all} still running");
    let key = model.key(UiCommand::Cancel);
    let (word, does) = if model.cancelled_once { ("ENDING", "again kills") } else { ("RUNNING", "ends it") };
    let parts = vec![(theme.strong(), says), (theme.quiet(), format!("   {key} {does}"))];
    let mut row = row(word, theme.name().add_modifier(Modifier::REVERSED), parts);
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
