//! Decodes header fields with mail-parser: addresses, subject, date, types with their parameters.

use jiff::Timestamp;
use jiff::civil;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::Offset;
use mail_parser::parsers::MessageStream;
use mail_parser::{Addr, ContentType, DateTime, Group, HeaderValue};

use super::Findings;
use super::charset;
use super::guard::guarded;
use super::limits::{MAX_ADDRESSES, MAX_FIELD, MAX_PARAMETERS};
use crate::finding::{Field, Finding, Place};
use briefing::log::Address;

/// The addresses of all fields of that name; groups are flattened to their members.
pub(super) fn addresses<'a>(field: Field, values: impl IntoIterator<Item = &'a [u8]>, findings: &mut Findings) -> Vec<Address> {
    let parse = |value: &[u8]| match MessageStream::new(value).parse_address() {
        HeaderValue::Address(mail_parser::Address::List(list)) => list.into_iter().filter_map(address).collect(),
        HeaderValue::Address(mail_parser::Address::Group(groups)) => {
            groups.into_iter().flat_map(|Group { addresses, .. }| addresses).filter_map(address).collect()
        }
        _ => Vec::new(),
    };
    let lossy = |list: &Vec<Address>| list.iter().any(|one| is_lossy(&one.email) || one.name.as_deref().is_some_and(is_lossy));
    let mut found = Vec::new();
    for value in values {
        found.extend(decoded(field, value, MAX_FIELD, findings, parse, lossy).unwrap_or_default());
    }
    if found.len() > MAX_ADDRESSES {
        findings.push(Finding::TooManyAddresses { field, total: found.len() });
        found.truncate(MAX_ADDRESSES);
    }
    found
}

fn address(addr: Addr<'_>) -> Option<Address> {
    let name = addr.name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let email = addr.address.map(|email| email.trim().to_owned()).unwrap_or_default();
    (name.is_some() || !email.is_empty()).then_some(Address { name, email })
}

/// A subject, unfolded and decoded. None if blank.
pub(super) fn subject(value: &[u8], findings: &mut Findings) -> Option<String> {
    let parse = |value: &[u8]| match MessageStream::new(value).parse_unstructured() {
        HeaderValue::Text(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    let subject = decoded(Field::Subject, value, MAX_FIELD, findings, parse, |text| is_lossy(text));
    subject.filter(|text| !text.is_empty())
}

/// A date (RFC 5322, 3.3 and 4.3): as jiff reads it, else as mail-parser does, which takes more.
pub(super) fn date(value: &[u8], findings: &mut Findings) -> Option<Timestamp> {
    const STRICT: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    let strict = std::str::from_utf8(value).ok().and_then(|text| STRICT.parse_timestamp(text.trim()).ok());
    let date = strict.or_else(|| {
        let parse = |value: &[u8]| match MessageStream::new(value).parse_date() {
            HeaderValue::DateTime(date) => Some(date),
            _ => None,
        };
        decoded(Field::Date, value, MAX_PARAMETERS, findings, parse, |_| false).flatten().and_then(timestamp)
    });
    if date.is_none() {
        findings.push(Finding::UnreadableDate { text: charset::quoted(value.trim_ascii()) });
    }
    date
}

fn timestamp(date: DateTime) -> Option<Timestamp> {
    let small = |number: u8| i8::try_from(number).ok();
    // A leap second reads as the one before it.
    let second = small(date.second.min(if date.second == 60 { 59 } else { u8::MAX }))?;
    let local = civil::DateTime::new(
        i16::try_from(date.year).ok()?,
        small(date.month)?,
        small(date.day)?,
        small(date.hour)?,
        small(date.minute)?,
        second,
        0,
    );
    let seconds = i32::from(date.tz_hour) * 3600 + i32::from(date.tz_minute) * 60;
    let offset = Offset::from_seconds(if date.tz_before_gmt { -seconds } else { seconds }).ok()?;
    offset.to_timestamp(local.ok()?).ok()
}

/// A Content-Type or Content-Disposition: a word or two, and parameters (RFC 2045, 2231).
#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// The first word, in lower case.
    pub(super) kind: String,
    /// What follows the slash, in lower case.
    pub(super) subtype: String,
    values: Vec<(String, String)>,
}

impl Parameters {
    /// The value of a parameter, if there is one that is not blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.trim().is_empty())
    }
}

/// Reads a Content-Type or a Content-Disposition.
pub(super) fn parameters(field: Field, value: &[u8], findings: &mut Findings) -> Option<Parameters> {
    let parse = |value: &[u8]| match MessageStream::new(value).parse_content_type() {
        HeaderValue::ContentType(ContentType { c_type, c_subtype, attributes }) => Some(Parameters {
            kind: c_type.trim().to_ascii_lowercase(),
            subtype: c_subtype.unwrap_or_default().trim().to_ascii_lowercase(),
            values: attributes
                .unwrap_or_default()
                .into_iter()
                .map(|attribute| (attribute.name.to_ascii_lowercase(), attribute.value.into_owned()))
                .collect(),
        }),
        _ => None,
    };
    let lossy = |found: &Option<Parameters>| found.iter().flat_map(|found| &found.values).any(|(_, value)| is_lossy(value));
    decoded(field, value, MAX_PARAMETERS, findings, parse, lossy).flatten()
}

/// Parses a value, bounded and ended by a line feed as mail-parser wants it. None if it panics.
///
/// Bytes beyond ASCII belong into encoded words. Outside of them they are read as UTF-8; where they are not that the value is
/// parsed again with a guess.
fn decoded<T>(
    field: Field,
    value: &[u8],
    limit: usize,
    findings: &mut Findings,
    parse: impl Fn(&[u8]) -> T,
    lossy: impl Fn(&T) -> bool,
) -> Option<T> {
    let whole = value.trim_ascii_end();
    let kept = whole.get(..limit).unwrap_or(whole);
    if kept.len() < whole.len() {
        findings.push(Finding::FieldCut { field, size: whole.len() });
    }
    let mut parsed = guarded(|| parse(&[kept, b"\n"].concat()));
    if parsed.as_ref().is_some_and(lossy) && std::str::from_utf8(kept).is_err() {
        let (text, read_as) = charset::guess(kept);
        findings.push(Finding::UnknownCharset { place: Place::Field(field), label: None, read_as });
        parsed = guarded(|| parse(&[text.as_bytes(), b"\n"].concat()));
    }
    if parsed.is_none() {
        findings.push(Finding::Unparsable { place: Place::Field(field) });
    }
    parsed
}

/// Whether something could not be decoded.
fn is_lossy(text: &str) -> bool {
    text.contains(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date_of(text: &str) -> Option<String> {
        date(text.as_bytes(), &mut Findings::default()).map(|date| date.to_string())
    }

    #[test]
    fn dates() {
        for (text, expected) in [
            (" Fri, 22 Feb 2008 22:00:10 +0200", Some("2008-02-22T20:00:10Z")),
            ("22 Feb 08 22:00 EST", Some("2008-02-23T03:00:00Z")),
            ("Tue, 31 Dec 2024 23:59:60 -0000 (UTC)", Some("2024-12-31T23:59:59Z")),
            ("Thu, 30 Feb 2023 10:00:00 +0000", None),
            ("Thu, 22 Feb 2008 22:00:10 GMT", Some("2008-02-22T22:00:10Z")),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(date_of(text).as_deref(), expected, "{text:?}");
        }
    }

    fn list(value: &str) -> Vec<String> {
        addresses(Field::To, [value.as_bytes()], &mut Findings::default()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn address_lists() {
        for (value, expected) in [
            ("Ann Lee <ann@x>, bob@x", vec!["Ann Lee <ann@x>", "bob@x"]),
            ("=?iso-8859-1?q?J=F6rg?= <j@x>", vec!["Jörg <j@x>"]),
            ("Team: Ann <ann@x>, bob@x; carl@x", vec!["Ann <ann@x>", "bob@x", "carl@x"]),
            ("undisclosed-recipients:;", vec![]),
            ("\"Lee, Ann\" <ann@x>", vec!["Lee, Ann <ann@x>"]),
            ("", vec![]),
        ] {
            assert_eq!(list(value), expected, "{value:?}");
        }
        assert_eq!(
            addresses(Field::From, [&b"J\xf6rg <j@x>"[..]], &mut Findings::default()),
            [Address { name: Some("Jörg".into()), email: "j@x".into() }]
        );
    }

    #[test]
    fn many_addresses_are_bounded() {
        let value: String = (0..5_000).map(|n| format!("a{n}@x, ")).collect();
        let mut findings = Findings::default();
        assert_eq!(addresses(Field::To, [value.as_bytes()], &mut findings).len(), MAX_ADDRESSES);
        assert_eq!(findings.0, [Finding::TooManyAddresses { field: Field::To, total: 5_000 }]);
    }

    #[test]
    fn subjects() {
        let read = |value: &str| subject(value.as_bytes(), &mut Findings::default());
        assert_eq!(read(" =?utf-8?q?Fish_=26_chips?=\r\n twice\r\n").as_deref(), Some("Fish & chips twice"));
        assert_eq!(read("  \r\n"), None);
        // Raw bytes inside an encoded word are in its charset, outside they are guessed.
        let bytes = |value: &[u8]| subject(value, &mut Findings::default());
        assert_eq!(bytes(b"=?iso-8859-2?Q?\xb1?= \xc3\xa9").as_deref(), Some("ą é"));
        assert_eq!(bytes(b"caf\xe9").as_deref(), Some("café"));
    }
}
