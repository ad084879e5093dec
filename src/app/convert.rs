//! The hooks of one agent in this place as those of another: shown, checked, and written when that is wanted.

use std::path::Path;

use super::files::DiskFiles;
use super::installed::find_installed;
use super::session::AgentState;
use super::state_dir::StateDir;
use super::user_file::{self, Links, WriteError};
use crate::core::config::Place;
use crate::core::convert::{self, Check, Conversion, Pair, Refused, Unread};
use crate::core::dialects::Dialect;
use crate::core::hook::Layer;
use crate::core::port::Side;

/// What is to be converted.
#[derive(Clone, Copy)]
pub struct ConvertRequest {
    pub from: &'static dyn Dialect,
    pub to: &'static dyn Dialect,
    /// The project's hooks with those that only one user of it has, these alone, or the user's own.
    pub layer: Layer,
    /// Write the other agent's file.
    pub write: bool,
    /// Whether that may lie outside the project through a link.
    pub links: Links,
}

/// What came of it.
pub struct Converted {
    pub from: Side,
    pub to: Side,
    pub layer: Layer,
    pub conversion: Conversion,
    pub check: Check,
    pub unread: Vec<Unread>,
    /// The other agent's file, as shown.
    pub file: String,
    /// What changes in it.
    pub diff: String,
    pub written: bool,
}

impl Converted {
    /// Whether the other agent does exactly the same.
    pub fn whole(&self) -> bool {
        !self.conversion.loses() && self.check.differences.is_empty()
    }
}

/// Why nothing was converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("{0} is both the one and the other: name two agents")]
    Same(&'static str),
    #[error("{0}")]
    Refused(#[from] Refused),
    #[error("{0}")]
    Write(#[from] WriteError),
}

/// Converts, checks, and writes if asked.
///
/// # Errors
/// When there is nothing to write to, or it cannot be written.
pub fn convert(place: &Place, request: &ConvertRequest) -> Result<Converted, ConvertError> {
    if request.from.id() == request.to.id() {
        return Err(ConvertError::Same(request.from.id()));
    }
    let side = |dialect: &'static dyn Dialect| {
        let version = AgentState::new(dialect, find_installed(&dialect.install(), place), None).version;
        Side { dialect, version }
    };
    let (from, to) = (side(request.from), side(request.to));
    let pair = Pair { from: &from, to: &to };
    let loaded = from.dialect.load(&from.dialect.form().trusted(place), &DiskFiles, &from.version);
    let conversion = convert::convert(&pair, &loaded, request.layer, place, &DiskFiles)?;
    let check = convert::check(&pair, &loaded, &conversion, place, &DiskFiles);
    let unread = convert::unread(&pair, &conversion);
    let file = place.show(&conversion.path);
    let before = conversion.before.as_deref();
    let changes = conversion.changes();
    let name = user_file::shown(Path::new(&place.project), &conversion.path, &file);
    let diff = if changes { user_file::diff(&name, before.unwrap_or(""), &conversion.after) } else { String::new() };
    let written = request.write && changes;
    if written {
        let state = StateDir::of(place);
        let (before, after) = (before.map(str::as_bytes), conversion.after.as_bytes());
        user_file::write(&state, Path::new(&place.project), &conversion.path, before, after, request.links)?;
    }
    Ok(Converted { from, to, layer: request.layer, conversion, check, unread, file, diff, written })
}
