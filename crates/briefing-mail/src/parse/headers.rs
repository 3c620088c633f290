//! Splits a header block into fields (RFC 5322, 2.2). Values keep their folds; nothing is decoded.

use super::limits::MAX_REPEATS;

/// The fields of one header block that are read. Of a field that may stand once, the first counts.
#[derive(Debug, Default)]
pub(super) struct Headers<'a> {
    pub(super) from: Option<&'a [u8]>,
    pub(super) to: Vec<&'a [u8]>,
    pub(super) cc: Vec<&'a [u8]>,
    pub(super) subject: Option<&'a [u8]>,
    pub(super) date: Option<&'a [u8]>,
    pub(super) message_id: Option<&'a [u8]>,
    pub(super) in_reply_to: Option<&'a [u8]>,
    pub(super) references: Option<&'a [u8]>,
    pub(super) content_type: Option<&'a [u8]>,
    pub(super) content_disposition: Option<&'a [u8]>,
    pub(super) content_id: Option<&'a [u8]>,
    pub(super) transfer_encoding: Option<&'a [u8]>,
    /// How many fields there are, known or not.
    pub(super) fields: usize,
    /// How many lines were passed over.
    pub(super) bad_lines: usize,
}

/// Reads the header block at the start; gives where the body begins.
///
/// A line that is no field is passed over if a field follows it. If none does, the body begins there: its blank line was
/// lost, and no text may be. A line that `stops` ends the block and is not part of it.
pub(super) fn read(raw: &[u8], stops: impl Fn(&[u8]) -> bool) -> (Headers<'_>, usize) {
    let mut headers = Headers::default();
    let mut pos = 0;
    let mut stray: Option<usize> = None;
    let mut stray_lines = 0;
    while let Some(end) = line_end(raw, pos) {
        let line = raw.get(pos..end).unwrap_or_default();
        if is_blank(line) {
            return (headers, stray.unwrap_or(end));
        }
        if stops(line) {
            return (headers, stray.unwrap_or(pos));
        }
        match colon(line) {
            Some(colon) => {
                let value_end = unfold(raw, end);
                headers.put(line.get(..colon).unwrap_or_default(), raw.get(pos + colon + 1..value_end).unwrap_or_default());
                headers.bad_lines += stray_lines;
                (stray, stray_lines) = (None, 0);
                pos = value_end;
            }
            None => {
                stray.get_or_insert(pos);
                stray_lines += 1;
                pos = end;
            }
        }
    }
    (headers, stray.unwrap_or(raw.len()))
}

/// Where the line at `pos` ends, its line feed included. None at the end.
pub(crate) fn line_end(raw: &[u8], pos: usize) -> Option<usize> {
    let rest = raw.get(pos..).filter(|rest| !rest.is_empty())?;
    Some(rest.iter().position(|&byte| byte == b'\n').map_or(raw.len(), |at| pos + at + 1))
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n" | b"\r")
}

/// Where the colon stands, if the line is a header field.
pub(crate) fn colon(line: &[u8]) -> Option<usize> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let name = line.get(..colon)?.trim_ascii_end();
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(colon)
}

/// Where the field ends: behind the lines that begin with a blank.
fn unfold(raw: &[u8], mut end: usize) -> usize {
    while let Some(b' ' | b'\t') = raw.get(end) {
        match line_end(raw, end) {
            Some(next) if !is_blank(raw.get(end..next).unwrap_or_default()) => end = next,
            _ => break,
        }
    }
    end
}

impl<'a> Headers<'a> {
    fn put(&mut self, name: &[u8], value: &'a [u8]) {
        self.fields += 1;
        let slot = match name.trim_ascii_end().to_ascii_lowercase().as_slice() {
            b"to" => return put_repeat(&mut self.to, value),
            b"cc" => return put_repeat(&mut self.cc, value),
            b"from" => &mut self.from,
            b"subject" => &mut self.subject,
            b"date" => &mut self.date,
            b"message-id" => &mut self.message_id,
            b"in-reply-to" => &mut self.in_reply_to,
            b"references" => &mut self.references,
            b"content-type" => &mut self.content_type,
            b"content-disposition" => &mut self.content_disposition,
            b"content-id" => &mut self.content_id,
            b"content-transfer-encoding" => &mut self.transfer_encoding,
            _ => return,
        };
        slot.get_or_insert(value);
    }
}

fn put_repeat<'a>(list: &mut Vec<&'a [u8]>, value: &'a [u8]) {
    if list.len() < MAX_REPEATS {
        list.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn subject_and_body(raw: &str) -> (Option<&str>, &str, usize) {
        let (headers, body) = read(raw.as_bytes(), |_| false);
        (headers.subject.map(|value| std::str::from_utf8(value).unwrap()), &raw[body..], headers.bad_lines)
    }

    #[test]
    fn folds_stay_and_the_blank_line_ends() {
        assert_eq!(subject_and_body("Subject: a\r\n b\r\nX: y\r\n\r\nbody"), (Some(" a\r\n b\r\n"), "body", 0));
    }

    #[test]
    fn a_stray_line_before_a_field_is_passed_over() {
        assert_eq!(subject_and_body("Subject: a\nstray line\nX: y\n\nbody"), (Some(" a\n"), "body", 1));
    }

    #[test]
    fn a_lost_blank_line_loses_no_text() {
        assert_eq!(subject_and_body("Subject: a\nDear Ann,\n\nbody"), (Some(" a\n"), "Dear Ann,\n\nbody", 0));
        assert_eq!(subject_and_body("just text"), (None, "just text", 0));
    }

    #[test]
    fn the_first_counts() {
        assert_eq!(subject_and_body("subject : a\nSUBJECT: b"), (Some(" a\n"), "", 0));
    }
}
