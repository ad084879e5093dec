//! The formats in which git keeps a repository, read from bytes. hookbench starts git nowhere: a repository's
//! configuration can name programs for git to run, so a clone could run code through it.

mod config;
mod delta;
mod ignore;
mod index;
mod object;

pub use config::Config;
pub use delta::apply as apply_delta;
pub use ignore::{Ignores, Patterns, ignores};
pub use index::{Checkout, Entry, Index, checkout, tracked_files};
pub use object::{CommitHead, Id, Kind, TreeEntry, commit, loose_header, packed_header, tag, tree};
