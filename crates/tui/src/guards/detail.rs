//! The selected row in full.

use super::state::GuardPresence;
use super::view::{judged, mode_style};
use super::{GuardsRow, GuardsView};
use crate::guard_mode::mode_effect;
use crate::run_time::utc;
use crate::theme::Theme;
use crate::widgets::{StyledLine, wrap};
use hookbench_app::guards::{GuardOverview, JudgedHit};
use hookbench_core::dialects;
use hookbench_core::guard::{RULES, guard_page, instead};
use hookbench_core::live::native_event;
use hookbench_core::recorded::parse_time;
use hookbench_core::text::{one_line, pluralize};

/// Width of the id of a rule, in columns.
const RULE: usize = 10;

/// The lines of the detail.
pub fn lines(view: &GuardsView, columns: usize, theme: Theme) -> Vec<StyledLine> {
    match view.row() {
        Some(GuardsRow::Guard(index)) => {
            view.guards().get(index).map(|guard| guard_lines(view, index, guard, columns, theme)).unwrap_or_default()
        }
        Some(GuardsRow::Hit(index)) => {
            view.hits().get(index).map(|one| hit_lines(one, columns, theme)).unwrap_or_default()
        }
        None => Vec::new(),
    }
}

fn guard_lines(
    view: &GuardsView,
    index: usize,
    guard: &GuardOverview,
    columns: usize,
    theme: Theme,
) -> Vec<StyledLine> {
    let mut lines = vec![
        vec![(theme.strong(), guard.guard.word().to_owned())],
        vec![(theme.plain(), guard.guard.about().to_owned())],
        vec![
            (theme.quiet(), "mode ".to_owned()),
            (mode_style(guard.mode, theme), guard.mode.word().to_owned()),
            (theme.quiet(), format!("   {}", mode_effect(guard.mode))),
        ],
        Vec::new(),
    ];
    for command in &guard.installed {
        let mode = command.mode.map_or(String::new(), |mode| format!(", --mode {}", mode.word()));
        let text = format!("{} {} in {}{mode}", dialects::name_of(command.agent), command.event, command.place);
        lines.extend(wrap(&[(theme.plain(), text)], columns, 2));
        if let Some(why) = &command.inactive {
            lines.extend(wrap(&[(theme.warn(), format!("  does not run: {why}"))], columns, 2));
        }
    }
    let agent = view.agent.map_or("", dialects::name_of);
    let help = match view.presence.get(index) {
        Some(GuardPresence::Absent { file }) => {
            (theme.plain(), format!("not installed in {agent}; Enter adds it to {file}"))
        }
        Some(GuardPresence::Impossible(why)) => (theme.warn(), format!("{agent} cannot run it: {why}")),
        _ => (
            theme.quiet(),
            format!("hookbench guard mode {} {} changes it", guard.guard.word(), "shadow|warn|deny|off"),
        ),
    };
    lines.extend(wrap(&[help], columns, 0));
    lines.extend([Vec::new(), vec![(theme.strong(), "rules".to_owned())]]);
    for rule in RULES.iter().filter(|rule| rule.guard == guard.guard) {
        let title = guard_page(rule.id).map_or("", |page| page.title);
        let aside = if rule.recommended { "" } else { "   optional" };
        let pieces = [
            (theme.name(), format!("{:<RULE$}", rule.id)),
            (theme.plain(), title.to_owned()),
            (theme.quiet(), aside.to_owned()),
        ];
        lines.extend(wrap(&pieces, columns, RULE));
    }
    lines
}

fn hit_lines(one: &JudgedHit, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let hit = &one.hit;
    let title = guard_page(&hit.rule).map_or("", |page| page.title);
    let mut lines = wrap(&[(theme.name(), hit.rule.clone()), (theme.strong(), format!(": {title}"))], columns, 2);
    let place = if hit.place.is_empty() { String::new() } else { format!("{} ", hit.place) };
    lines.extend(wrap(&[(theme.plain(), one_line(&format!("{place}{}", hit.what)))], columns, 0));
    if !hit.evidence.is_empty() {
        lines.extend(wrap(&[(theme.quiet(), one_line(&hit.evidence))], columns, 2));
    }
    lines.push(Vec::new());
    let at = parse_time(&hit.at).and_then(utc).unwrap_or_else(|| hit.at.clone());
    let dialect = dialects::by_id(&hit.agent);
    let agent = dialect.map_or(hit.agent.as_str(), |dialect| dialect.name());
    let event = dialect.map_or(hit.event.clone(), |dialect| native_event(dialect.live_format(), &hit.event));
    let tool = if hit.tool.is_empty() { String::new() } else { format!("  {}", hit.tool) };
    let told = match hit.answer.as_str() {
        "deny" if one.times == 0 => "would refuse (trial)",
        "warn" if one.times == 0 => "would warn (trial)",
        "deny" => "refused",
        "warn" => "the user was warned",
        _ => "recorded only",
    };
    let facts = [
        ("answer", told.to_owned()),
        ("judged", judged(one).to_owned()),
        (
            "seen",
            match one.times {
                0 | 1 => at,
                times => format!("{}, last {at}", pluralize(times, "time")),
            },
        ),
        ("agent", format!("{agent}   {event}{tool}")),
        ("project", hit.project.clone()),
        ("reason", hit.allowed.clone().unwrap_or_default()),
        ("instead", instead(&hit.rule).unwrap_or_default().to_owned()),
    ];
    for (name, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
        let pieces = [(theme.quiet(), format!("{name:<8} ")), (theme.plain(), one_line(text))];
        lines.extend(wrap(&pieces, columns, 9));
    }
    lines
}
