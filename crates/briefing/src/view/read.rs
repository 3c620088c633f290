//! The walk of a view: from the newest entry back, page by page, until the window is full.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::context::Context;
use crate::fit::{Class, Gather, Line, Origin, Piece, Rule, Unvisited, WaitingCard, WalkEnd};
use crate::log::{AttachmentId, Body, Card, Entry, Kind, Kinds, Mail, Message, Notice, Place, RecordedRound};
use crate::message::{EntryId, ModelMessage, Outcome, Role, ThreadId};
use crate::ports::{Back, FileText, Files, History, PortError};
use crate::resolver::Contribution;
use crate::view::say::{self, Outcomes};
use crate::view::{HistoryView, Replay, Tools, Window, mail_role, mail_text};

/// The most of the agent's own system messages that are told: the newest.
const INSTRUCTIONS: usize = 10_000;
/// How many entries are read at most at once.
const LARGEST_PAGE: usize = 500;
/// How many waiting cards are told of that the window does not hold.
const WAITING: usize = 8;
/// Of how many waiting cards it is known which calls they hold.
const HELD: usize = 100;

/// What a view reads, and for whom.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Reads the thread.
    pub history: &'a dyn History,
    /// Reads texts of files.
    pub files: &'a dyn Files,
    /// The thread.
    pub thread: ThreadId,
    /// Only what stands before this place; none: all of it.
    pub before: Option<Place>,
    /// The address of the persona: what was sent from it is its own, and so is the tool use of its runs.
    pub address: &'a str,
    /// The name of the agent that sees, unless the view names one.
    pub agent: &'a str,
}

impl HistoryView {
    /// Tells the thread of the current message, up to it. A scheduled run has no thread: nothing.
    ///
    /// # Errors
    /// [`PortError`] if the history cannot be read.
    pub async fn read(&self, cx: &Context) -> Result<Contribution, PortError> {
        let Some(current) = cx.message() else { return Ok(Contribution::of(Class::History, Vec::new())) };
        let (history, files, persona) = (cx.history(), cx.files(), cx.persona());
        let (thread, before) = (current.thread(), Some(current.entry().place()));
        self.tell(Reading { history, files, thread, before, address: persona.address(), agent: persona.name() }).await
    }

    /// Tells a thread, without a run around it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn tell(&self, reading: Reading<'_>) -> Result<Contribution, PortError> {
        let after = reading.newest_reset().await?;
        let mut walk = Walk {
            view: self,
            agent: self.select.agent.as_deref().unwrap_or(reading.agent),
            reading,
            after,
            newest_first: Vec::new(),
            settled: HashSet::new(),
            told: 0,
            in_vain: 0,
            newest: None,
            size: Size::default(),
            measured: 0,
            out: Contribution::of(Class::History, Vec::new()),
        };
        walk.system().await?;
        walk.back().await?;
        walk.waiting().await?;
        Ok(walk.close())
    }

    /// The kinds that a walk visits.
    fn kinds(&self) -> Kinds {
        let kinds = Kinds::of(&[Kind::Mail, Kind::Message, Kind::Card, Kind::Notice]);
        if self.replay == Replay::LeftOut { kinds } else { kinds.with(Kind::ToolUse) }
    }
}

impl Reading<'_> {
    async fn newest_reset(&self) -> Result<Option<Place>, PortError> {
        let kinds = Kind::Reset.into();
        let back = Back { thread: self.thread, before: self.before, after: None, kinds, agent: None, count: 1 };
        Ok(self.history.back(back).await?.first().map(|entry| entry.place()))
    }
}

/// A view while it reads.
struct Walk<'a> {
    view: &'a HistoryView,
    reading: Reading<'a>,
    agent: &'a str,
    /// The last reset: nothing before it is told.
    after: Option<Place>,
    newest_first: Vec<Piece>,
    /// Cards whose notice was met.
    settled: HashSet<EntryId>,
    /// Mails and messages that were selected.
    told: usize,
    /// Entries that brought the walk no nearer to its end.
    in_vain: usize,
    /// The newest entry that was visited.
    newest: Option<EntryId>,
    /// What was read, and how much of it is measured.
    size: Size,
    measured: usize,
    out: Contribution,
}

/// What beside its entries a page is told with; each read in bulk.
struct Beside {
    rounds: HashMap<EntryId, Vec<RecordedRound>>,
    texts: HashMap<AttachmentId, FileText>,
    /// Notices of cards that stand elsewhere than before the current message.
    notices: HashMap<EntryId, Arc<Notice>>,
}

/// How much was read, never more than `fit` will count of it.
#[derive(Default)]
struct Size {
    messages: u64,
    chars: u64,
    tokens: u64,
}

impl Size {
    fn add(&mut self, message: &ModelMessage, window: &Window) {
        self.messages += 1;
        say::each_text(message, |text| {
            self.chars += text.chars().count() as u64;
            if let Some((most, estimator)) = &window.tokens {
                self.tokens += estimator.count(text, most.saturating_mul(2));
            }
        });
    }

    /// Twice the tokens: a profile may count fewer than the estimator.
    fn fills(&self, window: &Window) -> bool {
        window.messages.is_some_and(|most| self.messages > most)
            || window.chars.is_some_and(|most| self.chars > most)
            || window.tokens.as_ref().is_some_and(|(most, _)| self.tokens > most.saturating_mul(2))
    }
}

/// Whether a view's limit counts the entry.
fn is_selected(entry: &Entry) -> bool {
    matches!(Kind::of(&entry.body), Kind::Mail | Kind::Message)
}

impl Walk<'_> {
    /// The agent's own system messages, oldest first.
    async fn system(&mut self) -> Result<(), PortError> {
        if !self.view.select.system {
            return Ok(());
        }
        let Reading { history, thread, before, .. } = self.reading;
        let (after, kinds, count) = (self.after, Kind::System.into(), INSTRUCTIONS);
        let found = history.back(Back { thread, before, after, kinds, agent: Some(self.agent), count }).await?;
        if found.len() == count {
            self.visit_limit(found.last().map(|entry| entry.id), count);
        }
        for entry in found.into_iter().rev() {
            match entry.message().filter(|message| !say::is_blank(&message.said)) {
                Some(message) => {
                    let message = self.hidden(entry.id, message.said.clone());
                    self.out.system.push(Piece { message, entry: Some(entry.id) });
                }
                None => self.note(entry.id, Rule::Blank),
            }
        }
        Ok(())
    }

    /// The dialog, newest first.
    async fn back(&mut self) -> Result<(), PortError> {
        let Reading { history, thread, mut before, .. } = self.reading;
        let agent = (self.view.select.tools == Tools::Own).then_some(self.agent);
        let mut page = self.first_page();
        loop {
            let back = Back { thread, before, after: self.after, kinds: self.view.kinds(), agent, count: page };
            let entries = history.back(back).await?;
            let last = entries.len() < page;
            self.newest = self.newest.or(entries.first().map(|entry| entry.id));
            before = entries.last().map(|entry| entry.place()).or(before);
            if let Some(end) = self.page(entries).await? {
                self.out.unvisited = Unvisited::OlderUncounted { why: end };
                return Ok(());
            }
            if last {
                if self.after.is_some() {
                    self.out.unvisited = Unvisited::OlderUncounted { why: WalkEnd::Reset };
                }
                return Ok(());
            }
            if self.in_vain >= self.view.select.visit_limit {
                self.visit_limit(before.map(|place| place.entry), self.in_vain + self.told);
                self.out.unvisited = Unvisited::OlderUncounted { why: WalkEnd::Limit };
                return Ok(());
            }
            page = self.next_page(page);
        }
    }

    /// What is still wanted, and one; more where entries are visited in vain.
    fn next_page(&self, page: usize) -> usize {
        let limit = self.view.select.limit;
        let left = |limit: usize| limit.saturating_sub(self.told).saturating_add(1);
        let wanted = limit.map_or(page.saturating_mul(2), |limit| left(limit).max(self.in_vain));
        wanted.clamp(1, LARGEST_PAGE)
    }

    /// One more than is wanted tells whether there is anything older.
    fn first_page(&self) -> usize {
        let messages = self.view.window.messages.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        let wanted = [self.view.select.limit, messages].into_iter().flatten().min();
        wanted.map_or(self.view.select.page, |wanted| wanted.saturating_add(1)).clamp(1, LARGEST_PAGE)
    }

    /// Tells a page; what ended the walk, if it ended.
    async fn page(&mut self, mut entries: Vec<Arc<Entry>>) -> Result<Option<WalkEnd>, PortError> {
        let full = self.select(&mut entries);
        let mut beside = self.beside(&entries).await?;
        for entry in entries {
            let told = self.newest_first.len();
            self.entry(&entry, &mut beside);
            self.in_vain += usize::from(self.newest_first.len() == told || !self.counts(&entry));
        }
        Ok(if full || self.is_full() { Some(WalkEnd::Limit) } else { None })
    }

    /// Leaves those entries that are told; whether the limit was reached.
    fn select(&mut self, entries: &mut Vec<Arc<Entry>>) -> bool {
        let limit = self.view.select.limit.unwrap_or(usize::MAX);
        let mut full = false;
        entries.retain(|entry| {
            let selected = is_selected(entry);
            full |= self.told >= limit && (selected || limit == 0);
            if full || !self.passes(entry) {
                return false;
            }
            self.told += usize::from(selected);
            true
        });
        full
    }

    /// Whether the entry brings the walk nearer to its end.
    fn counts(&self, entry: &Entry) -> bool {
        self.view.select.limit.is_none() || is_selected(entry)
    }

    /// Whether the entry is told; why it is not is noted.
    fn passes(&mut self, entry: &Entry) -> bool {
        let rule = match &entry.body {
            Body::Mail(mail) => mail_role(mail, self.reading.address).is_none().then_some(Rule::NotSent),
            Body::Message(message) => {
                (self.view.replay == Replay::LeftOut && !say::is_dialog(message)).then_some(Rule::ToolUseLeftOut)
            }
            Body::Card(_) | Body::Notice(_) => return true,
            Body::Unreadable => Some(Rule::Unreadable),
            Body::Round(_) | Body::Outcome(_) | Body::Reset(_) | Body::Edit(_) | Body::Popped(_) | Body::Erased(_) => {
                return false;
            }
        };
        let rule = rule.or_else(|| match self.view.select.filter.as_ref()?.tells(entry) {
            Ok(true) => None,
            Ok(false) => Some(Rule::Filtered),
            Err(error) => {
                self.note(entry.id, Rule::FilterFailed { error });
                None
            }
        });
        let Some(rule) = rule else { return true };
        self.in_vain += 1;
        self.note(entry.id, rule);
        false
    }

    /// What stands beside the entries of a page.
    async fn beside(&self, entries: &[Arc<Entry>]) -> Result<Beside, PortError> {
        let mut beside = Beside { rounds: HashMap::new(), texts: HashMap::new(), notices: HashMap::new() };
        let answered = entries.iter().filter(|entry| is_selected(entry));
        let answered: Vec<EntryId> = answered.map(|entry| entry.id).collect();
        if self.view.replay != Replay::LeftOut && !answered.is_empty() {
            for round in self.reading.history.rounds(self.reading.address, &answered).await? {
                beside.rounds.entry(round.beside.unwrap_or_default()).or_default().push(round);
            }
        }
        let messages = entries.iter().filter_map(|entry| entry.message());
        let files: Vec<AttachmentId> = messages.flat_map(|message| say::files(message)).map(|file| file.id.clone()).collect();
        if !files.is_empty() {
            beside.texts = self.reading.files.texts(&files).await?.into_iter().collect();
        }
        let cards: Vec<EntryId> =
            entries.iter().filter(|entry| matches!(entry.body, Body::Card(_))).map(|entry| entry.id).collect();
        if !cards.is_empty() {
            let notices = self.reading.history.notices(&cards).await?;
            beside.notices = notices.into_iter().map(|notice| (notice.card, notice)).collect();
        }
        Ok(beside)
    }

    fn entry(&mut self, entry: &Entry, beside: &mut Beside) {
        let rounds = beside.rounds.remove(&entry.id).unwrap_or_default();
        match &entry.body {
            Body::Mail(mail) => self.mail(entry.id, mail, rounds),
            Body::Message(message) => self.message(entry.id, message, rounds, &beside.texts),
            Body::Notice(notice) => {
                self.settled.insert(notice.card);
                self.confirmation(entry.id, say::settled(notice));
            }
            Body::Card(card) => self.card(entry.id, card, beside.notices.get(&entry.id)),
            Body::Round(_)
            | Body::Outcome(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => {}
        }
    }

    fn mail(&mut self, entry: EntryId, mail: &Mail, rounds: Vec<RecordedRound>) {
        let text = mail_text(mail);
        if text.is_none() {
            self.note(entry, Rule::Blank);
        }
        let own = mail_role(mail, self.reading.address) == Some(Role::Assistant);
        let message = text.map(|text| if own { ModelMessage::assistant(text) } else { ModelMessage::user(text) });
        let message = message.map(|message| self.hidden(entry, message));
        self.beside_rounds(entry, message, own, rounds);
    }

    fn message(
        &mut self,
        entry: EntryId,
        message: &Message,
        rounds: Vec<RecordedRound>,
        texts: &HashMap<AttachmentId, FileText>,
    ) {
        if message.edited.is_some_and(|edit| self.newest.is_none_or(|newest| newest < edit)) {
            self.note(entry, Rule::Edited);
        }
        for _ in say::not_ready(say::files(message), texts) {
            self.note(entry, Rule::FileNotReady);
        }
        let said = self.said(entry, message);
        let own = said.role() == Role::Assistant;
        let said = match said {
            ModelMessage::Tool(outcome) => Some(ModelMessage::Tool(self.replayed(outcome, entry))),
            said => {
                let (said, places) = say::with_texts(said, message, texts, self.view);
                if places > 0 {
                    self.note(entry, Rule::Redacted { places });
                }
                Some(said).filter(|said| !say::is_blank(said))
            }
        };
        if said.is_none() {
            self.note(entry, Rule::Blank);
        }
        self.beside_rounds(entry, said, own, rounds);
    }

    /// What a message says, with its pictures, without what is hidden, and where tool use is not told without what holds it.
    fn said(&mut self, entry: EntryId, message: &Message) -> ModelMessage {
        let (said, left) = say::with_own_pictures(message);
        if left > 0 {
            self.note(entry, Rule::PicturesLeftOut { pictures: left });
        }
        let others = message.agent.as_deref().is_some_and(|by| by != self.agent);
        let bare = self.view.replay == Replay::LeftOut || (self.view.select.tools == Tools::Own && others);
        let said = match say::text_alone(&said).filter(|_| bare) {
            Some(text) => {
                self.note(entry, Rule::TextAlone);
                text
            }
            None => said,
        };
        self.hidden(entry, said)
    }

    fn hidden(&mut self, entry: EntryId, message: ModelMessage) -> ModelMessage {
        self.view.hide(message, || Origin::Entries(vec![entry]), &mut self.out.lines)
    }

    /// An outcome without what is hidden, as far as it is told. What is hidden is hidden first: a cut would leave its beginning.
    fn replayed(&mut self, outcome: Arc<Outcome>, entry: EntryId) -> Arc<Outcome> {
        let hidden = self.hidden(entry, ModelMessage::Tool(Arc::clone(&outcome)));
        let outcome = if let ModelMessage::Tool(hidden) = hidden { hidden } else { outcome };
        Outcomes { replay: self.view.replay, lines: &mut self.out.lines }.replay(outcome, entry)
    }

    /// The rounds of a run stand right behind what it answers; those of scheduled work right before what it wrote.
    fn beside_rounds(&mut self, entry: EntryId, message: Option<ModelMessage>, own: bool, rounds: Vec<RecordedRound>) {
        let piece = message.map(|message| Piece { message, entry: Some(entry) });
        let (behind, before) = if own { (piece, None) } else { (None, piece) };
        self.newest_first.extend(behind);
        for round in rounds.into_iter().rev() {
            for recorded in round.outcomes.into_iter().rev() {
                let outcome = self.replayed(recorded.outcome, recorded.entry);
                self.newest_first.push(Piece { message: ModelMessage::Tool(outcome), entry: Some(recorded.entry) });
            }
            let message = self.hidden(round.entry, ModelMessage::Assistant(round.said));
            self.newest_first.push(Piece { message, entry: Some(round.entry) });
        }
        self.newest_first.extend(before);
    }

    /// A card whose notice was met gives nothing: the notice tells how it ended. One whose notice stands elsewhere (behind the
    /// current message, or in the thread that this one was forked off) reads as that would; one without a notice waits.
    fn card(&mut self, entry: EntryId, card: &Card, elsewhere: Option<&Arc<Notice>>) {
        if self.settled.contains(&entry) {
            return self.note(entry, Rule::CardSettled);
        }
        match elsewhere {
            Some(notice) => self.confirmation(entry, say::settled(notice)),
            None => self.confirmation(entry, say::waiting(card)),
        }
    }

    fn confirmation(&mut self, entry: EntryId, text: Option<String>) {
        match text {
            Some(text) => {
                self.out.asides.push(entry);
                let message = self.hidden(entry, ModelMessage::user(text));
                self.newest_first.push(Piece { message, entry: Some(entry) });
            }
            None => self.note(entry, Rule::Blank),
        }
    }

    /// Cards that wait, whether the window holds them or not; and the calls that they hold, those of this run too.
    async fn waiting(&mut self) -> Result<(), PortError> {
        let Reading { history, thread, before, .. } = self.reading;
        if self.view.select.limit == Some(0) {
            return Ok(());
        }
        for entry in history.open_cards(thread, None, HELD).await? {
            let Body::Card(card) = &entry.body else { continue };
            self.out.held.push(card.call.id.clone());
            let past = before.is_none_or(|before| entry.place() < before);
            let seen = self.after.is_none_or(|after| after < entry.place());
            if let Some(line) = say::waiting(card).filter(|_| past && seen && self.out.waiting.len() < WAITING) {
                self.out.waiting.push(WaitingCard { entry: entry.id, line: self.view.hide_text(line) });
            }
        }
        Ok(())
    }

    /// Whether what was read fills the window, so that nothing older can be in it.
    fn is_full(&mut self) -> bool {
        let window = &self.view.window;
        if window.is_open() {
            return false;
        }
        for piece in self.newest_first.get(self.measured..).unwrap_or_default() {
            self.size.add(&piece.message, window);
        }
        self.measured = self.newest_first.len();
        if !self.size.fills(window) {
            return false;
        }
        // Outcomes whose call was not read count for nothing: only units tell.
        let mut size = Size::default();
        let mut gather = Gather::new(self.newest_first.iter().cloned(), Arc::from("view"));
        gather.any(|gathered| {
            gathered.unit.messages().for_each(|message| size.add(&message, window));
            size.fills(window)
        })
    }

    fn note(&mut self, entry: EntryId, rule: Rule) {
        self.out.lines.push(Line { from: Origin::Entries(vec![entry]), rule });
    }

    fn visit_limit(&mut self, entry: Option<EntryId>, visited: usize) {
        let from = entry.map_or_else(|| Origin::Resolver(Arc::from("view")), |entry| Origin::Entries(vec![entry]));
        self.out.lines.push(Line { from, rule: Rule::VisitLimit { visited: visited as u64 } });
    }

    fn close(mut self) -> Contribution {
        self.newest_first.reverse();
        self.out.pieces = self.newest_first;
        self.out.window = self.view.window.clone();
        self.out.replay = Some(self.view.replay);
        self.out
    }
}
