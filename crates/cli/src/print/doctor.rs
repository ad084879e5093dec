//! The page of `doctor`.

use super::install::problems;
use super::text_page::{TextPage, Tone, column};
use super::write_stdout;
use hookbench_app::OwnFile;
use hookbench_app::document::{AgentHealthDoc, DoctorDoc, ProgramDoc, TerminalDoc};
use hookbench_core::text::pluralize;

/// Prints the installed agents, hookbench's own files and the terminal.
pub fn doctor(doc: &DoctorDoc) {
    let mut page = TextPage::new();
    page.put(Tone::Strong, &format!(" hookbench {}", doc.hookbench)).end().end();
    page.put(Tone::Strong, " agents").end();
    let names = column(doc.agents.iter().map(|a| a.name.as_str()), 24);
    for agent in &doc.agents {
        one_agent(&mut page, agent, names);
    }
    page.end().put(Tone::Strong, " running agents").end();
    live(&mut page, doc, names);
    page.end().put(Tone::Strong, " hookbench's files").end();
    let mut files = doc.files.as_slice();
    while let [file, rest @ ..] = files {
        let same =
            saved_change(file).map_or(0, |kind| rest.iter().take_while(|f| saved_change(f) == Some(kind)).count());
        one_file(&mut page, file, same);
        files = rest.get(same..).unwrap_or_default();
    }
    if let Some(model) = &doc.model {
        page.end().put(Tone::Strong, " model").end();
        let tone = match model.state {
            "answered" => Tone::Good,
            "not_allowed" => Tone::Plain,
            _ => Tone::Warn,
        };
        if let Some(name) = &model.model {
            page.put(Tone::Plain, "   ").put(Tone::Plain, name).end();
        }
        page.put(Tone::Plain, "   ").put(tone, &model.says).end();
    }
    page.end().put(Tone::Strong, " terminal").end();
    terminal(&mut page, &doc.terminal);
    write_stdout(&page.finish());
}

fn one_agent(page: &mut TextPage, agent: &AgentHealthDoc, names: usize) {
    page.put(Tone::Plain, "   ").cell(Tone::Plain, &agent.name, names + 2);
    let Some(program) = &agent.program else {
        page.put(Tone::Quiet, &format!("not installed: {} is not on PATH", agent.command)).end();
        return;
    };
    let version = program.version_in_files.as_ref().or(program.version_said.as_ref());
    page.put(Tone::Strong, version.map_or("version unknown", String::as_str)).end();
    let before = " ".repeat(names + 5);
    let mut line = |tone, text: &str| {
        page.put(Tone::Plain, &before).put(tone, text).end();
    };
    line(Tone::Quiet, &program.path);
    if program.real_path != program.path {
        line(Tone::Quiet, &format!("links to {}", program.real_path));
    }
    line(Tone::Plain, &versions(program));
    let tone = match program.known {
        Some(true) => Tone::Good,
        Some(false) => Tone::Plain,
        None => Tone::Warn,
    };
    line(tone, &program.basis);
    for note in &program.notes {
        line(Tone::Warn, note);
    }
}

/// Prints which agents forward events, from which settings files, and to which server.
fn live(page: &mut TextPage, doc: &DoctorDoc, names: usize) {
    let server = &doc.server;
    let tone = if server.state == "running" { Tone::Good } else { Tone::Plain };
    page.put(Tone::Plain, "   ").cell(Tone::Plain, "server", names + 2).put(tone, &server.message).end();
    let named = if server.named_by == "default" { String::new() } else { format!(", from {}", server.named_by) };
    let before = " ".repeat(names + 5);
    page.put(Tone::Plain, &before).put(Tone::Quiet, &format!("{}{named}", server.socket)).end();
    for agent in &doc.agents {
        page.put(Tone::Plain, "   ").cell(Tone::Plain, &agent.name, names + 2);
        if agent.entries.is_empty() {
            let says = format!("no forwarding hooks; `hookbench install --agent {}` adds them", agent.agent);
            page.put(Tone::Quiet, &says).end();
            continue;
        }
        let mut files: Vec<(&str, &str)> = Vec::new();
        for entry in &agent.entries {
            if !files.contains(&(&entry.file, entry.layer)) {
                files.push((&entry.file, entry.layer));
            }
        }
        for (index, (file, layer)) in files.into_iter().enumerate() {
            let of: Vec<_> = agent.entries.iter().filter(|e| e.file == file && e.layer == layer).cloned().collect();
            if index > 0 {
                page.put(Tone::Plain, &before);
            }
            page.put(Tone::Plain, &format!("{} in {file} ({layer})", pluralize(of.len() as u64, "event"))).end();
            problems(page, &before, &of);
        }
    }
}

fn versions(program: &ProgramDoc) -> String {
    let or_none = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
    format!(
        "version in its files: {}, from --version: {}",
        or_none(&program.version_in_files),
        or_none(&program.version_said)
    )
}

/// The directory and the mode of a file that `undo` needs, if nothing is wrong with it. A line names all of them.
fn saved_change(file: &OwnFile) -> Option<(&str, Option<&str>)> {
    let (directory, name) = file.path.rsplit_once('/')?;
    (file.note.is_none() && name.starts_with("undo-")).then_some((directory, file.mode.as_deref()))
}

/// Prints a file. `same`: how many more files like it follow.
fn one_file(page: &mut TextPage, file: &OwnFile, same: usize) {
    page.put(Tone::Plain, "   ").cell(Tone::Quiet, file.kind, 8);
    page.cell(Tone::Plain, file.mode.as_deref().unwrap_or("-"), 6);
    match saved_change(file).filter(|_| same > 0) {
        Some((directory, _)) => page
            .put(Tone::Plain, &format!("{directory}/undo-*.json"))
            .put(Tone::Quiet, &format!("   {} that `hookbench undo` can undo", pluralize(same + 1, "change"))),
        None => page.put(Tone::Plain, &file.path),
    };
    if !file.exists && file.note.is_none() {
        page.put(Tone::Quiet, "   does not exist yet");
    }
    if let Some(note) = &file.note {
        page.put(Tone::Warn, &format!("   {note}"));
    }
    page.end();
}

fn terminal(page: &mut TextPage, terminal: &TerminalDoc) {
    let size = terminal.size.map_or(String::new(), |(columns, rows)| format!(", {columns}x{rows}"));
    let opens = if terminal.is_terminal { "yes" } else { "no; the workbench needs one" };
    let rows = [
        ("TERM", terminal.term.clone().unwrap_or_else(|| "not set".to_owned())),
        ("terminal", format!("{opens}{size}")),
        ("colours", terminal.colours.clone()),
        ("UTF-8", if terminal.utf8 { "yes" } else { "no; lines are drawn with - and |" }.to_owned()),
        ("clipboard", terminal.clipboard.clone()),
    ];
    for (name, says) in rows {
        page.put(Tone::Plain, "   ").cell(Tone::Quiet, name, 11).put(Tone::Plain, &says).end();
    }
    for problem in &terminal.config_problems {
        page.put(Tone::Plain, "   ").put(Tone::Warn, problem).end();
    }
}
