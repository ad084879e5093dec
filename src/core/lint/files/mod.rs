//! HW1xx: files, and the shape of what stands in them.

mod not_read;

use super::Rule;

pub(super) const RULES: &[Rule] = &[Rule::Whole(not_read::look)];
