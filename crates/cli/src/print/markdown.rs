//! A page as Markdown: titles as headings, and the lines below them in fences, where nothing of them is read as Markdown.

use super::lines::{TonedText, is_title, origin, plain_line, sections};

/// The characters that begin something in a line of Markdown.
const SPECIAL: [char; 14] = ['\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '#', '|', '~', '&'];

/// Renders the lines of a page.
pub fn render(lines: &[Vec<TonedText>], masks: bool) -> String {
    let mut out = String::new();
    for (index, section) in sections(lines).enumerate() {
        let (title, rest) = match section {
            [first, rest @ ..] if index == 0 || is_title(first) => (Some(first), rest),
            all => (None, all),
        };
        if let Some(title) = title {
            let level = if index == 0 { "###" } else { "####" };
            out.push_str(&format!("{level} {}\n\n", escape(plain_line(title).trim())));
        }
        if !rest.is_empty() {
            out.push_str(&fenced(&rest.iter().map(|line| plain_line(line)).collect::<Vec<_>>()));
        }
    }
    out + &format!("_{}_\n", escape(&origin(masks)))
}

/// The lines in a fence that is longer than any run of backticks in them.
fn fenced(lines: &[String]) -> String {
    let runs = lines.iter().flat_map(|line| line.split(|c| c != '`'));
    let fence = "`".repeat(runs.map(str::len).max().unwrap_or(0).max(2) + 1);
    // The indent that all lines have says nothing.
    let indent = lines.iter().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().filter_map(|line| line.get(indent..)).collect();
    format!("{fence}text\n{}\n{fence}\n\n", lines.join("\n"))
}

fn escape(text: &str) -> String {
    text.chars().flat_map(|c| SPECIAL.contains(&c).then_some('\\').into_iter().chain([c])).collect()
}
