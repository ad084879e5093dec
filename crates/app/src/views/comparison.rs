//! One event in every agent, side by side: a row for each agent, and the differences with the rules that cause
//! them.

use hookbench_core::names::AgentId;
use std::collections::{HashMap, HashSet};

use crate::analysis::lint::facts_from_launch;
use crate::analysis::unsent_values::{UnsentValue, unsent_values};
use crate::firing::record::{FiringRecord, is_forwarding};
use crate::session::{AgentState, CrossAgentEvent, PlannedAgentEvent, Session};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::hook::HookDefinition;
use hookbench_core::lint::CommandFacts;
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::text::stringify;
use hookbench_core::trace::TraceStep;

/// The contents of the comparison view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub rows: Vec<ComparedAgent>,
    pub differences: Vec<AgentDifference>,
}

/// The event in one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedAgent {
    pub agent: AgentId,
    /// The event in this agent; otherwise the reason why the agent does not have it, and the nearest event.
    pub event: Result<ComparedEvent, (String, Option<String>)>,
}

/// The event as an agent has it, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedEvent {
    pub event: String,
    pub subject: Option<String>,
    /// The labels of the hooks that run, in order.
    pub runs: Vec<String>,
    /// The number of hooks that do not run, and of those for which that is undetermined.
    pub skipped: usize,
    pub unknown: usize,
    /// The number of hookbench's own hooks, which are not among these.
    pub own: usize,
    /// The verdict, once the event was fired and decided.
    pub verdict: Option<Verdict>,
    /// The reason text that the agent uses. Without one, the agent's action, or the reason why no hook runs.
    pub reason: String,
}

/// Something that differs between the agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDifference {
    pub title: String,
    pub kind: DifferenceKind,
    /// One cell for each agent for which the value is known.
    pub cells: Vec<DifferenceCell>,
}

/// The subject of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Which hooks run, and what their scripts get.
    Hooks,
    /// The agents in which a hook would refuse if all agents had it.
    Portability,
    Outcome,
}

/// One agent's side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceCell {
    pub agent: AgentId,
    pub text: String,
    /// Rules with their explanations.
    pub reasons: Vec<(String, String)>,
}

impl Session {
    /// Builds the comparison of one event in every agent. Firings that are no longer in the history contribute only
    /// their plan.
    pub fn comparison(&self, all: &CrossAgentEvent) -> Comparison {
        let rows = all
            .agents
            .iter()
            .map(|of| ComparedAgent {
                agent: of.agent,
                event: match &of.event {
                    Ok(there) => Ok(compared_event(there, self.fired_there(there))),
                    Err(missing) => Err((missing.message.clone(), missing.nearest.clone())),
                },
            })
            .collect();
        let mut differences = hook_differences(all);
        differences.extend(self.unsent_value_differences(all));
        differences.extend(self.portability_differences(all));
        let fired = all.translated().filter_map(|(of, there)| Some((of.agent, self.fired_there(there)?)));
        let outcomes: Vec<_> = fired.filter_map(|(agent, fired)| Some((agent, fired.outcome.as_ref()?))).collect();
        differences.extend(outcome_differences(&outcomes));
        Comparison { rows, differences }
    }
}

impl Session {
    /// The facts about a definition that are not in the settings.
    pub(super) fn command_facts(&self, agent: &AgentState, definition: &HookDefinition) -> CommandFacts {
        self.launch_of(agent, definition).map_or_else(CommandFacts::default, |(launch, resolved)| {
            facts_from_launch(&self.place().project, self.files(), definition, launch, resolved)
        })
    }

    /// Names and keys that scripts expect and that one of the agents never sends, for the scripts that this agent
    /// runs.
    fn unsent_value_differences(&self, all: &CrossAgentEvent) -> Vec<AgentDifference> {
        let files = self.files();
        let mut found: Vec<(AgentId, Option<String>, UnsentValue)> = Vec::new();
        let mut runs: Vec<(AgentId, String)> = Vec::new();
        for (of, there) in all.translated() {
            let Some(agent) = self.agent(of.agent.as_str()) else { continue };
            let definitions: Vec<&HookDefinition> =
                there.running().filter_map(|entry| there.loaded.definition(&entry.hook)).collect();
            let outside = |definition: &HookDefinition| self.command_facts(agent, definition);
            let script = |hook: &str| Some(outside(there.loaded.definition(hook)?).script?.path);
            runs.extend(definitions.iter().filter_map(|d| Some((of.agent, script(&d.id)?))));
            let (place, loaded) = (self.place(), &there.loaded);
            for one in unsent_values(agent.dialect, &agent.version, place, files, loaded, &definitions, &outside) {
                found.push((of.agent, script(&one.hook), one));
            }
        }
        let mut out: Vec<AgentDifference> = Vec::new();
        for (_, path, one) in &found {
            if out.iter().any(|known| known.title == one.place) {
                continue;
            }
            let vain = |agent: &str| found.iter().find(|(of, _, other)| *of == agent && other.place == one.place);
            let mut cells: Vec<DifferenceCell> = Vec::new();
            for (of, _) in all.translated() {
                let cell = match vain(of.agent.as_str()) {
                    Some((_, _, other)) => DifferenceCell {
                        agent: of.agent,
                        text: "never sent".to_owned(),
                        reasons: vec![(other.code.to_string(), format!("{}; {}", other.message, other.help))],
                    },
                    None if runs.iter().any(|(agent, script)| *agent == of.agent && Some(script) == path.as_ref()) => {
                        DifferenceCell { agent: of.agent, text: "sent".to_owned(), reasons: Vec::new() }
                    }
                    None => continue,
                };
                cells.push(cell);
            }
            out.push(AgentDifference { title: one.place.clone(), kind: DifferenceKind::Hooks, cells });
        }
        out
    }
}

fn compared_event(there: &PlannedAgentEvent, fired: Option<&FiringRecord>) -> ComparedEvent {
    let count = |wanted: &Selection| there.entries().filter(|e| e.selection == *wanted).count();
    let label =
        |entry: &PlanEntry| there.loaded.definition(&entry.hook).map_or_else(|| entry.hook.clone(), |d| d.label());
    let runs: Vec<String> =
        if loss_reason(there).is_some() { Vec::new() } else { there.running().map(label).collect() };
    let outcome = fired.and_then(|f| f.outcome.as_ref());
    let reason = match outcome {
        Some(outcome) => outcome.reason.clone().unwrap_or_else(|| outcome.agent_does.clone()),
        None if runs.is_empty() => no_hook_reason(there),
        None => String::new(),
    };
    ComparedEvent {
        event: there.input.event.clone(),
        subject: there.input.subject.value.clone(),
        runs,
        skipped: count(&Selection::Skipped),
        unknown: count(&Selection::Unknown),
        own: there.own_hooks(),
        verdict: outcome.map(|o| o.verdict),
        reason,
    }
}

/// The reason why the agent discards the whole event, if it does.
fn loss_reason(there: &PlannedAgentEvent) -> Option<&str> {
    let refused = there.loaded.refusal.as_ref().map(|refusal| refusal.message.as_str());
    refused.or_else(|| there.plan.lost.as_ref().map(|lost| lost.why.message.as_str()))
}

fn no_hook_reason(there: &PlannedAgentEvent) -> String {
    if let Some(says) = loss_reason(there) {
        return says.to_owned();
    }
    let first = there.entries().next();
    first.map_or_else(|| there.loaded.why_no_hooks(&there.input.event), |entry| entry.why.message.clone())
}

fn selection_word(entry: &PlanEntry) -> &'static str {
    match entry.selection {
        Selection::Fires { .. } => "runs",
        Selection::Skipped => "does not run",
        Selection::Unknown => "unknown",
    }
}

/// A hook of one agent and its result in the plan.
struct PlannedHook {
    label: String,
    /// The command without the project directory, which each agent spells differently.
    script: String,
    matcher: String,
    cell: DifferenceCell,
}

/// The hooks that several agents have and that do not run in all of them, in the order of the settings. A hook is
/// identified by its command, and additionally by its matcher if an agent has the command more than once.
fn hook_differences(all: &CrossAgentEvent) -> Vec<AgentDifference> {
    let mut known: Vec<PlannedHook> = Vec::new();
    for (of, there) in all.translated() {
        let planned = there.plan.by_hook();
        for definition in &there.loaded.definitions {
            let Some(entry) = planned.get(definition.id.as_str()).filter(|_| !is_forwarding(definition)) else {
                continue;
            };
            let why = vec![(entry.why.rule.to_string(), entry.why.message.clone())];
            known.push(PlannedHook {
                script: script_path(&definition.handler.text()),
                label: definition.label(),
                matcher: definition.matcher_text(),
                cell: DifferenceCell { agent: of.agent, text: selection_word(entry).to_owned(), reasons: why },
            });
        }
    }
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut several: HashSet<&str> = HashSet::new();
    for hook in &known {
        if !seen.insert((hook.cell.agent.as_str(), &hook.script)) {
            several.insert(&hook.script);
        }
    }
    let mut places: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    let mut groups: Vec<Vec<&PlannedHook>> = Vec::new();
    for hook in &known {
        let matcher = Some(hook.matcher.as_str()).filter(|_| several.contains(hook.script.as_str()));
        let place = *places.entry((&hook.script, matcher)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(hook),
            None => groups.push(vec![hook]),
        }
    }
    groups.iter().filter_map(|group| difference(group, &known)).collect()
}

/// The script path of a command without the project directory, which may be written as a variable, a dot, or either
/// in quotes.
fn script_path(command: &str) -> String {
    let plain = command.replace('"', "");
    match plain.split_once('/') {
        Some((directory, rest))
            if directory == "." || directory.starts_with('$') && directory.contains("PROJECT_DIR") =>
        {
            rest.to_owned()
        }
        _ => plain,
    }
}

fn difference(group: &[&PlannedHook], all: &[PlannedHook]) -> Option<AgentDifference> {
    let first = group.first()?;
    if group.iter().all(|hook| hook.cell.text == first.cell.text) {
        return None;
    }
    let one_matcher = !first.matcher.is_empty() && group.iter().all(|hook| hook.matcher == first.matcher);
    let on = if one_matcher { format!("  on `{}`", first.matcher) } else { String::new() };
    let cells = group.iter().map(|hook| hook.cell.clone()).collect();
    // Scripts of the same name in different directories need their paths.
    let ambiguous = all.iter().any(|hook| hook.label == first.label && hook.script != first.script);
    let name = if ambiguous { &first.script } else { &first.label };
    Some(AgentDifference { title: format!("{name}{on}"), kind: DifferenceKind::Hooks, cells })
}

/// A function that returns one aspect of an outcome as text.
type OutcomeAspect<'a> = &'a dyn Fn(&Outcome) -> String;

/// The differences between the outcomes. If one agent blocks and another reaches the same effect for the user by
/// other means, the descriptions of the outcomes show that, and it does not count as a separate difference.
fn outcome_differences(outcomes: &[(AgentId, &Outcome)]) -> Vec<AgentDifference> {
    let differ = |value: OutcomeAspect<'_>| {
        outcomes.first().is_some_and(|(_, first)| outcomes.iter().any(|(_, other)| value(other) != value(first)))
    };
    let cells = |value: OutcomeAspect<'_>, explained: bool| -> Vec<DifferenceCell> {
        let why = |outcome: &Outcome| if explained { steps(&outcome.trace) } else { Vec::new() };
        let cell = |(agent, outcome): &(AgentId, &Outcome)| DifferenceCell {
            agent: *agent,
            text: value(outcome),
            reasons: why(outcome),
        };
        outcomes.iter().map(cell).collect()
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let fields: [(&str, OutcomeAspect<'_>); 5] = [
        ("reason", &|o| text(&o.reason)),
        ("context", &|o| text(&o.additional_context)),
        ("changed input", &|o| o.updated_input.as_ref().map_or_else(|| "-".to_owned(), stringify)),
        ("message to the user", &|o| text(&o.system_message)),
        ("the agent continues", &|o| if o.continues { "yes".to_owned() } else { "no".to_owned() }),
    ];
    let verdict = |o: &Outcome| o.verdict.title().to_owned();
    let differing: Vec<_> = fields.iter().filter(|(_, value)| differ(*value)).collect();
    if !differ(&verdict) && differing.is_empty() {
        return Vec::new();
    }
    let does = |o: &Outcome| format!("{}: {}", o.verdict.title(), o.agent_does);
    let mut all = vec![AgentDifference {
        title: "agent's reaction".to_owned(),
        kind: DifferenceKind::Outcome,
        cells: cells(&does, true),
    }];
    let others = differing.into_iter().map(|(what, value)| AgentDifference {
        title: (*what).to_owned(),
        kind: DifferenceKind::Outcome,
        cells: cells(*value, false),
    });
    all.extend(others);
    all
}

fn steps(trace: &[TraceStep]) -> Vec<(String, String)> {
    let pair = |step: &TraceStep| (step.rule.to_string(), step.message.clone());
    trace.iter().flat_map(|step| std::iter::once(pair(step)).chain(step.children.iter().map(pair))).collect()
}
