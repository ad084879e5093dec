//! The server of the live path: HTTP/1.1 over a Unix socket, one request on a connection. It claims the socket (one server
//! for a user), takes requests apart, refuses what is broken or too much, and hands the rest on as [`Request`]s; whoever
//! takes these answers on their [`Line`]. It decides nothing and knows no store.

mod claim;
mod request;

pub use claim::{CannotServe, Claim, Whereabouts};
pub use request::{Asked, Hook, Line, Question, Reply, Request, Since};

/// Requests that may be open without being held.
pub const MAX_OPEN: usize = 64;
/// Requests that may be held.
pub const MAX_HELD: usize = 256;
