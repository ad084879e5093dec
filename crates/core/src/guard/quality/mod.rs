//! The rules of the guard `quality`.

mod language;
mod patterns;
mod run;
mod secrets;
mod swallowed_errors;
mod unchecked_access;

pub use run::check;
