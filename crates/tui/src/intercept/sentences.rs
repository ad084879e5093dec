//! The Intercept page as sentences.

use super::banner::advice_words;
use super::choices::{effect_words, why_not};
use super::draft::KINDS;
use super::held_band::{agent_name, default_action, others_words};
use crate::model::Model;
use hookbench_app::live::{LiveConnection, action_word, conditions};
use hookbench_core::recorded::format_time;

/// The held event and its possible answers; without one, the breakpoints.
pub fn page(model: &Model) -> Vec<String> {
    let live = model.session.live();
    let advice = advice_words(model);
    let Some(held) = model.intercept.held(model) else {
        let reach = match &live.connection {
            LiveConnection::Off => "capture is off; capture starts it".to_owned(),
            LiveConnection::Starting => "starting".to_owned(),
            LiveConnection::Serving { socket, .. } => format!("serving at {socket}"),
            LiveConnection::Attached { pid, .. } => format!("process {pid} serves; this one watches"),
            LiveConnection::Refused { message: says } => says.clone(),
        };
        let point = |point: &hookbench_core::live::intercept::Breakpoint| {
            let on = if point.enabled { "on" } else { "off" };
            format!("{} {}: {on}", action_word(point), conditions(point))
        };
        let points = live.breakpoints.iter().map(point);
        let unconnected = (!model.session.has_forwarding_hooks())
            .then(|| "no agent is connected; hookbench install connects one".to_owned());
        return [reach, "nothing is held".to_owned()]
            .into_iter()
            .chain(unconnected)
            .chain(advice)
            .chain(points)
            .collect();
    };
    let arrived = &held.fact.arrived;
    let words: Vec<&str> =
        [Some(agent_name(arrived)), Some(&arrived.event), arrived.subject.as_deref(), arrived.what.as_deref()]
            .into_iter()
            .flatten()
            .collect();
    let until = format_time(held.fact.until).and_then(|text| text.get(11..19).map(str::to_owned)).unwrap_or_default();
    let mut all = vec![
        // The end time instead of the remaining time, which would be announced again every second.
        format!("held: {}, until {until} UTC", words.join(", ")),
        format!("then {}", default_action(held)),
        others_words(model.intercept.others.as_ref()),
    ];
    all.extend(live.why_not_decide());
    all.extend(advice);
    let chosen = model.intercept.draft().kind;
    all.extend(KINDS.into_iter().filter(|kind| why_not(held, *kind).is_none()).map(|kind| {
        let mark = if chosen == Some(kind) { "chosen: " } else { "" };
        format!("{mark}{}: {}", kind.word(), effect_words(kind, &arrived.wire))
    }));
    all
}
