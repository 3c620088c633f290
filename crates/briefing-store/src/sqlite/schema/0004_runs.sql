-- Runs while they work: leases, how they ended, what they spent, their steps and requests; and cards that are claimed.

ALTER TABLE owners ADD COLUMN fences INTEGER NOT NULL DEFAULT 0;    -- the last fence that was given

ALTER TABLE runs ADD COLUMN began INTEGER;                          -- when it was leased first
ALTER TABLE runs ADD COLUMN fence INTEGER;                          -- that of its last lease
ALTER TABLE runs ADD COLUMN answer INTEGER;                         -- the entry that it wrote as its answer
ALTER TABLE runs ADD COLUMN stop INTEGER;                           -- when it was asked to stop
ALTER TABLE runs ADD COLUMN ended INTEGER;                          -- when it ended,
ALTER TABLE runs ADD COLUMN how TEXT;                               -- how,
ALTER TABLE runs ADD COLUMN detail TEXT;                            -- and what is told of that
ALTER TABLE runs ADD COLUMN requests INTEGER NOT NULL DEFAULT 0;    -- what it spent: requests, and tokens
ALTER TABLE runs ADD COLUMN input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN cache_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN cache_written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN reasoning INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;        -- the number of its next request
CREATE INDEX runs_open ON runs (owner, run) WHERE began IS NOT NULL AND ended IS NULL;
CREATE INDEX runs_open_by_thread ON runs (thread, run) WHERE began IS NOT NULL AND ended IS NULL;

-- Which run has a thread. Without a row, nobody.
CREATE TABLE leases (
    thread  INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL UNIQUE,
    fence   INTEGER NOT NULL,
    renewed INTEGER NOT NULL,                   -- when it was given or renewed last: it does not hold at a time that is well before
    until   INTEGER NOT NULL
) STRICT;

-- The steps of a run that were begun.
CREATE TABLE steps (
    run    INTEGER NOT NULL,
    number INTEGER NOT NULL,                    -- within the run, from 0
    step   TEXT NOT NULL,                       -- its key
    at     INTEGER NOT NULL,
    PRIMARY KEY (run, number),
    UNIQUE (run, step)
) STRICT, WITHOUT ROWID;

-- The exact requests of runs.
CREATE TABLE requests (
    run     INTEGER NOT NULL,
    number  INTEGER NOT NULL,                   -- within the run, from 0
    at      INTEGER NOT NULL,
    wire    TEXT NOT NULL,
    model   TEXT NOT NULL,
    round   INTEGER NOT NULL,
    content INTEGER NOT NULL,                   -- what was sent: a blob
    receipt TEXT NOT NULL,                      -- JSON
    inputs  TEXT NOT NULL,                      -- JSON
    hash    BLOB NOT NULL,                      -- of all this (BLAKE3)
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE cards ADD COLUMN claimed INTEGER;                       -- when it was claimed
CREATE INDEX cards_open ON cards (entry) WHERE notice IS NULL;
