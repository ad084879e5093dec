//! The terminal's window: clicks that focus the window are not meant for the program.

use std::time::{Duration, Instant};

use crossterm::event::Event;

/// A click this soon after the window got the focus was meant for the window.
const FOCUS_CLICK: Duration = Duration::from_millis(250);

/// The time at which the terminal window gained focus.
#[derive(Debug, Default)]
pub struct WindowFocus {
    focused: Option<Instant>,
}

impl WindowFocus {
    /// Whether an event is meant for the program.
    pub fn accepts(&mut self, event: &Event, now: Instant) -> bool {
        match event {
            Event::FocusGained => self.focused = Some(now),
            Event::Mouse(_) => {
                return self.focused.is_none_or(|at| now.saturating_duration_since(at) >= FOCUS_CLICK);
            }
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

    use super::*;

    #[test]
    fn a_click_into_another_window_only_goes_there() {
        let click = |kind| Event::Mouse(MouseEvent { kind, column: 1, row: 1, modifiers: KeyModifiers::NONE });
        let down = click(MouseEventKind::Down(MouseButton::Left));
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut window = WindowFocus::default();
        assert!(window.accepts(&down, at(0)), "it had the focus all the time");
        for (now, event, for_us) in [
            (1000, &Event::FocusGained, true),
            (1001, &down, false),
            (1249, &click(MouseEventKind::Up(MouseButton::Left)), false),
            (1249, &Event::Paste("text".to_owned()), true),
            (1250, &down, true),
            (1300, &Event::FocusLost, true),
            (2000, &Event::FocusGained, true),
            (2249, &down, false),
            (2250, &down, true),
        ] {
            assert_eq!(window.accepts(event, at(now)), for_us, "{now} {event:?}");
        }
    }
}
