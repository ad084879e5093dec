//! HW3xx: matchers.

mod ignored_matcher;
mod permission_syntax;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::One(ignored_matcher::look), Rule::One(permission_syntax::look)];
