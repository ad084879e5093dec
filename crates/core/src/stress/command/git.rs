//! Git: global options, aliases, and other commands with the same effect.

use super::super::family::DeedFamily;
use super::flags::ParsedFlags;
use super::target::{TargetCommand, is_plain, quote, single_quoted};
use crate::stress::family::VariantList;

/// Options before the subcommand that change nothing.
const GLOBAL: [(&str, &str); 6] = [
    ("-C .", "`-C .` stays in the directory"),
    ("-c color.ui=false", "`-c` only sets a configuration value for this command"),
    ("--no-pager", "the option only concerns the output"),
    ("--git-dir=.git --work-tree=.", "the options name the repository in this directory"),
    ("--no-optional-locks", "the option only concerns locks"),
    ("-c core.pager=cat -C ./", "the options change neither the directory nor the command"),
];

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Git;
    let [_, subcommand, ..] = target.args.as_slice() else { return };
    let Some(subcommand) = subcommand.value.as_deref().filter(|name| is_plain(name) && !name.starts_with('-')) else {
        return;
    };
    if target.program() != Some("git") {
        return;
    }
    let rest = target.rest();
    let git = target.args.first().map_or("git", |arg| &arg.source);
    for (options, why) in GLOBAL {
        target.add(list, family, &format!("{git} {options} {rest}"), why);
    }
    if target.at_shell_level {
        target.add(list, family, &format!("GIT_DIR=.git {git} {rest}"), "the variable names the repository here");
    }
    let after: Vec<&str> = target.args.iter().skip(2).map(|arg| arg.source.as_str()).collect();
    let after = after.join(" ");
    let why = "the alias runs the same subcommand";
    target.add(list, family, &format!("{git} -c alias.z={subcommand} z {after}"), why);
    if let Some(values) = target.values() {
        let words: Vec<String> = values.iter().skip(1).map(|value| quote(value)).collect();
        let alias = single_quoted(&format!("alias.z={}", words.join(" ")));
        target.add(list, family, &format!("{git} -c {alias} z"), "the alias contains the whole command");
        let shell = single_quoted(&format!("alias.z=!git {}", words.join(" ")));
        target.add(list, family, &format!("{git} -c {shell} z"), "the alias runs the command in a shell");
    }
    let why = "the variables set an alias for this command";
    let variables = format!("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0={subcommand}");
    if target.at_shell_level {
        target.add(list, family, &format!("{variables} {git} z {after}"), why);
    }
    target.add(list, family, &format!("\"$({git} --exec-path)/git\" {rest}"), "Git has a copy of itself there");
    if let Some(flags) = ParsedFlags::of(target) {
        match subcommand {
            "push" => add_push(target, git, &flags, list),
            "commit" => add_commit(target, git, &flags, list),
            "reset" if flags.has("hard") && flags.operands.is_empty() => {
                let why = "all changes of tracked files are lost";
                for other in ["reset --hard HEAD", "reset --hard @", "checkout -f HEAD", "read-tree --reset -u HEAD"] {
                    target.add(list, family, &format!("{git} {other}"), why);
                }
                let restore = format!("{git} restore --source=HEAD --staged --worktree :/");
                target.add(list, family, &restore, why);
            }
            _ => {}
        }
    }
}

fn add_push(target: &TargetCommand<'_>, git: &str, flags: &ParsedFlags, list: &mut VariantList) {
    let family = DeedFamily::Git;
    let names: Option<Vec<&str>> = flags.operands.iter().map(|arg| arg.value.as_deref()).collect();
    let Some([remote, branch]) = names.as_deref() else { return };
    let plain = is_plain(branch) && !branch.contains([':', '+']) && is_plain(remote);
    if !plain || !flags.has("force") || flags.has("delete") {
        return;
    }
    let mut add = |arguments: String, why: &str| target.add(list, family, &format!("{git} push {arguments}"), why);
    let why = "`+` before a refspec forces its update";
    add(format!("{remote} +{branch}"), why);
    add(format!("{remote} +{branch}:{branch}"), why);
    add(format!("{remote} +refs/heads/{branch}:refs/heads/{branch}"), why);
    add(format!("{remote} +heads/{branch}"), why);
    let why = "the refspec names the same branch";
    add(format!("-f {remote} {branch}:{branch}"), why);
    add(format!("-f {remote} refs/heads/{branch}"), why);
    add(format!("--force {remote} {branch}:refs/heads/{branch}"), why);
    add(format!("-f --repo={remote} {remote} {branch}"), "the operand names the same remote");
    let why = "it overwrites the remote branch unless someone else has pushed since the last fetch";
    add(format!("--force-with-lease {remote} {branch}"), why);
    add(format!("--force-with-lease={branch} {remote} {branch}"), why);
    add(format!("--force-with-lease --force-if-includes {remote} {branch}"), why);
    let config = format!("{git} -c remote.{remote}.push=+refs/heads/{branch}:refs/heads/{branch} push {remote}");
    target.add(list, family, &config, "the configured refspec forces the update");
    let command = format!("{git} push {remote} :{branch} && {git} push {remote} {branch}");
    target.add_list(list, family, &command, "the branch is deleted and pushed again");
}

fn add_commit(target: &TargetCommand<'_>, git: &str, flags: &ParsedFlags, list: &mut VariantList) {
    let family = DeedFamily::Git;
    if !flags.has("no-verify") {
        return;
    }
    let others: Vec<&str> = target
        .args
        .iter()
        .skip(2)
        .filter(|arg| !matches!(arg.value.as_deref(), Some("--no-verify" | "-n")))
        .map(|arg| arg.source.as_str())
        .collect();
    if target.args.len() - 2 != others.len() + 1 {
        return;
    }
    let others = others.join(" ");
    let why = "Git finds no hooks in this directory";
    let mut add = |command: String, why: &str| target.add(list, family, &command, why);
    add(format!("{git} -c core.hooksPath=/dev/null commit {others}"), why);
    add(format!("{git} -c core.hooksPath= commit {others}"), why);
    add(format!("{git} -c CORE.HOOKSPATH=/dev/null commit {others}"), "names of settings ignore case");
    let variables = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null";
    if target.at_shell_level {
        add(format!("{variables} {git} commit {others}"), why);
        add(format!("GIT_CONFIG_PARAMETERS=\"'core.hooksPath=/dev/null'\" {git} commit {others}"), why);
    }
    add(format!("{git} commit {others} --no-verif"), "long options may be shortened while they are unambiguous");
    let command = format!("{git} commit {others} --no-verify --no-post-rewrite");
    add(command, "the additional option only concerns rewritten commits");
    let command = format!("{git} config core.hooksPath /dev/null && {git} commit {others}");
    target.add_list(list, family, &command, why);
    let command = format!("chmod -x .git/hooks/*; {git} commit {others}");
    target.add_list(list, family, &command, "Git ignores hooks that are not executable");
}
