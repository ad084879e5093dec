//! `new`: every recipe in every agent that it names, and hooks from a few answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::dialects;
use hookbench::core::recipe::{HookEffect, Language, Recipe, recipe, recipes};
use hookbench_app::agents_of_project;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agent_words::words_of;
use crate::sandbox::Sandbox;
use crate::{for_each_agent, outputs};

/// The files of a project, but for those that make an agent trust it.
fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path.display().to_string());
        }
    }
    found.sort();
    found
}

/// A project in which every released agent is in use, so that `--agent all` names each of them.
fn project_of_every_agent() -> Sandbox {
    let sandbox = Sandbox::new();
    for dialect in dialects::released() {
        let words = words_of(dialect.id().as_str());
        sandbox.file(words.settings, words.in_agent_form("{}\n"));
    }
    sandbox.hookbench();
    sandbox
}

/// The agents that have hooks of a project.
fn for_each_agent_of_projects(check: impl Fn(&'static str)) {
    for_each_agent(|agent| {
        if words_of(agent).layer() == "project" {
            check(agent);
        }
    });
}

/// An agent without hooks of a project gets a guard for all of them.
#[test]
fn a_guard_of_the_user() {
    let sandbox = Sandbox::for_agent("kimi");
    let refused = sandbox.run("new sudo --agent kimi --layer project --yes").assert_status(2);
    refused.assert_stderr(&["no settings file for the layer project; --layer user writes ~/.kimi-code/config.toml"]);
    sandbox.run("new sudo --agent kimi --yes").assert_status(0);
    for (command, verdict) in [("sudo ls", "deny"), ("ls", "no_objection")] {
        let (is, told) = fire_with(&sandbox, "kimi", "pre_tool_use", &[format!("tool_input.command={command}")]);
        assert_eq!(is, verdict, "{command}: {told}");
    }
    assert_eq!(sandbox.run("lint --agent kimi --format json").json()["diagnostics"], json!([]));
}

/// The suite of the user's hooks runs in their own home directory, which does not change.
#[test]
fn a_user_s_own_hooks_have_a_suite() {
    for agent in ["hermes", "kimi", "vibe", "cline"] {
        let sandbox = Sandbox::for_agent(agent);
        let refuse = "new --event pre_tool_use --tool Bash --does refuse --pattern 'rm -rf' --layer user --yes";
        let new = sandbox.run(&format!("{refuse} --agent {agent}")).assert_status(0);
        assert!(new.stdout.contains("`hookbench test ~/.hooks/hooks.test.yaml` tests it"), "{new}");
        let none = sandbox.run("test --yes").assert_status(5);
        none.assert_stderr(&["no test suites", "hookbench test ~/.hooks/hooks.test.yaml tests your own hooks"]);
        let suite = sandbox.home.join(".hooks/hooks.test.yaml");
        let before = files(&sandbox.home);
        let test = format!("test --yes --format json {}", suite.display());
        let tested = sandbox.run(&test).assert_status(0).json();
        assert_eq!((&tested["passed"], &tested["failed"]), (&json!(2), &json!(0)), "{agent}: {tested:#}");
        assert_eq!(files(&sandbox.home), before, "{agent}");
        let elsewhere = [("HOME".to_owned(), sandbox.project.display().to_string())];
        let named = sandbox.run_in(&elsewhere, &format!("{test} --home {}", sandbox.home.display())).json();
        assert_eq!(named["passed"], 2, "{agent}: {named:#}");
        // What the agent does not trust does not run, unless the flag says so.
        let text = fs::read_to_string(&suite).unwrap().replace("trusted: true\n", "");
        fs::write(&suite, text).unwrap();
        let is_trusted = ["kimi", "cline", "vibe"].contains(&agent);
        for (flag, passes) in [("", is_trusted), (" --as-trusted", true)] {
            let tested = sandbox.run(&format!("{test}{flag}")).json();
            assert_eq!(tested["failed"] == 0, passes, "{agent}{flag}: {tested:#}");
        }
    }
}

/// Whether an agent passes nothing of a check after a tool on to the model, whatever the script answers.
fn is_unheard_check(found: &Value) -> bool {
    let is_answer = ["HW205", "HW622"].iter().any(|code| found["code"] == *code);
    let agents = [("codebuddy", "PostToolUse"), ("kimi", "PostToolUse"), ("hermes", "post_tool_call")];
    let says = found["message"].as_str().unwrap();
    is_answer && agents.iter().any(|(agent, event)| found["agent"] == *agent && says.contains(event))
}

/// Whether a new hook is only not approved yet.
fn is_unapproved(found: &Value) -> bool {
    found["code"] == "HW704"
}

/// Writes the recipe for all agents, runs its cases and lint, and undoes it.
fn check_recipe(recipe: &Recipe) {
    let sandbox = project_of_every_agent();
    let before = files(&sandbox.project);
    let new = sandbox.run(&format!("new {} --agent all --yes --format json", recipe.id)).assert_status(0).json();
    let agents_of = |is_users: bool| {
        let written = new["settings"].as_array().unwrap().iter().filter(|one| (one["layer"] == "user") == is_users);
        written.map(|one| one["agent"].as_str().unwrap()).collect::<BTreeSet<&str>>()
    };
    let (agents, users) = (agents_of(false).len(), agents_of(true).len());
    let all = dialects::released().count();
    // An agent that reads the file of another one runs the hook from there.
    let (shared, left_out): (Vec<&Value>, Vec<&Value>) = new["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .partition(|left| left["reason"].as_str().unwrap().contains(" itself "));
    assert_eq!(agents + users + shared.len() + left_out.len(), all, "{}", recipe.id);
    // The suite of a project does not test the hooks of a user.
    let agents = agents + shared.len();
    let tested = sandbox.run("test --yes --format json").assert_status(0).json();
    let cases = 1 + usize::from(recipe.caught.is_some());
    assert_eq!((&tested["passed"], &tested["skipped"]), (&json!(agents * cases), &json!(0)), "{}", recipe.id);
    let linted = sandbox.run("lint --format json").json();
    // An agent in which the hook cannot work may read the file of another one.
    let left_out: Vec<&Value> = left_out.into_iter().map(|left| &left["agent"]).collect();
    let found: Vec<&Value> = linted["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["severity"] != "info" && !left_out.contains(&&one["agent"]))
        .filter(|one| !is_unheard_check(one) && !is_unapproved(one))
        .collect();
    assert_eq!(found, Vec::<&Value>::new(), "{}", recipe.id);
    let again = sandbox.run(&format!("new {} --agent all --yes --format json", recipe.id)).assert_status(0).json();
    assert_eq!(again["files"], json!([]), "{}: nothing is written twice", recipe.id);
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(files(&sandbox.project), before, "{}: one undo removes everything", recipe.id);
}

#[test]
fn guards_refuse_and_let_through_in_every_agent() {
    for recipe in recipes().iter().filter(|recipe| recipe.caught.is_some()) {
        check_recipe(recipe);
    }
}

#[test]
fn other_recipes_do_no_harm_in_any_agent() {
    for recipe in recipes().iter().filter(|recipe| recipe.caught.is_none()) {
        check_recipe(recipe);
    }
}

/// Recipes whose effect depends on the project: the recipe, a file, the event, and what the outcome contains.
#[test]
fn recipes_act_on_what_they_find() {
    for_each_agent(|agent| {
        for (id, file, text, event, wanted) in [
            ("honest-todo", "TODO.md", "- [x] one\n- [ ] two\n", "stop", "two"),
            (
                "tests-before-stop",
                "tests/test_pipe.py",
                "import unittest\nclass Pipe(unittest.TestCase):\n    def test_it(self):\n        self.fail('broken pipe')\n",
                "stop",
                "broken pipe",
            ),
            (
                "format-after-edit",
                "bad.json",
                "{",
                "post_tool_use --tool Write --set tool_input.file_path=bad.json",
                "not valid JSON",
            ),
            ("branch-and-date", ".git/HEAD", "ref: refs/heads/topic\n", "session_start", "The branch is topic."),
        ] {
            // No hook of these agents has an effect there, or exit 2 of one has none.
            let is_lost = id == "format-after-edit" && ["kimi", "codebuddy", "hermes"].contains(&agent);
            if is_lost || agent == "vibe" || ["kimi", "hermes"].contains(&agent) && event == "session_start" {
                continue;
            }
            let sandbox = Sandbox::for_agent(agent);
            sandbox.file(file, text);
            // Without git, no hook of a subdirectory is found, so `new` says that it failed there.
            let in_repository = file.starts_with(".git") && ["codex", "droid"].contains(&agent);
            sandbox.run(&format!("new {id} --agent {agent} --yes")).assert_status(i32::from(in_repository));
            let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
            sandbox.settings(&settings);
            // One agent takes patches in place of paths.
            let event = if agent == "codex" && id == "format-after-edit" {
                r#"post_tool_use --tool apply_patch --input '{"command": "*** Begin Patch\n*** Update File: bad.json\n@@\n-x\n+y\n*** End Patch"}'"#
            } else {
                event
            };
            let fired =
                sandbox.run(&format!("fire {event} --agent {agent} --yes --format json")).assert_status(0).json();
            let told = fired["outcome"].to_string() + &fired["runs"][0]["stderr"].to_string();
            assert!(told.contains(wanted), "{id} {agent}: {fired:#}");
            if event.starts_with("stop") {
                assert_eq!(fired["outcome"]["verdict"], "deny", "{id} {agent}");
            }
        }
    });
}

/// Fires an event, and returns the verdict with what the agent and the model are told.
fn fire_with(sandbox: &Sandbox, agent: &str, event: &str, set: &[String]) -> (String, String) {
    let mut args: Vec<String> = event.split(' ').map(str::to_owned).collect();
    args.insert(0, "fire".to_owned());
    for one in set {
        args.extend(["--set".to_owned(), one.clone()]);
    }
    args.extend(["--agent", agent, "--as-trusted", "--yes", "--format", "json"].map(str::to_owned));
    let output = sandbox.command(&args).output().unwrap();
    let fired: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?} {output:?}"));
    let told = fired["outcome"].to_string() + &fired["runs"][0]["stderr"].to_string();
    (fired["outcome"]["verdict"].as_str().unwrap().to_owned(), told)
}

/// The directory of an event follows `cd`, the project does not: recipes find the project wherever the event is.
#[test]
fn recipes_know_the_project_wherever_the_event_is() {
    let text = |sandbox: &Sandbox, text: &str| sandbox.fill_directories(text);
    for (id, command, cwd, verdict) in [
        ("rm-outside-project", "rm -rf /srv/data", "/srv", "deny"),
        ("rm-outside-project", "rm -rf data", "/srv", "deny"),
        ("rm-outside-project", "rm -rf ../build", "@project/web", "no_objection"),
        ("rm-outside-project", "rm -rf \"$PWD/../build\"", "@project/web", "no_objection"),
        ("rm-outside-project", "rm -rf ../../../../srv/data", "@project/web", "deny"),
        ("rm-outside-project", "rm -rf @project", "/srv", "deny"),
        ("rm-outside-project", "cd /; rm -rf \"$PWD/srv\"", "@project", "deny"),
        ("rm-outside-project", "cd /srv; pushd @project; popd; rm -rf data", "@project", "deny"),
        ("rm-outside-project", "cd /srv; (cd @project && make); rm -rf data", "@project", "deny"),
        ("rm-outside-project", "(cd /srv && ls); rm -rf web *.egg-info", "@project", "no_objection"),
        ("rm-outside-project", "rm -rf ./*", "@project", "deny"),
        ("rm-outside-project", "find web /srv -name x -delete", "@project", "deny"),
        ("rm-outside-project", "find . -name x -exec rm -rf {} +", "@project", "no_objection"),
        ("rm-outside-project", "trash /srv/data", "@project", "deny"),
        ("rm-outside-project", "env -C /srv rm -rf data", "@project", "deny"),
        ("rm-outside-project", "cd /srv; cd nowhere || rm -rf data", "@project", "deny"),
        ("rm-outside-project", "cd /srv; cd @project | rm -rf data", "@project", "deny"),
        ("rm-outside-project", "cd \"$(git rev-parse --show-toplevel)\" && rm -rf web", "@project/web", "no_objection"),
        ("rm-outside-project", "for one in web *.log; do rm -rf \"$one\"; done", "@project", "no_objection"),
        ("rm-outside-project", "cat > x.sh <<'EOF'\nrm -rf /\nEOF\n", "@project", "no_objection"),
        ("rm-outside-project", "bash <<'EOF'\nrm -rf /srv\nEOF\n", "@project", "deny"),
        ("rm-outside-project", "find . -type f -delete", "@project", "deny"),
        ("package-manager", "npm install x", "@project/web", "deny"),
        ("package-manager", "pnpm install x", "/srv", "no_objection"),
        ("generated-files", "touch ../dist/app.js", "@project/web", "deny"),
        ("generated-files", "touch @project/web/app.js", "@home/build", "no_objection"),
        ("commit-to-main", "git commit -m x", "@project/web", "deny"),
        ("commit-to-main", "git commit -m x", "@home/build", "no_objection"),
        ("commit-to-main", "git -C @home/build commit -m x", "@project", "no_objection"),
        ("commit-to-main", "cd @project; git commit -m x", "@home/build", "deny"),
    ] {
        // In these agents, an event can name another directory than that of the session.
        for agent in ["claude", "codex"] {
            let sandbox = Sandbox::for_agent(agent);
            sandbox.program("git").file("web/x", "").file("pnpm-lock.yaml", "");
            assert!(
                Command::new("git")
                    .args(["init", "-q", "-b", "main"])
                    .arg(&sandbox.project)
                    .status()
                    .unwrap()
                    .success()
            );
            fs::create_dir_all(sandbox.home.join("build/.git")).unwrap();
            fs::write(sandbox.home.join("build/.git/HEAD"), "ref: refs/heads/topic\n").unwrap();
            sandbox.run(&format!("new {id} --agent {agent} --yes")).assert_status(0);
            let set =
                [format!("cwd={}", text(&sandbox, cwd)), format!("tool_input.command={}", text(&sandbox, command))];
            let fired = fire_with(&sandbox, agent, "pre_tool_use --tool Bash", &set);
            assert_eq!(fired.0, verdict, "{agent} {id}: {command} in {cwd}: {}", fired.1);
        }
    }
    for (id, file, content, event, told) in [
        ("honest-todo", "TODO.md", "- [ ] two\n", "stop", "two"),
        (
            "tests-before-stop",
            "tests/test_pipe.py",
            "import unittest\nclass Pipe(unittest.TestCase):\n    def test_it(self):\n        self.fail('broken pipe')\n",
            "stop",
            "broken pipe",
        ),
        ("branch-and-date", ".git/HEAD", "ref: refs/heads/topic\n", "session_start", "topic"),
    ] {
        let sandbox = Sandbox::for_agent("claude");
        sandbox.program("env").file("web/x", "").file(file, content);
        sandbox.run(&format!("new {id} --agent claude --yes")).assert_status(0);
        let fired = fire_with(&sandbox, "claude", event, &[text(&sandbox, "cwd=@project/web")]);
        assert!(fired.1.contains(told), "{id}: {}", fired.1);
    }
}

/// The project is that of the session: an event that names another directory does not move it, in any agent.
#[test]
fn an_event_does_not_move_the_project() {
    for_each_agent_of_projects(|agent| {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.program("env").file("web/x", "");
        sandbox.run(&format!("new sudo --agent {agent} --yes")).assert_status(0);
        let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
        sandbox.settings(&settings);
        for (command, verdict) in [("sudo ls", "deny"), ("ls", "no_objection")] {
            let cwd = sandbox.project.join("web");
            let set = [format!("cwd={}", cwd.display()), format!("tool_input.command={command}")];
            let (is, told) = fire_with(&sandbox, agent, "pre_tool_use --tool Bash", &set);
            assert_eq!(is, verdict, "{agent} {command}: {told}");
            assert!(is != "deny" || told.contains("rights of another user"), "{agent}: {told}");
        }
    });
}

/// Agents that read the settings of a repository in its subdirectories find the script there, too, and lint agrees.
#[test]
fn a_hook_works_in_a_subdirectory_of_its_repository() {
    for_each_agent_of_projects(|agent| {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.program("git").program("env").file("web/x", "");
        let made = std::process::Command::new("git").args(["init", "--quiet"]).current_dir(&sandbox.project).status();
        assert!(made.unwrap().success());
        let new = sandbox.run(&format!("new sudo --agent {agent} --yes --format json")).assert_status(0).json();
        let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
        sandbox.settings(&settings);
        let reads_above = ["codex", "droid"].contains(&agent);
        let below = new["tried"].as_array().unwrap().iter().filter(|trial| trial["place"] == "subdirectory").count();
        assert_eq!(below > 0, reads_above || agent == "claude", "{agent}: {new:#}");
        for (command, verdict) in [("sudo ls", "deny"), ("ls", "no_objection")] {
            let event = format!("pre_tool_use --tool Bash --project {}", sandbox.project.join("web").display());
            let (is, told) = fire_with(&sandbox, agent, &event, &[format!("tool_input.command={command}")]);
            // The other agents do not read the settings there.
            assert_eq!(is, if reads_above { verdict } else { "not_run" }, "{agent} {command}: {told}");
            assert!(is != "deny" || told.contains("rights of another user"), "{agent}: {told}");
        }
        let linted = sandbox.run(&format!("lint --agent {agent} --format json")).json();
        let found: Vec<&Value> =
            linted["diagnostics"].as_array().unwrap().iter().filter(|one| one["severity"] != "info").collect();
        assert_eq!(found, Vec::<&Value>::new(), "{agent}");
    });
}

/// Nothing is reported as done that did not pass: the written hook is fired with its own examples.
#[test]
fn a_written_hook_is_tried() {
    let own = "new --event pre_tool_use --tool Bash --does refuse --agent all --yes --format json";
    for (more, status) in [
        (r#"--pattern 'echo "x"' --lang none"#, 0),
        (r#"--pattern 'echo "x"' --lang bash"#, 0),
        (r"--pattern 'a\\b' --caught 'a\b' --lang none", 0),
        ("--pattern '^rm' --caught 'rm x' --lang python", 0),
        // Without `sed`, the command finds nothing, so the hook refuses nothing.
        (r#"--pattern 'echo "x"' --lang none"#, 1),
    ] {
        let sandbox = Sandbox::new();
        if status == 0 {
            sandbox.program("sed");
        }
        let new = sandbox.run(&format!("{own} {more}")).assert_status(status).json();
        let tried = new["tried"].as_array().unwrap();
        let mut agents: Vec<&str> = tried.iter().map(|trial| trial["agent"].as_str().unwrap()).collect();
        agents.dedup();
        assert_eq!(
            agents,
            dialects::released().map(|dialect| dialect.id().as_str()).collect::<Vec<&str>>(),
            "{more}: {new:#}"
        );
        for trial in tried {
            let fails = status == 1 && trial["caught"] == true;
            assert_eq!(trial["passed"], !fails, "{more}: {trial:#}");
            assert_eq!(trial["problem"].is_null(), !fails, "{more}: {trial:#}");
        }
    }
    // The first line says that the hook does not do what it was written for.
    let sandbox = Sandbox::new();
    let own = "new --event pre_tool_use --tool Bash --does refuse --agent claude --yes";
    let new = sandbox.run(&format!(r#"{own} --pattern 'echo "x"' --lang none"#)).assert_status(1);
    let first = new.stdout.lines().next().unwrap_or_default();
    assert_eq!(first, " the hook is written, but does not do what it should; `hookbench undo` undoes it");
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(files(&sandbox.project), Vec::<String>::new());
    // A hook that runs a command of the user's is not fired without a question.
    let sandbox = Sandbox::new();
    let line = "new --event stop --does keep --run 'touch ran' --agent claude --yes --format json";
    let new = sandbox.run(line).assert_status(0).json();
    assert_eq!((&new["tried"], sandbox.project.join("ran").exists()), (&json!([]), false));
}

/// A pattern that one command cannot look for is refused before anything is written, with the cure.
#[test]
fn a_pattern_that_cannot_work_writes_nothing() {
    let own = "new --event pre_tool_use --tool Bash --does refuse --agent claude --yes --caught";
    for (example, pattern, language) in
        [("'rm x'", "'^rm'", "none"), ("'rm x'", "'x$'", "none"), ("7", r"'\d'", "none"), ("7", r"'\d'", "bash")]
    {
        let sandbox = Sandbox::new();
        let refused = sandbox.run(&format!("{own} {example} --pattern {pattern} --lang {language}"));
        refused.assert_status(2).assert_stderr(&["does not work", "because of", "choose python or node"]);
        assert_eq!(files(&sandbox.project), Vec::<String>::new(), "{pattern} {language}");
    }
}

/// Also in an agent whose hooks are files, of which each is one hook.
#[test]
fn two_guards_refuse_in_every_agent() {
    let sandbox = Sandbox::new();
    let released = dialects::released().map(|dialect| dialect.id().as_str()).collect::<BTreeSet<&str>>();
    for (language, pattern) in [("python", "rm -rf"), ("bash", "sudo ls"), ("python", "dd if=x")] {
        let new = format!(
            "new --event pre_tool_use --tool Bash --does refuse --pattern '{pattern}' --lang {language} --agent all \
             --yes --format json"
        );
        let written = sandbox.run(&new).assert_status(0).json();
        let tried = written["tried"].as_array().unwrap();
        let caught = tried.iter().filter(|trial| trial["caught"] == true && trial["passed"] == true);
        assert_eq!(caught.map(|trial| trial["agent"].as_str().unwrap()).collect::<BTreeSet<&str>>(), released);
        assert_eq!(sandbox.run(&new).assert_status(0).json()["files"], json!([]), "nothing is written twice");
    }
    // An agent takes three scripts for an event; the others get the fourth guard.
    let fourth =
        "new --event pre_tool_use --tool Bash --does refuse --pattern 'wipefs x' --agent all --yes --format json";
    let written = sandbox.run(fourth).assert_status(0).json();
    let reason = written["left_out"].as_array().unwrap().iter().find(|left| left["agent"] == "cline").unwrap();
    assert_eq!(
        reason["reason"],
        "Cline has a hook in .clinerules/hooks/PreToolUse.sh and in each file beside it for PreToolUse; add \
         `\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/.hooks/refuse-wipefs-x-cline.py\"` to one"
    );
    sandbox.run("test --yes").assert_status(0);
}

/// A place is tried only where the agent reads the settings, and the document says how a session gets there.
#[test]
fn a_hook_is_tried_where_its_agents_read_it() {
    // The agent, whether the project is a repository, whether a session is started below, and whether one goes elsewhere.
    for (agent, is_repository, starts_below, moves) in [
        ("claude", true, false, true),
        ("codex", true, true, true),
        ("codex", false, false, true),
        ("droid", true, true, false),
        ("droid", false, false, false),
        ("gemini", true, false, false),
    ] {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.program("git").program("env");
        if is_repository {
            let made = Command::new("git").args(["init", "--quiet"]).current_dir(&sandbox.project).status();
            assert!(made.unwrap().success());
        }
        let new = sandbox.run(&format!("new sudo --agent {agent} --yes --format json")).assert_status(0).json();
        let tried = new["tried"].as_array().unwrap();
        let below = tried.iter().any(|trial| trial["place"] == "subdirectory" && trial["starts_there"] == true);
        let moved = tried.iter().any(|trial| trial["starts_there"] == false);
        assert_eq!((below, moved), (starts_below, moves), "{agent} {is_repository}: {new:#}");
    }
}

/// `all` means every released agent, also where some of them are not in use.
#[test]
fn all_agents_are_all_agents() {
    let all: Vec<&str> = dialects::released().map(|dialect| dialect.id().as_str()).collect();
    let sandbox = Sandbox::new();
    let named = |agents: &Value, key: &str| -> Vec<String> {
        agents.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    let new = sandbox.run("new sudo --agent all --dry-run --format json").assert_status(0).json();
    let mut agents = [named(&new["settings"], "agent"), named(&new["left_out"], "agent")].concat();
    agents.sort_by_key(|agent| all.iter().position(|one| one == agent));
    // A guard of commands has two events in an agent whose skills run commands.
    agents.dedup();
    assert_eq!(agents, all);
    for (line, list, key) in
        [("doctor --format json", "agents", "agent"), ("list --agent all --format json", "agents", "agent")]
    {
        let doc = sandbox.run(line).json();
        assert_eq!(named(&doc[list], key), all, "{line}: {doc:#}");
    }
    let planned = sandbox.run("plan pre_tool_use --tool Bash --agent all").assert_status(0).stdout;
    let left_out = "Left out: Copilot CLI, Droid, Kimi Code, CodeBuddy Code, Mistral Vibe, Hermes Agent and Cline are not installed and not configured;";
    let words: Vec<&str> = planned.split_whitespace().collect();
    assert!(words.join(" ").contains(left_out), "{planned}");
    let listed = sandbox.run("list").assert_status(0).stdout;
    assert!(listed.contains(&format!("{left_out} --agent all lists every agent")), "{listed}");
}

/// The reason of every refusal reaches the model of every agent, also where one script serves all of them.
#[test]
fn the_reason_reaches_the_model_of_every_agent() {
    for for_all in [true, false] {
        // No hook of an agent whose hooks are scripts says a reason to its model.
        for dialect in dialects::released().filter(|dialect| dialect.settings_format().script.is_none()) {
            let agent = dialect.id().as_str();
            let layer = words_of(agent).layer();
            if for_all && layer == "user" {
                continue;
            }
            for (id, event, wanted) in [
                ("sudo", "pre_tool_use --tool Bash --input '{\"command\": \"sudo ls\"}'", "rights of another user"),
                ("secrets-in-prompt", "user_prompt_submit --set prompt=AKIAIOSFODNN7EXAMPLE", "AWS"),
                ("honest-todo", "stop", "two"),
            ] {
                // What this agent does with a prompt was not observed.
                if agent == "droid" && id == "secrets-in-prompt" {
                    continue;
                }
                // In one agent, exit 2 blocks only tools, and another cannot block a prompt.
                if agent == "vibe" && id != "sudo" || agent == "hermes" && id == "secrets-in-prompt" {
                    continue;
                }
                let sandbox = Sandbox::for_agent(agent);
                for dialect in dialects::released().filter(|_| for_all) {
                    let words = words_of(dialect.id().as_str());
                    sandbox.file(words.settings, words.in_agent_form("{}\n"));
                }
                sandbox.hookbench().file("TODO.md", "- [x] one\n- [ ] two\n");
                let written_for = if for_all { "all" } else { agent };
                sandbox.run(&format!("new {id} --agent {written_for} --layer {layer} --yes")).assert_status(0);
                let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
                sandbox.settings(&settings);
                let fired =
                    sandbox.run(&format!("fire {event} --agent {agent} --yes --format json")).assert_status(0).json();
                let reason = fired["outcome"]["reason"].as_str().unwrap_or_default();
                assert!(reason.contains(wanted), "{id} {agent}, for all: {for_all}: {fired:#}");
                assert_eq!(fired["outcome"]["blocked"], true, "{id} {agent}");
            }
        }
    }
}

#[test]
fn generated_files_are_kept_from_commands_too() {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.run("new generated-files --agent claude --yes").assert_status(0);
    let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
    sandbox.settings(&settings);
    for (command, verdict) in [
        ("echo x > package-lock.json", "deny"),
        ("bash -c 'echo x >> dist/app.js'", "deny"),
        ("sed -i s/a/b/ yarn.lock", "deny"),
        ("cp /tmp/x 'Cargo.lock' <<< x", "deny"),
        ("npm install > log.txt 2>&1", "no_objection"),
        ("cat package-lock.json | grep x", "no_objection"),
        ("rm -rf build", "no_objection"),
    ] {
        let input = json!({ "command": command }).to_string();
        let args = ["fire", "PreToolUse", "--tool", "Bash", "--input", &input, "--yes", "--format", "json"];
        let output = sandbox.command(&args.map(str::to_owned)).output().unwrap();
        let fired: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(fired["outcome"]["verdict"], verdict, "{command}: {fired:#}");
    }
}

/// A guard whose script cannot start blocks, too.
#[test]
fn a_guard_without_its_script_refuses() {
    for_each_agent_of_projects(|agent| {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.run(&format!("new sudo --agent {agent} --yes")).assert_status(0);
        let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
        sandbox.settings(&settings);
        let script = files(&sandbox.project).into_iter().find(|file| file.ends_with("/sudo.py")).unwrap();
        fs::remove_file(script).unwrap();
        let fired = sandbox.run(&format!("fire pre_tool_use --tool Bash --agent {agent} --yes --format json")).json();
        assert_eq!(fired["outcome"]["verdict"], "deny", "{agent}: {fired:#}");
    });
}

/// Every effect in every language, for every agent that can express it.
#[test]
fn hooks_from_a_few_answers() {
    let has_node =
        std::process::Command::new("node").arg("--version").output().is_ok_and(|ended| ended.status.success());
    for does in HookEffect::ALL {
        let event = match does {
            HookEffect::Check | HookEffect::Format => "--event post_tool_use --tool Write",
            HookEffect::Notify => "--event notification",
            HookEffect::Keep => "--event stop",
            _ => "--event pre_tool_use --tool Bash",
        };
        let what = match does {
            HookEffect::Check | HookEffect::Keep | HookEffect::Notify => "--run true",
            HookEffect::Format => "--run 'echo formatted'",
            HookEffect::Change => "--pattern 'npm install' --text 'npm ci' --caught 'npm install x'",
            HookEffect::Context => "--pattern 'rm -rf' --text 'be careful'",
            _ => "--pattern 'rm -rf'",
        };
        for language in Language::ALL {
            let sandbox = Sandbox::new();
            let (does, language) = (does.word(), language.word());
            let line = format!("new {event} --does {does} {what} --lang {language} --name own --agent all --yes");
            // Node is not on every machine; its script is at least linted.
            let runs = language != "node" || has_node;
            if language == "node" && runs {
                sandbox.program("node");
            }
            let written = sandbox.run(&line);
            let script_only = matches!(does, "ask" | "context" | "change" | "format");
            if (language == "none" && script_only) || (language == "bash" && does == "change") {
                written.assert_status(2).assert_stderr(&["choose"]);
                continue;
            }
            if language == "bash" && does == "ask" {
                // One Bash script cannot tell the agents apart.
                written.assert_status(2).assert_stderr(&["choose"]);
                sandbox.run(&line.replace("--agent all", "--agent qwen")).assert_status(0);
            } else {
                // Without its interpreter, a hook does not do what it is for, and `new` says so.
                let is_tried = matches!(does, "refuse" | "ask" | "context" | "change");
                written.assert_status(i32::from(is_tried && !runs));
            }
            if runs {
                sandbox.run("test --yes").assert_status(0);
            }
            let linted = sandbox.run("lint --format json").json();
            // A single command for all agents repeats its reason for the one that needs this; two others ignore it there.
            let is_repeated = |one: &Value| {
                let ignores = matches!(one["agent"].as_str(), Some("qwen" | "codex"));
                language == "none" && one["code"] == "HW602" && ignores
            };
            let is_true = |one: &Value| {
                is_repeated(one)
                    || is_unapproved(one)
                    || does == "check" && one["code"] == "HW205" && one["agent"] == "qwen"
            };
            let found: Vec<&Value> = linted["diagnostics"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["severity"] != "info" && !is_true(one))
                .collect();
            assert_eq!(found, Vec::<&Value>::new(), "{does} {language}");
        }
    }
}

/// Each example fits the pattern, so that the cases of a new hook pass.
#[test]
fn the_examples_of_ones_own_hook_fit_its_pattern() {
    let tool = "--event pre_tool_use --tool Bash --does refuse --agent claude --yes";
    for (more, file, cases) in [
        ("--pattern make", "refuse-make.py", 2),
        ("--pattern 'docker (system|volume) prune'", "refuse-docker-system.py", 1),
        ("--pattern 'docker (system|volume) prune' --caught 'docker system prune -a'", "refuse-docker-system.py", 2),
        ("--pattern '.'", "refuse.py", 0),
    ] {
        let sandbox = Sandbox::new();
        let written = sandbox.run(&format!("new {tool} {more}")).assert_status(0).raw;
        let is_tested = cases == 2;
        assert_eq!(
            written.contains("no case shows that the hook acts; --caught TEXT adds one"),
            !is_tested,
            "{written}"
        );
        assert!(sandbox.project.join(".claude/hooks").join(file).exists(), "{written}");
        if cases > 0 {
            let tested = sandbox.run("test --yes --format json").assert_status(0).json();
            assert_eq!(tested["passed"], json!(cases), "{more}: {tested}");
        }
    }
    let sandbox = Sandbox::new();
    for (line, says) in [
        ("--tool Bash --pattern x --caught y", "the pattern x does not match the example y"),
        ("--tool Bash --pattern x --passes x", "the pattern x also matches the example x"),
    ] {
        let line = format!("new --event pre_tool_use --does refuse {line}");
        sandbox.run(&line).assert_status(2).assert_stderr(&[says]);
    }
    let line = "new --event stop --does refuse --pattern x --tool Bash";
    sandbox.run(line).assert_status(2).assert_stderr(&["the event stop has no tool"]);
}

/// The words of the command, its refusals, and the files of each layer.
#[test]
fn words_and_refusals() {
    let sandbox = Sandbox::new();
    sandbox.file(".claude/settings.json", "{\n  // mine\n  \"hooks\": []\n}\n");
    let all = [
        sandbox.run("new --list").assert_status(0),
        sandbox.run("new honest-todo --agent claude --layer local --dry-run").assert_status(0),
        sandbox.run("new honest-todo --agent claude --layer user --dry-run").assert_status(0),
        sandbox.run("new honest-todo --agent qwen").assert_status(4),
        sandbox.run("new notify --agent codex").assert_status(2),
        sandbox.run("new honest-tdo").assert_status(2),
        sandbox.run("new rm-rf").assert_status(2),
        sandbox.run("new").assert_status(2),
        sandbox.run("new sudo --name ../x").assert_status(2),
        sandbox.run("new sudo --agent claude").assert_status(5),
        sandbox.run("new --event pre_tool_use --does refuse").assert_status(2),
        sandbox.run("new --event pre_tool_use --tool Nothing --does refuse --pattern x").assert_status(2),
        sandbox.run("new --event never --does refuse --pattern x").assert_status(2),
        sandbox.run("new --event pre_tool_use --does refuse --pattern (").assert_status(2),
    ];
    insta::assert_snapshot!("new", outputs(&all));
    sandbox.file(".qwen/hooks/sudo.py", "mine\n");
    sandbox.run("new sudo --agent qwen --yes").assert_status(2).assert_stderr(&["exists", "--name"]);
    assert!(recipe("sudo").is_some());
}

/// An agent that waits for trust is named after the hook is written, with the way to try the hook before.
#[test]
fn missing_trust_is_named() {
    let sandbox = Sandbox::new();
    let done = sandbox.run("new sudo --agent gemini --agent codex --yes").assert_status(0);
    for parts in [
        ["Gemini CLI does not run it yet: the directory is not trusted", "fire BeforeTool --agent gemini --as-trusted"],
        ["Codex does not run it yet: ", "fire PreToolUse --agent codex --as-trusted"],
    ] {
        assert!(parts.iter().all(|part| done.stderr.contains(part)), "{parts:?}\n{done}");
    }
    let trusted = Sandbox::for_agent("gemini").run("new sudo --agent gemini --yes").assert_status(0);
    assert!(!trusted.stderr.contains("does not run it yet"), "{trusted}");
}

#[test]
fn the_agents_of_a_project_are_those_with_files_in_it() {
    let place = Place { project: "/w/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    for (paths, agents) in [
        (&[".claude/settings.json"][..], &["claude"][..]),
        (&[".gemini/settings.json", ".claude/settings.local.json"], &["claude", "gemini"]),
        (&[".github/hooks/guard.json"], &["copilot"]),
        (&[".factory/hooks.json"], &["droid"]),
    ] {
        let mut files = MemoryFiles::default();
        for path in paths {
            files.put(format!("/w/p/{path}"), "{}");
        }
        let found: Vec<&str> = agents_of_project(&place, &files).iter().map(|dialect| dialect.id().as_str()).collect();
        assert_eq!(found, agents, "{paths:?}");
    }
}

/// The agent fires another event for commands in the text of skills. A hook that refuses commands covers both, and one that
/// asks covers only the first, because a skill cannot wait.
#[test]
fn a_guard_of_commands_covers_those_of_skills() {
    let sandbox = Sandbox::for_agent("claude");
    let page = sandbox.run("new git-no-verify --agent claude --yes").assert_status(0).stdout;
    assert!(page.contains("for shell commands in skills and slash commands"), "{page}");
    let commit = json!({"hook_event_name": "PreSkillShellCommand", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "git commit --no-verify -m x"}});
    sandbox.file("payload.json", commit.to_string());
    let fired = sandbox.run("fire --agent claude --payload payload.json --yes --format json").json();
    assert_eq!(fired["outcome"]["blocked"], true, "{fired:#}");
    let asks = sandbox.run("new ask-before-publish --agent claude --dry-run --format json").assert_status(0).json();
    assert_eq!(asks["settings"].as_array().unwrap().len(), 1);
}
