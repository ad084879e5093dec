//! The bench: which event, what will happen, why, who did it, the bytes. From top to bottom in that order.

mod band;
mod detail;
mod diff;
mod event;
mod event_rows;
mod hooks;
mod layout;
mod pins;

pub use band::{Band, band};
pub use detail::{detail, detail_rows};
pub use diff::diff;
pub use event::{event_line, event_pane};
pub use hooks::hooks;
pub use layout::{Size, Wants, Zoom, detail_height, detail_width, event_room, has_detail, layout};
pub use pins::pins;
