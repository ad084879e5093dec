//! The number of recorded events for each subject.

use std::collections::BTreeMap;

use hookbench_core::matching::Seen;

/// The number of events of one subject in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub seen: Seen,
    /// The project's path without links; `None` if it is unknown.
    pub project: Option<String>,
}

/// The recorded subjects of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kinds(pub Vec<Recorded>);

impl Kinds {
    /// Reads the numbers from a store.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn of(store: &hookbench_system::store::Store) -> Result<Kinds, hookbench_system::store::StoreFault> {
        let mut all: BTreeMap<(String, String, String, Option<String>), u64> = BTreeMap::new();
        for kind in store.kinds()?.iter() {
            let Some(subject) = kind.subject.clone() else { continue };
            let key = (kind.agent.clone(), kind.event.clone(), subject, kind.project.clone());
            *all.entry(key).or_default() += kind.events;
        }
        let mut real: BTreeMap<String, String> = BTreeMap::new();
        let without_links = |project: &String| {
            std::fs::canonicalize(project).map_or_else(|_| project.clone(), |path| path.to_string_lossy().into_owned())
        };
        let recorded = all.into_iter().map(|((agent, event, subject, project), events)| {
            let project = project.map(|p| real.entry(p.clone()).or_insert_with(|| without_links(&p)).clone());
            Recorded { seen: Seen { agent, event, subject, events }, project }
        });
        Ok(Kinds(recorded.collect()))
    }

    /// The subjects of a project and its subfolders, and those of unknown projects, the most frequent first.
    /// Without a project, the subjects of all.
    pub fn seen(&self, project: Option<&str>) -> Vec<Seen> {
        let here = |recorded: &&Recorded| match (project, &recorded.project) {
            (None, _) | (_, None) => true,
            (Some(here), Some(there)) => {
                there.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        };
        let mut all: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
        for Recorded { seen, .. } in self.0.iter().filter(here) {
            *all.entry((&seen.agent, &seen.event, &seen.subject)).or_default() += seen.events;
        }
        let mut all: Vec<Seen> = all
            .into_iter()
            .map(|((agent, event, subject), events)| Seen {
                agent: agent.to_owned(),
                event: event.to_owned(),
                subject: subject.to_owned(),
                events,
            })
            .collect();
        all.sort_by_key(|seen| std::cmp::Reverse(seen.events));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_count_where_they_happened() {
        let recorded = |subject: &str, project: Option<&str>, events| Recorded {
            seen: Seen { agent: "a".into(), event: "E".into(), subject: subject.into(), events },
            project: project.map(str::to_owned),
        };
        let kinds = Kinds(vec![
            recorded("x", Some("/p"), 1),
            recorded("x", Some("/p/below"), 2),
            recorded("x", Some("/pp"), 4),
            recorded("y", None, 8),
        ]);
        let count = |project| kinds.seen(project).iter().map(|s| (s.subject.clone(), s.events)).collect::<Vec<_>>();
        assert_eq!(count(Some("/p")), [("y".to_owned(), 8), ("x".to_owned(), 3)]);
        assert_eq!(count(None), [("y".to_owned(), 8), ("x".to_owned(), 7)]);
    }
}
