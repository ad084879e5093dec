//! Findings as data: a stable code, a severity, a message, a place and a fix.

mod code;

use serde::Serialize;

use crate::text::edit::{EditSet, TextEdit};
use crate::text::{SourceId, SourceMap, Span};

pub use code::{Code, CodeFamily};

crate::words! {
    /// The severity of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Severity {
        Info = "info",
        Warning = "warning",
        Error = "error",
    }
    /// The word on the screen and in documents.
    fn word;
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    /// The place in a source, if there is one.
    pub span: Option<Span>,
    /// The file, if there is no span into it (unreadable, missing).
    pub file: Option<String>,
    /// Additional facts, such as the other place that is involved, or how the finding was made.
    pub note: Option<String>,
    /// The advice: how to correct it.
    pub help: Option<String>,
    /// The edits that correct it.
    pub fix: Option<Fix>,
    /// The cause that several findings of a code share. Reports state it once, with a count. `None` if `message` is
    /// the shared text.
    pub cause: Option<String>,
}

/// Edits of one source that correct a finding. They are applied all together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// Whether the result is certain to mean what the author meant. If not, the fix is only a proposal.
    pub safe: bool,
    pub source: SourceId,
    pub edits: EditSet,
    /// Whether the source becomes executable.
    pub executable: bool,
}

impl Fix {
    /// A fix that edits one source.
    pub fn new(safe: bool, source: SourceId, edits: impl IntoIterator<Item = TextEdit>) -> Fix {
        Fix { safe, source, edits: edits.into_iter().collect(), executable: false }
    }

    /// A safe fix that replaces one span.
    pub fn safe(span: Span, text: impl Into<String>) -> Fix {
        Fix::new(true, span.source, [TextEdit::replace(span.start, span.end, text)])
    }

    /// A proposal that replaces one span.
    pub fn proposal(span: Span, text: impl Into<String>) -> Fix {
        Fix { safe: false, ..Fix::safe(span, text) }
    }
}

impl Diagnostic {
    /// A finding without a place, with the severity of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            span: None,
            file: None,
            note: None,
            help: None,
            fix: None,
            cause: None,
        }
    }

    /// A finding that is less certain or less grave than its code can be.
    pub fn lowered(code: Code, severity: Severity, message: impl Into<String>) -> Diagnostic {
        debug_assert!(severity <= code.severity(), "{code} is at most {}", code.severity().word());
        Diagnostic { severity, ..Diagnostic::new(code, message) }
    }

    /// Sets the cause that it shares with other findings of its code.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Diagnostic {
        self.cause = Some(cause.into());
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// Sets the file, for a finding about a whole file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Diagnostic {
        self.file = Some(file.into());
        self
    }

    /// Sets the note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic {
        self.note = Some(note.into());
        self
    }

    /// Sets the fix.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fix = Some(fix);
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// File, line and column for display. Line and column are `None` for a whole file.
    pub fn place(&self, sources: &SourceMap) -> Option<(String, Option<(u32, u32)>)> {
        if let Some(span) = self.span {
            let start = sources.start(span);
            return Some((sources.name(span.source).to_owned(), Some((start.line, start.column))));
        }
        self.file.clone().map(|file| (file, None))
    }
}
