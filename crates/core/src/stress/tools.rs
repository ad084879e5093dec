//! The same deed with another tool of the agent.

use super::command::{quote, read_file};
use super::family::{DeedAction, DeedFamily, VariantEvidence, VariantList};

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

const MODEL: VariantEvidence = VariantEvidence::NotExecuted("a model reads the prompt");

/// Latin letters and the letters of other scripts that look like them.
const LOOK_ALIKES: [(char, char); 12] = [
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('i', 'і'),
    ('j', 'ј'),
    ('o', 'о'),
    ('p', 'р'),
    ('s', 'ѕ'),
    ('x', 'х'),
    ('y', 'у'),
    ('A', 'А'),
    ('O', 'О'),
];

/// Adds the variants of a prompt.
pub(super) fn add_prompts(prompt: &str, list: &mut VariantList) {
    let mut add = |family, text: String, why: &str| list.add(family, DeedAction::Prompt(text), why, MODEL);
    add(DeedFamily::Case, prompt.to_uppercase(), "capital letters do not change what the prompt asks for");
    add(DeedFamily::Case, prompt.to_lowercase(), "small letters do not change what the prompt asks for");
    let why = "more blanks between words do not change what the prompt asks for";
    add(DeedFamily::Blanks, prompt.replace(' ', "  "), why);
    add(DeedFamily::Blanks, prompt.replace(' ', "\n"), "line breaks between words do not change the request");
    add(DeedFamily::Blanks, format!("\n\n{prompt}\n"), "empty lines around the prompt do not change the request");
    add(DeedFamily::Unicode, prompt.replace(' ', "\u{a0}"), "a no-break space is displayed as a blank");
    let looks: String = prompt
        .chars()
        .map(|c| LOOK_ALIKES.iter().find(|(latin, _)| *latin == c).map_or(c, |(_, other)| *other))
        .collect();
    add(DeedFamily::Unicode, looks, "Cyrillic letters look like the Latin ones");
    let mut hidden = String::new();
    let mut in_word = false;
    for c in prompt.chars() {
        if in_word && c.is_alphanumeric() {
            hidden.push('\u{200b}');
        }
        in_word = c.is_alphanumeric();
        hidden.push(c);
    }
    add(DeedFamily::Unicode, hidden, "zero-width spaces inside words are invisible");
    let wide: String = prompt
        .chars()
        .map(|c| if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c })
        .collect();
    add(DeedFamily::Unicode, wide, "full-width letters read the same");
}
