//! HW5xx: time.

mod seconds;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(seconds::look)];
