//! The options of well-known programs.

/// One option: its short letters, its long name, and whether it takes a value.
pub(super) struct OptionRow {
    /// All letters mean the same.
    pub short: &'static str,
    /// Without the dashes; empty if there is none.
    pub long: &'static str,
    pub value: bool,
}

/// The options of a program or of one of its subcommands.
pub(super) struct OptionTable {
    pub programs: &'static [&'static str],
    /// The names of the subcommand; empty if the program has none.
    pub subcommands: &'static [&'static str],
    pub options: &'static [OptionRow],
    /// Whether short options may be joined.
    pub joins: bool,
    /// Whether long options may be shortened.
    pub abbreviates: bool,
    /// Whether `--` ends the options.
    pub ends: bool,
    /// Whether options may follow the operands.
    pub permutes: bool,
}

const fn flag(short: &'static str, long: &'static str) -> OptionRow {
    OptionRow { short, long, value: false }
}

const fn valued(short: &'static str, long: &'static str) -> OptionRow {
    OptionRow { short, long, value: true }
}

const fn gnu(programs: &'static [&'static str], options: &'static [OptionRow]) -> OptionTable {
    OptionTable { programs, subcommands: &[], options, joins: true, abbreviates: true, ends: true, permutes: true }
}

const fn git(subcommands: &'static [&'static str], options: &'static [OptionRow]) -> OptionTable {
    OptionTable {
        programs: &["git"],
        subcommands,
        options,
        joins: true,
        abbreviates: false,
        ends: true,
        permutes: true,
    }
}

/// Only options whose forms are equivalent are listed. A command with another option gives no variants of its
/// options.
pub(super) const TABLES: [OptionTable; 16] = [
    gnu(
        &["rm"],
        &[
            flag("rR", "recursive"),
            flag("f", "force"),
            flag("v", "verbose"),
            flag("d", "dir"),
            flag("", "one-file-system"),
            flag("", "preserve-root"),
        ],
    ),
    gnu(&["chmod", "chown", "chgrp"], &[flag("R", "recursive"), flag("v", "verbose"), flag("f", "quiet")]),
    gnu(
        &["cp"],
        &[flag("rR", "recursive"), flag("f", "force"), flag("v", "verbose"), flag("a", "archive"), flag("p", "")],
    ),
    gnu(&["mv"], &[flag("f", "force"), flag("v", "verbose"), flag("n", "no-clobber")]),
    gnu(&["ln"], &[flag("s", "symbolic"), flag("f", "force"), flag("v", "verbose")]),
    gnu(&["cat"], &[flag("n", "number"), flag("A", "show-all"), flag("s", "squeeze-blank")]),
    gnu(&["head", "tail"], &[valued("n", "lines"), valued("c", "bytes")]),
    gnu(&["tee"], &[flag("a", "append")]),
    OptionTable {
        programs: &["curl"],
        subcommands: &[],
        options: &[
            flag("f", "fail"),
            flag("s", "silent"),
            flag("S", "show-error"),
            flag("L", "location"),
            flag("k", "insecure"),
            valued("o", "output"),
            valued("X", "request"),
            valued("d", "data"),
            valued("H", "header"),
        ],
        joins: true,
        abbreviates: false,
        ends: false,
        permutes: true,
    },
    OptionTable {
        programs: &["psql"],
        subcommands: &[],
        options: &[
            valued("c", "command"),
            valued("d", "dbname"),
            valued("f", "file"),
            valued("h", "host"),
            valued("U", "username"),
            valued("p", "port"),
            flag("q", "quiet"),
            flag("X", "no-psqlrc"),
        ],
        joins: true,
        abbreviates: true,
        ends: true,
        permutes: true,
    },
    OptionTable {
        programs: &["npm"],
        subcommands: &["install", "i", "add"],
        options: &[flag("g", "global"), flag("D", "save-dev"), flag("E", "save-exact"), flag("f", "force")],
        joins: false,
        abbreviates: false,
        ends: false,
        permutes: true,
    },
    git(
        &["push"],
        &[
            flag("f", "force"),
            flag("", "force-with-lease"),
            flag("u", "set-upstream"),
            flag("d", "delete"),
            flag("q", "quiet"),
            flag("v", "verbose"),
            flag("", "tags"),
            flag("", "all"),
            flag("", "no-verify"),
        ],
    ),
    git(
        &["commit"],
        &[
            flag("n", "no-verify"),
            valued("m", "message"),
            flag("a", "all"),
            flag("q", "quiet"),
            flag("v", "verbose"),
            flag("s", "signoff"),
            flag("", "amend"),
            flag("", "allow-empty"),
            flag("", "no-edit"),
        ],
    ),
    git(&["reset"], &[flag("", "hard"), flag("", "soft"), flag("q", "quiet")]),
    git(&["clean"], &[flag("f", "force"), flag("d", ""), flag("x", ""), flag("q", "quiet")]),
    git(&["branch"], &[flag("D", ""), flag("d", "delete"), flag("f", "force"), flag("q", "quiet")]),
];
