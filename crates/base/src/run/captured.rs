//! Bytes that came out of a stream, kept within bounds.

use std::borrow::Cow;

/// What is kept of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, without gaps, as much as the agent keeps.
    pub head: Vec<u8>,
    /// The end of the stream, when it is longer than `head`.
    pub tail: Vec<u8>,
    /// Everything that came, kept or not.
    pub total: u64,
}

impl Captured {
    /// A stream that was kept whole.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Captured {
        let head = bytes.into();
        let total = head.len() as u64;
        Captured { head, tail: Vec::new(), total }
    }

    /// Whether something was dropped.
    pub fn truncated(&self) -> bool {
        self.total > self.head.len() as u64
    }

    /// The beginning as text; bytes that are no UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.head)
    }

    /// Whether the kept bytes are UTF-8.
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.head).is_ok()
    }
}
