//! The bench, from top to bottom: the event, the predicted outcome and its reason, the hooks, and the bytes of a
//! run.

mod answer_tab;
mod band;
mod copy_items;
mod detail;
mod detail_rows;
mod diff;
mod event;
mod event_rows;
mod flash;
mod hooks;
mod ladder_tab;
mod layout;
mod pane_sizes;
mod pins;
mod process_tab;
mod screen;
mod script_facts;
mod script_state;
mod script_view;
mod stdin_view;
pub mod streams;

pub use band::{Band, BandPart, BandRow, band_places, draw_band, row as band_row};
pub use copy_items::bench_items;
pub use detail::{draw_detail, tab_places};
pub use detail_rows::detail_rows;
pub use diff::diff;
pub use event::{draw_event_line, draw_event_pane, draw_payload_line, event_places};
pub use flash::VerdictFlash;
pub use hooks::{draw_hooks, hook_places};
pub use layout::{
    FrameLayout, RequestedRows, SizeClass, Zoom, band_height, detail_height, detail_width, event_room, has_detail,
    layout, single_area_layout,
};
pub use pane_sizes::{PaneEdge, PaneSizes};
pub use pins::{draw_pins, pin_places};
pub use screen::BenchScreen;
pub use script_facts::trial_target;
pub use script_state::ScriptView;
pub use script_view::script_rows;
pub use stdin_view::StdinView;
