//! The colours of the themes `dark` and `light`, for the screen and for HTML.

#![allow(clippy::unreadable_literal, reason = "colours are written as in a style sheet")]

/// As `0xRRGGBB`: background, selection, text, dim, accent, deny, danger, ok, ask, border.
pub type ThemeColours = [u32; 10];

pub const DARK_COLOURS: ThemeColours =
    [0x16181d, 0x262b36, 0xd7dae0, 0x949caa, 0x6cb6ff, 0xff7b72, 0xf5c04f, 0x7ee787, 0xd2a8ff, 0x3a404b];
pub const LIGHT_COLOURS: ThemeColours =
    [0xfbfbfa, 0xdfe8f3, 0x22252b, 0x5c636e, 0x0b5fb0, 0xb3261e, 0x7a5200, 0x17692b, 0x6b3fa0, 0xc9ccd1];
