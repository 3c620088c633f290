//! Reading values of a body, each with its place.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Bytes, Extra, Input, Media, MediaSource, Native, RawJson, RawJsonError, Text};
use briefing_json::{Kind, Path, Value, present, quote, without_lone_surrogates};

use super::error::{ParseChange, ParseError, ParseFault, ParseFinding};

pub(crate) type Read<T> = Result<T, ParseError>;

/// What is said of a place that cannot be read.
pub(crate) trait Fails {
    fn error(&self, fault: ParseFault) -> ParseError;
    fn wanted(&self, wanted: &'static str, found: Value<'_>) -> ParseError;
}

impl Fails for Path<'_> {
    fn error(&self, fault: ParseFault) -> ParseError {
        ParseError { place: self.pointer(), fault }
    }

    fn wanted(&self, wanted: &'static str, found: Value<'_>) -> ParseError {
        self.error(ParseFault::Wanted { wanted, found: found.kind() })
    }
}

/// An object inside another whose unknown fields are kept as one unknown field of the outer, by the inner's name.
pub(crate) struct Nest<'a> {
    pub(crate) name: &'static str,
    pub(crate) inner: Value<'a>,
    pub(crate) known: &'a [&'static str],
}

/// Reads the values of one wire's body.
#[derive(Debug)]
pub(crate) struct Reader {
    wire: Wire,
    findings: Vec<ParseFinding>,
}

impl Reader {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { wire, findings: Vec::new() }
    }

    pub(crate) fn wire(&self) -> Wire {
        self.wire
    }

    pub(crate) fn into_findings(self) -> Vec<ParseFinding> {
        self.findings
    }

    pub(crate) fn note(&mut self, at: &Path<'_>, change: ParseChange) {
        self.findings.push(ParseFinding { place: at.pointer(), change });
    }

    /// A string's text.
    pub(crate) fn text(&mut self, value: Value<'_>, at: &Path<'_>) -> Read<String> {
        let text = value.as_str().ok_or_else(|| at.wanted("a string", value))?;
        if value.has_lone_surrogate() {
            self.note(at, ParseChange::LoneSurrogate);
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
                self.note(at, ParseChange::LoneSurrogate);
                without_lone_surrogates(value.raw()).and_then(|mended| RawJson::new(mended).ok())
            }
            raw => raw.ok(),
        };
        if raw.is_none() {
            self.note(at, ParseChange::TooDeep);
        }
        raw
    }

    /// Arguments that are written as JSON.
    pub(crate) fn input(&mut self, value: Value<'_>, at: &Path<'_>) -> Input {
        match without_lone_surrogates(value.raw()) {
            Some(mended) => {
                self.note(at, ParseChange::LoneSurrogate);
                Input::new(mended)
            }
            None => Input::new(value.raw()),
        }
    }

    /// The fields that are not known, and those of an object inside.
    pub(crate) fn extra(&mut self, object: Value<'_>, known: &[&str], nest: Option<Nest<'_>>, at: &Path<'_>) -> Extra {
        let mut fields = self.unknown(object, known, at);
        if let Some(nest) = nest {
            let inner = self.unknown(nest.inner, nest.known, &at.key(nest.name));
            fields.extend(object_of(&inner).map(|raw| (Arc::from(nest.name), raw)));
        }
        Extra::new(self.wire, fields)
    }

    pub(crate) fn unknown(&mut self, object: Value<'_>, known: &[&str], at: &Path<'_>) -> Vec<(Arc<str>, RawJson)> {
        let mut fields = Vec::new();
        for (name, value) in object.entries().filter(|(name, _)| !known.contains(&name.as_ref())) {
            fields.extend(self.raw(value, &at.key(&name)).map(|raw| (Arc::from(name.as_ref()), raw)));
        }
        fields
    }

    /// Content that is a string, an array of parts, or nothing.
    pub(crate) fn content<T>(
        &mut self,
        holder: Value<'_>,
        key: &'static str,
        at: &Path<'_>,
        plain: fn(Text) -> T,
        part: fn(Value<'_>, &Path<'_>, &mut Self) -> Read<Option<T>>,
    ) -> Read<Vec<T>> {
        let Some(content) = present(holder, key) else { return Ok(Vec::new()) };
        let at = at.key(key);
        match content.kind() {
            Kind::String => Ok(vec![plain(Text::new(self.text(content, &at)?))]),
            Kind::Array => {
                let parts = content.items().enumerate().map(|(index, value)| part(value, &at.index(index), self));
                parts.filter_map(Result::transpose).collect()
            }
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => {
                let wanted = match self.wire {
                    Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini => "a string or an array of parts",
                    Wire::Anthropic => "a string or an array of blocks",
                };
                Err(at.wanted(wanted, content))
            }
        }
    }

    /// A block `{"type": "text", "text": …}`.
    pub(crate) fn text_block(&mut self, block: Value<'_>, at: &Path<'_>) -> Read<Text> {
        let text = self.member_or_empty(block, "text", at)?;
        Ok(Text { text, extra: self.extra(block, &["type", "text"], None, at) })
    }

    /// A block that only this wire understands; none if it nests too deep. What Anthropic calls `…_tool_result` needs the use
    /// of the tool that it names.
    pub(crate) fn native(&mut self, block: Value<'_>, kind: &str, at: &Path<'_>) -> Option<Native> {
        let raw = self.raw(block, at)?;
        let needs = block.get("tool_use_id").filter(|_| self.wire == Wire::Anthropic && kind.ends_with("_tool_result"));
        let needs = needs.and_then(Value::as_str).map(|id| Arc::from(id.as_ref()));
        Some(Native { wire: self.wire, kind: kind.into(), raw, reads_as: None, needs })
    }

    /// The block's type. Text is `text`, also where a client wrote what OpenAI Responses calls it.
    pub(crate) fn kind(&mut self, block: Value<'_>, at: &Path<'_>) -> Read<String> {
        object(block, at)?;
        let kind = self.member(block, "type", at)?.ok_or_else(|| at.error(ParseFault::Missing { key: "type" }))?;
        let text = || present(block, "text").is_some_and(|text| text.kind() == Kind::String);
        Ok(if matches!(kind.as_str(), "input_text" | "output_text") && text() { "text".to_owned() } else { kind })
    }

    /// The picture of a block as OpenAI Chat and Responses write it, `image_url` with an object or a string, on whichever wire a client
    /// wrote it; none for data that is no Base64.
    pub(crate) fn image_url(&mut self, block: Value<'_>, at: &Path<'_>) -> Option<Media> {
        let image = present(block, "image_url")?;
        let url = if image.kind() == Kind::String { image.as_str() } else { image.get("url")?.as_str() }?;
        let (source, media_type) = address(&url)?;
        let known = ["type", "image_url"];
        if self.wire == Wire::OpenAiChat {
            let nest = Nest { name: "image_url", inner: image, known: &["url"] };
            let extra = self.extra(block, &known, Some(nest), at);
            return Some(Media { source, media_type, filename: None, extra });
        }
        let mut left = self.unknown(block, &known, at);
        left.append(&mut self.unknown(image, &["url"], at));
        for (name, _) in left {
            self.note(at, ParseChange::FieldLeftOut { name: name.to_string() });
        }
        Some(Media { source, media_type, filename: None, extra: Extra::default() })
    }
}

/// The value, if it is an object.
pub(crate) fn object<'d>(value: Value<'d>, at: &Path<'_>) -> Read<Value<'d>> {
    if value.kind() == Kind::Object { Ok(value) } else { Err(at.wanted("an object", value)) }
}

/// The value, if it is an array.
pub(crate) fn array<'d>(value: Value<'d>, at: &Path<'_>) -> Read<Value<'d>> {
    if value.kind() == Kind::Array { Ok(value) } else { Err(at.wanted("an array", value)) }
}

/// Base64 data without the line breaks that some writers put into it.
pub(crate) fn base64(data: &str) -> Bytes {
    // Some clients write the whole `data:` URI where its data alone belongs.
    let data = data.strip_prefix("data:").and_then(|uri| uri.split_once(";base64,")).map_or(data, |(_, data)| data);
    Bytes::from_base64(if data.contains(['\r', '\n']) { data.replace(['\r', '\n'], "") } else { data.to_owned() })
}

/// A `data:` URI of Base64 data, or any other address; none for a `data:` URI of something else.
pub(crate) fn address(url: &str) -> Option<(MediaSource, Arc<str>)> {
    let Some(uri) = url.strip_prefix("data:") else { return Some((MediaSource::Url(url.into()), Arc::from(""))) };
    let (media_type, data) = uri.split_once(";base64,")?;
    Some((MediaSource::Data(base64(data)), media_type.into()))
}

/// The fields as one object; none if there are none.
pub(crate) fn object_of(fields: &[(Arc<str>, RawJson)]) -> Option<RawJson> {
    if fields.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for (name, raw) in fields {
        out.push(if out.is_empty() { b'{' } else { b',' });
        quote(name, &mut out);
        out.push(b':');
        out.extend_from_slice(raw.as_str().as_bytes());
    }
    out.push(b'}');
    RawJson::new(String::from_utf8(out).ok()?).ok()
}
