//! Files: reading and writing them, copies of directories, git repositories, directories of our own.

pub mod copy_size;
pub mod copying;
pub mod demo;
pub mod directory_state;
pub mod files;
pub mod git;
pub mod program_search;
pub mod scratch;
pub mod state_dir;
pub mod user_file;
