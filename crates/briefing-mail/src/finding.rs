//! What a message held that could not be read, or not whole. Values to compare, not sentences.

use std::fmt;

/// One thing that was found while a message was parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The message is longer than [`MAX_MESSAGE`](crate::limits::MAX_MESSAGE): only its beginning was read.
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// How many bytes were read.
        kept: u64,
    },
    /// Multiparts deeper than [`MAX_DEPTH`](crate::limits::MAX_DEPTH) were left unopened, as attachments.
    TooDeep {
        /// How many were left unopened.
        left: usize,
    },
    /// The message has more parts than [`MAX_PARTS`](crate::limits::MAX_PARTS): the rest was not read.
    TooManyParts {
        /// How many were read.
        kept: usize,
    },
    /// It does not begin with a header field: all of it was taken as body.
    NoHeaders,
    /// Lines among the headers that are none were passed over.
    BadHeaderLines {
        /// How many.
        lines: usize,
    },
    /// A header field is longer than [`MAX_FIELD`](crate::limits::MAX_FIELD): only its beginning was read.
    FieldCut {
        /// The field.
        field: Field,
        /// Its size in bytes.
        size: usize,
    },
    /// More addresses than [`MAX_ADDRESSES`](crate::limits::MAX_ADDRESSES): the first ones were kept.
    TooManyAddresses {
        /// The field.
        field: Field,
        /// How many there are.
        total: usize,
    },
    /// More ids than [`MAX_IDS`](crate::limits::MAX_IDS): the first and the last ones were kept.
    TooManyIds {
        /// The field.
        field: Field,
        /// How many different ones there are.
        total: usize,
    },
    /// Ids longer than [`MAX_ID`](crate::limits::MAX_ID) were dropped.
    IdsDropped {
        /// The field.
        field: Field,
        /// How many.
        count: usize,
    },
    /// The Date cannot be read.
    UnreadableDate {
        /// What it says, cut.
        text: String,
    },
    /// A multipart whose boundary is not given, or never comes: read as one piece.
    NoBoundary {
        /// The part.
        part: usize,
    },
    /// The message ends before its last multipart does.
    Unclosed,
    /// Some bytes do not fit the transfer encoding: passed over.
    BadEncoding {
        /// The part.
        part: usize,
        /// The encoding it names.
        encoding: Transfer,
    },
    /// A transfer encoding that is not known: left as it is.
    UnknownEncoding {
        /// The part.
        part: usize,
        /// The name it gives, cut.
        label: String,
    },
    /// No charset, or none that is known: guessed.
    UnknownCharset {
        /// Where.
        place: Place,
        /// The name it gives, cut.
        label: Option<String>,
        /// What it was read as.
        read_as: Guess,
    },
    /// Some bytes are not text in the charset it names: each reads as U+FFFD.
    Undecodable {
        /// Where.
        place: Place,
    },
    /// The readable body is longer than [`MAX_BODY`](crate::limits::MAX_BODY), or its HTML than
    /// [`MAX_HTML`](crate::limits::MAX_HTML): only its beginning was kept, and a line says so.
    BodyCut {
        /// How many bytes were kept.
        kept: usize,
    },
    /// The library that reads it failed: left out.
    Unparsable {
        /// Where.
        place: Place,
    },
}

/// A place in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A header field of the message.
    Field(Field),
    /// A part that is not a multipart, counted from one in the order of the message.
    Part(usize),
}

/// A header field that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// From.
    From,
    /// To.
    To,
    /// Cc.
    Cc,
    /// Subject.
    Subject,
    /// Date.
    Date,
    /// Message-ID.
    MessageId,
    /// In-Reply-To.
    InReplyTo,
    /// References.
    References,
    /// Content-Type, of the message or of a part.
    ContentType,
    /// Content-Disposition, of the message or of a part.
    ContentDisposition,
}

/// A transfer encoding that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// base64.
    Base64,
    /// quoted-printable.
    QuotedPrintable,
}

/// The charset that was guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// The bytes are valid UTF-8.
    Utf8,
    /// Some are not; those were read as windows-1252, which gives each byte a meaning.
    Windows1252,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => write!(f, "{field}"),
            Self::Part(part) => write!(f, "part {part}"),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::From => "From",
            Self::To => "To",
            Self::Cc => "Cc",
            Self::Subject => "Subject",
            Self::Date => "Date",
            Self::MessageId => "Message-ID",
            Self::InReplyTo => "In-Reply-To",
            Self::References => "References",
            Self::ContentType => "Content-Type",
            Self::ContentDisposition => "Content-Disposition",
        })
    }
}

/// So many of what can be counted.
struct Count<'a>(&'a usize, &'static str);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, what) = self;
        write!(f, "{count} {what}{}", if **count == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size, kept } => write!(f, "too large: {kept} of {size} bytes read"),
            Self::TooDeep { left } => write!(f, "nested too deep: {} left unopened", Count(left, "multipart")),
            Self::TooManyParts { kept } => write!(f, "too many parts: {kept} read"),
            Self::NoHeaders => f.write_str("no headers: read as body"),
            Self::BadHeaderLines { lines } => write!(f, "{} among the headers passed over", Count(lines, "line")),
            Self::FieldCut { field, size } => write!(f, "{field} of {size} bytes cut"),
            Self::TooManyAddresses { field, total } => write!(f, "{total} addresses in {field}: the first kept"),
            Self::TooManyIds { field, total } => write!(f, "{total} ids in {field}: the first and the last kept"),
            Self::IdsDropped { field, count } => write!(f, "{} in {field} dropped", Count(count, "overlong id")),
            Self::UnreadableDate { text } => write!(f, "unreadable date {text:?}"),
            Self::NoBoundary { part } => write!(f, "part {part}: no boundary, read as one piece"),
            Self::Unclosed => f.write_str("ends inside a multipart"),
            Self::BadEncoding { part, encoding } => write!(f, "part {part}: bytes that are not {encoding} passed over"),
            Self::UnknownEncoding { part, label } => write!(f, "part {part}: unknown transfer encoding {label:?}"),
            Self::UnknownCharset { place, label: Some(label), read_as } => {
                write!(f, "{place}: unknown charset {label:?}, read as {read_as}")
            }
            Self::UnknownCharset { place, label: None, read_as } => write!(f, "{place}: no charset, read as {read_as}"),
            Self::Undecodable { place } => write!(f, "{place}: some bytes are not text"),
            Self::BodyCut { kept } => write!(f, "body cut to {kept} bytes"),
            Self::Unparsable { place } => write!(f, "{place}: unparsable"),
        }
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base64 => "base64",
            Self::QuotedPrintable => "quoted-printable",
        })
    }
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Windows1252 => "windows-1252",
        })
    }
}
