//! `lint`: what is wrong with the hooks of a project, before anything fires.

mod formats;
mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::Common;
use super::exit::Failure;
use super::look::print_json;
use super::print;
use super::setup;
use crate::app::check_syntax::check_syntax;
use crate::app::document::lint_doc;
use crate::app::lint::{Linted, lint_session, opened};
use crate::app::{InputRequest, SessionOptions, Status};
use crate::core::diagnostic::Severity;

/// `lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Only what is found in these files [default: every file that an agent reads]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub common: Common,
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Have the scripts read by their interpreters too (bash -n, python3, node --check): they are started, the scripts
    /// are not run
    #[arg(long)]
    pub check_syntax: bool,
}

/// How findings are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// With the line and what is meant in it
    Text,
    /// A line each
    Short,
    Json,
    /// For code scanning
    Sarif,
    /// Annotations for a workflow log
    Github,
}

/// `lint`.
pub fn lint(args: &LintArgs) -> Result<Status, Failure> {
    let only: Vec<String> = args
        .files
        .iter()
        .map(|file| {
            let why = "not there".to_owned();
            opened(file).ok_or_else(|| Failure::File { file: file.display().to_string(), why })
        })
        .collect::<Result<_, _>>()?;
    let request = InputRequest { agent: args.common.one(), ..InputRequest::default() };
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open(&args.common, &request, options)?;
    setup::load(&mut session, None);
    let mut linted = lint_session(&session, args.common.one(), &only);
    if args.check_syntax {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|why| Failure::Internal(format!("cannot start: {why}")))?;
        runtime.block_on(check_syntax(&mut linted));
    }
    match args.format {
        LintFormat::Text => print::out(&text::text(&linted)),
        LintFormat::Short => print::out(&formats::short(&linted)),
        LintFormat::Json => {
            print_json(&lint_doc(&linted))?;
        }
        LintFormat::Sarif => {
            print_json(&formats::sarif(&linted, &session.place))?;
        }
        LintFormat::Github => print::out(&formats::github(&linted)),
    }
    Ok(if errors(&linted) > 0 { Status::NotAsExpected } else { Status::Ok })
}

fn errors(linted: &Linted) -> usize {
    linted.findings.iter().filter(|f| f.severity == Severity::Error).count()
}
