//! HW2xx: events.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];
