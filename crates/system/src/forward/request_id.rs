//! Request ids: UUIDs of version 7, which sort by time.

use std::hash::{BuildHasher as _, RandomState};

/// Creates an id for a time in milliseconds since 1970.
pub fn new(now_ms: u64) -> String {
    // Two hashes with random keys from the system are random enough to distinguish requests.
    let random = u128::from(RandomState::new().hash_one(now_ms)) << 64 | u128::from(RandomState::new().hash_one(7));
    form(now_ms, random)
}

fn form(now_ms: u64, random: u128) -> String {
    let low = |bits: u32, from: u32| (random >> from) & ((1 << bits) - 1);
    let time = now_ms & ((1 << 48) - 1);
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        time >> 16,
        time & 0xffff,
        low(12, 64),
        0x8000 | low(14, 48),
        low(48, 0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_its_time_and_its_version() {
        assert_eq!(form(0x0192_aabb_ccdd, u128::MAX), "0192aabb-ccdd-7fff-bfff-ffffffffffff");
        assert_eq!(form(0, 0), "00000000-0000-7000-8000-000000000000");
        assert_ne!(new(1), new(1));
    }
}
