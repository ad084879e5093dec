//! The moderator: a model that a guard asks about an event in which its rules find nothing. This module writes the question
//! from evidence that may be hostile, reads the verdict strictly, and decides what a guard does without a verdict.

mod instructions;
mod question;
mod verdict;

pub use instructions::{MODERATED_GUARDS, instructions};
pub use question::{EvidenceCall, ModeratorQuestion, QuestionLimits};
pub use question::{EvidenceMessage, EvidenceRole, estimated_tokens};
pub use question::{is_secret_name, mask_secrets};
pub use verdict::{MOD_BLOCK, MOD_UNAVAILABLE, ModeratorAnswer, ModeratorRuling, rule_on};
pub use verdict::{ModeratorVerdict, read_verdict, verdict_schema};
