//! The rights that a process has in its namespaces.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// More than the capabilities of any system.
const CAPABILITIES: u32 = 64;

/// Removes the right to change mounts from the program that this process starts next. Without a mount, the program would see
/// the real project instead of its copy.
pub(super) fn drop_right_to_mount() {
    let _ = remove_capability_from_bounding_set(CapabilitySet::SYS_ADMIN);
}

/// Removes every right from the program that this process starts next. May be called between fork and exec.
pub(super) fn drop_rights() {
    for number in 0..CAPABILITIES {
        // Numbers that this system does not know are refused.
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number));
    }
}
