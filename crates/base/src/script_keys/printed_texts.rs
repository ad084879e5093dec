//! Plain texts that a script prints on stdout, judging from single statements of shell, Python and JavaScript.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A text that a script prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedText {
    /// The bytes of the statement.
    pub at: Range<usize>,
    /// The exit status if the script exits right after the text.
    pub exit: Option<i32>,
    /// Whether the statement is outside of a function, or in `main`.
    pub is_in_main: bool,
}

static PRINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?:^|[;{]\s|&&\s|\bthen\s|\bdo\s|\)\s)\s*(?:echo|printf)\s+(?:-[neE]+\s+)*["']?[A-Za-z✓✗❌⚠✅\[]
        | (?:^|[:;]\s)\s*print\(\s*[fr]?["'][A-Za-z✓✗❌⚠✅\[]
        | (?:^|[{;]\s)\s*console\.log\(\s*["'`][A-Za-z✓✗❌⚠✅\[]
        "#,
    )
    .ok()
});
static EXIT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*[};]*\s*(?:exit\s+(\d+)|(?:sys\.|process\.)?exit\(\s*(\d+)\s*\))").ok());

/// The texts in order. Comments and texts that go elsewhere are left out.
pub fn printed_texts(text: &str) -> Vec<PrintedText> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = Vec::new();
    let mut start = 0;
    let mut here_document: Option<String> = None;
    for (index, line) in lines.iter().enumerate() {
        let from = start;
        start += line.len() + 1;
        if let Some(end) = &here_document {
            if line.trim() == end {
                here_document = None;
            }
            continue;
        }
        here_document = here_document_end(line);
        if matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]) {
            continue;
        }
        let Some(found) = PRINTS.as_ref().and_then(|prints| prints.find(line)) else { continue };
        let rest = line.get(found.start()..).unwrap_or("");
        let Some(length) = statement_on_stdout(rest) else { continue };
        let behind = rest.get(length..).unwrap_or("");
        let behind = if behind.trim_matches([';', ' ', '}']).is_empty() {
            lines.get(index + 1).copied().unwrap_or("")
        } else {
            behind
        };
        let exit = EXIT.as_ref().and_then(|exit| exit.captures(behind));
        let exit = exit.and_then(|found| found.iter().skip(1).flatten().next()?.as_str().parse().ok());
        let at = from + found.start()..from + found.start() + length;
        out.push(PrintedText { at, exit, is_in_main: is_in_main(&lines, index) });
    }
    out
}

/// The word that ends a here-document which begins on this line.
fn here_document_end(line: &str) -> Option<String> {
    let (_, word) = line.split_once("<<")?;
    let word = word.strip_prefix('-').unwrap_or(word).trim_start();
    let word: String =
        word.trim_start_matches(['\'', '"']).chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// The length of the statement at the start of the text. `None` if its output does not go to stdout, or if it continues on
/// the next line.
fn statement_on_stdout(text: &str) -> Option<usize> {
    let is_call = text.contains("print(") || text.contains("console.log(");
    let mut quote: Option<char> = None;
    let mut depth = 0_i32;
    let mut skip = false;
    let lead = text.find(['e', 'p', 'c']).unwrap_or(0);
    let statement = text.get(lead..)?;
    for (index, c) in statement.char_indices() {
        match (quote, c) {
            _ if skip => skip = false,
            (_, '\\') => skip = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return None,
            (None, ')') => {
                depth -= 1;
                if is_call && depth == 0 {
                    let call = statement.get(..=index)?;
                    return (!call.contains("file=")).then_some(lead + index + 1);
                }
            }
            (None, '>' | '|') if !is_call && depth == 0 => {
                // `|| exit` is another statement.
                let rest = statement.get(index..)?;
                return rest.starts_with("||").then_some(lead + index);
            }
            (None, ';' | '&') if !is_call && depth == 0 => {
                return Some(lead + index);
            }
            _ => {}
        }
    }
    (!is_call && quote.is_none() && depth == 0).then_some(text.len())
}

/// Whether a line is outside of every function, or in one that is called `main`.
fn is_in_main(lines: &[&str], index: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inner = lines.get(index).map_or(0, |line| indent(line));
    for line in lines.get(..index).unwrap_or_default().iter().rev().filter(|line| !line.trim().is_empty()) {
        if indent(line) >= inner {
            continue;
        }
        inner = indent(line);
        let head = line.trim_start().trim_start_matches("async ");
        let named = head.strip_prefix("def ").or_else(|| head.strip_prefix("function ")).or_else(|| {
            let (name, _) = head.split_once("()")?;
            name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(name)
        });
        let arrow = head.starts_with("const ") && head.contains("=>");
        if arrow || named.is_some_and(|name| !name.starts_with("main")) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::printed_texts;

    #[test]
    fn texts_that_go_to_stdout() {
        for (text, want) in [
            ("echo \"Blocked: $x\"\nexit 2", "echo \"Blocked: $x\" 2"),
            ("if bad; then echo 'no'; exit 2; fi", "then echo 'no' 2"),
            ("[[ $c == *x* ]] && { echo no; exit 2; }", "{ echo no 2"),
            ("printf 'no %s\\n' \"$x\"; exit 2", "printf 'no %s\\n' \"$x\" 2"),
            ("echo 'no' >&2\nexit 2", ""),
            ("echo \"$x\" | grep -q y", ""),
            ("echo 'a' | grep -q y", ""),
            ("echo '{\"decision\": \"block\"}'", ""),
            ("echo \"a > b\"", "echo \"a > b\""),
            ("echo \"Branch: $(git branch | head -1)\"", "echo \"Branch: $(git branch | head -1)\""),
            ("x=$(echo 'a')", ""),
            ("# echo 'a'", ""),
            ("cat <<EOF\necho 'a'\nEOF\necho 'b'", "echo 'b'"),
            ("if bad:\n    print('no')\n    sys.exit(2)", "print('no') 2"),
            ("print('no', file=sys.stderr)\nsys.exit(2)", ""),
            ("print(json.dumps(x))", ""),
            ("console.log('checking', name);\nf();", "console.log('checking', name)"),
            ("function usage() {\n  console.log('usage');\n}", "- console.log('usage')"),
            ("log() {\n  echo 'x'\n}\nlog", "- echo 'x'"),
            ("main() {\n  echo 'x'\n}\nmain", "echo 'x'"),
        ] {
            let shown: Vec<String> = printed_texts(text)
                .iter()
                .map(|one| {
                    let lead = if one.is_in_main { "" } else { "- " };
                    let exit = one.exit.map_or(String::new(), |exit| format!(" {exit}"));
                    format!("{lead}{}{exit}", text[one.at.clone()].trim())
                })
                .collect();
            assert_eq!(shown.join(" | "), want, "{text}");
        }
    }
}
