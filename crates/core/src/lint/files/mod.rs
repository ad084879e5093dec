//! HW1xx: settings files and their structure.

mod duplicate_keys;
mod empty_events;
mod fixes;
mod ignored_keys;
mod misplaced_events;
mod settings_tree;
mod unread_files;
mod unused_scripts;

pub(super) use self::fixes::add_fixes;
pub use self::unread_files::directory_above;
use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(unread_files::check),
    LintRule::Agent(unused_scripts::check),
    LintRule::Agent(misplaced_events::check),
    LintRule::Agent(empty_events::check),
    LintRule::Agent(ignored_keys::check),
    LintRule::Agent(duplicate_keys::check),
];
