//! The families of variants, under their stable names.

use serde::Serialize;

/// The way in which a variant differs from the deed. The names are part of the document `stress/1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeedFamily {
    ShellQuoting,
    Blanks,
    Unicode,
    Case,
    Flags,
    ProgramPath,
    Wrappers,
    NestedShell,
    Interpreters,
    Encoding,
    Separators,
    Redirections,
    Variables,
    Substitution,
    Globs,
    Paths,
    Git,
    Urls,
    Packages,
    Sql,
    OtherProgram,
    OtherTool,
}

impl DeedFamily {
    /// All families, in display order.
    pub const ALL: [DeedFamily; 22] = [
        DeedFamily::ShellQuoting,
        DeedFamily::Blanks,
        DeedFamily::Unicode,
        DeedFamily::Case,
        DeedFamily::Flags,
        DeedFamily::ProgramPath,
        DeedFamily::Wrappers,
        DeedFamily::NestedShell,
        DeedFamily::Interpreters,
        DeedFamily::Encoding,
        DeedFamily::Separators,
        DeedFamily::Redirections,
        DeedFamily::Variables,
        DeedFamily::Substitution,
        DeedFamily::Globs,
        DeedFamily::Paths,
        DeedFamily::Git,
        DeedFamily::Urls,
        DeedFamily::Packages,
        DeedFamily::Sql,
        DeedFamily::OtherProgram,
        DeedFamily::OtherTool,
    ];

    /// The name in documents and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            DeedFamily::ShellQuoting => "shell-quoting",
            DeedFamily::Blanks => "blanks",
            DeedFamily::Unicode => "unicode",
            DeedFamily::Case => "case",
            DeedFamily::Flags => "flags",
            DeedFamily::ProgramPath => "program-path",
            DeedFamily::Wrappers => "wrappers",
            DeedFamily::NestedShell => "nested-shell",
            DeedFamily::Interpreters => "interpreters",
            DeedFamily::Encoding => "encoding",
            DeedFamily::Separators => "separators",
            DeedFamily::Redirections => "redirections",
            DeedFamily::Variables => "variables",
            DeedFamily::Substitution => "substitution",
            DeedFamily::Globs => "globs",
            DeedFamily::Paths => "paths",
            DeedFamily::Git => "git",
            DeedFamily::Urls => "urls",
            DeedFamily::Packages => "packages",
            DeedFamily::Sql => "sql",
            DeedFamily::OtherProgram => "other-program",
            DeedFamily::OtherTool => "other-tool",
        }
    }
}
