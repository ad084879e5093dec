//! The work of handlers: what has to look at files or run a program. One function, to be called on a thread of its own.

mod handoff;
mod overview;

use std::sync::LazyLock;
use std::time::Instant;

pub use overview::Overviews;

use hookbench_core::live::handlers::{Done, Work};

/// What is there beside the work itself.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub clock: &'a dyn Fn() -> Instant,
    pub known: &'a Overviews,
}

/// Overviews that this process has made.
static KNOWN: LazyLock<Overviews> = LazyLock::new(Overviews::default);

/// Does it. It ends by itself: an overview within about 2 seconds, a handoff within about 10.
pub fn run(work: &Work) -> Done {
    run_by(work, Means { clock: &Instant::now, known: &KNOWN })
}

/// The same, by this clock and with these overviews.
pub fn run_by(work: &Work, means: Means<'_>) -> Done {
    match work {
        Work::Overview { project } => overview::overview_of(project, means),
        Work::Handoff(asked) => Done::Handoff(handoff::handoff_of(asked, means.clock)),
    }
}
