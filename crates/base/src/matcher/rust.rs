//! Patterns of the `regex` crate, compiled once and tested often.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::Regex;

/// Patterns that are kept compiled.
const MOST: usize = 64;

/// A pattern, or why it is none. Shared and not cloned: a clone of a `Regex` forgets what it has worked out while searching.
type Compiled = Result<Rc<Regex>, regex::Error>;

thread_local! {
    /// What a text compiles to never changes, so nobody can tell that it was known.
    static KNOWN: RefCell<HashMap<String, Compiled>> = RefCell::default();
}

/// Compiles a pattern.
///
/// # Errors
/// When it is none.
pub fn rust_pattern(text: &str) -> Compiled {
    KNOWN.with_borrow_mut(|known| {
        if let Some(compiled) = known.get(text) {
            return compiled.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let compiled = Regex::new(text).map(Rc::new);
        known.insert(text.to_owned(), compiled.clone());
        compiled
    })
}
