//! Other spellings of a prompt that a reader takes for the same text.

use super::draft::{DeedAction, VariantEvidence, VariantList};
use super::family::DeedFamily;

const MODEL: VariantEvidence = VariantEvidence::NotExecuted("a model reads the prompt");

/// Latin letters and the letters of other scripts that look like them.
const LOOK_ALIKES: [(char, char); 12] = [
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('i', 'і'),
    ('j', 'ј'),
    ('o', 'о'),
    ('p', 'р'),
    ('s', 'ѕ'),
    ('x', 'х'),
    ('y', 'у'),
    ('A', 'А'),
    ('O', 'О'),
];

/// Adds the variants of a prompt.
pub(super) fn add(prompt: &str, list: &mut VariantList) {
    let mut add = |family, text: String, why: &str| list.add(family, DeedAction::Prompt(text), why, MODEL);
    add(DeedFamily::Case, prompt.to_uppercase(), "capital letters do not change what the prompt asks for");
    add(DeedFamily::Case, prompt.to_lowercase(), "small letters do not change what the prompt asks for");
    let why = "more blanks between words do not change what the prompt asks for";
    add(DeedFamily::Blanks, prompt.replace(' ', "  "), why);
    add(DeedFamily::Blanks, prompt.replace(' ', "\n"), "line breaks between words do not change the request");
    add(DeedFamily::Blanks, format!("\n\n{prompt}\n"), "empty lines around the prompt do not change the request");
    add(DeedFamily::Unicode, prompt.replace(' ', "\u{a0}"), "a no-break space is displayed as a blank");
    let looks: String = prompt
        .chars()
        .map(|c| LOOK_ALIKES.iter().find(|(latin, _)| *latin == c).map_or(c, |(_, other)| *other))
        .collect();
    add(DeedFamily::Unicode, looks, "Cyrillic letters look like the Latin ones");
    let mut hidden = String::new();
    let mut in_word = false;
    for c in prompt.chars() {
        if in_word && c.is_alphanumeric() {
            hidden.push('\u{200b}');
        }
        in_word = c.is_alphanumeric();
        hidden.push(c);
    }
    add(DeedFamily::Unicode, hidden, "zero-width spaces inside words are invisible");
    let wide: String = prompt
        .chars()
        .map(|c| if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c })
        .collect();
    add(DeedFamily::Unicode, wide, "full-width letters read the same");
}
