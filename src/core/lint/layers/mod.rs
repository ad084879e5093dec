//! HW7xx: layers, policy, trust and freshness.

mod checkout;
mod duplicates;
mod home;
mod stale;
mod tracked;
mod untrusted;

use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::Whole(untrusted::look),
    Rule::Whole(duplicates::look),
    Rule::Whole(home::look),
    Rule::Whole(stale::look),
    Rule::One(checkout::look),
    Rule::One(tracked::look),
];
