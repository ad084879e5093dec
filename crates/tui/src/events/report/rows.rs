//! The summary and the lists, as rows.

use super::{About, Leads, ReportRow, Showing, one};
use crate::compare::Line;
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{fit, width};
use hookbench_app::impact::Impact;
use hookbench_app::replay::{Judged, Replayed, Rule, Summary};
use hookbench_app::{OfEvent, ReplayResult};
use hookbench_core::filter::Filter;
use hookbench_core::text::one_line;

/// Width of a count before its noun, in columns.
const NUMBER: usize = 8;

/// The rows of a level.
pub fn of(model: &Model, about: &About, showing: &Showing) -> Vec<ReportRow> {
    match (about, showing) {
        (About::Replay(result), Showing::Summary) => summary(model.theme, result),
        (About::Replay(result), Showing::Events { places, .. }) => {
            let of = |place: &usize| Some(event(model, result.all.get(*place)?, *place));
            places.iter().filter_map(of).collect()
        }
        (About::Replay(result), Showing::One(place)) => {
            result.all.get(*place).map(|event| one::rows(model, event, &result.order)).unwrap_or_default()
        }
        (About::Impact(_, impact), _) => of_impact(model.theme, impact),
    }
}

/// The counts of the summary, in display order.
pub fn counts(summary: &Summary, ran: bool) -> [(usize, &'static str); 6] {
    [
        (summary.verdict_changed, if summary.verdict_changed == 1 { "verdict changes" } else { "verdicts change" }),
        (summary.newly_run, "newly run"),
        (summary.no_longer_run, "no longer run"),
        // After hooks have run, "unknown" refers to the earlier result.
        (summary.unknown, if ran { "verdict not known before" } else { "verdict unknown until run" }),
        (summary.not_compared, "not compared"),
        (summary.same, "same"),
    ]
}

fn number(theme: Theme, count: &str, what: &str) -> Line {
    vec![(theme.strong(), format!("{count:>NUMBER$}")), (theme.plain(), format!("  {what}"))]
}

/// Whether an event belongs to each of the counts, in their order.
fn counted(one: &Replayed) -> [bool; 6] {
    let compared = one.before.is_some() && one.after.is_ok();
    let unknown = |judged: Option<&Judged>| judged.is_some_and(|judged| judged.outcome.is_err());
    let runs = |newly: bool| one.changes.iter().any(|c| c.what == "runs" && c.after == newly);
    let other = compared && !one.same();
    [
        one.verdict_changes(),
        other && runs(true),
        other && runs(false),
        other && (unknown(one.before.as_ref()) || unknown(one.after.as_ref().ok())),
        !compared,
        one.same(),
    ]
}

fn summary(theme: Theme, result: &ReplayResult) -> Vec<ReportRow> {
    let mut rows = Vec::new();
    for (index, (count, what)) in counts(&result.summary, result.order.run).into_iter().enumerate() {
        if count == 0 && what != "same" {
            continue;
        }
        let counts = |(_, one): &(usize, &OfEvent)| counted(&one.replayed).get(index) == Some(&true);
        let places = result.all.iter().enumerate().filter(counts).map(|(place, _)| place).collect();
        rows.push(to_list(number(theme, &count.to_string(), what), format!("{count} {what}"), places));
    }
    verdicts(theme, result, &mut rows);
    if !result.summary.rules.is_empty() {
        rows.push(ReportRow { line: Line::new(), leads: Leads::Nowhere });
    }
    for rule in &result.summary.rules {
        let of: std::collections::HashSet<&String> = rule.events.iter().collect();
        let meant = |(_, one): &(usize, &OfEvent)| of.contains(&one.replayed.origin);
        let places = result.all.iter().enumerate().filter(meant).map(|(place, _)| place).collect();
        rows.push(to_list(rule_line(theme, rule, ""), format!("{}{} {}", sign(rule), rule.count, rule.hook), places));
    }
    let mut flags: Vec<(&String, Vec<usize>)> = Vec::new();
    for (place, one) in result.all.iter().enumerate() {
        for flag in &one.replayed.flags {
            match flags.iter_mut().find(|(known, _)| *known == flag) {
                Some((_, places)) => places.push(place),
                None => flags.push((flag, vec![place])),
            }
        }
    }
    if !flags.is_empty() {
        rows.push(ReportRow { line: Line::new(), leads: Leads::Nowhere });
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
    for (place, one) in result.all.iter().enumerate() {
        let Ok(after) = &one.replayed.after else { continue };
        let now = verdict(theme, after);
        match all.iter_mut().find(|(known, _)| *known == now) {
            Some((_, places)) => places.push(place),
            None => all.push((now, vec![place])),
        }
    }
    all.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    if !all.is_empty() {
        rows.push(ReportRow { line: Line::new(), leads: Leads::Nowhere });
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
fn to_list(line: Line, title: String, places: Vec<usize>) -> ReportRow {
    let leads = if places.is_empty() { Leads::Nowhere } else { Leads::To(Showing::Events { title, places }) };
    ReportRow { line, leads }
}

fn sign(rule: &Rule) -> char {
    if rule.newly { '+' } else { '-' }
}

fn rule_line(theme: Theme, rule: &Rule, least: &str) -> Line {
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
fn of_impact(theme: Theme, impact: &Impact) -> Vec<ReportRow> {
    let least = if impact.at_least { "≥ " } else { "" };
    let least = if theme.unicode { least } else { least.trim_end().strip_prefix('≥').map_or("", |_| ">= ") };
    let filter = |wanted: &dyn Fn(&Rule) -> bool| {
        let mut all: Vec<Filter> =
            impact.summary.rules.iter().filter(|rule| wanted(rule)).map(|rule| impact.filter(rule)).collect();
        all.dedup();
        match all.len() {
            0 => Leads::Nowhere,
            1 => Leads::Filter(all.remove(0).to_string()),
            _ => Leads::Filter(Filter::Any(all).to_string()),
        }
    };
    let mut rows = Vec::new();
    for (count, what) in counts(&impact.summary, false).into_iter().filter(|(count, _)| *count > 0) {
        let leads = match what {
            "newly run" => filter(&|rule| rule.newly),
            "no longer run" => filter(&|rule| !rule.newly),
            "same" | "not compared" => Leads::Nowhere,
            _ => filter(&|_| true),
        };
        rows.push(ReportRow { line: number(theme, &format!("{least}{count}"), what), leads });
    }
    rows.push(ReportRow { line: Line::new(), leads: Leads::Nowhere });
    for rule in &impact.summary.rules {
        let leads = Leads::Filter(impact.filter(rule).to_string());
        rows.push(ReportRow { line: rule_line(theme, rule, least), leads });
    }
    if impact.summary.more_rules > 0 {
        let says = format!("and {} more rules, each of fewer events", impact.summary.more_rules);
        rows.push(ReportRow { line: vec![(theme.quiet(), says)], leads: Leads::Nowhere });
    }
    rows
}

/// The verdict as a word, or that it is unknown until the hooks run.
pub fn verdict(theme: Theme, judged: &Judged) -> (ratatui::style::Style, String) {
    match &judged.outcome {
        Ok(outcome) => (theme.verdict_text(outcome.verdict), outcome.verdict.title().to_owned()),
        Err(_) => (theme.warn(), "unknown until run".to_owned()),
    }
}

/// The row of an event in a list: its number, its name, and its verdict before and after.
fn event(model: &Model, of: &OfEvent, place: usize) -> ReportRow {
    let theme = model.theme;
    let one = &of.replayed;
    let columns = usize::from(model.size.0).saturating_sub(3);
    let mut change: Line = Vec::new();
    match (&one.before, &one.after) {
        (_, Err(why)) => change.push((theme.warn(), format!("could not be fired: {}", one_line(why)))),
        (Some(before), Ok(after)) => {
            let (then, now) = (verdict(theme, before), verdict(theme, after));
            let alike = then.1 == now.1;
            change.push(now);
            if !alike {
                change.insert(0, (theme.quiet(), " -> ".to_owned()));
                change.insert(0, then);
            }
        }
        (None, Ok(after)) => change.extend([verdict(theme, after), (theme.quiet(), "   not known before".to_owned())]),
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
    ReportRow { line, leads: Leads::To(Showing::One(place)) }
}
