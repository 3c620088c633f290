//! Splits HTML into text and tags (HTML, 13.2.5), each byte looked at once. No tree: a mail's HTML is seldom one.

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::add_html_token;

/// The longest name of a character reference.
const MAX_ENTITY: usize = 32;

/// Elements whose content is not markup, and whether it is shown.
const RAW: [(&str, bool); 8] = [
    ("script", false),
    ("style", false),
    ("title", false),
    ("iframe", false),
    ("noembed", false),
    ("noframes", false),
    ("textarea", true),
    ("xmp", true),
];

/// A piece of HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text, its character references not yet decoded.
    Text(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, by name in lower case.
    Close(String),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// In lower case.
    pub(super) name: String,
    attributes: &'a str,
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// Content of a raw element, to be given next.
    raw: Option<&'a str>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None }
    }

    /// Takes the first `length` bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Passes over all up to and including `end`; to the end of the text if it does not come.
    fn pass(&mut self, end: &str) {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.take(length);
    }

    fn start_tag(&mut self) -> Token<'a> {
        let Some(length) = tag_length(self.rest) else { return Token::Text(self.take(self.rest.len())) };
        let tag = self.take(length);
        let inner = tag.get(1..tag.len() - 1).unwrap_or_default();
        let (name, attributes) = inner.split_at(name_length(inner));
        let name = name.to_ascii_lowercase();
        if let Some((_, shown)) = RAW.iter().find(|(raw, _)| *raw == name) {
            let content = self.take(raw_length(self.rest, &name));
            self.raw = shown.then_some(content);
        }
        Token::Open(Tag { name, attributes })
    }

    fn end_tag(&mut self) -> Token<'a> {
        let Some(length) = tag_length(self.rest) else { return Token::Text(self.take(self.rest.len())) };
        let inner = self.take(length).get(2..).unwrap_or_default();
        Token::Close(inner.get(..name_length(inner)).unwrap_or_default().to_ascii_lowercase())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(raw) = self.raw.take() {
            return Some(Token::Text(raw));
        }
        loop {
            let mut ahead = self.rest.bytes();
            match (ahead.next()?, ahead.next(), ahead.next()) {
                (b'<', Some(b'a'..=b'z' | b'A'..=b'Z'), _) => return Some(self.start_tag()),
                (b'<', Some(b'/'), Some(b'a'..=b'z' | b'A'..=b'Z')) => return Some(self.end_tag()),
                (b'<', Some(b'!'), _) if self.rest.starts_with("<!--") => self.comment(),
                (b'<', Some(b'!' | b'?' | b'/'), _) => self.pass(">"),
                _ => {
                    let length = self.rest.bytes().skip(1).position(|byte| byte == b'<').map_or(self.rest.len(), |at| at + 1);
                    return Some(Token::Text(self.take(length)));
                }
            }
        }
    }
}

impl Tokens<'_> {
    fn comment(&mut self) {
        if self.rest.starts_with("<!-->") || self.rest.starts_with("<!--->") {
            self.pass(">");
        } else {
            self.take("<!--".len());
            self.pass("-->");
        }
    }
}

/// How long the tag at the start is, its `>` included; one inside a quoted value does not end it. None if nothing ends it.
fn tag_length(html: &str) -> Option<usize> {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') if after_equals => quote = Some(byte),
            (None, _) => {}
        }
        after_equals = byte == b'=' || after_equals && byte.is_ascii_whitespace();
    }
    None
}

fn name_length(inner: &str) -> usize {
    inner.bytes().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')).unwrap_or(inner.len())
}

/// How long the content of a raw element is: up to its end tag, else to the end.
fn raw_length(html: &str, name: &str) -> usize {
    html.match_indices("</")
        .map(|(at, _)| at)
        .find(|at| {
            let after = html.get(at + 2..).unwrap_or_default();
            after.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name))
                && after
                    .get(name.len()..)
                    .unwrap_or_default()
                    .starts_with(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')
        })
        .unwrap_or(html.len())
}

impl Tag<'_> {
    /// The value of an attribute, decoded.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes;
        while let Some((key, value, after)) = attribute(rest) {
            if key.eq_ignore_ascii_case(name) {
                return Some(decode(value));
            }
            rest = after;
        }
        None
    }
}

/// The first attribute: its name, its value, and what follows.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
    let first = text.chars().next()?;
    let name_end = text
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_ascii_whitespace() || matches!(c, '=' | '/'))
        .map_or(text.len(), |(at, _)| at)
        .max(first.len_utf8());
    let (name, rest) = text.split_at(name_end);
    let Some(value) = rest.trim_ascii_start().strip_prefix('=') else { return Some((name, "", rest)) };
    let value = value.trim_ascii_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, rest) = match quote {
        Some(quote) => {
            let value = value.get(1..).unwrap_or_default();
            value.split_once(quote).unwrap_or((value, ""))
        }
        None => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
    };
    Some((name, value, rest))
}

/// Replaces the character references (HTML, 13.2.5.72). One that is not known stays as it is.
pub(super) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        rest = after;
        match reference(rest) {
            Some((character, length)) => {
                decoded.push_str(&character);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    decoded
}

/// The character that the text behind an ampersand names, and how many bytes its name takes.
fn reference(text: &str) -> Option<(String, usize)> {
    if let Some(number) = text.strip_prefix('#') {
        let (digits, radix, prefix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 2),
            None => (number, 10, 1),
        };
        let count = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let digits = digits.get(..count).filter(|digits| !digits.is_empty())?;
        let length = prefix + count + usize::from(text.as_bytes().get(prefix + count) == Some(&b';'));
        return Some((numbered(u32::from_str_radix(digits, radix).unwrap_or(u32::MAX)), length));
    }
    let count = text.bytes().take(MAX_ENTITY).take_while(u8::is_ascii_alphanumeric).count();
    let name = text.get(..count).filter(|name| !name.is_empty())?;
    let ended = text.as_bytes().get(count) == Some(&b';');
    // Without a semicolon only the oldest names count.
    if !ended && !matches!(name, "amp" | "lt" | "gt" | "quot" | "nbsp" | "copy" | "reg") {
        return None;
    }
    let mut character = String::new();
    let token = format!("&{name};");
    add_html_token(&mut character, token.as_bytes(), false);
    (character != token).then_some((character, count + usize::from(ended)))
}

/// A character by number: 128 to 159 are read as windows-1252, what is no character is U+FFFD.
fn numbered(number: u32) -> String {
    match u8::try_from(number) {
        Ok(byte @ 0x80..=0x9f) => charset_decoder(b"windows-1252").map_or_else(String::new, |decode| decode(&[byte])),
        _ => char::from_u32(number).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(html: &str) -> Vec<String> {
        Tokens::new(html)
            .map(|token| match token {
                Token::Text(text) => text.to_owned(),
                Token::Open(tag) => format!("+{}", tag.name),
                Token::Close(name) => format!("-{name}"),
            })
            .collect()
    }

    #[test]
    fn splits() {
        for (html, expected) in [
            ("a<B>b</B >c", vec!["a", "+b", "b", "-b", "c"]),
            ("<!DOCTYPE html><!-- <b> -->x<!-->y<?php ?>", vec!["x", "y"]),
            ("1 < 2 <3", vec!["1 ", "< 2 ", "<3"]),
            ("<style>p{a:'</b>'}</style>x", vec!["+style", "-style", "x"]),
            ("<textarea><b></textarea>", vec!["+textarea", "<b>", "-textarea"]),
            ("<a title='x>y' href=z>t", vec!["+a", "t"]),
            ("x <never ends", vec!["x ", "<never ends"]),
            ("<script>never ends", vec!["+script"]),
        ] {
            assert_eq!(tokens(html), expected, "{html:?}");
        }
    }

    #[test]
    fn attributes() {
        let mut tokens = Tokens::new("<a hidden é=x/y HREF = 'a&amp;b' title=\"c d\" x=>");
        let Some(Token::Open(tag)) = tokens.next() else { panic!("no tag") };
        assert_eq!(
            ["href", "title", "x", "é", "none"].map(|name| tag.attribute(name)),
            [Some("a&b".into()), Some("c d".into()), Some(String::new()), Some("x/y".into()), None]
        );
    }

    #[test]
    fn references() {
        for (text, expected) in [
            ("Fish &amp; chips&nbsp;&#8364;&#x20ac;&#146;", "Fish & chips\u{a0}€€’"),
            ("&hellip;&apos;&eacute;", "…'é"),
            ("AT&T &unknown; & &; &#; &#xfffffffff;", "AT&T &unknown; & &; &#; \u{fffd}"),
            ("a&lt b?x=1&copying", "a< b?x=1&copying"),
        ] {
            assert_eq!(decode(text), expected, "{text:?}");
        }
    }
}
