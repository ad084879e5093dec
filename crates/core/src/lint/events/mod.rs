//! HW2xx: events.

mod blocks_nothing;
mod handler_type;
mod names;
mod repeated_events;
mod sequential;
mod silent_surface;

pub(super) use self::names::{fix_event_name, group_foreign_events};
pub use self::repeated_events::{EventOccurrence, repeated_events};
use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(blocks_nothing::check),
    LintRule::One(handler_type::check),
    LintRule::One(silent_surface::check),
    LintRule::Agent(sequential::check),
];
