//! Guards: their settings, their recorded findings and the user's judgements, their installation, and a trial over
//! recorded events.

mod hits;
mod install;
mod overview;
mod settings;
mod trial;
mod trial_files;

pub use hits::{JudgedHit, Judgement, find_hit, judge, read_hits};
pub use install::{GuardInstall, GuardInstallRequest, InstalledGuard, SkippedGuard, prepare_guards};
pub use overview::{GuardOverview, InstalledCommand, guard_overview};
pub use settings::{ConfigChange, ConfigChangeError, allow_change, guard_settings, mode_change};
pub use trial::{GuardTrial, TrialError, TrialHit, TrialRequest, TrialSource, run_trial};
