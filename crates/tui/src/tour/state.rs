//! The state of the tour.

/// A step, named after its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TourStep {
    Fire,
    Why,
    Fix,
    Replay,
    Problems,
    Answer,
}

impl TourStep {
    /// The step's number and that of all steps.
    pub fn number(self) -> &'static str {
        match self {
            TourStep::Fire => "1/6",
            TourStep::Why => "2/6",
            TourStep::Fix => "3/6",
            TourStep::Replay => "4/6",
            TourStep::Problems => "5/6",
            TourStep::Answer => "6/6",
        }
    }
}

/// The tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tour {
    /// The current step; `None` after the last one.
    pub(super) step: Option<TourStep>,
    /// The number of hooks that run for the event on the bench, when the step began.
    pub(super) firing: usize,
}

impl Tour {
    /// The tour at its first step.
    pub fn begin() -> Tour {
        Tour { step: Some(TourStep::Fire), firing: 0 }
    }

    /// Whether its step is about a held event.
    pub fn needs_held_event(&self) -> bool {
        self.step == Some(TourStep::Answer)
    }

    /// Whether it was finished.
    pub fn is_over(&self) -> bool {
        self.step.is_none()
    }
}
