//! The server of the live path: HTTP/1.1 over a local socket, with one request per connection. It claims the socket
//! (one server per user), parses requests, refuses invalid or excessive ones, and passes the others on as
//! [`ServerRequest`]s, which are answered through their [`ReplyChannel`]. It makes no decisions and does not use the store.

mod claim;
pub mod client;
mod connection;
mod listen;
mod route;

pub use crate::local_socket::ServeError;
pub use claim::{ServerClaim, ServerPaths};
pub use listen::serve;
pub use route::{
    EventSummary, HookRequest, ReplyChannel, RequestKind, ServerQuery, ServerReply, ServerRequest, StreamStart,
    SummarizeEvent,
};

/// The number of requests that may be open at once, without those that wait for a decision.
pub const MAX_OPEN: usize = 64;
/// The number of requests that may wait for a decision.
pub const MAX_WAITING: usize = 256;
/// The number of clients that may follow the event stream.
pub const MAX_STREAMS: usize = 16;
