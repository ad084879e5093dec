//! The arguments of `db`.

use std::path::PathBuf;

use clap::Args;

use crate::args::Format;

/// `db`.
#[derive(Debug, Args)]
pub struct DbArgs {
    #[command(subcommand)]
    pub command: DbCommand,
}

/// What is done with the recorded events.
#[derive(Debug, clap::Subcommand)]
pub enum DbCommand {
    /// How many there are, since when, and what they take
    Stat,
    /// Recorded events, the newest first
    List(DbListArgs),
    /// Mark an event, so that it is found again and never pruned
    Mark(DbMarkArgs),
    /// Write a comment to an event; without a text the comment goes
    Comment(DbCommentArgs),
    /// The filter language: every operator with an example
    Filters,
    /// Write events as lines of JSON, the oldest first
    Export(DbExportArgs),
    /// Delete events for good; without --yes it only says how many
    Purge(DbPurgeArgs),
    /// Give the space of what was deleted back to the disk
    Vacuum,
    /// Build the index of words anew
    Reindex,
    /// Move a store that cannot be used out of the way; nothing of it is deleted
    SetAside,
}

/// `db list`.
#[derive(Debug, Args)]
pub struct DbListArgs {
    /// Only those that pass, such as '~t Bash ~v deny' (see: hookbench db filters) [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: usize,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `db mark`.
#[derive(Debug, Args)]
pub struct DbMarkArgs {
    /// Its number
    pub event: i64,
    /// Take the mark away
    #[arg(long)]
    pub off: bool,
}

/// `db comment`.
#[derive(Debug, Args)]
pub struct DbCommentArgs {
    /// Its number
    pub event: i64,
    pub text: Option<String>,
}

/// `db export`.
#[derive(Debug, Args)]
pub struct DbExportArgs {
    /// Only those that pass, such as '~t Bash ~v deny' (see: hookbench db filters) [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Where to; readable by its owner only [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Lines of JSON, as always
    #[arg(long, hide = true)]
    pub ndjson: bool,
}

/// `db purge`.
#[derive(Debug, Args)]
pub struct DbPurgeArgs {
    #[command(flatten)]
    pub selection: DbPurgeSelection,
    /// Do it
    #[arg(long)]
    pub yes: bool,
}

/// One of them.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct DbPurgeSelection {
    /// The session with this name, whole
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Everything before a day, an instant, or so long ago: 2026-11-20, 30d
    #[arg(long, value_name = "TIME")]
    pub before: Option<String>,
    /// Everything
    #[arg(long)]
    pub all: bool,
}
