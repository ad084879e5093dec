//! HW6xx: what hooks answer, and what becomes of it.

mod exit_one;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(exit_one::look)];
