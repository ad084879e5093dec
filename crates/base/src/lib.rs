//! The data model of hookbench: texts and places, settings, hooks, matchers, plans, runs and decisions, and the
//! trait that an agent implements. It names no specific agent.
//!
//! Everything is computed from arguments. The modules in order of dependency (a module may use those before it):
//! [`names`], [`text`], [`catalogue`], [`diagnostic`], [`trace`], [`hook`], [`config`], [`debug_log`], [`git`], [`matcher`],
//! [`plan`], [`run`], [`recorded`], [`output`], [`decide`], [`filter`], [`script_keys`], [`dialects`].

pub mod catalogue;
pub mod config;
pub mod debug_log;
pub mod decide;
pub mod diagnostic;
pub mod dialects;
pub mod filter;
pub mod git;
pub mod hook;
pub mod matcher;
pub mod names;
pub mod output;
pub mod plan;
pub mod recorded;
pub mod run;
pub mod script_keys;
pub mod text;
pub mod trace;
