//! The number of recorded events for each subject.

use std::collections::BTreeMap;

use hookbench_core::matching::RecordedSubject;
use hookbench_core::recorded::PayloadSource;

/// The number of events of one subject in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectCount {
    pub seen: RecordedSubject,
    /// The project's path without links; `None` if it is unknown.
    pub project: Option<String>,
}

/// The recorded subjects of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubjectCounts(pub Vec<SubjectCount>);

impl SubjectCounts {
    /// Reads the numbers from a store.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn read(store: &hookbench_system::store::Store) -> Result<SubjectCounts, hookbench_system::store::StoreError> {
        let mut all: BTreeMap<(String, String, String, Option<String>), u64> = BTreeMap::new();
        for kind in store.kinds()?.iter().filter(|kind| kind.payload_source != PayloadSource::Fired) {
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
            SubjectCount { seen: RecordedSubject { agent, event, subject, events }, project }
        });
        Ok(SubjectCounts(recorded.collect()))
    }

    /// The subjects of a project and its subdirectories, and those of unknown projects, the most frequent first.
    /// Without a project, the subjects of all.
    pub fn in_project(&self, project: Option<&str>) -> Vec<RecordedSubject> {
        let here = |recorded: &&SubjectCount| match (project, &recorded.project) {
            (None, _) | (_, None) => true,
            (Some(here), Some(there)) => {
                there.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        };
        let mut all: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
        for SubjectCount { seen, .. } in self.0.iter().filter(here) {
            *all.entry((&seen.agent, &seen.event, &seen.subject)).or_default() += seen.events;
        }
        let mut all: Vec<RecordedSubject> = all
            .into_iter()
            .map(|((agent, event, subject), events)| RecordedSubject {
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
        let recorded = |subject: &str, project: Option<&str>, events| SubjectCount {
            seen: RecordedSubject { agent: "a".into(), event: "E".into(), subject: subject.into(), events },
            project: project.map(str::to_owned),
        };
        let kinds = SubjectCounts(vec![
            recorded("x", Some("/p"), 1),
            recorded("x", Some("/p/below"), 2),
            recorded("x", Some("/pp"), 4),
            recorded("y", None, 8),
        ]);
        let count =
            |project| kinds.in_project(project).iter().map(|s| (s.subject.clone(), s.events)).collect::<Vec<_>>();
        assert_eq!(count(Some("/p")), [("y".to_owned(), 8), ("x".to_owned(), 3)]);
        assert_eq!(count(None), [("y".to_owned(), 8), ("x".to_owned(), 7)]);
    }
}
