-- The words of mails and messages. The text itself is not kept twice; a row's id is its entry's.
CREATE VIRTUAL TABLE search USING fts5 (subject, body, content = '', tokenize = 'unicode61 remove_diacritics 2');
-- What is deleted is overwritten at once, and not marked.
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);

-- Per owner, the sequence number up to which entries are indexed. The rest follows when nothing else is to be written, and
-- before a search.
CREATE TABLE indexed (
    owner INTEGER PRIMARY KEY,
    next  INTEGER NOT NULL
) STRICT;
