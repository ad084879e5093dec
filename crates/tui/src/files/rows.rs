//! A row of the list as a line.

use ratatui::style::Style;

use super::{FilesRow, FilesView};
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::inventory::{AgentFiles, HookRow, LayerRow, state_word};
use hookbench_core::config::LayerState;
use hookbench_core::text::{self, one_line};

/// Width of the label before a switch, in columns.
const SWITCH: usize = 8;
/// Columns between the cells of a file's row.
const SPACES: usize = 7;
/// Width of a state, in columns.
const STATE: usize = 9;

/// Renders a row for `columns` columns.
pub fn line(view: &FilesView, item: FilesRow, columns: usize, theme: Theme) -> StyledLine {
    let selected = view.item() == Some(item);
    let mark = (theme.plain(), if selected { theme.cursor() } else { " " }.to_owned());
    let mut line = vec![mark];
    match item {
        FilesRow::Agent(a) => line.extend(view.agents.get(a).map(|agent| agent_line(agent, theme)).unwrap_or_default()),
        FilesRow::Layer(a, l) => {
            if let Some((agent, layer)) = view.layer(a, l) {
                let open = view.items.iter().any(|item| matches!(item, FilesRow::Hook(x, y, _) if (*x, *y) == (a, l)));
                line.extend(layer_line(agent, layer, open, columns, theme));
            }
        }
        FilesRow::Hook(a, l, h) => {
            line.extend(
                view.hook(a, l, h).map(|(_, layer, hook)| hook_line(layer, hook, columns, theme)).unwrap_or_default(),
            );
        }
        FilesRow::Switch(a, s) => {
            if let Some((_, switch)) = view.switch(a, s) {
                line.push((theme.quiet(), format!("  {:<SWITCH$} ", "switch")));
                line.push((theme.plain(), format!("{} = {}", switch.name, one_line(&switch.value))));
                let by = switch.set_by.as_deref().unwrap_or("default");
                line.push((theme.quiet(), format!("   {by}")));
            }
        }
        FilesRow::NotRead(a, n) => {
            if let Some((_, file)) = view.not_read(a, n) {
                line.push((theme.warn(), format!("  {:<SWITCH$} ", "not read")));
                line.push((theme.plain(), file.file.clone()));
                line.push((theme.quiet(), format!("   {}", one_line(&file.message))));
            }
        }
    }
    line
}

fn agent_line(agent: &AgentFiles, theme: Theme) -> StyledLine {
    let mut line = vec![(theme.strong(), agent.name.to_owned()), (theme.plain(), "  ".to_owned())];
    line.extend(counted(agent, theme));
    if agent.refused.is_some() {
        line.push((theme.bad(), "   it does not start".to_owned()));
    }
    line.push((theme.quiet(), format!("   {}", theme.version(&agent.version))));
    line
}

/// The counts of an agent: `11 hooks, 8 active, 3 to review`.
fn counted(agent: &AgentFiles, theme: Theme) -> StyledLine {
    let counts = agent.counts;
    let mut line =
        vec![(theme.plain(), format!("{}, {} active", text::pluralize(counts.installed, "hook"), counts.active))];
    if counts.review > 0 {
        line.push((theme.plain(), ", ".to_owned()));
        line.push((theme.warn(), format!("{} to review", counts.review)));
    }
    line
}

fn layer_line(agent: &AgentFiles, layer: &LayerRow, open: bool, columns: usize, theme: Theme) -> StyledLine {
    let there = layer.state != LayerState::Absent;
    let plain = if there { theme.plain() } else { theme.quiet() };
    let fold = if layer.hooks.is_empty() { " " } else { theme.fold(open) };
    let short = columns < 60;
    let widest = agent.layers.iter().map(|layer| width(&layer.file)).max().unwrap_or(0);
    let layers = agent.layers.iter().map(|layer| width(layer.layer)).max().unwrap_or(0);
    let counts = agent
        .layers
        .iter()
        .map(|layer| contributes(layer, theme).iter().map(|(_, text)| width(text)).sum())
        .max()
        .unwrap_or(0);
    let taken = if short { STATE + 7 } else { layers + STATE + counts + SPACES };
    let files = widest.min(columns.saturating_sub(taken).max(12));
    let mut line = vec![(theme.quiet(), format!("{fold} "))];
    if !short {
        line.push((theme.quiet(), format!("{:<layers$} ", layer.layer)));
    }
    let file = fit(&layer.file, files, theme);
    let air = " ".repeat((files + 2).saturating_sub(width(&file)));
    line.push((plain, format!("{file}{air}")));
    let (style, state) = state(layer, theme);
    line.push((style, if short { state.to_owned() } else { format!("{state:<STATE$} ") }));
    if !short {
        line.extend(contributes(layer, theme));
    }
    line
}

/// The word and style for the state of a file.
pub fn state(layer: &LayerRow, theme: Theme) -> (Style, &'static str) {
    let style = match layer.state {
        LayerState::Read => theme.plain(),
        LayerState::Absent => theme.quiet(),
        LayerState::Broken => theme.bad(),
        LayerState::Untrusted | LayerState::Off => theme.warn(),
    };
    // The agent skips a file that it cannot use; the JSON of the file may still be valid.
    (style, if layer.state == LayerState::Broken { "skipped" } else { state_word(layer.state) })
}

/// The number of hooks in a file, and of those that are ignored.
pub fn contributes(layer: &LayerRow, theme: Theme) -> StyledLine {
    let all = layer.hooks.len();
    let dropped = layer.hooks.iter().filter(|hook| hook.drop_reason.is_some()).count();
    let mut line = StyledLine::new();
    if all == 0 {
        if layer.state == LayerState::Read {
            line.push((theme.quiet(), "no hooks".to_owned()));
        }
        return line;
    }
    line.push((theme.plain(), text::pluralize(all, "hook")));
    if dropped > 0 {
        let says = if dropped == all { "none runs".to_owned() } else { format!("{dropped} dropped") };
        line.push((theme.warn(), format!(", {says}")));
    }
    line
}

fn hook_line(layer: &LayerRow, hook: &HookRow, columns: usize, theme: Theme) -> StyledLine {
    let widest = |of: fn(&HookRow) -> &str, most: usize| {
        layer.hooks.iter().map(|hook| width(of(hook))).max().unwrap_or(0).min(most)
    };
    let short = columns < 60;
    let events = widest(|hook| &hook.event, 20);
    let matchers = widest(|hook| &hook.matcher, if short { 10 } else { 24 });
    let cell = |text: &str, wide: usize| {
        let text = fit(&one_line(text), wide, theme);
        let air = " ".repeat((wide + 2).saturating_sub(width(&text)));
        format!("{text}{air}")
    };
    let quiet = if hook.drop_reason.is_some() { theme.quiet() } else { theme.plain() };
    let mut line = vec![(theme.plain(), "    ".to_owned()), (quiet, cell(&hook.event, events))];
    line.push((theme.name(), cell(&hook.matcher, matchers)));
    line.push((quiet, one_line(&hook.label)));
    line.push((theme.quiet(), format!("  :{}", hook.location.line)));
    match (&hook.drop_reason, hook.needs_review) {
        (Some(_), true) => line.push((theme.warn(), "  needs review".to_owned())),
        (Some(_), false) => line.push((theme.warn(), "  dropped".to_owned())),
        (None, _) => {}
    }
    line
}
