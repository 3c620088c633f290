//! Reading values of a form, each with its place.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::message::{Bytes, Input, MediaSource, RawJson, RawJsonError, Text};
use briefing_json::{Kind, Path, Value, present, without_lone_surrogates};

use crate::change::{ReadChange, ReadFinding};
use crate::error::{FormError, FormFault};
use crate::opaque::stored;

pub(crate) type Read<T> = Result<T, FormError>;

/// What is said of a place that cannot be read.
pub(crate) trait Fails {
    fn missing(&self, key: &'static str) -> FormError;
    fn wanted(&self, wanted: &'static str, found: Value<'_>) -> FormError;
}

impl Fails for Path<'_> {
    fn missing(&self, key: &'static str) -> FormError {
        FormError { place: self.pointer(), fault: FormFault::Missing { key } }
    }

    fn wanted(&self, wanted: &'static str, found: Value<'_>) -> FormError {
        FormError { place: self.pointer(), fault: FormFault::Wanted { wanted, found: found.kind() } }
    }
}

/// Reads values and collects what is to be told of them.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    findings: Vec<ReadFinding>,
    /// The findings of fields that were left out, by name.
    fields: HashMap<String, usize>,
}

impl Reader {
    pub(crate) fn into_findings(self) -> Vec<ReadFinding> {
        self.findings
    }

    pub(crate) fn note(&mut self, at: &Path<'_>, change: ReadChange) {
        self.findings.push(ReadFinding { place: at.pointer(), change });
    }

    /// Tells of the members that are not known, each name once.
    pub(crate) fn unknown(&mut self, object: Value<'_>, known: &[&str], at: &Path<'_>) {
        for (name, value) in object.entries() {
            if !known.contains(&name.as_ref()) && !is_nothing(value) {
                self.left_out(&name, at);
            }
        }
    }

    /// Tells of a member that has no place.
    pub(crate) fn left_out(&mut self, name: &str, at: &Path<'_>) {
        let told = self.fields.get(name).and_then(|index| self.findings.get_mut(*index));
        if let Some(ReadFinding { change: ReadChange::FieldLeftOut { times, .. }, .. }) = told {
            *times += 1;
            return;
        }
        self.fields.insert(name.to_owned(), self.findings.len());
        self.note(&at.key(name), ReadChange::FieldLeftOut { name: name.to_owned(), times: 1 });
    }

    /// A string's text.
    pub(crate) fn text(&mut self, value: Value<'_>, at: &Path<'_>) -> Read<String> {
        let text = value.as_str().ok_or_else(|| at.wanted("a string", value))?;
        if value.has_lone_surrogate() {
            self.note(at, ReadChange::LoneSurrogate);
        }
        Ok(text.into_owned())
    }

    /// The member as text; none if it is absent or null.
    pub(crate) fn member(&mut self, object: Value<'_>, key: &str, at: &Path<'_>) -> Read<Option<String>> {
        present(object, key).map(|value| self.text(value, &at.key(key))).transpose()
    }

    /// The member as text; empty if it is absent.
    pub(crate) fn member_or_empty(&mut self, object: Value<'_>, key: &str, at: &Path<'_>) -> Read<String> {
        Ok(self.member(object, key, at)?.unwrap_or_default())
    }

    /// The value byte for byte, but for lone surrogates; none if it nests too deep.
    pub(crate) fn raw(&mut self, value: Value<'_>, at: &Path<'_>) -> Option<RawJson> {
        let raw = match RawJson::new(value.raw()) {
            Err(RawJsonError::LoneSurrogate) => {
                self.note(at, ReadChange::LoneSurrogate);
                without_lone_surrogates(value.raw()).and_then(|mended| RawJson::new(mended).ok())
            }
            raw => raw.ok(),
        };
        if raw.is_none() {
            self.note(at, ReadChange::TooDeep);
        }
        raw
    }

    /// A call's arguments: an object as JSON, a text as the model wrote it.
    pub(crate) fn input(&mut self, value: Option<Value<'_>>, at: &Path<'_>) -> Read<Input> {
        Ok(match value {
            None => Input::new(""),
            Some(value) if value.kind() == Kind::String => Input::new(self.text(value, at)?),
            Some(value) => Input::new(self.json(value, at)),
        })
    }

    /// The value's JSON text, without lone surrogates.
    pub(crate) fn json(&mut self, value: Value<'_>, at: &Path<'_>) -> String {
        let Some(mended) = without_lone_surrogates(value.raw()) else { return value.raw().to_owned() };
        self.note(at, ReadChange::LoneSurrogate);
        mended
    }

    /// The block's type.
    pub(crate) fn kind(&mut self, block: Value<'_>, at: &Path<'_>) -> Read<String> {
        object(block, at)?;
        self.member(block, "type", at)?.ok_or_else(|| at.missing("type"))
    }

    /// The elements of content that is a string, an array or nothing; a string is one text.
    pub(crate) fn content<T>(
        &mut self,
        content: Option<Value<'_>>,
        at: &Path<'_>,
        plain: fn(Text) -> T,
        mut part: impl FnMut(&mut Self, Value<'_>, &Path<'_>, &mut Vec<T>) -> Read<()>,
    ) -> Read<Vec<T>> {
        let mut out = Vec::new();
        let Some(content) = content else { return Ok(out) };
        match content.kind() {
            Kind::String => out.push(plain(Text::new(self.text(content, at)?))),
            Kind::Array => {
                for (index, value) in content.items().enumerate() {
                    let at = at.index(index);
                    match value.kind() {
                        Kind::String => out.push(plain(Text::new(self.text(value, &at)?))),
                        _ => part(self, object(value, &at)?, &at, &mut out)?,
                    }
                }
            }
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => {
                return Err(at.wanted("a string or an array of parts", content));
            }
        }
        Ok(out)
    }
}

/// The value, if it is an object.
pub(crate) fn object<'d>(value: Value<'d>, at: &Path<'_>) -> Read<Value<'d>> {
    if value.kind() == Kind::Object { Ok(value) } else { Err(at.wanted("an object", value)) }
}

/// The member, if it is a string.
pub(crate) fn str_of(object: Value<'_>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(|text| text.into_owned())
}

/// Whether it says nothing: null, or an empty text, list or object.
pub(crate) fn is_nothing(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::True | Kind::False | Kind::Number => false,
        Kind::String => value.raw() == "\"\"",
        Kind::Array => value.items().next().is_none(),
        Kind::Object => value.entries().next().is_none(),
    }
}

/// A `data:` URI of Base64 data, a file in Gemini's store, or any other address; none for a `data:` URI of something else.
pub(crate) fn address(url: &str) -> Option<(MediaSource, Arc<str>)> {
    let Some(uri) = url.strip_prefix("data:") else {
        let source = if MediaSource::is_stored_at_gemini(url) { stored(url) } else { MediaSource::Url(url.into()) };
        return Some((source, Arc::from("")));
    };
    let (media_type, data) = uri.split_once(";base64,")?;
    Some((MediaSource::Data(base64(data)), media_type.into()))
}

/// Base64 data without the line breaks that some writers put into it.
pub(crate) fn base64(data: &str) -> Bytes {
    Bytes::from_base64(if data.contains(['\r', '\n']) { data.replace(['\r', '\n'], "") } else { data.to_owned() })
}
