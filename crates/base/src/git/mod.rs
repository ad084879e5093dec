//! The file formats of a git repository, parsed from bytes. hookbench never starts git: a repository's
//! configuration can name programs that git runs, so a clone could execute code that way.

mod config;
mod ignore;
mod index;
mod object;

pub use config::GitConfig;
pub use ignore::{IgnoreFile, IgnoreMatch, ignores};
pub use index::{Checkout, GitIndex, IndexEntry, find_checkout, tracked_files};
pub use object::apply as apply_delta;
pub use object::{
    CommitHead, ObjectId, ObjectKind, TreeEntry, loose_header, packed_header, parse_commit, parse_tag, parse_tree,
};
