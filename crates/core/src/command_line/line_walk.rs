//! Follows the commands of a line like a shell: `&&` and `||`, conditions, groups, subshells. The exit status is
//! known for builtins and for missing files; if it is unknown, both branches are followed.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{ProgramSearch, ResolveContext, ResolvedCommand, ResolvedState, ResolvedWord, StartTarget};
use crate::script_keys::ScriptSource;
use crate::text::shell::{self, CommandJoin, Quote, ReservedWord, Shell, SimpleCommand};

/// The maximum nesting of texts (`sh -c "sh -c …"`, `${A:-${B:-…}}`) that is followed.
pub(super) const DEEPEST: usize = 8;

/// Whether a command is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reachability {
    Never,
    Maybe,
    Sure,
}

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandStatus {
    Is(i32),
    /// Any status except 0.
    Fails,
    Unknown,
}

impl CommandStatus {
    fn succeeds(self) -> Option<bool> {
        match self {
            CommandStatus::Is(0) => Some(true),
            CommandStatus::Is(_) | CommandStatus::Fails => Some(false),
            CommandStatus::Unknown => None,
        }
    }

    pub fn of(success: bool) -> CommandStatus {
        CommandStatus::Is(i32::from(!success))
    }
}

/// The result of one command.
pub(super) struct CommandResult {
    pub status: CommandStatus,
    /// The output, or `None` if it is unknown.
    pub output: Option<String>,
    /// Whether it ends the enclosing list.
    pub exits: bool,
}

impl CommandResult {
    pub fn silent(status: CommandStatus) -> CommandResult {
        CommandResult { status, output: Some(String::new()), exits: false }
    }

    pub fn unknown() -> CommandResult {
        CommandResult { status: CommandStatus::Unknown, output: None, exits: false }
    }
}

/// A command that starts a file.
struct StartCandidate {
    resolved: ResolvedCommand,
    /// Whether it is named by its path, or is a script for an interpreter.
    own: bool,
    /// Whether another program runs if this one fails.
    replaced: bool,
    /// Whether the shell itself reads it: `. FILE`.
    sourced: bool,
}

/// A compound command that is currently open.
struct CompoundFrame {
    lead: ReservedWord,
    /// Whether the compound command as a whole is reached.
    outer: Reachability,
    now: Reachability,
    /// Whether the branch is reached for which no condition so far was true.
    rest: Reachability,
    cwd: Option<String>,
}

/// A walk through the commands of a line.
pub struct LineWalk<'a> {
    pub(super) context: ResolveContext<'a>,
    /// `None` if no program is known.
    pub(super) programs: Option<&'a dyn ProgramSearch>,
    /// `None` if only the shell knows it.
    pub(super) cwd: Option<String>,
    /// Variables that the text sets; `None` if only the shell knows the value.
    pub vars: BTreeMap<String, Option<String>>,
    /// `$0` and the positional parameters.
    pub arguments: Vec<String>,
    candidates: Vec<StartCandidate>,
    /// The reason why the result is unknown.
    unknown: Option<String>,
    /// The reason why later commands do not run or have wrong names.
    pub(super) obstacle: Option<String>,
    /// Unset variables in the words of the current command.
    pub(super) unset: Vec<String>,
    /// A missing file that the command tests for.
    pub(super) missing_file: Option<String>,
    /// The first builtin command.
    builtin: Option<String>,
    status: CommandStatus,
    /// Whether the current command is certainly reached.
    sure: bool,
    /// The exit status of the last substitution.
    substituted: CommandStatus,
    /// The number of enclosing substitutions.
    pub(super) substitution_depth: usize,
    pub(super) text_depth: usize,
}

impl<'a> LineWalk<'a> {
    pub fn new(context: ResolveContext<'a>, programs: Option<&'a dyn ProgramSearch>) -> LineWalk<'a> {
        LineWalk {
            context,
            programs,
            cwd: Some(context.cwd.to_owned()),
            vars: BTreeMap::new(),
            arguments: Vec::new(),
            candidates: Vec::new(),
            unknown: None,
            obstacle: None,
            unset: Vec::new(),
            missing_file: None,
            builtin: None,
            status: CommandStatus::Unknown,
            sure: true,
            substituted: CommandStatus::Is(0),
            substitution_depth: 0,
            text_depth: 0,
        }
    }

    /// Makes the assignments of a script, whatever is around them. The first one to a variable counts.
    pub fn assign(&mut self, parsed: &Shell) {
        for set in parsed.commands.iter().flat_map(|simple| &simple.assignments) {
            if !self.vars.contains_key(&set.name) {
                let value = self.expand(parsed, &set.value);
                self.vars.insert(set.name.clone(), Some(value.text).filter(|_| value.exact));
            }
        }
    }

    /// Finds out what a line starts.
    pub fn resolve_line(mut self, line: &str) -> ResolvedCommand {
        self.text(line, self.context.shell, &[]);
        self.resolved()
    }

    /// Finds out what a shell starts that gets the line as an argument.
    pub fn resolve_shell(mut self, words: &[ResolvedWord]) -> ResolvedCommand {
        self.shell_with_text(words);
        self.resolved()
    }

    /// Follows a text that is read by the shell with this name.
    fn text(&mut self, text: &str, name: &str, arguments: &[ResolvedWord]) -> CommandResult {
        let parsed = Shell::parse(text);
        if let Some(trouble) = &parsed.syntax_error {
            self.give_up(match trouble.message.as_str() {
                says if says.ends_with("is not closed") && says.contains(['"', '\'']) => {
                    "a quote in the command is not closed".to_owned()
                }
                says => format!("the shell cannot parse the command: {says}"),
            });
            return CommandResult::unknown();
        }
        if !parsed.functions.is_empty() {
            self.give_up("the command defines functions".to_owned());
            return CommandResult::unknown();
        }
        if self.text_depth >= DEEPEST {
            return CommandResult::unknown();
        }
        self.text_depth += 1;
        let given: Vec<String> = arguments.iter().map(|word| word.text.clone()).collect();
        let given = if given.is_empty() { vec![name.to_owned()] } else { given };
        let outer = std::mem::replace(&mut self.arguments, given);
        let end = self.commands(&parsed, 0..parsed.commands.len());
        self.arguments = outer;
        self.text_depth -= 1;
        self.status = end.status;
        end
    }

    /// Follows `sh -c TEXT NAME ARGUMENTS`.
    pub(super) fn shell_with_text(&mut self, words: &[ResolvedWord]) -> CommandResult {
        let ScriptSource::Text(at) = ScriptSource::of(words) else { return CommandResult::unknown() };
        let Some((text, arguments)) = words.get(at..).and_then(<[_]>::split_first) else {
            return CommandResult::unknown();
        };
        if !text.exact {
            self.give_up("the text for the shell is only known at run time".to_owned());
            return CommandResult::unknown();
        }
        let name = words.first().map_or("sh", |word| word.text.as_str());
        let (cwd, vars) = (self.cwd.clone(), self.vars.clone());
        let end = self.text(&text.text, name, arguments);
        (self.cwd, self.vars) = (cwd, vars);
        CommandResult { exits: false, ..end }
    }

    /// Follows commands in a subshell, such as `$(…)`, and returns their output.
    pub(super) fn substitution(&mut self, parsed: &Shell, range: Range<usize>) -> Option<String> {
        let (cwd, vars, because) = (self.cwd.clone(), self.vars.clone(), self.obstacle.take());
        self.substitution_depth += 1;
        let end = self.commands(parsed, range);
        self.substitution_depth -= 1;
        (self.cwd, self.vars) = (cwd, vars);
        if end.status.succeeds() == Some(true) || self.obstacle.is_none() {
            self.obstacle = because;
        }
        self.substituted = end.status;
        end.output.map(|out| out.trim_end_matches('\n').to_owned())
    }

    fn give_up(&mut self, why: String) {
        self.unknown.get_or_insert(why);
    }

    /// Follows a range of the commands of a text. Commands nested in others are left out.
    fn commands(&mut self, parsed: &Shell, range: Range<usize>) -> CommandResult {
        let all: Vec<(usize, &SimpleCommand)> = range.filter_map(|i| Some((i, parsed.commands.get(i)?))).collect();
        let within =
            |a: &SimpleCommand, b: &SimpleCommand| a.at.start >= b.at.start && a.at.end <= b.at.end && a.at != b.at;
        let body = |a: &SimpleCommand, b: &SimpleCommand| {
            b.redirections
                .iter()
                .filter_map(|r| r.body.as_ref())
                .any(|body| a.at.start >= body.at.start && a.at.end <= body.at.end)
        };
        let inner = |(i, a): &(usize, &SimpleCommand)| {
            all.iter().any(|(j, b)| i != j && (within(a, b) || body(a, b) || i < j && a.at == b.at))
        };
        let top: Vec<(usize, &SimpleCommand)> = all.iter().filter(|one| !inner(one)).copied().collect();
        let mut frames: Vec<CompoundFrame> = Vec::new();
        let mut base = Reachability::Sure;
        let (mut status, mut printed, mut before) = (CommandStatus::Is(0), Some(String::new()), Reachability::Sure);
        let mut ended: Option<CommandStatus> = None;
        for (n, (index, simple)) in top.iter().enumerate() {
            let mut joined = false;
            let mut not = false;
            let mut here = frames.last().map_or(base, |frame| frame.now);
            let join = |here: Reachability, status: CommandStatus| match (simple.join, status.succeeds()) {
                (CommandJoin::Next, _) | (CommandJoin::And, Some(true)) | (CommandJoin::Or, Some(false)) => here,
                (CommandJoin::And, Some(false)) | (CommandJoin::Or, Some(true)) => Reachability::Never,
                _ => here.min(Reachability::Maybe),
            };
            for lead in &simple.reserved_words {
                match lead {
                    ReservedWord::Then | ReservedWord::Do | ReservedWord::Elif | ReservedWord::Else => {
                        let Some(frame) = frames.last_mut() else { continue };
                        match lead {
                            ReservedWord::Then => {
                                let holds = status.succeeds();
                                let by = |wanted: bool| match holds {
                                    Some(holds) if holds == wanted => frame.now,
                                    Some(_) => Reachability::Never,
                                    None => frame.now.min(Reachability::Maybe),
                                };
                                (frame.now, frame.rest) = (by(true), by(false));
                                status = if holds.is_some() { CommandStatus::Is(0) } else { CommandStatus::Unknown };
                            }
                            ReservedWord::Do => frame.now = frame.now.min(Reachability::Maybe),
                            _ => frame.now = frame.rest,
                        }
                        here = frame.now;
                    }
                    ReservedWord::Close => {
                        let Some(frame) = frames.pop() else { continue };
                        if frame.lead == ReservedWord::Subshell {
                            self.cwd = frame.cwd;
                        } else if matches!(frame.lead, ReservedWord::Loop | ReservedWord::Case)
                            && frame.outer > Reachability::Never
                        {
                            status = CommandStatus::Unknown;
                        }
                        before = frame.outer;
                        here = frames.last().map_or(base, |frame| frame.now);
                    }
                    ReservedWord::Not => not = true,
                    ReservedWord::If
                    | ReservedWord::Loop
                    | ReservedWord::Case
                    | ReservedWord::Brace
                    | ReservedWord::Subshell => {
                        if !joined {
                            here = join(here, status);
                            joined = true;
                        }
                        let now = if *lead == ReservedWord::Case { here.min(Reachability::Maybe) } else { here };
                        let cwd = self.cwd.clone();
                        frames.push(CompoundFrame { lead: *lead, outer: here, now, rest: now, cwd });
                        here = now;
                    }
                }
            }
            if simple.piped_from.is_some() {
                here = before;
            } else if !joined {
                here = join(here, status);
            }
            before = here;
            if here == Reachability::Never {
                continue;
            }
            let instead = simple.join == CommandJoin::Or && status.succeeds() == Some(false);
            let count = self.candidates.len();
            self.sure = here == Reachability::Sure;
            let end = self.simple(parsed, simple);
            if instead && self.candidates.len() > count {
                for candidate in self.candidates.iter_mut().take(count) {
                    candidate.replaced |= candidate.resolved.state == ResolvedState::No;
                }
            }
            let piped = top.get(n + 1).is_some_and(|(_, next)| next.piped_from == Some(*index));
            if !piped && !redirected(simple) {
                let more = end.output.filter(|_| here == Reachability::Sure && ended.is_none());
                printed = printed.zip(more).map(|(a, b)| a + &b);
            }
            status = match (here, end.status.succeeds()) {
                (Reachability::Sure, Some(success)) if not => CommandStatus::of(!success),
                (Reachability::Sure, _) if !not => end.status,
                _ => CommandStatus::Unknown,
            };
            if end.exits {
                let sub = frames.iter_mut().rev().find(|frame| frame.lead == ReservedWord::Subshell);
                let cut = if here == Reachability::Sure { Reachability::Never } else { Reachability::Maybe };
                match sub {
                    Some(frame) => frame.now = frame.now.min(cut),
                    None => {
                        base = base.min(cut);
                        for frame in &mut frames {
                            (frame.now, frame.rest) = (frame.now.min(cut), frame.rest.min(cut));
                        }
                        ended = Some(if here == Reachability::Sure { end.status } else { CommandStatus::Unknown });
                    }
                }
                if base == Reachability::Never {
                    break;
                }
            }
        }
        let open = frames.iter().any(|frame| matches!(frame.lead, ReservedWord::Loop | ReservedWord::Case));
        let status = match ended {
            Some(end) if base == Reachability::Never => end,
            Some(_) => CommandStatus::Unknown,
            None if open => CommandStatus::Unknown,
            None => status,
        };
        CommandResult { status, output: printed, exits: base == Reachability::Never }
    }

    fn simple(&mut self, parsed: &Shell, simple: &SimpleCommand) -> CommandResult {
        let real = simple.unwrapped_words();
        if real.is_empty() {
            self.substituted = CommandStatus::Is(0);
            for set in &simple.assignments {
                let value = self.expand(parsed, &set.value);
                let unsure = simple.depth > 0 || !value.exact;
                self.vars.insert(set.name.clone(), Some(value.text).filter(|_| !unsure));
            }
            return CommandResult::silent(self.substituted);
        }
        let first = simple.words.first().and_then(shell::Word::constant);
        self.unset.clear();
        let words: Vec<ResolvedWord> = real.iter().map(|word| self.expand(parsed, word)).collect();
        // An unquoted word that expands to nothing is dropped.
        let gone = real.iter().zip(&words).take_while(|(written, word)| {
            word.exact && word.text.is_empty() && written.parts.iter().all(|p| p.quote == Quote::None)
        });
        let words = words.get(gone.count()..).unwrap_or_default().to_vec();
        let exec = first.as_deref() == Some("exec") && real.len() < simple.words.len();
        if let Some(end) = self.builtin(parsed, simple, &words) {
            if let Some(word) = words.first().filter(|_| self.substitution_depth == 0) {
                self.builtin.get_or_insert_with(|| word.text.clone());
            }
            return CommandResult { exits: end.exits || exec, ..end };
        }
        let started = self.programs.map(|programs| programs.start(&words, self.cwd.as_deref()));
        let status = match started {
            None => CommandStatus::Unknown,
            Some(StartTarget::Unknown(why)) => {
                if self.substitution_depth == 0 {
                    self.give_up(why);
                }
                CommandStatus::Unknown
            }
            Some(StartTarget::File(resolved)) => {
                let by_path = words.first().is_some_and(|word| word.text.contains('/'));
                let own = resolved.script.is_some() && (by_path || resolved.program != resolved.script);
                let status = match (resolved.state, resolved.status) {
                    (ResolvedState::No, Some(status)) => CommandStatus::Is(status),
                    (ResolvedState::No, None) => CommandStatus::Fails,
                    _ => CommandStatus::Unknown,
                };
                // A program whose output is substituted is not the one that the line is about.
                let told = self.sure || resolved.state == ResolvedState::Ok;
                if own || self.substitution_depth == 0 && told {
                    let mut resolved = ResolvedCommand { words, ..resolved };
                    // A program without a path is not found for another reason.
                    let depends = resolved.script.is_some() || by_path;
                    if resolved.state == ResolvedState::No
                        && depends
                        && let Some(name) = self.unset.first()
                    {
                        resolved.message = format!("${name} is not set, so {}", resolved.message);
                    }
                    self.candidates.push(StartCandidate { resolved, own, replaced: false, sourced: false });
                }
                status
            }
        };
        CommandResult { status, output: None, exits: exec }
    }

    /// Follows a file that the shell reads itself.
    pub(super) fn source(&mut self, path: String, words: &[ResolvedWord]) -> CommandResult {
        let there = self.context.files.exists(&path);
        let name = self.context.display_path(&path);
        let resolved = if there {
            ResolvedCommand::new(ResolvedState::Ok, format!("the shell runs {name}"))
        } else {
            ResolvedCommand::new(ResolvedState::No, format!("{name} does not exist"))
        };
        let program = there.then(|| self.context.shell.to_owned());
        let resolved = ResolvedCommand { program, script: Some(path), words: words.to_vec(), ..resolved };
        self.candidates.push(StartCandidate { resolved, own: true, replaced: false, sourced: true });
        CommandResult {
            status: if there { CommandStatus::Unknown } else { CommandStatus::Fails },
            output: None,
            exits: false,
        }
    }

    /// The result of the whole line.
    fn resolved(mut self) -> ResolvedCommand {
        let exit = match self.status {
            CommandStatus::Is(status) => Some(status),
            _ => None,
        };
        let pick = |wanted: &dyn Fn(&StartCandidate) -> bool, all: &[StartCandidate]| all.iter().position(wanted);
        let all = &self.candidates;
        let chosen = pick(&|c| c.own && !c.replaced && !c.sourced, all)
            .or_else(|| pick(&|c| !c.replaced && !c.sourced && c.resolved.state == ResolvedState::No, all))
            .or_else(|| pick(&|c| !c.replaced && !c.sourced, all))
            .or_else(|| pick(&|c| !c.replaced, all));
        if let Some(index) = chosen
            && (self.unknown.is_none() || self.candidates.get(index).is_some_and(|c| c.own))
        {
            let mut resolved = self.candidates.swap_remove(index).resolved;
            if resolved.state == ResolvedState::No {
                resolved.status = exit;
                if let Some(why) = &self.obstacle {
                    resolved.message = format!("{why}, so {}", resolved.message);
                }
            }
            return resolved;
        }
        if let Some(why) = self.unknown {
            return ResolvedCommand::new(ResolvedState::Unknown, why);
        }
        if let Some(why) = self.obstacle.filter(|_| exit != Some(0)) {
            return ResolvedCommand { status: exit, ..ResolvedCommand::new(ResolvedState::No, why) };
        }
        if let Some(path) = self.missing_file {
            let name = self.context.display_path(&path);
            return ResolvedCommand::new(
                ResolvedState::Ok,
                format!("{name} does not exist, but the command tests for it"),
            );
        }
        match self.builtin {
            Some(name) => ResolvedCommand::new(ResolvedState::Ok, format!("{name} is built into the shell")),
            None => ResolvedCommand::new(ResolvedState::Unknown, "the command is empty"),
        }
    }
}

/// Returns whether standard output is redirected.
fn redirected(simple: &SimpleCommand) -> bool {
    simple.redirections.iter().any(|r| match r.operator.as_str() {
        ">" | ">>" | ">|" | ">&" => r.fd.is_none_or(|fd| fd == 1),
        "&>" | "&>>" => true,
        _ => false,
    })
}
