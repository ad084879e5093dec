//! Patterns of the `regex` crate, compiled once and tested often.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::Regex;

/// Capacity of the cache of compiled patterns.
const CACHE_CAPACITY: usize = 64;

/// A compiled pattern, or the error. It is shared through `Rc`, because a clone of a `Regex` loses the search
/// cache.
type RustPatternResult = Result<Rc<Regex>, regex::Error>;

thread_local! {
    /// A cache is safe because compiling depends only on the text.
    static CACHE: RefCell<HashMap<String, RustPatternResult>> = RefCell::default();
}

/// Compiles a pattern.
///
/// # Errors
/// Returns an error if the pattern is invalid.
pub fn rust_pattern(text: &str) -> RustPatternResult {
    CACHE.with_borrow_mut(|known| {
        if let Some(compiled) = known.get(text) {
            return compiled.clone();
        }
        if known.len() >= CACHE_CAPACITY {
            known.clear();
        }
        let compiled = Regex::new(text).map(Rc::new);
        known.insert(text.to_owned(), compiled.clone());
        compiled
    })
}
