//! The server of the live path: HTTP/1.1 over a Unix socket, one request on a connection. It claims the socket (one server
//! for a user), takes requests apart, refuses what is broken or too much, and hands the rest on as [`Request`]s; whoever
//! takes these answers on their [`Line`]. It decides nothing and knows no store.

mod claim;
pub mod client;
mod connection;
mod listen;
mod read;
mod request;
mod route;

pub use claim::{CannotServe, Claim, Whereabouts};
pub use listen::serve;
pub use request::{About, Asked, Hook, Line, Look, Question, Reply, Request, Since};

/// Requests that may be open at once, beside those that wait for somebody …
pub const MAX_OPEN: usize = 64;
/// … how many of these there may be …
pub const MAX_WAITING: usize = 256;
/// … and how many may follow what happens.
pub const MAX_STREAMS: usize = 16;
