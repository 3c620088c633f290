//! Bounds on untrusted sizes.

/// How many bytes of a message are read; what follows is left out.
pub const MAX_MESSAGE: usize = 32 << 20;

/// How many bytes of a message without any line feed show that its lines end in a carriage return.
pub const MAX_LINE_SEARCH: usize = 64 << 10;

/// How many bytes a readable body holds, the line included that says it was cut.
pub const MAX_BODY: usize = 1 << 20;

/// How many bytes of one HTML text are read.
pub const MAX_HTML: usize = 4 << 20;

/// How many multiparts may stand inside one another.
pub const MAX_DEPTH: usize = 64;

/// How many parts of a message are read, multiparts not counted.
pub const MAX_PARTS: usize = 1_000;

/// How many bytes of one header field are read. Lists of ids are read whole.
pub const MAX_FIELD: usize = 256 << 10;

/// How many bytes of a Content-Type or Content-Disposition are read.
pub const MAX_PARAMETERS: usize = 16 << 10;

/// How many To or Cc fields one message may have; those of each are joined.
pub const MAX_REPEATS: usize = 100;

/// How many addresses one field holds.
pub const MAX_ADDRESSES: usize = 1_000;

/// How many ids one field holds: the first, and the last ones.
pub const MAX_IDS: usize = 1_000;

/// How many ids that a mail refers to can decide its thread: the first of References and the newest, and those of
/// In-Reply-To, which are at most half of them.
pub const MAX_REFERRED: usize = 200;

/// How many threads wait for the same absent id, and how many of them a mail asks whether they admit it.
pub const MAX_WAITING: usize = 50;

/// How many bytes one id holds (RFC 5322, 2.1.1: no line is longer).
pub const MAX_ID: usize = 998;

/// How many bytes of a foreign text a finding quotes.
pub const MAX_QUOTE: usize = 64;

/// How many findings one message gives.
pub const MAX_FINDINGS: usize = 100;
