//! A page as one HTML file: no script, no network, dark or light as its reader prefers, for a phone, a desk and paper.

use super::lines::{Tone, TonedText, is_title, origin, plain_line, sections};
use hookbench_app::{DARK_COLOURS, LIGHT_COLOURS};

/// The layout. `--i` is the indent of a line and `--w` the width of a cell, both in columns.
const LAYOUT: &str = "\
*{box-sizing:border-box}\
body{margin:0;background:var(--background);color:var(--text);font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,\
'DejaVu Sans Mono',monospace}\
main{max-width:118ch;margin:0 auto;padding:24px 20px}\
h1,h2{font-size:1.15em;margin:0 0 8px}h2{font-size:1em;color:var(--accent)}h1 span,h2 span{font-weight:400}\
section{border:1px solid var(--border);border-radius:8px;padding:12px 16px;margin:0 0 12px;break-inside:avoid-page}\
p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;padding-left:calc(var(--i,0)*1ch + 2ch);text-indent:-2ch}\
p>*{text-indent:0}\
.c{display:inline-block;min-width:calc(var(--w)*1ch)}\
.strong{font-weight:700}.quiet{color:var(--dim)}.good{color:var(--ok)}.bad{color:var(--deny);font-weight:700}\
.warn{color:var(--danger)}\
.badge{border:1px solid;border-radius:5px;padding:0 .5ch;font-weight:700}\
h1:last-child,h2:last-child{margin:0}section{overflow-x:auto}\
.t{white-space:pre;text-indent:0;padding-left:calc(var(--i,0)*1ch)}\
footer{color:var(--dim);font-size:.9em}\
@media(max-width:640px){body{font-size:12.5px}main{padding:12px 10px}section{padding:10px}\
p{padding-left:calc(var(--i,0)*.4ch + 1.5ch);text-indent:-1.5ch}.c{min-width:0;margin-right:1ch}\
.t{text-indent:0;padding-left:0}.t .c{min-width:calc(var(--w)*1ch);margin:0}}\
@media print{body{font-size:10px}main{max-width:none;padding:0}}";

/// The number of cells from which a line is a row of a table.
const ROW: usize = 5;

/// Renders the lines of a page. The first line is the title.
pub fn render(lines: &[Vec<TonedText>], masks: bool) -> String {
    let name = lines.iter().map(|line| plain_line(line)).find(|line| !line.is_empty()).unwrap_or_default();
    let mut body = String::new();
    for (index, section) in sections(lines).enumerate() {
        let (title, rest) = match section {
            [first, rest @ ..] if index == 0 || is_title(first) => (Some(first), rest),
            all => (None, all),
        };
        let level = if index == 0 { "h1" } else { "h2" };
        let title = title.map(|title| format!("<{level}>{}</{level}>\n", pieces(title, true))).unwrap_or_default();
        let rest = rest.iter().map(|line| paragraph(line)).collect::<Vec<_>>().concat();
        let is_bare = index == 0 && rest.is_empty();
        body.push_str(&if is_bare { title } else { format!("<section>\n{title}{rest}</section>\n") });
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\
         :root{{color-scheme:dark light;{}}}@media(prefers-color-scheme:light){{:root{{{light}}}}}\
         @media print{{:root{{{light}}}}}{LAYOUT}</style>\n</head>\n<body>\n<main>\n{body}<footer>{}</footer>\n</main>\n\
         </body>\n</html>\n",
        escape(name.trim()),
        variables(&DARK_COLOURS),
        escape(&origin(masks)),
        light = variables(&LIGHT_COLOURS),
    )
}

/// The colours of a theme as variables.
fn variables(colours: &[u32; 10]) -> String {
    let [background, _, text, dim, accent, deny, danger, ok, _, border] = *colours;
    let named = [
        ("background", background),
        ("text", text),
        ("dim", dim),
        ("accent", accent),
        ("deny", deny),
        ("danger", danger),
        ("ok", ok),
        ("border", border),
    ];
    named.iter().map(|(name, colour)| format!("--{name}:#{colour:06x};")).collect::<Vec<_>>().concat()
}

fn paragraph(line: &[TonedText]) -> String {
    let text = plain_line(line);
    let indent = text.chars().count() - text.trim_start().chars().count();
    let indent = if indent > 0 { format!(" style=\"--i:{indent}\"") } else { String::new() };
    // A row of a table keeps its columns; where they do not fit, its section is scrolled.
    let is_row = line.iter().filter(|piece| piece.width > 0).count() >= ROW;
    let class = if is_row { " class=\"t\"" } else { "" };
    format!("<p{class}{indent}>{}</p>\n", pieces(line, false))
}

/// The pieces of a line without its indent. A state that begins a line is a badge.
fn pieces(line: &[TonedText], is_title: bool) -> String {
    let mut out = String::new();
    let mut begins = true;
    let last = line.iter().rposition(|piece| !piece.text.trim().is_empty()).map_or(0, |last| last + 1);
    for piece in line.iter().take(last) {
        let text = if begins { piece.text.trim_start() } else { &piece.text };
        if begins && text.is_empty() {
            continue;
        }
        let is_state = matches!(piece.tone, Tone::Good | Tone::Bad | Tone::Warn) && piece.width > 0;
        let tone = match piece.tone {
            Tone::Plain => "",
            Tone::Strong if is_title => "",
            Tone::Strong => "strong",
            Tone::Quiet => "quiet",
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Warn => "warn",
        };
        let badge = if is_state && begins { " badge" } else { "" };
        let toned = match tone {
            "" => escape(text),
            tone => format!("<span class=\"{tone}{badge}\">{}</span>", escape(text)),
        };
        out.push_str(&match piece.width {
            0 => toned,
            width => format!("<span class=\"c\" style=\"--w:{width}\">{toned}</span>"),
        });
        begins = false;
    }
    out
}

/// Escapes a text for an element or for an attribute in double quotes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
