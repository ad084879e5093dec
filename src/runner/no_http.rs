//! Stands in for `http` where the feature `http-hooks` is off.

use super::control::Job;
use crate::core::run::HttpSpec;

/// Refuses.
#[allow(clippy::unused_async, reason = "the same interface as with the feature")]
pub(super) async fn supervise(job: Job, _: HttpSpec) {
    job.fail("built without http hooks");
}
