//! HW7xx: layers, policy, trust and freshness.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];
