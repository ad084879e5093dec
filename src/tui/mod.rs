//! The screen.
use crate::cli::{OpenArgs, Status};
/// Opens the workbench.
pub fn open(_args: OpenArgs) -> Status {
    Status::Internal
}
