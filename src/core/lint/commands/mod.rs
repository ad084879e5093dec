//! HW4xx: commands, scripts and the processes that they become.

mod not_started;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(not_started::look)];
