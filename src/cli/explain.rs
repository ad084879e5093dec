//! `explain`: what a code means, from the catalogue's pages.

use clap::Args;
use serde_json::{Value, json};

use super::args::Format;
use super::exit::Failure;
use super::look::print_json;
use super::print;
use super::print::page::{Page, Tone};
use crate::app::Status;
use crate::core::diagnostic::Severity;
use crate::core::lint;

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Codes, as findings carry them [default: a line for every code]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `explain`.
pub fn explain(args: &ExplainArgs) -> Result<Status, Failure> {
    let pages: Vec<&lint::Page> = if args.codes.is_empty() {
        lint::pages().iter().collect()
    } else {
        args.codes.iter().map(|code| found(code)).collect::<Result<_, _>>()?
    };
    if matches!(args.format, Format::Json) {
        let all: Vec<Value> = pages.iter().map(|page| document(page)).collect();
        return print_json(&json!({ "schema": "explain/1", "pages": all }));
    }
    let mut out = Page::new();
    if args.codes.is_empty() {
        for page in &pages {
            out.put(tone(page.severity), &format!("{} ", page.code)).put(Tone::Plain, page.title).end();
        }
    } else {
        for (index, page) in pages.iter().enumerate() {
            if index > 0 {
                out.end();
            }
            whole(&mut out, page);
        }
    }
    print::out(&out.finish());
    Ok(Status::Ok)
}

fn found(code: &str) -> Result<&'static lint::Page, Failure> {
    let near = |page: &&lint::Page| page.code.get(..3) == code.to_ascii_uppercase().get(..3);
    lint::page(code).ok_or_else(|| {
        let family: Vec<&str> = lint::pages().iter().filter(near).map(|page| page.code).collect();
        let known = if family.is_empty() { "codes look like HW301".to_owned() } else { family.join(", ") };
        Failure::Usage(format!("{code} is no code; hookbench explain lists all ({known})"))
    })
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Info => Tone::Quiet,
    }
}

/// A page as people read it in a terminal: titles stand out, fences and back-ticks are gone.
fn whole(out: &mut Page, page: &lint::Page) {
    out.put(tone(page.severity), page.code).put(Tone::Strong, &format!(": {}", page.title)).end();
    let facts = format!("{} · found: {} · {}", page.severity.word(), page.found, page.fix);
    out.put(Tone::Quiet, &facts).end();
    for (title, text) in lint::SECTIONS.iter().zip(page.sections) {
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
}

fn document(page: &lint::Page) -> Value {
    let sections: serde_json::Map<String, Value> = lint::SECTIONS
        .iter()
        .zip(page.sections)
        .map(|(title, text)| (title.to_lowercase().replace(' ', "_"), Value::from(text)))
        .collect();
    json!({
        "code": page.code, "title": page.title, "severity": page.severity.word(),
        "found": page.found.split(", ").collect::<Vec<_>>(), "fix": page.fix.strip_suffix(" fix"), "sections": sections
    })
}
