//! The work of handlers that read files. It is a single blocking function, to be called on its own thread.

mod handoff;
mod overview;

use std::sync::LazyLock;
use std::time::Instant;

pub use overview::Overviews;

use hookbench_core::live::handlers::{Done, Work};

/// The clock and the cache for the work.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub clock: &'a dyn Fn() -> Instant,
    pub known: &'a Overviews,
}

/// The cache of this process.
static KNOWN: LazyLock<Overviews> = LazyLock::new(Overviews::default);

/// Does the work. An overview takes at most about 2 seconds, a handoff about 10.
pub fn run(work: &Work) -> Done {
    run_by(work, Means { clock: &Instant::now, known: &KNOWN })
}

/// Does the work with a given clock and cache.
pub fn run_by(work: &Work, means: Means<'_>) -> Done {
    match work {
        Work::Overview { project } => overview::overview_of(project, means),
        Work::Handoff(asked) => Done::Handoff(handoff::handoff_of(asked, means.clock)),
    }
}
