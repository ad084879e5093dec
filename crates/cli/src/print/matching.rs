//! The page of `match`.

use super::text_page::{TextPage, Tone, agent_name, column, listed};
use super::write_stdout;
use hookbench_app::MatcherAssessment;
use hookbench_app::document::{MatchAgentDoc, MatchDoc, MatchValueDoc};
use hookbench_core::diagnostic::Code;

/// Width of the labels, in columns.
const LABEL: usize = 10;
/// Maximum width of a name, in columns.
const NAME: usize = 40;
/// Maximum number of names in one row.
const LISTED: usize = 8;

/// Prints how every agent interprets a matcher, what it matches, and better matchers.
pub fn matching(doc: &MatchDoc, asked: &MatcherAssessment) {
    let mut page = TextPage::new();
    page.put(Tone::Plain, " ").put(Tone::Strong, &doc.matcher).put(Tone::Plain, &format!("   {}", doc.event));
    if let Some(hook) = &doc.hook {
        let source = &hook.source;
        let place = format!("   {} {} {}:{}", hook.name, source.layer, source.file, source.line);
        page.put(Tone::Quiet, &place);
    }
    page.end();
    for agent in &doc.agents {
        one(&mut page, agent);
    }
    for missing in &doc.missing {
        let name = agent_name(&missing.agent);
        page.end()
            .put(Tone::Plain, " ")
            .put(Tone::Strong, name)
            .put(Tone::Quiet, &format!("   {}", missing.says))
            .end();
    }
    values(&mut page, doc);
    if let Some(impact) = asked.impact() {
        let says = std::iter::once(impact).chain(asked.comparisons()).collect::<Vec<_>>().join("   ");
        page.end().put(Tone::Plain, " ").cell(Tone::Quiet, "recorded", LABEL).put(Tone::Plain, &says).end();
    }
    if !doc.suggestions.is_empty() {
        page.end();
    }
    for better in &doc.suggestions {
        let word = if better.why == "everywhere" { "for all" } else { "suggest" };
        let label = page.put(Tone::Plain, " ").cell(Tone::Quiet, word, LABEL);
        label.put(Tone::Strong, &better.matcher).put(Tone::Plain, &format!("   {}", better.says)).end();
    }
    change(&mut page, doc);
    write_stdout(&page.finish());
}

fn one(page: &mut TextPage, agent: &MatchAgentDoc) {
    let row = |page: &mut TextPage, label: &str, tone: Tone, says: &str| {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, label, LABEL).put(tone, says).end();
    };
    page.end().put(Tone::Plain, " ").put(Tone::Strong, agent_name(&agent.agent));
    page.put(Tone::Quiet, &format!(" {}   {}", agent.version, agent.event)).end();
    let because = if agent.read.because.is_empty() { String::new() } else { format!(" ({})", agent.read.because) };
    row(page, "read as", Tone::Plain, &format!("{}{because}", agent.read.says));
    let is_nothing = agent.matches.is_empty() && agent.mcp.is_none();
    row(page, "matches", if is_nothing { Tone::Warn } else { Tone::Plain }, &agent.matches_words());
    if agent.read.branches.len() > 1 {
        for branch in &agent.read.branches {
            let names: Vec<String> = branch.whole.iter().chain(&branch.inside).cloned().collect();
            let names = if names.is_empty() { "no known name".to_owned() } else { listed(&names, LISTED) };
            row(page, "  branch", Tone::Plain, &format!("{}   {}: {names}", branch.text, branch.says));
        }
    }
    if !agent.also.is_empty() {
        row(page, "also", Tone::Warn, &format!("{}: the pattern is not anchored", listed(&agent.also, LISTED)));
    }
    for near in &agent.nearest {
        row(page, "nearest", Tone::Warn, &format!("{}   {}", near.replacement, near.message));
    }
    let told = |code: Code| agent.nearest.iter().any(|near| near.code == code);
    for found in agent.findings.iter().filter(|found| !told(found.code)) {
        row(page, found.code.as_str(), Tone::Warn, &found.message);
        if let Some(help) = &found.help {
            row(page, "", Tone::Quiet, help);
        }
    }
}

fn values(page: &mut TextPage, doc: &MatchDoc) {
    let worth = |value: &&MatchValueDoc| value.from == "typed" || value.seen > 0;
    let shown: Vec<&MatchValueDoc> = doc.values.iter().filter(worth).collect();
    if shown.is_empty() {
        return;
    }
    let first = column(shown.iter().map(|value| value.value.as_str()), NAME);
    page.end().put(Tone::Plain, " ").cell(Tone::Quiet, "", first + 2);
    for agent in &doc.agents {
        page.cell(Tone::Quiet, agent_name(&agent.agent), 13);
    }
    page.put(Tone::Quiet, "recorded").end();
    for value in shown {
        page.put(Tone::Plain, " ").cell(Tone::Plain, &value.value, first + 2);
        for agent in &doc.agents {
            let (tone, word) = match value.agents.get(&agent.agent) {
                Some(&"yes") => (Tone::Good, "YES"),
                Some(&"no") => (Tone::Plain, "no"),
                Some(&"unknown") => (Tone::Warn, "unknown"),
                _ => (Tone::Quiet, "."),
            };
            page.cell(tone, word, 13);
        }
        page.put(Tone::Quiet, &if value.seen == 0 { "-".to_owned() } else { value.seen.to_string() }).end();
    }
}

fn change(page: &mut TextPage, doc: &MatchDoc) {
    let Some(change) = &doc.change else { return };
    page.end();
    for line in change.diff.lines() {
        let tone = match line.chars().next() {
            Some('+') => Tone::Good,
            Some('-') => Tone::Bad,
            _ => Tone::Quiet,
        };
        page.put(Tone::Plain, " ").put(tone, line).end();
    }
    if !change.also.is_empty() {
        let says = format!(" this matcher also applies to {}", change.also.join(", "));
        page.put(Tone::Warn, &says).end();
    }
    if let Some(waits) = &change.waits {
        page.put(Tone::Warn, &format!(" after that: {waits}")).end();
    }
    let says = if change.written {
        format!(" {} written; `hookbench undo` restores the file", change.file)
    } else {
        " not written; add --yes to write the file".to_owned()
    };
    page.put(Tone::Strong, &says).end();
}
