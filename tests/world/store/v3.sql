-- A store of version 3, as it was made then, with a run of the log. Never touched again: every later program has to open it.

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    name TEXT NOT NULL,                  -- the agent's own
    version TEXT,
    project TEXT,
    title TEXT,
    started INTEGER,                     -- milliseconds since 1970, as everywhere
    ended INTEGER,
    UNIQUE (agent, name)
) STRICT;

-- What many events have in common. Filters ask the few kinds instead of the many events.
CREATE TABLE kinds (
    id INTEGER PRIMARY KEY,
    facts TEXT NOT NULL UNIQUE,          -- JSON: [agent, version, project, event, subject, verdict, made, sub, [[hook, end, value], ...]]
    events INTEGER NOT NULL DEFAULT 0    -- how many events are of it
) STRICT;

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- what people see: #127. Never given twice
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind INTEGER NOT NULL REFERENCES kinds,
    at INTEGER NOT NULL,                 -- the smallest number where it is not known
    took INTEGER,                        -- microseconds
    hooks INTEGER NOT NULL,              -- how many runs are known
    size INTEGER NOT NULL,               -- bytes of the payload as received
    agent_id TEXT,
    origin TEXT,
    file INTEGER,                        -- of files
    line INTEGER,
    what TEXT,                           -- the most telling value, for lists
    flags TEXT                           -- words with blanks between: redacted
) STRICT;

-- Each covers everything that a filter asks of an event beside its payload.
CREATE INDEX events_by_time ON events (at, seq, kind, took, session);
CREATE INDEX events_by_kind ON events (kind, at, seq, took, session);
CREATE INDEX events_by_session ON events (session, at, seq, kind, took);

CREATE TABLE payloads (
    event INTEGER PRIMARY KEY REFERENCES events ON DELETE CASCADE,
    form TEXT NOT NULL,                  -- json, text
    bytes BLOB                           -- none: there was no room for them
) STRICT;

CREATE TABLE runs (
    event INTEGER NOT NULL REFERENCES events ON DELETE CASCADE,
    n INTEGER NOT NULL,
    hook TEXT NOT NULL,
    command TEXT,
    definition TEXT,
    stdin TEXT,
    partial INTEGER NOT NULL,
    exit TEXT NOT NULL,                  -- a word of the contract
    exit_value INTEGER,                  -- code, signal, status, microseconds after which it was stopped
    exit_text TEXT,
    started INTEGER NOT NULL,            -- microseconds
    ended INTEGER NOT NULL,
    stdin_read INTEGER NOT NULL,
    content_type TEXT,
    stdout BLOB NOT NULL,
    stdout_total INTEGER NOT NULL,
    stderr BLOB NOT NULL,
    stderr_total INTEGER NOT NULL,
    PRIMARY KEY (event, n)
) STRICT;

CREATE TABLE notes (
    event INTEGER PRIMARY KEY REFERENCES events ON DELETE CASCADE,
    marked INTEGER NOT NULL,
    comment TEXT
) STRICT;

-- What only the live path knows of an event that it captured.
CREATE TABLE live (
    event INTEGER PRIMARY KEY REFERENCES events ON DELETE CASCADE,
    schema_version INTEGER NOT NULL,
    name TEXT,                           -- the event's and the tool's name that all agents share
    tool TEXT,
    project_key TEXT,
    stored_ms INTEGER,
    payload_sha256 TEXT,
    decision TEXT,
    source TEXT,
    decision_json TEXT,
    answered_ms INTEGER,
    held_ms INTEGER,
    cooldown INTEGER
) STRICT;

-- The words of payloads, filled behind the import; events up to `indexed` are in it.
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TABLE progress (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;
INSERT INTO progress VALUES ('indexed', 0);

CREATE TRIGGER events_gone AFTER DELETE ON events BEGIN
    UPDATE kinds SET events = events - 1 WHERE id = old.kind;
    DELETE FROM search WHERE rowid = old.seq;
END;
CREATE TRIGGER events_moved AFTER UPDATE OF kind ON events WHEN old.kind <> new.kind BEGIN
    UPDATE kinds SET events = events - 1 WHERE id = old.kind;
    UPDATE kinds SET events = events + 1 WHERE id = new.kind;
END;

-- Version 2: what came of an event in full, and where its hooks are written. The facts of a kind may be longer:
-- a run [hook, end, value, layer], and after the runs the codes of what was found.

CREATE TABLE outcomes (
    event INTEGER PRIMARY KEY REFERENCES events ON DELETE CASCADE,
    body TEXT NOT NULL                   -- JSON; the verdict stands with the kind
) STRICT;

ALTER TABLE runs ADD COLUMN layer TEXT;

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

INSERT INTO sessions VALUES (1, 'x', 's-1', '1.2.3', '/p/shop', 'fix it', 1, 2);
INSERT INTO sessions VALUES (2, 'x', 'hookbench-1', '1.2.3', '/p/shop', 'fired by you', 3, 4);
INSERT INTO kinds VALUES (1, '["x","1.2.3","/p/shop","Before","shell","deny","rebuilt",false,[["guard.sh","code",2,"user"]]]', 1);
INSERT INTO kinds VALUES (2, '["x","1.2.3","/p/shop","Before","shell","deny","fired",false,[["guard.sh","code",2,"project"]]]', 1);
INSERT INTO events VALUES (1, '0000000000000001', 1, 1, 1700000001000, 38000, 1, 32, NULL, NULL, NULL, NULL, 'rm -rf build', NULL);
INSERT INTO events VALUES (2, '0000000000000002', 2, 2, 1700000002000, 38000, 1, 32, NULL, NULL, NULL, NULL, 'rm -rf build', NULL);
INSERT INTO payloads VALUES (1, 'json', CAST('{"n":1,"command":"rm -rf build"}' AS BLOB));
INSERT INTO payloads VALUES (2, 'json', CAST('{"n":2,"command":"rm -rf build"}' AS BLOB));
INSERT INTO runs VALUES (1, 0, 'guard.sh', 'sh guard.sh', 'd', NULL, 0, 'code', 2, NULL, 1000, 39000, 7, 'text/plain', CAST('out' AS BLOB), 3, X'ff20637574', 99, 'user');
INSERT INTO runs VALUES (2, 0, 'guard.sh', 'sh guard.sh', 'd', NULL, 0, 'code', 2, NULL, 1000, 39000, 7, 'text/plain', CAST('out' AS BLOB), 3, X'ff20637574', 99, 'project');
PRAGMA user_version = 3;
PRAGMA application_id = 1751868014;
