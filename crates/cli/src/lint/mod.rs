//! `lint`: finds problems in the hooks of a project, without running them.

mod fix;
mod formats;
pub mod text;
mod trial;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::args::CommonArgs;
use super::error::CliError;
use super::formats::SharingArgs;
use super::print::lines::PageForm;
use super::print::{self, print_json, print_page};
use super::run::runtime;
use super::setup;
use hookbench_app::document::{LeftOutAgentDoc, LintDoc, left_out_agents, lint_doc};
use hookbench_app::lint::{
    AllowList, FindingsReport, FixResult, LintBaseline, LintInput, LintResult, LintSelection, ReportFilter,
    canonical_path, configured_levels, lint_project, make_report, normalize_code,
};
use hookbench_app::syntax_check::check_syntax;
use hookbench_app::{
    ExitStatus, InputRequest, SessionOptions, StateDir, outside_target, recorded_times, start_line, write_stderr,
};
use hookbench_core::config::Files;
use hookbench_core::diagnostic::Severity;
use trial::{ChosenHooks, run_hooks};

/// The text below the options in the help of `lint`.
pub const LINT_HELP: &str = "\
Runs no hook without --run. `hookbench explain CODE` explains a finding.

To change the severity of a code for you, add it to the table [lint] of hookbench's config.toml, such as HW306 = \"off\"; \
`hookbench config` prints that file. To allow a finding in a project, add an entry with a reason to .hookbench.toml:

  [[allow]]
  code = \"HW601\"
  file = \".agent/settings.json\"
  hook = \"policy.sh\"             # optional, for one hook; also: matcher
  reason = \"it only warns, on purpose\"

In a script, write a comment: # hookbench: allow HW601 because it only warns. It applies to its own line; on a line of its own, \
to the next line; above all code, to the whole file. Entries that match no finding or give no reason are reported.

--fix shows the safe fixes as a patch. --fix --yes writes all of them or none, and `hookbench undo` restores the files.

Exit status: 0 no errors; 1 errors; 2 wrong usage, or no agent reads the given files; 4 --run without your approval; 5 a given \
file cannot be read.";

/// `lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files to check [default: every settings file that an agent reads, and the scripts of its hooks]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Report only these codes, or codes that begin with them, such as HW3,HW501
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = normalize_code)]
    pub select: Vec<String>,
    /// Do not report these codes, or codes that begin with them
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = normalize_code)]
    pub ignore: Vec<String>,
    /// Do not report the findings of this file, even if their lines have moved
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the current findings to a file for --baseline
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "fix"])]
    pub write_baseline: Option<PathBuf>,
    /// Show the safe fixes as a patch; writes nothing
    #[arg(long, group = "acts")]
    pub fix: bool,
    /// Write even if a file is a link to a file outside the project
    #[arg(long, requires = "fix")]
    pub follow_links: bool,
    /// Apply proposals too: fixes that are probably right, but not certain
    #[arg(long, requires = "fix")]
    pub proposed: bool,
    /// Also check the syntax of scripts with their interpreters (bash -n, python3, node --check); the scripts do not run
    #[arg(long)]
    pub check_syntax: bool,
    /// Also run each hook in a copy of the project without network, and check its real answers
    #[arg(long, group = "acts")]
    pub run: bool,
    /// Answer yes: with --fix, write all files or none (hookbench undo restores them); with --run, run the hooks without asking
    #[arg(long, alias = "write", overrides_with = "yes", requires = "acts")]
    pub yes: bool,
}

/// The output formats of `lint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// Findings with their source lines and help
    Text,
    /// One line for each finding
    Short,
    Json,
    /// SARIF, for code scanning
    Sarif,
    /// Annotations for a GitHub workflow log
    Github,
    /// JUnit XML with a test suite for each file
    Junit,
    /// Markdown, for an issue or a chat
    Markdown,
    /// One HTML file without script or network
    Html,
}

/// The arguments, and the facts that the checks need.
struct LintRequest<'a> {
    args: &'a LintArgs,
    project: LintInput,
    /// Paths of the files that were named.
    only_files: Vec<String>,
    choice: LintSelection,
    allows: AllowList,
    /// Says why agents are left out.
    left_out: Option<String>,
    left_out_agents: Option<Vec<LeftOutAgentDoc>>,
    baseline: Option<LintBaseline>,
    /// Durations of recorded runs.
    run_times: BTreeMap<String, Vec<Duration>>,
}

impl LintRequest<'_> {
    fn settle(&self, linted: LintResult) -> FindingsReport {
        let whole = self.only_files.is_empty() && self.args.common.single_agent().is_none();
        let how = ReportFilter {
            selection: &self.choice,
            allows: &self.allows,
            baseline: self.baseline.as_ref(),
            complete: whole,
        };
        make_report(linted, &how)
    }

    fn document(&self, report: &FindingsReport, fixes: Option<(&FixResult, bool)>) -> LintDoc {
        let left_out = self.left_out_agents.clone();
        LintDoc { left_out, started_with: self.started_with(), ..lint_doc(report, self.baseline.is_some(), fixes) }
    }

    /// The command line with which an agent is assumed to start.
    fn started_with(&self) -> Option<String> {
        self.project.place.arguments.as_ref().map(start_line)
    }

    fn check(&self) -> LintResult {
        lint_project(&self.project, self.args.common.single_agent(), &self.only_files, &self.run_times)
    }
}

/// Runs `lint`.
pub fn lint(args: &LintArgs) -> Result<ExitStatus, CliError> {
    if args.fix && !matches!(args.format, LintFormat::Text | LintFormat::Json) {
        return Err(CliError::Usage("--fix supports --format text and json only".to_owned()));
    }
    let only: Vec<String> = args.files.iter().map(|file| agent_path(file)).collect::<Result<_, _>>()?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let request = InputRequest { agent: args.common.single_agent(), ..InputRequest::default() };
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open_with_project_plugins(&args.common, &request, options)?;
    session.load(None);
    let (levels, wrong) = configured_levels();
    wrong.iter().for_each(write_stderr);
    let choice = LintSelection { select: args.select.clone(), ignore: args.ignore.clone(), levels };
    let project = session.lint_input();
    let allows = AllowList::read(&project.place, project.files.as_ref());
    let times = recorded_times(&StateDir::for_process());
    let whole = only.is_empty() && args.common.single_agent().is_none();
    let is_json = args.format == LintFormat::Json;
    let left_out = if whole && !is_json { session.left_out("--agent with a name checks one") } else { None };
    let asked = LintRequest {
        args,
        project,
        only_files: only,
        choice,
        allows,
        left_out,
        left_out_agents: if whole && is_json { left_out_agents(&session) } else { None },
        baseline,
        run_times: times,
    };
    let mut linted = asked.check();
    if args.check_syntax {
        runtime(1)?.block_on(check_syntax(&mut linted));
    }
    if args.run {
        let chosen = ChosenHooks { agent: args.common.single_agent(), files: &asked.only_files };
        if !run_hooks(&mut session, &chosen, args.yes, &mut linted)? {
            return Ok(ExitStatus::Interrupted);
        }
    }
    let idle = args.files.iter().zip(&asked.only_files).filter(|(_, path)| !linted.files_read.contains(*path));
    let idle: Vec<String> = idle
        .map(|(file, path)| format!("{}: {}", file.display(), explain_unchecked(asked.project.files.as_ref(), path)))
        .collect();
    // A wrong path must not look like a clean file.
    if !idle.is_empty() && idle.len() == args.files.len() {
        return Err(CliError::Usage(idle.join("\n")));
    }
    idle.iter().for_each(write_stderr);
    if args.fix {
        return fix::fix(&asked, linted);
    }
    let report = asked.settle(linted);
    if let Some(file) = &args.write_baseline {
        return write_baseline(file, &report);
    }
    print_report(&asked, &report)?;
    Ok(status(&report))
}

/// Explains why a named file has no findings.
fn explain_unchecked(files: &dyn Files, path: &str) -> &'static str {
    let root = files.read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    match root.as_ref().and_then(|root| root.get("hooks")) {
        Some(Value::Object(_)) => {
            "no agent reads this file in this project, so its hooks were not checked; \
             hooks of a plugin or an extension run after its installation"
        }
        _ => "no agent reads this file in this project, and it has no hooks",
    }
}

fn print_report(asked: &LintRequest<'_>, report: &FindingsReport) -> Result<(), CliError> {
    match asked.args.format {
        LintFormat::Text | LintFormat::Markdown | LintFormat::Html => {
            let form = match asked.args.format {
                LintFormat::Markdown => PageForm::Markdown,
                LintFormat::Html => PageForm::Html,
                _ => PageForm::Text,
            };
            let read = |path: &str| String::from_utf8(asked.project.files.read(path).ok()?).ok();
            let left_out = asked.left_out.as_deref();
            let started_with = asked.started_with();
            print_page(asked.args.sharing.style(form), |page| {
                text::text(page, report, started_with.as_deref(), left_out, &read);
            });
        }
        LintFormat::Short => print::write_stdout(&formats::short(report)),
        LintFormat::Json => {
            print_json(&asked.document(report, None))?;
        }
        LintFormat::Sarif => {
            print_json(&formats::sarif(report, &asked.project.place))?;
        }
        LintFormat::Github => print::write_stdout(&formats::github(report)),
        LintFormat::Junit => print::write_stdout(&formats::junit(report)),
    }
    Ok(())
}

fn status(report: &FindingsReport) -> ExitStatus {
    if report.count(Severity::Error) > 0 { ExitStatus::NotAsExpected } else { ExitStatus::Ok }
}

/// Converts a named file to the path under which agents open it.
fn agent_path(file: &Path) -> Result<String, CliError> {
    let fail = |why: String| CliError::File { file: file.display().to_string(), why };
    let path = canonical_path(file).ok_or_else(|| fail("the file does not exist".to_owned()))?;
    if file.is_dir() {
        return Err(fail("this is a directory; give files, or use --project".to_owned()));
    }
    hookbench_system::disk::open(file).map_err(|why| CliError::of_file(file, &why))?;
    Ok(path)
}

fn read_baseline(file: &Path) -> Result<LintBaseline, CliError> {
    let fail = |why: String| CliError::File { file: file.display().to_string(), why };
    let text = hookbench_system::disk::read_text(file).map_err(|why| CliError::of_file(file, &why))?;
    LintBaseline::parse(&text).map_err(|why| fail(why.to_string()))
}

fn write_baseline(file: &Path, report: &FindingsReport) -> Result<ExitStatus, CliError> {
    let fail = |why: String| CliError::File { file: file.display().to_string(), why };
    if let Some(real) = outside_target(Path::new("."), file) {
        return Err(fail(format!("this is a link to {}, outside the project; give that file instead", real.display())));
    }
    let baseline = LintBaseline::from_findings(&report.findings);
    std::fs::write(file, baseline.to_text()).map_err(|why| CliError::of_file(file, &why))?;
    let count = hookbench_core::text::pluralize(baseline.len() as u64, "finding");
    print::write_stdout(&format!("{count} written to {}; `hookbench lint --baseline` ignores them\n", file.display()));
    Ok(ExitStatus::Ok)
}
