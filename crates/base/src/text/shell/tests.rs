//! Parsing of command lines and scripts.

use super::*;

/// Formats a word, with a mark for each part's quoting: `"` double, `'` single; `$X` is a variable, `%` a
/// substitution.
fn word(word: &Word) -> String {
    let part = |part: &WordPart| {
        let quote = match part.quote {
            Quote::None => "",
            Quote::Single => "'",
            Quote::Double => "\"",
            Quote::Here => "<",
        };
        let text = match &part.piece {
            PartContent::Text(text) => text.clone(),
            PartContent::Variable(v) => format!("${}{}", v.name, v.rest),
            PartContent::Substitution(range) => format!("%{}..{}", range.start, range.end),
            PartContent::Process(range) => format!("<%{}..{}", range.start, range.end),
            PartContent::Arithmetic => "1".to_owned(),
        };
        format!("{quote}{text}{quote}")
    };
    word.parts.iter().map(part).collect::<Vec<_>>().join("·")
}

fn commands(text: &str) -> Vec<String> {
    let of = |simple: &SimpleCommand| {
        let mut all: Vec<String> =
            simple.assignments.iter().map(|set| format!("{}={}", set.name, word(&set.value))).collect();
        all.extend(simple.words.iter().map(word));
        all.extend(simple.redirections.iter().map(|r| {
            let body = r.body.as_ref().map(|body| format!(" [{}]", word(body))).unwrap_or_default();
            format!("{}{}{body}", r.operator, word(&r.target))
        }));
        let reads = simple.piped_from.map(|n| format!(" <{n}")).unwrap_or_default();
        let given = simple.inner_shell.as_ref().map(|name| format!(" @{name}")).unwrap_or_default();
        format!("{}{reads}{given}", all.join(" "))
    };
    Shell::parse(text).commands.iter().map(of).collect()
}

#[test]
fn commands_and_words() {
    for (text, want) in [
        ("sh guard.sh", vec!["sh guard.sh"]),
        ("\"$DIR\"/a\\ b '$X' \"a $Y b\"", vec!["\"$DIR\"·/a b '$X' \"a \"·\"$Y\"·\" b\""]),
        ("A=1 B=\"$(date)\" run --x=y", vec!["date", "A=1 B=\"%0..1\" run --x=y"]),
        ("jq -r .x | grep y && exit 2; true", vec!["jq -r .x", "grep y <0", "exit 2", "true"]),
        ("cat > \"$F\" 2>&1 <<< hi", vec!["cat >\"$F\" >&1 <<<hi"]),
        ("if [ -f x ]; then a; else b; fi | c", vec!["[ -f x ]", "a", "b", "c <2"]),
        ("for f in *.sh \"$X\"; do echo $f; done < l", vec!["f=*.sh·\"$X\"", "echo $f", "<l"]),
        ("case $x in a|b) one ;; *) two ;; esac", vec!["one", "two"]),
        ("f() { x; }; function g { y; }", vec!["x", "y"]),
        ("cat <<END\na $X `d`\nEND\nnext", vec!["cat <<END [<a <·<$X<·< <·<%1..2<·<\n<]", "d", "next"]),
        ("cat <<'END'\n$X\nEND", vec!["cat <<'END' ['$X\n']"]),
        ("bash -c 'echo \"$1\"' _ x", vec!["bash -c 'echo \"$1\"' _ x", "echo \"$1\" @bash"]),
        ("diff <(a) <(b)", vec!["a", "b", "diff <%0..1 <%1..2"]),
        ("x=${A:-$(b)} y", vec!["b", "x=$A:-$(b) y"]),
        ("[[ $a =~ ^(x|y)$ && -n \"$b\" ]] && c", vec!["[[ $a =~ ^ x y $ -n \"$b\" ]]", "c"]),
        ("a # b 'c\nd", vec!["a", "d"]),
        ("echo a#b $# ${#x}", vec!["echo a#b $# $x"]),
        ("export P=\"$HOME/x\"", vec!["P=\"$HOME\"·\"/x\" export P=·\"$HOME\"·\"/x\""]),
        ("( cd x && y ) > z", vec!["cd x", "y", ">z"]),
        ("a $((1 + (2))) b", vec!["a 1 b"]),
        ("a &> b &", vec!["a &>b"]),
        ("x=(1 2 $y); echo \"${x[@]}\"", vec!["x=", "echo \"$x[@]\""]),
        ("a \\\n  b", vec!["a b"]),
        ("", vec![]),
    ] {
        assert_eq!(commands(text), want, "{text}");
        assert_eq!(Shell::parse(text).syntax_error, None, "{text}");
    }
}

#[test]
fn what_is_behind_wrappers() {
    for (text, want) in [
        ("env A=b python3 x", Some("python3")),
        ("timeout 5 /usr/bin/node x", Some("node")),
        ("sudo -u me sh x", Some("sh")),
        ("command -v jq", Some("command")),
        ("exec \"$X\"", None),
        ("\"/a b/c\" d", Some("c")),
        ("/usr/bin/env -i sh", Some("sh")),
    ] {
        let shell = Shell::parse(text);
        assert_eq!(shell.commands.first().and_then(SimpleCommand::program_name).as_deref(), want, "{text}");
    }
}

#[test]
fn what_no_shell_takes() {
    for (text, want) in [
        ("echo \"abc", Some("a `\"` is not closed")),
        ("echo 'abc", Some("a `'` is not closed")),
        ("if true; then x", Some("`if` is not closed by `fi`")),
        ("while x; do y; fi", Some("`fi` has no matching `if`")),
        ("echo $(date", Some("a `(` is not closed")),
        ("f() { x", Some("`{` is not closed by `}`")),
        ("a )", Some("a `)` has no matching `(`")),
        ("echo } done", None),
        ("echo ${x:-}} 'a'\\''b'", None),
        ("case x in esac", None),
        ("case x in\n (a) y;;\n# c\n b) z\nesac", None),
        ("cat <<E\nit's \"\nE", None),
        ("x=$(case a in a) b;; esac)", None),
        ("echo \"a $(echo \"b\") ${c:-\"d\"}\"", None),
        ("echo \"${x:-it's}\"", None),
        ("a=\"${x%%'$('*}\"; b=\"${x#*'`'}\"; c=\"${x//'\"'/}\"", None),
        ("a() (\n b\n)", None),
        ("if a; then\nb\nelif c; then d; fi", None),
        ("[[ a == (b|c) ]]", None),
        ("ls !(a|b)", None),
        ("((i++)); for ((i=0; i<3; i++)); do a; done", None),
        ("\u{feff}#!/bin/sh\na", None),
    ] {
        assert_eq!(Shell::parse(text).syntax_error.map(|t| t.message).as_deref(), want, "{text}");
    }
}

#[test]
fn what_not_every_shell_knows() {
    for (text, want) in [
        ("cat <<< x", vec![BashismKind::HereString]),
        ("a=(1) b <(c) ${a[0]}", vec![BashismKind::Array, BashismKind::Process, BashismKind::Array]),
        ("[[ a ]] |& b &> c", vec![BashismKind::Test, BashismKind::PipeBoth, BashismKind::RedirectBoth]),
        ("function f { x; }", vec![BashismKind::Function]),
        ("echo ${a,,} ${a/x/y} ${a:1} ${!a} ${a:-b} ${a%%/*} ${#a}", vec![BashismKind::Expansion; 4]),
        ("for ((;;)); do x; done", vec![BashismKind::ArithmeticFor]),
        ("echo '<<< a=(1)' \"[[\"", vec![]),
    ] {
        let odd: Vec<BashismKind> = Shell::parse(text).bashisms.into_iter().map(|odd| odd.kind).collect();
        assert_eq!(odd, want, "{text}");
    }
}

#[test]
fn expansions_in_each_other_do_not_exhaust_the_stack() {
    for opening in ["${", "${x:-", "\"${x:-", "$(", "\"$("] {
        assert_eq!(Shell::parse(&opening.repeat(100_000)).commands.last().map(|simple| simple.at.start), Some(0));
    }
}

#[test]
fn what_is_set() {
    let shell = Shell::parse("A=1; read -r B C; for D in x; do :; done; : \"${E:=y}\"; export F=1; printf -v G x");
    let assigned = shell.assigned_variables();
    for name in ["A", "B", "C", "D", "E", "F", "G"] {
        assert!(assigned.contains(name), "{name}");
    }
}

proptest::proptest! {
    /// Any text can be parsed, and all places are inside the text.
    #[test]
    fn no_text_breaks_it(text in "(\\$|\\$\\(|\\$\\{|\\)|\\}|\"|'|`|<<E\n|E\n|<\\(|\\(\\(|case x in |esac|if |fi|a|é| |;|\n|\\||&|\\\\|=\\(|\\[\\[ |#){0,24}") {
        let shell = Shell::parse(&text);
        for simple in &shell.commands {
            proptest::prop_assert!(text.get(simple.at.clone()).is_some(), "{text:?} {simple:?}");
        }
        for (_, word) in shell.words() {
            proptest::prop_assert!(text.get(word.at.clone()).is_some(), "{text:?} {word:?}");
        }
    }
}
