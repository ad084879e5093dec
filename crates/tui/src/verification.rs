//! The comparison of a firing with the installed agent: its start, and its result in a popup and as sentences.

use ratatui::style::Style;

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::Popup;
use crate::theme::Theme;
use crate::widgets::StyledLine;
use hookbench_app::{FiringId, FiringRecord};
use hookbench_core::calibration::Difference;
use hookbench_core::dialects;
use hookbench_core::text::stringify_pretty;
use hookbench_core::verification::{Verification, VerifiedRun};

/// The width of the column with the names of the rows.
const NAME: usize = 9;

/// Says that the agent runs.
pub fn show_start(model: &mut Model) {
    let Some(agent) = model.session.verifying() else { return };
    let name = dialects::by_id(agent.as_str()).map_or("the agent", |dialect| dialect.name());
    model.toast = Some(format!("running {name} on a copy of the project; {} stops it", model.key(UiCommand::Cancel)));
}

/// Shows the result of a verification.
pub fn show(model: &mut Model, firing: FiringId) {
    let Some(record) = model.session.firing(firing) else { return };
    let lines = lines(record, model.theme);
    // It says that the agent runs.
    model.toast = None;
    let title = format!("{} in {}", record.input.event, agent_name(record));
    model.popups.push(Popup::Lines { title, lines, top: 0 });
}

/// The result for the band: a word with its style. `None` if the firing was not verified.
pub fn mark(record: &FiringRecord, theme: Theme) -> Option<(Style, &'static str)> {
    Some(match record.verification.as_deref()? {
        Ok(found) if found.agrees() => (theme.good(), found.word()),
        Ok(found) => (theme.bad(), found.word()),
        Err(_) => (theme.warn(), "NOT VERIFIED"),
    })
}

/// The result in one line.
pub fn headline(record: &FiringRecord) -> Option<String> {
    Some(match record.verification.as_deref()? {
        Ok(found) => found.headline(agent_name(record)),
        Err(why) => why.clone(),
    })
}

fn agent_name(record: &FiringRecord) -> &'static str {
    dialects::by_id(record.agent.as_str()).map_or("the agent", |dialect| dialect.name())
}

fn lines(record: &FiringRecord, theme: Theme) -> Vec<StyledLine> {
    let name = agent_name(record);
    match record.verification.as_deref() {
        None => Vec::new(),
        Some(Err(why)) => vec![vec![(theme.warn(), "NOT VERIFIED  ".to_owned()), (theme.plain(), why.clone())]],
        Some(Ok(found)) => result_lines(found, name, theme),
    }
}

fn result_lines(found: &Verification, name: &str, theme: Theme) -> Vec<StyledLine> {
    let style = if found.agrees() { theme.good() } else { theme.bad() };
    let place =
        if found.isolated { "   on a copy of the project, without network" } else { "   on a copy of the project" };
    let mut lines = vec![vec![
        (style, found.word().to_owned()),
        (theme.strong(), format!("  {name} {}", found.version)),
        (theme.quiet(), place.to_owned()),
    ]];
    for difference in &found.differences {
        lines.push(Vec::new());
        lines.extend(difference_lines(difference, theme));
    }
    section(&mut lines, "Hooks in the agent", found.runs.iter().map(|run| run_line(run, theme)), theme);
    let mut action = Vec::new();
    if let Some(blocked) = found.blocked {
        action.push(row("blocked", if blocked { "yes" } else { "no" }, theme.plain(), theme));
    }
    if let Some(input) = &found.tool_input {
        action.extend(rows("input", &stringify_pretty(input), theme));
    }
    section(&mut lines, "The tool", action, theme);
    let told = found
        .told_the_model
        .iter()
        .flat_map(|text| text.trim_end().lines().map(|line| vec![(theme.plain(), line.to_owned())]));
    section(&mut lines, "The model was told", told.collect::<Vec<_>>(), theme);
    section(&mut lines, "Notes", found.notes.iter().map(|note| vec![(theme.quiet(), note.clone())]), theme);
    for run in &found.runs {
        let stdin = stringify_pretty(&run.stdin);
        let title = format!("stdin of {}", run.hook);
        section(&mut lines, &title, stdin.lines().map(|line| vec![(theme.plain(), line.to_owned())]), theme);
    }
    lines
}

fn difference_lines(difference: &Difference, theme: Theme) -> Vec<StyledLine> {
    vec![
        row("differs", &difference.aspect, theme.bad(), theme),
        row("here", &difference.predicted, theme.plain(), theme),
        row("there", &difference.seen, theme.plain(), theme),
    ]
}

fn run_line(run: &VerifiedRun, theme: Theme) -> StyledLine {
    let exit = run.exit.as_deref().unwrap_or("ended by the agent");
    vec![(theme.plain(), run.hook.clone()), (theme.quiet(), format!("   {exit}"))]
}

/// Adds lines under a title, after an empty line, if there are any.
fn section(lines: &mut Vec<StyledLine>, title: &str, all: impl IntoIterator<Item = StyledLine>, theme: Theme) {
    let mut all = all.into_iter().peekable();
    if all.peek().is_some() {
        lines.push(Vec::new());
        lines.push(vec![(theme.strong(), title.to_owned())]);
        lines.extend(all);
    }
}

fn row(name: &str, text: &str, style: Style, theme: Theme) -> StyledLine {
    vec![(theme.quiet(), format!("{name:<NAME$}")), (style, text.replace('\n', " / "))]
}

fn rows(name: &str, text: &str, theme: Theme) -> Vec<StyledLine> {
    let named = |(at, line): (usize, &str)| row(if at == 0 { name } else { "" }, line, theme.plain(), theme);
    text.lines().enumerate().map(named).collect()
}
