//! What each agent does, without processes, files and a screen: vectors, recordings, transcripts, matchers, conversion.

#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/vector.rs"]
mod vector;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/words.rs"]
mod words;

mod catalogue;
mod convert;
mod laws;
mod matching;
mod port;
mod recordings;
mod transcripts;
mod vectors;
