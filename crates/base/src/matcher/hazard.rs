//! Patterns that can take longer than anybody waits.

use super::scan::{class_end, counted, opens_named};

/// What a backtracking engine may be in for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hazard {
    /// Unbounded repetitions nested in one another, or next to one another, or over alternatives: the shapes that make
    /// the engine explode. Errs on the side of yes.
    pub explodes: bool,
    /// Repetitions in repetitions of what may be nothing: ours never comes out of some of them.
    spins: bool,
    /// How many ways there are at most to go on at one character.
    ways: u32,
    /// How often something has to be repeated, at least, however short the subject is.
    rounds: u64,
}

impl Hazard {
    /// What a pattern has in it.
    pub fn of(pattern: &str) -> Hazard {
        let chars: Vec<char> = pattern.chars().collect();
        let mut hazard = Hazard { explodes: false, spins: false, ways: 1, rounds: 1 };
        let mut groups: Vec<Group> = vec![Group::default()];
        let mut at = 0;
        while at < chars.len() {
            let Some(inner) = atom(&chars, &mut at, &mut groups) else { continue };
            let repetition = repetition(&chars, at);
            let Some(group) = groups.last_mut() else { break };
            if let Some(repetition) = repetition {
                at = repetition.next;
                hazard.add(repetition, inner, group);
            }
            group.append(inner, repetition);
        }
        let bars = groups.first().map_or(0, |group| group.bars);
        Hazard { ways: hazard.ways.saturating_add(bars), ..hazard }
    }

    fn add(&mut self, repetition: Repetition, inner: Inner, group: &Group) {
        let unbounded = repetition.unbounded();
        self.explodes |= unbounded && (inner.repeats || inner.alternates || group.loose);
        self.spins |= inner.spins && repetition.high != Some(1);
        self.ways += u32::from(unbounded);
        self.rounds = self.rounds.saturating_mul(repetition.low.max(1));
    }

    /// Whether a backtracking engine is surely done soon with a subject of that many units.
    pub fn harmless(self, length: usize) -> bool {
        const ROUNDS: u64 = 100_000;
        const STEPS: u64 = 1 << 22;
        // A round that has to be gone through can go more than one way without passing a character.
        let forks = (length as u64).saturating_add(self.rounds - 1);
        let steps = u32::try_from(forks).ok().and_then(|forks| u64::from(self.ways).checked_pow(forks));
        !self.spins && self.rounds <= ROUNDS && (!self.explodes || steps.is_some_and(|steps| steps <= STEPS))
    }
}

/// A group that is being read.
#[derive(Default)]
struct Group {
    /// It looks around, and so passes nothing.
    looks: bool,
    repeats: bool,
    alternates: bool,
    spins: bool,
    /// What stands before ends in a repetition that competes with one that follows.
    loose: bool,
    /// The alternative that is being read cannot be nothing.
    solid: bool,
    /// An alternative before can be nothing.
    hollow: bool,
    bars: u32,
}

impl Group {
    fn append(&mut self, inner: Inner, repetition: Option<Repetition>) {
        let unbounded = repetition.is_some_and(Repetition::unbounded);
        self.repeats |= unbounded || inner.repeats;
        // Two repetitions without anything fixed between them compete for the same characters.
        self.loose = unbounded || (self.loose && (inner.repeats || inner.nothing));
        self.spins |= inner.spins || (repetition.is_some() && inner.nothing);
        self.solid |= !inner.nothing && repetition.is_none_or(|r| r.low > 0);
    }

    fn close(&self) -> Inner {
        Inner {
            repeats: self.repeats,
            alternates: self.alternates,
            spins: self.spins,
            nothing: self.looks || self.hollow || !self.solid,
        }
    }
}

/// What one atom contains.
#[derive(Debug, Clone, Copy, Default)]
struct Inner {
    repeats: bool,
    alternates: bool,
    spins: bool,
    /// It may match without passing a character.
    nothing: bool,
}

/// Reads one atom; none where none ends (a group opens, an alternative begins).
fn atom(chars: &[char], at: &mut usize, groups: &mut Vec<Group>) -> Option<Inner> {
    let nothing = Inner { nothing: true, ..Inner::default() };
    let c = *chars.get(*at)?;
    *at += 1;
    match c {
        '\\' => {
            *at += 1;
            // Word boundaries, and references to groups that may be empty.
            let empty = matches!(chars.get(*at - 1), Some('b' | 'B' | 'k' | '1'..='9'));
            Some(if empty { nothing } else { Inner::default() })
        }
        '[' => {
            *at = class_end(chars, *at);
            Some(Inner::default())
        }
        '^' | '$' => Some(nothing),
        '(' => {
            let looks = opening(chars, at);
            groups.push(Group { looks, ..Group::default() });
            None
        }
        ')' => {
            let group = groups.pop()?;
            match groups.last_mut() {
                Some(outer) => outer.bars += group.bars,
                None => groups.push(Group::default()),
            }
            Some(group.close())
        }
        '|' => {
            let group = groups.last_mut()?;
            group.bars += 1;
            group.alternates = true;
            group.loose = false;
            group.hollow |= !group.solid;
            group.solid = false;
            None
        }
        _ => Some(Inner::default()),
    }
}

/// Passes what stands behind an opening parenthesis, and says whether the group looks around.
fn opening(chars: &[char], at: &mut usize) -> bool {
    if opens_named(chars, *at - 1) {
        *at += chars.get(*at..).and_then(|rest| rest.iter().position(|c| *c == '>')).map_or(0, |close| close + 1);
        return false;
    }
    let (length, looks) = match chars.get(*at..).unwrap_or(&[]) {
        ['?', '=' | '!', ..] => (2, true),
        ['?', '<', '=' | '!', ..] => (3, true),
        ['?', rest @ ..] => (rest.iter().position(|c| *c == ':').map_or(0, |colon| colon + 2), false),
        _ => (0, false),
    };
    *at += length;
    looks
}

/// A repetition: how often, and where the text goes on.
#[derive(Debug, Clone, Copy)]
struct Repetition {
    low: u64,
    high: Option<u64>,
    next: usize,
}

impl Repetition {
    /// So many rounds are as bad as any number.
    fn unbounded(self) -> bool {
        self.high.is_none_or(|high| high > 16)
    }
}

fn repetition(chars: &[char], at: usize) -> Option<Repetition> {
    let (low, high, next) = match chars.get(at) {
        Some('*') => (0, None, at + 1),
        Some('+') => (1, None, at + 1),
        Some('?') => (0, Some(1), at + 1),
        _ => counted(chars, at).map(|count| (count.low, count.high, count.next))?,
    };
    let lazy = chars.get(next) == Some(&'?');
    Some(Repetition { low, high, next: next + usize::from(lazy) })
}

#[cfg(test)]
mod tests {
    use super::Hazard;

    #[test]
    fn shapes() {
        for pattern in ["(a+)+$", "(a|a)*$", "a*a*$", "(.*)*", "(a{1,})*", ".*.*=", "(x+x+)+y", "([a-z]+)*"] {
            assert!(Hazard::of(pattern).explodes, "{pattern}");
        }
        for pattern in
            ["Edit.*", "mcp__.*__get", "^(Edit|Write)$", "(?!Bash)x+", "a+b+", "[a*]+", r"\w+_\w+", "a+{b}", "a{x}+"]
        {
            assert_eq!(Hazard::of(pattern).explodes, pattern == "a+b+", "{pattern}");
        }
    }

    #[test]
    fn short_subjects_are_no_licence() {
        for (pattern, length, want) in [
            ("(?=a)(a+)+$", 12, true),
            ("(?=a)(a+)+$", 16, false),
            ("(?=a)(a|a|a|a|a)*b", 12, false),
            ("(?=a)x{2,5}", 1000, true),
            ("(.|){500}(?<!a)", 3, false),
            ("(?:(?:.|)?)*(?=b)", 1, false),
            ("(?:(?:x|.*)*)*(?=b)", 1, false),
            ("(?:(?:a|(?=c))?)+", 1, false),
            ("(?:(?:a|bc)?d)*(?=b)", 4, true),
            ("(?:(?<n>a|b)?)?(?=b)", 1000, true),
            ("(?=a){1000000000}", 0, false),
            ("(?:(?:(?=a){999}){999}){999}", 0, false),
        ] {
            assert_eq!(Hazard::of(pattern).harmless(length), want, "{pattern} {length}");
        }
    }
}
