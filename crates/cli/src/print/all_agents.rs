//! One event in every agent: a table, and below it the differences with the rules that cause them. At most 100
//! columns wide.

use unicode_width::UnicodeWidthStr as _;

use super::text_page::{TextPage, Tone, agent_name, column, cut, verdict_tone, wrap};
use hookbench_app::{AgentDifference, ComparedAgent, ComparedEvent, CrossAgentEvent, DifferenceCell, Session};
use hookbench_core::port::TranslationNoteKind;
use hookbench_core::text::{one_line, pluralize};

/// Width of the page in columns.
const WIDTH: usize = 100;
/// Maximum width of the hooks column, and of the subject column.
const HOOKS: usize = 22;
const SUBJECTS: usize = 24;
/// Width of the agent column below the table.
const LABEL: usize = 14;
/// Maximum number of lines for one cell of a difference.
const LINES: usize = 6;

/// Prints one event, planned or fired, in every agent.
pub fn everywhere(page: &mut TextPage, all: &CrossAgentEvent, session: &Session) {
    let comparison = session.comparison(all);
    let from = all.agents.iter().find(|of| of.agent == all.origin).and_then(|of| of.event.as_ref().ok());
    if let Some(from) = from {
        page.put(Tone::Strong, &format!(" {}", from.input.event));
        if let Some(subject) = &from.input.subject.value {
            page.put(Tone::Plain, &format!("  {}", cut(subject, 40)));
        }
        page.put(Tone::Quiet, &format!("   of {}, in {}", agent_name(all.origin), number_of_agents(all, session)));
    }
    page.end().end();
    table(page, &comparison.rows);
    for difference in &comparison.differences {
        page.end();
        explain(page, difference);
    }
    if comparison.differences.is_empty() {
        page.end().put(Tone::Quiet, &format!(" {}", agreement(&comparison.rows, all, session))).end();
    }
    let own: usize = comparison.rows.iter().filter_map(|row| row.event.as_ref().ok()).map(|event| event.own).sum();
    if own > 0 {
        let says = format!("not counted: {} of hookbench, to record events", pluralize(own, "hook"));
        page.end().put(Tone::Quiet, &format!(" {says}")).end();
    }
    notes(page, all);
    let sentences: Vec<String> =
        all.agents.iter().filter_map(|of| of.basis.sentence(agent_name(of.agent.as_str()))).collect();
    let left_out = session.left_out("--agent with a name shows one");
    if !sentences.is_empty() || left_out.is_some() {
        page.end();
    }
    for line in left_out.iter().flat_map(|says| wrap(&format!("Left out: {says}"), WIDTH - 1)) {
        page.put(Tone::Quiet, &format!(" {line}")).end();
    }
    for sentence in sentences {
        page.put(Tone::Quiet, &format!(" {sentence}")).end();
    }
}

/// The sentence for agents without a difference. One that lacks the event or its tool says nothing about the hooks.
fn agreement(rows: &[ComparedAgent], all: &CrossAgentEvent, session: &Session) -> String {
    let with_event: Vec<&ComparedAgent> = rows.iter().filter(|row| row.event.is_ok()).collect();
    let agents = match with_event.as_slice() {
        [] => return "no agent can fire this event".to_owned(),
        [one] if rows.len() > 1 => return format!("only {} can fire this event", agent_name(one.agent.as_str())),
        some if some.len() < rows.len() => format!("the {} agents that can fire this event", some.len()),
        _ => number_of_agents(all, session),
    };
    format!("{agents} run the same hooks with the same outcome")
}

/// The compared agents: all, or their number among all.
fn number_of_agents(all: &CrossAgentEvent, session: &Session) -> String {
    match (all.agents.len(), session.unlisted_agents().count()) {
        (_, 0) => "all agents".to_owned(),
        (shown, left) => format!("{shown} of {} agents", shown + left),
    }
}

fn table(page: &mut TextPage, rows: &[ComparedAgent]) {
    let events = || rows.iter().filter_map(|row| row.event.as_ref().ok());
    let names = column(rows.iter().map(|row| agent_name(row.agent.as_str())), WIDTH);
    let event = column(events().map(|e| e.event.as_str()).chain(["event"]), WIDTH);
    let subject = column(events().filter_map(|e| e.subject.as_deref()).chain(["subject"]), SUBJECTS);
    let hooks: Vec<String> = events().map(runs).collect();
    let hooks = column(hooks.iter().map(String::as_str).chain(["runs"]), HOOKS);
    let fired = events().any(|e| e.verdict.is_some());
    let verdict =
        if fired { column(events().filter_map(|e| Some(e.verdict?.title())).chain(["verdict"]), WIDTH) } else { 0 };
    let mut head = vec![("agent", names), ("event", event), ("subject", subject), ("runs", hooks)];
    head.extend(fired.then_some(("verdict", verdict)));
    head.push(("reason", 0));
    page.put(Tone::Plain, " ");
    for (word, width) in &head {
        page.cell(Tone::Quiet, word, width + 2);
    }
    page.end();
    for row in rows {
        page.put(Tone::Plain, " ").cell(Tone::Strong, agent_name(row.agent.as_str()), names + 2);
        let there = match &row.event {
            Ok(there) => there,
            Err((says, nearest)) => {
                let nearest = nearest.as_ref().map_or(String::new(), |event| format!("; nearest: {event}"));
                let mut text = wrap(&format!("- {says}{nearest}"), WIDTH - names - 3).into_iter();
                page.put(Tone::Quiet, &text.next().unwrap_or_default()).end();
                for line in text {
                    page.put(Tone::Plain, &" ".repeat(names + 3)).put(Tone::Quiet, &line).end();
                }
                continue;
            }
        };
        page.cell(Tone::Plain, &there.event, event + 2);
        page.cell(Tone::Plain, &cut(there.subject.as_deref().unwrap_or("-"), subject), subject + 2);
        page.cell(Tone::Plain, &cut(&runs(there), hooks), hooks + 2);
        if fired {
            let (tone, title) = there.verdict.map_or((Tone::Quiet, "-"), |v| (verdict_tone(v), v.title()));
            page.cell(tone, title, verdict + 2);
        }
        let used = 1 + head.iter().map(|(_, width)| width + 2).sum::<usize>() - 2;
        page.put(Tone::Plain, &cut(&there.reason, WIDTH.saturating_sub(used))).end();
    }
}

/// The hooks that run, as the text of one cell.
fn runs(there: &ComparedEvent) -> String {
    let all = there.runs.len() + there.skipped + there.unknown;
    let unknown = if there.unknown > 0 { format!(", {} unknown", there.unknown) } else { String::new() };
    match there.runs.as_slice() {
        [] => format!("no hook{unknown}"),
        [one] => format!("{one}{unknown}"),
        several if several.iter().map(|s| s.width() + 2).sum::<usize>() <= HOOKS => {
            format!("{}{unknown}", several.join(", "))
        }
        several => format!("{} of {all}{unknown}", several.len()),
    }
}

/// Prints the keys that translation lost, added or filled in.
fn notes(page: &mut TextPage, all: &CrossAgentEvent) {
    let translated = || all.translated().filter(|(_, there)| !there.notes.is_empty());
    if translated().next().is_some() {
        page.end().put(Tone::Strong, " translated").end();
    }
    for (of, there) in translated() {
        let keys = |kind: TranslationNoteKind| {
            let of_kind = there.notes.iter().filter(|note| note.kind == kind);
            of_kind.map(|note| note.key.as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut said: Vec<String> = Vec::new();
        for (before, kind) in [
            ("not sent by this agent: ", TranslationNoteKind::NotSent),
            ("only in this agent: ", TranslationNoteKind::Own),
        ] {
            let keys = keys(kind);
            said.extend((!keys.is_empty()).then(|| format!("{before}{keys}")));
        }
        if !there.filled.is_empty() {
            said.push(format!("filled with the values that it would send: {}", there.filled.join(", ")));
        }
        for note in there
            .notes
            .iter()
            .filter(|note| !matches!(note.kind, TranslationNoteKind::NotSent | TranslationNoteKind::Own))
        {
            if !said.contains(&note.message) {
                said.push(note.message.clone());
            }
        }
        for (index, says) in said.iter().enumerate() {
            block(page, &[(if index == 0 { agent_name(of.agent.as_str()) } else { "" }, LABEL)], Tone::Quiet, says);
        }
    }
}

fn explain(page: &mut TextPage, difference: &AgentDifference) {
    page.put(Tone::Strong, &format!(" {}", cut(&difference.title, WIDTH - 1))).end();
    // If each cell has exactly one rule, the rule is printed beside it.
    let beside = difference.cells.iter().all(|cell| cell.reasons.len() == 1);
    let shows = column(difference.cells.iter().map(|cell| cell.text.as_str()), WIDTH);
    for DifferenceCell { agent, text: shown, reasons: why } in &difference.cells {
        if beside {
            let rules: Vec<String> = why.iter().map(|(rule, says)| format!("{rule}: {says}")).collect();
            block(page, &[(agent_name(agent.as_str()), LABEL), (shown, shows + 2)], Tone::Quiet, &rules.join(" "));
            continue;
        }
        block(page, &[(agent_name(agent.as_str()), LABEL)], Tone::Plain, shown);
        for (rule, says) in why {
            block(page, &[("", LABEL)], Tone::Quiet, &format!("{rule}: {says}"));
        }
    }
}

/// Prints a text, wrapped, to the right of its labels.
fn block(page: &mut TextPage, labels: &[(&str, usize)], tone: Tone, text: &str) {
    let room = WIDTH - 3 - labels.iter().map(|(_, width)| width).sum::<usize>();
    let all: Vec<String> = text.lines().flat_map(|line| wrap(&one_line(line), room)).collect();
    let more = all.len() > LINES;
    for (index, line) in all.iter().take(LINES).enumerate() {
        page.put(Tone::Plain, "   ");
        for (label, width) in labels {
            page.cell(Tone::Plain, if index == 0 { label } else { "" }, *width);
        }
        let line = if more && index + 1 == LINES { format!("{line} …") } else { line.clone() };
        page.put(tone, &cut(&line, room)).end();
    }
}
