//! Programs whose operands are files.

use crate::text::shell::Shell;

use super::flags::ParsedFlags;
use super::target::TargetCommand;

/// Programs that print a file.
pub(super) const READERS: [&str; 8] = ["cat", "less", "more", "head", "tail", "bat", "nl", "tac"];

/// Programs that take files, besides [`READERS`].
const OTHERS: [&str; 14] =
    ["cp", "ln", "mv", "nano", "rm", "rmdir", "shred", "tee", "touch", "truncate", "unlink", "vi", "vim", "wc"];

/// Whether all operands of a program are files.
pub(super) fn takes_files(program: &str) -> bool {
    READERS.contains(&program) || OTHERS.contains(&program)
}

/// The only file that a command prints completely.
pub(super) fn printed_file(target: &TargetCommand<'_>) -> Option<String> {
    let program = target.program()?;
    match (program, target.values()?.as_slice()) {
        ("cat" | "less" | "more" | "bat", [_, file]) if !file.starts_with('-') => Some((*file).to_owned()),
        _ => None,
    }
}

/// The only file or directory that `rm` deletes, and whether it deletes directories.
pub(super) fn deleted_file(target: &TargetCommand<'_>) -> Option<(String, bool)> {
    target.values()?;
    let flags = ParsedFlags::of(target).filter(|_| target.program() == Some("rm"))?;
    match flags.operands.as_slice() {
        [operand] => {
            let value = operand.value.clone()?;
            Some((value, flags.has("recursive")))
        }
        _ => None,
    }
}

/// The file that a text prints.
pub(in super::super) fn read_file(text: &str) -> Option<String> {
    let shell = Shell::parse(text);
    let targets = TargetCommand::top_level(text, &shell);
    match targets.as_slice() {
        [target] if target.alone => printed_file(target),
        _ => None,
    }
}
