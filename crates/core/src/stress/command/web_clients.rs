//! URLs of command line programs.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::super::urls;
use super::target::{TargetCommand, quote};

const NETWORK: &str = "it needs the server";

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
    let Some(program @ ("curl" | "wget")) = target.program() else { return };
    let found = target.args.iter().enumerate().skip(1).find_map(|(number, arg)| {
        let value = arg.value.as_deref()?;
        (urls::find(value) == Some(0..value.len())).then_some((number, value))
    });
    let Some((number, url)) = found else { return };
    for spelling in urls::spellings(url).into_iter().filter(|spelling| spelling.everywhere) {
        let command = target.with(number, &quote(&spelling.url));
        target.add_unproven(list, spelling.family, &command, spelling.why, NETWORK);
    }
    if program == "curl" {
        let command = target.with(number, &format!("--url {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the option names the same URL");
        let command = target.with(number, &format!("-s {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the option only hides the progress");
        let command = target.with(number, &format!("-fsSL {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the options concern messages and redirects");
        if target.args.len() == 2 {
            let why = "wget prints the same page";
            let command = format!("wget -qO- {}", quote(url));
            target.add(list, DeedFamily::OtherProgram, &command, why);
            target.add(list, DeedFamily::OtherProgram, &format!("wget -q -O - {}", quote(url)), why);
        }
    }
    if target.args.len() == 2 || target.source().contains("wget -qO-") {
        let script = format!("import urllib.request as r; print(r.urlopen(\"{url}\").read().decode())");
        let command = format!("python3 -c {}", super::target::single_quoted(&script));
        target.add_unproven(list, DeedFamily::OtherProgram, &command, "Python requests the same page", NETWORK);
    }
}
