//! Parses redirections, and the lines of here-documents.

use super::parser::ShellParser;
use super::{BashismKind, PartContent, Quote, Redirection, SimpleCommand, Word, WordPart};

impl ShellParser<'_> {
    /// Parses `2>&1`, `<<END`, `&> file`: the operator and the word after it.
    pub fn redirection(&mut self, simple: &mut SimpleCommand, start: usize) {
        let from = self.at;
        while self.peek(0).is_some_and(|c| matches!(c, b'<' | b'>' | b'&' | b'|')) && self.at < from + 3 {
            let so_far = self.slice(from, self.at);
            let more = matches!(
                (so_far, self.peek(0)),
                ("", _)
                    | ("<", Some(b'<' | b'>' | b'&'))
                    | (">", Some(b'>' | b'&' | b'|'))
                    | ("<<", Some(b'<'))
                    | ("&" | "&>", Some(b'>'))
            );
            if !more {
                break;
            }
            self.at += 1;
        }
        let mut operator = self.slice(from, self.at).to_owned();
        if operator == "<<" && self.peek(0) == Some(b'-') {
            self.at += 1;
            operator.push('-');
        }
        self.blanks();
        let target = self.word();
        match operator.as_str() {
            "<<<" => self.report_bashism(BashismKind::HereString, start),
            "&>" | "&>>" => self.report_bashism(BashismKind::RedirectBoth, start),
            _ => {}
        }
        let fd = self.slice(start, from).parse().ok();
        simple.redirections.push(Redirection { operator, fd, target, body: None });
    }

    /// Parses the lines of the here-documents that begin here.
    pub fn here_bodies(&mut self) {
        for (command, number) in std::mem::take(&mut self.pending) {
            let redirection = self.shell.commands.get(command).and_then(|c| c.redirections.get(number));
            let Some(redirection) = redirection else { continue };
            let strip = redirection.operator == "<<-";
            let quoted = redirection.target.parts.iter().any(|part| part.quote != Quote::None);
            let end = redirection.target.text();
            let start = self.at;
            let mut stop = self.end;
            while self.at < self.end {
                let rest = self.slice(self.at, self.end);
                let line = rest.split('\n').next().unwrap_or("");
                let next = (self.at + line.len() + 1).min(self.end);
                let word = line.trim_end_matches('\r');
                if (if strip { word.trim_start_matches('\t') } else { word }) == end {
                    stop = self.at;
                    self.at = next;
                    break;
                }
                self.at = next;
            }
            let after = self.at;
            let body = if quoted {
                let text = PartContent::Text(self.slice(start, stop).to_owned());
                Word { at: start..stop, parts: vec![WordPart { at: start..stop, quote: Quote::Single, piece: text }] }
            } else {
                self.at = start;
                let whole = std::mem::replace(&mut self.end, stop);
                let body = self.here_word();
                self.end = whole;
                body
            };
            self.at = after;
            let slot = self.shell.commands.get_mut(command).and_then(|c| c.redirections.get_mut(number));
            if let Some(slot) = slot {
                slot.body = Some(body);
            }
        }
    }
}
