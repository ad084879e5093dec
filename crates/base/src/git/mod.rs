//! The file formats of a git repository, parsed from bytes. hookbench never starts git: a repository's
//! configuration can name programs that git runs, so a clone could execute code that way.

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
