//! What a turn is told of the turns before it.

use std::collections::{HashMap, HashSet};

use crate::phrases::{CardState, Language, phrase};
use crate::view::chat::files::{File, with_files};
use crate::view::chat::{CardId, ChatEntry, ChatFile, ChatMessage, ChatMessageId};

/// By default the files of one message have the limit divided by this.
const FILE_SHARE_DIVISOR: usize = 2;

/// How many messages before a card or a notice are looked through for a notice that should not stand there.
const LOOK_BACK: usize = 1_000;

/// The history of a chat within a number of characters (Unicode scalar values): what the person wrote with the text of their
/// files, the final answers, and of each card how it ended, or that it waits. Calls, outcomes and other notices are left out.
///
/// ```
/// use briefing::view::chat::{ChatEntry, ChatHistory, ChatMessage};
///
/// let messages = [
///     ChatMessage::User { id: Some("m1".into()), text: "Raise the order.".to_owned() },
///     ChatMessage::Card { card: 3.into(), action: "update_order".to_owned() },
///     ChatMessage::Assistant { text: "Please confirm.".to_owned(), is_final: true },
/// ];
/// let told = ChatHistory::new(1_000).build(&messages, &[], ChatEntry::user("Well?"));
/// let wanted = [
///     ChatEntry::user("Raise the order."),
///     ChatEntry::user("[confirmation] waiting: update_order"),
///     ChatEntry::assistant("Please confirm."),
///     ChatEntry::user("Well?"),
/// ];
/// assert_eq!(told, wanted);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatHistory {
    limit: usize,
    file_share: Option<usize>,
    language: Language,
}

impl ChatHistory {
    /// A history in which all messages together, the current one included, have at most `limit` characters. Half of them may be
    /// the files of one message; phrases are in English.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, file_share: None, language: Language::English }
    }

    /// How many characters the files of one message may have together, in place of half of the limit.
    #[must_use]
    pub const fn file_share(mut self, chars: usize) -> Self {
        self.file_share = Some(chars);
        self
    }

    /// The language of the phrases that tell what became of a card.
    #[must_use]
    pub const fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// A message of the person with its files, as [`build`](Self::build) will read it once it is past: what to give as the
    /// current one. Files that are not ready are left out; whose they are is not looked at.
    #[must_use]
    pub fn user_entry<'a>(&self, text: &str, files: impl IntoIterator<Item = &'a ChatFile>) -> ChatEntry {
        ChatEntry::user(super::user_content(text, files, self.files_of_one()))
    }

    /// What the model is told: of `messages`, which stand oldest first, the newest as far as the limit reaches, and `current`.
    /// The first that does not fit ends the walk, and what lies before it is not looked at; `current` is always told, whole.
    ///
    /// - A notice is told where it stands and its card is not; of several notices of a card only the first is told.
    /// - A message without text and without a ready file is not told, nor is a card without an action or a notice with an
    ///   outcome that nobody knows (its card does not wait, either).
    /// - For a card without a notice behind it, and for a notice whose card is missing, the 1,000 messages before it are looked
    ///   through for a notice that stands too early. Else nothing costs more in a longer chat, but the walk over messages that
    ///   are never told; all `attachments` are looked at once.
    #[must_use]
    pub fn build(&self, messages: &[ChatMessage], attachments: &[ChatFile], current: ChatEntry) -> Vec<ChatEntry> {
        let mut used = current.content.chars().count();
        let mut told = vec![current];
        if used >= self.limit {
            return told;
        }
        let files = by_message(attachments);
        let mut pairs = Pairs::new(messages);
        for (at, message) in messages.iter().enumerate().rev() {
            let Some(entry) = self.entry(at, message, &files, &mut pairs) else { continue };
            used = used.saturating_add(entry.content.chars().count());
            if used > self.limit {
                break;
            }
            told.push(entry);
        }
        told.reverse();
        told
    }

    fn entry<'a>(
        &self,
        at: usize,
        message: &'a ChatMessage,
        files: &HashMap<&ChatMessageId, Vec<File<'_>>>,
        pairs: &mut Pairs<'a>,
    ) -> Option<ChatEntry> {
        let entry = match message {
            ChatMessage::User { id, text } => {
                let files = id.as_ref().and_then(|id| files.get(id)).map_or(&[][..], Vec::as_slice);
                ChatEntry::user(with_files(text, files, self.files_of_one()))
            }
            ChatMessage::Assistant { text, is_final: true } => ChatEntry::assistant(text.as_str()),
            ChatMessage::Card { card, action } if !pairs.settled(at, card) => {
                ChatEntry::user(phrase(CardState::Waiting, action, self.language)?)
            }
            ChatMessage::CardNotice { card, action, outcome } if pairs.first(at, card) => {
                ChatEntry::user(phrase(CardState::named(outcome)?, action, self.language)?)
            }
            ChatMessage::Assistant { is_final: false, .. }
            | ChatMessage::ToolCall { .. }
            | ChatMessage::ToolResult { .. }
            | ChatMessage::Card { .. }
            | ChatMessage::CardNotice { .. }
            | ChatMessage::Notice { .. } => return None,
        };
        (!entry.content.is_empty()).then_some(entry)
    }

    const fn files_of_one(&self) -> usize {
        match self.file_share {
            Some(chars) => chars,
            None => self.limit / FILE_SHARE_DIVISOR,
        }
    }
}

/// [`ChatHistory::build`] with the files of one message sharing half of `limit`.
///
/// ```
/// use briefing::Language;
/// use briefing::view::chat::{ChatEntry, ChatMessage, build};
///
/// let done = ChatMessage::CardNotice { card: 3.into(), action: "send_mail".to_owned(), outcome: "done".to_owned() };
/// let told = build(&[done], &[], ChatEntry::user("Thanks!"), 1_000, Language::of("de-AT"));
/// assert_eq!(told, [ChatEntry::user("[confirmation] erledigt: send_mail"), ChatEntry::user("Thanks!")]);
/// ```
#[must_use]
pub fn build(
    messages: &[ChatMessage],
    attachments: &[ChatFile],
    current: ChatEntry,
    limit: usize,
    language: Language,
) -> Vec<ChatEntry> {
    ChatHistory::new(limit).language(language).build(messages, attachments, current)
}

/// The fixed phrase for what became of a card: `[confirmation] STATE: ACTION`, the state in the language of `locale` (see
/// [`Language::of`]), the tag the same in all of them. Outcomes are `waiting`, `done`, `cancelled`, `expired`, `data_changed` (or
/// `data-changed`), `failed` and `lost`; any other has no phrase, and neither has a blank action. The action is told on one line, with
/// at most 200 characters, and a tag in it is broken.
///
/// ```
/// use briefing::view::chat::confirmation_phrase;
///
/// assert_eq!(confirmation_phrase("data_changed", "pay", "en").unwrap(), "[confirmation] the data changed: pay");
/// assert_eq!(confirmation_phrase("done", "pay", "fr_CA").unwrap(), "[confirmation] effectué: pay");
/// assert_eq!(confirmation_phrase("deleted", "pay", "en"), None);
/// ```
#[must_use]
pub fn confirmation_phrase(outcome: &str, action: &str, locale: &str) -> Option<String> {
    phrase(CardState::named(outcome)?, action, Language::of(locale))
}

fn by_message(attachments: &[ChatFile]) -> HashMap<&ChatMessageId, Vec<File<'_>>> {
    let mut files: HashMap<_, Vec<_>> = HashMap::new();
    for file in attachments.iter().filter(|file| file.ready) {
        files.entry(&file.message).or_default().push(File::from(file));
    }
    files
}

/// Which notice is of which card, found out from the newest message back, and no further back than somebody asked.
struct Pairs<'a> {
    messages: &'a [ChatMessage],
    /// Where what has been read begins.
    read: usize,
    /// The cards of all notices read.
    noticed: HashSet<&'a CardId>,
    /// The oldest notice read of each card, until what stands before it is known.
    open: HashMap<&'a CardId, usize>,
    /// Notices with another before them and no card between.
    repeated: HashSet<usize>,
}

impl<'a> Pairs<'a> {
    fn new(messages: &'a [ChatMessage]) -> Self {
        Self { messages, read: messages.len(), noticed: HashSet::new(), open: HashMap::new(), repeated: HashSet::new() }
    }

    /// Whether the card at `at` has a notice.
    fn settled(&mut self, at: usize, card: &CardId) -> bool {
        while !self.noticed.contains(card) && self.read_on(at) {}
        self.noticed.contains(card)
    }

    /// Whether the notice at `at` is the first of its card.
    fn first(&mut self, at: usize, card: &CardId) -> bool {
        while (self.read > at || self.open.get(card) == Some(&at)) && self.read_on(at) {}
        !self.repeated.contains(&at)
    }

    /// Reads one message more, if that is not too far before `at`.
    fn read_on(&mut self, at: usize) -> bool {
        let Some(next) = self.read.checked_sub(1).filter(|next| next.saturating_add(LOOK_BACK) >= at) else { return false };
        self.read = next;
        match self.messages.get(next) {
            Some(ChatMessage::Card { card, .. }) => {
                self.open.remove(card);
            }
            Some(ChatMessage::CardNotice { card, .. }) => {
                self.noticed.insert(card);
                self.repeated.extend(self.open.insert(card, next));
            }
            _ => {}
        }
        true
    }
}
