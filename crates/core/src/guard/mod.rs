//! Guards: rules that refuse what an agent is about to do, or keep it from stopping with work undone.
//!
//! A rule computes findings from an event, the files that it names and the end of its transcript. `settings` say what
//! becomes of a finding: nothing, a record, a warning or a refusal. `answer` writes it in the words of the agent.

mod answer;
mod check;
mod command_reader;
mod event;
mod hit;
mod malicious;
mod moderation;
mod page;
mod pattern;
mod quality;
mod research;
mod response;
mod rule;
mod settings;
mod todo;
mod window;
mod work;

pub use answer::{Allowance, GuardAnswer, unreadable_response};
pub use check::{GuardReport, GuardRequest, RulesVerdict, check_event, check_payload};
pub use event::{GuardEvent, readable};
pub use hit::{GuardFinding, GuardHit, MAX_EVIDENCE, hit_id, hit_key, recorded_payload};
pub use moderation::{ModeratorEvidence, moderated_report, moderator_evidence};
pub use page::{GUARD_SECTIONS, GuardPage, guard_page, guard_pages};
pub use rule::{
    GuardFile, GuardName, GuardRule, IN_SIZE, OTHER_REASONS, RULES, RuleSeverity, Surroundings, TranscriptEnd,
    find as find_rule, instead,
};
pub use settings::{GUARD_TABLE, GuardMode, GuardOptions, GuardSettings, read_guard_settings, read_guard_table};
