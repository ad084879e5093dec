//! `explain`: the documentation of a code, from the catalogue's pages.

use clap::Args;

use super::error::CliError;
use super::formats::Format;
use super::print::text_page::{TextPage, Tone};
use super::print::{self, print_json};
use hookbench_app::ExitStatus;
use hookbench_app::document::{explain_doc, guard_rules_doc};
use hookbench_app::lint::normalize_code;
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::guard::{GUARD_SECTIONS, GuardPage, guard_pages};
use hookbench_core::lint;
use hookbench_core::text::nearest;

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Codes such as HW301 or 301, or rules of guards such as MB-R1; a shorter code lists all that begin with it
    /// [default: list all codes]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Runs `explain`.
pub fn explain(args: &ExplainArgs) -> Result<ExitStatus, CliError> {
    if let Some(rules) = guard_rules(&args.codes) {
        return explain_guards(&rules, args.format);
    }
    let pages: Vec<&lint::RulePage> = if args.codes.is_empty() {
        lint::pages().iter().collect()
    } else {
        args.codes.iter().map(|code| pages_of(code)).collect::<Result<Vec<_>, _>>()?.concat()
    };
    // A prefix of a code lists the codes that begin with it; a whole code prints its page.
    let whole = |code: &String| normalize_code(code).is_ok_and(|code| Code::parse(&code).is_some());
    let listed = !args.codes.iter().any(whole);
    if matches!(args.format, Format::Json) {
        return print_json(&explain_doc(&pages));
    }
    let mut out = TextPage::new();
    if listed {
        for page in &pages {
            out.put(tone(page.code.severity()), page.code.as_str());
            let fix = if page.fix == "safe fix" { "   safe fix" } else { "" };
            out.put(Tone::Plain, &format!(" {}", page.title)).put(Tone::Quiet, fix).end();
        }
    } else {
        for (index, page) in pages.iter().enumerate() {
            if index > 0 {
                out.end();
            }
            print_page(&mut out, page);
        }
    }
    print::write_stdout(&out.finish());
    Ok(ExitStatus::Ok)
}

/// Returns the pages of rules of guards whose ids begin with one of these texts. `None` if a text is no such id.
fn guard_rules(codes: &[String]) -> Option<Vec<&'static GuardPage>> {
    let begins = |code: &String| {
        let code = code.to_ascii_uppercase();
        let pages: Vec<&GuardPage> = guard_pages().iter().filter(|page| page.id.starts_with(&code)).collect();
        (!pages.is_empty() && code.len() > 1).then_some(pages)
    };
    let pages: Option<Vec<Vec<&GuardPage>>> = codes.iter().map(begins).collect();
    pages.map(|pages| pages.concat()).filter(|pages| !pages.is_empty())
}

/// Prints rules of guards: one as a page, several as a list.
fn explain_guards(pages: &[&'static GuardPage], format: Format) -> Result<ExitStatus, CliError> {
    if matches!(format, Format::Json) {
        return print_json(&guard_rules_doc(pages));
    }
    let mut out = TextPage::new();
    let one = pages.len() == 1;
    for page in pages {
        out.put(Tone::Strong, page.id).put(Tone::Plain, &format!(": {}", page.title)).end();
        if !one {
            continue;
        }
        let facts = page.rule.map_or_else(
            || format!("not a rule · {}", page.guards),
            |rule| {
                let kind = if rule.recommended { "recommended" } else { "off by default" };
                format!("guard {} · {} · {kind}", page.guards, rule.severity.word())
            },
        );
        out.put(Tone::Quiet, &facts).end();
        let sections = GUARD_SECTIONS.iter().zip(page.sections);
        for (title, text) in sections.chain([(&"Do instead", page.instead)]) {
            print_section(&mut out, title, text);
        }
    }
    print::write_stdout(&out.finish());
    Ok(ExitStatus::Ok)
}

/// Returns the page of a code, or the pages of all codes that begin with this prefix.
fn pages_of(text: &str) -> Result<Vec<&'static lint::RulePage>, CliError> {
    let code = normalize_code(text).map_err(|unknown| {
        let rules: Vec<&str> = guard_pages().iter().map(|page| page.id).collect();
        let near = nearest(&text.to_ascii_uppercase(), &rules).filter(|_| text.contains('-'));
        CliError::Usage(near.map_or(unknown, |near| format!("no code starts with \"{text}\"; did you mean {near}?")))
    })?;
    let pages: Vec<&lint::RulePage> =
        lint::pages().iter().filter(|page| page.code.as_str().starts_with(&code)).collect();
    if pages.is_empty() {
        return Err(CliError::Usage(format!("{text} has no page; `hookbench explain` lists all codes")));
    }
    Ok(pages)
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Info => Tone::Quiet,
    }
}

/// Prints a page for the terminal: section titles are bold; code fences and backticks are removed.
fn print_page(out: &mut TextPage, page: &lint::RulePage) {
    out.put(tone(page.code.severity()), page.code.as_str()).put(Tone::Strong, &format!(": {}", page.title)).end();
    let facts = format!("{} · found: {} · {}", page.code.severity().word(), page.found, page.fix);
    out.put(Tone::Quiet, &facts).end();
    for (title, text) in lint::SECTIONS.iter().zip(page.sections) {
        print_section(out, title, text);
    }
}

fn print_section(out: &mut TextPage, title: &str, text: &str) {
    out.end().put(Tone::Strong, title).end();
    let mut code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code {
            out.put(Tone::Quiet, &format!("    {line}")).end();
        } else {
            out.put(Tone::Plain, &format!("  {}", line.replace('`', ""))).end();
        }
    }
}
