//! Patch texts, and their conversion into changes of single files.

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchChange {
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    Delete { path: String },
}

impl PatchChange {
    /// Returns the patch with only this change.
    pub fn text(&self) -> String {
        let lines = |sign: &str, text: &str| format!("{sign}{}\n", text.replace('\n', &format!("\n{sign}")));
        let inner = match self {
            PatchChange::Write { path, content } if content.is_empty() => format!("{ADD}{path}\n"),
            PatchChange::Write { path, content } => {
                format!("{ADD}{path}\n{}", lines("+", content.strip_suffix('\n').unwrap_or(content)))
            }
            PatchChange::Edit { path, old, new } => {
                format!("{UPDATE}{path}\n@@\n{}{}", lines("-", old), lines("+", new))
            }
            PatchChange::Delete { path } => format!("{DELETE}{path}\n"),
        };
        format!("{BEGIN}\n{inner}{END}\n")
    }
}

/// Returns the changes of a patch, one for each changed place. Empty if the text is not a patch.
pub fn parse_patch(text: &str) -> Vec<PatchChange> {
    let mut lines = text.lines().skip_while(|line| line.trim() != BEGIN).skip(1).peekable();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() == END {
            return out;
        }
        if let Some(path) = line.strip_prefix(DELETE) {
            out.push(PatchChange::Delete { path: path.to_owned() });
        } else if let Some(path) = line.strip_prefix(ADD) {
            let mut content = String::new();
            while let Some(added) = lines.next_if(|l| l.starts_with('+')) {
                content.push_str(added.get(1..).unwrap_or(""));
                content.push('\n');
            }
            out.push(PatchChange::Write { path: path.to_owned(), content });
        } else if let Some(path) = line.strip_prefix(UPDATE) {
            let (mut old, mut new): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
            let mut flush = |old: &mut Vec<&str>, new: &mut Vec<&str>| {
                if !old.is_empty() || !new.is_empty() {
                    out.push(PatchChange::Edit { path: path.to_owned(), old: old.join("\n"), new: new.join("\n") });
                    old.clear();
                    new.clear();
                }
            };
            while let Some(part) = lines.next_if(|l| !is_header(l)) {
                match part.split_at_checked(1) {
                    Some(("-", rest)) => old.push(rest),
                    Some(("+", rest)) => new.push(rest),
                    Some((" ", rest)) => {
                        old.push(rest);
                        new.push(rest);
                    }
                    _ => flush(&mut old, &mut new),
                }
            }
            flush(&mut old, &mut new);
        }
    }
    // A patch without its end is incomplete, and no agent applies it.
    Vec::new()
}

fn is_header(line: &str) -> bool {
    line.trim() == END || [ADD, UPDATE, DELETE].iter().any(|header| line.starts_with(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &str, content: &str) -> PatchChange {
        PatchChange::Write { path: path.to_owned(), content: content.to_owned() }
    }

    fn edit(path: &str, old: &str, new: &str) -> PatchChange {
        PatchChange::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() }
    }

    #[test]
    fn patches_round_trip() {
        for change in [
            write("a", ""),
            write("a b", "x\n"),
            write("a", "x\n\ny\n"),
            edit("a", "x", "y"),
            edit("a", "x\n", "y\n\nz"),
            edit("a", "--x", "*** y"),
            PatchChange::Delete { path: "a".to_owned() },
        ] {
            assert_eq!(parse_patch(&change.text()), std::slice::from_ref(&change), "{}", change.text());
        }
    }

    #[test]
    fn patches_of_others() {
        let patch = |inner: &str| format!("{BEGIN}\n{inner}{END}\n");
        for (text, want) in [
            (patch("*** Add File: a\n+x\n*** Add File: b\n+y\n"), vec![write("a", "x\n"), write("b", "y\n")]),
            (
                patch("*** Update File: a\n@@ fn x\n one\n-two\n+three\n@@\n-four\n"),
                vec![edit("a", "one\ntwo", "one\nthree"), edit("a", "four", "")],
            ),
            (patch("*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n"), vec![edit("a", "x", "y")]),
            (patch(""), vec![]),
            (format!("{BEGIN}\n*** Add File: a\n+x\n"), vec![]),
            ("rm -rf build".to_owned(), vec![]),
            (String::new(), vec![]),
        ] {
            assert_eq!(parse_patch(&text), want, "{text}");
        }
    }
}
