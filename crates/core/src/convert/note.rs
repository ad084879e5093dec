//! Notes about the conversion of a part of a definition: a code and a sentence.

use serde::{Serialize, Serializer};

hookbench_base::words! {
    /// The outcome of the conversion for a part of a definition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum NoteOutcome {
        /// It is removed.
        Dropped = "dropped",
        /// It is expressed differently.
        Changed = "changed",
        /// It is copied, and its effect in the other agent is unknown.
        Kept = "kept",
        /// It is unchanged, but the user should know about it.
        Warned = "warned",
    }
    /// The word used in documents.
    fn word;
}

macro_rules! note_codes {
    ($($code:ident = $text:literal)*) => {
        /// The code of a note: the part of a definition, and what happens to it in the other agent.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum NoteCode {
            $(#[doc = $text] $code,)*
        }

        impl NoteCode {
            /// The text in documents.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(NoteCode::$code => $text,)*
                }
            }
        }
    };
}

note_codes! {
    AnswerEndsTurn = "answer.ends-turn"
    AnswerNoEffect = "answer.no-effect"
    CommandExpanded = "command.expanded"
    CommandFolder = "command.folder"
    CommandVariable = "command.variable"
    EventNoEqual = "event.no-equal"
    EventUnknown = "event.unknown"
    Exit2Blocks = "exit-2.blocks"
    Exit2NoEffect = "exit-2.no-effect"
    Exit2ReasonLost = "exit-2.reason-lost"
    FileBroken = "file.broken"
    FileReplaced = "file.replaced"
    FileShared = "file.shared"
    FileTaken = "file.taken"
    GroupKey = "group.key"
    GroupUnreadKey = "group.unread-key"
    HandlerAdapted = "handler.adapted"
    HandlerArgs = "handler.args"
    HandlerAsync = "handler.async"
    HandlerCondition = "handler.condition"
    HandlerEnv = "handler.env"
    HandlerEvent = "handler.event"
    HandlerKey = "handler.key"
    HandlerKind = "handler.kind"
    HandlerNever = "handler.never"
    HandlerOnFailure = "handler.on-failure"
    HandlerOnce = "handler.once"
    HandlerPayload = "handler.payload"
    HandlerRefused = "handler.refused"
    HandlerRepeated = "handler.repeated"
    HandlerShell = "handler.shell"
    HandlerUnreadKey = "handler.unread-key"
    HandlerWords = "handler.words"
    LayerLocal = "layer.local"
    LayerOthers = "layer.others"
    MatcherIgnored = "matcher.ignored"
    MatcherInside = "matcher.inside"
    MatcherKinds = "matcher.kinds"
    MatcherNarrower = "matcher.narrower"
    MatcherNoEqual = "matcher.no-equal"
    MatcherNoSubject = "matcher.no-subject"
    MatcherNoSuchName = "matcher.no-such-name"
    MatcherNotNeeded = "matcher.not-needed"
    MatcherNotSayable = "matcher.not-sayable"
    MatcherNothingLeft = "matcher.nothing-left"
    MatcherOtherSubject = "matcher.other-subject"
    MatcherServer = "matcher.server"
    MatcherSplit = "matcher.split"
    MatcherTooExpensive = "matcher.too-expensive"
    MatcherUnknownName = "matcher.unknown-name"
    MatcherWider = "matcher.wider"
    ScriptNeverSent = "script.never-sent"
    SourceRefused = "source.refused"
    TimeoutCut = "timeout.cut"
    TimeoutDefault = "timeout.default"
    TimeoutShort = "timeout.short"
}

impl NoteCode {
    /// Whether the note is about a key of the handler.
    pub fn is_about_handler(self) -> bool {
        self.as_str().starts_with("handler.")
    }

    /// Whether the note is about the matcher.
    pub fn is_about_matcher(self) -> bool {
        self.as_str().starts_with("matcher.")
    }
}

impl Serialize for NoteCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A note about a part of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversionNote {
    #[serde(rename = "fate")]
    pub outcome: NoteOutcome,
    pub code: NoteCode,
    /// Whether something is lost: a hook no longer runs, or runs differently.
    pub loss: bool,
    #[serde(rename = "says")]
    pub message: String,
}

impl ConversionNote {
    /// Creates a note about a removed part.
    pub fn dropped(code: NoteCode, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Dropped, code, loss: true, message: says.into() }
    }

    /// Creates a note about a part that behaves differently.
    pub fn worse(code: NoteCode, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Changed, code, loss: true, message: says.into() }
    }

    /// Creates a note about a part that is expressed differently and means the same.
    pub fn changed(code: NoteCode, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Changed, code, loss: false, message: says.into() }
    }

    /// Creates a note about a part that is copied unchanged.
    pub fn kept(code: NoteCode, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Kept, code, loss: false, message: says.into() }
    }

    /// Creates a note that only informs.
    pub fn warned(code: NoteCode, says: impl Into<String>) -> ConversionNote {
        ConversionNote { outcome: NoteOutcome::Warned, code, loss: false, message: says.into() }
    }
}
