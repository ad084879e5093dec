//! The smallest part of a text with which a hook still decides as it does for the whole text.

/// Leaves out the words of a text one after another. The caller runs the hook with each candidate.
#[derive(Debug, Clone)]
pub struct TextReduction {
    pieces: Vec<TextPiece>,
    /// The piece that the candidate leaves out.
    at: usize,
    /// Whether a piece was left out since the last pass began.
    shrunk: bool,
    complete: bool,
}

/// A word, or a quotation mark, which stays so that the text remains a command.
#[derive(Debug, Clone)]
struct TextPiece {
    /// The white space before it.
    before: String,
    text: String,
    is_quote: bool,
    kept: bool,
}

impl TextReduction {
    /// Splits a text into words; a single word that is a path into its components.
    pub fn new(text: &str) -> TextReduction {
        let words = quoted_words(text).unwrap_or_else(|| plain_words(text));
        let pieces = match words.as_slice() {
            [only] if only.text.contains('/') => path_components(&only.text),
            _ => words,
        };
        TextReduction { pieces, at: 0, shrunk: false, complete: false }.advanced()
    }

    /// The next text to try. `None` if no further word can be left out.
    pub fn candidate(&self) -> Option<String> {
        (!self.complete).then(|| self.joined(Some(self.at)))
    }

    /// Takes the result of the candidate: whether the hook decided as for the whole text.
    pub fn report(&mut self, alike: bool) {
        if let Some(piece) = self.pieces.get_mut(self.at).filter(|_| alike) {
            piece.kept = false;
            self.shrunk = true;
        }
        self.at += 1;
        *self = self.clone().advanced();
    }

    /// Whether every remaining word was tried.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether nothing was left out.
    pub fn is_whole(&self) -> bool {
        self.pieces.iter().all(|piece| piece.kept)
    }

    /// The remaining words, with ` … ` in place of words that were left out between them.
    pub fn remaining(&self) -> String {
        let mut out = String::new();
        let mut gap = false;
        let mut space = "";
        for piece in &self.pieces {
            match (piece.kept, piece.is_quote) {
                (false, _) => gap = true,
                (true, true) => space = &piece.before,
                (true, false) => {
                    if !out.is_empty() {
                        out.push_str(if gap { " … " } else { space });
                        out.push_str(if gap { "" } else { &piece.before });
                    }
                    out.push_str(&piece.text);
                    (gap, space) = (false, "");
                }
            }
        }
        out
    }

    /// Moves to the next word that can be left out. The last remaining word stays.
    fn advanced(mut self) -> TextReduction {
        let can_go = |piece: &TextPiece| piece.kept && !piece.is_quote;
        loop {
            if self.pieces.iter().filter(|piece| can_go(piece)).count() < 2 {
                self.complete = true;
                return self;
            }
            match self.pieces.get(self.at) {
                Some(piece) if can_go(piece) => return self,
                Some(_) => self.at += 1,
                None if self.shrunk => (self.at, self.shrunk) = (0, false),
                None => {
                    self.complete = true;
                    return self;
                }
            }
        }
    }

    fn joined(&self, without: Option<usize>) -> String {
        let mut out = String::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.kept && Some(index) != without {
                out.push_str(if out.is_empty() { "" } else { &piece.before });
                out.push_str(&piece.text);
            }
        }
        out
    }
}

fn piece(before: &str, text: &str, is_quote: bool) -> TextPiece {
    TextPiece { before: before.to_owned(), text: text.to_owned(), is_quote, kept: true }
}

fn plain_words(text: &str) -> Vec<TextPiece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        let (before, word) = rest.split_at(start);
        let end = word.find(char::is_whitespace).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        pieces.push(piece(before, word, false));
        rest = after;
    }
    pieces
}

/// The words of a command line, with the quotation marks as pieces of their own. `None` if a quotation is not closed.
fn quoted_words(text: &str) -> Option<Vec<TextPiece>> {
    let mut pieces = Vec::new();
    let (mut before, mut word) = (String::new(), String::new());
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    let finish = |pieces: &mut Vec<TextPiece>, before: &mut String, word: &mut String| {
        if !word.is_empty() {
            pieces.push(piece(before, word, false));
            before.clear();
            word.clear();
        }
    };
    while let Some(c) = chars.next() {
        let mark = match quote {
            Some(open) => c == open,
            None => c == '"' || c == '\'',
        };
        if c == '\\' && quote != Some('\'') {
            word.push(c);
            word.extend(chars.next());
        } else if mark {
            finish(&mut pieces, &mut before, &mut word);
            pieces.push(piece(&std::mem::take(&mut before), &c.to_string(), true));
            quote = if quote.is_some() { None } else { Some(c) };
        } else if c.is_whitespace() {
            finish(&mut pieces, &mut before, &mut word);
            before.push(c);
        } else {
            word.push(c);
        }
    }
    finish(&mut pieces, &mut before, &mut word);
    quote.is_none().then_some(pieces)
}

fn path_components(path: &str) -> Vec<TextPiece> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.char_indices().skip(1).find(|(_, c)| *c == '/').map_or(rest.len(), |(at, _)| at);
        let (component, after) = rest.split_at(end);
        pieces.push(piece("", component, false));
        rest = after;
    }
    pieces
}
