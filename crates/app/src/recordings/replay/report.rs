//! The report on the rows of a replay: counts, and refusals by hook, rule, project and person. It is the same for any order and
//! any division of the rows.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Serialize;

use super::rows::{ROW_SCHEMA, ReplayRow};
use hookbench_core::decide::Verdict;

/// The number of examples of each group.
const EXAMPLES: usize = 3;

/// The report of `report merge` on rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayReportDoc {
    /// `replay-report/1`.
    pub schema: &'static str,
    /// An event that is in several rows counts once.
    pub events: u64,
    /// Events that announce a tool call.
    pub calls: u64,
    /// Tool calls that hooks refuse now, and did not refuse before.
    pub newly_refused: u64,
    /// The projects and the people whose names are known.
    pub projects: usize,
    pub people: usize,
    /// The number of events by their verdict now; `failed` counts those that could not be fired.
    pub verdicts: BTreeMap<String, u64>,
    /// The most frequent group first.
    pub refusals: Vec<RefusalGroup>,
    /// The number of events by the reason why their verdict is unknown.
    pub unknown: BTreeMap<String, u64>,
}

/// Refused events with the same hook, rule, project and person.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusalGroup {
    pub hook: Option<String>,
    pub rule: Option<String>,
    pub project: Option<String>,
    pub person: Option<String>,
    pub events: u64,
    /// Those that were not refused before.
    pub new: u64,
    /// The events with the smallest ids.
    pub examples: Vec<RefusalExample>,
}

/// One refused event.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusalExample {
    pub id: String,
    pub agent: String,
    pub event: String,
    pub subject: Option<String>,
    pub what: Option<String>,
}

/// Hook, rule, project, person.
type RefusalKey = [Option<String>; 4];

/// The rows so far.
#[derive(Debug, Clone, Default)]
pub struct ReplayReport {
    /// Hashes of the ids. A replay may have a million of them.
    seen: HashSet<u64>,
    /// The parts that have ended, by their input and the number of its parts.
    parts: BTreeMap<(String, u64), BTreeSet<u64>>,
    events: u64,
    calls: u64,
    newly_refused: u64,
    projects: BTreeSet<String>,
    people: BTreeSet<String>,
    verdicts: BTreeMap<String, u64>,
    refusals: BTreeMap<RefusalKey, (u64, u64, BTreeSet<RefusalExample>)>,
    unknown: BTreeMap<String, u64>,
}

impl ReplayReport {
    /// Adds a row, unless its event was added already.
    pub fn add(&mut self, row: ReplayRow) {
        let mut hash = DefaultHasher::new();
        row.id.hash(&mut hash);
        if !self.seen.insert(hash.finish()) {
            return;
        }
        self.events += 1;
        self.calls += u64::from(row.call);
        let (is_refused, is_new) = (row.is_refused(), row.is_refused() && row.changed);
        self.newly_refused += u64::from(row.call && is_new);
        add_name(&mut self.projects, row.project.as_ref());
        add_name(&mut self.people, row.person.as_ref());
        count(&mut self.verdicts, row.now.as_deref().unwrap_or("failed"));
        if let Some(why) = &row.unknown {
            count(&mut self.unknown, why);
        }
        if is_refused {
            let (events, new, examples) =
                self.refusals.entry([row.hook, row.rule, row.project, row.person]).or_default();
            *events += 1;
            *new += u64::from(is_new);
            let (id, agent, event) = (row.id, row.agent, row.event);
            examples.insert(RefusalExample { id, agent, event, subject: row.subject, what: row.what });
            if examples.len() > EXAMPLES {
                examples.pop_last();
            }
        }
    }

    /// Adds the row of a line. `open` is the number of rows since the last part ended.
    ///
    /// # Errors
    /// Returns the reason why the line is not a row, or why it does not end its part.
    pub fn add_line(&mut self, line: &str, open: &mut u64) -> Result<(), String> {
        let row: ReplayRow = serde_json::from_str(line).map_err(|why| why.to_string())?;
        if row.schema != ROW_SCHEMA {
            return Err(format!("its schema is {:?}", row.schema));
        }
        *open += u64::from(row.part_rows != Some(0));
        if let Some(rows) = row.part_rows {
            let part = row.part.as_deref().unwrap_or_default();
            if *open != rows {
                return Err(format!("part {part} has {rows} rows, and {open} of them are here"));
            }
            let (input, index, of) = named_part(part).ok_or("it does not name its part")?;
            self.parts.entry((input.to_owned(), of)).or_default().insert(index);
            *open = 0;
        }
        if row.part_rows != Some(0) {
            self.add(row);
        }
        Ok(())
    }

    /// The parts of the inputs of which no rows were added: `part 2 of 3 of otel`.
    pub fn missing_parts(&self) -> Vec<String> {
        let of_input = |((input, of), parts): (&(String, u64), &BTreeSet<u64>)| {
            let missing = (1..=*of).filter(|index| !parts.contains(index));
            missing.map(|index| format!("part {index} of {of} of {input}")).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_input).collect()
    }

    /// The report on all rows.
    pub fn finish(self) -> ReplayReportDoc {
        let group =
            |([hook, rule, project, person], (events, new, examples)): (RefusalKey, (u64, u64, BTreeSet<_>))| {
                RefusalGroup { hook, rule, project, person, events, new, examples: examples.into_iter().collect() }
            };
        let mut refusals: Vec<RefusalGroup> = self.refusals.into_iter().map(group).collect();
        refusals.sort_by_key(|group| std::cmp::Reverse(group.events));
        ReplayReportDoc {
            schema: "replay-report/1",
            events: self.events,
            calls: self.calls,
            newly_refused: self.newly_refused,
            projects: self.projects.len(),
            people: self.people.len(),
            verdicts: self.verdicts,
            refusals,
            unknown: self.unknown,
        }
    }
}

/// The input, the number and the count in `2/3 otel`.
fn named_part(part: &str) -> Option<(&str, u64, u64)> {
    let (numbers, input) = part.split_once(' ')?;
    let (index, of) = numbers.split_once('/')?;
    Some((input, index.parse().ok()?, of.parse().ok()?))
}

impl ReplayReportDoc {
    /// The answer in one sentence: `3 of 4112 calls in 41 projects would now be refused`.
    pub fn headline(&self) -> String {
        let projects = match self.projects {
            0 => String::new(),
            1 => " in 1 project".to_owned(),
            count => format!(" in {count} projects"),
        };
        format!("{} of {} calls{projects} would now be refused", self.newly_refused, self.calls)
    }

    /// The number of events with an unknown verdict.
    pub fn unknown_events(&self) -> u64 {
        self.verdicts.get(Verdict::Unknown.word()).copied().unwrap_or_default()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, word: &str) {
    match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => {
            counts.insert(word.to_owned(), 1);
        }
    }
}

fn add_name(names: &mut BTreeSet<String>, name: Option<&String>) {
    if let Some(name) = name.filter(|name| !names.contains(*name)) {
        names.insert(name.clone());
    }
}
