//! Words that come from variables.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::target::{TargetCommand, is_plain, quote};

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Variables;
    let why = "the shell replaces the variable by its value";
    let first = target.args.first().and_then(|arg| arg.value.as_deref()).filter(|name| is_plain(name));
    if let Some(program) = first {
        target.add_list(list, family, &format!("c={program}; $c {}", target.rest()), why);
        target.add_list(list, family, &format!("c={program}; \"${{c}}\" {}", target.rest()), why);
        let why = "the variable is unset, so the default is used";
        target.add(list, family, &target.with(0, &format!("${{hb_unset:-{program}}}")), why);
        if let Some((start, rest)) = program.split_at_checked(1).filter(|(_, rest)| !rest.is_empty()) {
            let why = "an unset variable adds nothing";
            target.add(list, family, &target.with(0, &format!("{start}${{hb_unset}}{rest}")), why);
            target.add(
                list,
                family,
                &target.with(0, &format!("{start}$@{rest}")),
                "there are no positional parameters",
            );
            let why = "the two variables form the name of the program";
            target.add_list(list, family, &format!("a={start} b={rest}; $a$b {}", target.rest()), why);
        }
    }
    if let Some(last) = target.last_operand()
        && let Some(value) = target.args.get(last).and_then(|arg| arg.value.as_deref())
    {
        let quoted = quote(value);
        target.add_list(list, family, &format!("d={quoted}; {}", target.with(last, "\"$d\"")), why);
        target.add_list(list, family, &format!("for d in {quoted}; do {}; done", target.with(last, "\"$d\"")), why);
        let read = format!("read -r d <<< {quoted}; {}", target.with(last, "\"$d\""));
        target.add_pipeline(list, family, &read, "read stores the line in the variable");
        let why = "the variable is unset, so the default is used";
        if quoted == value {
            target.add(list, family, &target.with(last, &format!("\"${{hb_unset:-{quoted}}}\"")), why);
        }
    }
    let Some(values) = target.values() else { return };
    if values.len() > 1 && values.iter().all(|value| is_plain(value)) {
        let joined = values.join(" ");
        let why = "the shell splits the value of an unquoted variable into words";
        target.add_list(list, family, &format!("x='{joined}'; $x"), why);
        target.add_list(list, family, &format!("x='{joined}'; eval \"$x\""), "eval runs the value as a command");
        let why = "IFS contains a blank, which separates words";
        target.add(list, family, &values.join("${IFS}"), why);
        target.add(list, family, &values.join("$IFS$9"), "IFS contains a blank, and $9 is empty");
        if !values.iter().any(|value| value.contains(',') || value.contains("..")) {
            let why = "braces expand to the same words";
            target.add(list, family, &format!("{{{}}}", values.join(",")), why);
        }
    }
    let words: Vec<&str> = target.args.iter().map(|arg| arg.source.as_str()).collect();
    target.add_list(list, family, &format!("a=({}); \"${{a[@]}}\"", words.join(" ")), "the array holds the same words");
    if let Some((program, rest)) = words.split_first().filter(|(_, rest)| !rest.is_empty()) {
        let why = "the positional parameters hold the same words";
        target.add_list(list, family, &format!("set -- {}; {program} \"$@\"", rest.join(" ")), why);
        if target.at_shell_level {
            let why = "the function passes its arguments to the program";
            let function = format!("g() {{ {program} \"$@\"; }}; g {}", rest.join(" "));
            target.add_list(list, family, &function, why);
        }
    }
}
