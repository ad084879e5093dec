//! A row of the list as a line.

use ratatui::style::Style;

use super::presence::GuardPresence;
use super::{GuardsRow, GuardsView};
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::guards::{GuardOverview, JudgedHit, Judgement};
use hookbench_core::dialects;
use hookbench_core::guard::GuardMode;
use hookbench_core::text::one_line;

/// Renders a row for `columns` columns.
pub fn line(view: &GuardsView, row: GuardsRow, columns: usize, theme: Theme) -> StyledLine {
    let selected = view.row() == Some(row);
    let mut line = vec![(theme.plain(), if selected { theme.cursor() } else { " " }.to_owned())];
    match row {
        GuardsRow::Guard(index) => {
            line.extend(
                view.guards().get(index).map(|guard| guard_line(view, index, guard, theme)).unwrap_or_default(),
            );
        }
        GuardsRow::Hit(index) => {
            line.extend(view.hits().get(index).map(|one| hit_line(view, one, columns, theme)).unwrap_or_default());
        }
    }
    line
}

/// The style of a mode.
pub fn mode_style(mode: GuardMode, theme: Theme) -> Style {
    match mode {
        GuardMode::Deny => theme.bad(),
        GuardMode::Warn => theme.warn(),
        GuardMode::Shadow => theme.plain(),
        GuardMode::Off => theme.quiet(),
    }
}

fn guard_line(view: &GuardsView, index: usize, guard: &GuardOverview, theme: Theme) -> StyledLine {
    let mut line = vec![(theme.strong(), format!("{:<10} ", guard.guard.word()))];
    line.push((mode_style(guard.mode, theme), format!("{:<7} ", guard.mode.word())));
    let own = || view.hits().iter().filter(|one| one.hit.guard == guard.guard.word());
    let judged = |judgement| own().filter(|one| one.judged == Some(judgement)).count();
    let counts = [(own().count(), "found"), (judged(Judgement::Right), "right"), (judged(Judgement::Wrong), "wrong")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let found = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
    line.push((theme.quiet(), format!("{}, {found}", presence_words(view, index, guard))));
    let since = guard.since.as_deref().and_then(|since| since.split('T').next());
    line.extend(since.map(|since| (theme.quiet(), format!(", since {since}"))));
    line
}

/// Says where a guard is installed, first of all whether the agent on the bench has it.
fn presence_words(view: &GuardsView, index: usize, guard: &GuardOverview) -> String {
    match view.presence.get(index) {
        Some(GuardPresence::Installed) => return "installed".to_owned(),
        Some(GuardPresence::Inactive) => return "installed, does not run".to_owned(),
        _ => {}
    }
    let mut agents: Vec<&str> = guard.installed.iter().map(|command| dialects::name_of(command.agent)).collect();
    agents.dedup();
    match (agents.as_slice(), view.agent, view.presence.get(index)) {
        ([], Some(agent), Some(GuardPresence::Impossible(_))) => format!("not for {}", dialects::name_of(agent)),
        ([], ..) => "not installed".to_owned(),
        ([one], ..) => format!("only in {one}"),
        (several, ..) => format!("in {} other agents", several.len()),
    }
}

/// The word for the judgement of a finding.
pub fn judged(one: &JudgedHit) -> &'static str {
    match (&one.hit.allowed, one.judged) {
        (Some(_), _) => "allowed",
        (None, Some(judged)) => judged.word(),
        (None, None) => "",
    }
}

fn hit_line(view: &GuardsView, one: &JudgedHit, columns: usize, theme: Theme) -> StyledLine {
    let hit = &one.hit;
    let style = match one.judged {
        Some(Judgement::Right) => theme.good(),
        Some(Judgement::Wrong) => theme.warn(),
        None => theme.quiet(),
    };
    let mut line = vec![(theme.name(), format!("  {:<6} ", hit.rule)), (style, format!("{:<7} ", judged(one)))];
    // Evidence that the sentence repeats says nothing alone.
    let text = if hit.what.contains(&hit.evidence) { &hit.what } else { &hit.evidence };
    let mut left = columns.saturating_sub(19);
    if !view.is_own(one) {
        let other = fit(&one_line(project_name(&one.hit.project)), left / 3, theme);
        left = left.saturating_sub(width(&other) + 2);
        line.push((theme.quiet(), format!("{other}: ")));
    }
    line.push((theme.plain(), fit(&one_line(text), left.max(10), theme)));
    line
}

/// The last part of a project's directory.
fn project_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("no project")
}
