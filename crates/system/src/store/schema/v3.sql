-- Version 3: what the live path has to remember when it ends, and what it would have answered.

ALTER TABLE live ADD COLUMN suppressed TEXT;

-- What sessions have come to, to be told to themselves later.
CREATE TABLE handoffs (
    id INTEGER PRIMARY KEY,
    provider TEXT NOT NULL,
    provider_ref TEXT NOT NULL,          -- the session
    project_key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    trigger TEXT NOT NULL,
    json TEXT NOT NULL,
    yaml TEXT NOT NULL,                  -- as it is told
    delivered_at INTEGER                 -- none: not yet
) STRICT;

-- For which event the work that follows it was last done.
CREATE TABLE cooldowns (
    provider TEXT NOT NULL,
    provider_ref TEXT NOT NULL,
    event TEXT NOT NULL,
    last_received_at INTEGER NOT NULL,
    PRIMARY KEY (provider, provider_ref, event)
) STRICT, WITHOUT ROWID;
