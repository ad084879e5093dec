//! HW8xx: conditions, porting and safety.

mod executed_downloads;
mod http;
mod injection;
mod installed_forwarder;
mod own_agent;
mod secrets;

use super::LintRule;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Many(executed_downloads::check),
    LintRule::Many(secrets::check),
    LintRule::Many(injection::check),
    LintRule::Agent(installed_forwarder::check),
    LintRule::One(own_agent::check),
    LintRule::One(http::check_address),
    LintRule::Many(http::check),
];
