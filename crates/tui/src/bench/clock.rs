//! The time of a run against its timeout.

use crate::model::Model;
use crate::run_time::{limit, seconds, took};
use crate::widgets::StyledLine;

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
