-- Scheduled work: the runs that are to be begun. A row goes when the run of its id ends.
CREATE TABLE scheduled (
    owner          INTEGER NOT NULL,
    id             TEXT NOT NULL,               -- of the run
    thread         INTEGER NOT NULL,
    persona        TEXT NOT NULL,
    responsibility TEXT NOT NULL,
    at             INTEGER NOT NULL,            -- when it is due
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX scheduled_by_time ON scheduled (owner, at, id);
CREATE INDEX scheduled_by_thread ON scheduled (thread);
