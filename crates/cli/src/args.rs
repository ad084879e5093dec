//! The arguments of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use super::convert::{CONVERT_HELP, ConvertArgs};
use super::db::DbArgs;
use super::explain::ExplainArgs;
use super::install::{INSTALL_HELP, InstallArgs, UNINSTALL_HELP, UninstallArgs};
use super::lint::{LINT_HELP, LintArgs};
use super::matching::MatchArgs;
use super::replay::ReplayArgs;
use super::serve::{SERVE_HELP, ServeArgs};
use super::test::{ReportArgs, TestArgs};
use super::undo::UndoArgs;
use hookbench_core::catalogue::catalogue;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Version};

/// The value of `--agent` that selects every agent.
const ALL_AGENTS: &str = "all";

/// Fire an event at your hooks, see every byte that goes in and comes out, and read what the agent will do and why.
#[derive(Debug, Parser)]
#[command(name = "hookbench", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Subcommand>,
    #[command(flatten)]
    pub open: OpenArgs,
    /// Forget how the workbench was left in this project: sizes of panes, tab, agent, event
    #[arg(long)]
    pub reset_layout: bool,
}

/// Which settings are meant, and how it is said.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Project directory [default: here]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Where the user's layer is looked up [default: the real home]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Opening the workbench.
#[derive(Debug, Clone, Default, Args)]
pub struct OpenArgs {
    /// Project to open
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Agent to open with
    #[arg(long, value_parser = agent, value_name = "AGENT")]
    pub agent: Option<&'static str>,
    /// Where the user's layer is looked up [default: the real home]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Behave as this version of the agent
    #[arg(long, value_parser = version, value_name = "V")]
    pub agent_version: Option<Version>,
    /// Say it in sentences, line by line, instead of drawing a screen; commands are read from stdin
    #[arg(long)]
    pub plain: bool,
}

/// The commands.
#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Open the workbench on a bundled sample project; needs no agent and no configuration
    Demo(DemoArgs),
    /// Run the hooks of one event and print the decision
    Fire(FireArgs),
    /// The same without running anything: who would run, who would not, and why
    Plan(PlanArgs),
    /// Why a hook fires or does not: the ladder of ten rungs
    Why(WhyArgs),
    /// What a matcher lets pass in every agent, how each reads it, and what was probably meant; --write changes it
    Match(MatchArgs),
    /// Every hook in effect, by layer, with file and line
    List(ListArgs),
    /// What is wrong with the hooks of a project, with file, line and cure; runs nothing
    #[command(after_long_help = LINT_HELP)]
    Lint(LintArgs),
    /// What a finding's code means: why it bites, an example, the cure, what it was measured on
    Explain(ExplainArgs),
    /// Events, their fields and templates
    Events(EventsArgs),
    /// What the tools are called in every agent
    Tools(ToolsArgs),
    /// Read recorded events out of an agent's session files, payloads, or our own lines; without a path, list the
    /// sessions that the agents have kept of this project
    Import(ImportArgs),
    /// Which agents are installed, in which versions; our own files, and the terminal. Asks the agents by --version
    Doctor(DoctorArgs),
    /// Have an agent hand its events over to hookbench: entries in its settings, shown first
    #[command(after_long_help = INSTALL_HELP)]
    Install(InstallArgs),
    /// Take these entries out again, byte for byte
    #[command(after_long_help = UNINSTALL_HELP)]
    Uninstall(UninstallArgs),
    /// Take the events of running agents, store them, show them and answer them
    #[command(after_long_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// One agent's hooks as another's; what is lost is named line by line, and the rest is checked
    #[command(after_long_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Take back the last change that hookbench made to a file for this project, byte for byte
    Undo(UndoArgs),
    /// Fire recorded events again, and say what is not the same
    Replay(ReplayArgs),
    /// Fire the events of suites and compare what comes of them with what they expect
    Test(TestArgs),
    /// Put reports together
    Report(ReportArgs),
    /// The recorded events: how many, write them out, delete them
    Db(DbArgs),
    /// JSON Schema of the machine-readable documents
    Schema(SchemaArgs),
    /// Print the configuration file with every default and what it means
    Config(ConfigArgs),
    /// Drive the workbench by a script, without a terminal, and print what it shows
    Tui(TuiArgs),
}

/// `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Agent to open with
    #[arg(long, value_parser = agent, value_name = "AGENT")]
    pub agent: Option<&'static str>,
    /// Say it in sentences, line by line, instead of drawing a screen; commands are read from stdin
    #[arg(long)]
    pub plain: bool,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    #[arg(long, value_parser = agent_or_all, value_name = "AGENT", help = agent_help())]
    pub agent: Option<&'static str>,
    /// Project directory [default: here]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Where the user's layer is looked up; hooks get it as HOME [default: the real home]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Behave as this version of the agent
    #[arg(long, value_parser = version, value_name = "V")]
    pub agent_version: Option<Version>,
}

impl CommonArgs {
    /// Returns the selected agent, or `None` for all agents and for the default.
    pub fn single_agent(&self) -> Option<&'static str> {
        self.agent.filter(|agent| *agent != ALL_AGENTS)
    }

    /// Returns true for `--agent all`.
    pub fn is_all_agents(&self) -> bool {
        self.agent == Some(ALL_AGENTS)
    }
}

/// Which event, with which payload.
#[derive(Debug, Clone, Args)]
pub struct EventArgs {
    /// Whole payload as JSON; '-' reads stdin
    #[arg(long, value_name = "FILE")]
    pub payload: Option<PathBuf>,
    /// Tool, by any name that people have for it, for tool events
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The tool's input
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,
    /// Set one field of the payload, as JSON or text
    #[arg(long, value_name = "a.b=VALUE")]
    pub set: Vec<String>,
    /// Answer as the agent does when nobody can be asked
    #[arg(long)]
    pub headless: bool,
}

/// Text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// Text, or lines of JSON, as things happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinesFormat {
    Text,
    Jsonl,
}

/// Text, one JSON document, or lines as things happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StreamFormat {
    Text,
    Json,
    Jsonl,
}

/// `fire`.
#[derive(Debug, Args)]
pub struct FireArgs {
    /// Event name; not needed when the payload says it
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    /// Fire the events of a file in one session, in their order: a payload a line, an export of hookbench, or a session file
    /// of an agent ('-': stdin)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["event", "payload", "tool", "input", "set", "answer", "without", "what_if"])]
    pub session: Option<PathBuf>,
    /// Do not ask before running commands
    #[arg(long)]
    pub yes: bool,
    /// Keep the hooks apart: a copy of the project, a home of their own, few variables, no network where that can be
    #[arg(long)]
    pub contain: bool,
    /// Exit with 3 when the verdict is unknown or the agent's version was not measured
    #[arg(long)]
    pub strict: bool,
    /// Stretch every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = factor, value_name = "X")]
    pub timeout_scale: f64,
    /// Exit with 1 unless this is the verdict
    #[arg(long, value_parser = verdict, value_name = "VERDICT")]
    pub expect: Option<Verdict>,
    /// Answer a hook that only the agent could run, such as h2={"ok":false}
    #[arg(long, value_name = "HOOK=ANSWER")]
    pub answer: Vec<String>,
    /// Leave a hook out of this run
    #[arg(long, value_name = "HOOK")]
    pub without: Vec<String>,
    /// Decide as if a hook had ended so and printed this, such as guard.sh=2 or h1='0 {"decision":"block"}'
    #[arg(long, value_name = "HOOK=STATUS [STDOUT]")]
    pub what_if: Vec<String>,
    #[arg(long, value_enum, default_value_t = StreamFormat::Text)]
    pub format: StreamFormat,
}

/// `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Event name; not needed when the payload says it
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The hook: its id (h1), its name, or file:line
    pub hook: String,
    /// Event name [default: the hook's own, with all its templates]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Only this event, with its fields and templates
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// What this name is in every agent, and which spelling its matchers want
    pub name: Option<String>,
    #[arg(long, value_parser = catalogue_agent, value_name = "AGENT", help = catalogue_agent_help())]
    pub agent: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A file, or a folder with everything below it; formats are told by content
    pub path: Option<PathBuf>,
    /// Write the events as lines of JSON to this file; '-' is stdout
    #[arg(long, value_name = "FILE", requires = "path")]
    pub to: Option<PathBuf>,
    /// Mask values that look like secrets before anything is kept
    #[arg(long, requires = "path", conflicts_with = "to")]
    pub redact: bool,
    /// List only the sessions of this agent
    #[arg(long, value_parser = agent, value_name = "AGENT", conflicts_with = "path")]
    pub agent: Option<&'static str>,
    /// Project directory [default: here]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Where the agents' folders are looked up [default: the real home]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// One of them [default: all, by name]
    /// all, by name]
    pub document: Option<String>,
}

/// `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Say what is wrong in the file that is there
    #[arg(long)]
    pub check: bool,
}

/// `tui`.
#[derive(Debug, Args)]
pub struct TuiArgs {
    #[command(flatten)]
    pub open: OpenArgs,
    /// Use the bundled sample project
    #[arg(long, conflicts_with_all = ["dir", "home"])]
    pub demo: bool,
    /// Steps, one a line; '-' reads stdin: key f, type TEXT, until TEXT, dump [NAME], resize CxR
    #[arg(long, value_name = "FILE")]
    pub script: PathBuf,
    /// Columns and rows
    #[arg(long, default_value = "80x24", value_parser = size, value_name = "CxR")]
    pub size: (u16, u16),
    /// Print the last frame when the script has ended
    #[arg(long)]
    pub dump: bool,
    /// Do not ask before running commands
    #[arg(long)]
    pub yes: bool,
    /// How long one until waits
    #[arg(long, default_value_t = 10.0, value_parser = factor, value_name = "SECONDS")]
    pub limit: f64,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    hookbench_app::screen_size(text)
        .ok_or_else(|| format!("a size looks like 80x24, and is at most {0}x{0}", hookbench_app::LARGEST_SCREEN))
}

pub(super) fn agent(text: &str) -> Result<&'static str, String> {
    dialects::by_id(text).map(|d| d.id()).ok_or_else(|| format!("known agents are {}", agent_ids(", ")))
}

fn agent_or_all(text: &str) -> Result<&'static str, String> {
    if text == ALL_AGENTS {
        Ok(ALL_AGENTS)
    } else {
        agent(text).map_err(|known| format!("{known}, or {ALL_AGENTS} of them"))
    }
}

fn agent_help() -> String {
    format!("{}, or {ALL_AGENTS} of them [default: told by the payload or the event]", agent_ids(", "))
}

/// Parses an agent of the tool catalogue. The catalogue may have agents without a dialect.
fn catalogue_agent(text: &str) -> Result<String, String> {
    let known = catalogue().agent(text).map(|agent| agent.id.clone());
    known.ok_or_else(|| format!("known agents are {}", catalogue_agent_ids(", ")))
}

fn catalogue_agent_help() -> String {
    format!("{} [default: all]", catalogue_agent_ids(", "))
}

fn catalogue_agent_ids(between: &str) -> String {
    catalogue().agents.iter().map(|agent| agent.id.as_str()).collect::<Vec<_>>().join(between)
}

/// Joins the ids of all agents.
pub(super) fn agent_ids(between: &str) -> String {
    dialects::ALL.iter().map(|d| d.id()).collect::<Vec<_>>().join(between)
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "a version looks like 1.2.3".to_owned())
}

fn verdict(text: &str) -> Result<Verdict, String> {
    Verdict::from_word(text).ok_or_else(|| {
        let known: Vec<&str> = Verdict::ALL.iter().map(|v| v.word()).collect();
        format!("verdicts are {}", known.join(", "))
    })
}

pub(super) fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("a factor is a number above 0".to_owned()),
    }
}
