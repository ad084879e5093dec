//! `stress` of the recipes: what each refuses, and whether it says what it misses.

use hookbench::core::recipe::recipe;

use crate::sandbox::Sandbox;

/// The explanations of variants that recipes do not refuse, and the words with which a recipe must say so.
const KNOWN_MISSES: [(&str, &str); 12] = [
    ("the function passes its arguments to the program", "a shell function with arguments"),
    ("the variables set an alias for this command", "an alias"),
    ("the alias runs the same subcommand", "an alias"),
    ("Git finds no hooks in this directory", "core.hooksPath in the git configuration"),
    ("the configured refspec forces the update", "a push option in the git configuration"),
    ("`+` before a refspec forces its update", "one such as heads/main"),
    ("eval runs the value as a command", "code in a variable"),
    ("the pattern matches exactly this program", "a shell that a glob names"),
    ("the package manager installs the same package", "npm where no lock file names another one"),
    ("xargs ", "that xargs, read or a loop inserts"),
    ("the shell replaces the variable by its value", "that xargs, read or a loop inserts"),
    ("read stores the line in the variable", "that xargs, read or a loop inserts"),
];

/// Without a payload, `stress` finds a deed that the recipe refuses. The recipe refuses its variants, and says which it
/// misses.
#[test]
fn recipes_refuse_their_family_and_say_what_they_miss() {
    for id in [
        "secrets-in-prompt",
        "package-manager",
        "generated-files",
        "ask-before-publish",
        "git-no-verify",
        "git-force-push",
        "curl-pipe-shell",
        "rm-outside-project",
    ] {
        let sandbox = Sandbox::for_agent("claude");
        sandbox.program("env");
        sandbox.run(&format!("new {id} --agent claude --yes")).assert_status(0);
        let done = sandbox.run(&format!("stress {id}.py --agent claude --yes --variants-only --min 90% --format json"));
        let doc = done.assert_status(0).json();
        let rows = doc["rows"].as_array().unwrap();
        assert!(rows.len() > 6, "{id}: {doc}");
        let said = recipe(id).unwrap().misses.as_str();
        for row in rows.iter().filter(|row| row["result"] != "refused") {
            let (variant, why) = (row["variant"].as_str().unwrap(), row["why_the_same"].as_str().unwrap());
            let known = KNOWN_MISSES.iter().find(|(start, _)| why.starts_with(start));
            let (_, words) = known.unwrap_or_else(|| panic!("{id} misses {variant:?} ({why})"));
            assert!(said.contains(words), "{id} misses {variant:?}, but says only: {said}");
        }
    }
}
