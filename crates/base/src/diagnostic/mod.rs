//! Findings as data: a stable code, a severity, a sentence, a place, a cure.

use serde::Serialize;

use crate::text::{SourceId, SourceMap, Span};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One finding. `code` is a lint code (`HW101`) or, for what is no lint, a rule path (`payload/not-json`).
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Where, when the finding is about a place in a source.
    pub span: Option<Span>,
    /// Which file, when there is no span into it (unreadable, missing).
    pub file: Option<String>,
    /// What else is to be known of it: where the other half of the mistake is, how it was found out.
    pub note: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// A change of texts that does it.
    pub fix: Option<Fix>,
    /// What several findings of a code have in common: people are told it once, with a count. `None` if that is the message.
    pub cause: Option<String>,
}

/// A change of texts that mends a finding. Applied as a whole or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fix {
    /// The result means what the author meant, whatever that was; else it is a proposal.
    pub safe: bool,
    /// In the order of their places; none overlaps another.
    pub edits: Vec<Edit>,
    /// Sources that are to be made executable.
    pub executable: Vec<SourceId>,
}

/// One place gets another text.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

impl Fix {
    /// One place gets another text, and that is what was meant.
    pub fn safe(span: Span, text: impl Into<String>) -> Fix {
        Fix { safe: true, edits: vec![Edit { span, text: text.into() }], executable: Vec::new() }
    }

    /// One place gets another text, if its author agrees.
    pub fn proposal(span: Span, text: impl Into<String>) -> Fix {
        Fix { safe: false, ..Fix::safe(span, text) }
    }
}

impl Diagnostic {
    /// A finding without a place.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            span: None,
            file: None,
            note: None,
            help: None,
            fix: None,
            cause: None,
        }
    }

    /// The same with what it has in common with others of its code.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Diagnostic {
        self.cause = Some(cause.into());
        self
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Warning, message)
    }

    /// A remark.
    pub fn info(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Info, message)
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// The same about a whole file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Diagnostic {
        self.file = Some(file.into());
        self
    }

    /// The same with a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.note = Some(note.into());
        self
    }

    /// The same with a change that mends it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fix = Some(fix);
        self
    }

    /// The same with a cure.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// File, line and column as people are shown them; line and column are absent for a whole file.
    pub fn place(&self, sources: &SourceMap) -> Option<(String, Option<(u32, u32)>)> {
        if let Some(span) = self.span {
            let start = sources.start(span);
            return Some((sources.name(span.source).to_owned(), Some((start.line, start.column))));
        }
        self.file.clone().map(|file| (file, None))
    }
}
