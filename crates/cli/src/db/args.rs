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

/// The commands of `db`.
#[derive(Debug, clap::Subcommand)]
pub enum DbCommand {
    /// Show the number of events, their dates and their size
    Stat,
    /// List recorded events, newest first
    List(DbListArgs),
    /// Show an event, with the transcript and the todos that its hooks could have read
    Show(DbShowArgs),
    /// Mark an event, so that automatic cleanup keeps it
    Mark(DbMarkArgs),
    /// Add a comment to an event, or remove it
    Comment(DbCommentArgs),
    /// Explain the filter language, with an example of each operator
    Filters,
    /// Export events as JSON lines, oldest first
    Export(DbExportArgs),
    /// Delete events permanently (asks first)
    Purge(DbPurgeArgs),
    /// Free the disk space of deleted events
    Vacuum,
    /// Rebuild the search index
    Reindex,
    /// Move a damaged store to another name; deletes nothing
    SetAside,
}

/// `db list`.
#[derive(Debug, Args)]
pub struct DbListArgs {
    /// Only events that match, such as '~t Bash ~v deny'; hookbench db filters explains it [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Maximum number of events
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `db show`.
#[derive(Debug, Args)]
pub struct DbShowArgs {
    /// Number of the event
    pub event: i64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `db mark`.
#[derive(Debug, Args)]
pub struct DbMarkArgs {
    /// Number of the event
    pub event: i64,
    /// Remove the mark
    #[arg(long)]
    pub off: bool,
}

/// `db comment`.
#[derive(Debug, Args)]
pub struct DbCommentArgs {
    /// Number of the event
    pub event: i64,
    /// Comment [default: remove the comment]
    pub text: Option<String>,
}

/// `db export`.
#[derive(Debug, Args)]
pub struct DbExportArgs {
    /// Only events that match, such as '~t Bash ~v deny'; hookbench db filters explains it [default: all]
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// File to write, readable by its owner only [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `db purge`.
#[derive(Debug, Args)]
pub struct DbPurgeArgs {
    #[command(flatten)]
    pub selection: DbPurgeSelection,
    /// Answer yes: delete the events without asking
    #[arg(long)]
    pub yes: bool,
}

/// The events to delete: one of these arguments.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct DbPurgeSelection {
    /// Delete this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Delete events before a day, a time, or an age: 2026-11-20, 30d
    #[arg(long, value_name = "TIME")]
    pub before: Option<String>,
    /// Delete all events
    #[arg(long)]
    pub all: bool,
}
