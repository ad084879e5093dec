//! Guards: their settings, their recorded findings and the user's judgements, and a trial over recorded events.

mod hits;
mod overview;
mod settings;
mod state;
mod trial;

pub use hits::{JudgedHit, Judgement, find_hit, judge, read_hits};
pub use overview::{GuardOverview, InstalledCommand, ask_moderator, guard_command, guard_overview};
pub use settings::{
    ConfigChange, ConfigChangeError, allow_change, allowance_of, guard_settings, mode_change, with_allowance, with_mode,
};
pub use state::{GuardsRequest, GuardsState};
pub use trial::{
    GuardTrial, TrialError, TrialHit, TrialRequest, TrialSource, finding_case, needs_mode_hint, run_trial,
};
