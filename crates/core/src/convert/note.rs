//! Notes about the conversion of a part of a definition: a code and a sentence.

use serde::Serialize;

/// The outcome of the conversion for a part of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteOutcome {
    /// It is removed.
    Dropped,
    /// It is expressed differently.
    Changed,
    /// It is copied, and its effect in the other agent is unknown.
    Kept,
    /// It is unchanged, but the user should know about it.
    Warned,
}

impl NoteOutcome {
    /// The word used in documents.
    pub fn word(self) -> &'static str {
        match self {
            NoteOutcome::Dropped => "dropped",
            NoteOutcome::Changed => "changed",
            NoteOutcome::Kept => "kept",
            NoteOutcome::Warned => "warned",
        }
    }
}

/// A note about a part of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversionNote {
    #[serde(rename = "fate")]
    pub outcome: NoteOutcome,
    /// The code of the rule, such as `matcher.no-tool`.
    pub code: &'static str,
    /// Whether something is lost: a hook no longer runs, or runs differently.
    pub loss: bool,
    #[serde(rename = "says")]
    pub message: String,
}

impl ConversionNote {
    /// Creates a note about a removed part.
    pub fn dropped(code: &'static str, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Dropped, code, loss: true, message: says.into() }
    }

    /// Creates a note about a part that behaves differently.
    pub fn worse(code: &'static str, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Changed, code, loss: true, message: says.into() }
    }

    /// Creates a note about a part that is expressed differently and means the same.
    pub fn changed(code: &'static str, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Changed, code, loss: false, message: says.into() }
    }

    /// Creates a note about a part that is copied unchanged.
    pub fn kept(code: &'static str, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Kept, code, loss: false, message: says.into() }
    }

    /// Creates a note that only informs.
    pub fn warned(code: &'static str, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Warned, code, loss: false, message: says.into() }
    }
}
