//! Matchers: how often each subject was recorded, the assessment of a matcher, and settings files with a changed
//! matcher.

mod assessment;
mod matcher_change;
mod subject_counts;

pub use assessment::{MatcherAssessment, ScoredSuggestion};
pub use matcher_change::{MatcherChange, write_matcher};
pub use subject_counts::{SubjectCount, SubjectCounts};
