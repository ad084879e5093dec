//! Matchers: the assessment of a matcher, and settings files with a changed matcher.

mod assessment;
mod matcher_change;

pub use assessment::{MatcherAssessment, ScoredSuggestion};
pub use matcher_change::{MatcherChange, write_matcher};
