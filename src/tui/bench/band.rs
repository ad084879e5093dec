//! The verdict band: what happens, who decided, what never ran. The second thing on every bench.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::FiringRecord;
use crate::core::config::LayerState;
use crate::core::decide::{Outcome, Verdict};
use crate::core::trace::{Evidence, TraceStep};
use crate::tui::keymap::Verb;
use crate::tui::model::Model;
use crate::tui::widgets::Cells;

/// One row: a word on the left, a sentence, something on the right.
#[derive(Debug, Clone, PartialEq)]
pub struct BandRow {
    pub word: String,
    pub style: Style,
    pub parts: Vec<(Style, String)>,
    pub right: String,
}

/// The rows of the band; at least four where there is room, so that nothing below jumps.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub rows: Vec<BandRow>,
}

/// What stands before a hook that never runs.
const NEVER_WORD: &str = "never";

/// Rows of "never" that are shown before they are only counted.
const NEVER: usize = 2;

impl Band {
    /// What the band says now.
    pub fn of(model: &Model) -> Band {
        let mut rows = Vec::new();
        if let Some(row) = refused(model) {
            rows.push(row);
        } else if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
            verdict_rows(model, outcome, &mut rows);
        } else if model.firing().is_some() {
            rows.push(running(model));
        } else {
            rows.push(ready(model));
        }
        rows.extend(broken(model));
        rows.extend(failing(model));
        never(model, &mut rows);
        let theme = model.theme;
        let least = if model.size.1 >= 20 { 4 } else { 3 };
        while rows.len() < least {
            rows.push(BandRow { word: String::new(), style: theme.plain(), parts: Vec::new(), right: String::new() });
        }
        Band { rows }
    }
}

fn row(word: &str, style: Style, parts: Vec<(Style, String)>) -> BandRow {
    BandRow { word: word.to_owned(), style, parts, right: String::new() }
}

/// The agent would not start here at all.
fn refused(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let loaded = model.loaded()?;
    if let Some(refusal) = &loaded.refused {
        return Some(row(
            "REFUSES",
            theme.verdict(Verdict::FailedClosed),
            vec![(theme.strong(), refusal.says.clone())],
        ));
    }
    let lost = model.plan()?.lost.as_ref()?;
    Some(row("LOST", theme.verdict(Verdict::FailedOpen), vec![(theme.strong(), lost.why.says.clone())]))
}

fn ready(model: &Model) -> BandRow {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else {
        return row("READING", theme.strong(), vec![(theme.quiet(), "the settings".to_owned())]);
    };
    let broken = loaded.layers.iter().any(|l| l.state == LayerState::Broken);
    let stale = model.session.current().map_or(0, |a| a.stale.len());
    let ready = model.session.bench.ready();
    if broken && ready.fires == 0 {
        let says = match stale {
            0 => "a file cannot be read, so none of its hooks run".to_owned(),
            n => format!("a file cannot be read, so the {n} hooks that it had do not run"),
        };
        return row("BROKEN", theme.verdict(Verdict::FailedClosed), vec![(theme.strong(), says)]);
    }
    if loaded.definitions.is_empty() {
        let says = "no hook is configured for this agent here".to_owned();
        return row("NO HOOKS", theme.verdict(Verdict::NotRun), vec![(theme.strong(), says)]);
    }
    let never = model.never().len();
    let others = ready.never.saturating_sub(never.min(ready.never));
    let count = |n: usize, words: &str| if n > 0 { format!(", {n} {words}") } else { String::new() };
    let would = if ready.fires == 0 { "nothing will run".to_owned() } else { format!("{} will run", ready.fires) };
    let says = format!(
        "{would}{}{}{}{}",
        count(model.failing.len(), "of them will fail"),
        count(never.saturating_sub(ready.unknown), "never will"),
        count(others, "for something else"),
        count(ready.unknown, "unknown"),
    );
    let mut parts = vec![(theme.strong(), says)];
    if ready.fires > 0 && !model.session.options.yes && !model.session.consent_missing().is_empty() {
        parts.push((
            theme.quiet(),
            format!("   {} asks before these commands run for the first time", model.key(Verb::Fire)),
        ));
    }
    let word = if ready.fires == 0 { "NOBODY" } else { "READY" };
    let mut row = row(word, theme.verdict(Verdict::NoObjection), parts);
    let same = |f: &&FiringRecord| {
        Some(&f.input) == model.session.bench.input.as_ref() && f.agent == model.session.bench.agent && !f.cancelled
    };
    if let Some(last) = model.behind() {
        row.right = format!("run {} of {} goes on", last.id.0, last.input.event);
    } else if let Some(last) = model.session.firings.iter().rev().find(same).and_then(|f| f.outcome.as_ref()) {
        row.right = format!("before: {}", last.verdict.title().to_lowercase());
    }
    row
}

fn running(model: &Model) -> BandRow {
    let theme = model.theme;
    let runs = model.firing().map(|f| f.runs.as_slice()).unwrap_or_default();
    let going = runs.iter().filter(|r| r.ended().is_none()).count();
    let time = model.started.map_or(0.0, |s| s.elapsed().as_secs_f64());
    let says = format!("{going} of {} still running", runs.len());
    let mut row = row(
        "RUNNING",
        theme.verdict(Verdict::Ask),
        vec![(theme.strong(), says), (theme.quiet(), format!("   {} ends it", model.key(Verb::Cancel)))],
    );
    row.right = format!("{time:.1} s");
    row
}

fn verdict_rows(model: &Model, outcome: &Outcome, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let Some(firing) = model.firing() else { return };
    let mut first = row(
        if firing.superseded { "SUPERSEDED" } else { outcome.verdict.title() },
        theme.verdict(outcome.verdict),
        vec![(theme.strong(), outcome.agent_does.clone())],
    );
    let before = model
        .previous()
        .and_then(|f| f.outcome.as_ref())
        .map_or(String::new(), |o| format!(" · before: {}", o.verdict.title().to_lowercase()));
    let outdated = if model.outdated() { " · settings have changed since" } else { "" };
    let supposed = if firing.supposed { " · supposed, not run" } else { "" };
    first.right = format!("run {}{supposed}{before}{outdated}", firing.id.0);
    rows.push(first);
    let mut by = Vec::new();
    if let Some(definition) = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id)) {
        by.push((theme.strong(), definition.label()));
        by.push((
            theme.quiet(),
            format!("   {} {}:{}", definition.from.layer.word(), definition.from.file, definition.from.line),
        ));
        let more = outcome.decided_by.len() - 1;
        if more > 0 {
            by.push((theme.quiet(), format!(" and {more} more")));
        }
    }
    let because = deciding_step(outcome, firing).unwrap_or_default();
    // Who it was stands before it already.
    let name =
        outcome.decided_by.first().and_then(|id| firing.loaded.definition(id)).map(|d| format!("{}: ", d.label()));
    let because = name.and_then(|n| because.strip_prefix(&n).map(str::to_owned)).unwrap_or(because);
    let because = without(&because, &outcome.agent_does);
    if !because.is_empty() {
        by.push((theme.plain(), if by.is_empty() { because } else { format!("   {because}") }));
    }
    if !by.is_empty() {
        let word = if outcome.decided_by.is_empty() { "because" } else { "by" };
        rows.push(row(word, theme.quiet(), by));
    }
    if let Some(reason) = outcome.reason.as_deref().and_then(|r| r.lines().find(|l| !l.trim().is_empty())) {
        // Which command it was stands in the row above already.
        let command = outcome.decided_by.first().and_then(|id| firing.loaded.definition(id)).map(|d| d.handler.text());
        let frame = command.map(|c| format!("[{c}]: ")).unwrap_or_default();
        let reason = reason.strip_prefix(&frame).unwrap_or(reason);
        let mut row = row("reason", theme.quiet(), vec![(theme.plain(), reason.trim().to_owned())]);
        row.right = outcome.seen_by.map_or(String::new(), |who| format!("{who} reads it"));
        rows.push(row);
    } else if let Some(context) = outcome.additional_context.as_deref().and_then(|c| c.lines().next()) {
        rows.push(row("context", theme.quiet(), vec![(theme.plain(), context.to_owned())]));
    }
}

/// The sentence of the rule that made the decision: the innermost first step that is about the run which decided.
fn deciding_step(outcome: &Outcome, firing: &FiringRecord) -> Option<String> {
    let run = outcome.decided_by.first().and_then(|id| firing.run_of(id)).map(|r| r.run);
    let about = |step: &TraceStep| {
        run.is_none_or(|run| {
            step.evidence.iter().any(|e| match e {
                Evidence::Output { run: of, .. } | Evidence::Exit { run: of } => *of == run,
                _ => false,
            })
        })
    };
    let mut best = None;
    let mut steps: Vec<&TraceStep> = outcome.trace.iter().rev().collect();
    while let Some(step) = steps.pop() {
        if about(step) && step.says != outcome.agent_does {
            best = Some(step.says.clone());
            break;
        }
        steps.extend(step.children.iter().rev());
    }
    best.or_else(|| outcome.trace.first().map(|s| s.says.clone()))
}

/// What a sentence adds to one that stands above it already.
fn without(says: &str, known: &str) -> String {
    let same = says.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
    let rest = if same { says.get(known.len()..).unwrap_or("") } else { says };
    rest.trim_start_matches([':', ';', ',', '.', ' ']).to_owned()
}

/// The first file that cannot be read, with its place and cure.
fn broken(model: &Model) -> Option<BandRow> {
    let theme = model.theme;
    let loaded = model.loaded()?;
    let layer = loaded.layers.iter().find(|l| l.state == LayerState::Broken)?;
    let finding = loaded.notes.iter().find(|d| d.place(&loaded.sources).is_some_and(|(file, _)| file == layer.file));
    let place = finding
        .and_then(|d| d.place(&loaded.sources))
        .and_then(|(file, at)| at.map(|(line, column)| format!("{file}:{line}:{column}")))
        .unwrap_or_else(|| layer.file.clone());
    let mut parts = vec![(theme.bad(), place)];
    let says = finding.map(|d| d.message.clone()).or_else(|| layer.says.clone()).unwrap_or_default();
    parts.push((theme.plain(), format!("   {says}")));
    if let Some(help) = finding.and_then(|d| d.help.as_ref()) {
        parts.push((theme.quiet(), format!("   {help}")));
    }
    Some(row("broken", theme.bad(), parts))
}

/// The first hook that will be started in vain.
fn failing(model: &Model) -> Option<BandRow> {
    if model.firing().is_some() {
        return None;
    }
    let theme = model.theme;
    let definition = model.loaded()?.definition(model.failing.first()?)?;
    let says = model.session.resolve(model.session.current()?, definition)?.says;
    Some(row("fails", theme.warn(), vec![(theme.strong(), definition.label()), (theme.warn(), format!("   {says}"))]))
}

fn never(model: &Model, rows: &mut Vec<BandRow>) {
    let theme = model.theme;
    let never = model.never();
    for (definition, entry) in never.iter().take(NEVER) {
        let parts = vec![(theme.strong(), definition.label()), (theme.warn(), format!("   {}", entry.why.says))];
        let mut row = row(NEVER_WORD, theme.warn(), parts);
        if let Some(nearest) = entry.nearest.first() {
            row.right = format!("nearest: {nearest}");
        }
        rows.push(row);
    }
    if never.len() > NEVER
        && let Some(last) = rows.last_mut()
    {
        last.right = format!("+ {} more never run", never.len() - NEVER);
    }
}

/// Draws the band.
pub fn band(model: &Model, band: &Band, area: Rect, buf: &mut Buffer) {
    for (index, row) in band.rows.iter().enumerate() {
        let Ok(offset) = u16::try_from(index) else { return };
        if offset >= area.height {
            return;
        }
        let line = Rect { y: area.y + offset, height: 1, ..area };
        let mut cells = Cells::new(line, buf, model.theme);
        let first = index == 0;
        cells.skip(1);
        // Where space is dear, the sentences have it.
        let wide = |text: &str| crate::tui::widgets::width(text);
        let needed = 12 + row.parts.iter().map(|(_, t)| wide(t)).sum::<usize>() + 3 + wide(&row.right);
        if first || needed <= usize::from(area.width) {
            cells.right(model.theme.quiet(), &format!("{} ", row.right));
        }
        // The verdict's word stands out as a block; the words below line up with its text.
        let word = if first { format!(" {} ", row.word) } else { format!(" {}", row.word) };
        let used = crate::tui::widgets::width(&word);
        let column = if area.width >= 60 { 11 } else { 8 };
        cells.put(row.style, &word).skip(column.max(used + 1) - used);
        // The cause before the name, where only one of them fits.
        let turned = area.width < 60 && row.word == NEVER_WORD;
        let parts: Vec<&(Style, String)> =
            if turned { row.parts.iter().rev().collect() } else { row.parts.iter().collect() };
        for (index, (style, text)) in parts.into_iter().enumerate() {
            let text = if turned { text.trim_start() } else { text };
            cells.skip(if turned && index > 0 { 2 } else { 0 }).put(*style, text);
        }
    }
}
