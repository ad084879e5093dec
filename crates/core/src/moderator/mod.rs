//! The moderator: a model that a guard asks about an event in which its rules find nothing. This module writes the question
//! from evidence that may be hostile, reads the verdict strictly, and decides what a guard does without a verdict.

mod instructions;
mod question;
mod verdict;

pub use instructions::{MODERATED_GUARDS, instructions};
pub use question::{
    EvidenceCall, EvidenceMessage, EvidenceRole, ModeratorQuestion, QuestionLimits, estimated_tokens, is_secret_name,
    mask_secrets,
};
pub use verdict::{
    MOD_BLOCK, MOD_UNAVAILABLE, ModeratorAnswer, ModeratorRuling, ModeratorVerdict, read_verdict, rule_on,
    verdict_schema,
};
