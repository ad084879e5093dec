//! The files that a hook could have read at the moment of a recorded event: the transcript up to then, and the todos.

mod event_moment;

pub use event_moment::{EventMoment, TranscriptCopy, moment_of};
