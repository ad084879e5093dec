//! Unclosed brackets in Python scripts.

/// Returns the first error: start, end, message.
pub(super) fn find_bracket_error(text: &str) -> Option<(usize, usize, String)> {
    let bytes = text.as_bytes();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    while let Some(&c) = bytes.get(at) {
        match c {
            b'#' => at += text.get(at..)?.find('\n').unwrap_or(text.len() - at),
            b'"' | b'\'' => at = string(text, at)?,
            b'(' | b'[' | b'{' => {
                open.push((c, at));
                at += 1;
            }
            b')' | b']' | b'}' => {
                let wants = match c {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                match open.pop() {
                    Some((opened, _)) if opened == wants => {}
                    _ => return Some((at, at + 1, format!("a `{}` has no matching bracket", char::from(c)))),
                }
                at += 1;
            }
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    let (bracket, at) = open.pop()?;
    Some((at, at + 1, format!("a `{}` is not closed", char::from(bracket))))
}

/// Returns where a string literal ends. `None` if it is not closed: in newer Python versions, f-strings may
/// contain their own quotes, so such scripts are not checked further.
fn string(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let quote = rest.get(..1)?;
    let triple = quote.repeat(3);
    let (close, from) = if rest.starts_with(&triple) { (triple.as_str(), at + 3) } else { (quote, at + 1) };
    let mut end = from;
    while let Some(&c) = text.as_bytes().get(end) {
        if c == b'\\' {
            end += 2;
            continue;
        }
        if text.get(end..).is_some_and(|rest| rest.starts_with(close)) {
            return Some(end + close.len());
        }
        if c == b'\n' && close.len() == 1 {
            return None;
        }
        end += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_bracket_error;

    #[test]
    fn unclosed_brackets() {
        for (text, want) in [
            ("print('a')\n", None),
            ("x = {'a': [1, (2)]}\n# (\n", None),
            ("\"\"\"it's (\n\"\"\"\nx = 1", None),
            ("print(f\"{d['a']}\")", None),
            ("print(f\"{d[\"a\"]}\")", None),
            ("re.compile(r'\\(')", None),
            ("print('a'\n", Some("a `(` is not closed")),
            ("x = [1)\n", Some("a `)` has no matching bracket")),
            ("def f(:\n  pass\n", Some("a `(` is not closed")),
        ] {
            assert_eq!(find_bracket_error(text).map(|(_, _, says)| says).as_deref(), want, "{text}");
        }
    }
}
