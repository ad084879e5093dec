//! The part of a firing's page that compares it with the installed agent.

use super::text_page::{TextPage, Tone, agent_name};
use hookbench_app::{CrossAgentEvent, FiringRecord, Session};
use hookbench_core::calibration::Difference;
use hookbench_core::verification::Verification;

/// The number of lines shown of each text that the model was told.
const LINES: usize = 12;

/// Prints the comparison, if there is one.
pub fn verification(page: &mut TextPage, firing: &FiringRecord) {
    let name = agent_name(firing.agent.as_str());
    match firing.verification.as_deref() {
        None => {}
        Some(Err(why)) => {
            page.end().put(Tone::Warn, " NOT VERIFIED  ").put(Tone::Plain, why).end();
        }
        Some(Ok(found)) => compared(page, found, name),
    }
}

/// Prints one line for each agent in which an event was verified.
pub fn verified_everywhere(page: &mut TextPage, all: &CrossAgentEvent, session: &Session) {
    page.end();
    for (of, there) in all.translated() {
        let Some(verification) = session.fired_there(there).and_then(|firing| firing.verification.as_deref()) else {
            continue;
        };
        let name = agent_name(of.agent.as_str());
        let (tone, word, says) = match verification {
            Ok(found) if found.agrees() => (Tone::Good, found.word(), found.headline(name)),
            Ok(found) => (Tone::Bad, found.word(), found.headline(name)),
            Err(why) => (Tone::Warn, "NOT VERIFIED", why.clone()),
        };
        page.put(Tone::Plain, " ").cell(tone, word, 14).put(Tone::Plain, &says).end();
    }
}

fn compared(page: &mut TextPage, found: &Verification, name: &str) {
    let tone = if found.agrees() { Tone::Good } else { Tone::Bad };
    page.end().put(Tone::Plain, " ").put(tone, found.word()).put(Tone::Strong, &format!("  {name} {}", found.version));
    page.put(Tone::Quiet, if found.isolated { "   without network, on a copy" } else { "   on a copy" }).end();
    for difference in &found.differences {
        differs(page, difference);
    }
    for (number, run) in found.runs.iter().enumerate() {
        let exit = run.exit.as_deref().unwrap_or("ended by the agent");
        page.put(Tone::Quiet, &label(if number == 0 { "ran" } else { "" })).put(Tone::Plain, &run.hook);
        page.put(Tone::Quiet, &format!("   {exit}")).end();
    }
    let blocked = found.blocked.map(|blocked| if blocked { "yes" } else { "no" });
    line(page, "blocked", blocked);
    line(page, "input", found.tool_input.as_ref().map(ToString::to_string).as_deref());
    for (number, text) in found.told_the_model.iter().enumerate() {
        for (row, part) in text.lines().take(LINES).enumerate() {
            let name = if number == 0 && row == 0 { "told" } else { "" };
            page.put(Tone::Quiet, &label(name)).put(Tone::Plain, part).end();
        }
    }
    for note in &found.notes {
        line(page, "note", Some(note));
    }
}

fn differs(page: &mut TextPage, difference: &Difference) {
    line(page, "differs", Some(&difference.aspect));
    line(page, "  here", Some(&difference.predicted));
    line(page, "  there", Some(&difference.seen));
}

fn line(page: &mut TextPage, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        page.put(Tone::Quiet, &label(name)).put(Tone::Plain, text.lines().next().unwrap_or_default()).end();
    }
}

fn label(name: &str) -> String {
    format!(" {name:<9}")
}
