//! The captured bytes of a stream, up to a limit.

use std::borrow::Cow;

/// The kept part of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedStream {
    /// The beginning, without gaps, up to the size that the agent keeps.
    pub head: Vec<u8>,
    /// The end of the stream, if it is longer than `head`.
    pub tail: Vec<u8>,
    /// The number of bytes received, kept or not.
    pub total: u64,
}

impl CapturedStream {
    /// A stream that was kept completely.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> CapturedStream {
        let head = bytes.into();
        let total = head.len() as u64;
        CapturedStream { head, tail: Vec::new(), total }
    }

    /// Whether bytes were dropped.
    pub fn truncated(&self) -> bool {
        self.total > self.head.len() as u64
    }

    /// The beginning as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.head)
    }

    /// Whether the kept bytes are UTF-8.
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.head).is_ok()
    }
}
