//! The moderator: a model that a guard asks about an event in which its rules find nothing. This module writes the question
//! from evidence that may be hostile, reads the verdict strictly, and decides what a guard does without a verdict.

mod evidence;
mod instructions;
mod masks;
mod question;
mod ruling;
mod verdict;

pub use evidence::{EvidenceMessage, EvidenceRole, estimated_tokens};
pub use instructions::{MODERATED_GUARDS, instructions};
pub use masks::{is_secret_name, mask_secrets};
pub use question::{EvidenceCall, ModeratorQuestion, QuestionLimits};
pub use ruling::{MOD_BLOCK, MOD_UNAVAILABLE, ModeratorAnswer, ModeratorRuling, rule_on};
pub use verdict::{ModeratorVerdict, read_verdict, verdict_schema};
