//! The pages of `fire`, `plan`, `why` and `list`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::text_page::{TextPage, Tone, agent_name, column, verdict_tone};
use super::verification::verification;
use super::write_stdout;
use hookbench_app::document::{DiagnosticDoc, FiringDoc, ListDoc, PlanHookDoc, WhyDoc};
use hookbench_app::{AgentState, FiringRecord, Ladder, LogAccount, RunRecord, Session, SharedFile};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::diagnostic::Severity;
use hookbench_core::dialects::{self, BasisKind, NEVER_RELEASED, VersionBasis, find_event};
use hookbench_core::hook::{DefinitionId, EventSpec};
use hookbench_core::install::is_forward;
use hookbench_core::output::{KeyUse, Vote};
use hookbench_core::plan::RungName;
use hookbench_core::text::{pluralize, stringify_pretty};

/// Maximum number of lines shown of one stream, and of a payload.
const LINES: usize = 12;
const PAYLOAD: usize = 400;
/// Maximum number of ignored keys of an answer, each with its reason.
const MOST_IGNORED: usize = 4;
/// Maximum width of a column of names.
const WIDE: usize = 36;

/// Prints a firing: the verdict and the hooks that decided it, every run, and the hooks that did not run.
pub fn firing(page: &mut TextPage, firing: &FiringRecord, session: &Session) {
    let doc = hookbench_app::document::firing_doc(firing);
    heading(page, &firing.input.event, firing.input.subject.value.as_deref(), session.agent(firing.agent.as_str()));
    if let Some(outcome) = &firing.outcome {
        let word = outcome.verdict.title();
        page.put(Tone::Plain, " ").cell(verdict_tone(outcome.verdict), word, 9.max(word.len() + 2));
        page.put(Tone::Strong, &outcome.sentence()).end();
        broken_file(page, &doc.diagnostics);
        for id in &outcome.decided_by {
            let Some(definition) = firing.loaded.definition(id) else { continue };
            let source = format!("{}:{}", definition.provenance.file, definition.provenance.line);
            page.put(Tone::Quiet, " by       ")
                .put(Tone::Plain, &definition.label())
                .put(Tone::Quiet, &format!("  {source}"))
                .end();
        }
        labelled_lines(page, "reason", firing.reason());
        labelled_lines(page, "context", outcome.additional_context.as_deref());
        labelled_lines(page, "message", outcome.system_message.as_deref());
        labelled_lines(page, "input", outcome.updated_input.as_ref().map(stringify_pretty).as_deref());
        if !outcome.continues {
            labelled_lines(page, "stops", Some(outcome.stop_reason.as_deref().unwrap_or("the turn ends")));
        }
        if let Some(who) = outcome.reader() {
            labelled_lines(page, "read by", Some(who));
        }
        for step in &outcome.trace {
            // The sentence above is not repeated.
            let says = outcome.step_message(&step.message);
            if !says.is_empty() {
                page.put(Tone::Quiet, " because  ").put(Tone::Plain, &says).end();
            }
            for child in &step.children {
                page.put(Tone::Quiet, "          ").put(Tone::Quiet, &child.message).end();
            }
        }
    }
    filled_keys(page, &doc.filled);
    basis(page, firing.agent.as_str(), &firing.basis);
    environment(page, session, firing);
    labelled_lines(page, "contain", firing.containment.as_ref().map(|how| how.summary()).as_deref());
    let agent = session.agent(firing.agent.as_str());
    let event = agent.and_then(|a| find_event(a.dialect, &firing.version, &firing.input.event));
    runs(page, firing, event);
    not_run(page, &firing_plan(firing));
    verification(page, firing);
    diagnostics(page, &doc.diagnostics);
    if page.is_for_others() {
        page.end().put(Tone::Strong, " payload").end();
        page.block("   ", Tone::Plain, &stringify_pretty(&firing.input.body), PAYLOAD);
    }
}

/// Prints the keys of the payload that the user did not give.
fn filled_keys(page: &mut TextPage, keys: &[String]) {
    if !keys.is_empty() {
        labelled_lines(page, "filled", Some(&format!("{} (not given; from the built-in example)", keys.join(", "))));
    }
}

/// Prints an unreadable file near the top of the page, because it is a cause that users check last.
fn broken_file(page: &mut TextPage, all: &[DiagnosticDoc]) {
    let in_file = |d: &&DiagnosticDoc| d.severity == "error" && d.file.is_some() && !is_duplicate(all, d);
    let Some(finding) = all.iter().find(in_file) else { return };
    let at = finding.line.zip(finding.column).map_or(String::new(), |(l, c)| format!(":{l}:{c}"));
    let place = format!("{}{at}", finding.file.as_deref().unwrap_or_default());
    page.put(Tone::Bad, " problem  ").put(Tone::Plain, &format!("{place}  {}", finding.message)).end();
}

fn firing_plan(firing: &FiringRecord) -> Vec<PlanHookDoc> {
    hookbench_app::document::plan_hooks(&firing.plan, &firing.loaded)
}

fn heading(page: &mut TextPage, event: &str, subject: Option<&str>, agent: Option<&AgentState>) {
    page.put(Tone::Strong, &format!(" {event}"));
    if let Some(subject) = subject {
        page.put(Tone::Plain, &format!("  {subject}"));
    }
    if let Some(agent) = agent {
        page.put(Tone::Quiet, &format!("   {} {}", agent.dialect.name(), agent.version_words()));
    }
    page.end().end();
}

/// Prints a note if the agent's version was not tested.
fn basis(page: &mut TextPage, agent: &str, basis: &VersionBasis) {
    labelled_lines(page, "basis", basis.sentence(agent_name(agent)).as_deref());
}

/// Names the environment in which the hooks ran, and the variables that they read from it.
fn environment(page: &mut TextPage, session: &Session, firing: &FiringRecord) {
    if firing.runs.is_empty() {
        return;
    }
    let mut says = firing.env_source.description().to_owned();
    let own_paths: BTreeSet<String> = firing.runs.iter().filter_map(own_path).collect();
    let is_told = firing.env_source != EnvironmentSource::Shell && own_paths.is_empty();
    let path = firing.search_path.as_ref().filter(|_| is_told);
    says.extend(path.map(|path| format!(": PATH={path}")));
    let names: BTreeSet<&str> = firing.runs.iter().flat_map(|run| &run.inherited).map(String::as_str).collect();
    if !names.is_empty() {
        says += &format!("; the hooks read {} from there", names.into_iter().collect::<Vec<_>>().join(", "));
    }
    labelled_lines(page, "env", Some(&says));
    let hooks = || firing.runs.iter().filter_map(|run| firing.loaded.definition(&run.hook));
    let missing = session.agent(firing.agent.as_str()).filter(|_| own_paths.is_empty()).and_then(|agent| {
        hooks().find_map(|hook| session.missing_for_agent(agent, hook, session.hook_script(agent, hook).as_ref()))
    });
    for line in own_paths {
        labelled_lines(page, "", Some(&line));
    }
    labelled_lines(page, "", missing.map(|missing| format!("{missing}; --env agent runs hooks with it")).as_deref());
}

/// The PATH that a file or the agent sets for a run, and where.
fn own_path(run: &RunRecord) -> Option<String> {
    run.own_path().map(|path| format!("PATH={}, from {}", path.value, path.source.describe()))
}

fn labelled_lines(page: &mut TextPage, label: &str, text: Option<&str>) {
    let Some(text) = text.filter(|t| !t.is_empty()) else { return };
    let text = page.masked(text);
    for (index, line) in text.lines().enumerate().take(LINES) {
        let label = if index == 0 { label } else { "" };
        page.put(Tone::Quiet, &format!(" {label:<9}")).put(Tone::Plain, line).end();
    }
}

fn runs(page: &mut TextPage, firing: &FiringRecord, event: Option<&EventSpec>) {
    let labels: Vec<String> = firing
        .runs
        .iter()
        .map(|r| firing.loaded.definition(&r.hook).map_or_else(|| r.hook.clone(), |d| d.label()))
        .collect();
    let width = column(labels.iter().map(String::as_str), WIDE);
    if !labels.is_empty() {
        page.end();
    }
    for (run, label) in firing.runs.iter().zip(&labels) {
        one_run(page, run, label, width, event);
    }
}

fn one_run(page: &mut TextPage, record: &RunRecord, label: &str, width: usize, event: Option<&EventSpec>) {
    page.put(Tone::Plain, " ").cell(Tone::Strong, label, width + 2);
    let Some(run) = record.ended() else {
        page.put(Tone::Warn, "still running").end();
        return;
    };
    let report = &run.report;
    let tone = match run.output.vote {
        Vote::None if run.output.stops_agent() => Tone::Bad,
        Vote::Deny | Vote::Block => Tone::Bad,
        Vote::Allow => Tone::Good,
        Vote::Ask | Vote::Defer => Tone::Warn,
        Vote::None => Tone::Plain,
    };
    page.cell(Tone::Plain, &report.exit.describe(), 14);
    page.cell(Tone::Quiet, &format!("{:.0} ms", report.timing.duration().as_secs_f64() * 1e3), 10);
    match &run.output.failure {
        Some(failure) if run.output.vote == Vote::None => page.put(Tone::Warn, failure),
        Some(failure) => page.put(tone, &run.output.words_on(event)).put(Tone::Warn, &format!("   {failure}")),
        None => page.put(tone, &run.output.words_on(event)),
    };
    page.end();
    for (before, stream) in [("     stdout | ", &report.stdout), ("     stderr | ", &report.stderr)] {
        page.block(before, Tone::Plain, &stream.text(), LINES);
        if stream.truncated() {
            let kept = stream.head.len() + stream.tail.len();
            let says = format!("… {} bytes in total, {kept} of them kept", stream.total);
            page.put(Tone::Quiet, before).put(Tone::Quiet, &says).end();
        }
    }
    let ignored: Vec<_> = run.output.fields.iter().filter(|field| field.key_use != KeyUse::Used).collect();
    let (first, others) = ignored.split_at(if ignored.len() > MOST_IGNORED { 1 } else { ignored.len() });
    for field in first {
        page.put(Tone::Warn, &format!("     {} is ignored: {}", field.pointer, field.message)).end();
    }
    if !others.is_empty() {
        page.put(Tone::Warn, &format!("     and {} other keys are ignored", others.len())).end();
    }
    for left in &report.leftovers {
        page.put(Tone::Warn, &format!("     leftover process: {}", left.message)).end();
    }
    for note in run.output.notes.iter().filter(|n| run.output.failure.as_ref() != Some(&n.message)) {
        let code = note.code.family().map_or_else(String::new, |_| format!("{} ", note.code));
        page.put(Tone::Warn, &format!("     {code}{}", note.message)).end();
    }
}

fn not_run(page: &mut TextPage, plan: &[PlanHookDoc]) {
    let others: Vec<&PlanHookDoc> = plan.iter().filter(|h| h.verdict != "fires").collect();
    if others.is_empty() {
        return;
    }
    page.end().put(Tone::Strong, " not run").end();
    hook_rows(page, &others, &[]);
}

/// The matcher as shown to the user: `*` if the hook has none.
fn matcher(hook: &PlanHookDoc) -> String {
    match &hook.matcher {
        Value::Null => "*".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn hook_rows(page: &mut TextPage, hooks: &[&PlanHookDoc], failing: &[(DefinitionId, String)]) {
    let names = column(hooks.iter().map(|h| h.name.as_str()), WIDE);
    let matchers: Vec<String> = hooks.iter().map(|h| matcher(h)).collect();
    let matcher_width = column(matchers.iter().map(String::as_str), 24);
    let sources: Vec<String> = hooks.iter().map(|h| format!("{}:{}", h.source.file, h.source.line)).collect();
    let source_width = column(sources.iter().map(String::as_str), WIDE);
    for ((hook, matcher), source) in hooks.iter().zip(&matchers).zip(&sources) {
        page.put(Tone::Plain, " ").cell(Tone::Plain, &hook.name, names + 2);
        page.cell(Tone::Plain, matcher, matcher_width + 2).cell(Tone::Quiet, source, source_width + 2);
        match failing.iter().find(|(failing, _)| *failing == hook.hook) {
            Some((_, says)) => page.put(Tone::Warn, &format!("will fail: {says}")).end(),
            None => page.put(if hook.verdict == "fires" { Tone::Plain } else { Tone::Warn }, &hook.why.says).end(),
        };
    }
}

/// Returns true for an `agent/refuses` diagnostic if another error exists at the same place or in the same file. The
/// document has both; the page prints only the other error, which includes the help.
fn is_duplicate(all: &[DiagnosticDoc], one: &DiagnosticDoc) -> bool {
    let place = |d: &DiagnosticDoc| (d.file.clone(), d.line, d.column);
    let same = |d: &&DiagnosticDoc| d.code != one.code && d.severity == "error" && d.file.is_some();
    let of_file = |d: &DiagnosticDoc| d.file.as_ref().is_some_and(|file| one.message.starts_with(file));
    one.code == "agent/refuses" && all.iter().filter(same).any(|d| place(d) == place(one) || of_file(d))
}

fn diagnostics(page: &mut TextPage, all: &[DiagnosticDoc]) {
    if !all.is_empty() {
        page.end();
    }
    for finding in all.iter().filter(|d| !is_duplicate(all, d)) {
        let tone = if finding.severity == "error" { Tone::Bad } else { Tone::Warn };
        page.put(tone, &format!(" {}", finding.severity)).put(Tone::Plain, &format!(" {}", finding.message)).end();
        if let Some(file) = &finding.file {
            let at = finding.line.zip(finding.column).map_or(String::new(), |(l, c)| format!(":{l}:{c}"));
            page.put(Tone::Quiet, &format!("   --> {file}{at}")).end();
        }
        if let Some(help) = &finding.help {
            page.put(Tone::Quiet, "   help: ").put(Tone::Plain, help).end();
        }
    }
}

/// Prints a plan: the hooks that would run and those that would not. `failing` names the hooks that match and cannot
/// start, with the reasons.
pub fn plan(doc: &FiringDoc, agent: &AgentState, failing: &[(DefinitionId, String)]) {
    let mut page = TextPage::about_settings();
    heading(&mut page, &doc.event, doc.subject.as_deref(), Some(agent));
    let fires: Vec<&PlanHookDoc> = doc.plan.iter().filter(|h| h.verdict == "fires").collect();
    let unknown = doc.plan.iter().filter(|h| h.verdict == "unknown").count();
    let others = doc.plan.len() - fires.len() - unknown;
    let maybe = if unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
    let how = match (fires.len(), doc.schedule) {
        (0 | 1, _) => String::new(),
        (_, schedule) => format!(" {}", if schedule == "parallel" { "in parallel" } else { "in sequence" }),
    };
    let refuses = agent.loaded.as_ref().is_some_and(|loaded| loaded.refusal.is_some());
    let head = match fires.len() {
        0 if refuses => " NO HOOK RUNS   The agent does not start, so no session begins".to_owned(),
        0 if doc.plan.is_empty() => " NO HOOK RUNS".to_owned(),
        0 => format!(" NO HOOK RUNS   {others} skipped{maybe}"),
        some => match failing.len() {
            0 => format!(" READY    {some} would run{how}, {others} skipped{maybe}"),
            failing => {
                let failing = if failing == some { "and fail".to_owned() } else { format!("({failing} would fail)") };
                format!(" WILL FAIL   {some} would run {failing}{how}, {others} skipped{maybe}")
            }
        },
    };
    page.put(Tone::Strong, &head).end();
    basis(&mut page, agent.dialect.id().as_str(), &agent.basis);
    broken_file(&mut page, &doc.diagnostics);
    filled_keys(&mut page, &doc.filled);
    if doc.plan.is_empty() && !refuses {
        let lost = doc.diagnostics.iter().any(|d| d.code == "plan/lost");
        let none = || agent.loaded.as_ref().map(|loaded| loaded.why_no_hooks(&doc.event));
        let says = none().filter(|_| !lost).unwrap_or_else(|| format!("no hook runs for {}", doc.event));
        page.put(Tone::Plain, &format!("          {says}")).end();
    }
    if !fires.is_empty() {
        page.end();
    }
    hook_rows(&mut page, &fires, failing);
    not_run(&mut page, &doc.plan);
    diagnostics(&mut page, &doc.diagnostics);
    write_stdout(&page.finish());
}

/// Prints the ladder of a hook.
pub fn why(page: &mut TextPage, doc: &WhyDoc, climbed: &Ladder, log: Option<&LogAccount>) {
    page.mark_lookalikes();
    page.put(Tone::Strong, &format!(" {}", doc.hook.name));
    page.put(
        Tone::Quiet,
        &format!("   {}:{}   {}", doc.hook.source.file, doc.hook.source.line, doc.event.as_deref().unwrap_or("")),
    );
    page.end().end();
    page.put(Tone::Strong, &format!(" {}", doc.answer)).end();
    if !doc.nearest.is_empty() && !doc.answer.contains("nearest: ") {
        page.put(Tone::Quiet, " nearest: ").put(Tone::Plain, &doc.nearest.join(", ")).end();
    }
    page.end();
    for (index, rung) in doc.rungs.iter().enumerate() {
        let state = rung.state.as_str().unwrap_or("");
        let (mark, tone) = match state {
            "ok" => ("ok", Tone::Good),
            "no" => ("NO", Tone::Bad),
            "unknown" => ("?", Tone::Warn),
            _ => ("-", Tone::Quiet),
        };
        let name = RungName::ALL.get(index).map_or("", |n| n.title());
        page.put(Tone::Quiet, &format!(" {:>2} ", index + 1)).cell(Tone::Plain, name, 17).cell(tone, mark, 4);
        page.put(if state == "skipped" { Tone::Quiet } else { Tone::Plain }, &rung.says).end();
        for found in RungName::ALL.get(index).into_iter().flat_map(|name| climbed.findings_at(*name)) {
            let tone = if found.severity == Severity::Error { Tone::Bad } else { Tone::Warn };
            page.cell(Tone::Plain, "", 21).cell(tone, found.severity.word(), 8);
            page.put(Tone::Quiet, &format!("{}: ", found.title())).put(Tone::Plain, &found.message).end();
        }
    }
    if let Some(log) = log {
        page.end().put(Tone::Strong, &format!(" {}", log.title())).end();
        for says in log.sentences() {
            page.put(Tone::Plain, &format!("   {says}")).end();
        }
        if let Some(says) = log.contradiction() {
            page.put(Tone::Bad, "   CONTRADICTS ").put(Tone::Plain, &says).end();
        }
    }
}

/// Prints all hooks by layer. `left_out` says why agents are left out.
pub fn list(doc: &ListDoc, left_out: Option<&str>) {
    let mut page = TextPage::about_settings();
    for (index, agent) in doc.agents.iter().enumerate() {
        if index > 0 {
            page.end();
        }
        let name = agent_name(&agent.agent);
        let released = dialects::by_id(&agent.agent).is_none_or(|dialect| dialect.is_released());
        let state = match (agent.installed, agent.version_unknown.is_some()) {
            _ if !released => "",
            (true, true) => "installed, version unknown; assuming ",
            (true, false) => "",
            (false, _) => "not installed; assuming ",
        };
        let assumed = agent.basis.kind == BasisKind::Assumed.word();
        let version = match (released, assumed) {
            (false, _) => format!("{}, {NEVER_RELEASED}", agent.version),
            (true, true) => format!("{} ≈ {}", agent.version, agent.basis.version),
            (true, false) => agent.version.clone(),
        };
        page.put(Tone::Strong, &format!(" {name}")).put(Tone::Quiet, &format!("   {state}{version}")).end();
        let all = || agent.layers.iter().flat_map(|l| &l.hooks);
        let files = column(agent.layers.iter().map(|l| l.file.as_str()), 48);
        let events = column(all().filter_map(|h| h.event.as_deref()), 24);
        let shown: Vec<String> = all().map(matcher).collect();
        let matchers = column(shown.iter().map(String::as_str), WIDE);
        let names = column(all().map(|h| h.name.as_str()), WIDE);
        for layer in &agent.layers {
            page.put(Tone::Plain, "   ").cell(Tone::Plain, layer.layer, 16).cell(Tone::Plain, &layer.file, files + 2);
            match layer.state {
                "broken" => page.put(Tone::Bad, "skipped"),
                state => page.put(Tone::Quiet, state),
            };
            if let Some(says) = &layer.says {
                page.put(Tone::Quiet, &format!(": {says}"));
            }
            page.end();
            let forwards = |hook: &&PlanHookDoc| hook.verdict == "fires" && is_forward(&hook.command, "");
            let (forwarding, hooks): (Vec<&PlanHookDoc>, Vec<&PlanHookDoc>) = layer.hooks.iter().partition(forwards);
            for hook in hooks {
                page.put(Tone::Plain, "     ").cell(Tone::Quiet, &hook.hook, 5);
                page.cell(Tone::Plain, hook.event.as_deref().unwrap_or(""), events + 2);
                page.cell(Tone::Plain, &matcher(hook), matchers + 2);
                page.cell(Tone::Strong, &hook.name, names + 2);
                page.put(Tone::Quiet, &format!("line {:<5}", hook.source.line));
                match hook.verdict {
                    "fires" => page.put(Tone::Quiet, &hook.command),
                    _ => page.put(Tone::Warn, &hook.why.says),
                };
                page.end();
            }
            if !forwarding.is_empty() {
                let says = format!("{} of hookbench, to record events", pluralize(forwarding.len(), "hook"));
                page.put(Tone::Quiet, &format!("     {says}")).end();
            }
        }
        for switch in &agent.switches {
            let tone = if switch.set_by.is_some() { Tone::Warn } else { Tone::Quiet };
            page.put(Tone::Plain, "   ").put(tone, &format!("{} = {}", switch.name, switch.value));
            page.put(Tone::Quiet, &format!("   {}", switch.set_by.as_deref().unwrap_or("default")));
            page.put(Tone::Plain, &format!("   {}", switch.message)).end();
        }
        for file in &agent.not_loaded {
            page.put(Tone::Warn, &format!("   not loaded: {}", file.file))
                .put(Tone::Plain, &format!("   {}", file.says))
                .end();
        }
        diagnostics(&mut page, &agent.diagnostics);
    }
    if let Some(shared) = &doc.shared_files {
        page.end().put(Tone::Strong, " Read by several agents").end();
        for file in shared {
            shared_file(&mut page, file);
        }
    }
    if let Some(says) = left_out {
        page.end().put(Tone::Quiet, &format!(" Left out: {says}")).end();
    }
    write_stdout(&page.finish());
}

/// Prints what each agent makes of a file that several read.
fn shared_file(page: &mut TextPage, shared: &SharedFile) {
    page.put(Tone::Plain, &format!("   {}", shared.file)).end();
    let names = column(shared.readers.iter().map(|reader| reader.name), WIDE);
    for reader in &shared.readers {
        let tone = if reader.uses_it { Tone::Quiet } else { Tone::Bad };
        page.put(Tone::Plain, "     ").cell(Tone::Plain, reader.name, names + 2).put(tone, &reader.message).end();
    }
    for hook in &shared.differences {
        page.put(Tone::Warn, &format!("     line {:<5}", hook.line)).put(Tone::Strong, &hook.label);
        page.put(Tone::Quiet, &format!("   {}", hook.event)).end();
        for (agent, says) in &hook.agents {
            page.put(Tone::Plain, "       ").cell(Tone::Plain, agent, names + 2).put(Tone::Quiet, says).end();
        }
    }
}
