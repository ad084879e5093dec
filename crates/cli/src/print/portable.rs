//! The page of `portable`. At most 80 columns wide, except for JSON.

use super::text_page::{TextPage, Tone, agent_name, column, wrap};
use super::write_stdout;
use hookbench_app::document::{PortableAnswerDoc, PortableDoc, PortableHookDoc};
use hookbench_core::convert::{PortedEffect, PortedHook};
use hookbench_core::lint::Refusal;

/// Width of the page in columns.
const WIDTH: usize = 80;
/// Width of the column of effects.
const EFFECT: usize = 13;

/// Prints one hook or one answer in full, a line for each effect of several hooks, or the table of several answers.
pub fn portable(doc: &PortableDoc) {
    let mut page = TextPage::about_settings();
    match (doc.hooks.as_slice(), doc.answers.as_slice()) {
        ([], []) => drop(page.put(Tone::Plain, " no hooks are configured here").end()),
        ([], [answer]) => {
            page.put(Tone::Strong, &format!(" {}", answer.answer)).end().end();
            agents(&mut page, &answer.agents);
        }
        ([], answers) => table(&mut page, answers),
        ([hook], _) => {
            heading(&mut page, hook);
            refusals(&mut page, hook.refusals.as_deref());
            page.end();
            agents(&mut page, &hook.agents);
        }
        (hooks, _) => summary(&mut page, hooks),
    }
    write_stdout(&page.finish());
}

fn heading(page: &mut TextPage, hook: &PortableHookDoc) {
    let matcher = hook.matcher.as_str().filter(|matcher| !matcher.is_empty());
    let on = matcher.map_or_else(|| hook.event.clone(), |matcher| format!("{} {matcher}", hook.event));
    page.put(Tone::Strong, &format!(" {}  {}", hook.hook, hook.name)).put(Tone::Plain, &format!("   {on}"));
    page.put(Tone::Quiet, &format!("   {} {}:{}", agent_name(&hook.agent), hook.source.file, hook.source.line)).end();
}

/// The answers with which the script refuses.
fn refusals(page: &mut TextPage, refusals: Option<&[Refusal]>) {
    match refusals {
        None => drop(page.put(Tone::Quiet, "     its script is not understood; fire it to see its answers").end()),
        Some([]) => drop(page.put(Tone::Quiet, "     reading its script shows no refusal").end()),
        Some(refusals) => {
            for one in refusals {
                let texts = [("stdout", &one.stdout), ("stderr", &one.stderr)].into_iter();
                let texts = texts.filter(|(_, text)| !text.is_empty());
                page.put(Tone::Plain, &format!("     refuses with exit {}", one.status));
                for (stream, text) in texts {
                    page.put(Tone::Plain, &format!(", {stream} {}", text.trim()));
                }
                page.put(Tone::Quiet, &format!("   {}", one.place)).end();
            }
        }
    }
}

/// One agent in each row: the effect, what is lost, and the answer that refuses.
fn agents(page: &mut TextPage, agents: &[PortedHook]) {
    let name = column(agents.iter().map(|there| agent_name(there.agent.as_str())), WIDTH) + 2;
    let before = " ".repeat(1 + name + EFFECT);
    for there in agents {
        page.put(Tone::Plain, " ").cell(Tone::Plain, agent_name(there.agent.as_str()), name);
        page.cell(tone(there.effect), there.effect.words(), EFFECT);
        let width = WIDTH - before.len();
        let losses = there.losses.iter().flat_map(|loss| wrap(loss, width)).map(|line| (Tone::Plain, line));
        // A cure contains JSON, which is copied as a whole.
        let cure = there.cure.iter().map(|cure| (Tone::Good, format!("fix: {cure}")));
        for (index, (tone, line)) in losses.chain(cure).enumerate() {
            if index > 0 {
                page.end().put(Tone::Plain, &before);
            }
            page.put(tone, &line);
        }
        page.end();
    }
}

fn tone(effect: PortedEffect) -> Tone {
    match effect {
        PortedEffect::Refuses => Tone::Good,
        PortedEffect::LetsPass | PortedEffect::NeverRuns => Tone::Bad,
        PortedEffect::Unknown => Tone::Warn,
        PortedEffect::Runs => Tone::Plain,
    }
}

/// Several hooks: the agents of each effect.
fn summary(page: &mut TextPage, hooks: &[PortableHookDoc]) {
    let effects = [
        PortedEffect::Refuses,
        PortedEffect::LetsPass,
        PortedEffect::Unknown,
        PortedEffect::NeverRuns,
        PortedEffect::Runs,
    ];
    for hook in hooks {
        heading(page, hook);
        for kind in effects {
            let names: Vec<&str> = hook
                .agents
                .iter()
                .filter(|there| there.effect == kind)
                .map(|there| agent_name(there.agent.as_str()))
                .collect();
            if names.is_empty() {
                continue;
            }
            for (index, line) in wrap(&names.join(", "), WIDTH - 5 - EFFECT).into_iter().enumerate() {
                let word = if index == 0 { kind.words() } else { "" };
                page.put(Tone::Plain, "     ").cell(tone(kind), word, EFFECT);
                page.put(Tone::Plain, &line).end();
            }
        }
    }
    page.end().put(Tone::Quiet, " hookbench portable HOOK says why, and what to change").end();
}

/// Several answers: their numbers as columns, the agents as rows.
fn table(page: &mut TextPage, answers: &[PortableAnswerDoc]) {
    for (index, answer) in answers.iter().enumerate() {
        page.put(Tone::Quiet, &format!(" {:>2}  ", index + 1)).put(Tone::Plain, &answer.answer).end();
    }
    page.end();
    let mut ids: Vec<&str> = Vec::new();
    for there in answers.iter().flat_map(|answer| &answer.agents) {
        if !ids.contains(&there.agent.as_str()) {
            ids.push(there.agent.as_str());
        }
    }
    let name = column(ids.iter().map(|id| agent_name(id)), WIDTH) + 2;
    page.put(Tone::Plain, " ").cell(Tone::Plain, "", name);
    for index in 0..answers.len() {
        page.cell(Tone::Quiet, &format!("{:>2}", index + 1), 4);
    }
    page.end();
    for id in ids {
        page.put(Tone::Plain, " ").cell(Tone::Plain, agent_name(id), name);
        for answer in answers {
            let there = answer.agents.iter().find(|there| there.agent.as_str() == id);
            let (sign, tone) = match there.map(|there| there.effect) {
                Some(PortedEffect::Refuses) => (" x", Tone::Good),
                Some(PortedEffect::LetsPass) => (" -", Tone::Bad),
                Some(PortedEffect::Unknown) => (" ?", Tone::Warn),
                _ => ("", Tone::Quiet),
            };
            page.cell(tone, sign, 4);
        }
        page.end();
    }
    page.end().put(Tone::Quiet, " x refuses   - lets pass   ? was not observed").end();
}
