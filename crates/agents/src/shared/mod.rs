//! What more than one agent does alike. Called by dialects; a dialect never inherits from another.

pub mod cited;
pub mod conversation;
pub mod dotenv;
pub mod judged;
pub mod names;
pub mod numbers;
pub mod objects;
pub mod paths;
pub mod patterns;
pub mod rebuilt;
pub mod strings;
pub mod whitespace;
