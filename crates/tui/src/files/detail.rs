//! The selected row in full.

use super::view::{contributes, state};
use super::{FilesRow, FilesView};
use crate::calibration::CalibrationSummary;
use crate::theme::Theme;
use crate::widgets::{StyledLine, wrap};
use hookbench_app::inventory::{AgentFiles, HookRow, LayerRow, SwitchRow};
use hookbench_app::shared_file;
use hookbench_core::config::LayerState;
use hookbench_core::text;

/// Width of the labels, in columns.
const LABEL: usize = 9;

/// The wrapped lines of the selected row.
pub fn lines(view: &FilesView, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let facts = match view.item() {
        None => Vec::new(),
        Some(FilesRow::Agent(a)) => {
            let mut facts = view.agents.get(a).map(|agent| of_agent(agent, theme)).unwrap_or_default();
            facts.extend(view.calibrations.get(a).map(|known| calibration(known, theme)).unwrap_or_default());
            facts
        }
        Some(FilesRow::Layer(a, l)) => view
            .layer(a, l)
            .map(|(agent, layer)| {
                let mut facts = of_layer(layer, theme);
                facts.extend(of_others(view, agent, layer, theme));
                facts
            })
            .unwrap_or_default(),
        Some(FilesRow::Hook(a, l, h)) => {
            view.hook(a, l, h).map(|(_, layer, hook)| of_hook(layer, hook, theme)).unwrap_or_default()
        }
        Some(FilesRow::Switch(a, s)) => {
            view.switch(a, s).map(|(_, switch)| of_switch(switch, theme)).unwrap_or_default()
        }
        Some(FilesRow::NotRead(a, n)) => view
            .not_read(a, n)
            .map(|(agent, file)| {
                vec![
                    fact("file", vec![(theme.strong(), file.file.clone())]),
                    fact("", vec![(theme.warn(), format!("{} does not read it: {}", agent.name, file.message))]),
                    fact(
                        "fix",
                        vec![(
                            theme.plain(),
                            "move the hooks into a file that is read, or delete this file".to_owned(),
                        )],
                    ),
                ]
            })
            .unwrap_or_default(),
    };
    facts.into_iter().flat_map(|(label, line)| wrapped(label, &line, columns, theme)).collect()
}

type LabelledLine = (&'static str, StyledLine);

fn fact(label: &'static str, line: StyledLine) -> LabelledLine {
    (label, line)
}

fn wrapped(label: &str, line: &StyledLine, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let mut pieces = vec![(theme.quiet(), format!("{label:<LABEL$}"))];
    pieces.extend(line.iter().cloned());
    wrap(&pieces, columns, LABEL)
}

fn of_agent(agent: &AgentFiles, theme: Theme) -> Vec<LabelledLine> {
    let mut facts = vec![
        fact(
            "agent",
            vec![
                (theme.strong(), agent.name.to_owned()),
                (theme.quiet(), format!("  {}", theme.version(&agent.version))),
            ],
        ),
        fact("hooks", installed_words(agent, theme)),
    ];
    if let Some((says, spot)) = &agent.refused {
        facts.push(fact("refuses", vec![(theme.bad(), format!("it does not start: {says}"))]));
        facts.extend(
            spot.as_ref().map(|spot| fact("at", vec![(theme.plain(), format!("{}:{}", spot.file, spot.line))])),
        );
    }
    let there = agent.layers.iter().filter(|layer| layer.state != LayerState::Absent).count();
    let exist = if there == 1 { "exists" } else { "exist" };
    let files = format!("{there} of {} {exist}", agent.layers.len());
    facts.push(fact("files", vec![(theme.plain(), files)]));
    for (needs_review, why, hooks) in drop_reasons(agent) {
        let word = if needs_review { "review" } else { "inactive" };
        let names = if hooks.len() > 3 { text::pluralize(hooks.len(), "hook") } else { hooks.join(", ") };
        facts.push(fact(word, vec![(theme.warn(), names), (theme.plain(), format!(": {why}"))]));
    }
    facts
}

/// The evidence for the agent's behaviour, the probes that differ, and how to calibrate. An agent that is not installed
/// cannot be calibrated.
fn calibration(known: &CalibrationSummary, theme: Theme) -> Vec<LabelledLine> {
    let mut facts = vec![fact("basis", vec![(theme.plain(), theme.version(&known.basis))])];
    if let Some(help) = &known.missing {
        facts.push(fact("", vec![(theme.plain(), help.clone())]));
        return facts;
    }
    if !known.differ.is_empty() {
        facts.push(fact("differs", vec![(theme.bad(), known.differ.join(", "))]));
    }
    let how = if known.differ.is_empty() {
        ":calibrate checks it"
    } else {
        "Enter shows predicted and seen; :calibrate runs again"
    };
    facts.push(fact("", vec![(theme.quiet(), how.to_owned())]));
    facts
}

/// The counts of an agent after the label `hooks`: `11 installed, 8 active, 3 to review`.
fn installed_words(agent: &AgentFiles, theme: Theme) -> StyledLine {
    let counts = agent.counts;
    if counts.installed == 0 {
        return vec![(theme.plain(), "none installed".to_owned())];
    }
    let active = if counts.active < counts.installed { theme.warn() } else { theme.plain() };
    let mut line = vec![
        (theme.plain(), format!("{} installed, ", counts.installed)),
        (active, format!("{} active", counts.active)),
    ];
    if counts.review > 0 {
        line.push((theme.warn(), format!(", {} to review", counts.review)));
    }
    line
}

/// The reasons why hooks are not active, each once with the names of its hooks; `true` marks those that wait for trust.
fn drop_reasons(agent: &AgentFiles) -> Vec<(bool, &str, Vec<&str>)> {
    let mut all: Vec<(bool, &str, Vec<&str>)> = Vec::new();
    for hook in agent.layers.iter().flat_map(|layer| &layer.hooks) {
        let Some(why) = hook.drop_reason.as_deref() else { continue };
        match all.iter_mut().find(|(_, says, _)| *says == why) {
            Some((_, _, hooks)) => hooks.push(&hook.label),
            None => all.push((hook.needs_review, why, vec![&hook.label])),
        }
    }
    all
}

/// The rows about the other agents that read the file.
fn of_others(view: &FilesView, agent: &AgentFiles, layer: &LayerRow, theme: Theme) -> Vec<LabelledLine> {
    let Some(shared) = shared_file(&view.agents, &layer.path) else { return Vec::new() };
    let mut facts = Vec::new();
    for reader in shared.readers.iter().filter(|reader| reader.name != agent.name) {
        let style = if reader.uses_it { theme.plain() } else { theme.bad() };
        facts.push(fact(
            "also in",
            vec![(theme.strong(), format!("{}: ", reader.name)), (style, reader.message.clone())],
        ));
    }
    for hook in &shared.differences {
        let does = hook.agents.iter().map(|(agent, says)| format!("{agent}: {says}")).collect::<Vec<_>>().join("; ");
        let place = format!("{} in line {}: ", hook.label, hook.line);
        facts.push(fact("differs", vec![(theme.warn(), place), (theme.plain(), does)]));
    }
    facts
}

fn of_layer(layer: &LayerRow, theme: Theme) -> Vec<LabelledLine> {
    let (style, word) = state(layer, theme);
    let mut facts = vec![
        fact("file", vec![(theme.strong(), layer.path.clone())]),
        fact("layer", vec![(theme.plain(), layer.layer.to_owned())]),
    ];
    facts.extend(layer.bundle.as_ref().map(|name| fact("of", vec![(theme.plain(), name.clone())])));
    let mut says = vec![(style, word.to_owned())];
    says.extend(layer.message.as_ref().map(|why| (theme.plain(), format!(": {why}"))));
    facts.push(fact("state", says));
    let brings = contributes(layer, theme);
    if !brings.is_empty() {
        facts.push(fact("brings", brings));
    }
    let mut events: Vec<(&str, usize)> = Vec::new();
    for hook in &layer.hooks {
        match events.iter_mut().find(|(event, _)| *event == hook.event) {
            Some((_, count)) => *count += 1,
            None => events.push((&hook.event, 1)),
        }
    }
    if !events.is_empty() {
        let words: Vec<String> = events.iter().map(|(event, count)| format!("{event} {count}")).collect();
        facts.push(fact("events", vec![(theme.plain(), words.join(", "))]));
    }
    let mut whys: Vec<(&str, Vec<&str>)> = Vec::new();
    for hook in &layer.hooks {
        let Some(why) = hook.drop_reason.as_deref().filter(|why| layer.message.as_deref() != Some(*why)) else {
            continue;
        };
        match whys.iter_mut().find(|(says, _)| *says == why) {
            Some((_, hooks)) => hooks.push(&hook.label),
            None => whys.push((why, vec![&hook.label])),
        }
    }
    for (why, hooks) in whys {
        facts.push(fact("dropped", vec![(theme.warn(), hooks.join(", ")), (theme.plain(), format!(": {why}"))]));
    }
    facts
}

fn of_hook(layer: &LayerRow, hook: &HookRow, theme: Theme) -> Vec<LabelledLine> {
    let place = format!("{}:{}:{}", hook.location.file, hook.location.line, hook.location.column);
    let mut facts = vec![
        fact("hook", vec![(theme.strong(), hook.label.clone()), (theme.quiet(), format!("  {}", hook.id))]),
        fact("event", vec![(theme.plain(), hook.event.clone())]),
        fact("matcher", vec![(theme.name(), hook.matcher.clone())]),
        fact("runs", vec![(theme.plain(), hook.action.clone())]),
        fact("at", vec![(theme.plain(), place), (theme.quiet(), format!("  {}", layer.layer))]),
    ];
    match &hook.drop_reason {
        None => facts.push(fact("active", vec![(theme.plain(), "its event exists in this version".to_owned())])),
        Some(why) => {
            let word = if hook.needs_review { "review" } else { "dropped" };
            facts.push(fact(word, vec![(theme.warn(), why.clone())]));
        }
    }
    facts
}

fn of_switch(switch: &SwitchRow, theme: Theme) -> Vec<LabelledLine> {
    let by = match (&switch.location, &switch.set_by) {
        (Some(spot), _) => format!("{}:{}", spot.file, spot.line),
        (None, Some(by)) => by.clone(),
        (None, None) => "not set; this is the default".to_owned(),
    };
    vec![
        fact("switch", vec![(theme.strong(), switch.name.clone())]),
        fact("value", vec![(theme.plain(), switch.value.clone())]),
        fact("set by", vec![(theme.plain(), by)]),
        fact("means", vec![(theme.plain(), switch.message.clone())]),
    ]
}
