//! HW8xx: conditions, porting and safety.

mod downloads;
mod http_address;
mod http_variables;
mod injection;
mod recorder;
mod secrets;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::Many(downloads::look),
    Rule::Many(secrets::look),
    Rule::Many(injection::look),
    Rule::One(recorder::look),
    Rule::One(http_address::look),
    Rule::Many(http_variables::look),
];
