//! The answer tab: how the agent interprets the selected hook's answer, and the outcome of all hooks together.

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::problems::FAILED_TO_BLOCK;
use crate::theme::Theme;
use crate::widgets::{IndentedLine, width};
use hookbench_app::RunRecord;
use hookbench_core::decide::HookRun;
use hookbench_core::diagnostic::Severity;
use hookbench_core::output::{AnswerForm, HookOutput, KeyUse, Vote};
use hookbench_core::run::{Exit, Launch};
use hookbench_core::trace::TraceStep;

/// Width of the labels, in columns.
const LABEL: usize = 10;
/// Minimum width of a reason beside its key, in columns; a narrower one goes on the line below.
const REASON: usize = 24;

/// The lines of the tab.
pub fn lines(model: &Model) -> Vec<IndentedLine> {
    let theme = model.theme;
    let Some(run) = model.selected_run().and_then(RunRecord::ended) else {
        let says = model.past_run().map(|run| run.dropped_output_message(&model.key(UiCommand::Fire)));
        return vec![IndentedLine::new(0, vec![(theme.quiet(), says.unwrap_or_else(|| "no answer yet".to_owned()))])];
    };
    let output = &run.output;
    let event = model.session.bench().payload.event.filter(|e| e.name == run.input.event);
    let says = match output.vote {
        _ if run.report.exit == Exit::Unanswered => "not answered".to_owned(),
        Vote::None if matches!(run.report.exit, Exit::Cancelled) => "nothing: it was cancelled".to_owned(),
        Vote::None if model.fails_closed(&run.hook) => "deny: the agent blocks because the hook failed".to_owned(),
        Vote::None if output.failure.is_some() => "nothing: the hook failed".to_owned(),
        _ => output.words_on(event),
    };
    let label = |text: &str| (theme.quiet(), format!("{text:<LABEL$}"));
    let mut lines = vec![
        IndentedLine::new(LABEL, vec![label("decides"), (theme.strong(), says)]),
        IndentedLine::new(LABEL, vec![label("read as"), (theme.plain(), interpretation(run))]),
    ];
    // A note that says the same with its fix, and the row above for a cancelled run, make the failure redundant.
    let noted = output.notes.iter().any(|note| note.code == FAILED_TO_BLOCK);
    if let Some(failure) = output.failure.as_ref().filter(|_| !noted && !matches!(run.report.exit, Exit::Cancelled)) {
        lines.push(IndentedLine::new(LABEL, vec![label("failed"), (theme.warn(), failure.clone())]));
    }
    fields(output, theme, super::detail_width(model.size, model.zoomed, model.pane_sizes), &mut lines);
    for note in output.notes.iter().filter(|note| output.failure.as_ref() != Some(&note.message)) {
        // The code to pass to `explain`.
        let word = note.code.family().map_or("note", |_| note.code.as_str());
        let style = if note.severity == Severity::Info { theme.plain() } else { theme.warn() };
        lines.push(IndentedLine::new(LABEL, vec![label(word), (style, note.message.clone())]));
        for more in [&note.note, &note.help].into_iter().flatten() {
            lines.push(IndentedLine::new(LABEL, vec![label(""), (theme.quiet(), more.clone())]));
        }
    }
    tree(&output.trace, "", theme, &mut lines);
    if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
        lines.push(IndentedLine::new(0, Vec::new()));
        lines.push(IndentedLine::new(LABEL, vec![label("together"), (theme.strong(), outcome.sentence())]));
        // The sentence above is not repeated. The children of a step that only repeats it are shown in its place.
        let mut steps: Vec<TraceStep> = Vec::new();
        for step in &outcome.trace {
            match outcome.step_message(&step.message) {
                rest if rest.is_empty() => steps.extend(step.children.iter().cloned()),
                rest => steps.push(TraceStep { message: rest, ..step.clone() }),
            }
        }
        tree(&steps, "", theme, &mut lines);
    }
    lines
}

fn interpretation(run: &HookRun) -> String {
    let form = match (run.output.form, &run.launch) {
        (AnswerForm::Nothing, Launch::ByHand(question)) if run.report.exit == Exit::Unanswered => {
            return format!("nothing yet: it {}", question.requires);
        }
        (AnswerForm::Nothing, _) => "no answer; only the exit status counts",
        (AnswerForm::Text, _) => "text",
        (AnswerForm::Json, _) => "JSON",
        (AnswerForm::Rejected, _) => "an answer that the agent rejected",
        (AnswerForm::Lost, _) => "nothing: the agent ignored its output",
    };
    form.to_owned()
}

/// Lists every key of the answer with its reason in a separate column: used, ignored, then invalid.
fn fields(output: &HookOutput, theme: Theme, columns: usize, lines: &mut Vec<IndentedLine>) {
    let name = |pointer: &str| if pointer.is_empty() { "the whole".to_owned() } else { pointer.to_owned() };
    let column = LABEL + output.fields.iter().map(|f| width(&name(&f.pointer))).max().unwrap_or(0) + 2;
    let beside = column + REASON <= columns;
    let groups = [
        (KeyUse::Used, "used", theme.good()),
        (KeyUse::Ignored, "ignored", theme.warn()),
        (KeyUse::Invalid, "invalid", theme.bad()),
    ];
    for (use_, word, style) in groups {
        for (index, field) in output.fields.iter().filter(|f| f.key_use == use_).enumerate() {
            let key = name(&field.pointer);
            let air = " ".repeat(column.saturating_sub(LABEL + width(&key)));
            let word = if index == 0 { word } else { "" };
            let mut line = vec![(style, format!("{word:<LABEL$}")), (theme.strong(), key)];
            if beside {
                line.push((theme.plain(), format!("{air}{}", field.message)));
                lines.push(IndentedLine::new(column, line));
            } else {
                lines.push(IndentedLine::new(LABEL, line));
                let below = vec![(theme.plain(), " ".repeat(LABEL + 2)), (theme.plain(), field.message.clone())];
                lines.push(IndentedLine::new(LABEL + 2, below));
            }
        }
    }
}

/// Renders the steps as a tree, each step's causes indented below it.
fn tree(steps: &[TraceStep], before: &str, theme: Theme, lines: &mut Vec<IndentedLine>) {
    let (fork, end, bar) = if theme.unicode { ("├ ", "└ ", "│ ") } else { ("|-", "`-", "| ") };
    for (index, step) in steps.iter().enumerate() {
        let last = index + 1 == steps.len();
        let (mark, below) = if last { (end, "  ") } else { (fork, bar) };
        let lead = format!("{}{before}{mark}", " ".repeat(LABEL));
        let style = if before.is_empty() { theme.plain() } else { theme.quiet() };
        lines.push(IndentedLine::new(width(&lead), vec![(theme.quiet(), lead), (style, step.message.clone())]));
        tree(&step.children, &format!("{before}{below}"), theme, lines);
    }
}
