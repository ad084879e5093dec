//! The script of the selected hook as displayed: with colours, line numbers, the line that decided, and findings.

use std::collections::BTreeMap;

use ratatui::style::Style;

use super::script_state::{ScriptInputs, ScriptView};
use crate::model::Model;
use crate::theme::{Mark, Theme};
use crate::widgets::{LineMargin, LogArea, LogView, MarginMark, StyledLine};
use hookbench_app::lint::Finding;
use hookbench_app::{ScriptText, StreamBuffer, WordKind};
use hookbench_core::diagnostic::Severity;
use hookbench_core::output::Vote;
use hookbench_core::plan::RungName;
use hookbench_core::run::deciding_line;

impl Model {
    /// Makes the displayed script again if something has changed.
    pub(super) fn refresh_script(&mut self) {
        let script = self.definition_facts.as_ref().and_then(|facts| facts.script.as_ref());
        let Some(script) = script.filter(|_| self.definition().is_some()) else {
            self.script = ScriptView { number: self.script.number, ..ScriptView::default() };
            return;
        };
        let ended = self.selected_run().and_then(|run| run.ended());
        let tried = self.definition().and_then(|hook| self.session.observation(self.session.current()?, hook));
        // The findings about a command are at its line of the settings.
        let of_script = |found: &&Finding| found.path == script.path || script.path.is_none();
        let of_answer = self.ladder.iter().flat_map(|ladder| ladder.findings_at(RungName::Started));
        let inputs = ScriptInputs {
            text: script.shown().to_owned(),
            findings: self.hook_findings.iter().filter(of_script).cloned().collect(),
            of_answer: of_answer.filter(|found| !of_script(found)).cloned().collect(),
            run: self.shown_firing.filter(|_| ended.is_some()),
            tried: tried.map(|observed| observed.message.clone()),
            colour: self.theme.colour,
        };
        if self.script.inputs.as_ref() == Some(&inputs) {
            return;
        }
        let mut margin = findings_margin(script, &inputs.findings, self.theme);
        let event = self.session.bench().payload.event;
        let decided = match (ended, tried) {
            (Some(run), _) => deciding_line(&inputs.text, &run.report).and_then(|line| {
                let says = match &run.output.failure {
                    Some(why) => (self.theme.bad(), "failed:", why.clone()),
                    None if run.output.vote == Vote::None => return None,
                    None => (self.theme.name(), "decided:", run.output.words_on(event)),
                };
                Some((line, says.0, says.1, format!("{}, {}", says.2, run.report.exit.describe())))
            }),
            (None, Some(tried)) => tried.line.map(|line| (line, self.theme.name(), "tried:", tried.message.clone())),
            (None, None) => None,
        };
        if let Some((line, style, word, says)) = &decided {
            let note = vec![(*style, (*word).to_owned()), (self.theme.plain(), format!(" {says}"))];
            let of_answer = inputs.of_answer.iter().map(|found| finding_note(found, self.theme));
            let mark = if *word == "failed:" { Mark::Failed } else { Mark::Decided };
            let at = margin.marks.entry(*line as usize).or_default();
            (at.mark, at.style) = (mark, *style);
            at.notes.splice(0..0, std::iter::once(note).chain(of_answer));
        }
        let decided = decided.map(|(line, ..)| line as usize);
        let first = decided.or_else(|| margin.marks.keys().next().copied()).unwrap_or(1);
        let before = self.script.inputs.as_ref();
        let key = |of: &ScriptInputs| (of.text.clone(), of.run, of.tried.clone());
        let is_same = before.is_some_and(|before| key(before) == key(&inputs));
        self.script = ScriptView {
            shown: StreamBuffer { head: display_script(script, self.theme), ..StreamBuffer::default() },
            margin,
            first,
            number: self.script.number + u64::from(!is_same),
            inputs: Some(inputs),
        };
    }
}

/// The line numbers of a script, with the findings at their lines.
fn findings_margin(script: &ScriptText, findings: &[Finding], theme: Theme) -> LineMargin {
    let lines = script.shown().lines().count();
    let mut marks: BTreeMap<usize, MarginMark> = BTreeMap::new();
    for found in findings {
        let line = found.place.filter(|_| script.path.is_some()).map_or(1, |(start, _)| start.line as usize);
        let at = marks.entry(line).or_default();
        at.style = severity_style(found, theme);
        at.notes.push(finding_note(found, theme));
    }
    LineMargin { lines, marks }
}

fn severity_style(found: &Finding, theme: Theme) -> Style {
    match found.severity {
        Severity::Error => theme.bad(),
        Severity::Warning => theme.warn(),
        Severity::Info => theme.quiet(),
    }
}

fn finding_note(found: &Finding, theme: Theme) -> StyledLine {
    vec![
        (severity_style(found, theme), found.severity.word().to_owned()),
        (theme.quiet(), format!(" {} ", found.code)),
        (theme.plain(), found.message.clone()),
    ]
}

/// All rows of a script in `columns` columns, with the findings in it.
pub fn script_rows(model: &Model, script: &ScriptText, columns: usize) -> Vec<StyledLine> {
    let report = model.session.problems().report.iter();
    let in_it = |found: &&Finding| script.path.is_some() && found.path == script.path;
    let mut findings: Vec<Finding> = Vec::new();
    for found in report.flat_map(|report| &report.findings).filter(in_it) {
        // Several agents may find it.
        if !findings.iter().any(|known| (known.code, known.place) == (found.code, found.place)) {
            findings.push(found.clone());
        }
    }
    let shown = StreamBuffer { head: display_script(script, model.theme), ..StreamBuffer::default() };
    let view = ScriptView { shown, margin: findings_margin(script, &findings, model.theme), ..ScriptView::default() };
    let mut log = LogView::default();
    view.show_in(&mut log, columns);
    log.rows(&view.shown, LogArea { rows: usize::MAX, columns, theme: model.theme })
}

/// The text of a script with colours as a terminal writes them. Escape sequences of the script itself are made visible.
fn display_script(script: &ScriptText, theme: Theme) -> Vec<u8> {
    let text = script.shown();
    let mut out = String::with_capacity(text.len() * 2);
    let mut end = 0;
    let mut put = |code: &str, part: Option<&str>| {
        let part = part.unwrap_or_default().replace('\u{1b}', "^[").replace("\r\n", "\n").replace('\r', "^M");
        for line in part.split_inclusive('\n') {
            // A sequence after the last line end would be one more line.
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            let is_plain = code.is_empty() || line.is_empty();
            out.push_str(&if is_plain { line.to_owned() } else { format!("\u{1b}[{code}m{line}\u{1b}[0m") });
            out.push_str(end);
        }
    };
    for (range, kind) in script.language.map(|language| language.words(text)).unwrap_or_default() {
        put("", text.get(end..range.start));
        put(code_of(kind, theme), text.get(range.clone()));
        end = range.end;
    }
    put("", text.get(end..));
    out.into_bytes()
}

/// The parameter of the sequence that sets a colour, or an attribute where there are no colours.
fn code_of(kind: WordKind, theme: Theme) -> &'static str {
    match (kind, theme.colour) {
        (WordKind::Comment, true) => "90",
        (WordKind::Comment, false) => "2",
        (WordKind::Keyword, true) => "35",
        (WordKind::Keyword, false) => "1",
        (WordKind::Text, true) => "32",
        (WordKind::Call, true) => "34",
        (WordKind::Text | WordKind::Call, false) | (WordKind::Variable, _) => "",
    }
}
