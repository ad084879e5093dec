//! Reads the payload from stdin. It always reads to the end, because an agent whose write fails considers the hook
//! broken, but keeps only a limited part.

use std::io::{ErrorKind, Read};

use hookbench_core::live::MAX_PAYLOAD;

/// The received payload.
#[derive(Debug, PartialEq, Eq)]
pub struct PayloadInput {
    /// The beginning, up to [`MAX_PAYLOAD`] bytes.
    pub kept: Vec<u8>,
    /// The total number of bytes.
    pub total: u64,
}

impl PayloadInput {
    /// Reads to the end. A read error counts as the end.
    pub fn read(stream: &mut impl Read) -> PayloadInput {
        let mut input = PayloadInput { kept: Vec::new(), total: 0 };
        let mut bytes = [0; 32 * 1024];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return input,
                Ok(count) => {
                    let room = MAX_PAYLOAD.saturating_sub(input.kept.len());
                    input.kept.extend_from_slice(&bytes[..count.min(room)]);
                    input.total += count as u64;
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(_) => return input,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_and_not_kept() {
        for (length, kept) in [(0, 0), (MAX_PAYLOAD, MAX_PAYLOAD), (MAX_PAYLOAD + 1, MAX_PAYLOAD)] {
            let input = PayloadInput::read(&mut std::io::repeat(b'x').take(length as u64));
            assert_eq!((input.kept.len(), input.total), (kept, length as u64));
        }
    }
}
