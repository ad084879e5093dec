//! One key that a script reads.

/// One key that a script reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptKey {
    /// The keys from the outermost known one; `*` means any item of a list.
    pub path: Vec<String>,
    /// Whether the path begins at the payload itself. If not, it may begin anywhere in the payload or in another
    /// object.
    pub rooted: bool,
}
