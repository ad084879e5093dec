//! Whether a script can block: by exit status 2, or by an answer.

use std::sync::LazyLock;

use regex::Regex;

static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        \bexit\s+["']?2\b | \b(?:exit|_exit|SystemExit|quit)\(\s*2\s*\) | \bexitCode\s*=\s*2\b | \breturn\s+2\b
        | permissionDecision\\?["']?\s*[:=]\s*\\?["']?(?:deny|ask)\b
        | \bdecision\\?["']?\s*[:=]\s*\\?["']?(?:block|deny)\b
        | \\?["'](?:deny|block)\\?["']
        "#,
    )
    .ok()
});

/// Whether a script or a command line seems to block something. Lines that are only a comment are ignored.
pub fn refuses(text: &str) -> bool {
    let code = super::without_comments(text);
    REFUSES.as_ref().is_some_and(|pattern| pattern.is_match(&code))
}

#[cfg(test)]
mod tests {
    use super::refuses;

    #[test]
    fn ways_to_refuse() {
        for (text, want) in [
            ("echo no >&2; exit 2", true),
            ("sys.exit(2)", true),
            ("raise SystemExit(2)", true),
            ("def main():\n    return 2", true),
            ("process.exitCode = 2", true),
            (r#"echo "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}""#, true),
            ("jq -n '{hookSpecificOutput: {permissionDecision: \"ask\"}}'", true),
            ("console.log(JSON.stringify({ decision: 'block', reason }))", true),
            ("decide(\"deny\", reason)", true),
            ("exit 20", false),
            ("# exit 2", false),
            ("exit 0", false),
            ("grep -q deny log", false),
            ("print(json.dumps({\"decision\": \"approve\"}))", false),
        ] {
            assert_eq!(refuses(text), want, "{text}");
        }
    }
}
