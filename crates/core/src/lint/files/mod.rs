//! HW1xx: settings files and their structure.

mod duplicate_keys;
mod empty_events;
mod fixes;
mod ignored_keys;
mod misplaced_events;
mod settings_tree;
mod unread_files;
mod unused_scripts;

pub(super) use self::fixes::{add_fixes, find_parent_of_key};
pub(super) use self::settings_tree::{SettingsTree, settings_trees};
pub use self::unread_files::directory_above;
use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(unread_files::check),
    LintRule::Agent(unused_scripts::check),
    LintRule::Settings(misplaced_events::check),
    LintRule::Settings(empty_events::check),
    LintRule::Settings(ignored_keys::check),
    LintRule::Settings(duplicate_keys::check),
];
