//! The examples at the end of each command's `--help`. A test runs all of them in the sample project.

/// A task, and the command line for it. `@agent` and `@other` are replaced by ids of agents.
pub type Example = (&'static str, &'static str);

/// Commands and their examples.
pub const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "demo",
        &[
            ("Open the sample project", "hookbench demo"),
            ("Open it with another agent, as plain text", "hookbench demo --agent @other --plain"),
        ],
    ),
    (
        "new",
        &[
            ("See the recipes", "hookbench new --list"),
            ("See what a recipe writes", "hookbench new git-force-push --agent @agent --dry-run"),
            (
                "Run your tests before the agent stops",
                "hookbench new --event stop --does keep --run 'make test' --dry-run",
            ),
        ],
    ),
    (
        "fire",
        &[
            ("Run the hooks for a shell command", "hookbench fire pre_tool_use --tool Bash --yes"),
            (
                "Exit with 1 if a hook blocks a payload",
                "hookbench fire --payload payload.json --expect no_objection --yes",
            ),
            (
                "Ask the installed agent too, on a copy of the project",
                "hookbench fire pre_tool_use --tool Bash --yes --verify",
            ),
        ],
    ),
    (
        "plan",
        &[
            ("See which hooks run for a shell command", "hookbench plan pre_tool_use --tool Bash"),
            ("Compare all agents", "hookbench plan pre_tool_use --tool Bash --agent all"),
        ],
    ),
    (
        "match",
        &[
            ("See what a matcher matches in each agent", "hookbench match 'Edit|Write'"),
            ("Check the matcher of a hook", "hookbench match --hook h1"),
        ],
    ),
    (
        "portable",
        &[
            ("See what one hook would lose, and what to change", "hookbench portable h1"),
            ("Try an answer in every agent", "hookbench portable --stdout '{\"decision\": \"block\"}'"),
            ("See which usual answers refuse where", "hookbench portable --answers"),
        ],
    ),
    (
        "convert",
        &[
            ("See what would change and what is lost", "hookbench convert --from @agent --to @other"),
            ("Write the converted hooks", "hookbench convert --from @agent --to @other --yes"),
            ("Run the scripts unchanged", "hookbench convert --from @agent --to @other --adapt"),
        ],
    ),
    (
        "adapt",
        &[(
            "Give a script the payload of another agent",
            "hookbench adapt --from @agent -- hooks/guard.sh < payload.json",
        )],
    ),
    (
        "lint",
        &[
            ("Check the hooks of all agents", "hookbench lint"),
            ("Apply all safe fixes", "hookbench lint --fix --yes"),
            ("Write a report for code scanning", "hookbench lint --format sarif"),
        ],
    ),
    (
        "explain",
        &[("Explain a code", "hookbench explain HW301"), ("List the codes about matchers", "hookbench explain HW3")],
    ),
    (
        "why",
        &[
            ("Check a hook by its name", "hookbench why audit.py"),
            ("Check it for one event", "hookbench why audit.py pre_tool_use --tool Bash"),
        ],
    ),
    (
        "list",
        &[
            ("List the hooks of all agents", "hookbench list"),
            ("List those of one agent as JSON", "hookbench list --agent @agent --format json"),
        ],
    ),
    (
        "stress",
        &[
            ("Find commands that a guard does not refuse", "hookbench stress guard.sh --yes"),
            (
                "Fail a build if a guard refuses too few of them",
                "hookbench stress guard.sh --yes --variants-only --min 10",
            ),
            ("Keep them as test cases", "hookbench stress guard.sh --yes --variants-only --save-misses"),
        ],
    ),
    (
        "test",
        &[
            ("Run every suite of the project", "hookbench test --yes"),
            ("Write a JUnit report", "hookbench test --yes --format junit"),
            ("Accept the current results as expected", "hookbench test --update --yes"),
        ],
    ),
    (
        "report merge",
        &[
            ("Run the parts of a test run", "hookbench test --yes --shard 1/2 --format json > part-1.json"),
            ("Run the second part", "hookbench test --yes --shard 2/2 --format json > part-2.json"),
            ("Merge them into one report", "hookbench report merge part-1.json part-2.json --format junit"),
        ],
    ),
    (
        "import",
        &[
            ("List the agents' sessions of this project", "hookbench import"),
            ("Store the events of a session file", "hookbench import session.jsonl"),
            ("Convert a session file to JSON lines", "hookbench import session.jsonl --to events.jsonl"),
        ],
    ),
    (
        "replay",
        &[
            ("Compare a session with the current settings", "hookbench replay session.jsonl"),
            ("Run the hooks too", "hookbench replay session.jsonl --run --yes"),
            ("Compare the current settings with a commit", "hookbench replay session.jsonl --baseline git:HEAD"),
        ],
    ),
    (
        "db",
        &[
            ("Find denied shell commands", "hookbench db list --filter '~t Bash ~v deny'"),
            ("Keep one for good", "hookbench db mark 1"),
        ],
    ),
    ("db stat", &[("Show the number of events and the size of the store", "hookbench db stat")]),
    (
        "db list",
        &[
            ("List the newest events", "hookbench db list --limit 20"),
            ("List denied shell commands", "hookbench db list --filter '~t Bash ~v deny'"),
        ],
    ),
    ("db show", &[("Show an event, and what its hooks could have read", "hookbench db show 1")]),
    ("db mark", &[("Mark an event", "hookbench db mark 1")]),
    ("db comment", &[("Add a comment to an event", "hookbench db comment 1 'too strict'")]),
    ("db filters", &[("Explain all filters", "hookbench db filters")]),
    ("db export", &[("Export the marked events", "hookbench db export --filter ~marked --output marked.jsonl")]),
    ("db purge", &[("Delete what is older than 30 days", "hookbench db purge --before 30d --yes")]),
    ("db vacuum", &[("Free the space of deleted events", "hookbench db vacuum")]),
    ("db reindex", &[("Rebuild the search index", "hookbench db reindex")]),
    ("db set-aside", &[("Begin with an empty store", "hookbench db set-aside")]),
    (
        "install",
        &[
            ("See what would be written", "hookbench install --agent @agent --dry-run"),
            (
                "Install two events without a question",
                "hookbench install --agent @agent --events pre_tool_use,stop --yes",
            ),
        ],
    ),
    ("uninstall", &[("Remove the forwarding hooks", "hookbench uninstall --agent @agent --yes")]),
    (
        "guard",
        &[
            ("See what the guards would have refused in your recorded sessions", "hookbench guard try"),
            ("See the modes and the findings", "hookbench guard list"),
        ],
    ),
    (
        "guard install",
        &[
            ("See what would be written", "hookbench guard install response todo --agent @agent --dry-run"),
            (
                "Install a guard in the project",
                "hookbench guard install malicious --agent @agent --scope project --yes",
            ),
        ],
    ),
    ("guard list", &[("See the modes and the findings", "hookbench guard list")]),
    (
        "guard try",
        &[
            ("Try the recommended rules on the last 30 days", "hookbench guard try"),
            ("Try all rules of a guard on a session file", "hookbench guard try session.jsonl --guard quality --all"),
        ],
    ),
    (
        "guard mode",
        &[
            ("Let a guard refuse", "hookbench guard mode todo deny --yes"),
            ("Only warn about one rule", "hookbench guard mode todo warn --rule TV-R5 --yes"),
        ],
    ),
    ("guard judge", &[("Judge a finding", "hookbench guard judge 0123456789ab wrong")]),
    (
        "guard allow",
        &[("Allow a variable in this project", "hookbench guard allow MB-R2 --text SKIP_TESTS --reason nightly --yes")],
    ),
    ("server", &[("Serve an editor", "hookbench server")]),
    (
        "serve",
        &[
            ("Print the events of running agents", "hookbench serve"),
            ("Print them as JSON lines", "hookbench serve --format jsonl"),
        ],
    ),
    (
        "events",
        &[
            ("List the events of all agents", "hookbench events"),
            ("Show one event with its fields and answers", "hookbench events pre_tool_use --agent @agent"),
        ],
    ),
    (
        "tools",
        &[
            ("List the tools of all agents", "hookbench tools"),
            ("Find out what each agent calls a tool", "hookbench tools Bash"),
        ],
    ),
    (
        "schema",
        &[
            ("Print all schemas", "hookbench schema"),
            ("Print the schema of test suites", "hookbench schema suite"),
            ("Print the schema of an agent's settings", "hookbench schema settings --agent @agent"),
        ],
    ),
    (
        "config",
        &[
            ("Print all settings and their defaults", "hookbench config"),
            ("Check your configuration file", "hookbench config --check"),
        ],
    ),
    (
        "calibrate",
        &[
            ("Check every installed agent", "hookbench calibrate"),
            ("Check one agent with the most important probes", "hookbench calibrate --agent @agent --quick"),
        ],
    ),
    ("doctor", &[("Check the installation", "hookbench doctor")]),
    ("diff", &[("Compare two recorded events", "hookbench diff 1 2")]),
    (
        "stats",
        &[
            ("Show the times of all hooks, the slowest first", "hookbench stats"),
            (
                "Those of one tool, as a page for others",
                "hookbench stats --filter '~t Bash' --format html > stats.html",
            ),
        ],
    ),
    (
        "undo",
        &[
            ("List the changes that can be undone", "hookbench undo --list"),
            ("Fix the hooks, and undo the fix", "hookbench lint --fix --yes; hookbench undo --yes"),
        ],
    ),
    (
        "completions",
        &[(
            "Complete commands in bash from the next session",
            "echo 'source <(hookbench completions bash)' >> ~/.bashrc",
        )],
    ),
    (
        "man",
        &[
            ("Read a page", "hookbench man fire | man -l -"),
            ("Write all pages", "hookbench man --dir ~/.local/share/man/man1"),
        ],
    ),
    (
        "tui",
        &[(
            "Fire an event in the sample project and print the screen",
            "echo 'key f' | hookbench tui --demo --script - --yes --dump",
        )],
    ),
];
