//! A text that can be copied from the screen.

/// One text to copy, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyItem {
    pub key: char,
    pub name: &'static str,
    pub text: String,
}
