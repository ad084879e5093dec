//! Follows the commands of a line like a shell: `&&` and `||`, conditions, groups, subshells. The exit status is
//! known for builtins and for missing files; if it is unknown, both branches are followed.

use std::collections::BTreeMap;
use std::ops::Range;

use super::program::{Started, start};
use super::{Look, Resolved, ResolvedState, Word};
use hookbench_core::text::shell::{self, Joint, Lead, Quote, Shell, Simple};

/// The maximum nesting of texts (`sh -c "sh -c …"`) that is followed.
const DEEPEST: usize = 8;

/// Whether a command is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Never,
    Maybe,
    Sure,
}

/// The exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Is(i32),
    /// Any status except 0.
    Fails,
    Unknown,
}

impl Status {
    fn succeeds(self) -> Option<bool> {
        match self {
            Status::Is(0) => Some(true),
            Status::Is(_) | Status::Fails => Some(false),
            Status::Unknown => None,
        }
    }

    pub fn of(success: bool) -> Status {
        Status::Is(i32::from(!success))
    }
}

/// The result of one command.
pub(super) struct End {
    pub status: Status,
    /// The output, or `None` if it is unknown.
    pub out: Option<String>,
    /// Whether it ends the enclosing list.
    pub exits: bool,
}

impl End {
    pub fn silent(status: Status) -> End {
        End { status, out: Some(String::new()), exits: false }
    }

    pub fn unknown() -> End {
        End { status: Status::Unknown, out: None, exits: false }
    }
}

/// A command that starts a file.
struct Candidate {
    resolved: Resolved,
    /// Whether it is named by its path, or is a script for an interpreter.
    own: bool,
    /// Whether another program runs if this one fails.
    replaced: bool,
    /// Whether the shell itself reads it: `. FILE`.
    sourced: bool,
}

/// A compound command that is currently open.
struct Frame {
    lead: Lead,
    /// Whether the compound command as a whole is reached.
    outer: Reach,
    now: Reach,
    /// Whether the branch is reached for which no condition so far was true.
    rest: Reach,
    cwd: Option<String>,
}

pub(super) struct Walk<'a> {
    pub look: Look<'a>,
    /// `None` if only the shell knows it.
    pub cwd: Option<String>,
    /// Variables that the text sets; `None` if only the shell knows the value.
    pub vars: BTreeMap<String, Option<String>>,
    /// `$0` and the positional parameters.
    pub arguments: Vec<String>,
    candidates: Vec<Candidate>,
    /// The reason why the result is unknown.
    unknown: Option<String>,
    /// The reason why later commands do not run or have wrong names.
    pub because: Option<String>,
    /// Unset variables in the words of the current command.
    pub unset: Vec<String>,
    /// A missing file that the command tests for.
    pub absent: Option<String>,
    /// The first builtin command.
    builtin: Option<String>,
    status: Status,
    /// Whether the current command is certainly reached.
    sure: bool,
    /// The exit status of the last substitution.
    substituted: Status,
    /// The number of enclosing substitutions.
    pub inside: usize,
    deep: usize,
}

impl<'a> Walk<'a> {
    pub fn new(look: Look<'a>) -> Walk<'a> {
        Walk {
            look,
            cwd: Some(look.spec.cwd.clone()),
            vars: BTreeMap::new(),
            arguments: Vec::new(),
            candidates: Vec::new(),
            unknown: None,
            because: None,
            unset: Vec::new(),
            absent: None,
            builtin: None,
            status: Status::Unknown,
            sure: true,
            substituted: Status::Is(0),
            inside: 0,
            deep: 0,
        }
    }

    /// Follows a text that is read by the shell with this name.
    pub fn text(&mut self, text: &str, name: &str, arguments: &[Word]) -> End {
        let parsed = Shell::parse(text);
        if let Some(trouble) = &parsed.trouble {
            self.give_up(match trouble.says.as_str() {
                says if says.ends_with("is never closed") && says.contains(['"', '\'']) => {
                    "a quote in the command is never closed".to_owned()
                }
                says => format!("the shell cannot read the command: {says}"),
            });
            return End::unknown();
        }
        if !parsed.functions.is_empty() {
            self.give_up("the command defines functions".to_owned());
            return End::unknown();
        }
        if self.deep >= DEEPEST {
            return End::unknown();
        }
        self.deep += 1;
        let given: Vec<String> = arguments.iter().map(|word| word.text.clone()).collect();
        let given = if given.is_empty() { vec![name.to_owned()] } else { given };
        let outer = std::mem::replace(&mut self.arguments, given);
        let end = self.commands(&parsed, 0..parsed.commands.len());
        self.arguments = outer;
        self.deep -= 1;
        self.status = end.status;
        end
    }

    /// Follows `sh -c TEXT NAME ARGUMENTS`.
    pub fn shell_with_text(&mut self, words: &[Word]) -> End {
        let Some((text, arguments)) = super::program::shell_text(words) else { return End::unknown() };
        if !text.exact {
            self.give_up("the text for the shell is made at run time".to_owned());
            return End::unknown();
        }
        let name = words.first().map_or("sh", |word| word.text.as_str());
        let (cwd, vars) = (self.cwd.clone(), self.vars.clone());
        let end = self.text(&text.text, name, arguments);
        (self.cwd, self.vars) = (cwd, vars);
        End { exits: false, ..end }
    }

    /// Follows commands in a subshell, such as `$(…)`, and returns their output.
    pub fn substitution(&mut self, parsed: &Shell, range: Range<usize>) -> Option<String> {
        let (cwd, vars, because) = (self.cwd.clone(), self.vars.clone(), self.because.take());
        self.inside += 1;
        let end = self.commands(parsed, range);
        self.inside -= 1;
        (self.cwd, self.vars) = (cwd, vars);
        if end.status.succeeds() == Some(true) || self.because.is_none() {
            self.because = because;
        }
        self.substituted = end.status;
        end.out.map(|out| out.trim_end_matches('\n').to_owned())
    }

    fn give_up(&mut self, why: String) {
        self.unknown.get_or_insert(why);
    }

    /// Follows a range of the commands of a text. Commands nested in others are left out.
    fn commands(&mut self, parsed: &Shell, range: Range<usize>) -> End {
        let all: Vec<(usize, &Simple)> = range.filter_map(|i| Some((i, parsed.commands.get(i)?))).collect();
        let within = |a: &Simple, b: &Simple| a.at.start >= b.at.start && a.at.end <= b.at.end && a.at != b.at;
        let body = |a: &Simple, b: &Simple| {
            b.redirections
                .iter()
                .filter_map(|r| r.body.as_ref())
                .any(|body| a.at.start >= body.at.start && a.at.end <= body.at.end)
        };
        let inner = |(i, a): &(usize, &Simple)| {
            all.iter().any(|(j, b)| i != j && (within(a, b) || body(a, b) || i < j && a.at == b.at))
        };
        let top: Vec<(usize, &Simple)> = all.iter().filter(|one| !inner(one)).copied().collect();
        let mut frames: Vec<Frame> = Vec::new();
        let mut base = Reach::Sure;
        let (mut status, mut printed, mut before) = (Status::Is(0), Some(String::new()), Reach::Sure);
        let mut ended: Option<Status> = None;
        for (n, (index, simple)) in top.iter().enumerate() {
            let mut joined = false;
            let mut not = false;
            let mut here = frames.last().map_or(base, |frame| frame.now);
            let join = |here: Reach, status: Status| match (simple.joint, status.succeeds()) {
                (Joint::Next, _) | (Joint::And, Some(true)) | (Joint::Or, Some(false)) => here,
                (Joint::And, Some(false)) | (Joint::Or, Some(true)) => Reach::Never,
                _ => here.min(Reach::Maybe),
            };
            for lead in &simple.lead {
                match lead {
                    Lead::Then | Lead::Do | Lead::Elif | Lead::Else => {
                        let Some(frame) = frames.last_mut() else { continue };
                        match lead {
                            Lead::Then => {
                                let holds = status.succeeds();
                                let by = |wanted: bool| match holds {
                                    Some(holds) if holds == wanted => frame.now,
                                    Some(_) => Reach::Never,
                                    None => frame.now.min(Reach::Maybe),
                                };
                                (frame.now, frame.rest) = (by(true), by(false));
                                status = if holds.is_some() { Status::Is(0) } else { Status::Unknown };
                            }
                            Lead::Do => frame.now = frame.now.min(Reach::Maybe),
                            _ => frame.now = frame.rest,
                        }
                        here = frame.now;
                    }
                    Lead::Close => {
                        let Some(frame) = frames.pop() else { continue };
                        if frame.lead == Lead::Subshell {
                            self.cwd = frame.cwd;
                        } else if matches!(frame.lead, Lead::Loop | Lead::Case) && frame.outer > Reach::Never {
                            status = Status::Unknown;
                        }
                        before = frame.outer;
                        here = frames.last().map_or(base, |frame| frame.now);
                    }
                    Lead::Not => not = true,
                    Lead::If | Lead::Loop | Lead::Case | Lead::Brace | Lead::Subshell => {
                        if !joined {
                            here = join(here, status);
                            joined = true;
                        }
                        let now = if *lead == Lead::Case { here.min(Reach::Maybe) } else { here };
                        let cwd = self.cwd.clone();
                        frames.push(Frame { lead: *lead, outer: here, now, rest: now, cwd });
                        here = now;
                    }
                }
            }
            if simple.reads.is_some() {
                here = before;
            } else if !joined {
                here = join(here, status);
            }
            before = here;
            if here == Reach::Never {
                continue;
            }
            let instead = simple.joint == Joint::Or && status.succeeds() == Some(false);
            let count = self.candidates.len();
            self.sure = here == Reach::Sure;
            let end = self.simple(parsed, simple);
            if instead && self.candidates.len() > count {
                for candidate in self.candidates.iter_mut().take(count) {
                    candidate.replaced |= candidate.resolved.state == ResolvedState::No;
                }
            }
            let piped = top.get(n + 1).is_some_and(|(_, next)| next.reads == Some(*index));
            if !piped && !redirected(simple) {
                let more = end.out.filter(|_| here == Reach::Sure && ended.is_none());
                printed = printed.zip(more).map(|(a, b)| a + &b);
            }
            status = match (here, end.status.succeeds()) {
                (Reach::Sure, Some(success)) if not => Status::of(!success),
                (Reach::Sure, _) if !not => end.status,
                _ => Status::Unknown,
            };
            if end.exits {
                let sub = frames.iter_mut().rev().find(|frame| frame.lead == Lead::Subshell);
                let cut = if here == Reach::Sure { Reach::Never } else { Reach::Maybe };
                match sub {
                    Some(frame) => frame.now = frame.now.min(cut),
                    None => {
                        base = base.min(cut);
                        for frame in &mut frames {
                            (frame.now, frame.rest) = (frame.now.min(cut), frame.rest.min(cut));
                        }
                        ended = Some(if here == Reach::Sure { end.status } else { Status::Unknown });
                    }
                }
                if base == Reach::Never {
                    break;
                }
            }
        }
        let open = frames.iter().any(|frame| matches!(frame.lead, Lead::Loop | Lead::Case));
        let status = match ended {
            Some(end) if base == Reach::Never => end,
            Some(_) => Status::Unknown,
            None if open => Status::Unknown,
            None => status,
        };
        End { status, out: printed, exits: base == Reach::Never }
    }

    fn simple(&mut self, parsed: &Shell, simple: &Simple) -> End {
        let real = simple.real();
        if real.is_empty() {
            self.substituted = Status::Is(0);
            for set in &simple.sets {
                let value = self.expand(parsed, &set.value);
                let unsure = simple.depth > 0 || !value.exact;
                self.vars.insert(set.name.clone(), Some(value.text).filter(|_| !unsure));
            }
            return End::silent(self.substituted);
        }
        let first = simple.words.first().and_then(shell::Word::constant);
        self.unset.clear();
        let words: Vec<Word> = real.iter().map(|word| self.expand(parsed, word)).collect();
        // An unquoted word that expands to nothing is dropped.
        let gone = real.iter().zip(&words).take_while(|(written, word)| {
            word.exact && word.text.is_empty() && written.parts.iter().all(|p| p.quote == Quote::None)
        });
        let words = words.get(gone.count()..).unwrap_or_default().to_vec();
        let exec = first.as_deref() == Some("exec") && real.len() < simple.words.len();
        if let Some(end) = self.builtin(parsed, simple, &words) {
            if let Some(word) = words.first().filter(|_| self.inside == 0) {
                self.builtin.get_or_insert_with(|| word.text.clone());
            }
            return End { exits: end.exits || exec, ..end };
        }
        let started = start(&words, self.look, self.cwd.as_deref());
        let status = match started {
            Started::Unknown(why) => {
                if self.inside == 0 {
                    self.give_up(why);
                }
                Status::Unknown
            }
            Started::File(resolved) => {
                let by_path = words.first().is_some_and(|word| word.text.contains('/'));
                let own = resolved.script.is_some() && (by_path || resolved.program != resolved.script);
                let status = match (resolved.state, resolved.status) {
                    (ResolvedState::No, Some(status)) => Status::Is(status),
                    (ResolvedState::No, None) => Status::Fails,
                    _ => Status::Unknown,
                };
                // A program whose output is substituted is not the one that the line is about.
                let told = self.sure || resolved.state == ResolvedState::Ok;
                if own || self.inside == 0 && told {
                    let mut resolved = Resolved { words, ..resolved };
                    if resolved.state == ResolvedState::No
                        && let Some(name) = self.unset.first()
                    {
                        resolved.says = format!("${name} is not set, so {}", resolved.says);
                    }
                    self.candidates.push(Candidate { resolved, own, replaced: false, sourced: false });
                }
                status
            }
        };
        End { status, out: None, exits: exec }
    }

    /// Follows a file that the shell reads itself.
    pub fn source(&mut self, path: String, words: &[Word]) -> End {
        let there = self.look.files.exists(&path);
        let name = super::program::shown(&path, self.look);
        let resolved = if there {
            Resolved::new(ResolvedState::Ok, format!("the shell reads {name}"))
        } else {
            Resolved::new(ResolvedState::No, format!("{name} does not exist"))
        };
        let program = Some(self.look.spec.program.clone()).filter(|_| there);
        let resolved = Resolved { program, script: Some(path), words: words.to_vec(), ..resolved };
        self.candidates.push(Candidate { resolved, own: true, replaced: false, sourced: true });
        End { status: if there { Status::Unknown } else { Status::Fails }, out: None, exits: false }
    }

    /// The result of the whole line.
    pub fn resolved(mut self) -> Resolved {
        let exit = match self.status {
            Status::Is(status) => Some(status),
            _ => None,
        };
        let pick = |wanted: &dyn Fn(&Candidate) -> bool, all: &[Candidate]| all.iter().position(wanted);
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
                if let Some(why) = &self.because {
                    resolved.says = format!("{why}, so {}", resolved.says);
                }
            }
            return resolved;
        }
        if let Some(why) = self.unknown {
            return Resolved::new(ResolvedState::Unknown, why);
        }
        if let Some(why) = self.because.filter(|_| exit != Some(0)) {
            return Resolved { status: exit, ..Resolved::new(ResolvedState::No, why) };
        }
        if let Some(path) = self.absent {
            let name = super::program::shown(&path, self.look);
            return Resolved::new(ResolvedState::Ok, format!("{name} does not exist, and the command tests for it"));
        }
        match self.builtin {
            Some(name) => Resolved::new(ResolvedState::Ok, format!("{name} is run by the shell itself")),
            None => Resolved::new(ResolvedState::Unknown, "the command is empty"),
        }
    }
}

/// Returns whether standard output is redirected.
fn redirected(simple: &Simple) -> bool {
    simple.redirections.iter().any(|r| match r.operator.as_str() {
        ">" | ">>" | ">|" | ">&" => r.fd.is_none_or(|fd| fd == 1),
        "&>" | "&>>" => true,
        _ => false,
    })
}
