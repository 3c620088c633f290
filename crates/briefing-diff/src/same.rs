//! When two values are the same for a prompt, and what they read as.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use briefing_json::{Document, Kind, Value, quote};

/// Marks that say where a cache may end. They are no part of the prompt: Anthropic's, and OpenAI's since GPT-5.6.
const MARKS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];

/// Texts that only their provider reads, and that are no tokens of the prompt as they stand.
const OPAQUE: [&str; 4] = ["signature", "thoughtSignature", "thought_signature", "encrypted_content"];

/// Members that hold a file's bytes or its address.
const MEDIA: [&str; 6] = ["data", "file_data", "image_url", "url", "fileUri", "file_uri"];

/// Bytes of a file are longer than any other text in such a member.
const MEDIA_FROM: usize = 256;

pub(crate) fn is_mark(key: &str) -> bool {
    MARKS.contains(&key)
}

/// Whether a member of a block or message says nothing: a mark, or null, which stands for absent.
pub(crate) fn is_silent(key: &str, value: Value<'_>) -> bool {
    value.is_null() || is_mark(key)
}

/// Hashes with keys that no body can know, so that no two blocks can be made to look the same.
#[derive(Default)]
pub(crate) struct Prints(RandomState);

impl Prints {
    /// The print of a block: equal where the model reads the same. White space and escapes do not count, the order of keys does.
    pub(crate) fn block(&self, value: Value<'_>) -> u64 {
        let mut state = self.0.build_hasher();
        feed_block(value, &mut state);
        state.finish()
    }

    /// The print of a member of an object that is a block of its own: of its name and what it holds.
    pub(crate) fn member(&self, key: Value<'_>, value: Value<'_>) -> u64 {
        let mut state = self.0.build_hasher();
        b'M'.hash(&mut state);
        feed_text(&string(key), &mut state);
        feed(value, &mut state);
        state.finish()
    }

    /// The print of what a message has beside its blocks. Its order is the provider's, so that of its members does not count.
    pub(crate) fn head(&self, message: Value<'_>, is_block: impl Fn(&str) -> bool) -> u64 {
        let mut members: Vec<_> = message
            .entries()
            .filter(|(key, value)| !is_silent(key, *value) && !is_block(key))
            .filter(|(key, value)| key != "type" || value.as_str().as_deref() != Some("message"))
            .collect();
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut state = self.0.build_hasher();
        for (key, value) in members {
            key.hash(&mut state);
            feed(value, &mut state);
        }
        state.finish()
    }

    /// The print of a role alone, as of a message that has nothing else.
    pub(crate) fn role(&self, role: &str) -> u64 {
        let mut state = self.0.build_hasher();
        "role".hash(&mut state);
        feed_text(role, &mut state);
        state.finish()
    }

    /// The print of several prints in their order.
    pub(crate) fn of(&self, prints: impl Iterator<Item = u64>) -> u64 {
        let mut state = self.0.build_hasher();
        prints.for_each(|print| print.hash(&mut state));
        state.finish()
    }
}

fn feed_text(text: &str, state: &mut impl Hasher) {
    b'"'.hash(state);
    text.hash(state);
}

/// A lone surrogate has no text of its own, so what is written stands for it.
fn string(value: Value<'_>) -> Cow<'_, str> {
    if value.has_lone_surrogate() { Cow::Borrowed(value.raw()) } else { value.as_str().unwrap_or_default() }
}

fn feed(value: Value<'_>, state: &mut impl Hasher) {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number => value.raw().hash(state),
        Kind::String => feed_text(&string(value), state),
        Kind::Array => {
            b'['.hash(state);
            value.items().for_each(|item| feed(item, state));
            b']'.hash(state);
        }
        Kind::Object => {
            b'{'.hash(state);
            for (key, member) in value.members() {
                feed_text(&string(key), state);
                feed(member, state);
            }
            b'}'.hash(state);
        }
    }
}

fn feed_block(value: Value<'_>, state: &mut impl Hasher) {
    if let Some(text) = plain_text(value) {
        b'T'.hash(state);
        return feed_text(&string(text), state);
    }
    if value.kind() != Kind::Object {
        return feed(value, state);
    }
    b'B'.hash(state);
    for (key, member) in value.members() {
        let name = string(key);
        if is_silent(&name, member) {
            continue;
        }
        feed_text(&name, state);
        // The blocks of an outcome: a string is shorthand for one text block there.
        if name == "content" {
            b'['.hash(state);
            blocks(member).for_each(|block| feed_block(block, state));
            b']'.hash(state);
        } else {
            feed(member, state);
        }
    }
    b'E'.hash(state);
}

/// The blocks of a content: the elements of a list; anything else is one block.
pub(crate) fn blocks<'d>(content: Value<'d>) -> impl Iterator<Item = Value<'d>> {
    let alone = (content.kind() != Kind::Array).then_some(content);
    content.items().chain(alone)
}

/// The text of a block that is nothing but text, as the string that holds it.
pub(crate) fn plain_text(block: Value<'_>) -> Option<Value<'_>> {
    if block.kind() == Kind::String {
        return Some(block);
    }
    let mut text = None;
    for (key, value) in block.entries() {
        match key.as_ref() {
            "text" if value.kind() == Kind::String => text = Some(value),
            "type" if matches!(value.as_str().as_deref(), Some("text" | "input_text" | "output_text")) => {}
            key if is_silent(key, value) => {}
            _ => return None,
        }
    }
    text
}

/// Whether two values differ in nothing but the order of keys. Arguments that are JSON in a string count as the JSON they are.
pub(crate) fn differ_in_order_alone(a: Value<'_>, b: Value<'_>) -> bool {
    sorted(a) == sorted(b)
}

fn sorted(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    write_sorted(value, &mut out, true);
    out
}

fn write_sorted(value: Value<'_>, out: &mut Vec<u8>, outermost: bool) {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number => out.extend_from_slice(value.raw().as_bytes()),
        Kind::String => quote(&string(value), out),
        Kind::Array => {
            out.push(b'[');
            for item in value.items() {
                write_sorted(item, out, outermost);
                out.push(b',');
            }
            out.push(b']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value.entries().filter(|(key, member)| !(outermost && is_silent(key, *member))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            out.push(b'{');
            for (key, member) in members {
                quote(&key, out);
                out.push(b':');
                match (key.as_ref(), member.as_str()) {
                    ("arguments", Some(text)) => write_arguments(&text, out),
                    _ => write_sorted(member, out, outermost && key == "content"),
                }
                out.push(b',');
            }
            out.push(b'}');
        }
    }
}

fn write_arguments(text: &str, out: &mut Vec<u8>) {
    match Document::parse(text) {
        Ok(document) => write_sorted(document.root(), out, false),
        Err(_) => quote(text, out),
    }
}

/// What a block reads as, for counting: its text, or its JSON without white space, marks, opaque texts and the bytes of files.
pub(crate) struct Reading<'d> {
    pub(crate) text: Cow<'d, str>,
    /// How many files are in it.
    pub(crate) files: u64,
}

pub(crate) fn reading<'d>(value: Value<'d>, skip: impl Fn(&str) -> bool) -> Reading<'d> {
    if let Some(text) = plain_text(value) {
        return Reading { text: string(text), files: 0 };
    }
    let mut writer = Writer { out: Vec::new(), files: 0 };
    writer.value(value, &skip);
    Reading { text: Cow::Owned(String::from_utf8(writer.out).unwrap_or_default()), files: writer.files }
}

struct Writer {
    out: Vec<u8>,
    files: u64,
}

impl Writer {
    fn value(&mut self, value: Value<'_>, skip: &dyn Fn(&str) -> bool) {
        match value.kind() {
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {
                self.out.extend_from_slice(value.raw().as_bytes());
            }
            Kind::Array => {
                self.out.push(b'[');
                for (index, item) in value.items().enumerate() {
                    self.comma(index);
                    self.value(item, &|_| false);
                }
                self.out.push(b']');
            }
            Kind::Object => self.object(value, skip),
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(b',');
        }
    }

    fn object(&mut self, value: Value<'_>, skip: &dyn Fn(&str) -> bool) {
        self.out.push(b'{');
        let mut written = 0;
        for (key, member) in value.entries() {
            if skip(&key) || is_silent(&key, member) || OPAQUE.contains(&key.as_ref()) {
                continue;
            }
            if member.kind() == Kind::String && MEDIA.contains(&key.as_ref()) && is_file(member) {
                self.files += 1;
                continue;
            }
            self.comma(written);
            written += 1;
            quote(&key, &mut self.out);
            self.out.push(b':');
            self.value(member, &|_| false);
        }
        self.out.push(b'}');
    }
}

fn is_file(member: Value<'_>) -> bool {
    member.raw().len() > MEDIA_FROM || member.raw().starts_with("\"data:")
}

/// All texts in a value, a line each.
pub(crate) fn texts(value: Value<'_>) -> String {
    let mut out = String::new();
    gather(value, &mut out);
    out
}

fn gather(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number => {}
        Kind::String => {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&string(value));
        }
        Kind::Array => value.items().for_each(|item| gather(item, out)),
        Kind::Object => value
            .entries()
            .filter(|(key, member)| !is_silent(key, *member) && key != "type")
            .for_each(|(_, member)| gather(member, out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints(texts: &[&str]) -> Vec<u64> {
        let prints = Prints::default();
        texts.iter().map(|text| prints.block(Document::parse(text).unwrap().root())).collect()
    }

    #[test]
    fn what_reads_the_same_has_one_print() {
        let same = prints(&[
            r#""a\u00e9""#,
            r#"{"type": "text", "text": "aé"}"#,
            r#"{"text":"aé","type":"input_text","cache_control":{"type":"ephemeral"},"citations":null}"#,
        ]);
        assert!(same.iter().all(|print| *print == same[0]));
        let outcome = prints(&[
            r#"{"type":"tool_result","tool_use_id":"t","content":"a"}"#,
            r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a","cache_control":{}}]}"#,
        ]);
        assert_eq!(outcome[0], outcome[1]);
    }

    #[test]
    fn what_reads_otherwise_has_another_print() {
        let all = prints(&[
            r#"{"type":"tool_use","input":{"a":1,"b":2}}"#,
            r#"{"type":"tool_use","input":{"b":2,"a":1}}"#,
            r#"{"type":"tool_use","input":{"a":1,"b":2,"cache_control":1}}"#,
            r#"{"type":"tool_use","input":{"a":1.0,"b":2}}"#,
            r#"{"type":"tool_use","input":{"a":1,"b":null}}"#,
            r#""\ud800""#,
            r#""\ud801""#,
            r#"["a","b"]"#,
            r#"["ab"]"#,
        ]);
        for (index, one) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(one), "{index}");
        }
    }

    #[test]
    fn arguments_are_compared_as_the_json_they_hold() {
        let parse = |text: &'static str| Box::leak(Box::new(Document::parse(text).unwrap())).root();
        let one = parse(r#"{"function":{"arguments":"{\"a\":1,\"b\":2}","name":"f"}}"#);
        let other = parse(r#"{"function":{"name":"f","arguments":"{\"b\": 2, \"a\": 1}"}}"#);
        assert!(differ_in_order_alone(one, other));
        assert!(!differ_in_order_alone(one, parse(r#"{"function":{"name":"f","arguments":"{\"b\": 2}"}}"#)));
    }
}
