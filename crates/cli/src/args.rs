//! The arguments of the command line.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::error::CliError;
use super::formats::{Format, PageFormat, SharingArgs, StreamFormat};
use hookbench_app::{ChosenEnvironment, write_stderr};
use hookbench_core::config::{AgentArguments, EnvironmentSource, Place};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Version};
use hookbench_core::hook::Layer;
use hookbench_core::names::AgentId;

/// The value of `--agent` that selects every agent.
const ALL_AGENTS: &str = "all";

/// The project, the home directory, and the output format.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Project directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Home directory for user-level settings [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// The arguments that open the workbench.
#[derive(Debug, Clone, Default, Args)]
pub struct OpenArgs {
    /// Project directory [default: the current one]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Agent to show first
    #[arg(long, value_parser = any_agent_parser(), value_name = "AGENT")]
    pub agent: Option<AgentId>,
    /// Home directory for user-level settings [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Version of the agent to assume [default: the installed one]
    #[arg(long, value_parser = version, value_name = "V")]
    pub agent_version: Option<Version>,
    /// Arguments with which you start the agent, such as '--settings ci.json'
    #[arg(long, value_parser = agent_words, allow_hyphen_values = true, value_name = "ARGS")]
    pub agent_args: Option<ArgumentWords>,
    /// Plain text mode for screen readers: sentences, and commands from stdin
    #[arg(long)]
    pub plain: bool,
}

/// The words of `--agent-args`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentWords(pub Vec<String>);

fn agent_words(text: &str) -> Result<ArgumentWords, String> {
    AgentArguments::split(text).map(ArgumentWords)
}

/// `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Agent to show first
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT")]
    pub agent: Option<AgentId>,
    /// Plain text mode for screen readers: sentences, and commands from stdin
    #[arg(long)]
    pub plain: bool,
}

/// The arguments of most commands.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    /// Agent, or all of them [default: found from the payload, the project and the event]
    #[arg(long, value_parser = agent_or_all_parser(), value_name = "AGENT")]
    pub agent: Option<&'static str>,
    /// Project directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Home directory for user-level settings, and HOME of the hooks [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Version of the agent to assume [default: the installed one]
    #[arg(long, value_parser = version, value_name = "V")]
    pub agent_version: Option<Version>,
    /// Decide as if the agent trusted the project and its hooks were reviewed
    #[arg(long)]
    pub as_trusted: bool,
    /// Environment of the hooks: of this shell, of a login shell, or as the agent last called hookbench
    #[arg(long, value_parser = environment_parser(), default_value = "shell", value_name = "ENV")]
    pub env: EnvironmentSource,
    /// Arguments with which you start the agent, such as '--settings ci.json'
    #[arg(long, value_parser = agent_words, allow_hyphen_values = true, value_name = "ARGS")]
    pub agent_args: Option<ArgumentWords>,
}

impl CommonArgs {
    /// Returns the selected agent, or `None` for all agents and for the default.
    pub fn single_agent(&self) -> Option<AgentId> {
        self.agent.and_then(dialects::by_id).map(|dialect| dialect.id())
    }

    /// Returns true for `--agent all`.
    pub fn is_all_agents(&self) -> bool {
        self.agent == Some(ALL_AGENTS)
    }

    /// Returns the environment that `--env` selects, or `None` for that of this process. Only the agent of a command has
    /// its own environment.
    pub fn environment(&self, place: &Place, agent: Option<AgentId>) -> Result<Option<ChosenEnvironment>, CliError> {
        if self.env == EnvironmentSource::Shell {
            return Ok(None);
        }
        let agent = agent.filter(|_| !self.is_all_agents());
        if self.env == EnvironmentSource::Agent && agent.is_none() {
            return Err(CliError::Usage("--env agent needs one agent\n  help: name it with --agent".to_owned()));
        }
        let agent = agent.unwrap_or_else(|| dialects::DEFAULT.id());
        Ok(Some(ChosenEnvironment::read(place, self.env, agent)?))
    }

    /// Returns the arguments of `--agent-args` with the agent that they are for: the one whose program is their first word,
    /// or else that of the command.
    pub fn arguments(&self, agent: Option<AgentId>) -> Result<Option<AgentArguments>, CliError> {
        let Some(ArgumentWords(words)) = &self.agent_args else { return Ok(None) };
        dialects::arguments_for(words, agent)
            .map(Some)
            .ok_or_else(|| CliError::Usage("--agent-args needs one agent\n  help: name it with --agent".to_owned()))
    }

    /// Returns an error for `--agent all`, for a command that works on one agent.
    pub fn reject_all_agents(&self, command: &str) -> Result<(), CliError> {
        if self.is_all_agents() {
            return Err(CliError::Usage(format!(
                "{command} works with one agent at a time; replace `all` with its name"
            )));
        }
        Ok(())
    }
}

/// Prints what hookbench does not follow of `--agent-args`.
pub fn warn_of_arguments(place: &Place) {
    let Some(arguments) = &place.arguments else { return };
    let Some(dialect) = dialects::by_id(arguments.agent.as_str()) else { return };
    dialect.given_flags(place).problems(dialect.name()).iter().for_each(write_stderr);
}

/// The payload of an event.
#[derive(Debug, Clone, Args)]
pub struct EventArgs {
    /// File with the payload as JSON; '-' reads stdin
    #[arg(long, value_name = "FILE")]
    pub payload: Option<PathBuf>,
    /// Name of the tool, in any agent, for tool events
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Input of the tool
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,
    /// Set a field of the payload to a JSON value or a text; repeatable
    #[arg(long, value_name = "a.b=VALUE")]
    pub set: Vec<String>,
    /// Answer permission questions as the agent does without a user
    #[arg(long)]
    pub headless: bool,
}

/// `fire`.
#[derive(Debug, Args)]
pub struct FireArgs {
    /// Event name [default: from the payload]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    /// Fire all events of a file in order, in one session; '-' reads stdin
    ///
    /// The file has a payload in each line, or is an export of hookbench or a session file of an agent.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["event", "payload", "tool", "input", "set", "answer", "without", "what_if"])]
    pub session: Option<PathBuf>,
    /// Answer yes: run the commands without asking
    #[arg(long)]
    pub yes: bool,
    /// Run the hooks in a copy of the project, with an empty home directory, few variables and no network if possible
    #[arg(long)]
    pub contain: bool,
    /// Fire the event in the installed agent too, in a copy of the project without network, and compare
    ///
    /// The model is a stand-in that calls the tool of the event. The exit status is 1 if the agent does something else.
    #[arg(long, conflicts_with_all = ["session", "answer", "without", "what_if"])]
    pub verify: bool,
    /// Verify even where the agent cannot be isolated: the tool runs with your rights in a copy of the project
    #[arg(long, requires = "verify")]
    pub verify_anyway: bool,
    /// Exit with 3 if the verdict is unknown, or if this version of the agent was not tested
    #[arg(long)]
    pub strict: bool,
    /// Multiply every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = factor, value_name = "X")]
    pub timeout_scale: f64,
    /// Exit with 1 if the verdict is a different one
    #[arg(long, value_parser = verdict_parser(), value_name = "VERDICT")]
    pub expect: Option<Verdict>,
    /// Answer for a hook that only the agent can run, such as h2={"ok":false}
    #[arg(long, value_name = "HOOK=ANSWER")]
    pub answer: Vec<String>,
    /// Let the model of [model] in config.toml answer prompt hooks, in place of the agent's model (asks first)
    #[arg(long, conflicts_with = "session")]
    pub ask_model: bool,
    /// Skip this hook
    #[arg(long, value_name = "HOOK")]
    pub without: Vec<String>,
    /// Decide as if a hook had exited with this status and printed this, such as guard.sh=2 or
    /// h1='0 {"decision":"block"}'
    #[arg(long, value_name = "HOOK=STATUS [STDOUT]")]
    pub what_if: Vec<String>,
    /// Fire the event N more times, and print how long each hook takes beside a bare start of its interpreter
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), conflicts_with_all = ["session", "answer", "what_if", "verify", "ask_model", "save_test"])]
    pub repeat: Option<u16>,
    /// Keep the result as a case of hooks.test.yaml; hookbench undo removes it
    #[arg(long, conflicts_with_all = ["session", "what_if"])]
    pub save_test: bool,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = StreamFormat::Text)]
    pub format: StreamFormat,
}

/// `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Event name [default: from the payload]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Id of the hook (h1), its name, or file:line
    pub hook: String,
    /// Event name [default: the hook's own event]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub format: PageFormat,
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Show only this event, with its fields and templates
    pub event: Option<String>,
    /// Agent, or all of them [default: all]
    #[arg(long, value_parser = agent_or_all_parser(), value_name = "AGENT")]
    pub agent: Option<&'static str>,
    /// Project directory in the templates [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Home directory in the templates [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Version of the agent [default: the newest that is known]
    #[arg(long, value_parser = version, value_name = "V")]
    pub agent_version: Option<Version>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Show what each agent calls this tool, and how its matchers spell it
    pub name: Option<String>,
    /// Show only this agent
    #[arg(long, value_parser = catalogue_agent_parser(), value_name = "AGENT")]
    pub agent: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// File, or directory with all files below it; the format is detected [default: list the agents' sessions]
    pub path: Option<PathBuf>,
    /// Write the events to this file as JSON lines instead of storing them; '-' is stdout
    #[arg(long, value_name = "FILE", requires = "path")]
    pub to: Option<PathBuf>,
    /// Mask values that look like secrets before the events are stored
    #[arg(long, requires = "path", conflicts_with = "to")]
    pub redact: bool,
    /// List only sessions of this agent
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT", conflicts_with = "path")]
    pub agent: Option<AgentId>,
    /// Project directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Home directory in which agents keep their sessions [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Allow the model of [model] in config.toml to receive text of this project (asks first), and measure its speed
    #[arg(long)]
    pub allow_model: bool,
    /// Answer yes to the question of --allow-model
    #[arg(long, requires = "allow_model")]
    pub yes: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Name of a document, such as firing or suite, or settings for the settings of an agent [default: all documents]
    pub document: Option<String>,
    /// Agent of the settings
    #[arg(long, value_parser = any_agent_parser(), value_name = "AGENT", requires = "document")]
    pub agent: Option<AgentId>,
}

/// `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Check your configuration file instead
    #[arg(long)]
    pub check: bool,
}

/// `server`.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Home directory for user-level settings [default: your own]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
}

/// `tui`.
#[derive(Debug, Args)]
pub struct TuiArgs {
    #[command(flatten)]
    pub open: OpenArgs,
    /// Use the bundled sample project
    #[arg(long, conflicts_with_all = ["dir", "home"])]
    pub demo: bool,
    /// File with one step in each line (key f, type TEXT, until TEXT, dump [NAME], resize CxR); '-' reads stdin
    #[arg(long, value_name = "FILE")]
    pub script: PathBuf,
    /// Size of the screen in columns and rows
    #[arg(long, default_value = "80x24", value_parser = size, value_name = "CxR")]
    pub size: (u16, u16),
    /// Print the screen at the end of the script
    #[arg(long)]
    pub dump: bool,
    /// Answer yes: run the commands without asking
    #[arg(long)]
    pub yes: bool,
    /// Maximum time that one `until` waits
    #[arg(long, default_value_t = 10.0, value_parser = factor, value_name = "SECONDS")]
    pub limit: f64,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    hookbench_app::screen_size(text)
        .ok_or_else(|| format!("write a size as 80x24; the largest is {0}x{0}", hookbench_app::LARGEST_SCREEN))
}

/// Accepts the id of an agent. The ids appear in the help and in completion scripts.
pub(super) fn agent_parser() -> impl TypedValueParser<Value = AgentId> {
    PossibleValuesParser::new(released())
        .try_map(|id| dialects::by_id(&id).map(|dialect| dialect.id()).ok_or("an agent is one of the possible values"))
}

/// All agents that were released.
fn released() -> impl Iterator<Item = PossibleValue> {
    dialects::released().map(|dialect| PossibleValue::new(dialect.id().as_str()))
}

/// Accepts the id of an agent, also of one that was never released.
pub(super) fn any_agent_parser() -> impl TypedValueParser<Value = AgentId> {
    PossibleValuesParser::new(released().chain(unreleased()))
        .try_map(|id| dialects::by_id(&id).map(|dialect| dialect.id()).ok_or("an agent is one of the possible values"))
}

/// Accepts the id of an agent, also of one that was never released, or `all`, which means the released ones.
pub fn agent_or_all_parser() -> impl TypedValueParser<Value = &'static str> {
    let known = "the word is one of the possible values";
    PossibleValuesParser::new(released().chain([PossibleValue::new(ALL_AGENTS)]).chain(unreleased())).try_map(
        move |text| {
            let agent = dialects::by_id(&text).map(|dialect| dialect.id().as_str());
            agent.or_else(|| (text == ALL_AGENTS).then_some(ALL_AGENTS)).ok_or(known)
        },
    )
}

/// The agents that were never released. They are accepted, but not offered.
fn unreleased() -> impl Iterator<Item = PossibleValue> {
    dialects::SPECIFIED.iter().map(|dialect| PossibleValue::new(dialect.id().as_str()).hide(true))
}

/// Accepts an agent of the tool catalogue.
fn catalogue_agent_parser() -> PossibleValuesParser {
    let released = dialects::released().map(|dialect| PossibleValue::new(dialect.id().as_str()));
    PossibleValuesParser::new(released.chain(unreleased()))
}

fn verdict_parser() -> impl TypedValueParser<Value = Verdict> {
    let known = "a verdict is one of the possible values";
    PossibleValuesParser::new(Verdict::ALL.iter().map(|verdict| verdict.word()))
        .try_map(move |word| Verdict::from_word(&word).ok_or(known))
}

fn environment_parser() -> impl TypedValueParser<Value = EnvironmentSource> {
    let known = "an environment is one of the possible values";
    PossibleValuesParser::new(EnvironmentSource::ALL.map(EnvironmentSource::word))
        .try_map(move |word| EnvironmentSource::from_word(&word).ok_or(known))
}

/// The layer of a command that names none: the project, or the user if none of the agents has hooks of a project.
pub fn default_layer<'a>(agents: impl IntoIterator<Item = &'a dialects::Agent>, place: &Place) -> Layer {
    let has_project = |agent: &dialects::Agent| agent.settings_format().layer_settings(place, Layer::Project).is_some();
    if agents.into_iter().any(has_project) { Layer::Project } else { Layer::User }
}

/// Accepts one of these layers, by its word.
pub(super) fn layer_parser(layers: &'static [Layer]) -> impl TypedValueParser<Value = Layer> {
    let known = "the layer is one of the possible values";
    PossibleValuesParser::new(layers.iter().map(|layer| layer.word()))
        .try_map(move |text| layers.iter().copied().find(|layer| layer.word() == text).ok_or(known))
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "write a version as 1.2.3".to_owned())
}

pub(super) fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("write a number above 0".to_owned()),
    }
}
