//! Behaviour that several agents share. The dialects call these functions; a dialect never inherits from another
//! one.

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
