//! Text for other programs: workflow commands and XML.

use hookbench_core::text::escape_lines_for_terminal;

/// A workflow command that shows a message on a line of a file.
pub fn annotation(level: &str, file: Option<&str>, at: Option<(u32, u32)>, title: &str, message: &str) -> String {
    let file = file.map(|file| format!("file={},", property(file))).unwrap_or_default();
    let at = at.map(|(line, column)| format!("line={line},col={column},")).unwrap_or_default();
    format!("::{level} {file}{at}title={}::{}\n", property(title), data(message))
}

/// Escapes a text for XML 1.0, with control characters made visible. Characters that XML cannot represent become
/// U+FFFD.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_lines_for_terminal(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn data(text: &str) -> String {
    escape_lines_for_terminal(text).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
