//! The process tab: how the selected hook is started: argv, shell, directory, environment, timeout.

use ratatui::style::Style;

use super::layout::detail_width;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::run_time::{limit, seconds};
use crate::theme::Theme;
use crate::time_line;
use crate::widgets::IndentedLine;
use hookbench_app::masked_value;
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::run::{Exit, FinishCondition, HookVariable, Launch, ProcessSpec};
use hookbench_core::text::replace_lookalikes;

/// Width of the labels, in columns.
const LABEL: usize = 10;

struct ProcessPage {
    theme: Theme,
    lines: Vec<IndentedLine>,
}

impl ProcessPage {
    fn put(&mut self, label: &str, pieces: Vec<(Style, String)>) {
        let mut line = vec![(self.theme.quiet(), format!("{label:<LABEL$}"))];
        line.extend(pieces.into_iter().map(|(style, text)| (style, replace_lookalikes(&text).into_owned())));
        self.lines.push(IndentedLine::new(LABEL, line));
    }

    fn say(&mut self, label: &str, text: impl Into<String>) {
        self.put(label, vec![(self.theme.plain(), text.into())]);
    }

    fn list(&mut self, label: &str, texts: impl Iterator<Item = Vec<(Style, String)>>) {
        for (index, pieces) in texts.enumerate() {
            self.put(if index == 0 { label } else { "" }, pieces);
        }
    }
}

/// The lines of the tab, for the run or for the predicted start.
pub fn lines(model: &Model, definition: &HookDefinition) -> Vec<IndentedLine> {
    let mut page = ProcessPage { theme: model.theme, lines: Vec::new() };
    let prospect = model.definition_facts.as_ref().and_then(|k| k.prospect.as_ref());
    let run = model.selected_run();
    let Some(launch) = run.map(|r| &r.launch).or(prospect.map(|p| &p.launch)) else {
        page.say("command", definition.handler.text());
        return page.lines;
    };
    if let Some(firing) = model.firing().filter(|_| run.is_some()) {
        let columns = detail_width(model.size, model.zoomed, model.pane_sizes);
        let times = time_line::chart(page.theme, &time_line::firing_times(model, firing), columns);
        page.lines.extend(times.into_iter().map(|line| IndentedLine::new(0, line)));
    }
    let apart = model.firing().and_then(|firing| firing.containment.as_ref()).filter(|_| run.is_some());
    if let Some(how) = apart {
        page.say("apart", how.summary());
    }
    match launch {
        Launch::Process(spec) => process(&mut page, model, definition, spec),
        Launch::Http(spec) => {
            page.say("POST", spec.url.clone());
            let plain = model.theme.plain();
            page.list(
                "headers",
                spec.headers.iter().map(|(n, v)| vec![(plain, format!("{n}: {}", masked_value(n, v)))]),
            );
        }
        Launch::ByHand(question) => {
            page.say("needs", question.requires);
            page.say("asks", question.prompt.clone());
        }
        Launch::Refused(error) => page.say("refused", error.clone()),
        Launch::Canned { .. } => page.say("note", "the agent answers this itself; no process starts"),
    }
    if let Some(time) = limit(launch) {
        let says = match definition.raw.get("timeout") {
            _ if definition.timeout.is_some_and(|own| own > time) => {
                format!("shorter than its own {}", definition.timeout.map(seconds).unwrap_or_default())
            }
            Some(value) => {
                let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
                format!("{place} says {}", hookbench_core::text::stringify(value))
            }
            None => "the agent's default; not set in the settings".to_owned(),
        };
        let theme = model.theme;
        page.put("timeout", vec![(theme.plain(), seconds(time)), (theme.quiet(), format!("   {says}"))]);
    }
    if let Some(prospect) = prospect {
        page.say("then", prospect.timeout_effect.clone());
    }
    if let Launch::Process(spec) = launch {
        let grace = spec.kill.grace;
        page.say("", format!("it gets SIGTERM with its whole process group, {} later SIGKILL", seconds(grace)));
        let ends = match spec.finish {
            FinishCondition::AtExit => "when the process ends, even if its output is still open",
            FinishCondition::AtEof => "when its output is closed, also by its children",
        };
        page.say("finished", ends);
        source(&mut page, model, spec);
        environment(&mut page, model, spec);
    }
    let Some(run) = run else { return page.lines };
    if let Some(pid) = run.pid {
        page.say("pid", pid.to_string());
    }
    if let Some(ended) = run.ended() {
        page.say("ended", ended.report.exit.describe());
        if let Exit::FailedToStart { error } = &ended.report.exit {
            page.say("", error.clone());
        }
        let warn = model.theme.warn();
        page.list("left over", ended.report.leftovers.iter().map(|l| vec![(warn, l.message.clone())]));
    }
    page.lines
}

fn process(page: &mut ProcessPage, model: &Model, definition: &HookDefinition, spec: &ProcessSpec) {
    let theme = model.theme;
    // Bars around each word show where one word ends and the next begins.
    let boxed = |word: &String| {
        let text = word.replace('\n', "\\n");
        vec![(theme.quiet(), theme.bar().to_owned()), (theme.strong(), text), (theme.quiet(), theme.bar().to_owned())]
    };
    page.list("argv", std::iter::once(&spec.program).chain(&spec.args).map(boxed));
    let direct = matches!(&definition.handler, Handler::Command(c) if c.args.is_some());
    if direct {
        page.say("shell", "no shell; the arguments reach the program unchanged");
    } else {
        page.say("shell", format!("{} splits and expands the last word", spec.program));
        let words = model.definition_facts.as_ref().and_then(|k| k.resolved()).map_or(&[][..], |r| &r.words);
        let split = |word: &hookbench_app::ResolvedWord| {
            let mut pieces = boxed(&word.text);
            if !word.exact {
                pieces.push((theme.quiet(), "  the shell changes it".to_owned()));
            }
            pieces
        };
        page.list("into", words.iter().map(split));
    }
    if let Some(resolved) = model.definition_facts.as_ref().and_then(|k| k.resolved()) {
        if let Some(program) = &resolved.program {
            page.say("program", program.clone());
        }
        match &resolved.script {
            Some(script) if resolved.program.as_ref() != Some(script) => page.say("script", script.clone()),
            _ => {}
        }
        if resolved.state != hookbench_app::ResolvedState::Ok {
            page.put("", vec![(theme.warn(), resolved.message.clone())]);
        }
    }
    page.say("directory", spec.cwd.clone());
}

/// Names the environment before the agent's changes, its PATH, and the variables that the hook reads from it.
fn source(page: &mut ProcessPage, model: &Model, spec: &ProcessSpec) {
    let theme = model.theme;
    let place = model.session.place();
    let resolved = model.definition_facts.as_ref().and_then(|facts| facts.resolved());
    let planned = || model.session.inherited_variables(spec, resolved);
    let (from, path, inherited) = match model.selected_run().zip(model.firing()) {
        Some((run, firing)) => (firing.env_source, firing.search_path.as_deref(), run.inherited.clone()),
        None => (place.env_source, place.var("PATH"), planned()),
    };
    let key = model.key_hint(UiCommand::Environment, "another one");
    page.put("env", vec![(theme.plain(), from.description().to_owned()), (theme.quiet(), format!("   {key}"))]);
    let set = spec.env.value("PATH").is_some();
    if let Some(path) = path.filter(|_| !set) {
        page.put("", vec![(theme.key(), "PATH=".to_owned()), (theme.plain(), path.to_owned())]);
    }
    let facts = model.definition_facts.as_ref();
    if let Some(missing) = facts.and_then(|facts| facts.missing_for_agent.clone()).filter(|_| !set) {
        page.put("", vec![(theme.warn(), missing)]);
    }
    let names =
        inherited.into_iter().map(|name| vec![(theme.key(), name), (theme.quiet(), "   read from there".to_owned())]);
    page.list("", names);
}

/// Lists the differences from hookbench's own environment.
fn environment(page: &mut ProcessPage, model: &Model, spec: &ProcessSpec) {
    let theme = model.theme;
    let place = model.session.place();
    let variables = spec.env.effective();
    let shown = |one: &HookVariable| {
        let value = masked_value(&one.name, &one.value);
        vec![
            (theme.key(), format!("{}=", one.name)),
            (theme.plain(), value),
            (theme.quiet(), format!("   {}", one.source.describe())),
        ]
    };
    page.list("set", variables.iter().filter(|one| place.var(&one.name).is_none()).map(|one| shown(one)));
    let changed = variables.iter().filter_map(|one| Some((one, place.var(&one.name).filter(|old| *old != one.value)?)));
    page.list(
        "changed",
        changed.map(|(one, old)| {
            let mut pieces = shown(one);
            pieces.push((theme.quiet(), format!(", was {}", masked_value(&one.name, old))));
            pieces
        }),
    );
    page.list("file in", spec.env.scratch_files.iter().map(|n| vec![(theme.key(), n.clone())]));
    page.say("the rest", "the environment named above");
    let gone = |name: &&String| spec.env.value(name).is_none() && !spec.env.scratch_files.contains(name);
    let (here, absent): (Vec<&String>, Vec<&String>) =
        spec.env.remove.iter().filter(gone).partition(|n| place.var(n).is_some());
    page.list("removed", here.iter().map(|n| vec![(theme.key(), (*n).clone())]));
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|n| n.as_str()).take(4).collect();
        let more = absent.len().saturating_sub(names.len());
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let says = format!("{}{rest}, which are not set here", names.join(", "));
        page.put(if here.is_empty() { "removed" } else { "" }, vec![(theme.quiet(), says)]);
    }
}
