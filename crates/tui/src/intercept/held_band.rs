//! The first line and the band: the held event, its remaining time, the default action, and the other hooks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::state::InterceptView;
use crate::bench::{Band, BandRow, band_height, band_row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::theme::Theme;
use crate::widgets::{RowWriter, fit};
use hookbench_app::OtherHooks;
use hookbench_app::live::{ArrivedFact, LiveConnection, LiveCounts, LiveEventState, PendingEventView};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::recorded::RecordedAnswer;

/// Remaining time below which an answer is urgent.
const URGENT_MS: i64 = 10_000;

/// The name of the event's agent.
pub fn agent_name(arrived: &ArrivedFact) -> &str {
    dialects::by_id(&arrived.agent).map_or(arrived.agent.as_str(), |dialect| dialect.name())
}

/// The remaining time, for example `4:49`.
pub fn countdown(model: &Model, held: &PendingEventView) -> String {
    let left = (held.fact.until - model.now_ms).max(0);
    // Rounded up to full seconds.
    clock((left + 999) / 1000)
}

/// The style of the remaining time; reversed if it is urgent.
pub fn countdown_style(model: &Model, held: &PendingEventView) -> Style {
    if is_urgent(model, held) { model.theme.bad().add_modifier(Modifier::REVERSED) } else { model.theme.strong() }
}

/// Whether less than [`URGENT_MS`] remains.
pub fn is_urgent(model: &Model, held: &PendingEventView) -> bool {
    held.fact.until - model.now_ms < URGENT_MS
}

/// Seconds as minutes and seconds.
pub fn clock(seconds: i64) -> String {
    match seconds {
        3600.. => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
        _ => format!("{}:{:02}", seconds / 60, seconds % 60),
    }
}

/// The default action if the user does not decide in time.
pub fn default_action(held: &PendingEventView) -> &'static str {
    timeout_words(&held.fact.on_timeout)
}

/// The answer after the time limit, in words.
pub fn timeout_words(word: &str) -> &'static str {
    match word {
        "deny" => "deny: it is blocked",
        "ask" => "ask: the agent asks its user",
        _ => "pass: it continues as without a hook",
    }
}

/// The state of an event in a word or two.
pub fn state_words(theme: Theme, became: &LiveEventState) -> (Style, String) {
    match became {
        LiveEventState::Waiting => (theme.quiet(), "waits".to_owned()),
        LiveEventState::Held => (theme.warn(), "HELD".to_owned()),
        LiveEventState::Abandoned => (theme.quiet(), "agent gone".to_owned()),
        LiveEventState::Answered(answered) if answered.source == "default" => {
            (theme.quiet(), answered.decision.clone())
        }
        LiveEventState::Answered(answered) => (theme.plain(), format!("{} by {}", answered.decision, answered.source)),
    }
}

/// A stored answer in a word or two.
pub fn answer_words(theme: Theme, answer: &RecordedAnswer) -> (Style, String) {
    (theme.plain(), format!("{} by {}", answer.decision, answer.by))
}

/// Losses to report: events that passed because too many were held, and errors of the store.
fn losses(counts: LiveCounts, narrow: bool) -> String {
    let words = if narrow { ["passed", "errors"] } else { ["passed unheld", "store errors"] };
    let all = [(counts.passed_full, words[0]), (counts.store_errors, words[1])];
    let said: Vec<String> = all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    said.join(", ")
}

/// Draws the first line.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let live = model.session.live();
    let mut cells = RowWriter::new(area, buf, theme);
    let lost = losses(live.counts, area.width < 60);
    // Without room for both, the losses are shown instead of the page's name.
    let named = area.width >= 60 || lost.is_empty() || model.intercept.held(model).is_none();
    cells.skip(1).put(theme.strong(), if named { "Intercept" } else { "" });
    if let Some(selected) = model.intercept.held(model) {
        let at = live.pending.iter().position(|held| held.fact.arrived.id == selected.fact.arrived.id).unwrap_or(0);
        let all = live.pending.len();
        let narrow = area.width < 60;
        if narrow {
            // On a narrow screen the band has no room for it.
            cells.right(countdown_style(model, selected), &format!("{} ", countdown(model, selected)));
        } else if all > 1 {
            let (next, previous) = (model.key(UiCommand::NextEvent), model.key(UiCommand::PreviousEvent));
            cells.right(theme.quiet(), &format!("{previous} previous   {next} next "));
        }
        let says = if named { format!("   {} of {all} held", at + 1) } else { format!("{}/{all} held", at + 1) };
        cells.put(theme.plain(), &says);
    } else {
        cells.put(theme.quiet(), "   nothing is held");
    }
    if !lost.is_empty() {
        cells.put(theme.warn(), &format!(", {lost}"));
    }
    if area.width >= 60 && model.intercept.ignores_keys_for(model.now).is_some() {
        cells.put(theme.quiet(), "   keys pause");
    }
    if live.paused {
        let key = model.key(UiCommand::PauseHolding);
        cells.put(theme.warn(), "   paused").put(theme.quiet(), &format!(", {key} resume"));
    }
}

/// Builds the band.
pub fn build_band(model: &Model) -> Band {
    let reserved = usize::from(band_height(Page::Intercept, model.size));
    let mut rows = match model.intercept.held(model) {
        Some(held) => held_rows(model, &model.intercept, held),
        None => reach_rows(model),
    };
    rows.truncate(reserved);
    Band { rows }
}

/// The columns of a session's id.
const SESSION: usize = 13;

fn held_rows(model: &Model, view: &InterceptView, held: &PendingEventView) -> Vec<BandRow> {
    let theme = model.theme;
    let arrived = &held.fact.arrived;
    let subject = arrived.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = arrived.what.as_ref().map(|what| format!("  {what}")).unwrap_or_default();
    let parts = if model.size.0 < 60 {
        vec![(theme.strong(), arrived.event.clone()), (theme.plain(), what)]
    } else {
        vec![
            (theme.plain(), format!("{}  ", agent_name(arrived))),
            (theme.strong(), format!("{}{subject}", arrived.event)),
            (theme.plain(), what),
        ]
    };
    let mut first = band_row("HELD", theme.verdict(Verdict::Ask), parts);
    first.right = countdown(model, held);
    first.keep_right = true;
    first.right_style = Some(countdown_style(model, held));
    let says = format!("{}   breakpoint {}", default_action(held), held.fact.breakpoint);
    let session = format!("   session {}   {}", fit(&arrived.session, SESSION, theme), arrived.project);
    let then = band_row("then", theme.quiet(), vec![(theme.plain(), says), (theme.quiet(), session)]);
    vec![first, then, band_row("hooks", theme.quiet(), vec![(theme.plain(), others_words(view.others.as_ref()))])]
}

/// The other hooks that would run, and their predicted outcome.
pub fn others_words(others: Option<&Result<OtherHooks, String>>) -> String {
    let others = match others {
        None => return "the payload is being read".to_owned(),
        Some(Err(why)) => return why.clone(),
        Some(Ok(others)) => others,
    };
    let names: Vec<&str> = others.run.iter().map(|(name, _)| name.as_str()).collect();
    let run = match names.as_slice() {
        [] if others.skipped == 0 && others.unknown == 0 => return "no other hook configured".to_owned(),
        [] => return format!("none of the other {} would run", others.skipped + others.unknown),
        [one] => format!("{one} would run too"),
        [first, second] => format!("{first} and {second} would run too"),
        [first, rest @ ..] => format!("{first} and {} more would run too", rest.len()),
    };
    match &others.last {
        Some((verdict, run_id)) => format!("{run}: {} in run {run_id}", verdict.title()),
        None => format!("{run}: unknown until run"),
    }
}

fn reach_rows(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let live = model.session.live();
    let key = model.key(UiCommand::Capture);
    let block = |word: &str, verdict, says: String| band_row(word, theme.verdict(verdict), vec![(theme.plain(), says)]);
    let first = match &live.connection {
        LiveConnection::Off => block("OFF", Verdict::NotRun, format!("capture is off; {key} starts it")),
        LiveConnection::Starting => block("STARTING", Verdict::NotRun, String::new()),
        LiveConnection::Serving { socket, .. } => block("SERVING", Verdict::NoObjection, format!("at {socket}")),
        LiveConnection::Attached { socket, pid } => {
            block("ATTACHED", Verdict::NoObjection, format!("process {pid} serves at {socket}; this one watches"))
        }
        LiveConnection::Refused { message: says } => block("REFUSED", Verdict::FailedOpen, says.clone()),
    };
    let counts = live.counts;
    let mut says = format!("{} received, {} held, {} answered", counts.arrived, counts.held, counts.answered);
    let gone = if counts.abandoned == 1 { "agent gone" } else { "agents gone" };
    for (count, what) in [(counts.abandoned, gone), (counts.missed, "unseen")] {
        if count > 0 {
            says.push_str(&format!(", {count} {what}"));
        }
    }
    let second = match &live.store_trouble {
        Some(trouble) => band_row("not kept", theme.warn(), vec![(theme.plain(), trouble.clone())]),
        None if live.is_connected() && (live.counts.arrived > 0 || model.session.has_forwarding_hooks()) => {
            band_row("events", theme.quiet(), vec![(theme.plain(), says)])
        }
        None => band_row(
            "install",
            theme.quiet(),
            vec![(theme.plain(), "hookbench install adds the hooks that forward agent events".to_owned())],
        ),
    };
    vec![first, second]
}
