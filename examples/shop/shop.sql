-- What Scoop & Cone knows of its customers and their orders. `shop.db` is made from it:
--
--     python3 -c "import sqlite3; sqlite3.connect('shop.db').executescript(open('shop.sql').read())"

PRAGMA journal_mode = DELETE;
PRAGMA page_size = 1024;

CREATE TABLE customers (
    id       TEXT PRIMARY KEY,
    name     TEXT NOT NULL,
    contact  TEXT NOT NULL,
    email    TEXT NOT NULL UNIQUE COLLATE NOCASE,
    payment  TEXT NOT NULL,
    delivery TEXT
);

CREATE TABLE orders (
    number   TEXT PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    status   TEXT NOT NULL CHECK (status IN ('open', 'held', 'delivered', 'cancelled')),
    due      TEXT NOT NULL,
    total    REAL NOT NULL,
    note     TEXT
);

INSERT INTO customers VALUES
    ('c-208', 'Lakeside Cafe', 'Ines Castellan', 'ines@lakeside-cafe.example', 'invoice, 14 days', 'Wednesdays, 07:00-09:00'),
    ('c-214', 'Fikahuset', 'Zoé Lindqvist', 'zoe@fikahuset.example', 'invoice, 30 days', 'Fridays, before noon'),
    ('c-231', 'Brightwater School', 'Tobin Ashgrove', 'tobin.ashgrove@brightwater-school.example', 'on delivery', NULL);

INSERT INTO orders VALUES
    ('S-0987', 'c-208', 'delivered', '2026-04-01', 352.0, 'deposit of 10 tubs not paid back'),
    ('S-1043', 'c-208', 'delivered', '2026-04-30', 393.0, '12 tubs, planned for 2026-05-06'),
    ('S-1058', 'c-208', 'open', '2026-06-03', 385.0, 'standing order'),
    ('S-1060', 'c-214', 'open', '2026-06-19', 204.0, '30 cakes for Midsummer''s Eve');
