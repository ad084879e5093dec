//! HW2xx: events.

mod blocks_nothing;
mod handler_type;
mod names;
mod often;
mod sequential;
mod surface;

pub(super) use self::names::{mend, one_block};
pub use self::often::{Seen, often};
use super::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::One(blocks_nothing::look),
    Rule::One(handler_type::look),
    Rule::One(surface::look),
    Rule::Whole(sequential::look),
];
