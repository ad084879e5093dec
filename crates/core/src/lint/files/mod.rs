//! HW1xx: settings files and their structure.

mod fixes;
mod ignored_keys;
mod misplaced_events;
mod settings_tree;
mod unread_files;

pub(super) use self::fixes::{add_fixes, find_parent_of_key};
pub(super) use self::settings_tree::{SettingsTree, settings_trees};
pub use self::unread_files::directory_above;
use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(unread_files::check),
    LintRule::Agent(unread_files::check_unused_scripts),
    LintRule::Settings(misplaced_events::check),
    LintRule::Settings(settings_tree::check_empty_events),
    LintRule::Settings(ignored_keys::check),
    LintRule::Settings(settings_tree::check_duplicate_keys),
];
