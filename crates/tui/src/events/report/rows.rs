//! The summary and the lists, as rows.

use super::{LevelContent, ReportRow, ReportSubject, RowLink, event_diff};
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::impact::Impact;
use hookbench_app::replay::{EventAssessment, ReplayRule, ReplaySummary, ReplayedEvent};
use hookbench_app::{EventReplay, ReplayResult};
use hookbench_core::filter::Filter;
use hookbench_core::text::one_line;

/// Width of a count before its noun, in columns.
const NUMBER: usize = 8;

/// The rows of a level.
pub fn build(model: &Model, about: &ReportSubject, showing: &LevelContent) -> Vec<ReportRow> {
    match (about, showing) {
        (ReportSubject::Replay(result), LevelContent::Summary) => summary(model.theme, result),
        (ReportSubject::Replay(result), LevelContent::Events { places, .. }) => {
            let of = |place: &usize| Some(event(model, result.events.get(*place)?, *place));
            places.iter().filter_map(of).collect()
        }
        (ReportSubject::Replay(result), LevelContent::Event(place)) => {
            result.events.get(*place).map(|event| event_diff::rows(model, event, &result.order)).unwrap_or_default()
        }
        (ReportSubject::Impact(_, impact), _) => impact_rows(model.theme, impact),
    }
}

/// The counts of the summary, in display order.
pub fn counts(summary: &ReplaySummary, ran: bool) -> [(usize, &'static str); 6] {
    [
        (summary.verdict_changed, if summary.verdict_changed == 1 { "verdict changes" } else { "verdicts change" }),
        (summary.newly_run, "newly run"),
        (summary.no_longer_run, "no longer run"),
        // After hooks have run, "unknown" refers to the earlier result.
        (summary.unknown, if ran { "no earlier verdict" } else { "verdict unknown until run" }),
        (summary.not_compared, "not compared"),
        (summary.same, "same"),
    ]
}

fn number(theme: Theme, count: &str, what: &str) -> StyledLine {
    vec![(theme.strong(), format!("{count:>NUMBER$}")), (theme.plain(), format!("  {what}"))]
}

/// Whether an event belongs to each of the counts, in their order.
fn count_membership(one: &ReplayedEvent) -> [bool; 6] {
    let compared = one.before.is_some() && one.after.is_ok();
    let unknown = |judged: Option<&EventAssessment>| judged.is_some_and(|judged| judged.outcome.is_err());
    let runs = |newly: bool| one.changes.iter().any(|c| c.what == "runs" && c.after == newly);
    let other = compared && !one.is_same();
    [
        one.verdict_changed(),
        other && runs(true),
        other && runs(false),
        other && (unknown(one.before.as_ref()) || unknown(one.after.as_ref().ok())),
        !compared,
        one.is_same(),
    ]
}

fn summary(theme: Theme, result: &ReplayResult) -> Vec<ReportRow> {
    let mut rows = Vec::new();
    for (index, (count, what)) in counts(&result.summary, result.order.run).into_iter().enumerate() {
        if count == 0 && what != "same" {
            continue;
        }
        let counts = |(_, one): &(usize, &EventReplay)| count_membership(&one.replayed).get(index) == Some(&true);
        let places = result.events.iter().enumerate().filter(counts).map(|(place, _)| place).collect();
        rows.push(to_list(number(theme, &count.to_string(), what), format!("{count} {what}"), places));
    }
    verdicts(theme, result, &mut rows);
    if !result.summary.rules.is_empty() {
        rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }
    for rule in &result.summary.rules {
        let of: std::collections::HashSet<&String> = rule.events.iter().collect();
        let meant = |(_, one): &(usize, &EventReplay)| of.contains(&one.replayed.origin);
        let places = result.events.iter().enumerate().filter(meant).map(|(place, _)| place).collect();
        rows.push(to_list(rule_line(theme, rule, ""), format!("{}{} {}", sign(rule), rule.count, rule.hook), places));
    }
    let mut flags: Vec<(&String, Vec<usize>)> = Vec::new();
    for (place, one) in result.events.iter().enumerate() {
        for flag in &one.replayed.flags {
            match flags.iter_mut().find(|(known, _)| *known == flag) {
                Some((_, places)) => places.push(place),
                None => flags.push((flag, vec![place])),
            }
        }
    }
    if !flags.is_empty() {
        rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }
    for (flag, places) in flags {
        let line = vec![
            (theme.warn(), format!("{:>NUMBER$}", format!("! {}", places.len()))),
            (theme.quiet(), format!("  {flag}")),
        ];
        rows.push(to_list(line, flag.clone(), places));
    }
    rows
}

/// Adds the current verdicts with their counts, the most frequent first.
fn verdicts(theme: Theme, result: &ReplayResult, rows: &mut Vec<ReportRow>) {
    let mut all: Vec<((ratatui::style::Style, String), Vec<usize>)> = Vec::new();
    for (place, one) in result.events.iter().enumerate() {
        let Ok(after) = &one.replayed.after else { continue };
        let now = verdict(theme, after);
        match all.iter_mut().find(|(known, _)| *known == now) {
            Some((_, places)) => places.push(place),
            None => all.push((now, vec![place])),
        }
    }
    all.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    if !all.is_empty() {
        rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }
    for ((style, word), places) in all {
        let count = places.len();
        let line = vec![
            (theme.strong(), format!("{count:>NUMBER$}")),
            (theme.quiet(), "  now ".to_owned()),
            (style, word.clone()),
        ];
        rows.push(to_list(line, format!("{count} now {word}"), places));
    }
}

/// A row that leads to a list; an empty list is not linked.
fn to_list(line: StyledLine, title: String, places: Vec<usize>) -> ReportRow {
    let leads =
        if places.is_empty() { RowLink::Nowhere } else { RowLink::Level(LevelContent::Events { title, places }) };
    ReportRow { line, link: leads }
}

fn sign(rule: &ReplayRule) -> char {
    if rule.newly { '+' } else { '-' }
}

fn rule_line(theme: Theme, rule: &ReplayRule, least: &str) -> StyledLine {
    let style = if rule.newly { theme.good() } else { theme.bad() };
    let subject = rule.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let count = format!("{:>NUMBER$}", format!("{least}{}{}", sign(rule), rule.count));
    vec![
        (style, count),
        (theme.strong(), format!("  {}", one_line(&rule.hook))),
        (theme.plain(), format!("   {}{subject}", rule.event)),
        (theme.quiet(), format!("   {}", rule.why)),
    ]
}

/// The rows of an effect. It does not store its events, so the rows lead to filters.
fn impact_rows(theme: Theme, impact: &Impact) -> Vec<ReportRow> {
    let least = if impact.at_least { "≥ " } else { "" };
    let least = if theme.unicode { least } else { least.trim_end().strip_prefix('≥').map_or("", |_| ">= ") };
    let filter = |wanted: &dyn Fn(&ReplayRule) -> bool| {
        let mut all: Vec<Filter> =
            impact.summary.rules.iter().filter(|rule| wanted(rule)).map(|rule| impact.filter(rule)).collect();
        all.dedup();
        match all.len() {
            0 => RowLink::Nowhere,
            1 => RowLink::Filter(all.remove(0).to_string()),
            _ => RowLink::Filter(Filter::Any(all).to_string()),
        }
    };
    let mut rows = Vec::new();
    for (count, what) in counts(&impact.summary, false).into_iter().filter(|(count, _)| *count > 0) {
        let leads = match what {
            "newly run" => filter(&|rule| rule.newly),
            "no longer run" => filter(&|rule| !rule.newly),
            "same" | "not compared" => RowLink::Nowhere,
            _ => filter(&|_| true),
        };
        rows.push(ReportRow { line: number(theme, &format!("{least}{count}"), what), link: leads });
    }
    rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    for rule in &impact.summary.rules {
        let leads = RowLink::Filter(impact.filter(rule).to_string());
        rows.push(ReportRow { line: rule_line(theme, rule, least), link: leads });
    }
    if impact.summary.more_rules > 0 {
        let says = format!("and {} more rules with fewer events each", impact.summary.more_rules);
        rows.push(ReportRow { line: vec![(theme.quiet(), says)], link: RowLink::Nowhere });
    }
    rows
}

/// The verdict as a word, or that it is unknown until the hooks run.
pub fn verdict(theme: Theme, judged: &EventAssessment) -> (ratatui::style::Style, String) {
    match &judged.outcome {
        Ok(outcome) => (theme.verdict_text(outcome.verdict), outcome.verdict.title().to_owned()),
        Err(_) => (theme.warn(), "unknown until run".to_owned()),
    }
}

/// The row of an event in a list: its number, its name, and its verdict before and after.
fn event(model: &Model, of: &EventReplay, place: usize) -> ReportRow {
    let theme = model.theme;
    let one = &of.replayed;
    let columns = usize::from(model.size.0).saturating_sub(3);
    let mut change: StyledLine = Vec::new();
    match (&one.before, &one.after) {
        (_, Err(why)) => change.push((theme.warn(), format!("could not be replayed: {}", one_line(why)))),
        (Some(before), Ok(after)) => {
            let (then, now) = (verdict(theme, before), verdict(theme, after));
            let alike = then.1 == now.1;
            change.push(now);
            if !alike {
                change.insert(0, (theme.quiet(), " -> ".to_owned()));
                change.insert(0, then);
            }
        }
        (None, Ok(after)) => change.extend([verdict(theme, after), (theme.quiet(), "   no earlier result".to_owned())]),
    }
    let wide: usize = change.iter().map(|(_, text)| width(text)).sum();
    let seq = format!("{:>6}  ", format!("#{}", of.seq));
    let subject = one.subject.as_ref().map(|subject| format!(" {}", one_line(subject))).unwrap_or_default();
    let what = one.what.as_ref().map(|what| format!("   {}", one_line(what))).unwrap_or_default();
    let room = columns.saturating_sub(width(&seq) + wide + 2);
    let name = fit(&format!("{}{subject}", one.name), room, theme);
    let what = fit(&what, room.saturating_sub(width(&name)), theme);
    let air = " ".repeat(room.saturating_sub(width(&name) + width(&what)) + 2);
    let mut line = vec![(theme.quiet(), seq), (theme.strong(), name), (theme.plain(), what), (theme.plain(), air)];
    line.extend(change);
    ReportRow { line, link: RowLink::Level(LevelContent::Event(place)) }
}
