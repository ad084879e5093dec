//! The names of the programs in a command whose arguments depend on variables or on other commands.

use super::syntax_tree::{BashCommand, BashList, BashNode, BashPiece, BashWord, starts_like_flag};

/// Programs and shell words whose arguments may be commands, so that the name alone is not enough.
const INDIRECT_PROGRAMS: [&str; 104] = [
    ".",
    ":",
    "[",
    "alias",
    "ash",
    "autoload",
    "awk",
    "bash",
    "bind",
    "break",
    "builtin",
    "bun",
    "busybox",
    "chroot",
    "chrt",
    "cmd",
    "command",
    "compgen",
    "complete",
    "continue",
    "coproc",
    "csh",
    "dash",
    "declare",
    "deno",
    "doas",
    "emulate",
    "enable",
    "env",
    "eval",
    "exec",
    "exit",
    "expect",
    "export",
    "fakeroot",
    "fc",
    "find",
    "firejail",
    "fish",
    "flock",
    "foreach",
    "functions",
    "gawk",
    "getopts",
    "hash",
    "ionice",
    "jobs",
    "ksh",
    "let",
    "local",
    "logout",
    "ltrace",
    "lua",
    "mapfile",
    "mawk",
    "nawk",
    "nice",
    "nocorrect",
    "node",
    "nodejs",
    "noglob",
    "nohup",
    "nsenter",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "powershell",
    "print",
    "printf",
    "proot",
    "pwsh",
    "python",
    "rbash",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "return",
    "rlwrap",
    "ruby",
    "runuser",
    "screen",
    "script",
    "set",
    "setsid",
    "sh",
    "shift",
    "shopt",
    "socat",
    "source",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "taskset",
    "tcsh",
    "test",
    "time",
    "timeout",
    "tmux",
    "trap",
    "typeset",
    "unset",
];
/// The rest of [`INDIRECT_PROGRAMS`].
const MORE_INDIRECT_PROGRAMS: [&str; 16] = [
    "unshare", "vared", "wait", "watch", "xargs", "zcompile", "zmodload", "zpty", "zsh", "zsocket", "ztcp", "sysopen",
    "sysread", "syswrite", "python2", "python3",
];

/// Returns the names of one command and of the commands in its arguments, or `None` if the agent cannot determine
/// them.
pub fn program_names(program: &BashList) -> Option<Vec<String>> {
    let [(BashNode::Command(command), _)] = program.0.as_slice() else { return None };
    let depends = |piece: &BashPiece| match piece {
        BashPiece::Variable(_) | BashPiece::Substitution(_) => true,
        BashPiece::Double(inner) => inner.iter().any(|piece| matches!(piece, BashPiece::Substitution(_))),
        _ => false,
    };
    if !command.words.iter().any(|word| word.0.iter().any(depends)) {
        return None;
    }
    let mut names = Vec::new();
    command_names(command, &mut names)?;
    Some(names)
}

fn command_names(command: &BashCommand, names: &mut Vec<String>) -> Option<()> {
    if !command.assignments.is_empty() || !command.redirections.is_empty() {
        return None;
    }
    let (name, arguments) = command.words.split_first()?;
    let name = name.plain_text()?;
    let base = name.rsplit('/').next().unwrap_or(name);
    let good = name.chars().all(|c| c.is_ascii_alphanumeric() || "_./+-".contains(c));
    if !good || INDIRECT_PROGRAMS.contains(&base) || MORE_INDIRECT_PROGRAMS.contains(&base) {
        return None;
    }
    names.push(name.to_owned());
    arguments.iter().try_for_each(|word| argument_names(word, names))
}

fn argument_names(word: &BashWord, names: &mut Vec<String>) -> Option<()> {
    match word.0.as_slice() {
        [BashPiece::Variable(_)] => Some(()),
        pieces => {
            // The agent does not analyse a flag whose text is only partly known.
            let flag = matches!(pieces.first(), Some(BashPiece::Bare { text, .. }) if starts_like_flag(text));
            let mixed = |piece: &BashPiece| {
                matches!(piece, BashPiece::Double(inner) if inner.len() > 1
                    && inner.iter().any(|inner| matches!(inner, BashPiece::Substitution(_))))
            };
            if flag && pieces.iter().any(mixed) {
                return None;
            }
            pieces.iter().try_for_each(|piece| piece_names(piece, names))
        }
    }
}

fn piece_names(piece: &BashPiece, names: &mut Vec<String>) -> Option<()> {
    match piece {
        BashPiece::Bare { escaped: false, .. } | BashPiece::Braces => Some(()),
        BashPiece::Double(inner) => inner.iter().try_for_each(|piece| piece_names(piece, names)),
        BashPiece::Substitution(list) => match list.0.as_slice() {
            [(BashNode::Command(command), super::syntax_tree::BashSeparator::Line)] => command_names(command, names),
            _ => None,
        },
        BashPiece::Bare { .. } | BashPiece::Single(_) | BashPiece::Variable(_) | BashPiece::Number => None,
    }
}
