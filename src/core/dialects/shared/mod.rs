//! What more than one agent does alike. Called by dialects; a dialect never inherits from another.

pub mod patterns;
pub mod whitespace;
