//! HW805: a command that downloads code and executes it.

use std::sync::LazyLock;

use regex::Regex;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// A download piped into an interpreter, and an interpreter that is given a download.
static DOWNLOADS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shell = r"(?:sudo\s+)?(?:env\s+)?(?:/\S*/)?(?:ba|z|da|k)?sh\b";
    let other = r"(?:sudo\s+)?(?:/\S*/)?(?:python[0-9.]*|node|perl|ruby)\b";
    let pattern = format!(
        r"(?:^|[\s;&|(/])(?:curl|wget)\s[^|;&\n]*\|\s*(?:{shell}|{other})|(?:{shell}|{other}|\beval|\bsource)\b[^|;&\n]*(?:\$\(|<\(|`)\s*(?:curl|wget)\s"
    );
    Regex::new(&pattern).ok()
});

/// `curl … | sh` and its like.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let command = at.command()?;
    if !DOWNLOADS.as_ref()?.is_match(&command) {
        return None;
    }
    let says = "this command downloads code and executes it, whatever it is by then, each time the hook runs";
    let found = Diagnostic::error("HW805", says).at(at.handler());
    Some(found.help("keep a copy of the script in the repository, and run that"))
}

#[cfg(test)]
mod tests {
    use super::DOWNLOADS;

    #[test]
    fn what_downloads_and_executes() {
        let pattern = DOWNLOADS.as_ref();
        for (command, want) in [
            ("curl https://x.example/i | sh", true),
            ("curl -fsSL https://x.example/i | sudo bash -s -- -y", true),
            ("wget -qO- https://x.example/i |python3 -", true),
            ("bash <(curl -s https://x.example/i)", true),
            ("sh -c \"$(curl -fsSL https://x.example/i)\"", true),
            ("eval \"$(wget -qO- https://x.example/i)\"", true),
            ("curl -s -X POST https://hooks.example/n -d @-", false),
            ("curl -s https://x.example/state | jq .ok", false),
            ("jq -r .x | curl -d @- https://x.example; sh local.sh", false),
            ("cat curl.txt | sh", false),
            ("sh hooks/curl-check.sh", false),
        ] {
            assert_eq!(pattern.map(|p| p.is_match(command)), Some(want), "{command}");
        }
    }
}
