//! Finds the shell that runs commands: the account's login shell, not `$SHELL` (spec §5.1).

use hookbench_base::config::{Files, Os, Place};

/// The setting that holds the shell.
pub const SETTING: &str = "shell";

/// Returns the login shell of the account that the environment names, if `/etc/passwd` lists one that Codex
/// supports; otherwise Codex's fallback.
pub fn find(place: &Place, files: &dyn Files) -> String {
    if place.os == Os::Windows {
        return place.var("COMSPEC").unwrap_or("cmd.exe").to_owned();
    }
    let user = place.var("USER").or_else(|| place.var("LOGNAME")).unwrap_or("");
    let accounts = files.read("/etc/passwd").unwrap_or_default();
    let accounts = String::from_utf8_lossy(&accounts).into_owned();
    let fields = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = fields.filter(|f| f.first() == Some(&user)).find_map(|f| f.get(6).map(|shell| (*shell).to_owned()));
    let known = |shell: &String| matches!(shell.rsplit('/').next(), Some("bash" | "zsh" | "sh"));
    let fallback = if place.os == Os::MacOs { "/bin/zsh" } else { "/bin/bash" };
    own.filter(known).unwrap_or_else(|| fallback.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    #[test]
    fn the_account_decides() {
        let mut files = MemoryFiles::default();
        files.put(
            "/etc/passwd",
            "root:x:0:0::/root:/bin/bash\nann:x:1:1::/home/ann:/usr/bin/zsh\nbob:x:2:2::/b:/bin/false\n",
        );
        for (user, want) in [("ann", "/usr/bin/zsh"), ("bob", "/bin/bash"), ("eve", "/bin/bash")] {
            let mut place = Place::default();
            place.env.insert("USER".to_owned(), user.to_owned());
            place.env.insert("SHELL".to_owned(), "/bin/sh".to_owned());
            assert_eq!(find(&place, &files), want, "{user}");
        }
    }
}
