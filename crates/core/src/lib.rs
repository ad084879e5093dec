//! The pure core: what an agent would do with an event, computed from values that are handed in.
//!
//! Nothing here reads a file, a clock, the environment or a terminal, and nothing waits. Downward order
//! of the folders (a folder may use those before it): [`names`], [`text`], [`catalogue`], [`diagnostic`], [`trace`],
//! [`hook`], [`config`], [`git`], [`matcher`], [`plan`], [`run`], [`recorded`], [`output`], [`decide`], [`filter`],
//! [`script_keys`], [`dialects`], [`transcript`], [`port`], [`live`], [`lint`], [`firing`], [`convert`], [`install`], [`matching`],
//! [`fix`].

pub mod catalogue;
pub mod config;
pub mod convert;
pub mod decide;
pub mod diagnostic;
pub mod dialects;
pub mod filter;
pub mod firing;
pub mod fix;
pub mod git;
pub mod hook;
pub mod install;
pub mod lint;
pub mod live;
pub mod matcher;
pub mod matching;
pub mod names;
pub mod output;
pub mod plan;
pub mod port;
pub mod recorded;
pub mod run;
pub mod script_keys;
pub mod text;
pub mod trace;
pub mod transcript;
