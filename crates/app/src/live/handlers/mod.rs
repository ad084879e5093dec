//! The work of handlers that read files. It is a single blocking function, to be called on its own thread.

mod overview;

use std::sync::LazyLock;
use std::time::Instant;

pub use overview::OverviewCache;

use hookbench_core::live::handlers::{HandlerResult, HandlerWork};

/// The clock and the cache for the work.
#[derive(Clone, Copy)]
pub struct HandlerResources<'a> {
    pub clock: &'a dyn Fn() -> Instant,
    pub overviews: &'a OverviewCache,
}

/// The cache of this process.
static KNOWN: LazyLock<OverviewCache> = LazyLock::new(OverviewCache::default);

/// Does the work. An overview takes at most about 2 seconds, a handoff about 10.
pub fn run(work: &HandlerWork) -> HandlerResult {
    run_with(work, HandlerResources { clock: &Instant::now, overviews: &KNOWN })
}

/// Does the work with a given clock and cache.
pub fn run_with(work: &HandlerWork, means: HandlerResources<'_>) -> HandlerResult {
    match work {
        HandlerWork::Overview { project } => overview::overview_of(project, means),
        HandlerWork::Handoff(asked) => HandlerResult::Handoff(overview::handoff_of(asked, means.clock)),
    }
}
