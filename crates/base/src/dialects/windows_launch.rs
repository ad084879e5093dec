//! How a hook starts on Windows, for agents whose rules name a shell of other systems. Taken from the agents' documentation
//! and source; not measured on Windows.

use crate::config::Place;
use crate::run::ProcessSpec;

/// Changes a launch to that of Windows: the shell that the agent uses there (`windows_shell` of its settings format), and
/// paths with `\`.
pub fn adjust_to_windows(spec: &mut ProcessSpec, windows_shell: &str, place: &Place) {
    spec.cwd = place.native_path(&spec.cwd);
    for variable in spec.env.set.iter_mut().filter(|variable| place.is_own_path(&variable.value)) {
        variable.value = place.native_path(&variable.value);
    }
    let (program, flags): (&str, &[&str]) = match windows_shell {
        // Git for Windows has this program. With WSL, Windows may find another one first.
        "Git Bash" => ("bash", &["-c"]),
        "cmd" => ("cmd.exe", &["/d", "/s", "/c"]),
        "PowerShell" => ("powershell.exe", &["-NoProfile", "-Command"]),
        _ => return,
    };
    // Other arguments are those of a hook that names the shell itself.
    if let ("/bin/sh" | "/bin/bash", [flag, line]) = (spec.program.as_str(), spec.args.as_slice())
        && flag == "-c"
    {
        spec.args = flags.iter().map(|flag| (*flag).to_owned()).chain([line.clone()]).collect();
        program.clone_into(&mut spec.program);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::config::Os;
    use crate::run::{EnvChange, FinishCondition, HookVariable, KillSpec};

    #[test]
    fn the_shell_is_that_of_the_agent_on_windows() {
        let place = Place { project: "C:/p".to_owned(), os: Os::Windows, ..Place::default() };
        for (program, windows_shell, want) in [
            ("/bin/sh", "Git Bash", ["bash", "-c", "x"].as_slice()),
            ("/bin/bash", "cmd", &["cmd.exe", "/d", "/s", "/c", "x"]),
            ("/bin/sh", "PowerShell", &["powershell.exe", "-NoProfile", "-Command", "x"]),
            ("node", "cmd", &["node", "-c", "x"]),
            ("/bin/sh", "no shell", &["/bin/sh", "-c", "x"]),
            ("/bin/bash x.sh", "cmd", &["/bin/bash", "x.sh", "-c", "x"]),
        ] {
            let mut words_of_program = program.split(' ').map(str::to_owned);
            let mut spec = ProcessSpec {
                program: words_of_program.next().unwrap_or_default(),
                args: words_of_program.chain(["-c", "x"].map(str::to_owned)).collect(),
                cwd: "C:/p/sub".to_owned(),
                env: EnvChange { set: vec![HookVariable::of_agent("P", "C:/p")], ..EnvChange::default() },
                stdin: Arc::from(Vec::new()),
                timeout: None,
                finish: FinishCondition::AtEof,
                kill: KillSpec { grace: Duration::ZERO },
                keep: 1,
                names_directory: false,
                runs_plain_files: false,
            };
            adjust_to_windows(&mut spec, windows_shell, &place);
            let words: Vec<&str> =
                [spec.program.as_str()].into_iter().chain(spec.args.iter().map(String::as_str)).collect();
            assert_eq!(words, want, "{program} {windows_shell}");
            assert_eq!((spec.cwd.as_str(), spec.env.value("P")), (r"C:\p\sub", Some(r"C:\p")));
        }
    }
}
