//! The screen's content as sentences: without columns, signs or abbreviations. The output of hooks is unchanged.

use crate::bench::streams::lines_below;
use crate::bench::{Band, BandRow, detail_rows};
use crate::hook_list::HookListRow;
use crate::model::{Model, Tab};
use crate::run_time::took;
use crate::widgets::{StyledLine, plain_line};
use hookbench_app::StreamBuffer;
use hookbench_app::lint::Finding;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::{RungState, Selection};
use hookbench_core::text::{capitalized, pluralize};

/// Adds a full stop unless the text ends with punctuation.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let ended = text.is_empty() || text.ends_with(['.', '?', '!', ':']);
    if ended { text.to_owned() } else { format!("{text}.") }
}

/// Whether a word is a separator or a bar of a chart.
fn is_drawing(word: &str) -> bool {
    let is_bar = |signs: &str| word.contains(['·', '━', '╍', '=', '~']) && word.chars().all(|c| signs.contains(c));
    is_bar("·━╍!") || word.len() > 5 && is_bar(".=~!")
}

/// Expands abbreviated places and times, and removes separators.
pub fn expanded(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace().filter(|word| !is_drawing(word)) {
        let bare = word.trim_end_matches([',', '.', ';']);
        let end = word.get(bare.len()..).unwrap_or("");
        let unit = match bare {
            "s" => "second",
            "ms" => "millisecond",
            _ => "",
        };
        match out.last().and_then(|before| before.parse::<f64>().ok()).filter(|_| !unit.is_empty()) {
            Some(number) if (number - 1.0).abs() < f64::EPSILON => out.push(format!("{unit}{end}")),
            Some(_) => out.push(format!("{unit}s{end}")),
            None => out.push(format!("{}{end}", place_in_words(bare))),
        }
    }
    out.join(" ")
}

/// A place in words: `settings.json:12:3` becomes "settings.json line 12 column 3".
fn place_in_words(word: &str) -> String {
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = word.split(':').collect();
    match parts.as_slice() {
        [file, line] if file.contains(['.', '/']) && number(line) => format!("{file} line {line}"),
        [file, line, column] if file.contains(['.', '/']) && number(line) && number(column) => {
            format!("{file} line {line} column {column}")
        }
        _ => word.to_owned(),
    }
}

/// Joins the contents of columns.
pub fn join_columns(text: &str, between: &str) -> String {
    columns(text).collect::<Vec<_>>().join(between)
}

/// The contents of columns, without bars.
fn columns(text: &str) -> impl Iterator<Item = &str> {
    text.split("  ").map(str::trim).filter(|part| !part.is_empty() && !is_drawing(part))
}

/// A line of columns as a sentence, with the first column as its label: `help  write Bash` becomes "Help: write Bash."
pub fn labelled(text: &str) -> String {
    let mut columns = columns(text);
    let label = columns.next().unwrap_or_default();
    let rest: Vec<String> = columns.map(expanded).collect();
    let says = if rest.is_empty() { expanded(label) } else { format!("{}: {}", capitalized(label), rest.join(", ")) };
    sentence(&says)
}

/// The lines of an opened row as sentences: labels with values, and changed lines. JSON is printed unchanged, and lines
/// of a source file, which only a screen can point at, are left out.
pub fn detail(lines: &[String]) -> Vec<String> {
    let is_source = |line: &&String| {
        let number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let is_marked = line.contains('^') && line.chars().all(|c| " ^│|".contains(c));
        is_marked || number.starts_with(" │") || number.starts_with(" |")
    };
    let says = |line: &String| match line.trim_start() {
        trimmed if trimmed.starts_with(['{', '}', '[', ']', '"']) => line.clone(),
        trimmed if trimmed.starts_with(['-', '+']) => changed_line(trimmed),
        _ if line.starts_with("  ") => sentence(&expanded(line)),
        _ => labelled(line),
    };
    lines.iter().filter(|line| !is_source(line)).map(says).collect()
}

/// A line of a comparison: the old value, the new value, or an unchanged one.
pub fn changed_line(text: &str) -> String {
    let (word, rest) = match text.split_at_checked(2) {
        Some(("- ", rest)) => ("Before: ", rest),
        Some(("+ ", rest)) => ("Now: ", rest),
        _ => ("", text.trim_start()),
    };
    let says = match rest.split_once("  ") {
        Some((label, value)) if value.trim() == "-" => format!("{label}: none"),
        Some((label, value)) if !label.contains(' ') => format!("{label}: {}", expanded(&join_columns(value, ", "))),
        _ => expanded(&join_columns(rest, ", ")),
    };
    sentence(&format!("{word}{says}"))
}

/// The verdict band as sentences.
pub fn band(model: &Model) -> Vec<String> {
    let running = model.firing().is_some_and(|f| f.outcome.is_none());
    if running {
        // The number of running hooks changes constantly, so only the result is printed.
        return vec!["Running.".to_owned()];
    }
    band_rows(&Band::of(model))
}

/// The rows of a band as sentences.
pub fn band_rows(band: &Band) -> Vec<String> {
    band.rows.iter().filter(|row| !row.word.is_empty()).flat_map(band_row).collect()
}

fn band_row(row: &BandRow) -> Vec<String> {
    let parts: Vec<String> = row
        .parts
        .iter()
        .map(|part| expanded(&join_columns(&part.text, ", ")))
        .filter(|part| !part.is_empty())
        .collect();
    let first = format!("{}: {}", capitalized(&row.word.to_lowercase()), parts.join(", "));
    let rest = row.right.split('·').map(|part| capitalized(&expanded(part)));
    let count = row.count.split(", ").map(|part| capitalized(&part.replace("+ ", "and ")));
    std::iter::once(first)
        .chain(rest)
        .chain(count)
        .filter(|text: &String| !text.is_empty())
        .map(|text| sentence(&text))
        .collect()
}

/// A hook and its state.
pub fn hook(model: &Model, definition: &HookDefinition) -> String {
    let what = match (model.run_of(&definition.id), model.entry(&definition.id)) {
        (Some(run), _) => match run.ended() {
            Some(ended) => {
                let event = model.session.bench().payload.event.filter(|e| e.name == ended.input.event);
                let vote = ended.output.failure.clone().unwrap_or_else(|| ended.output.words_on(event));
                let took = took(ended.report.timing.duration());
                let time = if model.is_assumed(run) { "assumed" } else { took.as_str() };
                format!("{vote}, {}, {time}", ended.report.exit.describe())
            }
            None => "running".to_owned(),
        },
        (None, Some(entry)) => {
            let word = match entry.selection {
                Selection::Fires { .. } => "will run",
                Selection::Skipped => "does not run",
                Selection::Unknown => "may run",
            };
            format!("{word}, {}", entry.why.message)
        }
        (None, None) => format!("on {}", definition.event),
    };
    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
    format!("{} {}", sentence(&format!("{}: {}", definition.label(), expanded(&what))), sentence(&expanded(&place)))
}

/// The selected row of the list.
pub fn selected(model: &Model) -> String {
    let selected = model.rows.get(model.selected);
    selected.map_or_else(|| "This event has no hooks.".to_owned(), |selected| row(model, selected))
}

/// A row of the list.
pub fn row(model: &Model, row: &HookListRow) -> String {
    match row {
        HookListRow::Hook(_) | HookListRow::Other(_) | HookListRow::Stale(_) => {
            model.definition_of(row).map(|definition| hook(model, definition)).unwrap_or_default()
        }
        HookListRow::NotLoaded(index) => {
            let file = model.loaded().and_then(|loaded| loaded.ignored_files.get(*index));
            file.map_or_else(String::new, |f| format!("Not loaded: {}. {}", f.file, sentence(&expanded(&f.message))))
        }
        HookListRow::EventName(name) => format!("Hooks of {name}:"),
        HookListRow::Own { file, hooks } => {
            format!("hookbench records {} here, with its own hooks in {file}.", pluralize(*hooks, "event"))
        }
        HookListRow::Others(count) => format!("{} of other events.", pluralize(*count, "hook")),
    }
}

/// The pane of the selected hook.
pub fn pane(model: &Model) -> Vec<String> {
    let tab = model.current_tab();
    let label = model.definition().map(|d| format!(" of {}", d.label())).unwrap_or_default();
    let mut out = vec![format!("{}{label}.", capitalized(tab.title()))];
    match (tab, model.stream()) {
        (Tab::Why, _) => out.extend(ladder(model)),
        (Tab::Script, Some(stream)) => out.extend(script(model, stream)),
        (_, Some(stream)) => out.extend(output(stream)),
        (Tab::Stdin, None) => {
            let rows = detail_rows(model, tab);
            out.extend(rows.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect::<String>()));
        }
        _ => {
            let rows = detail_rows(model, tab);
            let texts = rows.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect::<String>());
            out.extend(page(texts, tab));
        }
    }
    out
}

/// The ladder of the selected hook: the answer, then one sentence per rung.
fn ladder(model: &Model) -> Vec<String> {
    let Some(ladder) = &model.ladder else { return vec!["There is nothing to explain here.".to_owned()] };
    let mut out = vec![sentence(&expanded(&ladder.answer))];
    if !ladder.nearest.is_empty() && !ladder.answer.contains("nearest: ") {
        out.push(sentence(&format!("The nearest match: {}", ladder.nearest.join(", "))));
    }
    for (index, rung) in ladder.rungs.iter().enumerate() {
        let word = match rung.state {
            RungState::Ok => "yes",
            RungState::No => "no",
            RungState::Unknown => "unknown",
            RungState::Skipped => "not reached",
        };
        let says = if rung.message.is_empty() { String::new() } else { format!(": {}", expanded(&rung.message)) };
        out.push(sentence(&format!("Step {}, {}, {word}{says}", index + 1, rung.name.title())));
        let told = |found: &Finding| {
            sentence(&expanded(&format!(
                "Step {}, {} {}: {}",
                index + 1,
                found.severity.word(),
                found.title(),
                found.message
            )))
        };
        out.extend(ladder.findings_at(rung.name).map(told));
    }
    if let Some(log) = model.definition_facts.as_ref().and_then(|facts| facts.log.as_ref()) {
        out.push(sentence(&expanded(&log.title())));
        out.extend(log.contradiction().map(|says| sentence(&format!("This contradicts the prediction: {says}"))));
        out.extend(log.sentences().iter().map(|says| sentence(&expanded(says))));
    }
    out
}

/// The script of the selected hook: its lines with their numbers, each before the notes about it, and the keys that it reads.
fn script(model: &Model, stream: &StreamBuffer) -> Vec<String> {
    let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    let mut out = Vec::new();
    for (number, line) in (1..).zip(output(stream)) {
        out.push(format!("{number}: {line}"));
        let notes = model.script.margin.marks.get(&number).into_iter().flat_map(|at| &at.notes);
        out.extend(notes.map(|note| sentence(&expanded(&format!("Line {number}, {}", text(note))))));
    }
    out.extend(lines_below(model).iter().map(|line| sentence(&expanded(&join_columns(&text(line), ", ")))));
    out
}

/// The output of a hook, line by line, without colours.
fn output(stream: &StreamBuffer) -> Vec<String> {
    if stream.total() == 0 {
        return vec!["It is empty.".to_owned()];
    }
    let lines = |bytes: &[u8]| bytes.split_inclusive(|b| *b == b'\n').map(plain_line).collect::<Vec<_>>();
    let mut out = lines(&stream.head);
    if stream.gap > 0 {
        out.push(format!("{} bytes are left out here.", stream.gap));
    }
    out.extend(lines(&stream.tail));
    out
}

/// Width of the labels in a pane, in columns.
const LABEL: usize = 10;

/// Converts the rows of a pane to sentences: labels with values, their continuation lines, and trees of reasons.
fn page(rows: impl Iterator<Item = String>, tab: Tab) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for row in rows.filter(|row| !row.trim().is_empty()) {
        if let Some((depth, text)) = branch(&row).filter(|_| tab == Tab::Decision) {
            let because = if depth > 1 { "Because of this: " } else { "" };
            out.push(format!("{because}{}", expanded(text)));
            continue;
        }
        let (label, value) =
            if row.starts_with(' ') { ("", row.as_str()) } else { row.split_once("  ").unwrap_or(("", &row)) };
        let exact = quoted(value.trim()).filter(|_| tab == Tab::Process);
        let value = exact.unwrap_or_else(|| expanded(&join_columns(value, ", ")));
        match out.last_mut().filter(|_| row.starts_with("        ")) {
            Some(before) => before.push_str(&format!("; {value}")),
            None if label.is_empty() => out.push(value),
            None => out.push(format!("{}: {value}", capitalized(label))),
        }
    }
    out.iter().map(|text| sentence(text)).collect()
}

/// The depth of a row in a tree, and its text.
fn branch(row: &str) -> Option<(usize, &str)> {
    let mut rest = row.strip_prefix(&" ".repeat(LABEL))?;
    let mut depth = 1;
    loop {
        if let Some(says) = ["├ ", "└ ", "|-", "`-"].iter().find_map(|mark| rest.strip_prefix(mark)) {
            return Some((depth, says));
        }
        rest = ["│ ", "| ", "  "].iter().find_map(|mark| rest.strip_prefix(mark))?;
        depth += 1;
    }
}

/// Replaces the bars around a word of a command line by quotation marks.
fn quoted(text: &str) -> Option<String> {
    let bar = if text.contains('│') { '│' } else { '|' };
    let (word, rest) = text.strip_prefix(bar)?.rsplit_once(bar)?;
    let rest = join_columns(rest, ", ");
    Some(if rest.is_empty() { format!("\"{word}\"") } else { format!("\"{word}\", {rest}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_short_is_said_in_full() {
        for (text, want) in [
            (".x/settings.json:12   says", ".x/settings.json line 12 says"),
            ("a.json:4:3, then", "a.json line 4 column 3, then"),
            ("38 ms of 1 s, 1.5 s.", "38 milliseconds of 1 second, 1.5 seconds."),
            ("a ms b s 14:31 Bash:12", "a ms b s 14:31 Bash:12"),
            ("run 9 · was DENY", "run 9 was DENY"),
        ] {
            assert_eq!(expanded(text), want);
        }
        assert_eq!([sentence("a"), sentence("a."), sentence("")], ["a.", "a.", ""]);
    }

    #[test]
    fn the_first_column_is_a_label() {
        for (text, want) in [
            ("help   write Bash instead", "Help: write Bash instead."),
            ("session    5f   14:03", "Session: 5f, 14:03."),
            ("one sentence.", "one sentence."),
        ] {
            assert_eq!(labelled(text), want);
        }
    }

    #[test]
    fn pages_become_sentences() {
        let rows = |tab: Tab, rows: &[&str]| page(rows.iter().map(|row| (*row).to_owned()), tab);
        assert_eq!(
            rows(Tab::Process, &["argv      │/bin/sh│", "          │a  b│", "", "timeout   10 s   a.json:3 says 10"]),
            ["Argv: \"/bin/sh\"; \"a  b\".", "Timeout: 10 seconds, a.json line 3 says 10."]
        );
        let tree = [
            "together  it does not run",
            "          ├ one says no",
            "          │ └ exit 2",
            "          └ another",
            "            └ no",
        ];
        assert_eq!(
            rows(Tab::Decision, &tree),
            [
                "Together: it does not run.",
                "one says no.",
                "Because of this: exit 2.",
                "another.",
                "Because of this: no."
            ]
        );
    }
}
