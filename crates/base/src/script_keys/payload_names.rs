//! The variables of a script that hold the payload or a part of it, judging from their assignments.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Expressions that read the payload.
static SOURCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        \bjq\b | \$\(\s*cat\s*-?\s*\) | </dev/stdin | \bjson\.loads?\( | \bJSON\.parse\( | \bdecode_json\b
        | \bsys\.stdin\b | \$stdin\b | \bSTDIN\b | \bprocess\.stdin\b | readFileSync\(\s*(?:0|["']/dev/stdin)
        "#,
    )
    .ok()
});
/// Expressions that read another file.
static OTHER_FILE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\.json\b["']?|\bopen\(|\bread_text\(|\bjq\s+-\w*n"#).ok());
/// `name = value` in shell, Python, JavaScript, Ruby and Perl, with the names and the value.
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:(?:const|let|var|my|local|export|readonly|declare)\s+)?([$@]?[A-Za-z_]\w*|[{\[(][^={}()]*[}\])])\s*(?::[^=]+)?=([^=~>].*)$",
    )
    .ok()
});
/// A function with its parameters.
static FUNCTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:async\s+)?(?:def|function)\s+(\w+)\s*\(([^)]*)\)").ok());
static LOOP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*for\s+\(?\s*(?:const\s+|let\s+)?(\w+)\s+(?:in|of)\s+(.*)$").ok());
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*").ok());

/// The names of the variables that hold data of the payload.
pub(super) struct PayloadNames {
    names: BTreeSet<String>,
}

impl PayloadNames {
    pub fn of(lines: &[&str]) -> PayloadNames {
        let mut values = PayloadNames { names: BTreeSet::new() };
        // A function may be defined above the code that calls it.
        for _ in 0..3 {
            let before = values.names.len();
            values.read(lines);
            if values.names.len() == before {
                break;
            }
        }
        values
    }

    fn read(&mut self, lines: &[&str]) {
        let (Some(assignment), Some(function), Some(each)) = (ASSIGNMENT.as_ref(), FUNCTION.as_ref(), LOOP.as_ref())
        else {
            return;
        };
        for line in lines {
            let assigned = assignment.captures(line).or_else(|| each.captures(line));
            if let Some(found) = assigned
                && let (Some(names), Some(value)) = (found.get(1), found.get(2))
                && self.mentions(value.as_str())
            {
                self.add_words(names.as_str());
            }
            if let Some(found) = function.captures(line)
                && let (Some(name), Some(parameters)) = (found.get(1), found.get(2))
                && self.is_called(lines, name.as_str())
            {
                for parameter in parameters.as_str().split(',') {
                    let name = parameter.split([':', '=']).next().unwrap_or("");
                    self.add_words(name);
                }
            }
        }
    }

    fn add_words(&mut self, names: &str) {
        const NEVER: [&str; 4] = ["self", "this", "_", "ok"];
        let words = WORD.as_ref().into_iter().flat_map(|word| word.find_iter(names)).map(|word| word.as_str());
        self.names.extend(words.filter(|word| !NEVER.contains(word)).map(str::to_owned));
    }

    /// Whether a function is called with data of the payload.
    fn is_called(&self, lines: &[&str], name: &str) -> bool {
        let call = format!("{name}(");
        let arguments = lines.iter().filter_map(|line| {
            let (before, rest) = line.split_once(&call)?;
            let is_definition = before.trim_end().ends_with("def") || before.trim_end().ends_with("function");
            (!is_definition).then_some(rest)
        });
        arguments.into_iter().any(|rest| self.mentions(rest))
    }

    /// Whether an expression reads the payload or mentions one of the variables.
    pub fn mentions(&self, expression: &str) -> bool {
        let reads = SOURCE.as_ref().is_some_and(|source| source.is_match(expression))
            && !OTHER_FILE.as_ref().is_some_and(|other| other.is_match(expression));
        let word = |name: &str| self.names.contains(name);
        reads || WORD.as_ref().is_some_and(|words| words.find_iter(expression).any(|found| word(found.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::PayloadNames;

    #[test]
    fn variables_with_data_of_the_payload() {
        for (text, want) in [
            ("input=$(cat)\ncmd=$(jq -r .tool_input.command <<<\"$input\")\nx=1", "cmd input"),
            ("version=$(jq -r .version package.json)", ""),
            ("e = json.load(sys.stdin)\np = e[\"tool_input\"]\nc = json.load(open('c.json'))", "e p"),
            ("def check(command: str):\n  return 1\nd = json.load(sys.stdin)\nr = check(d['x'])", "command d r"),
            ("const { tool_input: input } = JSON.parse(readFileSync(0));", "input tool_input"),
            ("my $e = decode_json(join '', <STDIN>);", "e"),
            ("for word in e.split():\n  pass", ""),
            ("if x == y:\n  pass", ""),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let names: Vec<String> = PayloadNames::of(&lines).names.into_iter().collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
    }
}
