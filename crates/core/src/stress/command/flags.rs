//! Order, joining and spelling of options.

use super::super::family::DeedFamily;
use super::options::{OptionRow, OptionTable, TABLES};
use super::target::{CommandArg, TargetCommand};
use crate::stress::family::VariantList;

/// An option of a command.
struct UsedOption {
    row: &'static OptionRow,
    /// The letter, if it was written so.
    letter: Option<char>,
    /// The source of its value.
    value: Option<String>,
}

/// The options and operands of a command whose options are all known.
pub(super) struct ParsedFlags {
    table: &'static OptionTable,
    /// The program and its subcommand, as written.
    head: String,
    used: Vec<UsedOption>,
    pub operands: Vec<CommandArg>,
}

impl ParsedFlags {
    /// Returns `None` if the program or one of its options is unknown.
    pub fn of(target: &TargetCommand<'_>) -> Option<ParsedFlags> {
        let program = target.program()?;
        let second = target.args.get(1).and_then(|arg| arg.value.as_deref()).unwrap_or("");
        let table = TABLES.iter().find(|table| {
            table.programs.contains(&program) && (table.subcommands.is_empty() || table.subcommands.contains(&second))
        })?;
        let skipped = if table.subcommands.is_empty() { 1 } else { 2 };
        let head: Vec<&str> = target.args.iter().take(skipped).map(|arg| arg.source.as_str()).collect();
        let mut parsed = ParsedFlags { table, head: head.join(" "), used: Vec::new(), operands: Vec::new() };
        let mut args = target.args.iter().skip(skipped);
        while let Some(arg) = args.next() {
            match arg.value.as_deref() {
                Some("--") => {
                    parsed.operands.extend(args.cloned());
                    break;
                }
                Some(text) if text.starts_with("--") => {
                    let (name, value) = text[2..].split_once('=').map_or((&text[2..], None), |(n, v)| (n, Some(v)));
                    let row = table.options.iter().find(|row| row.long == name)?;
                    let value = match (row.value, value) {
                        (false, None) => None,
                        (true, Some(value)) => Some(super::target::quote(value)),
                        (true, None) => Some(args.next()?.source.clone()),
                        (false, Some(_)) => return None,
                    };
                    parsed.used.push(UsedOption { row, letter: None, value });
                }
                Some(text) if text.starts_with('-') && text.len() > 1 => {
                    parsed.short(text.get(1..)?, &mut args)?;
                }
                _ => parsed.operands.push(arg.clone()),
            }
        }
        Some(parsed)
    }

    /// Reads joined letters.
    fn short<'a>(&mut self, letters: &str, args: &mut impl Iterator<Item = &'a CommandArg>) -> Option<()> {
        let joined = letters.chars().count() > 1;
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let row = self.table.options.iter().find(|row| row.short.contains(letter))?;
            if joined && !self.table.joins {
                return None;
            }
            let value = match row.value {
                false => None,
                true if rest.as_str().is_empty() => Some(args.next()?.source.clone()),
                true => {
                    let value = super::target::quote(rest.as_str());
                    rest = "".chars();
                    Some(value)
                }
            };
            self.used.push(UsedOption { row, letter: Some(letter), value });
        }
        Some(())
    }

    /// Whether the command has an option with this long name.
    pub fn has(&self, long: &str) -> bool {
        self.used.iter().any(|used| used.row.long == long)
    }

    fn command(&self, options: &[String]) -> String {
        let operands = self.operands.iter().map(|arg| arg.source.clone());
        std::iter::once(self.head.clone()).chain(options.iter().cloned()).chain(operands).collect::<Vec<_>>().join(" ")
    }
}

impl UsedOption {
    fn letter(&self) -> Option<char> {
        self.letter.or_else(|| self.row.short.chars().next())
    }

    /// The short form, or the long one if there is none.
    fn short(&self) -> String {
        match (self.letter(), &self.value) {
            (Some(letter), None) => format!("-{letter}"),
            (Some(letter), Some(value)) => format!("-{letter} {value}"),
            (None, _) => self.long(),
        }
    }

    fn long(&self) -> String {
        match (self.row.long, &self.value) {
            ("", _) => self.short(),
            (long, None) => format!("--{long}"),
            (long, Some(value)) => format!("--{long}={value}"),
        }
    }
}

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let Some(flags) = ParsedFlags::of(target).filter(|flags| !flags.used.is_empty()) else { return };
    let mut add = |command: String, why: &str| target.add(list, DeedFamily::Flags, &command, why);
    let (used, table) = (&flags.used, flags.table);
    let short: Vec<String> = used.iter().map(UsedOption::short).collect();
    let long: Vec<String> = used.iter().map(UsedOption::long).collect();
    let reversed: Vec<String> = short.iter().rev().cloned().collect();
    add(flags.command(&short), "each option may be its own word");
    add(flags.command(&reversed), "the order of options is free");
    add(flags.command(&long), "the long options are the same options");
    add(flags.command(&long.iter().rev().cloned().collect::<Vec<_>>()), "the order of options is free");
    let mixed: Vec<String> =
        used.iter().enumerate().map(|(n, option)| if n % 2 == 0 { option.short() } else { option.long() }).collect();
    let other: Vec<String> =
        used.iter().enumerate().map(|(n, option)| if n % 2 == 1 { option.short() } else { option.long() }).collect();
    if used.len() > 1 {
        add(flags.command(&mixed), "short and long options may be mixed");
        add(flags.command(&other), "short and long options may be mixed");
    }
    if table.joins {
        add_joined(&flags, &mut add);
    }
    let operands: Vec<&str> = flags.operands.iter().map(|arg| arg.source.as_str()).collect();
    let operands = operands.join(" ");
    if table.permutes && !operands.is_empty() {
        let why = "options may follow the operands";
        add(format!("{} {operands} {}", flags.head, short.join(" ")), why);
        add(format!("{} {operands} {}", flags.head, long.join(" ")), why);
        if let Some((first, rest)) = short.split_first().filter(|(_, rest)| !rest.is_empty()) {
            add(format!("{} {first} {operands} {}", flags.head, rest.join(" ")), why);
        }
    }
    if table.ends && !operands.is_empty() {
        add(format!("{} {} -- {operands}", flags.head, short.join(" ")), "`--` only ends the options");
        add(format!("{} {} -- {operands}", flags.head, long.join(" ")), "`--` only ends the options");
    }
    if let Some(first) = short.first().filter(|_| !used.iter().any(|option| option.row.value)) {
        let repeated: Vec<String> = std::iter::once(first.clone()).chain(short.iter().cloned()).collect();
        add(flags.command(&repeated), "a repeated option changes nothing");
    }
    if let Some((number, letter)) = used.iter().enumerate().find_map(|(number, option)| {
        let now = option.letter()?;
        Some((number, option.row.short.chars().find(|letter| *letter != now)?))
    }) {
        let mut letters = short.clone();
        if let Some(option) = letters.get_mut(number) {
            *option = format!("-{letter}");
        }
        add(flags.command(&letters), "the letters mean the same option");
        let joined: String = letters.iter().map(|option| option.trim_start_matches('-')).collect();
        if table.joins && letters.iter().all(|option| option.len() == 2) {
            add(flags.command(&[format!("-{joined}")]), "the letters mean the same option");
            let reversed: String = joined.chars().rev().collect();
            add(flags.command(&[format!("-{reversed}")]), "the letters mean the same option");
        }
    }
    if table.abbreviates {
        let cut: Vec<String> = used.iter().map(|option| abbreviated(option, table)).collect();
        if cut != long {
            add(flags.command(&cut), "long options may be shortened while they are unambiguous");
        }
    }
    let chatty = table.options.iter().find(|row| row.long == "verbose");
    if let Some(row) = chatty.filter(|_| !flags.has("verbose")) {
        let mut more = short.clone();
        more.push(format!("-{}", row.short));
        add(flags.command(&more), "the additional option only prints more");
        let letters: String = short.iter().map(|option| option.trim_start_matches('-')).collect();
        if table.joins && short.iter().all(|option| option.len() == 2 && option.starts_with('-')) {
            add(flags.command(&[format!("-{}{letters}", row.short)]), "the additional option only prints more");
        }
    }
}

/// Adds forms with several letters in one word, and with values attached to their letters.
fn add_joined(flags: &ParsedFlags, add: &mut impl FnMut(String, &str)) {
    let (mut letters, mut rest, mut separate) = (String::new(), Vec::new(), Vec::new());
    for option in &flags.used {
        match (option.letter(), &option.value) {
            (Some(letter), None) => letters.push(letter),
            (Some(letter), Some(value)) => {
                rest.push(format!("-{letter}{value}"));
                separate.push(format!("-{letter} {value}"));
            }
            (None, _) => {
                rest.push(option.long());
                separate.push(option.long());
            }
        }
    }
    let with = |letters: &str, rest: &[String]| {
        let joined = (!letters.is_empty()).then(|| format!("-{letters}"));
        joined.into_iter().chain(rest.iter().cloned()).collect::<Vec<_>>()
    };
    if letters.len() > 1 {
        let reversed: String = letters.chars().rev().collect();
        add(flags.command(&with(&letters, &separate)), "letters may be joined");
        add(flags.command(&with(&reversed, &separate)), "the order of joined letters is free");
    }
    if rest != separate {
        add(flags.command(&with(&letters, &rest)), "the value may be attached to its option");
        if let [only] = separate.as_slice()
            && let Some(valued) = only.strip_prefix('-').filter(|valued| !valued.starts_with('-'))
            && !letters.is_empty()
        {
            add(flags.command(&[format!("-{letters}{valued}")]), "the last of the joined letters takes the value");
        }
    }
}

/// The shortest form of a long option that no other option has.
fn abbreviated(option: &UsedOption, table: &OptionTable) -> String {
    let long = option.row.long;
    let unique = |length: usize| {
        long.get(..length).filter(|start| table.options.iter().filter(|row| row.long.starts_with(start)).count() == 1)
    };
    let start = (4..long.len()).find_map(unique);
    match (start, &option.value) {
        (Some(start), None) => format!("--{start}"),
        (Some(start), Some(value)) => format!("--{start}={value}"),
        (None, _) => option.long(),
    }
}
