//! The environment with which an agent started a forwarding hook. Only variables that decide which programs a hook finds
//! are stored; values that could be secrets are not.

use std::collections::BTreeMap;

/// The variables that are stored, besides those that begin with `LC_`.
const STORED: &str = "PATH SHELL LANG LANGUAGE TERM TZ TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR \
    XDG_SESSION_TYPE NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR \
    PYTHONPATH PYTHONHOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX GEM_HOME RBENV_ROOT ASDF_DIR ASDF_DATA_DIR \
    GOPATH GOROOT CARGO_HOME RUSTUP_HOME JAVA_HOME";

/// The first line of the file.
const FIRST_LINE: &str = "hookbench environment 1";
/// The most characters of a value.
const LONGEST_VALUE: usize = 32 * 1024;

/// Whether a variable was stored if the agent had it.
pub fn is_stored(name: &str) -> bool {
    STORED.split(' ').any(|stored| stored == name) || name.starts_with("LC_")
}

/// The name of the file in the state directory for an agent. Every id with characters other than letters,
/// digits and hyphens has the same file.
pub fn seen_environment_file(agent: &str) -> String {
    let plain = agent.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    format!("environment-{}", if plain { agent } else { "unknown" })
}

/// The text to store: the values of the variables that are stored, each in a line.
pub fn write_seen_environment(variables: impl Iterator<Item = (String, String)>) -> String {
    let lines = variables.filter(|(name, value)| {
        is_stored(name) && value.len() <= LONGEST_VALUE && !value.contains(|c: char| c.is_control())
    });
    let mut lines: Vec<String> = lines.map(|(name, value)| format!("{name}={value}\n")).collect();
    lines.sort();
    format!("{FIRST_LINE}\n{}", lines.concat())
}

/// Reads the variables of a stored text. `None` if it is not one.
pub fn read_seen_environment(text: &str) -> Option<BTreeMap<String, String>> {
    let lines = text.strip_prefix(FIRST_LINE)?.strip_prefix('\n')?.lines();
    let pairs = lines.filter_map(|line| line.split_once('=')).filter(|(name, _)| is_stored(name));
    Some(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_decides_which_programs_are_found_is_stored() {
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let seen = [
            ("PATH", "/a:/b=c"),
            ("SOME_API_KEY", "1"),
            ("GITHUB_TOKEN", "2"),
            ("HTTPS_PROXY", "http://user:word@host"),
            ("LC_ALL", "C"),
            ("NVM_DIR", "/h/.nvm"),
            ("TERM", "a\nPATH=/x"),
        ];
        let text = write_seen_environment(seen.into_iter().map(pair));
        assert_eq!(text, "hookbench environment 1\nLC_ALL=C\nNVM_DIR=/h/.nvm\nPATH=/a:/b=c\n");
        let read = read_seen_environment(&text).unwrap();
        let want = [("LC_ALL", "C"), ("NVM_DIR", "/h/.nvm"), ("PATH", "/a:/b=c")];
        assert_eq!(read, want.into_iter().map(pair).collect());
        for other in ["", "PATH=/a\n", "hookbench environment 1"] {
            assert_eq!(read_seen_environment(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_is_in_the_state_directory() {
        for (agent, want) in [("some-agent", "environment-some-agent"), ("../x", "environment-unknown")] {
            assert_eq!(seen_environment_file(agent), want);
        }
    }
}
