//! Text from elsewhere in Markdown.

use hookbench_core::text::one_line;

/// A text on one line that is neither a link, an image nor HTML: an editor would fetch what a repository names. Code between
/// single backticks stays code.
pub fn plain(text: &str) -> String {
    let text = one_line(text);
    let is_paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let text = if is_paired { text } else { text.replace('`', "'") };
    let escape = |part: &str| part.replace('\\', "\\\\").replace('[', "\\[").replace('<', "\\<");
    let parts = text.split('`').enumerate();
    parts.map(|(number, part)| if number % 2 == 1 { format!("`{part}`") } else { escape(part) }).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_text_is_no_image_link_or_html() {
        for (text, want) in [
            ("`mcp__[a-z]\\w` matches", "`mcp__[a-z]\\w` matches"),
            ("![x](https://example.com/a.png)", "!\\[x](https://example.com/a.png)"),
            ("\\[x](y)", "\\\\\\[x](y)"),
            ("<img src=x>", "\\<img src=x>"),
            ("\\` ![x](y) `", "\\\\` ![x](y) `"),
            ("a ` ![x](y)", "a ' !\\[x](y)"),
            ("`` ` ![x](y) ` ``", "'' ' !\\[x](y) ' ''"),
        ] {
            assert_eq!(plain(text), want);
        }
        assert!(!plain("a\n# b").contains('\n'));
    }
}
