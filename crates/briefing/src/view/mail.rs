//! The mail view: the thread before now, as Protege's ThreadHistoryResolver tells it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::call::Call;
use crate::context::Context;
use crate::fit::{
    Bounds, Class, FileGate, FileReason, Limits, Line, Origin, Piece, Rule, Unvisited, WalkEnd, cut_outcome, sendable,
};
use crate::log::{Entry, Mail, RecordedRound};
use crate::message::{Bytes, EntryId, Extra, Media, ModelMessage, Part, Role, User};
use crate::ports::PortError;
use crate::resolver::Contribution;
use crate::view::{mail_role, mail_text};

/// Select, window, replay and render of the mail view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailView {
    limit: Option<usize>,
    include_tool_calls: bool,
    outcome_chars: usize,
    skip_limit: usize,
}

impl Default for MailView {
    fn default() -> Self {
        Self { limit: Some(50), include_tool_calls: true, outcome_chars: OUTCOME_CHARS, skip_limit: 10_000 }
    }
}

/// How many characters of an outcome are replayed, unless the view says otherwise.
pub(crate) const OUTCOME_CHARS: usize = 4_000;
/// How many mails are read at once.
const PAGE: usize = 500;

impl MailView {
    /// At most that many selected mails, blank ones included, tool rounds not; none = the whole thread; 0 = nothing.
    #[must_use]
    pub fn limit(mut self, mails: impl Into<Option<usize>>) -> Self {
        self.limit = mails.into();
        self
    }

    /// Whether tool use between mails is replayed; if not, it is not even read.
    #[must_use]
    pub fn include_tool_calls(mut self, include: bool) -> Self {
        self.include_tool_calls = include;
        self
    }

    /// The most characters of one outcome; 4,000 by default.
    #[must_use]
    pub fn outcome_chars(mut self, most: usize) -> Self {
        self.outcome_chars = most;
        self
    }

    /// How many mails may be passed over (drafts, failed ones) before the walk gives up with a finding; 10,000 by default.
    #[must_use]
    pub fn skip_limit(mut self, most: usize) -> Self {
        self.skip_limit = most;
        self
    }

    /// Reads the thread of the current message, up to it. A scheduled run has no thread: nothing.
    ///
    /// # Errors
    /// [`PortError`] if the history cannot be read.
    pub async fn read(&self, cx: &Context) -> Result<Contribution, PortError> {
        let mut out = Contribution::of(Class::History, Vec::new());
        let Some(current) = cx.message() else { return Ok(out) };
        let persona = cx.persona().address();
        let selected = self.select(cx, persona, current.thread(), current.entry(), &mut out).await?;
        let mut rounds: HashMap<EntryId, Vec<RecordedRound>> = HashMap::new();
        if self.include_tool_calls && !selected.is_empty() {
            let triggers: Vec<EntryId> = selected.iter().map(|(entry, _, _)| entry.id).collect();
            for round in cx.history().rounds(persona, &triggers).await? {
                rounds.entry(round.beside.unwrap_or_default()).or_default().push(round);
            }
        }
        for (entry, mail, role) in selected.into_iter().rev() {
            let replay = rounds.remove(&entry.id).unwrap_or_default();
            let Some(text) = mail_text(&mail) else {
                out.lines.push(Line { from: Origin::Entries(vec![entry.id]), rule: Rule::Blank });
                self.replay(replay, &mut out);
                continue;
            };
            if role == Role::Assistant {
                self.replay(replay, &mut out);
                out.pieces.push(Piece { message: ModelMessage::assistant(text), entry: Some(entry.id) });
            } else {
                out.pieces.push(Piece { message: ModelMessage::user(text), entry: Some(entry.id) });
                self.replay(replay, &mut out);
            }
        }
        Ok(out)
    }

    /// The newest mails that count, newest first, each with who speaks in it.
    async fn select(
        &self,
        cx: &Context,
        persona: &str,
        thread: crate::message::ThreadId,
        current: &Entry,
        out: &mut Contribution,
    ) -> Result<Vec<(Arc<Entry>, Arc<Mail>, Role)>, PortError> {
        let mut selected = Vec::new();
        let mut skipped = 0;
        let mut before = current.place();
        loop {
            let wanted = self.limit.map_or(PAGE, |limit| limit - selected.len()).min(PAGE);
            // One more than wanted tells whether there is anything older.
            let page = cx.history().mails_before(thread, before, wanted + 1).await?;
            let last_page = page.len() <= wanted;
            for entry in page {
                if self.limit.is_some_and(|limit| selected.len() == limit) {
                    out.unvisited = Unvisited::OlderUncounted { why: WalkEnd::Limit };
                    return Ok(selected);
                }
                before = entry.place();
                let Some(mail) = entry.mail().cloned() else {
                    skipped += 1;
                    out.lines.push(Line { from: Origin::Entries(vec![entry.id]), rule: Rule::Unreadable });
                    continue;
                };
                match mail_role(&mail, persona) {
                    Some(role) => selected.push((entry, mail, role)),
                    None => {
                        skipped += 1;
                        out.lines.push(Line { from: Origin::Entries(vec![entry.id]), rule: Rule::NotSent });
                    }
                }
            }
            if last_page {
                return Ok(selected);
            }
            if skipped >= self.skip_limit {
                let visited = (skipped + selected.len()) as u64;
                out.lines.push(Line { from: Origin::Entries(vec![before.entry]), rule: Rule::VisitLimit { visited } });
                out.unvisited = Unvisited::OlderUncounted { why: WalkEnd::Limit };
                return Ok(selected);
            }
        }
    }

    fn replay(&self, rounds: Vec<RecordedRound>, out: &mut Contribution) {
        for round in rounds {
            out.pieces.push(Piece { message: ModelMessage::Assistant(round.said), entry: Some(round.entry) });
            for recorded in round.outcomes {
                let mut rules = Vec::new();
                let outcome = cut_outcome(&recorded.outcome, self.outcome_chars, &mut rules);
                let from = Origin::Entries(vec![recorded.entry]);
                out.lines.extend(rules.into_iter().map(|rule| Line { from: from.clone(), rule }));
                out.pieces.push(Piece { message: ModelMessage::Tool(outcome), entry: Some(recorded.entry) });
            }
        }
    }
}

/// The mail being answered, read exactly as the mail view will read it later, with its files as parts where the model takes
/// them; and why others stay lines. None in a scheduled run. A file that cannot go is not even read.
pub(crate) async fn current_message(
    cx: &Context,
    call: &Call,
    bounds: &Bounds,
) -> Result<(Option<Piece>, Vec<Line>), PortError> {
    let Some(current) = cx.message() else { return Ok((None, Vec::new())) };
    let mail = current.mail();
    let entry = current.entry().id;
    // A mail without body and files still has its header: whoever wrote it wrote something.
    let text = mail_text(mail).or_else(|| mail_text(&Mail { body: Some("(no text)".into()), ..mail.clone() }));
    let mut parts = vec![Part::text(text.unwrap_or_default())];
    let mut lines = Vec::new();
    let gate = FileGate::new(call.profile(), Limits::of(call, bounds));
    for attachment in &mail.attachments {
        let Some(document) = sendable(&attachment.media_type) else { continue };
        let refused = gate.expects(attachment.size, document, parts.len() as u64 - 1);
        let bytes = if refused.is_none() { cx.files().file(&attachment.id).await? } else { None };
        match (refused, bytes.filter(|bytes| !bytes.is_empty())) {
            (None, Some(bytes)) => {
                let filename = attachment.filename.as_deref().map(|name| Arc::from(crate::text::one_line(name, 120)));
                let media = Media { filename, ..Media::data(attachment.media_type.as_str(), Bytes::encode(&bytes)) };
                parts.push(if document { Part::Document(media) } else { Part::Image(media) });
            }
            (refused, _) => {
                let why = refused.unwrap_or(FileReason::Missing);
                lines.push(Line { from: Origin::Entries(vec![entry]), rule: Rule::FileAsLine { why } });
            }
        }
    }
    let message = ModelMessage::User(Arc::new(User { parts, extra: Extra::default() }));
    Ok((Some(Piece { message, entry: Some(entry) }), lines))
}
