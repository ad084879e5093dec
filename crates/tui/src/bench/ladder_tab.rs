//! The ladder of the selected hook.

use crate::model::Model;
use crate::problems::FAILED_TO_BLOCK;
use crate::widgets::IndentedLine;
use hookbench_app::LogAccount;
use hookbench_core::diagnostic::Severity;
use hookbench_core::output::Vote;
use hookbench_core::plan::{RungName, RungState};

/// Indent of a rung's sentence; in a narrow pane, indent of its name.
const SENTENCE: usize = 26;
const NAME: usize = 5;

/// The prefix of the red rung.
pub const RED: &str = "> ";

/// The ladder's lines: the answer, the rungs, and the other subjects that the hook fires for. If folded, the rungs
/// before the red one share one line.
pub fn lines(model: &Model, folded: bool) -> Vec<IndentedLine> {
    let theme = model.theme;
    let Some(ladder) = &model.ladder else { return Vec::new() };
    let mut lines = vec![IndentedLine::new(2, vec![(theme.strong(), ladder.answer.clone())])];
    if !ladder.nearest.is_empty() && !ladder.answer.contains("nearest: ") {
        let nearest = (theme.strong(), ladder.nearest.join(", "));
        lines.push(IndentedLine::new(2, vec![(theme.quiet(), "nearest match: ".to_owned()), nearest]));
    }
    let log = model.definition_facts.as_ref().and_then(|facts| facts.log.as_ref());
    lines.extend(log.and_then(LogAccount::contradiction).map(|says| {
        let word = (theme.bad(), "CONTRADICTS the agent's log: ".to_owned());
        IndentedLine::new(2, vec![word, (theme.plain(), says)])
    }));
    let red = ladder.rungs.iter().position(|r| matches!(r.state, RungState::No | RungState::Unknown));
    let fold = red.filter(|at| folded && *at > 1);
    if fold.is_none() {
        lines.push(IndentedLine::new(0, Vec::new()));
    }
    let indent = if super::detail_width(model.size, model.zoomed, model.pane_sizes) < 60 { NAME } else { SENTENCE };
    if let Some(last) = fold {
        let ok = (theme.good(), RungState::Ok.word().to_owned());
        lines.push(IndentedLine::new(0, vec![(theme.quiet(), format!("   1-{last:<19}")), ok]));
    }
    for (index, rung) in ladder.rungs.iter().enumerate().skip(fold.unwrap_or(0)) {
        let style = match rung.state {
            RungState::Ok => theme.good(),
            RungState::No => theme.bad(),
            RungState::Unknown => theme.warn(),
            RungState::Skipped => theme.quiet(),
        };
        let here = red == Some(index);
        let text = match rung.state {
            RungState::Skipped => theme.quiet(),
            _ if here => theme.strong(),
            _ => theme.plain(),
        };
        lines.push(IndentedLine::new(
            indent,
            vec![
                (style, if here { RED } else { "  " }.to_owned()),
                (theme.quiet(), format!("{:>2} ", index + 1)),
                (text, format!("{:<17}", rung.name.title())),
                (style, format!("{:<4}", rung.state.word())),
                (text, rung.message.clone()),
            ],
        ));
        lines.extend(ladder.findings_at(rung.name).map(|found| {
            let style = if found.severity == Severity::Error { theme.bad() } else { theme.warn() };
            let word = (style, format!("{:indent$}{} ", "", found.severity.word()));
            let title = (theme.quiet(), format!("{}: ", found.title()));
            IndentedLine::new(indent + 2, vec![word, title, (theme.plain(), found.message.clone())])
        }));
    }
    lines.extend(decided_step(model, indent));
    if let Some(says) = other_subjects(model).filter(|says| !ladder.answer.contains(says.as_str())) {
        lines.push(IndentedLine::new(0, Vec::new()));
        lines.push(IndentedLine::new(2, vec![(theme.quiet(), format!("it {says}"))]));
    }
    lines.extend(agent_log(model));
    lines
}

/// The statements of the agent's own debug log about the hook.
fn agent_log(model: &Model) -> Vec<IndentedLine> {
    let theme = model.theme;
    let Some(log) = model.definition_facts.as_ref().and_then(|facts| facts.log.as_ref()) else { return Vec::new() };
    let mut lines = vec![IndentedLine::new(0, Vec::new())];
    lines.push(IndentedLine::new(2, vec![(theme.quiet(), log.title())]));
    let says = log.sentences().into_iter();
    lines.extend(says.map(|says| IndentedLine::new(4, vec![(theme.plain(), format!("  {says}"))])));
    lines
}

/// The step after the ladder: what the agent made of the run's answer. `None` before the run has ended.
fn decided_step(model: &Model, indent: usize) -> Option<IndentedLine> {
    let theme = model.theme;
    let run = model.selected_run()?;
    let ended = run.ended()?;
    let not_blocked = || ended.output.notes.iter().find(|n| n.code == FAILED_TO_BLOCK).map(|n| n.message.clone());
    let failure = model.known_failure(run).map(str::to_owned).or_else(not_blocked);
    let failure = failure.or_else(|| ended.output.failure.clone());
    let (style, word, text) = match failure {
        Some(why) if model.fails_closed(&run.hook) => {
            (theme.good(), RungState::Ok.word(), format!("the agent blocks because the hook failed: {why}"))
        }
        Some(why) => (theme.bad(), RungState::No.word(), why),
        None if ended.output.vote == Vote::None && !ended.output.stops_agent() => {
            (theme.quiet(), RungState::Skipped.word(), no_objection())
        }
        None => (theme.good(), RungState::Ok.word(), ended.output.words_on(model.session.bench().payload.event)),
    };
    let name = (theme.plain(), format!("{:<17}", "decided"));
    let number = (theme.quiet(), "11 ".to_owned());
    let lead = (style, "  ".to_owned());
    Some(IndentedLine::new(indent, vec![lead, number, name, (style, format!("{word:<4}")), (theme.plain(), text)]))
}

fn no_objection() -> String {
    "the hook has no objection".to_owned()
}

/// The known subjects that the hook fires for.
fn other_subjects(model: &Model) -> Option<String> {
    // A hook that fails before the matcher fails for every subject, whatever the matcher is.
    let red = model.ladder.as_ref()?.rungs.iter().find(|r| matches!(r.state, RungState::No | RungState::Unknown));
    if red.is_some_and(|rung| rung.name < RungName::Matcher) {
        return None;
    }
    let subjects = model.definition_facts.as_ref()?.subjects.as_ref()?;
    let agent = model.session.current()?;
    let event = hookbench_core::dialects::find_event(agent.dialect, &agent.version, &model.definition()?.event)?;
    event.subject.map(|_| subjects.words(event))
}
