//! HW8xx: conditions, porting and safety.

mod downloads;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(downloads::look)];
