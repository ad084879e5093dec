-- Version 2: what came of an event in full, and where its hooks are written. The facts of a kind may be longer:
-- a run [hook, end, value, layer], and after the runs the codes of what was found.

CREATE TABLE outcomes (
    event INTEGER PRIMARY KEY REFERENCES events ON DELETE CASCADE,
    body TEXT NOT NULL                   -- JSON; the verdict stands with the kind
) STRICT;

ALTER TABLE runs ADD COLUMN layer TEXT;
