-- The log. Entries, threads and runs are keyed by numbers that carry their owner: owner * 2^40 + the number of its own
-- (`id & 0xffffffffff`). Times are UTC microseconds since 1970. Addresses, ids and messages are JSON.

CREATE TABLE owners (
    owner   INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    entries INTEGER NOT NULL DEFAULT 0,         -- the next sequence number
    threads INTEGER NOT NULL DEFAULT 0,         -- the next thread
    runs    INTEGER NOT NULL DEFAULT 0,         -- the next run
    last_at INTEGER                             -- the effective time of what was appended last
) STRICT;

-- Every entry, erased ones included. What it holds is in the table of its kind.
CREATE TABLE entries (
    entry  INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,                    -- the effective time, fixed at append
    kind   INTEGER NOT NULL,                    -- 1 mail, 2 round, 3 outcome, 4 message, 5 card, 6 notice
    hash   BLOB NOT NULL,                       -- of what was appended (BLAKE3); stays when it is erased
    erased INTEGER                              -- when it was erased
) STRICT;

CREATE TABLE threads (
    thread  INTEGER PRIMARY KEY,
    owner   INTEGER NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,         -- how many members
    head    INTEGER,                            -- the member of the greatest sequence number
    newest  INTEGER,                            -- the greatest effective time of a member
    merged  INTEGER                             -- the thread that has all of its entries now
) STRICT;
CREATE INDEX threads_by_newest ON threads (owner, newest, thread) WHERE merged IS NULL;
CREATE INDEX threads_by_merged ON threads (merged) WHERE merged IS NOT NULL;

-- Which thread an entry belongs to, apart from the entry, so that threads merge and split without touching entries.
CREATE TABLE members (
    thread INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    entry  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,                    -- as in entries; 0 erased, 7 a card that is not settled
    PRIMARY KEY (thread, at, entry)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX members_by_entry ON members (entry);
CREATE INDEX members_by_kind ON members (thread, kind, at, entry);

-- Idempotency keys. They stay when the entry is erased, so that what was forgotten does not come back.
CREATE TABLE keys (
    owner INTEGER NOT NULL,
    key   BLOB NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE mails (
    entry       INTEGER PRIMARY KEY,
    owner       INTEGER NOT NULL,
    direction   INTEGER NOT NULL,               -- 0 inbound; outbound: 1 sent, 2 draft, 3 failed
    attachments INTEGER NOT NULL,               -- how many
    raw         INTEGER,                        -- the mail as it came: a blob
    date        INTEGER,
    message_id  TEXT,
    in_reply_to TEXT,
    refs        TEXT,
    sender      TEXT,                           -- From, To and Cc: [[name, address], ...]
    recipients  TEXT,
    copies      TEXT,
    subject     TEXT,
    body        TEXT
) STRICT;
CREATE INDEX mails_by_message_id ON mails (owner, message_id, entry) WHERE message_id IS NOT NULL;

CREATE TABLE attachments (
    entry      INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    id         TEXT NOT NULL,
    filename   TEXT,
    media_type TEXT NOT NULL,
    size       INTEGER,
    inline     INTEGER NOT NULL,
    content    INTEGER,                         -- a blob
    PRIMARY KEY (entry, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_by_id ON attachments (id, entry);

-- Contents by hash, each once. Without data: it lies outside, under its hash.
CREATE TABLE blobs (
    blob INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    refs INTEGER NOT NULL,                      -- how many mails and attachments have it
    data BLOB
) STRICT;

-- Contents outside that were erased and may still lie there.
CREATE TABLE doomed (
    hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Who takes part in a thread: addresses in lower case.
CREATE TABLE people (
    thread  INTEGER NOT NULL,
    address TEXT NOT NULL,
    PRIMARY KEY (thread, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_by_address ON people (address, thread);

-- Message-IDs that mails of a thread refer to, while no mail has them.
CREATE TABLE awaited (
    owner      INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    thread     INTEGER NOT NULL,
    PRIMARY KEY (owner, message_id, thread)
) STRICT, WITHOUT ROWID;
CREATE INDEX awaited_by_thread ON awaited (thread);

CREATE TABLE messages (
    entry INTEGER PRIMARY KEY,
    body  TEXT NOT NULL
) STRICT;

CREATE TABLE cards (
    entry  INTEGER PRIMARY KEY,
    run    INTEGER,                             -- the run that proposed it, if it is known
    body   TEXT NOT NULL,
    notice INTEGER                              -- the entry that settled it
) STRICT;
CREATE INDEX cards_by_run ON cards (run) WHERE run IS NOT NULL;

CREATE TABLE notices (
    entry   INTEGER PRIMARY KEY,
    card    INTEGER NOT NULL,
    settled TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    run            INTEGER PRIMARY KEY,
    owner          INTEGER NOT NULL,
    id             TEXT NOT NULL,
    thread         INTEGER NOT NULL,
    persona        TEXT NOT NULL,
    answers        INTEGER,                     -- the entry it was begun for,
    responsibility TEXT,                        -- or the scheduled work
    last_at        INTEGER NOT NULL,            -- the effective time of what it wrote last
    hash           BLOB NOT NULL,               -- of what was begun: id, persona, answers, responsibility (BLAKE3)
    UNIQUE (owner, id)
) STRICT;
CREATE INDEX runs_by_thread ON runs (thread);

-- Beside which entries the rounds of a run are replayed.
CREATE TABLE places (
    entry   INTEGER NOT NULL,
    persona TEXT NOT NULL,                      -- in lower case
    run     INTEGER NOT NULL,
    PRIMARY KEY (entry, persona, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX places_by_run ON places (run);

CREATE TABLE rounds (
    entry INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL,
    turn  INTEGER NOT NULL,
    said  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX rounds_by_run ON rounds (run, turn);

CREATE TABLE outcomes (
    entry INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL,
    round INTEGER NOT NULL,
    body  TEXT NOT NULL
) STRICT;
CREATE INDEX outcomes_by_run ON outcomes (run, entry);

-- The round of each call, so that an outcome finds it without a walk.
CREATE TABLE calls (
    run     INTEGER NOT NULL,
    given   TEXT NOT NULL,
    repeats INTEGER NOT NULL,
    round   INTEGER NOT NULL,
    PRIMARY KEY (run, given, repeats)
) STRICT, WITHOUT ROWID;

-- How many calls of a thread were given an id; of the id only a hash.
CREATE TABLE call_ids (
    thread INTEGER NOT NULL,
    given  BLOB NOT NULL,
    times  INTEGER NOT NULL,
    PRIMARY KEY (thread, given)
) STRICT, WITHOUT ROWID;

-- Where windows begin.
CREATE TABLE anchors (
    thread  INTEGER NOT NULL,
    persona TEXT NOT NULL,                      -- in lower case
    view    TEXT NOT NULL,
    model   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    entry   INTEGER NOT NULL,
    run     INTEGER NOT NULL,                   -- the run that moved it there
    PRIMARY KEY (thread, persona, view, model)
) STRICT, WITHOUT ROWID;
