//! The summary and the lists, as rows.

use super::{EventsReport, LevelContent, ReportRow, ReportSubject, RowLink, event_diff, stats};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::impact::Impact;
use hookbench_app::replay::{EventAssessment, ReplayFinding, ReplayHeadline, ReplayRule, ReplaySummary};
use hookbench_app::{EventReplay, ReplayResult};
use hookbench_core::filter::Filter;
use hookbench_core::text::one_line;

/// Width of a count before its noun, in columns.
const NUMBER: usize = 8;

/// The rows of a level.
pub fn build(model: &Model, about: &ReportSubject, showing: &LevelContent) -> Vec<ReportRow> {
    match (about, showing) {
        (ReportSubject::Replay(result), LevelContent::Summary) => summary(model, result),
        (ReportSubject::Replay(result), LevelContent::Events { places, .. }) => {
            let of = |place: &usize| Some(event(model, result.events.get(*place)?, *place));
            places.iter().filter_map(of).collect()
        }
        (ReportSubject::Replay(result), LevelContent::Event(place)) => {
            result.events.get(*place).map(|event| event_diff::rows(model, event, &result.order)).unwrap_or_default()
        }
        (ReportSubject::Impact(_, impact), _) => impact_rows(model.theme, impact),
        (ReportSubject::Stats { stats, typed_filter }, _) => {
            let room = usize::from(model.size.0).saturating_sub(3);
            stats::rows(stats, typed_filter, room, model.theme)
        }
    }
}

/// The title and at most `room` lines of the preview: the target of the selected row, or the event that is open.
pub fn preview(model: &Model, report: &EventsReport, room: usize) -> (&'static str, Vec<StyledLine>) {
    let result = match &report.subject {
        ReportSubject::Replay(result) => result,
        ReportSubject::Impact(..) => return ("Event", Vec::new()),
        ReportSubject::Stats { .. } => return ("Hook", stats::facts(report, model.theme)),
    };
    let Some(level) = report.current() else { return ("Event", Vec::new()) };
    let lines = |rows: Vec<ReportRow>| rows.into_iter().map(|row| row.line).collect();
    if let LevelContent::Event(place) = &level.content {
        // The list has read one event: the selected one.
        let listed = model.session.event_list().window.row().map(|row| row.seq);
        let is_listed = |event: &EventReplay| listed.is_some_and(|seq| seq == event.seq || Some(seq) == event.row);
        let known = result.events.get(*place).is_some_and(is_listed);
        return ("Event", if known { model.events.lines.iter().take(room).cloned().collect() } else { Vec::new() });
    }
    match level.rows.get(level.selected).map(|row| &row.link) {
        Some(RowLink::Level(LevelContent::Events { places, .. })) => {
            let first = places.iter().take(room);
            let rows = first.filter_map(|place| Some(event(model, result.events.get(*place)?, *place))).collect();
            ("Events", lines(rows))
        }
        Some(RowLink::Level(LevelContent::Event(place))) => {
            let rows = result.events.get(*place).map(|event| event_diff::rows(model, event, &result.order));
            ("Then and now", lines(rows.unwrap_or_default()))
        }
        _ => ("Event", Vec::new()),
    }
}

/// The counts of an effect, in display order.
pub fn counts(summary: &ReplaySummary) -> [(usize, &'static str); 6] {
    let [gained, lost, verdicts, unknown] = summary.changes();
    [verdicts, gained, lost, unknown, (summary.not_compared, "not compared"), (summary.same, "same")]
}

fn number(theme: Theme, count: &str, what: &str) -> StyledLine {
    vec![(theme.strong(), format!("{count:>NUMBER$}")), (theme.plain(), format!("  {what}"))]
}

/// The maximum number of findings in the summary.
const MAX_FINDINGS: usize = 100;
/// Width of the word of a finding, in columns.
const WORD: usize = 12;

/// The answer: every change of a verdict, the most dangerous first; then the events that are only counted, the hooks
/// that run or no longer run, and the remarks.
fn summary(model: &Model, result: &ReplayResult) -> Vec<ReportRow> {
    let theme = model.theme;
    let headline = ReplayHeadline::of(result.events.iter().map(|one| &one.replayed));
    let mut rows: Vec<ReportRow> =
        headline.findings.iter().take(MAX_FINDINGS).map(|of| finding_row(theme, of)).collect();
    let more: Vec<usize> = headline.findings.iter().skip(MAX_FINDINGS).flat_map(|of| of.events.clone()).collect();
    if !more.is_empty() {
        let says = format!("{} more events with another verdict", more.len());
        rows.push(to_list(vec![(theme.plain(), format!("  {says}"))], says, more));
    }
    if !rows.is_empty() {
        rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }
    let separator = if theme.unicode { " · " } else { " - " };
    let run = (!result.order.run).then(|| format!("{separator}{} run hooks", model.key(UiCommand::RunAgain)));
    let expand = format!("{separator}{} expand", model.key(UiCommand::Open));
    let [unknown, failed, neutral] = [headline.unknown_words(), headline.failed_words(), headline.neutral_words()];
    let counted = [
        (unknown, headline.unknown, theme.warn(), run.unwrap_or_else(|| expand.clone())),
        (failed, headline.failed, theme.warn(), expand.clone()),
        (neutral, headline.neutral, theme.quiet(), expand),
    ];
    for (words, places, style, hint) in counted {
        let Some(words) = words else { continue };
        rows.push(to_list(vec![(style, format!("  {words}")), (theme.quiet(), hint)], words, places));
    }
    if !result.summary.rules.is_empty() {
        rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }
    for rule in &result.summary.rules {
        let of: std::collections::HashSet<&String> = rule.events.iter().collect();
        let meant = |(_, one): &(usize, &EventReplay)| of.contains(&one.replayed.origin);
        let places = result.events.iter().enumerate().filter(meant).map(|(place, _)| place).collect();
        rows.push(to_list(rule_line(theme, rule, ""), format!("{} {}", rule.hook, rule_words(rule, "")), places));
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

/// The row of a finding: what would happen, the deed, the hook, the number of events.
fn finding_row(theme: Theme, of: &ReplayFinding) -> ReportRow {
    let hook = of.hook.as_ref().map(|hook| format!("   {hook}")).unwrap_or_default();
    let times = if of.events.len() > 1 { format!("   {} events", of.events.len()) } else { String::new() };
    let line = vec![
        (theme.verdict_text(of.change.verdict()), format!("  {:WORD$}", of.change.word())),
        (theme.strong(), format!(" {}", ascii_ellipsis(theme, &of.deed))),
        (theme.plain(), one_line(&hook)),
        (theme.quiet(), times),
    ];
    let link = match of.events.as_slice() {
        [place] => LevelContent::Event(*place),
        all => LevelContent::Events { title: ascii_ellipsis(theme, &of.deed), places: all.to_vec() },
    };
    ReportRow { line, link: RowLink::Level(link) }
}

/// The text without letters beyond ASCII where the theme has none.
pub fn ascii_ellipsis(theme: Theme, text: &str) -> String {
    if theme.unicode { text.to_owned() } else { text.replace('…', "...") }
}

/// A row that leads to a list; an empty list is not linked.
fn to_list(line: StyledLine, title: String, places: Vec<usize>) -> ReportRow {
    let leads =
        if places.is_empty() { RowLink::Nowhere } else { RowLink::Level(LevelContent::Events { title, places }) };
    ReportRow { line, link: leads }
}

/// The change for the hook of a rule: `runs in 5 more events`.
fn rule_words(rule: &ReplayRule, least: &str) -> String {
    let (sense, events) = (if rule.newly { "more" } else { "fewer" }, if rule.count == 1 { "event" } else { "events" });
    format!("runs in {least}{} {sense} {events}", rule.count)
}

fn rule_line(theme: Theme, rule: &ReplayRule, least: &str) -> StyledLine {
    let style = if rule.newly { theme.good() } else { theme.bad() };
    let subject = rule.subject.as_ref().map(|subject| format!(" {subject}")).unwrap_or_default();
    vec![
        (theme.strong(), format!("  {}", one_line(&rule.hook))),
        (style, format!("  {}", rule_words(rule, least))),
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
    let links: [&dyn Fn() -> RowLink; 6] = [
        &|| filter(&|_| true),
        &|| filter(&|rule| rule.newly),
        &|| filter(&|rule| !rule.newly),
        &|| filter(&|_| true),
        &|| RowLink::Nowhere,
        &|| RowLink::Nowhere,
    ];
    for ((count, what), link) in counts(&impact.summary).into_iter().zip(links).filter(|((count, _), _)| *count > 0) {
        let leads = link();
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
