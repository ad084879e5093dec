//! `--agent-args`: the hooks that run when an agent is started with these arguments, as seen on the real programs on 28
//! November 2026 (Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102, Droid 0.225.2), and for Qwen
//! Code 0.24.4 from its own switches.

use hookbench::core::config::{AgentArguments, FlagEffect, LayerState, LoadedConfig, MemoryFiles, Place};
use hookbench::core::dialects::{self, Agent};
use pretty_assertions::assert_eq;

/// The hooks of a file: one on the event, that runs this command.
fn hooks(event: &str, command: &str) -> String {
    format!(r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#)
}

fn load(agent: &'static Agent, arguments: &str, files: &[(&str, String)]) -> LoadedConfig {
    let words = AgentArguments::split(arguments).unwrap();
    let place = Place {
        project: "/w/p".to_owned(),
        home: "/h".to_owned(),
        arguments: dialects::arguments_for(&words, Some(agent.id())),
        ..Place::default()
    };
    let mut memory = MemoryFiles::default();
    for (path, text) in files {
        memory.put(*path, text);
    }
    (*agent.load(&place, &memory, &dialects::default_version(agent))).clone()
}

/// The commands that run, in alphabetical order; `refused` if the agent does not start.
fn running(loaded: &LoadedConfig) -> String {
    if loaded.refusal.is_some() {
        return "refused".to_owned();
    }
    let none = loaded.hooks_off.is_some();
    let alive = loaded.definitions.iter().filter(|d| d.rejection.is_none() && !none);
    let mut names: Vec<String> = alive.map(|d| d.handler.text()).collect();
    names.sort();
    names.join(" ")
}

fn check(agent: &str, files: &[(&str, String)], cases: &[(&str, &str)]) {
    let agent = dialects::by_id(agent).unwrap();
    for (arguments, want) in cases {
        assert_eq!(running(&load(agent, arguments, files)), *want, "{agent:?} {arguments}");
    }
}

#[test]
fn settings_and_sources_of_claude() {
    let event = "UserPromptSubmit";
    let with = |command: &str, more: &str| hooks(event, command).replacen('{', &format!("{{{more}, "), 1);
    let files = [
        ("/h/.claude/settings.json", hooks(event, "u")),
        ("/w/p/.claude/settings.json", hooks(event, "p")),
        ("/w/p/.claude/settings.local.json", hooks(event, "l")),
        ("/w/p/ci.json", hooks(event, "f")),
        ("/w/p/bad.json", "{bad".to_owned()),
        ("/w/p/empty.json", String::new()),
        ("/w/p/list.json", "[]".to_owned()),
        ("/w/p/schema.json", with("f", r#""model": 5"#)),
        ("/h/ci.json", hooks(event, "f")),
        ("/w/p/plug/.claude-plugin/plugin.json", r#"{"name": "pl"}"#.to_owned()),
        ("/w/p/plug/hooks/hooks.json", hooks(event, "q")),
        ("/w/p/same/.claude-plugin/plugin.json", r#"{"name": "pl"}"#.to_owned()),
        ("/w/p/same/hooks/hooks.json", hooks(event, "s")),
        ("/w/p/bare/hooks/hooks.json", hooks(event, "b")),
        ("/w/p/wrong/.claude-plugin/plugin.json", "{bad".to_owned()),
        ("/w/p/wrong/hooks/hooks.json", hooks(event, "w")),
        ("/w/p/many/a/hooks/hooks.json", hooks(event, "a")),
        ("/w/p/many/c/hooks/hooks.json", hooks(event, "c")),
    ];
    let inline = format!("--settings '{}'", hooks(event, "f"));
    let off = format!("--settings '{}'", with("f", r#""disableAllHooks": true"#));
    check(
        "claude",
        &files,
        &[
            ("", "l p u"),
            ("claude -p 'fix it' --model x --allowedTools Bash Read", "l p u"),
            ("--setting-sources user", "u"),
            ("--setting-sources project", "p"),
            ("--setting-sources=local", "l"),
            ("--setting-sources user,project", "p u"),
            ("--setting-sources 'user, local'", "l u"),
            ("--setting-sources ''", ""),
            ("--setting-sources user --setting-sources local", "l"),
            ("--setting-sources bogus", "refused"),
            ("--setting-sources User", "refused"),
            ("--settings ci.json", "f l p u"),
            ("--settings=ci.json --setting-sources project", "f p"),
            ("--settings ~/ci.json", "refused"),
            ("--settings nope.json", "refused"),
            ("--settings '{bad}'", "refused"),
            ("--settings '{bad'", "refused"),
            ("--settings '[]'", "refused"),
            ("--settings ''", "l p u"),
            ("--settings bad.json", "l p u"),
            ("--settings empty.json", "l p u"),
            ("--settings list.json", "l p u"),
            ("--settings schema.json", "l p u"),
            ("--settings nope.json --settings ci.json", "f l p u"),
            (&inline, "f l p u"),
            (&off, ""),
            (&format!("{off} --plugin-dir plug"), ""),
            ("--bare", ""),
            (&format!("--bare {inline}"), ""),
            ("--bare --plugin-dir plug", ""),
            ("--safe-mode", ""),
            (&format!("--safe-mode {inline}"), ""),
            ("--restricted", ""),
            (&format!("--restricted {inline}"), "f"),
            ("--restricted --plugin-dir plug", "q"),
            ("--plugin-dir plug", "l p q u"),
            ("--plugin-dir /w/p/plug", "l p q u"),
            ("--plugin-dir bare", "b l p u"),
            ("--plugin-dir many", "a c l p u"),
            ("--plugin-dir nope", "l p u"),
            ("--plugin-dir plug bare", "l p q u"),
            ("--plugin-dir plug,bare", "l p u"),
            ("--plugin-dir plug --plugin-dir bare", "b l p q u"),
            ("--plugin-dir plug --plugin-dir same", "l p q u"),
            ("--plugin-dir wrong", "l p u"),
            ("--setting-sources '' --plugin-dir plug", "q"),
            (r#"--plugin-dir plug --settings '{"enabledPlugins": {"pl@inline": false}}'"#, "l p u"),
            (r#"--plugin-dir bare --settings '{"enabledPlugins": {"bare@inline": false}}'"#, "l p u"),
        ],
    );
}

#[test]
fn agents_and_skills_of_claude() {
    let front = |name: &str| {
        format!(
            "---\nname: {name}\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: {name}\n---\n"
        )
    };
    let agent = |hook: &str| format!(r#"{{"rev": {{"description": "d", "prompt": "p", "hooks": {{{hook}}}}}}}"#);
    let good = agent(r#""PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}]"#);
    let files = [
        ("/h/.claude/agents/ua.md", front("ua")),
        ("/w/p/.claude/agents/pa.md", front("pa")),
        ("/w/p/.claude/agents/rev.md", front("rev")),
        ("/h/.claude/skills/us/SKILL.md", front("us")),
        ("/w/p/ag.json", good.clone()),
    ];
    check(
        "claude",
        &files,
        &[
            ("", "pa rev ua us"),
            ("--disable-slash-commands", "pa rev ua"),
            ("--setting-sources user", "ua us"),
            ("--setting-sources project", "pa rev"),
            ("--setting-sources local", ""),
            ("--restricted --agents ag.json", "a"),
            ("--setting-sources '' --agents ag.json", "a"),
            (&format!("--agents '{good}'"), "a pa ua us"),
            ("--bare --agents ag.json", ""),
            ("--agents nope.json", "refused"),
            ("--agents '{bad}'", "refused"),
            (r#"--agents '{"rev": {"prompt": "p"}}'"#, "refused"),
            (&format!("--agents '{}'", agent(r#""PreToolUse": [{"hooks": [{"type": "command"}]}]"#)), "refused"),
            (&format!("--agents '{}'", agent(r#""PreToolUse": "x""#)), "refused"),
            (&format!("--agents '{}'", agent(r#""Nope": []"#)), "refused"),
        ],
    );
}

#[test]
fn overrides_and_profiles_of_codex() {
    let event = "UserPromptSubmit";
    let toml = |command: &str| {
        format!("[[hooks.{event}]]\n[[hooks.{event}.hooks]]\ntype = 'command'\ncommand = '{command}'\n")
    };
    let given = |command: &str| format!(r#"[{{hooks=[{{type="command",command="{command}"}}]}}]"#);
    let trusted = "[projects.'/w/p']\ntrust_level = 'trusted'\n";
    let files = [
        ("/h/.codex/config.toml", format!("{trusted}{}", toml("t"))),
        ("/h/.codex/hooks.json", hooks(event, "u")),
        ("/w/p/.codex/hooks.json", hooks(event, "p")),
        ("/h/.codex/ci.config.toml", toml("ci")),
        ("/h/.codex/off.config.toml", "[features]\nhooks = false\n".to_owned()),
        ("/h/.codex/bad.config.toml", "x=".to_owned()),
    ];
    let all = "--dangerously-bypass-hook-trust";
    let c = |value: &str| format!("{all} -c '{value}'");
    let hooks_of = |command: &str| format!("hooks.{event}={}", given(command));
    check(
        "codex",
        &files,
        &[
            ("", ""),
            ("codex exec --skip-git-repo-check --json 'go'", ""),
            (all, "p t u"),
            (&format!("-c '{}'", hooks_of("c")), ""),
            (&c(&hooks_of("c")), "c p t u"),
            (&format!("{all} --config='{}'", hooks_of("c")), "c p t u"),
            (&format!("{all} -c'{}'", hooks_of("c")), "c p t u"),
            (&c(&format!("hooks={{{event}={}}}", given("c"))), "c p t u"),
            (&format!("{} -c '{}'", c(&hooks_of("c")), hooks_of("d")), "d p t u"),
            (&format!("{} -c 'hooks.SessionStart={}'", c(&hooks_of("c")), given("d")), "c d p t u"),
            (&c(&format!("hooks.\"{event}\"={}", given("c"))), "p t u"),
            (&c("features.hooks=false"), ""),
            (&c("features={hooks=false}"), ""),
            (&c("features.codex_hooks=false"), ""),
            (&c("foo.bar=1"), "p t u"),
            (&c("hooks=5"), "refused"),
            (&c("hooks.UserPromptSubmit=5"), "refused"),
            (&c("hooks.UserPromptSubmit=[{"), "refused"),
            (&c(r#"hooks.UserPromptSubmit=[{hooks=[{type="command"}]}]"#), "refused"),
            (&c("tui=5"), "refused"),
            (&c("foo"), "refused"),
            (&format!("{all} --disable hooks"), ""),
            (&format!("{all} --disable codex_hooks"), ""),
            (&format!("{all} --enable hooks"), "p t u"),
            (&format!("{all} --disable hooks --enable hooks"), ""),
            (&format!("{all} --disable hooks -c features.hooks=true"), ""),
            (&format!("{all} --disable codex_hooks --enable hooks"), "p t u"),
            (&format!("{all} --disable hooks --enable codex_hooks"), ""),
            (&format!("{all} --enable collab"), "p t u"),
            (&format!("{all} --enable no_such_feature"), "refused"),
            (&format!("{all} --disable=no_such_feature"), "refused"),
            (&format!("{all} --enable Hooks"), "refused"),
            (&format!("{all} --enable hooks,apps"), "refused"),
            (&c("features.no_such_feature=true"), "p t u"),
            (&format!("{all} -p ci"), "ci p t u"),
            (&format!("{all} --profile=off"), ""),
            (&format!("{all} -p off -c features.hooks=true"), "p t u"),
            (&format!("{all} -p bad"), "refused"),
            (&format!("{all} -p nope"), "p t u"),
            (&c(r#"projects."/w/p".trust_level="untrusted""#), "p t u"),
            (&c(r#"projects={"/w/p"={trust_level="untrusted"}}"#), "t u"),
            (&format!("{all} --ignore-user-config"), "u"),
            (&format!("{all} --ignore-user-config --trust"), "p u"),
        ],
    );
    let old = [("/h/.codex/config.toml", "[profiles.old]\nmodel = 'x'\n".to_owned())];
    check("codex", &old, &[("-p old", "refused"), ("-p other", "")]);
}

#[test]
fn a_review_can_be_given_with_the_hook() {
    let agent = dialects::by_id("codex").unwrap();
    let hook = r#"-c 'hooks.UserPromptSubmit=[{hooks=[{type="command",command="c"}]}]'"#;
    let files = [("/h/.codex/config.toml", String::new())];
    let loaded = load(agent, hook, &files);
    let waits = loaded.definitions[0].rejection.as_ref().unwrap();
    // The key and the form of the review are those of the real program.
    let key = "/<session-flags>/config.toml:user_prompt_submit:0:0";
    let wrong = format!(r#"{hook} -c 'hooks.state={{"{key}"={{trusted_hash="sha256:0"}}}}'"#);
    let changed = load(agent, &wrong, &files);
    let changed = changed.definitions[0].rejection.as_ref().unwrap();
    assert_eq!((waits.rule.as_str(), changed.rule.as_str()), ("trust.new", "trust.changed"));
}

#[test]
fn trust_and_extensions_of_gemini_and_qwen() {
    let event = "BeforeAgent";
    let files = [
        ("/h/.gemini/settings.json", hooks(event, "u")),
        ("/w/p/.gemini/settings.json", hooks(event, "p")),
        ("/h/.gemini/extensions/aa/gemini-extension.json", r#"{"name": "aa", "version": "1"}"#.to_owned()),
        ("/h/.gemini/extensions/aa/hooks/hooks.json", hooks(event, "a")),
        ("/h/.gemini/extensions/bb/gemini-extension.json", r#"{"name": "bb", "version": "1"}"#.to_owned()),
        ("/h/.gemini/extensions/bb/hooks/hooks.json", hooks(event, "b")),
    ];
    check(
        "gemini",
        &files,
        &[
            ("--skip-trust", "a b u"),
            ("--skip-trust -e none", "u"),
            ("--skip-trust --extensions AA", "a u"),
            ("--skip-trust -e 'aa, bb'", "a b u"),
            ("--skip-trust -e aa -e bb", "a b u"),
            ("--skip-trust -e zz", "u"),
            ("--skip-trust -e ''", "u"),
            ("--skip-trust -e none -e aa", "a u"),
        ],
    );
    let files = [("/w/p/.qwen/settings.json", hooks("PreToolUse", "p"))];
    check("qwen", &files, &[("", "p"), ("-y -m x", "p"), ("--bare", ""), ("--safe-mode", "")]);
}

#[test]
fn plugins_of_copilot_and_settings_of_droid() {
    let entry = |command: &str| {
        format!(r#"{{"version": 1, "hooks": {{"userPromptSubmitted": [{{"type": "command", "bash": "{command}"}}]}}}}"#)
    };
    let plugin = |more: &str| format!(r#"{{"name": "pl", "version": "1.0.0"{more}}}"#);
    let inline = r#", "hooks": {"userPromptSubmitted": [{"type": "command", "bash": "i"}]}"#;
    let files = [
        ("/h/.copilot/hooks/u.json", entry("u")),
        ("/w/p/.github/hooks/p.json", entry("p")),
        ("/w/p/named/plugin.json", plugin(r#", "hooks": "h.json""#)),
        ("/w/p/named/h.json", entry("n")),
        ("/w/p/inline/plugin.json", plugin(inline)),
        ("/w/p/usual/plugin.json", plugin("")),
        ("/w/p/usual/hooks.json", entry("k")),
        ("/w/p/usual/hooks/hooks.json", entry("q")),
        ("/w/p/other/.claude-plugin/plugin.json", plugin("")),
        ("/w/p/other/hooks/hooks.json", hooks("UserPromptSubmit", "c")),
    ];
    check(
        "copilot",
        &files,
        &[
            ("--allow-all-tools", "u"),
            ("--yolo", "u"),
            ("--trust-folder", "p u"),
            ("--plugin-dir named", "n u"),
            ("--plugin-dir inline", "i u"),
            ("--plugin-dir usual", "k u"),
            ("--plugin-dir /w/p/other", "c u"),
            ("--plugin-dir nope", "u"),
        ],
    );
    let event = "SessionStart";
    let files = [
        ("/h/.factory/settings.json", hooks(event, "u")),
        ("/w/p/.factory/settings.json", hooks(event, "p")),
        ("/w/p/ci.json", format!("// c\n{}", hooks(event, "f"))),
        ("/w/p/k.json", hooks(event, "k")),
        ("/h/h.json", hooks(event, "h")),
        ("/w/p/bad.json", "{bad".to_owned()),
        ("/w/p/hook.json", hooks(event, "f").replace(r#", "command": "f""#, "")),
    ];
    check(
        "droid",
        &files,
        &[
            ("exec --skip-permissions-unsafe go", "p u"),
            ("--settings ci.json", "f p u"),
            ("--settings ci.json --settings k.json", "k p u"),
            ("--settings ~/h.json", "h p u"),
            ("--settings nope.json", "refused"),
            ("--settings bad.json", "p u"),
            ("--settings hook.json", "p u"),
            (r#"--settings '{"hooks": {}}'"#, "refused"),
        ],
    );
}

#[test]
fn each_layer_of_an_argument_names_it() {
    let claude = dialects::by_id("claude").unwrap();
    let files = [("/w/p/ci.json", hooks("Stop", "f")), ("/w/p/.claude/settings.json", hooks("Stop", "p"))];
    let loaded = load(claude, "--settings ci.json --setting-sources user", &files);
    let said: Vec<(String, LayerState, &str)> = loaded
        .existing_layers()
        .map(|layer| (layer.file.clone(), layer.state, layer.message.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(
        said,
        [
            (
                ".claude/settings.json".to_owned(),
                LayerState::Off,
                "`--setting-sources user` excludes the project settings"
            ),
            ("ci.json".to_owned(), LayerState::Read, "an argument of the agent gives it: --settings"),
        ]
    );
    let left_out = loaded.definitions[0].rejection.as_ref().unwrap();
    assert_eq!(left_out.rule.as_str(), "switch.argument");
}

#[test]
fn an_argument_that_is_not_followed_is_a_finding() {
    for agent in dialects::released() {
        let flags = agent.flags();
        assert!(!flags.is_empty(), "{agent:?}");
        for (index, flag) in flags.iter().enumerate() {
            for name in flag.names {
                assert!(name.starts_with('-') && name.len() > 1, "{agent:?} {name}");
                let twice = flags.iter().skip(index + 1).any(|other| other.names.contains(name));
                assert!(!twice, "{agent:?} has {name} twice");
                let words = [(*name).to_owned(), "v".to_owned()];
                let place = Place { arguments: dialects::arguments_for(&words, Some(agent.id())), ..Place::default() };
                let problems = agent.given_flags(&place).problems(agent.name());
                assert_eq!(problems.len(), usize::from(matches!(flag.effect, FlagEffect::NotFollowed(_))), "{name}");
            }
        }
        let words = ["--frobnicate=1".to_owned()];
        let place = Place { arguments: dialects::arguments_for(&words, Some(agent.id())), ..Place::default() };
        let problems = agent.given_flags(&place).problems(agent.name());
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("--frobnicate of"), "{problems:?}");
    }
}
