use super::*;
use hookbench_core::config::MemoryFiles;
use hookbench_core::run::{EnvChange, FinishCondition, HookVariable, KillSpec};
use std::time::Duration;

fn spec(command: &str, cwd: &str) -> ProcessSpec {
    ProcessSpec {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), command.to_owned()],
        cwd: cwd.to_owned(),
        env: EnvChange {
            set: vec![HookVariable::of_agent("P", cwd), HookVariable::of_agent("PATH", "/bin:/usr/bin")],
            ..EnvChange::default()
        },
        stdin: Vec::new().into(),
        timeout: None,
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: Duration::ZERO },
        keep: 0,
        names_directory: false,
        runs_plain_files: false,
    }
}

#[test]
fn says_what_would_start() {
    let cwd = "/work".to_owned();
    let mut files = MemoryFiles::default();
    files.put("/work/a b.sh", "x");
    files.put("/bin/sh", "#!");
    let state = |command: &str| {
        let resolved = resolve_command(&spec(command, &cwd), false, &Place::default(), &files);
        (resolved.state, resolved.script.map(|s| s.replace(&cwd, "<cwd>")))
    };
    let script = |name: &str| Some(format!("<cwd>/{name}"));
    for (command, want) in [
        ("exit 2", (ResolvedState::Ok, None)),
        ("kill -9 $$", (ResolvedState::Ok, None)),
        ("sh \"$P/a b.sh\" --x", (ResolvedState::Ok, script("a b.sh"))),
        ("sh './a b.sh'", (ResolvedState::Ok, script("a b.sh"))),
        ("\"${P}/a b.sh\"", (ResolvedState::No, script("a b.sh"))),
        ("FOO=1 sh gone.sh | cat", (ResolvedState::No, script("gone.sh"))),
        ("nobody-has-this-program", (ResolvedState::No, None)),
        ("$(which x)", (ResolvedState::Unknown, None)),
        ("sh -c 'echo hi'", (ResolvedState::Ok, None)),
        ("sh './a b.sh' -c x", (ResolvedState::Ok, script("a b.sh"))),
        ("env -u X FOO=1 sh -e gone.sh", (ResolvedState::No, script("gone.sh"))),
        ("env -u X FOO=1 sh -o errexit gone.sh", (ResolvedState::No, script("gone.sh"))),
        ("command -v jq && sh gone.sh", (ResolvedState::Ok, None)),
        ("${X:-y} z", (ResolvedState::No, None)),
        // A command that may not be reached does not make the line fail.
        ("cat | { read x; if echo \"$x\" | grep -q ts; then npx x; fi; }", (ResolvedState::No, None)),
        ("read x; if grep -q x; then npx x; fi", (ResolvedState::No, None)),
        ("if [ \"$(date)\" = x ]; then npx x; fi", (ResolvedState::Ok, None)),
        ("", (ResolvedState::Unknown, None)),
    ] {
        assert_eq!(state(command), want, "{command}");
    }
}

/// A carriage return at the end of a `#!` line belongs to the interpreter's name. Measured: exit 127.
#[test]
fn windows_line_endings_of_the_first_line() {
    let state = |text: &str| {
        let mut files = MemoryFiles::default();
        files.put("/work/a.sh", text);
        files.put("/bin/sh", "#!");
        files.put("/usr/bin/env", "");
        let resolved = resolve_command(&spec("./a.sh", "/work"), false, &Place::default(), &files);
        (resolved.state, resolved.status, resolved.message)
    };
    let looks_for = |name: &str| format!("a.sh has Windows line endings, so the system looks for \"{name}\\r\"");
    for (first, want) in [
        ("#!/bin/sh", (ResolvedState::Ok, None, "starts a.sh".to_owned())),
        ("#!/bin/sh\r", (ResolvedState::No, Some(127), looks_for("/bin/sh"))),
        ("#! /usr/bin/env bash\r", (ResolvedState::No, Some(127), looks_for("bash"))),
        // The shell gets `-e\r` as its argument, and says so itself.
        ("#!/bin/sh -e\r", (ResolvedState::Ok, None, "starts a.sh".to_owned())),
        ("#!/bin/gone -e", (ResolvedState::No, None, "a.sh needs /bin/gone, which does not exist".to_owned())),
    ] {
        assert_eq!(state(&format!("{first}\necho\n")), want, "{first:?}");
    }
}

/// Common ways to find a script in a checkout: what is started, and the status if it is known in advance.
#[test]
fn follows_the_line_to_its_script() {
    use ResolvedState::{No, Ok, Unknown};
    let mut files = MemoryFiles::default();
    for path in ["/repo/.git/HEAD", "/repo/sub/deep.sh", "/repo/lib.py", "/repo/sub/x.ts"] {
        files.put(path, "x");
    }
    for path in
        ["/bin/sh", "/bin/bash", "/bin/python3", "/bin/uv", "/bin/npx", "/bin/jq", "/repo/run.sh", "/bin/near.sh"]
    {
        files.put(path, "#!/bin/sh\n");
    }
    let top = "\"$(git rev-parse --show-toplevel)\"";
    for (command, want) in [
        (format!("{top}/run.sh"), (Ok, Some("/repo/run.sh"), None)),
        (format!("python3 {top}/lib.py --x"), (Ok, Some("/repo/lib.py"), None)),
        (format!("python3 {top}/gone.py"), (No, Some("/repo/gone.py"), Some(2))),
        (
            "python3 \"$(git -C /repo rev-parse --show-toplevel 2>/dev/null || pwd)/lib.py\"".to_owned(),
            (Ok, Some("/repo/lib.py"), None),
        ),
        ("`git rev-parse --show-toplevel`/gone.sh".to_owned(), (No, Some("/repo/gone.sh"), Some(127))),
        ("R=$(git rev-parse --show-toplevel) && cd \"$R\" && ./run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("cd \"$(git rev-parse --show-toplevel)\" && sh sub/deep.sh".to_owned(), (Ok, Some("/repo/sub/deep.sh"), None)),
        ("\"$(pwd)\"/deep.sh".to_owned(), (No, Some("/repo/sub/deep.sh"), Some(126))),
        ("sh \"$PWD/deep.sh\"".to_owned(), (Ok, Some("/repo/sub/deep.sh"), None)),
        ("sh \"$(cd .. && pwd)/run.sh\"".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        // In `sh -c TEXT`, `$0` is the shell itself.
        ("\"$(dirname \"$0\")/near.sh\"".to_owned(), (Ok, Some("/bin/near.sh"), None)),
        ("sh \"${ROOT:-.}/deep.sh\"".to_owned(), (Ok, Some("/repo/sub/deep.sh"), None)),
        ("sh \"${ROOT:-$(git rev-parse --show-toplevel)}/run.sh\"".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("\"${SET:-x}\"/run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("[ -x /repo/run.sh ] && /repo/run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("[ -x /repo/gone.sh ] && /repo/gone.sh".to_owned(), (Ok, None, None)),
        ("test -f /repo/gone.sh || exit 0; /repo/gone.sh".to_owned(), (Ok, None, None)),
        (
            "if [ -f /repo/gone.sh ]; then /repo/gone.sh; else /repo/run.sh; fi".to_owned(),
            (Ok, Some("/repo/run.sh"), None),
        ),
        ("if [ -n \"$CI\" ]; then exit 0; fi; /repo/run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("sh -c 'exec /repo/run.sh --x'".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("bash -c \"cd .. && ./gone.sh\"".to_owned(), (No, Some("/repo/gone.sh"), Some(127))),
        ("exec /repo/gone.sh".to_owned(), (No, Some("/repo/gone.sh"), Some(127))),
        ("( cd .. ; ./run.sh )".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("{ cd /repo; } && ./run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("(cd ..); ./run.sh".to_owned(), (No, Some("/repo/sub/run.sh"), Some(127))),
        ("/repo/gone.sh || true".to_owned(), (No, Some("/repo/gone.sh"), Some(0))),
        ("/repo/gone.sh || /repo/run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("! /repo/gone.sh".to_owned(), (No, Some("/repo/gone.sh"), Some(0))),
        ("jq -e .x && /repo/gone.sh".to_owned(), (No, Some("/repo/gone.sh"), None)),
        ("jq -r .x | python3 /repo/lib.py".to_owned(), (Ok, Some("/repo/lib.py"), None)),
        ("cat | /repo/gone.sh; exit 2".to_owned(), (No, Some("/repo/gone.sh"), Some(2))),
        ("command -v tsc >/dev/null || exit 0; tsc --noEmit".to_owned(), (Ok, None, None)),
        ("command -v jq >/dev/null && /repo/run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("bash -euo pipefail ../run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("bash -o pipefail -c 'cd .. && ./run.sh'".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("python3 -O ../lib.py".to_owned(), (Ok, Some("/repo/lib.py"), None)),
        ("uv run --with x ../lib.py".to_owned(), (Ok, Some("/repo/lib.py"), None)),
        ("uv run python3 ../lib.py".to_owned(), (Ok, Some("/repo/lib.py"), None)),
        (format!("A=12345678; {} ../run.sh \"$A\"", "A=$A$A;".repeat(64)), (Ok, Some("/repo/run.sh"), None)),
        ("uv run pytest".to_owned(), (Ok, Some("/bin/uv"), None)),
        ("npx -y tsx x.ts".to_owned(), (Ok, Some("/repo/sub/x.ts"), None)),
        ("npx prettier --write a.ts".to_owned(), (Ok, Some("/bin/npx"), None)),
        ("cd /nowhere && ./run.sh".to_owned(), (No, None, None)),
        ("cd \"$SOMEWHERE\"/x; ./run.sh".to_owned(), (No, Some("/repo/sub/run.sh"), Some(127))),
        ("cd \"$(jq -r .cwd)\" && ./run.sh".to_owned(), (Unknown, None, None)),
        ("\"$(jq -r .cwd)\"/run.sh".to_owned(), (Unknown, None, None)),
        (". ../run.sh".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        (". ../run.sh; python3 ../lib.py".to_owned(), (Ok, Some("/repo/lib.py"), None)),
        ("for f in a b; do /repo/run.sh \"$f\"; done".to_owned(), (Ok, Some("/repo/run.sh"), None)),
        ("case \"$X\" in a) /repo/gone.sh;; esac".to_owned(), (No, Some("/repo/gone.sh"), None)),
        ("echo 'a && b' | python3 -c 'print(1)'".to_owned(), (Ok, None, None)),
        (
            "git rev-parse --is-inside-work-tree >/dev/null 2>&1 && /repo/run.sh".to_owned(),
            (Ok, Some("/repo/run.sh"), None),
        ),
    ] {
        let mut spec = spec(&command, "/repo/sub");
        spec.env.set.push(HookVariable::of_agent("SET", "/repo"));
        let found = resolve_command(&spec, false, &Place::default(), &files);
        assert_eq!((found.state, found.script.as_deref(), found.status), want, "{command}: {}", found.message);
    }
}

/// Outside a repository the output of git is empty, so the path starts at the root.
#[test]
fn says_that_there_is_no_repository() {
    let mut files = MemoryFiles::default();
    files.put("/work/run.sh", "#!/bin/sh\n");
    files.put("/bin/sh", "#!/bin/sh\n");
    let found = |command: &str| {
        let found = resolve_command(&spec(command, "/work"), false, &Place::default(), &files);
        (found.state, found.status, found.message)
    };
    let fails = "`git rev-parse --show-toplevel` fails because this directory is not in a git repository";
    assert_eq!(
        found("\"$(git rev-parse --show-toplevel)\"/run.sh"),
        (ResolvedState::No, Some(127), format!("{fails}, so /run.sh does not exist"))
    );
    assert_eq!(
        found("R=$(git rev-parse --show-toplevel) && \"$R\"/run.sh"),
        (ResolvedState::No, Some(128), fails.to_owned())
    );
    for guarded in [
        "\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/run.sh",
        "R=$(git rev-parse --show-toplevel) || exit 0; \"$R\"/run.sh",
        "git rev-parse --show-toplevel >/dev/null 2>&1 && \"$(git rev-parse --show-toplevel)\"/run.sh",
    ] {
        assert_eq!(found(guarded).0, ResolvedState::Ok, "{guarded}");
    }
}
