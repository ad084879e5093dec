//! Summarizes the results so far, as counts and by rule.

use std::collections::HashMap;

use super::Impact;
use super::computation::ImpactComputation;

/// The number of subjects for which rules are listed; users do not read longer lists.
const MAX_SUBJECTS: usize = 200;

impl ImpactComputation<'_> {
    pub(super) fn summarize(&mut self) -> Impact {
        let mut tally = self.tally.clone();
        let mut unnamed = 0;
        // Index of the difference, subject, and number of events.
        let mut subjects: Vec<(usize, Option<&str>, usize)> = Vec::new();
        for (index, found) in self.found.iter().enumerate() {
            tally.add_alike(&found.example, found.counts.iter().map(|(_, count)| count).sum());
            let mut by_subject: HashMap<Option<&str>, usize> = HashMap::new();
            for (kind, count) in &found.counts {
                let subject = self.kinds.get(*kind).and_then(|kind| kind.subject.as_deref());
                *by_subject.entry(subject).or_default() += count;
            }
            subjects.extend(by_subject.into_iter().map(|(subject, count)| (index, subject, count)));
        }
        if subjects.len() > MAX_SUBJECTS {
            subjects
                .select_nth_unstable_by(MAX_SUBJECTS, |a, b| b.2.cmp(&a.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
            for (index, ..) in subjects.drain(MAX_SUBJECTS..) {
                let changes = self.found.get(index).map_or(&[][..], |found| &found.example.changes);
                unnamed += changes.iter().filter(|change| change.what == "runs").count();
            }
        }
        for (index, subject, count) in subjects {
            let Some(found) = self.found.get(index) else { continue };
            let own = found.example.subject.as_deref() == subject || !found.for_all;
            let pair = if own { None } else { self.pairs.get_mut(found.pair) };
            match pair.and_then(|pair| pair.reworded_for(found, subject)) {
                Some(one) => tally.add_rules(&one, count),
                None => tally.add_rules(&found.example, count),
            }
        }
        for report in &self.reports {
            if let Some(found) = self.found.get(report.found) {
                tally.add_alike(&found.example, 1);
                tally.add_rules(&found.example, 1);
            }
        }
        let mut summary = tally.finish();
        summary.more_rules += unnamed;
        Impact {
            agent: self.change.dialect.id(),
            project: (!self.pairs.everywhere).then(|| self.change.place.project.clone()),
            summary,
            at_least: !self.done,
        }
    }
}
