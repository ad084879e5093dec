//! What the loop does for the model.

use hookbench_app::Job;

/// A request to the loop.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopRequest {
    Jobs(Vec<Job>),
    /// Draw the screen, and return with `Msg::Fire`: many hooks take a moment to prepare.
    FireOnceDrawn,
    /// Edit this text and return it with `Msg::Edited`.
    EditPayload(String),
    /// Open this file at this place.
    OpenFile {
        path: String,
        line: u32,
        column: u32,
    },
    Copy(String),
    /// Turn mouse capture on or off.
    Mouse(bool),
    Suspend,
    Redraw,
    Kill,
    Quit,
}
