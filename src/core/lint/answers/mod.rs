//! HW6xx: answers and what they decide.

mod exit_one;
mod payload_keys;
mod stops;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(exit_one::look), Rule::Many(payload_keys::look), Rule::One(stops::look)];
