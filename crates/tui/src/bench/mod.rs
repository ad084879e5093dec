//! The bench, from top to bottom: the event, the predicted outcome and its reason, the hooks, and the bytes of a
//! run.

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
mod split;
pub mod streams;

pub use band::{Band, BandRow, Part, band, band_places, row as band_row};
pub use detail::{detail, detail_rows, hidden_words, seconds, tab_places};
pub use diff::diff;
pub use event::{event_line, event_pane, event_places};
pub use hooks::{hook_places, hooks};
pub use layout::{Layout, Size, Wants, Zoom, detail_height, detail_width, event_room, has_detail, layout, whole};
pub use pins::{pin_places, pins};
pub use split::{Edge, Split};
pub use streams::Stdin;
