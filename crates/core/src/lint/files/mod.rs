//! HW1xx: settings files and their structure.

mod empty;
mod keys;
mod loose;
mod mend;
mod not_read;
mod outside;
mod settings;
mod twice;

pub(super) use self::mend::mend;
use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::Whole(not_read::look),
    Rule::Whole(loose::look),
    Rule::Whole(outside::look),
    Rule::Whole(empty::look),
    Rule::Whole(keys::look),
    Rule::Whole(twice::look),
];
