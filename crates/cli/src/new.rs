//! `new`: writes a hook from a recipe, or from a few answers.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::args::{PlaceArgs, agent_or_all_parser, layer_parser};
use super::consent::confirm_write;
use super::error::CliError;
use super::formats::Format;
use super::print::{self, emit};
use super::run::runtime;
use super::signals::stop_signals;
use super::suggestion::suggest;
use hookbench_app::{
    DiskFiles, ExitStatus, HookTrial, LinkPolicy, NewHook, NewHookError, agents_of_project, document,
    installed_version, kill_every_group, make_place, prepare_hook, write_all, write_stderr,
};
use hookbench_core::catalogue::catalogue;
use hookbench_core::config::Place;
use hookbench_core::dialects;
use hookbench_core::hook::Layer;
use hookbench_core::port::AgentVersion;
use hookbench_core::recipe::{
    BlankAnswers, HookEffect, Language, Recipe, RecipeRequest, blank_recipe, recipe, recipes,
};
use hookbench_core::text::nearest;

/// The maximum length of a script's name in bytes, so that a backup beside it has a name, too.
const LONGEST_NAME: usize = 120;

/// The text below the options in the help of `new`.
pub const NEW_HELP: &str = "\
Writes a script, its entry in the settings, and two cases of hooks.test.yaml, or of ~/.hooks/hooks.test.yaml if the entry is \
in your home directory: an event that the hook must catch, and one that it must allow. Everything is shown as a patch first, and `hookbench undo` undoes it in one step. Without a recipe, \
--event and --does describe the hook. With several agents, one script works in all of them. A written hook that only \
decides is fired with both events in each agent: in the project, after `cd` where the agent's events follow it, and in a \
subdirectory where the agent reads the settings. A hook that fails one of them stays, and the first line says so.

Exit status: 0 written, or nothing to do; 1 written, but a fired event has another verdict; 2 wrong usage; 4 not confirmed; \
5 a file cannot be changed.";

/// `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Recipe, from --list
    #[arg(conflicts_with_all = ["event", "does", "pattern", "text", "run", "lang"])]
    pub recipe: Option<String>,
    /// List the recipes
    #[arg(long, conflicts_with_all = ["recipe", "event", "dry_run", "yes"])]
    pub list: bool,
    /// Event, under its name in any agent
    #[arg(long, value_name = "EVENT", requires = "does")]
    pub event: Option<String>,
    /// Comma-separated tools, under their names in any agent [default: every tool]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "event")]
    pub tool: Vec<String>,
    /// What the hook does
    #[arg(long, value_parser = PossibleValuesParser::new(HookEffect::ALL.map(HookEffect::word)), value_name = "EFFECT", requires = "event")]
    pub does: Option<String>,
    /// Regular expression that the hook looks for
    #[arg(long, value_name = "REGEX")]
    pub pattern: Option<String>,
    /// Text for the model or the user; with --does change the replacement
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Command that checks, formats or notifies
    #[arg(long, value_name = "COMMAND")]
    pub run: Option<String>,
    /// Language of the script; none writes one command into the settings
    #[arg(long, value_parser = PossibleValuesParser::new(Language::ALL.map(Language::word)), value_name = "LANGUAGE", default_value = "python")]
    pub lang: String,
    /// Text that the hook must catch, such as a command [default: the pattern, if it is a plain text]
    #[arg(long, value_name = "TEXT", requires = "event")]
    pub caught: Option<String>,
    /// Text that the hook must allow
    #[arg(long, value_name = "TEXT", requires = "event")]
    pub passes: Option<String>,
    /// Agent, or all of them; repeatable [default: those with settings in this project]
    #[arg(long, value_parser = agent_or_all_parser(), value_name = "AGENT")]
    pub agent: Vec<&'static str>,
    /// Settings to change: of the project, its local ones, or those in your home directory [default: of the project, where the agent has hooks of one]
    #[arg(long, value_parser = layer_parser(&[Layer::Project, Layer::Local, Layer::User]), value_name = "LAYER")]
    pub layer: Option<Layer>,
    /// Name of the script, without its ending [default: the recipe, or the effect and the pattern]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Show the whole change and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Answer yes: write the files without asking
    #[arg(long, alias = "write", overrides_with = "yes")]
    pub yes: bool,
    /// Write even if a file is a link to a file outside the project
    #[arg(long)]
    pub follow_links: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// Runs `new`.
pub fn new(args: &NewArgs) -> Result<ExitStatus, CliError> {
    let format = args.place_args.format;
    if args.list {
        let doc = document::recipes_doc();
        emit(format, &doc, || print::recipes(&doc))?;
        return Ok(ExitStatus::Ok);
    }
    let place = make_place(args.place_args.project.as_deref(), args.place_args.home.as_deref())?;
    let chosen = match args.agent.as_slice() {
        [] => agents_of_project(&place, &DiskFiles),
        names if names.iter().any(|name| dialects::by_id(name).is_none()) => dialects::released().collect(),
        names => names.iter().filter_map(|name| dialects::by_id(name)).collect(),
    };
    let agents: Vec<AgentVersion> = chosen.iter().map(|dialect| installed_version(dialect, &place)).collect();
    let (written, given);
    let (recipe, default_name, answers) = match (&args.recipe, &args.event) {
        (Some(id), _) => (recipe(id).ok_or_else(|| unknown_recipe(id))?, id.clone(), None),
        (None, Some(event)) => {
            given = answers(args, event)?;
            written = blank_recipe(&given, &agents).map_err(|why| CliError::Usage(why.to_string()))?;
            (&written, given.script_name(), Some(&given))
        }
        (None, None) => {
            let help = "name a recipe, or describe the hook with --event and --does";
            return Err(CliError::Usage(format!("no recipe\n  help: {help}; hookbench new --list lists the recipes")));
        }
    };
    let name = args.name.clone().unwrap_or(default_name);
    let is_quoted = name.contains(['/', '\\', '"', '$', '`']) || name.chars().any(char::is_control);
    if name.is_empty() || name.starts_with(['.', '-']) || name.len() > LONGEST_NAME || is_quoted {
        let says = "use a file name without a directory, quotes or control characters";
        return Err(CliError::Usage(format!("--name {name:?}: {says}")));
    }
    let request = RecipeRequest { recipe, name: &name, layer: args.layer, agents: &agents };
    let hook = prepare_hook(&request, answers, &place, &DiskFiles).map_err(failure)?;
    let links = LinkPolicy::from_flag(args.follow_links);
    let changes = !hook.changes.is_empty();
    let writes_now = changes && args.yes;
    let is_tested = recipe.caught.is_some() || args.pattern.is_none();
    if !writes_now {
        let doc = document::new_hook_doc(&hook, false, &[]);
        emit(format, &doc, || print::new_hook(&doc, &recipe.misses, is_tested, args.dry_run))?;
        if !changes || args.dry_run {
            return Ok(ExitStatus::Ok);
        }
        confirm_write("Write these files?", format != Format::Json)?;
    }
    write_all(&place, &hook.changes, links)?;
    let Some(tried) = try_examples(&hook, &agents, &place)? else { return Ok(ExitStatus::Interrupted) };
    let doc = document::new_hook_doc(&hook, true, &tried);
    if writes_now {
        emit(format, &doc, || print::new_hook(&doc, &recipe.misses, is_tested, args.dry_run))?;
    } else {
        print::written_hook(&doc);
    }
    hook.missing_trust(&agents, &place, &DiskFiles).iter().for_each(write_stderr);
    Ok(if tried.iter().any(|trial| trial.problem.is_some()) { ExitStatus::NotAsExpected } else { ExitStatus::Ok })
}

/// Fires the examples of the written hook. `None` if the user interrupts it.
fn try_examples(hook: &NewHook, agents: &[AgentVersion], place: &Place) -> Result<Option<Vec<HookTrial>>, CliError> {
    Ok(runtime(2)?.block_on(async {
        // Registered before the first process starts, so that Ctrl-C never leaves one running.
        let mut stops = stop_signals();
        tokio::select! {
            tried = hook.try_examples(agents, place) => Some(tried),
            Some(()) = stops.recv() => {
                kill_every_group();
                None
            }
        }
    }))
}

/// The answers of the arguments.
fn answers(args: &NewArgs, event: &str) -> Result<BlankAnswers, CliError> {
    let row = |name: &String| {
        let found = dialects::released().find_map(|dialect| {
            let tools = catalogue().agent(dialect.id().as_str())?;
            let found = catalogue().resolve(name, tools);
            (found.tool.is_some() || tools.tool_for_row(found.canonical).is_some()).then(|| found.canonical.to_owned())
        });
        found.ok_or_else(|| {
            let known = catalogue().every_agent().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
            let advice = suggest(name, known, "hookbench tools lists them");
            CliError::Usage(format!("--tool {name}: no agent has this tool; {advice}"))
        })
    };
    let does = HookEffect::ALL.into_iter().find(|effect| Some(effect.word()) == args.does.as_deref());
    let language = Language::ALL.into_iter().find(|language| language.word() == args.lang);
    Ok(BlankAnswers {
        event: event.to_owned(),
        tools: args.tool.iter().map(row).collect::<Result<_, _>>()?,
        does: does.unwrap_or(HookEffect::Refuse),
        pattern: args.pattern.clone(),
        text: args.text.clone(),
        command: args.run.clone(),
        language: language.unwrap_or(Language::Python),
        caught: args.caught.clone(),
        passes: args.passes.clone(),
    })
}

fn unknown_recipe(id: &str) -> CliError {
    let ids: Vec<&str> = recipes().iter().map(|recipe| recipe.id.as_str()).collect();
    // Words of the deed name a recipe, too: `rm-rf`.
    let words: Vec<String> = id.split(['-', '_', ' ']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let about = |recipe: &Recipe| {
        let text = format!("{} {}", recipe.id, recipe.title).to_lowercase();
        words.iter().all(|word| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|other| other == word))
    };
    let named = || recipes().iter().find(|recipe| !words.is_empty() && about(recipe)).map(|recipe| recipe.id.as_str());
    let help = match nearest(id, &ids).or_else(named) {
        Some(near) => format!("did you mean {near}?"),
        None => "hookbench new --list lists the recipes".to_owned(),
    };
    CliError::Usage(format!("no recipe {id}\n  help: {help}"))
}

fn failure(why: NewHookError) -> CliError {
    let says = why.to_string();
    match why {
        NewHookError::Recipe(_) | NewHookError::OtherScript(_) => CliError::Usage(says),
        NewHookError::Settings { .. } | NewHookError::NotText(_) | NewHookError::Suite(_) => CliError::BadInput(says),
        NewHookError::Write(why) => why.into(),
    }
}
