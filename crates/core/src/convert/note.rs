//! What became of a part of a definition on its way to another agent, in a word and a sentence.

use serde::Serialize;

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is not there any more.
    Dropped,
    /// It is there in another way.
    Changed,
    /// It is there as it was, and nobody knows what it does there.
    Kept,
    /// Nothing became of it, but it has to be known.
    Warned,
}

impl Fate {
    /// The word of the document.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Dropped => "dropped",
            Fate::Changed => "changed",
            Fate::Kept => "kept",
            Fate::Warned => "warned",
        }
    }
}

/// What became of a part of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub fate: Fate,
    /// Names the rule, such as `matcher.no-tool`.
    pub code: &'static str,
    /// Whether something is lost by it: a hook that does not run any more, or not as it did.
    pub loss: bool,
    pub says: String,
}

impl Note {
    /// Something is gone.
    pub fn dropped(code: &'static str, says: impl Into<String>) -> Note {
        Note { fate: Fate::Dropped, code, loss: true, says: says.into() }
    }

    /// Something is not as it was.
    pub fn worse(code: &'static str, says: impl Into<String>) -> Note {
        Note { fate: Fate::Changed, code, loss: true, says: says.into() }
    }

    /// Something is said in another way, and means the same.
    pub fn changed(code: &'static str, says: impl Into<String>) -> Note {
        Note { fate: Fate::Changed, code, loss: false, says: says.into() }
    }

    /// Something was taken over as it is.
    pub fn kept(code: &'static str, says: impl Into<String>) -> Note {
        Note { fate: Fate::Kept, code, loss: false, says: says.into() }
    }

    /// Something that has to be known.
    pub fn warned(code: &'static str, says: impl Into<String>) -> Note {
        Note { fate: Fate::Warned, code, loss: false, says: says.into() }
    }
}
