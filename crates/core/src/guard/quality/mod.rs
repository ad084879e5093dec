//! The rules of the guard `quality`.

mod language;
mod patterns;
mod run;
mod swallowed_errors;

pub use run::check;
