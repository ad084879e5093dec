//! One event before and after: decision, hooks, output, time.

use ratatui::style::Style;

use super::rows::verdict;
use super::{ReportRow, RowLink};
use crate::events::detail::recorded_runs_words;
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width, wrap};
use hookbench_app::replay::{EventAssessment, FiringHook, ReplayChange};
use hookbench_app::{EventReplay, ReplayOrder, ReplayTarget};
use hookbench_core::text::{one_line, stringify};

/// Width in columns below which the two sides are placed one above the other.
const NARROW: usize = 60;
/// Maximum lines of a hook's output on each side.
const PRINTED: usize = 40;

type StyledText = (Style, String);

/// Collects the rows of the event.
struct ReportWriter {
    theme: Theme,
    columns: usize,
    label: usize,
    rows: Vec<ReportRow>,
}

impl ReportWriter {
    fn add_line(&mut self, line: &StyledLine, leads: &RowLink) {
        for line in wrap(line, self.columns, 4) {
            self.rows.push(ReportRow { line, link: leads.clone() });
        }
    }

    fn add_text(&mut self, style: Style, text: String) {
        self.add_line(&vec![(style, text)], &RowLink::Nowhere);
    }

    fn add_blank(&mut self) {
        self.rows.push(ReportRow { line: StyledLine::new(), link: RowLink::Nowhere });
    }

    /// Adds a label and its value on both sides; the sign in front shows whether they are equal.
    fn add_pair(&mut self, sign: &str, label: &str, before: &StyledText, now: &StyledText) {
        let theme = self.theme;
        let differs = before.1 != now.1;
        let sign = (theme.strong(), format!("{sign:2}"));
        let name = if sign.1.trim().is_empty() { theme.quiet() } else { theme.strong() };
        let (then, today) = (one_line(&before.1), one_line(&now.1));
        if self.columns < NARROW {
            let label = fit(label, self.columns.saturating_sub(2), theme);
            self.add_line(&vec![sign, (name, label)], &RowLink::Nowhere);
            if differs {
                self.add_line(&vec![(theme.quiet(), "    was ".to_owned()), (before.0, then)], &RowLink::Nowhere);
            }
            let when = if differs { "    now " } else { "    both " };
            self.add_line(&vec![(theme.quiet(), when.to_owned()), (now.0, today)], &RowLink::Nowhere);
            return;
        }
        let side = self.side();
        // Each side is wrapped within its own columns.
        let cut = |style: Style, text: String| wrap(&[(style, text)], side, 0);
        let (left, right) = (cut(before.0, then), cut(now.0, today));
        for index in 0..left.len().max(right.len()).max(1) {
            let first = index == 0;
            let label = if first { fit(label, self.label, theme) } else { String::new() };
            let pad = |text: &str, to: usize| " ".repeat(to.saturating_sub(width(text)));
            let mut line = vec![if first { sign.clone() } else { (theme.plain(), "  ".to_owned()) }];
            line.push((name, format!("{label}{}  ", pad(&label, self.label))));
            let piece = left.get(index).cloned().unwrap_or_default();
            let taken: usize = piece.iter().map(|(_, text)| width(text)).sum();
            line.extend(piece);
            line.push((theme.plain(), " ".repeat(side.saturating_sub(taken) + 2)));
            line.extend(right.get(index).cloned().unwrap_or_default());
            self.rows.push(ReportRow { line, link: RowLink::Nowhere });
        }
    }

    /// The width of each side, in columns.
    fn side(&self) -> usize {
        self.columns.saturating_sub(self.label + 6) / 2
    }
}

/// All rows of the event.
pub fn rows(model: &Model, of: &EventReplay, order: &ReplayOrder) -> Vec<ReportRow> {
    let theme = model.theme;
    let one = &of.replayed;
    let columns = usize::from(model.size.0).saturating_sub(2).max(8);
    let label = if columns >= 100 { 20 } else { 14 };
    let mut sheet = ReportWriter { theme, columns, label, rows: Vec::new() };
    let subject = one.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default();
    let what = one.what.as_ref().map(|what| format!("   {}", one_line(what))).unwrap_or_default();
    let number = format!("#{}   ", of.seq);
    let title: StyledLine = vec![
        (theme.quiet(), number),
        (theme.strong(), format!("{}{}", one.name, one_line(&subject))),
        (theme.plain(), what),
    ];
    sheet.add_line(&title, &RowLink::Event(of.seq));
    if let Some(row) = of.row {
        let kept = vec![
            (theme.quiet(), format!("{:width$}", "", width = width(&format!("#{}   ", of.seq)))),
            (theme.strong(), format!("kept as #{row}")),
            (theme.quiet(), "   the recorded event is unchanged".to_owned()),
        ];
        sheet.add_line(&kept, &RowLink::Replay(row));
    }
    sheet.add_blank();
    match &one.after {
        Err(why) => sheet.add_text(theme.warn(), format!("It could not be replayed: {why}")),
        Ok(after) => add_sides(&mut sheet, of, one.before.as_ref(), after, order),
    }
    if !one.flags.is_empty() {
        sheet.add_blank();
    }
    for flag in &one.flags {
        sheet.add_line(&vec![(theme.warn(), "! ".to_owned()), (theme.quiet(), flag.clone())], &RowLink::Nowhere);
    }
    sheet.rows
}

fn add_sides(
    sheet: &mut ReportWriter,
    of: &EventReplay,
    before: Option<&EventAssessment>,
    after: &EventAssessment,
    order: &ReplayOrder,
) {
    let theme = sheet.theme;
    let none = || (theme.quiet(), "not known".to_owned());
    let then = match (&order.target, before) {
        (ReplayTarget::Commit(rev), _) => format!("git:{rev}"),
        (_, Some(judged)) if !judged.is_recorded => "git:HEAD".to_owned(),
        _ => "recorded".to_owned(),
    };
    let now = match &order.target {
        ReplayTarget::Current | ReplayTarget::Commit(_) => "now".to_owned(),
        other => other.describe(),
    };
    if sheet.columns >= NARROW {
        let (label, side) = (sheet.label, sheet.side());
        let line = format!("  {:label$}  {}", "", fit(&then, side, theme));
        let air = " ".repeat((label + side + 6).saturating_sub(width(&line)));
        sheet.add_text(theme.quiet(), format!("{line}{air}{}", fit(&now, side, theme)));
    }
    let unknown = before.is_none_or(|judged| judged.outcome.is_err()) || after.outcome.is_err();
    let (old, new) = (before.map_or_else(none, |judged| verdict(theme, judged)), verdict(theme, after));
    let sign = if unknown { "?" } else { changed(&old, &new) };
    sheet.add_pair(sign, "verdict", &old, &new);
    let changes = &of.replayed.changes;
    let why = |what: &str, hook: Option<&String>| {
        let is = |change: &&ReplayChange| change.what == what && change.hook.as_ref() == hook;
        changes.iter().find(is).and_then(|change| change.why.clone())
    };
    for says in [why("verdict", None), after.outcome.as_ref().err().cloned()].into_iter().flatten() {
        sheet.add_text(theme.quiet(), format!("    {says}"));
    }
    sheet.add_blank();
    // The hooks that run on either side, each once.
    let mut hooks: Vec<(Option<&FiringHook>, Option<&FiringHook>)> = Vec::new();
    let mut left: Vec<&FiringHook> = after.fires.iter().collect();
    for old in before.iter().flat_map(|judged| &judged.fires) {
        let same = left.iter().position(|new| old.is_same_hook(new)).map(|index| left.remove(index));
        hooks.push((Some(old), same));
    }
    hooks.extend(left.into_iter().map(|new| (None, Some(new))));
    // The recorded runs that the first side does not show, because it is unknown or that of a commit.
    let shown = |run: &&FiringHook| before.is_some_and(|judged| judged.fires.iter().any(|old| old.is_same_hook(run)));
    let recorded: Vec<&FiringHook> = of.replayed.recorded_runs.iter().filter(|run| !shown(run)).collect();
    if before.is_none() {
        for run in &recorded {
            match hooks.iter_mut().find(|(old, new)| old.is_none() && new.is_some_and(|new| new.is_same_hook(run))) {
                Some((old, _)) => *old = Some(run),
                None => hooks.push((Some(run), None)),
            }
        }
    }
    if hooks.is_empty() {
        let says = match (before, recorded.is_empty()) {
            (None, _) => "no hook runs now; no run was recorded",
            (Some(_), true) => "no hook runs, then or now",
            (Some(_), false) => "no hook runs on either side",
        };
        sheet.add_text(theme.quiet(), format!("  {says}"));
    }
    let runs = |fires: Option<&FiringHook>, known: bool| match fires {
        Some(fires) => (theme.plain(), fires.ended.clone().unwrap_or_else(|| "would run".to_owned())),
        None if known => (theme.quiet(), "does not run".to_owned()),
        None => none(),
    };
    for (old, new) in hooks {
        let Some(hook) = old.or(new).map(|fires| fires.hook.clone()) else { continue };
        let then = runs(old, before.is_some());
        let now = match (old, new) {
            // The exit is not known before a run, unless the recorded result is reused.
            (Some(_), Some(new)) if new.ended.is_none() && after.outcome.is_ok() => then.clone(),
            _ => runs(new, true),
        };
        // Exits are compared if both are known; whether a hook runs is compared if anything is known about the
        // first side.
        let ended = |fires: Option<&FiringHook>| fires.is_some_and(|fires| fires.ended.is_some());
        let sign = match (old.is_some() == new.is_some(), before.is_some()) {
            (_, false) => "",
            (true, _) if !(ended(old) && ended(new)) => "",
            _ => changed(&then, &now),
        };
        sheet.add_pair(sign, &hook, &then, &now);
        if let Some(why) = why("runs", Some(&hook)) {
            sheet.add_text(theme.quiet(), format!("    {why}"));
        }
    }
    if before.is_some() && !recorded.is_empty() {
        let ended = |run: &&FiringHook| run.ended.clone().unwrap_or_default();
        let runs: Vec<String> = recorded.iter().map(|run| format!("{} ({})", run.hook, ended(run))).collect();
        let count = recorded_runs_words(of.replayed.recorded_runs.len());
        sheet.add_text(theme.quiet(), format!("  when it was recorded, {count}: {}", runs.join(", ")));
    }
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| stringify(value), str::to_owned);
    for change in changes.iter().filter(|c| !matches!(c.what, "verdict" | "runs" | "ended")) {
        let sides = [&change.before, &change.after].map(|value| (theme.plain(), text(value)));
        let [then, now] = &sides;
        sheet.add_pair("!", &change.what.replace('_', " "), then, now);
    }
    for printed in &of.output_changes {
        sheet.add_blank();
        sheet.add_text(theme.strong(), format!("! {} {}", printed.hook, printed.stream));
        for (sign, style, text) in [('-', theme.bad(), &printed.before), ('+', theme.good(), &printed.after)] {
            for line in text.lines().take(PRINTED) {
                sheet.add_text(style, format!("  {sign} {line}"));
            }
            if text.is_empty() {
                sheet.add_text(theme.quiet(), format!("  {sign} (nothing)"));
            }
        }
    }
    let ms = |took: Option<u64>| took.map(|took| (theme.quiet(), format!("{took} ms")));
    if let Some(now) = ms(after.took_ms) {
        sheet.add_blank();
        // Times always differ, so a difference is not marked as a change.
        sheet.add_pair("", "time", &before.and_then(|judged| ms(judged.took_ms)).unwrap_or_else(none), &now);
    }
}

fn changed(before: &StyledText, now: &StyledText) -> &'static str {
    if before.1 == now.1 { "" } else { "!" }
}
