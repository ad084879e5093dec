//! The arguments of `guard`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::args::{PlaceArgs, agent_parser};
use crate::install::SettingsWriteArgs;
use hookbench_core::guard::GuardMode;
use hookbench_core::names::AgentId;

/// The text below the options in the help of `guard`.
pub const GUARD_HELP: &str = "\
As a hook of an agent: hookbench guard NAME [--agent AGENT] [--mode shadow|warn|deny] [--rules recommended|all] [--limit SECONDS]

The guards are response (stops with open todos, running tasks or failed tests), todo (todos that are completed without work), \
malicious (skipped hooks, weakened checks, back doors), quality (suppressed checks, skipped tests, secrets in code) and research \
(changes of files that the agent has not read).

Agents run `hookbench guard NAME`. It reads the event on stdin, checks it with the rules of the guard, and always prints one \
JSON object: {} if it has no objection, which leaves the decision to the agent and its user. In shadow mode, the default, it only \
records what it would have refused; warn shows a message to the user; deny refuses. `hookbench explain MB-R1` explains a rule. \
The settings are in the table [guard] of the configuration file. If [model] names the guard, the model is asked about an event \
to which no rule objects, within the hook's timeout: the one in the agent's settings, or --limit.

Exit status as a hook: 0, or 1 if it was called wrongly; never 2, which would refuse.";

/// `guard`.
#[derive(Debug, Args)]
pub struct GuardCommandArgs {
    #[command(subcommand)]
    pub command: GuardCommand,
}

/// The commands of `guard`.
#[derive(Debug, clap::Subcommand)]
pub enum GuardCommand {
    /// Add guards to an agent's settings; they start in shadow mode
    Install(GuardInstallArgs),
    /// List the guards with their modes, and what they found
    List(PlaceArgs),
    /// Show what guards would have refused in recorded sessions
    Try(GuardTryArgs),
    /// Change the mode of a guard or of one rule
    Mode(GuardModeArgs),
    /// Judge a finding right or wrong
    Judge(GuardJudgeArgs),
    /// Allow a finding, with a reason
    Allow(GuardAllowArgs),
}

/// Whether a word is a command of `guard` and not the name of a guard.
pub fn is_guard_command(word: &str) -> bool {
    ["install", "list", "try", "mode", "judge", "allow", "help", "-h", "--help"].contains(&word)
}

/// `guard install`.
#[derive(Debug, Args)]
pub struct GuardInstallArgs {
    /// Guards to install [default: response todo]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Agents whose settings change [default: all that are installed]
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT")]
    pub agent: Vec<AgentId>,
    #[command(flatten)]
    pub write_args: SettingsWriteArgs,
}

/// `guard try`.
#[derive(Debug, Args)]
pub struct GuardTryArgs {
    /// Session file or directory to read [default: the recorded events]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Recorded events to try; `hookbench db filters` lists the operators
    #[arg(long, value_name = "FILTER", default_value = "~since 30d")]
    pub filter: String,
    /// Guard to try; repeatable [default: all]
    #[arg(long = "guard", value_name = "NAME")]
    pub guards: Vec<String>,
    /// Try all rules, not only the recommended ones
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// `guard mode`.
#[derive(Debug, Args)]
pub struct GuardModeArgs {
    /// Guard whose mode changes
    #[arg(value_name = "NAME")]
    pub guard: String,
    /// New mode
    #[arg(value_parser = mode_parser(), value_name = "MODE")]
    pub mode: GuardMode,
    /// Change the mode of one rule only
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,
    /// Answer yes: write the file without asking
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// `guard judge`.
#[derive(Debug, Args)]
pub struct GuardJudgeArgs {
    /// Id of the finding, or its beginning
    #[arg(value_name = "HIT")]
    pub hit: String,
    /// Your judgement; `none` deletes it
    #[arg(value_parser = ["right", "wrong", "none"], value_name = "JUDGEMENT")]
    pub judgement: String,
    /// Keep the finding as a case of hooks.test.yaml
    #[arg(long)]
    pub save_test: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// `guard allow`.
#[derive(Debug, Args)]
pub struct GuardAllowArgs {
    /// Id of the finding, or a rule
    #[arg(value_name = "HIT")]
    pub hit: String,
    /// Reason, which is kept
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub reason: String,
    /// Text that the evidence contains [default: that of the finding]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// Allow it in all projects
    #[arg(long)]
    pub everywhere: bool,
    /// Answer yes: write the file without asking
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

fn mode_parser() -> impl TypedValueParser<Value = GuardMode> {
    PossibleValuesParser::new(["off", "shadow", "warn", "deny"])
        .try_map(|word| GuardMode::from_word(&word).ok_or("the mode is one of the possible values"))
}
