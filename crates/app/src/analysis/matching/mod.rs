//! Matchers: the assessment of a matcher, and settings files with a changed matcher.

use crate::disk::user_file::{FileChange, LinkPolicy, WriteError, write_all};
use hookbench_core::config::Place;
use hookbench_core::matching::{MatchTable, MatcherFinding, MatcherResult, Suggestion, findings, suggest};
use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

/// A suggested matcher, and the number of recorded events on which it would fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredSuggestion {
    pub suggestion: Suggestion,
    pub fires: u64,
}

/// The assessment of one matcher on a board.
#[derive(Debug, Clone, PartialEq)]
pub struct MatcherAssessment {
    pub matcher: String,
    pub answer: MatcherResult,
    /// For each column of the board.
    pub findings: Vec<Vec<MatcherFinding>>,
    pub suggestions: Vec<ScoredSuggestion>,
    /// The number of recorded events on which the hook's current matcher fires. `None` if the matcher is the same
    /// or the board has no hook.
    pub current_fires: Option<u64>,
}

/// A share in whole percent, rounded. Returns 0 and 100 only for exactly none and all.
fn percent(part: u64, whole: u64) -> u64 {
    let rounded = (part * 200 + whole) / (whole * 2).max(1);
    if part == 0 || part == whole { rounded } else { rounded.clamp(1, 99) }
}

impl MatcherAssessment {
    /// Assesses a matcher. `was` is the hook's current matcher.
    pub fn of(board: &MatchTable, matcher: &str, was: Option<&str>) -> MatcherAssessment {
        let answer = board.test_matcher(matcher);
        let better = suggest(board, matcher, &answer)
            .into_iter()
            .map(|suggestion| ScoredSuggestion { fires: board.firing_events(&suggestion.text), suggestion })
            .collect();
        MatcherAssessment {
            findings: board.columns.iter().map(|column| findings(column, matcher)).collect(),
            current_fires: was.filter(|was| *was != matcher).map(|was| board.firing_events(was)),
            matcher: matcher.to_owned(),
            answer,
            suggestions: better,
        }
    }

    /// `fires on 88 of 790 recorded events (11 %)`; `None` if nothing was recorded.
    pub fn impact(&self) -> Option<String> {
        let MatcherResult { fires, unknown, recorded, .. } = self.answer;
        (recorded > 0).then(|| {
            let percent = percent(fires, recorded);
            let unknown = if unknown > 0 { format!(", unknown for {unknown}") } else { String::new() };
            let recorded = pluralize(recorded, "recorded event");
            format!("matches {fires} of {recorded} ({percent} %){unknown}")
        })
    }

    /// Comparisons: `was 88`, `with the suggestion 500`.
    pub fn comparisons(&self) -> Vec<String> {
        if self.answer.recorded == 0 {
            return Vec::new();
        }
        let was = self.current_fires.map(|was| format!("was {was}"));
        let better = self.suggestions.first().filter(|better| better.fires != self.answer.fires);
        was.into_iter().chain(better.map(|better| format!("the suggestion: {}", better.fires))).collect()
    }
}

/// The change of a file that gives a hook another matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherChange {
    pub agent: AgentId,
    /// The path as opened.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    /// The line of the matcher, from 1.
    pub line: u32,
    /// The previous matcher, if there was one.
    pub previous: Option<String>,
    pub matcher: String,
    pub before: String,
    pub after: String,
    /// A unified diff.
    pub diff: String,
    /// The other hooks that share this matcher and get the new one, too.
    pub affected_hooks: Vec<String>,
    /// The user's next step before the agent runs the hook.
    pub next_step: Option<String>,
}

impl MatcherChange {
    /// The change of the whole file.
    pub fn file_change(&self) -> FileChange {
        FileChange {
            file: self.file.clone(),
            path: self.path.clone(),
            before: Some(self.before.clone().into_bytes()),
            after: self.after.clone().into_bytes(),
            executable: false,
        }
    }
}

/// Writes the change as a step that can be undone.
///
/// # Errors
/// Returns an error if the file has changed in the meantime or cannot be written.
pub fn write_matcher(place: &Place, change: &MatcherChange, links: LinkPolicy) -> Result<(), WriteError> {
    write_all(place, &[change.file_change()], links)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_are_rounded_and_none_and_all_are_exact() {
        for (part, whole, want) in
            [(0, 10, 0), (10, 10, 100), (1, 1000, 1), (999, 1000, 99), (707, 1000, 71), (704, 1000, 70), (1, 2, 50)]
        {
            assert_eq!(percent(part, whole), want, "{part} of {whole}");
        }
    }
}
