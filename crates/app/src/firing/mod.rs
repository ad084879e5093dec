//! One event and its hooks: the input, consent, containment, the record, the history.

pub mod approval;
pub mod containment;
pub mod history;
pub mod input;
mod older_payload;
pub mod record;
pub mod setup;
pub mod suite_case;
pub mod tool_name;
