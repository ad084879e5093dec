//! HW5xx: time.

mod background;
mod budget;
mod endless;
mod recorded;
mod seconds;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::One(seconds::look),
    Rule::One(budget::look),
    Rule::One(background::look),
    Rule::One(endless::look),
    Rule::One(recorded::look),
];
