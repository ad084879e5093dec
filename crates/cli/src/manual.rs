//! `completions` and `man`: completion scripts and manual pages, made from the definition of the command line.

use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use clap_complete_nushell::Nushell;

use super::cli_parser::unknown_command;
use super::error::CliError;
use super::print::write_stdout;
use hookbench_app::ExitStatus;

/// `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell that reads the script
    pub shell: CompletionShell,
}

/// The shells that have completion scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompletionShell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Nushell,
}

/// `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Command, such as fire or db list [default: hookbench itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Vec<String>,
    /// Write the pages of all commands to this directory
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Runs `completions`.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> ExitStatus {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    let mut of_shell = |shell: Shell| clap_complete::generate(shell, &mut command, &name, &mut script);
    match args.shell {
        CompletionShell::Bash => of_shell(Shell::Bash),
        CompletionShell::Zsh => of_shell(Shell::Zsh),
        CompletionShell::Fish => of_shell(Shell::Fish),
        CompletionShell::Powershell => of_shell(Shell::PowerShell),
        CompletionShell::Nushell => clap_complete::generate(Nushell, &mut command, &name, &mut script),
    }
    write_stdout(&String::from_utf8_lossy(&script));
    ExitStatus::Ok
}

/// Runs `man`.
pub fn man(args: &ManArgs, mut command: Command) -> Result<ExitStatus, CliError> {
    if let Some(dir) = &args.dir {
        let failed = |why: std::io::Error| CliError::of_file(dir, &why);
        std::fs::create_dir_all(dir).map_err(failed)?;
        clap_mangen::generate_to(command, dir).map_err(failed)?;
        return Ok(ExitStatus::Ok);
    }
    command.build();
    let mut page = &command;
    for name in &args.command {
        page = page.find_subcommand(name).ok_or_else(|| unknown_command(page, name, ""))?;
    }
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(page.clone()).render(&mut text);
    written.map_err(|why| CliError::Internal(why.to_string()))?;
    write_stdout(&String::from_utf8_lossy(&text));
    Ok(ExitStatus::Ok)
}
