//! Finds the programs that a script in Python or JavaScript starts, if its text names them plainly, and those that it
//! looks for before.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A program as the only or first element of the arguments.
static ARGUMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let calls = r"subprocess\.(?:run|call|check_call|check_output|Popen)|\bspawn(?:Sync)?|\bexecFile(?:Sync)?";
    Regex::new(&format!(r#"(?:{calls})\s*\(\s*\[?\s*["']([A-Za-z0-9][A-Za-z0-9._+-]*)["']"#)).ok()
});
/// A program as the first word of a command line.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\bexecSync|\bos\.system|subprocess\.getoutput)\s*\(\s*["'`]([A-Za-z0-9][A-Za-z0-9._+-]*)[\s"'`]"#)
        .ok()
});
/// The first two elements of a list of arguments, in a call that does not set a directory.
static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let calls = r"subprocess\.(?:run|call|check_call|check_output|Popen)";
    Regex::new(&format!(r#"(?:{calls})\s*\(\s*\[\s*["']([^"'\n]+)["'](?:\s*,\s*["']([^"'\n]+)["'])?([^\n]*)"#)).ok()
});
/// A search for a program.
static SEARCH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\bwhich(?:\.sync|Sync)?\s*\(\s*["']([A-Za-z0-9][A-Za-z0-9._+-]*)["']"#).ok());

/// The programs that a script starts, each once with the place of its name.
pub fn started_programs(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    for name in [&ARGUMENT, &LINE].into_iter().filter_map(|regex| regex.as_ref()).flat_map(|regex| names(regex, text)) {
        if !found.iter().any(|(known, _)| *known == name.0) {
            found.push(name);
        }
    }
    found.sort_by_key(|(_, at)| at.start);
    found
}

/// A name with its place.
type NamedPlace = (String, Range<usize>);

/// The lists of arguments with which a script in Python starts programs in its own directory: the program, and the first
/// argument if it is a literal.
pub fn started_lists(text: &str) -> Vec<(NamedPlace, Option<NamedPlace>)> {
    let named = |part: regex::Match<'_>| (part.as_str().to_owned(), part.range());
    let lists = LIST.iter().flat_map(|regex| regex.captures_iter(text));
    let here = lists.filter(|list| !list.get(3).is_some_and(|rest| rest.as_str().contains("cwd")));
    here.filter_map(|list| Some((named(list.get(1)?), list.get(2).map(named)))).collect()
}

/// The programs that a script looks for.
pub fn searched_programs(text: &str) -> Vec<String> {
    SEARCH.as_ref().map(|regex| names(regex, text).map(|(name, _)| name).collect()).unwrap_or_default()
}

/// The first group of each match outside of a comment.
fn names<'a>(regex: &'a Regex, text: &'a str) -> impl Iterator<Item = (String, Range<usize>)> + 'a {
    let groups = regex.captures_iter(text).filter_map(|found| found.get(1));
    let groups = groups.filter(|name| {
        let line = text.get(..name.start()).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        !line.trim_start().starts_with(['#', '*']) && ![" #", "//"].iter().any(|comment| line.contains(comment))
    });
    groups.map(|name| (name.as_str().to_owned(), name.range()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_where_they_are_started() {
        for (text, want) in [
            ("subprocess.run([\"jq\", \".x\"], check=True)", "jq"),
            ("subprocess.check_output(\n    ['git', 'diff'])\nos.system('npx prettier .')", "git npx"),
            ("execSync(`gh pr view`); spawnSync('node', ['x.js'])", "gh node"),
            ("/re/.exec('text'); run(['other']); # subprocess.run(['comment'])", ""),
            ("subprocess.run(['./x.sh']); subprocess.run(command); subprocess.run(\"jq . x\", shell=True)", ""),
            ("subprocess.run(['jq']); subprocess.run(['jq'])", "jq"),
        ] {
            let names: Vec<String> = started_programs(text).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
        assert_eq!(searched_programs("if shutil.which(\"jq\") is None: sys.exit(0)\nwhichever('x')"), ["jq"]);
    }
}
