//! Tests of each agent's behaviour without processes, files or a screen: vectors, recordings, transcripts, matchers,
//! conversion.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/vector.rs"]
mod vector;
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
