//! The bench: which event, what will happen, why, who did it, the bytes. From top to bottom in that order.

mod answer;
mod band;
mod climb;
mod detail;
mod diff;
mod event;
mod event_rows;
mod hooks;
mod layout;
mod pins;
mod process;
pub mod streams;

pub use band::{Band, band};
pub use detail::{detail, detail_rows, seconds, tab_places};
pub use diff::diff;
pub use event::{event_line, event_pane};
pub use hooks::{hook_places, hooks};
pub use layout::{Layout, Size, Wants, Zoom, detail_height, detail_width, event_room, has_detail, layout};
pub use pins::pins;
pub use streams::Stdin;
