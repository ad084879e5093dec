//! States of a screen: pictures of each are stored at two sizes, and rules hold at all others. Nobody reads six
//! pictures of one state, and a rule says what they would have to show.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use hookbench::tui::{Shades, Theme, resize};
use regex::Regex;
use unicode_width::UnicodeWidthStr as _;

use crate::recorded_screen::RecordedScreen;
use crate::screen::{ASCII, COLOUR, MEDIUM, MONO, TestScreen, WIDE, picture_at};

/// The sizes of a terminal at which rules hold for each state, from the largest on.
const RULED: [(u16, u16); 6] = [(160, 50), (90, 50), MEDIUM, (60, 20), (40, 12), (20, 5)];

/// A screen with whatever answers its requests.
pub trait StatefulScreen {
    fn screen(&self) -> &TestScreen;
    fn screen_mut(&mut self) -> &mut TestScreen;

    /// Replaces what depends on the clock or on a directory.
    fn still(&self, text: &str) -> String {
        text.to_owned()
    }

    fn still_text(&self) -> String {
        self.still(&self.screen().text())
    }
}

impl StatefulScreen for TestScreen {
    fn screen(&self) -> &TestScreen {
        self
    }

    fn screen_mut(&mut self) -> &mut TestScreen {
        self
    }

    fn still(&self, text: &str) -> String {
        static CLOCK: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\d+( ms of)|(running) +\d+( ms)|\d\.\d( s\b)").unwrap());
        CLOCK.replace_all(text, "$2~$1$3$4").into_owned()
    }
}

impl StatefulScreen for RecordedScreen {
    fn screen(&self) -> &TestScreen {
        &self.screen
    }

    fn screen_mut(&mut self) -> &mut TestScreen {
        &mut self.screen
    }

    fn still(&self, text: &str) -> String {
        static DURATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+ ms *").unwrap());
        static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\d-]*\d ?\d\d:\d\d:\d\d").unwrap());
        let directory = self.directory.path().canonicalize().unwrap();
        let text = text.replace(directory.to_str().unwrap(), "/tmp/x");
        let text = DURATION.replace_all(&text, "N ms ");
        // The recorded events have one time; all others are those of this run.
        let time = |found: &regex::Captures<'_>| {
            if found[0].contains(" 14:31:0") {
                found[0].to_owned()
            } else {
                found[0].replace(|c: char| c.is_ascii_digit(), "0")
            }
        };
        TIME.replace_all(&text, time).into_owned()
    }
}

/// A state of a screen: its name, and a function that creates it.
pub type ScreenState<S = TestScreen> = (&'static str, fn((u16, u16), Theme) -> S);

/// Compares the pictures of each state with the stored ones, and holds the rules at every size.
pub fn hold_states<S: StatefulScreen>(prefix: &str, states: &[ScreenState<S>]) {
    for (state, make) in states {
        let name = format!("{prefix}{state}");
        let wide = make(WIDE, COLOUR);
        let mut medium = Themed::make(*make);
        let picture = |state: &S| format!("{}\n== in colour\n{}", state.still_text(), styles_of(state));
        picture_at(&name, WIDE, picture(&wide));
        let mono = format!("{}\n== without colour\n{}", picture(&medium.colour), styles_of(&medium.mono));
        picture_at(&name, MEDIUM, mono);
        let text = medium.colour.still_text();
        for shades in [Shades::OnLight, Shades::OnDark] {
            medium.colour.screen_mut().model.shades = shades;
            assert_eq!(medium.colour.still_text(), text, "{name}: shades carry no letter");
        }
        let mut known = words_of(&wide.still_text());
        for size in RULED {
            medium.resize(size);
            medium.hold_rules(&format!("{name} at {size:?}"), &mut known);
        }
    }
}

/// Run times vary, and with them the columns behind them.
fn styles_of<S: StatefulScreen>(state: &S) -> String {
    let text = state.screen().text();
    if state.still(&text).lines().zip(text.lines()).all(|(still, text)| still.width() == text.width()) {
        state.screen().styles()
    } else {
        "these vary\n".to_owned()
    }
}

/// One state on three kinds of terminal.
struct Themed<S> {
    colour: S,
    mono: S,
    ascii: S,
}

impl<S: StatefulScreen> Themed<S> {
    fn make(make: fn((u16, u16), Theme) -> S) -> Themed<S> {
        Themed { colour: make(MEDIUM, COLOUR), mono: make(MEDIUM, MONO), ascii: make(MEDIUM, ASCII) }
    }

    fn resize(&mut self, size: (u16, u16)) {
        for state in [&mut self.colour, &mut self.mono, &mut self.ascii] {
            let screen = state.screen_mut();
            screen.size = size;
            resize(&mut screen.model, size);
        }
    }

    /// Holds what is true of every state at every size. `known` has the words of larger screens.
    fn hold_rules(&self, name: &str, known: &mut BTreeSet<String>) {
        let [text, mono, ascii] = [&self.colour, &self.mono, &self.ascii].map(StatefulScreen::still_text);
        let (columns, rows) = self.colour.screen().size;
        let drawn = self.colour.screen().text();
        assert_eq!(drawn.lines().count(), usize::from(rows), "{name}");
        assert!(drawn.lines().all(|row| row.width() <= usize::from(columns)), "{name}: a row is too wide\n{drawn}");
        assert_eq!(with_light_borders(&mono), with_light_borders(&text), "{name}: colour carries no letter");
        // Recorded texts keep their letters.
        let foreign = |c: char| !c.is_ascii() && !"日本語のファイル".contains(c);
        assert!(!ascii.contains(foreign), "{name}: ASCII only\n{ascii}");
        let panes = mono.matches(['╭', '┏']).count();
        assert!(panes < 2 || mono.contains(['┏', '❯']), "{name}: the focus is visible without colour\n{mono}");
        // Below this size there is no line of keys.
        if rows < 12 {
            return;
        }
        let footer = text.lines().last().unwrap_or_default();
        // A held event and a note stand there instead, and say more elsewhere.
        let is_news = ["HELD", "NOTE"].iter().any(|news| footer.contains(news));
        assert!(is_news || !footer.contains('…'), "{name}: no key is cut\n{text}");
        let of_the_verdict = text.lines().filter(|line| line.trim_start().starts_with('▌'));
        let continues = |rest: &str| rest.starts_with(char::is_alphanumeric);
        // A row is cut at its end.
        for word in of_the_verdict.chain([footer]).filter_map(|row| words_of(row.split_whitespace().last()?).pop_last())
        {
            let is_cut =
                !known.contains(&word) && known.iter().any(|longer| longer.strip_prefix(&*word).is_some_and(continues));
            assert!(!is_cut, "{name}: `{word}` is cut without a sign\n{text}");
        }
        known.extend(words_of(&text));
    }
}

/// The words of a screen, without those that are visibly cut.
fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|c: char| c.is_whitespace() || "│┃─━╭╮╰╯┏┓┗┛".contains(c))
        .filter(|word| !word.contains('…'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2)
        .collect()
}

/// A screen without colour as it is with colour: without colour, the focused pane has a heavy border.
fn with_light_borders(text: &str) -> String {
    let light = |c| match c {
        '━' => '─',
        '┃' => '│',
        '┏' => '╭',
        '┓' => '╮',
        '┗' => '╰',
        '┛' => '╯',
        other => other,
    };
    text.chars().map(light).collect()
}
