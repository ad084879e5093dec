//! The same deed with another tool of the agent.

use super::command::{quote, read_file};
use super::draft::{DeedAction, VariantEvidence, VariantList};
use super::family::DeedFamily;

const FILE_TOOL: VariantEvidence = VariantEvidence::NotExecuted("only the agent runs its file tools");

/// Adds the variants with other tools.
pub(super) fn add(action: &DeedAction, list: &mut VariantList) {
    let mut add = |action: DeedAction, why: &str| list.add(DeedFamily::OtherTool, action, why, FILE_TOOL);
    let shell = |command: String| DeedAction::Command(command);
    match action {
        DeedAction::Command(text) => {
            if let Some(path) = read_file(text) {
                let why = "the tool that reads files shows the same content";
                add(DeedAction::Read(path), why);
            }
            if let Some(url) = super::urls::fetched_by(text) {
                let why = "the tool that reads web pages requests the same address";
                add(DeedAction::Fetch(url), why);
            }
            if let Some((path, content)) = super::command::written_file(text) {
                let write = DeedAction::Write { path, content };
                let why = "the tool that writes files writes the same file";
                add(write, why);
            }
        }
        DeedAction::Read(path) => {
            add(shell(format!("cat {}", quote(path))), "the shell shows the content of the same file");
            add(shell(format!("head -n 1000000 {}", quote(path))), "the shell shows the content of the same file");
        }
        DeedAction::Write { path, content } => {
            let (path, content) = (quote(path), quote(content));
            add(shell(format!("printf %s {content} > {path}")), "the shell writes the same file");
            add(shell(format!("printf %s {content} | tee {path}")), "tee writes the same file");
            add(shell(format!("cp /dev/stdin {path} <<< {content}")), "cp writes the same file");
        }
        DeedAction::Edit { path, old, new } => {
            let whole = DeedAction::Write { path: path.clone(), content: new.clone() };
            add(whole, "the tool that writes whole files changes the same file");
            let script = "import sys;p,a,b=sys.argv[1:];t=open(p).read();open(p,\"w\").write(t.replace(a,b,1))";
            let command = format!("python3 -c {} {} {} {}", quote(script), quote(path), quote(old), quote(new));
            add(shell(command), "a program replaces the same text in the same file");
        }
        DeedAction::Fetch(url) => {
            add(shell(format!("curl -sL {}", quote(url))), "curl requests the same address");
            add(shell(format!("wget -qO- {}", quote(url))), "wget requests the same address");
        }
        DeedAction::Query(_) | DeedAction::Prompt(_) => {}
    }
    if let DeedAction::Write { path, content } = action {
        let edit = DeedAction::Edit { path: path.clone(), old: String::new(), new: content.clone() };
        let why = "the tool that edits files changes the same file";
        add(edit, why);
    }
}
