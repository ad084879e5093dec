//! Whole decisions.
