//! Patterns that can take longer than anybody waits.

/// Whether a pattern has unbounded repetitions nested in one another, or next to one another, or over alternatives: the
/// shapes that make a backtracking engine explode. Errs on the side of yes.
pub fn explodes(pattern: &str) -> bool {
    let chars: Vec<char> = pattern.chars().collect();
    let mut groups: Vec<Group> = vec![Group::default()];
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        // What one atom contains: an unbounded repetition, an alternation.
        let inner = match c {
            '\\' => {
                at += 1;
                Inner::default()
            }
            '[' => {
                at = class_end(&chars, at);
                Inner::default()
            }
            '(' => {
                groups.push(Group::default());
                continue;
            }
            ')' => {
                let Some(group) = groups.pop().filter(|_| !groups.is_empty()) else { return true };
                Inner { repeats: group.repeats, alternates: group.alternates }
            }
            '|' => {
                if let Some(group) = groups.last_mut() {
                    group.alternates = true;
                    group.loose = false;
                }
                continue;
            }
            '^' | '$' => continue,
            _ => Inner::default(),
        };
        let (unbounded, next) = repetition(&chars, at);
        at = next;
        let Some(group) = groups.last_mut() else { return true };
        if unbounded && (inner.repeats || inner.alternates || group.loose) {
            return true;
        }
        group.repeats |= unbounded || inner.repeats;
        // Two repetitions without anything fixed between them compete for the same characters.
        group.loose = unbounded || (group.loose && inner.repeats);
    }
    false
}

#[derive(Default)]
struct Group {
    repeats: bool,
    alternates: bool,
    loose: bool,
}

#[derive(Default)]
struct Inner {
    repeats: bool,
    alternates: bool,
}

fn class_end(chars: &[char], mut at: usize) -> usize {
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '\\' => at += 1,
            ']' => break,
            _ => {}
        }
    }
    at
}

/// Whether an unbounded (or very large) repetition stands here, and where it ends.
fn repetition(chars: &[char], at: usize) -> (bool, usize) {
    let lazy = |next: usize| if chars.get(next) == Some(&'?') { next + 1 } else { next };
    match chars.get(at) {
        Some('*' | '+') => (true, lazy(at + 1)),
        Some('?') => (false, lazy(at + 1)),
        Some('{') => {
            let rest = chars.get(at + 1..).unwrap_or(&[]);
            let Some(close) = rest.iter().position(|c| *c == '}') else { return (false, at) };
            let inner: String = rest.get(..close).unwrap_or(&[]).iter().collect();
            let high = inner.rsplit(',').next().unwrap_or("");
            let large = high.is_empty() || high.parse::<u32>().map_or(true, |n| n > 16);
            (large, lazy(at + 2 + close))
        }
        _ => (false, at),
    }
}

#[cfg(test)]
mod tests {
    use super::explodes;

    #[test]
    fn shapes() {
        for pattern in ["(a+)+$", "(a|a)*$", "a*a*$", "(.*)*", "(a{1,})*", ".*.*=", "(x+x+)+y", "([a-z]+)*"] {
            assert!(explodes(pattern), "{pattern}");
        }
        for pattern in ["Edit.*", "mcp__.*__get", "^(Edit|Write)$", "(?!Bash)x+", "a+b+", "[a*]+", r"\w+_\w+"] {
            assert_eq!(explodes(pattern), pattern == "a+b+", "{pattern}");
        }
    }
}
