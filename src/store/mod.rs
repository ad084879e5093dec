//! Where recorded events are kept: one SQLite file that several processes use at once.
