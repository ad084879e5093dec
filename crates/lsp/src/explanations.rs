//! What hookbench knows about a hook, a matcher and an event, as Markdown.

use hookbench_app::document::{MatchDoc, match_doc};
use hookbench_app::lint::Finding;
use hookbench_app::{AgentState, Ladder, LadderParts, MatcherAssessment, Session, ladder};
use hookbench_core::dialects::{self, find_event};
use hookbench_core::hook::EventSpec;
use hookbench_core::plan::RungState;
use hookbench_core::port::mapping;

use crate::markdown::plain;
use crate::root::{PlacedHook, Root};

/// The sentence above a hook of an earlier text.
const STALE: &str = "The file cannot be read now. This is the hook of the last text that could be read.\n\n";

/// The ladder of a hook, for the subjects that are known. `None` if the settings are not loaded.
fn ladder_of(root: &Root, hook: &PlacedHook<'_>) -> Option<Ladder> {
    let PlacedHook { agent, definition, .. } = *hook;
    let (session, loaded) = (root.session(), agent.loaded.as_ref()?);
    let facts = session.hook_facts(agent, definition);
    let script = facts.resolved().and_then(|resolved| resolved.script.as_deref());
    let of_hook = |finding: &&Finding| finding.is_about(agent.dialect.id(), definition, script);
    let findings: Vec<Finding> = root.report().findings.iter().filter(of_hook).cloned().collect();
    let event = find_event(agent.dialect, &agent.version, &definition.event);
    Some(ladder(LadderParts { event, findings: &findings, ..facts.ladder_parts(loaded) }))
}

/// The ladder of the first reader of a handler, and the answers of the others.
pub fn explain_hook(root: &Root, readers: &[PlacedHook<'_>]) -> Option<String> {
    let (first, others) = readers.split_first()?;
    let climbed = ladder_of(root, first)?;
    let mut text = if first.stale { STALE.to_owned() } else { String::new() };
    text.push_str(&title(&plain(&first.definition.label()), &first.definition.event, first.agent));
    text.push_str(&format!("{}\n\n", plain(&climbed.answer)));
    for (number, rung) in (1..).zip(&climbed.rungs) {
        let mark = match rung.state {
            RungState::Ok => "✓",
            RungState::No => "✗",
            RungState::Unknown => "?",
            RungState::Skipped => "–",
        };
        text.push_str(&format!("{number}. {mark} {}: {}\n", rung.name.title(), plain(&rung.message)));
        for finding in climbed.findings_at(rung.name) {
            let (word, title) = (finding.severity.word(), finding.title());
            text.push_str(&format!("    - {word} {}: {}\n", plain(&title), plain(&finding.message)));
        }
    }
    for other in others {
        let Some(climbed) = ladder_of(root, other) else { continue };
        text.push_str(&format!("\n**{}**: {}\n", other.agent.dialect.name(), plain(&climbed.answer)));
    }
    Some(text)
}

/// The document of a matcher in the agent of a hook, and in the other agents if `everywhere` is set.
pub fn assess_matcher(session: &Session, hook: &PlacedHook<'_>, everywhere: bool) -> Option<MatchDoc> {
    let (agent, definition) = (hook.agent.dialect.id(), hook.definition);
    let board = session.board((agent.as_str(), &definition.event), &|_| everywhere, None, Some(definition), &[])?;
    let matcher = definition.matcher_text();
    let assessment = MatcherAssessment::of(&board, &matcher, None);
    Some(match_doc(&board, &assessment, None, None))
}

/// How each agent interprets the matcher of a hook, and what it matches there.
pub fn explain_matcher(session: &Session, hook: &PlacedHook<'_>) -> Option<String> {
    let doc = assess_matcher(session, hook, true)?;
    let mut text = if hook.stale { STALE.to_owned() } else { String::new() };
    text.push_str(&title(&plain(&format!("`{}`", doc.matcher)), &hook.definition.event, hook.agent));
    for agent in &doc.agents {
        let name = dialects::by_id(&agent.agent).map_or(agent.agent.as_str(), |dialect| dialect.name());
        text.push_str(&format!(
            "- **{name}**: {}; matches {}\n",
            plain(&agent.read.says),
            plain(&agent.matches_words())
        ));
        let near = agent.nearest.iter().map(|near| {
            format!("  - nearest: {}: {}\n", plain(&format!("`{}`", near.replacement)), plain(&near.message))
        });
        text.extend(near);
    }
    text.extend(doc.missing.iter().map(|missing| format!("- {}\n", plain(&missing.says))));
    text.extend(
        doc.suggestions
            .iter()
            .map(|better| format!("\nSuggestion: {}: {}\n", plain(&format!("`{}`", better.matcher)), better.says)),
    );
    Some(text)
}

/// When an event fires, what hooks can block with it, and its equivalents.
pub fn explain_event(agent: &AgentState, event: &EventSpec) -> String {
    let mut text = title(event.name, "", agent);
    text.push_str(&format!("{}\n\n", event.about));
    text.push_str(&format!("- blocks: {}\n- exit 2: {}\n", event.blockable_action.unwrap_or("nothing"), event.exit_2));
    text.push_str(&format!("- matchers compare: {}\n", event.subject.unwrap_or("nothing")));
    let fields: Vec<String> = event.fields.iter().map(|field| format!("`{}`", field.name)).collect();
    if !fields.is_empty() {
        text.push_str(&format!("- payload: {}\n", fields.join(", ")));
    }
    let Some(row) = mapping().row_of(agent.dialect.id().as_str(), event.name) else { return text };
    let equivalents = dialects::released().filter(|other| other.id() != agent.dialect.id()).filter_map(|other| {
        let own = row.events.get(other.id().as_str())?;
        Some(format!("{} `{own}`", other.name()))
    });
    let equivalents: Vec<String> = equivalents.collect();
    if !equivalents.is_empty() {
        text.push_str(&format!("- elsewhere: {}\n", equivalents.join(", ")));
    }
    text
}

fn title(subject: &str, event: &str, agent: &AgentState) -> String {
    let event = if event.is_empty() { String::new() } else { format!(" · {}", plain(event)) };
    format!("**{}**{event} · {} {}\n\n", subject, agent.dialect.name(), agent.version)
}
