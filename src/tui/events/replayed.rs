//! What came of a replay: the summary by rule, then what is not the same, the decision first.

use crate::app::replay::{Judged, Replayed, Summary};
use crate::core::text::{cut, one_line};
use crate::tui::compare::Line;
use crate::tui::model::Model;
use crate::tui::theme::Theme;

/// Events that are shown one by one.
const EVENTS: usize = 200;
/// Longer texts are cut.
const TEXT: usize = 60;

/// All of it.
pub fn lines(model: &Model, all: &[Replayed], summary: &Summary) -> Vec<Line> {
    let theme = model.theme;
    let numbers = [
        (summary.same, "same"),
        (summary.newly_run, "newly run"),
        (summary.no_longer_run, "no longer run"),
        (summary.verdict_changed, "verdict changed"),
        (summary.unknown, "verdict unknown until run"),
        (summary.not_compared, "not compared"),
    ];
    let events = if summary.events == 1 { "1 event".to_owned() } else { format!("{} events", summary.events) };
    let mut first = vec![(theme.strong(), events)];
    for (count, what) in numbers.into_iter().filter(|(count, what)| *count > 0 || *what == "same") {
        first.push((theme.plain(), format!("   {count} {what}")));
    }
    let nothing = "Nothing was run: what was recorded answers for the hooks.";
    let mut lines: Vec<Line> = vec![first, vec![(theme.quiet(), nothing.to_owned())]];
    for rule in &summary.rules {
        let (style, sign) = if rule.newly { (theme.good(), '+') } else { (theme.bad(), '-') };
        let subject = rule.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
        lines.push(vec![
            (style, format!("{:>7}  ", format!("{sign}{}", rule.count))),
            (theme.strong(), rule.hook.clone()),
            (theme.plain(), format!("   {}{subject}", rule.event)),
            (theme.quiet(), format!("   {}", rule.why)),
        ]);
    }
    let one_only = all.len() == 1;
    for one in all.iter().filter(|one| one_only || !one.same()).take(EVENTS) {
        lines.push(Vec::new());
        event(theme, one, &mut lines);
    }
    let hidden = all.iter().filter(|one| !one.same()).count().saturating_sub(EVENTS);
    if hidden > 0 {
        lines.push(vec![(theme.quiet(), format!("{hidden} more events; hookbench replay --format json has all"))]);
    }
    lines
}

fn event(theme: Theme, one: &Replayed, lines: &mut Vec<Line>) {
    let subject = one.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = one.what.as_ref().map(|what| format!("   {}", cut(&one_line(what), TEXT))).unwrap_or_default();
    lines.push(vec![(theme.strong(), format!("{}{subject}", one.name)), (theme.plain(), what)]);
    let verdict = |judged: &Judged| match &judged.outcome {
        Ok(outcome) => (theme.verdict_text(outcome.verdict), outcome.verdict.title().to_owned()),
        Err(why) => (theme.warn(), format!("unknown until run ({why})")),
    };
    match (&one.before, &one.after) {
        (_, Err(why)) => lines.push(vec![(theme.warn(), format!("  could not be fired: {why}"))]),
        (before, Ok(after)) => {
            let mut line = match before {
                Some(before) => vec![(theme.quiet(), "  recorded ".to_owned()), verdict(before)],
                None => vec![(theme.quiet(), "  nothing is known of before".to_owned())],
            };
            line.push((theme.quiet(), "   now ".to_owned()));
            line.push(verdict(after));
            if one.same() {
                line.push((theme.quiet(), "   the same".to_owned()));
            }
            lines.push(line);
        }
    }
    for change in one.changes.iter().filter(|change| change.what != "verdict") {
        let says = change.words(TEXT);
        let why = change.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        lines.push(vec![(theme.plain(), format!("  {says}")), (theme.quiet(), why)]);
    }
    for flag in &one.flags {
        lines.push(vec![(theme.warn(), "  ! ".to_owned()), (theme.quiet(), flag.clone())]);
    }
}
