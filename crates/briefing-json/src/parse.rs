//! From text to a tape of nodes, in document order.

use std::fmt;

use crate::scan::first_special;
use crate::value::{Kind, Value};

/// How deep arrays and objects may nest. The same as serde_json's, so that a raw value passes on.
pub const MAX_DEPTH: usize = 127;

/// How many values (keys included) one document may hold.
pub const MAX_VALUES: usize = 20_000_000;

/// A parsed document. Borrows its text; 16 bytes of memory a value.
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) nodes: Vec<Node>,
    depth: usize,
    lone_surrogate: bool,
}

/// One value on the tape. Children follow their container; `next` is the index behind the last of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) next: u32,
    pub(crate) kind: Kind,
    /// A string that holds a backslash.
    pub(crate) escaped: bool,
}

/// Where and why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset from the start of the text.
    pub offset: usize,
    /// Line, from one.
    pub line: usize,
    /// What is wrong there.
    pub fault: SyntaxFault,
}

/// What can be wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxFault {
    /// Nothing but white space.
    Empty,
    /// The text ends inside a value.
    Truncated,
    /// A byte that cannot stand here.
    Unexpected,
    /// A raw control character inside a string.
    ControlCharacter,
    /// A backslash with nothing known behind it.
    Escape,
    /// Something follows the document.
    Trailing,
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
    /// More than [`MAX_VALUES`] values, or a text of 4 GiB or more.
    TooLarge,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            SyntaxFault::Empty => "no JSON value",
            SyntaxFault::Truncated => "the JSON ends in the middle of a value",
            SyntaxFault::Unexpected => "unexpected character",
            SyntaxFault::ControlCharacter => "raw control character in a string",
            SyntaxFault::Escape => "unknown escape in a string",
            SyntaxFault::Trailing => "characters after the JSON value",
            SyntaxFault::TooDeep => "nested deeper than 127 levels",
            SyntaxFault::TooLarge => "more than 20 million values or 4 GiB",
        };
        write!(f, "{what} at line {}, byte {}", self.line, self.offset)
    }
}

impl std::error::Error for SyntaxError {}

impl<'a> Document<'a> {
    /// Parses one JSON text.
    ///
    /// # Errors
    /// [`SyntaxError`] at the first fault. A lone surrogate escape is no fault; see [`Value::has_lone_surrogate`].
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { bytes: text.as_bytes(), at: 0, nodes: Vec::new(), open: Vec::new(), depth: 0 };
        match parser.document() {
            Ok(()) => {
                let mut document = Self { text, nodes: parser.nodes, depth: parser.depth, lone_surrogate: false };
                document.lone_surrogate = (0..document.nodes.len()).any(|at| Value::new(&document, at).has_lone_surrogate());
                Ok(document)
            }
            Err(fault) => {
                let offset = parser.at.min(text.len());
                let line = 1 + parser.bytes.iter().take(offset).filter(|byte| **byte == b'\n').count();
                Err(SyntaxError { offset, line, fault })
            }
        }
    }

    /// The document's outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// How many levels of arrays and objects it has.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether any string or key in it holds half of a surrogate pair.
    #[must_use]
    pub fn has_lone_surrogate(&self) -> bool {
        self.lone_surrogate
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    /// Indices of the containers that are open, outermost first.
    open: Vec<usize>,
    depth: usize,
}

/// What may come next.
enum Expect {
    Value,
    ValueOrClose,
    KeyOrClose,
    Key,
    CommaOrClose,
}

type Step<T> = Result<T, SyntaxFault>;

impl Parser<'_> {
    fn document(&mut self) -> Step<()> {
        if u32::try_from(self.bytes.len()).is_err() {
            return Err(SyntaxFault::TooLarge);
        }
        self.space();
        if self.at == self.bytes.len() {
            return Err(SyntaxFault::Empty);
        }
        let mut expect = Expect::Value;
        loop {
            self.space();
            expect = match expect {
                Expect::Value => self.value()?,
                Expect::ValueOrClose if self.peek()? == b']' => self.close()?,
                Expect::ValueOrClose => self.value()?,
                Expect::KeyOrClose if self.peek()? == b'}' => self.close()?,
                Expect::KeyOrClose | Expect::Key => self.key()?,
                Expect::CommaOrClose => self.comma_or_close()?,
            };
            if self.open.is_empty() {
                break;
            }
        }
        self.space();
        if self.at < self.bytes.len() { Err(SyntaxFault::Trailing) } else { Ok(()) }
    }

    fn peek(&self) -> Step<u8> {
        self.bytes.get(self.at).copied().ok_or(SyntaxFault::Truncated)
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Step<Expect> {
        match self.peek()? {
            b'{' => return self.open(Kind::Object, Expect::KeyOrClose),
            b'[' => return self.open(Kind::Array, Expect::ValueOrClose),
            b'"' => self.string(),
            b't' => self.literal(b"true", Kind::True),
            b'f' => self.literal(b"false", Kind::False),
            b'n' => self.literal(b"null", Kind::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(SyntaxFault::Unexpected),
        }?;
        Ok(Expect::CommaOrClose)
    }

    fn open(&mut self, kind: Kind, then: Expect) -> Step<Expect> {
        if self.open.len() >= MAX_DEPTH {
            return Err(SyntaxFault::TooDeep);
        }
        self.open.push(self.nodes.len());
        self.depth = self.depth.max(self.open.len());
        self.push(kind, self.at, self.at, false)?;
        self.at += 1;
        Ok(then)
    }

    fn close(&mut self) -> Step<Expect> {
        self.at += 1;
        let next = index(self.nodes.len())?;
        let end = index(self.at)?;
        if let Some(node) = self.open.pop().and_then(|open| self.nodes.get_mut(open)) {
            node.end = end;
            node.next = next;
        }
        Ok(Expect::CommaOrClose)
    }

    fn comma_or_close(&mut self) -> Step<Expect> {
        let object = self.open.last().and_then(|open| self.nodes.get(*open)).is_some_and(|node| node.kind == Kind::Object);
        match (self.peek()?, object) {
            (b'}', true) | (b']', false) => self.close(),
            (b',', _) => {
                self.at += 1;
                Ok(if object { Expect::Key } else { Expect::Value })
            }
            _ => Err(SyntaxFault::Unexpected),
        }
    }

    fn key(&mut self) -> Step<Expect> {
        if self.peek()? != b'"' {
            return Err(SyntaxFault::Unexpected);
        }
        self.string()?;
        self.space();
        if self.peek()? != b':' {
            return Err(SyntaxFault::Unexpected);
        }
        self.at += 1;
        Ok(Expect::Value)
    }

    fn string(&mut self) -> Step<()> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let run = first_special(rest).unwrap_or(rest.len());
            self.at += run;
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at += 1;
                    self.escape()?;
                }
                _ => return Err(SyntaxFault::ControlCharacter),
            }
        }
        self.at += 1;
        self.push(Kind::String, start, self.at, escaped)
    }

    fn escape(&mut self) -> Step<()> {
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(SyntaxFault::Truncated)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(SyntaxFault::Escape);
                }
                self.at += 5;
            }
            _ => return Err(SyntaxFault::Escape),
        }
        Ok(())
    }

    fn literal(&mut self, word: &[u8], kind: Kind) -> Step<()> {
        let start = self.at;
        for byte in word {
            if self.peek()? != *byte {
                return Err(SyntaxFault::Unexpected);
            }
            self.at += 1;
        }
        self.push(kind, start, self.at, false)
    }

    fn digits(&mut self) -> Step<()> {
        if !self.peek()?.is_ascii_digit() {
            return Err(SyntaxFault::Unexpected);
        }
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Step<()> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(Kind::Number, start, self.at, false)
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) -> Step<()> {
        if self.nodes.len() >= MAX_VALUES {
            return Err(SyntaxFault::TooLarge);
        }
        let next = index(self.nodes.len() + 1)?;
        self.nodes.push(Node { start: index(start)?, end: index(end)?, next, kind, escaped });
        Ok(())
    }
}

fn index(value: usize) -> Step<u32> {
    u32::try_from(value).map_err(|_| SyntaxFault::TooLarge)
}
