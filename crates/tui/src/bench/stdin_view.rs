//! The stdin of a run as displayed.

use hookbench_app::StreamBuffer;

/// The stdin of a run as displayed: formatted JSON, or the raw bytes.
#[derive(Debug, Clone, Default)]
pub struct StdinView {
    pub source: Option<(u64, u32, bool)>,
    pub shown: StreamBuffer,
}
