-- Chats: who wrote a message, its versions, resets, what was popped, threads with a name or that go on from another one,
-- and texts of files.

ALTER TABLE entries ADD COLUMN popped INTEGER;                      -- when it was popped

-- The version that came first has the entry of the message, each later one that of its edit.
ALTER TABLE messages ADD COLUMN agent TEXT;
ALTER TABLE messages ADD COLUMN interim INTEGER NOT NULL DEFAULT 0; -- 1: said on the way to an answer
ALTER TABLE messages ADD COLUMN attachments INTEGER NOT NULL DEFAULT 0; -- how many
ALTER TABLE messages ADD COLUMN extra TEXT;                         -- a JSON object; null if it is empty
ALTER TABLE messages ADD COLUMN edit INTEGER;                       -- of a message: its newest edit

CREATE TABLE edits (
    entry   INTEGER PRIMARY KEY,
    message INTEGER NOT NULL                    -- what it is a new version of
) STRICT;
CREATE INDEX edits_by_message ON edits (message, entry);

CREATE TABLE resets (
    entry  INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,                       -- flush or rescue
    agent  TEXT,
    reason TEXT NOT NULL,
    extra  TEXT                                 -- as in messages
) STRICT;

ALTER TABLE notices ADD COLUMN language TEXT;                       -- null: the card's

-- Kinds of members: besides those of entries (11 reset, 12 edit), of messages the finer ones, 4 an input or an answer, 9 tool use,
-- 10 instructions; and 13 popped.
ALTER TABLE members ADD COLUMN agent TEXT NOT NULL DEFAULT '';      -- @ and whose tool use or instructions; '' is nobody's
CREATE INDEX members_by_agent ON members (thread, kind, agent, at, entry) WHERE kind = 9 OR kind = 10;

-- Where a thread goes on from: it reads as its parent does up to this place, of what was appended before.
CREATE TABLE forks (
    thread INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    entry  INTEGER NOT NULL,
    next   INTEGER NOT NULL                     -- the owner's next entry when it was forked
) STRICT;
CREATE INDEX forks_by_parent ON forks (parent);

-- Threads by name; of the name only a hash.
CREATE TABLE names (
    owner  INTEGER NOT NULL,
    name   BLOB NOT NULL,
    thread INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

-- What could be read out of contents.
CREATE TABLE texts (
    blob    INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,                   -- of what read it
    text    TEXT,                               -- null: there is none to be had
    partial INTEGER NOT NULL,                   -- 1: it holds less than the file
    hash    BLOB NOT NULL                       -- of all this (BLAKE3)
) STRICT;

-- What was kept before. A message that cannot be read stays what it was.
UPDATE members SET kind = kinds.kind
FROM (
    SELECT entry, CASE
        WHEN NOT json_valid(body) THEN 4
        WHEN body ->> '$.role' = 'system' THEN 10
        WHEN body ->> '$.role' = 'tool' THEN 9
        WHEN body ->> '$.role' = 'assistant' AND (
            json_array_length(body, '$.tool_calls') > 0
            OR EXISTS (SELECT 1 FROM json_each(body, '$.items') AS item WHERE item.value ->> '$.type' = 'call')
        ) THEN 9
        ELSE 4 END AS kind
    FROM messages
) AS kinds
WHERE members.entry = kinds.entry AND members.kind = 4 AND kinds.kind <> 4;
