//! Verifications: the request for a session of the installed agent in which an event is fired, and its steps.

mod request;
mod update;

pub use request::VerificationRequest;
pub use update::VerificationUpdate;
