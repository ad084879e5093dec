//! The captured output of a run, and the part that was not yet sent to the listener. Both are limited in size.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use hookbench_core::run::{CapturedStream, Stream};

/// The upper limit for the captured beginning of a stream, even if the agent keeps more.
const MAX_HEAD_BYTES: usize = 16 << 20;
/// The captured size of the end of a stream that is longer than its head.
const TAIL: usize = 256 << 10;
/// The limit per stream and frame.
const FRAME: usize = 64 << 10;

/// Both streams of one run. Readers push bytes, the teller takes new bytes, and the supervisor takes the captured
/// output at the end.
pub(super) struct OutputTap {
    streams: Mutex<[OutputBuffer; 2]>,
    dirty: Notify,
}

/// New bytes of a stream.
pub(super) struct NewOutput {
    pub stream: Stream,
    pub bytes: Vec<u8>,
    pub skipped: u64,
}

impl OutputTap {
    /// `keep`: the number of bytes that the agent keeps from the beginning of each stream.
    pub fn new(keep: usize) -> OutputTap {
        let keep = keep.min(MAX_HEAD_BYTES);
        OutputTap { streams: Mutex::new([OutputBuffer::new(keep), OutputBuffer::new(keep)]), dirty: Notify::new() }
    }

    /// Adds bytes that were read from a stream.
    pub fn push(&self, stream: Stream, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.streams()[usize::from(stream == Stream::Stderr)].push(bytes);
            self.dirty.notify_one();
        }
    }

    /// Waits until there are unsent bytes.
    pub async fn changed(&self) {
        self.dirty.notified().await;
    }

    /// Takes the unsent bytes.
    pub fn take_new(&self) -> impl Iterator<Item = NewOutput> {
        let mut streams = self.streams();
        let [out, err] = &mut *streams;
        [out.take_new(Stream::Stdout), err.take_new(Stream::Stderr)].into_iter().flatten()
    }

    /// Takes the captured output: stdout, stderr.
    pub fn take_captured(&self) -> (CapturedStream, CapturedStream) {
        let mut streams = self.streams();
        let [out, err] = &mut *streams;
        (out.take_captured(), err.take_captured())
    }

    fn streams(&self) -> MutexGuard<'_, [OutputBuffer; 2]> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct OutputBuffer {
    keep: usize,
    head: Vec<u8>,
    tail: RingBuffer,
    total: u64,
    unsent: RingBuffer,
    skipped: u64,
}

impl OutputBuffer {
    fn new(keep: usize) -> OutputBuffer {
        OutputBuffer {
            keep,
            head: Vec::new(),
            tail: RingBuffer::new(TAIL),
            total: 0,
            unsent: RingBuffer::new(FRAME),
            skipped: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.keep.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.push(rest);
        self.skipped += self.unsent.push(bytes);
    }

    fn take_new(&mut self, stream: Stream) -> Option<NewOutput> {
        let bytes = self.unsent.take();
        (!bytes.is_empty()).then(|| NewOutput { stream, bytes, skipped: mem::take(&mut self.skipped) })
    }

    fn take_captured(&mut self) -> CapturedStream {
        let mut head = mem::take(&mut self.head);
        head.shrink_to_fit();
        CapturedStream { head, tail: self.tail.take(), total: self.total }
    }
}

/// A buffer for the last bytes of a stream.
struct RingBuffer {
    room: usize,
    bytes: VecDeque<u8>,
}

impl RingBuffer {
    fn new(room: usize) -> RingBuffer {
        RingBuffer { room, bytes: VecDeque::new() }
    }

    /// Appends bytes, and returns the number of bytes that were dropped.
    fn push(&mut self, bytes: &[u8]) -> u64 {
        let gone = (self.bytes.len() + bytes.len()).saturating_sub(self.room);
        let old = gone.min(self.bytes.len());
        self.bytes.drain(..old);
        self.bytes.extend(&bytes[gone - old..]);
        gone as u64
    }

    fn take(&mut self) -> Vec<u8> {
        mem::take(&mut self.bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_the_end() {
        let mut ring = RingBuffer::new(4);
        assert_eq!(ring.push(b"ab"), 0);
        assert_eq!(ring.push(b"cd"), 0);
        assert_eq!(ring.push(b"e"), 1);
        assert_eq!(ring.push(b"fgh"), 3);
        assert_eq!(ring.push(b""), 0);
        assert_eq!(ring.take(), b"efgh");
        assert_eq!(ring.push(b"0123456789"), 6);
        assert_eq!(ring.push(b"abcdef"), 6);
        assert_eq!(ring.take(), b"cdef");
        assert_eq!(ring.take(), b"");
    }

    #[test]
    fn head_and_tail_never_overlap() {
        let mut kept = OutputBuffer::new(5);
        kept.push(b"abc");
        kept.push(b"defg");
        kept.push(b"h");
        assert_eq!(kept.take_captured(), CapturedStream { head: b"abcde".to_vec(), tail: b"fgh".to_vec(), total: 8 });
    }

    #[test]
    fn a_stream_that_fits_has_no_tail() {
        let mut kept = OutputBuffer::new(3);
        kept.push(b"abc");
        assert_eq!(kept.take_captured(), CapturedStream::whole(b"abc"));
    }

    #[test]
    fn the_end_of_a_long_stream_is_bounded() {
        let mut kept = OutputBuffer::new(2);
        for byte in 0..100_u8 {
            kept.push(&[byte; 16 << 10]);
        }
        let captured = kept.take_captured();
        assert_eq!(captured.head, [0, 0]);
        assert_eq!(captured.tail.len(), TAIL);
        assert_eq!(captured.tail.first(), Some(&84));
        assert_eq!(captured.total, 100 * (16 << 10));
    }

    #[test]
    fn a_frame_counts_what_it_skipped() {
        let tap = OutputTap::new(0);
        tap.push(Stream::Stderr, &[b'a'; 10]);
        tap.push(Stream::Stderr, &vec![b'b'; FRAME]);
        let fresh: Vec<NewOutput> = tap.take_new().collect();
        assert_eq!(fresh.len(), 1);
        assert_eq!((fresh[0].stream, fresh[0].skipped), (Stream::Stderr, 10));
        assert_eq!(fresh[0].bytes, vec![b'b'; FRAME]);
        tap.push(Stream::Stderr, b"c");
        let fresh: Vec<NewOutput> = tap.take_new().collect();
        assert_eq!((fresh[0].bytes.as_slice(), fresh[0].skipped), (&b"c"[..], 0));
        assert!(tap.take_new().next().is_none());
    }
}
