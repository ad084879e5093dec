//! Tests of one matcher on everything that is known to occur, in every agent: how it is interpreted, what it
//! matches, what it nearly matches, and what was probably meant. The agents' own rules decide what matches.
//!
//! | file | contents |
//! |---|---|
//! | `match_table` | agents as columns, names as rows; the result of a matcher |
//! | `known_names` | the names known to occur on an event |
//! | `near_matches` | names that nearly match, and why they do not |
//! | `suggestions` | a matcher that matches exactly what was meant |

mod known_names;
mod match_table;
mod near_matches;
mod suggestions;

pub use match_table::{
    AgentWithoutEvent, BranchMatches, ColumnMatches, MatchCell, MatchColumn, MatchRow, MatchTable, MatcherResult,
    NameOrigin, RecordedSubject,
};
pub use near_matches::{MatcherFinding, NearMatch, findings};
pub use suggestions::{Suggestion, SuggestionReason, suggest};
