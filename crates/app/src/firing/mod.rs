//! One event and its hooks: the input, consent, containment, the record, the history.

pub mod approval;
pub mod consent;
pub mod containment;
pub mod history;
pub mod input;
pub mod left_out;
mod older_payload;
pub mod record;
pub mod setup;
pub mod suite_case;
pub mod tool_name;
