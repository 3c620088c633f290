//! How the files of one message read: together within a number of characters, in even shares.
//!
//! Measured first and written after, so that no text longer than its share is ever copied.

use std::borrow::Cow;

use crate::phrases::untagged;
use crate::text::{one_line, prefix};
use crate::texts::{
    CHAT_FILE_CUT, CHAT_FILE_PARTIAL, CHAT_FILE_UNNAMED, chat_file, chat_file_not_shown, chat_files_not_named, chat_picture,
};
use crate::view::chat::{ChatFile, FileContent};

/// How many characters of a name are told.
const NAME_CHARS: usize = 120;

/// How many characters of a name are told at least, before files are not named at all.
const NAME_CHARS_LEAST: usize = 8;

/// What stands between a message's text and its files, and between two files.
const BLANK_LINE: &str = "\n\n";

/// A person's message with its files, as a model reads it. The text stands as it is. The files together, with their labels,
/// the blank lines before them and their closing lines, have at most `limit` characters (Unicode scalar values), so the whole
/// has at most that many more than `text`. Files that are not ready are left out; whose they are is not looked at.
///
/// Files share the limit evenly, and what a short one leaves goes to the others. A text that holds less than its file, or was
/// cut to its share, ends with one line that says so. A picture is a line with its name. A share that holds no text, or not
/// both its label and that line, leaves one line, `[not shown: NAME]`; a limit that does not hold these lines either shortens
/// the names, down to eight characters, then names as many files as fit, the first ones, and counts the rest in a line
/// `[not shown: N more]`; where that does not fit either, nothing is told of them.
///
/// ```
/// use briefing::view::chat::{ChatFile, FileContent, user_content};
///
/// let file = |name: &str, text: &str| ChatFile {
///     message: "m1".into(),
///     filename: name.to_owned(),
///     ready: true,
///     content: FileContent::Text { text: text.to_owned(), partial: false },
/// };
/// let files = [file("a.txt", &"a".repeat(500)), file("b.txt", "all of b")];
/// assert_eq!(
///     user_content("See these.", &files, 100),
///     "See these.\n\n\
///      [file: a.txt]\naaaaaaaaaaa\n[cut: only the first part of this file is shown]\n\n\
///      [file: b.txt]\nall of b",
/// );
/// assert_eq!(user_content("", &files[..1], 20), "[not shown: a.txt]");
/// ```
#[must_use]
pub fn user_content<'a>(text: &str, attachments: impl IntoIterator<Item = &'a ChatFile>, limit: usize) -> String {
    let ready = attachments.into_iter().filter(|file| file.ready);
    let files: Vec<File<'_>> = ready.map(File::from).collect();
    with_files(text, &files, limit)
}

/// A file that is ready, wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File<'a> {
    /// Its name, as it came.
    pub(crate) name: &'a str,
    /// What was read of it.
    pub(crate) content: Content<'a>,
}

/// What was read of a file: see [`FileContent`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    Text { text: &'a str, partial: bool },
    Picture,
}

impl<'a> From<&'a ChatFile> for File<'a> {
    fn from(file: &'a ChatFile) -> Self {
        let content = match &file.content {
            FileContent::Text { text, partial } => Content::Text { text, partial: *partial },
            FileContent::Picture => Content::Picture,
        };
        Self { name: &file.filename, content }
    }
}

/// [`user_content`] over files that are all ready.
pub(crate) fn with_files(text: &str, files: &[File<'_>], limit: usize) -> String {
    let mut out = text.to_owned();
    let gap = if text.is_empty() { 0 } else { BLANK_LINE.len() };
    let files: Vec<Measured<'_>> = files.iter().map(|file| Measured::new(*file, limit)).collect();
    let Some(plan) = Plan::new(&files, gap, limit) else { return out };
    let mut push = |block: &str| {
        if !out.is_empty() {
            out.push_str(BLANK_LINE);
        }
        out.push_str(block);
    };
    files.iter().take(plan.told).for_each(|file| push(&file.block(plan.share, plan.name)));
    if plan.told < files.len() {
        push(&chat_files_not_named(files.len() - plan.told));
    }
    out
}

/// What each file gets.
struct Plan {
    /// How many are told, the first ones; of the rest only the number is.
    told: usize,
    /// How many characters of a name.
    name: usize,
    /// How many characters the block of a file has at most, unless its shortest form has more.
    share: usize,
}

impl Plan {
    /// The largest even share with which everything fits, with names as long as they may be; none if nothing fits, or if there
    /// is nothing.
    fn new(files: &[Measured<'_>], gap: usize, limit: usize) -> Option<Self> {
        let gaps = gap + BLANK_LINE.len() * files.len().checked_sub(1)?;
        let fits = |share: usize, name: usize| {
            files.iter().map(|file| file.size(share, name)).fold(gaps, usize::saturating_add) <= limit
        };
        if let Some(name) = greatest(NAME_CHARS_LEAST, NAME_CHARS, |name| fits(0, name)) {
            let longest = files.iter().map(|file| file.whole(name)).max().unwrap_or(0);
            let share = greatest(0, longest, |share| fits(share, name)).unwrap_or(0);
            return Some(Self { told: files.len(), name, share });
        }
        let mut used = gap;
        let mut told = None;
        for (count, file) in files.iter().enumerate() {
            let rest = chat_files_not_named(files.len() - count).chars().count();
            if used.saturating_add(rest) <= limit {
                told = Some(count);
            }
            used = used.saturating_add(file.size(0, NAME_CHARS_LEAST)).saturating_add(BLANK_LINE.len());
        }
        Some(Self { told: told?, name: NAME_CHARS_LEAST, share: 0 })
    }
}

/// The greatest number in a range for which something holds that, once it does not hold, holds for none that is greater.
fn greatest(least: usize, most: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    if !holds(least) {
        return None;
    }
    if holds(most) {
        return Some(most);
    }
    let (mut yes, mut no) = (least, most);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    Some(yes)
}

/// The number of characters, or `most` if there are more. Bytes are counted at once, so this reads no more than can be needed.
fn chars_up_to(text: &str, most: usize) -> usize {
    let end = text.floor_char_boundary(most.saturating_mul(4));
    text.get(..end).unwrap_or(text).chars().count().min(most)
}

/// A file with the lengths that its block is made of.
struct Measured<'a> {
    name: Cow<'a, str>,
    name_chars: usize,
    content: Content<'a>,
    /// Of the text: of one longer than the limit, one more than the limit.
    text_chars: usize,
}

impl<'a> Measured<'a> {
    fn new(file: File<'a>, limit: usize) -> Self {
        let name = match one_line(file.name, NAME_CHARS) {
            Cow::Borrowed(name) => untagged(name.trim()),
            Cow::Owned(name) => Cow::Owned(untagged(name.trim()).into_owned()),
        };
        let name = if name.is_empty() { Cow::Borrowed(CHAT_FILE_UNNAMED) } else { name };
        let text_chars = match file.content {
            Content::Text { text, .. } => chars_up_to(text, limit.saturating_add(1)),
            Content::Picture => 0,
        };
        Self { name_chars: name.chars().count(), name, content: file.content, text_chars }
    }

    /// How many characters a line has that names the file.
    fn line(&self, line: fn(&str) -> String, name: usize) -> usize {
        line("").len() + self.name_chars.min(name)
    }

    /// How many characters the block has with nothing left out.
    fn whole(&self, name: usize) -> usize {
        let Content::Text { partial, .. } = self.content else { return self.line(chat_picture, name) };
        let text = if self.text_chars == 0 { 0 } else { self.text_chars.saturating_add(1) };
        let closing = if partial { 1 + CHAT_FILE_PARTIAL.len() } else { 0 };
        self.line(chat_file, name).saturating_add(text).saturating_add(closing)
    }

    /// How many characters of the text stand in a block that is cut to `share`: none if the share has not the room for the
    /// label, one character and the closing line.
    fn room(&self, share: usize, name: usize) -> usize {
        share.saturating_sub(self.line(chat_file, name) + CHAT_FILE_CUT.len() + 2)
    }

    /// How many characters the block has. It never falls as the share or the name grows.
    fn size(&self, share: usize, name: usize) -> usize {
        let whole = self.whole(name);
        if whole <= share {
            whole
        } else if self.cut(share, name) {
            share
        } else {
            self.shortest(name)
        }
    }

    fn cut(&self, share: usize, name: usize) -> bool {
        matches!(self.content, Content::Text { .. }) && self.room(share, name) > 0
    }

    /// How many characters the block has at least: nothing left out, or the line that says that nothing is shown.
    fn shortest(&self, name: usize) -> usize {
        match self.content {
            Content::Text { .. } => self.whole(name).min(self.line(chat_file_not_shown, name)),
            Content::Picture => self.whole(name),
        }
    }

    fn block(&self, share: usize, chars: usize) -> String {
        let name = prefix(&self.name, chars);
        let Content::Text { text, partial } = self.content else { return chat_picture(name) };
        let whole = self.whole(chars);
        let (text, closing) = if whole <= share || whole <= self.shortest(chars) {
            (text, partial.then_some(CHAT_FILE_PARTIAL))
        } else if self.cut(share, chars) {
            (prefix(text, self.room(share, chars)), Some(CHAT_FILE_CUT))
        } else {
            return chat_file_not_shown(name);
        };
        let mut block = chat_file(name);
        for piece in [untagged(text).as_ref(), closing.unwrap_or_default()] {
            if !piece.is_empty() {
                block.push('\n');
                block.push_str(piece);
            }
        }
        block
    }
}
