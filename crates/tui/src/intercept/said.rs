//! The Intercept page as sentences.

use super::banner::advice_words;
use super::choices::{means, why_not};
use super::draft::KINDS;
use super::top::{agent_name, others_words, then};
use crate::model::Model;
use hookbench_app::live::{Reach, about, does};
use hookbench_core::recorded::time_text;

/// The held event and its possible answers; without one, the breakpoints.
pub fn page(model: &Model) -> Vec<String> {
    let live = model.session.live();
    let advice = advice_words(model);
    let Some(held) = model.intercept.held(model) else {
        let reach = match &live.reach {
            Reach::Off => "no agent reaches this; capture takes their events in".to_owned(),
            Reach::Starting => "starting".to_owned(),
            Reach::Serving { socket, .. } => format!("serving at {socket}"),
            Reach::Attached { pid, .. } => format!("process {pid} serves; this one looks on"),
            Reach::Refused { says } => says.clone(),
        };
        let point = |point: &hookbench_core::live::desk::Breakpoint| {
            let on = if point.enabled { "on" } else { "off" };
            format!("{} {}: {on}", does(point), about(point))
        };
        let points = live.breakpoints.iter().map(point);
        return [reach, "nothing is held".to_owned()].into_iter().chain(advice).chain(points).collect();
    };
    let arrived = &held.fact.arrived;
    let words: Vec<&str> =
        [Some(agent_name(arrived)), Some(&arrived.event), arrived.subject.as_deref(), arrived.what.as_deref()]
            .into_iter()
            .flatten()
            .collect();
    let until = time_text(held.fact.until).and_then(|text| text.get(11..19).map(str::to_owned)).unwrap_or_default();
    let mut all = vec![
        // The end time instead of the remaining time, which would be announced again every second.
        format!("held: {}, until {until} UTC", words.join(", ")),
        format!("then {}", then(held)),
        others_words(model.intercept.others.as_ref()),
    ];
    all.extend(live.why_not_decide());
    all.extend(advice);
    let chosen = model.intercept.draft().kind;
    all.extend(KINDS.into_iter().filter(|kind| why_not(held, *kind).is_none()).map(|kind| {
        let mark = if chosen == Some(kind) { "chosen: " } else { "" };
        format!("{mark}{}: {}", kind.word(), means(kind, &arrived.wire))
    }));
    all
}
