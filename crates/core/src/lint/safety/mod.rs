//! HW8xx: conditions, porting and safety.

mod executed_downloads;
mod http_address;
mod http_variables;
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
    LintRule::One(http_address::check),
    LintRule::Many(http_variables::check),
];
