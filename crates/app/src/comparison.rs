//! One event in every agent, side by side: a row for each agent, and the differences with the rules that cause
//! them.

use std::collections::{HashMap, HashSet};

use crate::firing_record::FiringRecord;
use crate::lint::outside;
use crate::misread::{Misread, misreads};
use crate::session::{Everywhere, Session, There};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::text::stringify;
use hookbench_core::trace::TraceStep;

/// The contents of the comparison view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub rows: Vec<ComparedAgent>,
    pub differences: Vec<Difference>,
}

/// The event in one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedAgent {
    pub agent: &'static str,
    /// The event in this agent; otherwise the reason why the agent does not have it, and the nearest event.
    pub there: Result<ComparedEvent, (String, Option<String>)>,
}

/// The event as an agent has it, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedEvent {
    pub event: String,
    pub subject: Option<String>,
    /// The labels of the hooks that run, in order.
    pub runs: Vec<String>,
    /// The number of hooks that do not run, and of those for which that is undetermined.
    pub others: usize,
    pub unknown: usize,
    /// The verdict, once the event was fired and decided.
    pub verdict: Option<Verdict>,
    /// The reason text that the agent uses. Without one, the agent's action, or the reason why no hook runs.
    pub reason: String,
}

/// Something that differs between the agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub what: String,
    /// Whether the difference is about which hooks run; otherwise it is about the outcome.
    pub hook: bool,
    /// One cell for each agent for which the value is known.
    pub cells: Vec<Cell>,
}

/// One agent's side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub agent: &'static str,
    pub shows: String,
    /// Rules with their explanations.
    pub why: Vec<(String, String)>,
}

impl Session {
    /// Builds the comparison of one event in every agent. Firings that are no longer in the history contribute only
    /// their plan.
    pub fn comparison(&self, all: &Everywhere) -> Comparison {
        let rows = all
            .agents
            .iter()
            .map(|of| ComparedAgent {
                agent: of.agent,
                there: match &of.there {
                    Ok(there) => Ok(row(there, self.fired_there(there))),
                    Err(missing) => Err((missing.says.clone(), missing.nearest.clone())),
                },
            })
            .collect();
        let mut differences = hooks(all);
        differences.extend(self.expected_in_vain(all));
        let fired = all.there().filter_map(|(of, there)| Some((of.agent, self.fired_there(there)?)));
        let outcomes: Vec<_> = fired.filter_map(|(agent, fired)| Some((agent, fired.outcome.as_ref()?))).collect();
        differences.extend(outcome_differences(&outcomes));
        Comparison { rows, differences }
    }
}

impl Session {
    /// Names and keys that scripts expect and that one of the agents never sends, for the scripts that this agent
    /// runs.
    fn expected_in_vain(&self, all: &Everywhere) -> Vec<Difference> {
        let files = self.files();
        let mut found: Vec<(&'static str, Option<String>, Misread)> = Vec::new();
        let mut runs: Vec<(&'static str, String)> = Vec::new();
        for (of, there) in all.there() {
            let Some(agent) = self.agent(of.agent) else { continue };
            let definitions: Vec<&HookDefinition> =
                there.plan.firing().filter_map(|entry| there.loaded.definition(&entry.hook)).collect();
            let outside = |definition: &HookDefinition| outside(self, files, agent, definition);
            let script = |hook: &str| Some(outside(there.loaded.definition(hook)?).script?.path);
            runs.extend(definitions.iter().filter_map(|d| Some((of.agent, script(&d.id)?))));
            let (place, loaded) = (&self.place, &there.loaded);
            for one in misreads(agent.dialect, &agent.version, place, files, loaded, &definitions, &outside) {
                found.push((of.agent, script(&one.hook), one));
            }
        }
        let mut out: Vec<Difference> = Vec::new();
        for (_, path, one) in &found {
            if out.iter().any(|known| known.what == one.place) {
                continue;
            }
            let vain = |agent: &str| found.iter().find(|(of, _, other)| *of == agent && other.place == one.place);
            let mut cells: Vec<Cell> = Vec::new();
            for (of, _) in all.there() {
                let cell = match vain(of.agent) {
                    Some((_, _, other)) => Cell {
                        agent: of.agent,
                        shows: "never sent".to_owned(),
                        why: vec![(other.code.to_owned(), format!("{}; {}", other.message, other.help))],
                    },
                    None if runs.iter().any(|(agent, script)| *agent == of.agent && Some(script) == path.as_ref()) => {
                        Cell { agent: of.agent, shows: "sent".to_owned(), why: Vec::new() }
                    }
                    None => continue,
                };
                cells.push(cell);
            }
            out.push(Difference { what: one.place.clone(), hook: true, cells });
        }
        out
    }
}

fn row(there: &There, fired: Option<&FiringRecord>) -> ComparedEvent {
    let count = |wanted: &Selection| there.plan.entries.iter().filter(|e| e.selection == *wanted).count();
    let label =
        |entry: &PlanEntry| there.loaded.definition(&entry.hook).map_or_else(|| entry.hook.clone(), |d| d.label());
    let runs: Vec<String> = if lost(there).is_some() { Vec::new() } else { there.plan.firing().map(label).collect() };
    let outcome = fired.and_then(|f| f.outcome.as_ref());
    let reason = match outcome {
        Some(outcome) => outcome.reason.clone().unwrap_or_else(|| outcome.agent_does.clone()),
        None if runs.is_empty() => nobody(there),
        None => String::new(),
    };
    ComparedEvent {
        event: there.input.event.clone(),
        subject: there.input.subject.value.clone(),
        runs,
        others: count(&Selection::Skipped),
        unknown: count(&Selection::Unknown),
        verdict: outcome.map(|o| o.verdict),
        reason,
    }
}

/// The reason why the agent discards the whole event, if it does.
fn lost(there: &There) -> Option<&str> {
    let refused = there.loaded.refused.as_ref().map(|refusal| refusal.says.as_str());
    refused.or_else(|| there.plan.lost.as_ref().map(|lost| lost.why.says.as_str()))
}

fn nobody(there: &There) -> String {
    if let Some(says) = lost(there) {
        return says.to_owned();
    }
    let first = there.plan.entries.first();
    first.map_or_else(|| there.loaded.none_for(&there.input.event), |entry| entry.why.says.clone())
}

fn word(entry: &PlanEntry) -> &'static str {
    match entry.selection {
        Selection::Fires { .. } => "runs",
        Selection::Skipped => "does not run",
        Selection::Unknown => "unknown",
    }
}

/// A hook of one agent and its result in the plan.
struct Known {
    command: String,
    /// The command without the project directory, which each agent spells differently.
    script: String,
    matcher: String,
    cell: Cell,
}

/// The hooks that several agents have and that do not run in all of them, in the order of the settings. A hook is
/// identified by its command, and additionally by its matcher if an agent has the command more than once.
fn hooks(all: &Everywhere) -> Vec<Difference> {
    let mut known: Vec<Known> = Vec::new();
    for (of, there) in all.there() {
        let planned = there.plan.by_hook();
        for definition in &there.loaded.definitions {
            let Some(entry) = planned.get(definition.id.as_str()) else { continue };
            let why = vec![(entry.why.rule.to_owned(), entry.why.says.clone())];
            known.push(Known {
                script: script(&definition.handler.text()),
                command: definition.handler.text(),
                matcher: definition.matcher_text(),
                cell: Cell { agent: of.agent, shows: word(entry).to_owned(), why },
            });
        }
    }
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut several: HashSet<&str> = HashSet::new();
    for hook in &known {
        if !seen.insert((hook.cell.agent, &hook.script)) {
            several.insert(&hook.script);
        }
    }
    let mut places: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    let mut groups: Vec<Vec<&Known>> = Vec::new();
    for hook in &known {
        let matcher = Some(hook.matcher.as_str()).filter(|_| several.contains(hook.script.as_str()));
        let place = *places.entry((&hook.script, matcher)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(hook),
            None => groups.push(vec![hook]),
        }
    }
    groups.into_iter().filter_map(|group| difference(&group)).collect()
}

/// The script path of a command without the project directory, which may be written as a variable, a dot, or either
/// in quotes.
fn script(command: &str) -> String {
    let plain = command.replace('"', "");
    match plain.split_once('/') {
        Some((folder, rest)) if folder == "." || folder.starts_with('$') && folder.contains("PROJECT_DIR") => {
            rest.to_owned()
        }
        _ => plain,
    }
}

fn difference(group: &[&Known]) -> Option<Difference> {
    let first = group.first()?;
    if group.iter().all(|hook| hook.cell.shows == first.cell.shows) {
        return None;
    }
    let one_matcher = group.iter().all(|hook| hook.matcher == first.matcher);
    let on = if one_matcher { format!("  on `{}`", first.matcher) } else { String::new() };
    let cells = group.iter().map(|hook| hook.cell.clone()).collect();
    Some(Difference { what: format!("{}{on}", first.command), hook: true, cells })
}

/// A function that returns one aspect of an outcome as text.
type Shows<'a> = &'a dyn Fn(&Outcome) -> String;

/// The differences between the outcomes. If one agent blocks and another reaches the same effect for the user by
/// other means, the descriptions of the outcomes show that, and it does not count as a separate difference.
fn outcome_differences(outcomes: &[(&'static str, &Outcome)]) -> Vec<Difference> {
    let differ = |value: Shows<'_>| {
        outcomes.first().is_some_and(|(_, first)| outcomes.iter().any(|(_, other)| value(other) != value(first)))
    };
    let cells = |value: Shows<'_>, explained: bool| -> Vec<Cell> {
        let why = |outcome: &Outcome| if explained { steps(&outcome.trace) } else { Vec::new() };
        let cell =
            |(agent, outcome): &(&'static str, &Outcome)| Cell { agent, shows: value(outcome), why: why(outcome) };
        outcomes.iter().map(cell).collect()
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let fields: [(&str, Shows<'_>); 5] = [
        ("reason", &|o| text(&o.reason)),
        ("context", &|o| text(&o.additional_context)),
        ("changed input", &|o| o.updated_input.as_ref().map_or_else(|| "-".to_owned(), stringify)),
        ("message to the user", &|o| text(&o.system_message)),
        ("the agent goes on", &|o| if o.continues { "yes".to_owned() } else { "no".to_owned() }),
    ];
    let verdict = |o: &Outcome| o.verdict.title().to_owned();
    let differing: Vec<_> = fields.iter().filter(|(_, value)| differ(*value)).collect();
    if !differ(&verdict) && differing.is_empty() {
        return Vec::new();
    }
    let does = |o: &Outcome| format!("{}: {}", o.verdict.title(), o.agent_does);
    let mut all = vec![Difference { what: "what the agent does".to_owned(), hook: false, cells: cells(&does, true) }];
    let others = differing.into_iter().map(|(what, value)| Difference {
        what: (*what).to_owned(),
        hook: false,
        cells: cells(*value, false),
    });
    all.extend(others);
    all
}

fn steps(trace: &[TraceStep]) -> Vec<(String, String)> {
    let pair = |step: &TraceStep| (step.rule.to_owned(), step.says.clone());
    trace.iter().flat_map(|step| std::iter::once(pair(step)).chain(step.children.iter().map(pair))).collect()
}
