//! The question after a name that is not known.

use hookbench_core::text::nearest;

/// Returns the question whether the nearest of these names was meant, or this advice if none is near.
pub fn suggest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    nearest(given, &known).map_or_else(|| otherwise.to_owned(), |name| format!("did you mean \"{name}\"?"))
}
