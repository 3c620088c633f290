//! Every combination of the parts of a view, over threads in which everything meets, holds the invariants of `design.md` section 3;
//! and the swarm view tells what a plain telling of its rules tells.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use briefing::log::{Body, Entry, Kind, Kinds, Place};
use briefing::message::{EntryId, Item, ModelMessage, Role};
use briefing::persona;
use briefing::ports::{Back, History};
use briefing::view::chat::{ChatFile, ChatHistory, ChatMessage};
use briefing::view::{Filter, HistoryView, Preset, Reading, Redactor, Replay, Tools};
use briefing::{
    Anchor, AssembleError, Bounds, Briefing, Call, Chain, Class, Context, Edge, Estimator, FitError, Inbound, LoadText,
    Persona, PrefixChange, Rule, Stride, Subject, ThreadHistory, Unit, UnitKind, fit, fit_contributions,
};
use briefing_tests::chat::{AGENTS, Act, Thread, acts, marks, thread};
use briefing_tests::list::calls;
use briefing_tests::log::PERSONA;
use briefing_wire::Render;
use common::{bounds, holds};
use jiff::Timestamp;
use proptest::prelude::*;

/// A view of any combination of parts.
fn views() -> impl Strategy<Value = HistoryView> {
    let preset = prop::sample::select(Preset::ALL.to_vec());
    let select = (
        prop::option::of(prop::option::of(0_usize..12)),
        prop::option::of(prop::sample::select(AGENTS.to_vec())),
        any::<bool>(),
        any::<bool>(),
        0_u8..5,
        prop_oneof![4 => Just(10_000_usize), 1 => 0_usize..5],
        0_usize..70,
    );
    let window = (
        prop::option::of(prop::option::of(0_u64..20)),
        prop::option::of(prop::option::of(0_u64..2_000)),
        prop::option::weighted(0.2, (0_u64..500, any::<bool>())),
        prop::option::of(prop::sample::select(vec![0.0, 0.34, 1.0])),
        any::<bool>(),
    );
    let rest = (
        prop::option::of(prop_oneof![
            Just(Replay::Whole),
            (0_usize..200).prop_map(Replay::Cut),
            Just(Replay::Cleared),
            Just(Replay::LeftOut)
        ]),
        prop::option::of(0_usize..600),
        any::<bool>(),
    );
    (preset, select, window, rest).prop_map(|(preset, select, window, (replay, file_chars, redacted))| {
        let mut view = match preset {
            Preset::Mail => HistoryView::mail(),
            Preset::Swarm => HistoryView::swarm("sales"),
            Preset::Chat => HistoryView::chat(),
        };
        let (limit, agent, own, system, filter, visits, page) = select;
        view = limit.map_or(view.clone(), |limit| view.limit(limit)).visit_limit(visits).page(page);
        view = agent.map_or(view.clone(), |agent| view.agent(agent));
        view = if own { view.tools_of(Tools::Own) } else { view };
        view = if system { view.stored_system(true) } else { view };
        view = match filter {
            0 => view.filter(Filter::new(|entry: &Entry| Ok::<_, String>(!entry.id.get().is_multiple_of(3)))),
            1 => view.filter(Filter::new(|_: &Entry| Err("boom"))),
            _ => view,
        };
        let (messages, chars, tokens, stride, turn) = window;
        view = messages.map_or(view.clone(), |most| view.messages(most));
        view = chars.map_or(view.clone(), |most| view.chars(most));
        view = tokens.map_or(view.clone(), |(most, o200k)| {
            view.tokens_by(most, if o200k { Estimator::o200k() } else { Estimator::characters() })
        });
        view = stride.map_or(view.clone(), |low| view.stride(Stride::low(low)));
        view = if turn { view.edge(Edge::Turn) } else { view };
        view = replay.map_or(view.clone(), |replay| view.replay(replay)).file_chars(file_chars);
        if redacted { view.redact(Redactor::new(|text| text.replace("naïve", "[hidden]").into())) } else { view }
    })
}

fn context(built: &Thread, chain: &Chain) -> Context {
    let persona = Persona::new(&persona::Role::new().message(chain.clone()), "sales", PERSONA).unwrap();
    let current = Inbound::new(Arc::clone(&built.current), built.thread).unwrap();
    let ports = Arc::new(built.log.clone());
    Context::new(Arc::new(persona), Subject::Message(current), Timestamp::UNIX_EPOCH, ports.clone(), ports)
}

fn assembled(built: &Thread, view: &HistoryView, call: &Call, bounds: &Bounds) -> Result<Briefing, AssembleError> {
    let view = view.clone();
    let chain = Chain::new().with(|| LoadText::system(|_| "Be kind.")).with(move || ThreadHistory::new(view.clone()));
    pollster::block_on(chain.assemble(&context(built, &chain), call, bounds))
}

fn assemble(built: &Thread, view: &HistoryView, call: &Call, bounds: &Bounds) -> Option<Briefing> {
    assembled(built, view, call, bounds).ok()
}

/// Everything of a thread before a place, oldest first.
fn everything(built: &Thread, before: Option<Place>, kinds: Kinds) -> Vec<Arc<Entry>> {
    let back = Back { thread: built.thread, before, after: None, kinds, agent: None, count: usize::MAX };
    let mut all = pollster::block_on(built.log.back(back)).unwrap();
    all.reverse();
    all
}

fn last_reset(built: &Thread, before: Option<Place>) -> Option<Place> {
    everything(built, before, Kind::Reset.into()).last().map(|entry| entry.place())
}

/// The marks of all that a view may tell: nothing from before the last reset, nothing popped, no version but the newest, no
/// stranger's tool use, nothing that the filter leaves out.
fn allowed(built: &Thread, view: &HistoryView) -> BTreeSet<u32> {
    let before = built.current.place();
    let reset = last_reset(built, Some(before));
    let shown = view.to_string();
    let agent = shown.split_once("agent=\"").map_or("sales", |(_, rest)| rest.split('"').next().unwrap());
    let (own, system) = (shown.contains("tools=own"), shown.contains("system=yes"));
    let left_out = shown.contains("replay=none");
    let mut allowed = BTreeSet::new();
    let shown_files = |message: &briefing::log::Message, allowed: &mut BTreeSet<u32>| {
        for file in &message.attachments {
            let texts = pollster::block_on(briefing::ports::Files::texts(&built.log, std::slice::from_ref(&file.id))).unwrap();
            allowed.extend(texts.iter().flat_map(|(_, text)| marks(&text.text)));
        }
    };
    let mut triggers = Vec::new();
    for entry in everything(built, Some(before), Kinds::ALL) {
        if reset.is_some_and(|reset| entry.place() <= reset) {
            continue;
        }
        match &entry.body {
            Body::Mail(mail) => {
                allowed.extend(marks(mail.body.as_deref().unwrap_or_default()));
                triggers.push(entry.id);
            }
            Body::Message(message) => {
                let mine = message.agent.as_deref().is_none_or(|by| by == agent);
                let told = match message.kind() {
                    Kind::ToolUse => !left_out && (!own || mine),
                    Kind::System => system && mine,
                    _ => true,
                };
                // Of an answer only its text, where tool use is not told; nothing of a role that only the original knows.
                let bare = left_out || (own && !mine);
                let foreign = left_out && message.extra.contains_key("role");
                if told && !foreign {
                    let whole = format!("{:?}", message.said);
                    allowed.extend(marks(&if bare { message.said.text() } else { whole }));
                    shown_files(message, &mut allowed);
                    triggers.push(entry.id);
                }
            }
            _ => {}
        }
    }
    if !left_out {
        for round in pollster::block_on(built.log.rounds(PERSONA, &triggers)).unwrap() {
            allowed.extend(marks(&format!("{:?} {:?}", round.said, round.outcomes)));
        }
    }
    let current = built.current.message().unwrap();
    allowed.extend(marks(&format!("{:?}", current.said)));
    shown_files(current, &mut allowed);
    allowed
}

/// Every entry that is named anywhere in a receipt.
fn told(briefing: &Briefing) -> BTreeSet<EntryId> {
    let receipt = briefing.receipt();
    let kept = receipt.kept().iter().flat_map(|kept| kept.from.entries());
    kept.chain(receipt.lines().iter().flat_map(|line| line.from.entries())).copied().collect()
}

/// What of the window a view limits: the units of its history, and the current message.
fn window_holds(briefing: &Briefing, view: &HistoryView) -> Result<(), TestCaseError> {
    let of = |name: &str| {
        let shown = view.to_string();
        shown.split_once(&format!(" {name}="))?.1.split(' ').next()?.parse::<u64>().ok()
    };
    let history = briefing.receipt().kept().iter().filter(|kept| kept.class == Class::History);
    let cost = history.clone().fold(briefing::Cost::default(), |sum, kept| sum.plus(kept.cost));
    if history.count() == 0 {
        return Ok(());
    }
    let current: Vec<_> = briefing.receipt().kept().iter().filter(|kept| kept.class == Class::Current).collect();
    let both = current.iter().fold(cost, |sum, kept| sum.plus(kept.cost));
    let measures =
        [("messages", cost.messages, both.messages), ("chars", cost.chars, both.chars), ("tokens", cost.tokens, both.tokens)];
    for (name, told, used) in measures {
        if let Some(most) = of(name) {
            // The current message is always kept; what costs nothing fits beside it.
            prop_assert!(used <= most || told == 0, "{used} of {most} {name}: {view}\n{}", briefing.receipt());
        }
    }
    Ok(())
}

proptest! {
    /// Invariants 1 to 5, 8, 9, 12 and 14 for any view of any thread.
    #[test]
    fn every_combination_of_parts(acts in acts(40), view in views(), call in calls(), bounds in bounds()) {
        let built = thread(&acts).unwrap();
        let briefing = match assembled(&built, &view, &call, &bounds) {
            Ok(briefing) => briefing,
            // What never yields may be larger than a bound; nothing else may fail.
            Err(AssembleError::Fit(FitError::TooLarge { .. })) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        holds(&briefing, &call)?;
        window_holds(&briefing, &view)?;
        let body = String::from_utf8_lossy(briefing.render().unwrap().body()).into_owned();
        let allowed = allowed(&built, &view);
        for mark in marks(&body) {
            prop_assert!(allowed.contains(&mark), "~{mark}~ is told: {view}\n{body}");
        }
        // Deterministic.
        let again = assemble(&built, &view, &call, &bounds).unwrap();
        let (once, twice) = (briefing.render().unwrap(), again.render().unwrap());
        prop_assert_eq!(once.body(), twice.body());
        prop_assert_eq!(again.receipt(), briefing.receipt());
        if view.to_string().contains("redacted") {
            prop_assert!(!body.contains("naïve"), "not hidden: {body}");
        }
    }

    /// How much is read at once changes nothing of what is told.
    #[test]
    fn the_page_does_not_matter(acts in acts(40), view in views(), call in calls(), bounds in bounds(), page in 1_usize..5) {
        let built = thread(&acts).unwrap();
        let view = view.visit_limit(10_000);
        let (Some(one), Some(other)) =
            (assemble(&built, &view, &call, &bounds), assemble(&built, &view.clone().page(page), &call, &bounds)) else { return Ok(()) };
        prop_assert_eq!(one.messages().collect::<Vec<_>>(), other.messages().collect::<Vec<_>>(), "{}", view);
    }

    /// Invariant 2: without a window, every entry that a view reads is kept or has a line, and rounds are whole (3).
    #[test]
    fn every_entry_is_told_of(acts in acts(40), view in views(), call in calls()) {
        let view = view.limit(None).messages(None).chars(None).visit_limit(10_000).stride(None).edge(Edge::Round);
        if view.to_string().contains("tokens=") {
            return Ok(());
        }
        let built = thread(&acts).unwrap();
        let briefing = assemble(&built, &view, &call, &Bounds::none()).unwrap();
        let told = told(&briefing);
        let before = built.current.place();
        let reset = last_reset(&built, Some(before));
        let mut kinds = Kinds::of(&[Kind::Mail, Kind::Message, Kind::Card, Kind::Notice]);
        if !view.to_string().contains("replay=none") && !view.to_string().contains("tools=own") {
            kinds = kinds.with(Kind::ToolUse);
        }
        for entry in everything(&built, Some(before), kinds) {
            if reset.is_none_or(|reset| reset < entry.place()) {
                prop_assert!(told.contains(&entry.id), "entry {} ({:?}) is nowhere: {view}\n{}", entry.id, entry.body, briefing.receipt());
            }
        }
    }

    /// Invariant 7: appending leaves what stands before as it is, as long as the window does not move.
    #[test]
    fn appending_keeps_the_prefix(acts in acts(30), more in 1_u8..200, view in views()) {
        let view = view.limit(None).messages(None).chars(None).visit_limit(10_000).stride(None).edge(Edge::Round).file_chars(300);
        let built = thread(&acts).unwrap();
        let call = briefing_tests::list::call("gpt-5", false);
        if view.to_string().contains("tokens=") {
            return Ok(());
        }
        let now = assemble(&built, &view, &call, &Bounds::none()).unwrap();
        let live = briefing::log::Arrival::Live(Timestamp::MAX);
        built.log.append_message(built.thread, ModelMessage::assistant("an answer").into(), live).unwrap();
        let next = built.log.append_message(built.thread, ModelMessage::user(format!("next {more}")).into(), live).unwrap();
        let filtered = pollster::block_on(async {
            let of = Arc::clone(&built.current);
            view.to_string().contains("filter=yes") && of.id.get().is_multiple_of(3)
        });
        let mut built = built;
        built.current = next;
        let then = assemble(&built, &view, &call, &Bounds::none()).unwrap();
        let list = |briefing: &Briefing| briefing.messages().collect::<Vec<_>>();
        let listed: BTreeSet<_> = now.receipt().changes().iter().map(|change| format!("{change:?}")).collect();
        let waits = listed.contains("CardWaits");
        let open = now.receipt().lines().iter().any(|line| matches!(line.rule, Rule::OutcomeMissing { .. } | Rule::IdRepeated { .. }));
        if waits || open || filtered || listed.contains("TurnOver") {
            return Ok(());
        }
        let (now, then) = (list(&now), list(&then));
        prop_assert_eq!(&now[..], &then[..now.len()], "{}", view);
    }

    /// Invariant 7: as a thread grows, a view whose window has strides grows until it steps; its anchor moves only forward.
    #[test]
    fn a_window_with_strides_grows_until_it_steps(acts in acts(60), most in 4_u64..20, chars in any::<bool>(), swarm in any::<bool>()) {
        let view = if swarm { HistoryView::swarm("sales").messages(None) } else { HistoryView::mail().limit(None) };
        let view = if chars { view.chars(most * 60) } else { view.messages(most) }.stride(Stride::default());
        let call = briefing_tests::list::call("gpt-5", false);
        let grows = |act: &Act| matches!(act, Act::Mail(_) | Act::Said(..) | Act::Calls(..) | Act::Answered(..));
        let mut built = thread(&acts.into_iter().filter(grows).collect::<Vec<_>>()).unwrap();
        let answered = everything(&built, None, Kinds::of(&[Kind::Mail, Kind::Message]));
        let mut anchor: Option<Anchor> = None;
        let mut before: Option<Vec<ModelMessage>> = None;
        for entry in answered {
            if Inbound::new(Arc::clone(&entry), built.thread).is_none() {
                continue;
            }
            built.current = entry;
            let Some(briefing) = assemble(&built, &view, &call, &Bounds::none().anchor(anchor)) else { return Ok(()) };
            window_holds(&briefing, &view)?;
            let receipt = briefing.receipt();
            let place = |anchor: Anchor| built.log.entry(anchor.entry()).unwrap().place();
            if let (Some(old), Some(new)) = (anchor, receipt.anchor()) {
                prop_assert!(place(old) <= place(new), "moved back: {view}");
            }
            let history = briefing.units().iter().filter(|placed| placed.class() == Class::History);
            let history: Vec<ModelMessage> = history.flat_map(|placed| placed.unit().messages()).map(|said| as_given(&said)).collect();
            // An outcome that comes late changes its round; a round may take in its neighbour.
            let late = receipt.lines().iter().any(|line| matches!(line.rule, Rule::OutcomeMissing { .. } | Rule::OutcomeMoved { .. }));
            let joined = briefing.units().iter().any(|placed| matches!(placed.unit(), Unit::Round(round) if round.said().len() > 1));
            let stepped = receipt.changes().contains(&PrefixChange::WindowStepped);
            if let Some(before) = before.take() && receipt.anchor() == anchor && !stepped && !late && !joined {
                prop_assert_eq!(&history[..before.len()], &before[..]);
            }
            anchor = receipt.anchor();
            before = (!late && !joined).then_some(history);
        }
    }

    /// The swarm view tells what its rules tell, told once more on the whole list.
    #[test]
    fn the_swarm_view_tells_what_the_reference_tells(acts in acts(60), keep in 0_u64..20, agent in 0_usize..2) {
        let built = thread(&acts).unwrap();
        let agent = AGENTS[agent];
        let view = HistoryView::swarm(agent).messages(keep);
        let reading = Reading {
            history: &built.log, files: &built.log, thread: built.thread, before: None, address: "nobody@x.example", agent: "",
        };
        let contribution = pollster::block_on(view.tell(reading)).unwrap();
        let call = briefing_tests::list::call("gpt-5", false);
        let told = fit_contributions([contribution], &call, &Bounds::none()).unwrap();
        let told: Vec<ModelMessage> = told.units().iter().filter(|placed| placed.class() != Class::Pinned).flat_map(|placed| placed.unit().messages()).collect();
        let reference: Vec<ModelMessage> = reference(&built, agent, keep).iter().map(as_given).collect();
        prop_assert_eq!(told.iter().map(as_given).collect::<Vec<_>>(), reference);
    }

    /// The chat view over a log tells what `chat::build` tells of the same messages, whose own test holds it against a reference.
    #[test]
    fn the_chat_view_tells_what_build_tells(acts in acts(50), limit in 0_u64..3_000) {
        let acts: Vec<Act> = acts.into_iter().filter_map(in_a_chat).collect();
        let built = thread(&acts).unwrap();
        let view = HistoryView::chat().chars(limit);
        let call = briefing_tests::list::call("gpt-5", false);
        let told = assemble(&built, &view, &call, &Bounds::none()).unwrap();
        let told = told.units().iter().filter(|placed| matches!(placed.class(), Class::History | Class::Current));
        let told: Vec<(Role, String)> = told.flat_map(|placed| placed.unit().messages()).map(|said| (said.role(), said.text())).collect();
        let limit = usize::try_from(limit).unwrap();
        let (messages, files) = chat_of(&built);
        let history = ChatHistory::new(limit);
        let current = built.current.message().unwrap();
        let current = history.user_entry(&current.said.text(), &common::chat_files(&built, current, "current"));
        let reference = history.build(&messages, &files, current);
        let reference: Vec<(Role, String)> = reference.into_iter().map(|entry| (ModelMessage::from(entry.clone()).role(), entry.content)).collect();
        prop_assert_eq!(told, reference);
    }
}

/// What may happen in a chat, told in English, and without a text of blanks: `build` tells that, and no provider takes it.
fn in_a_chat(act: Act) -> Option<Act> {
    let words = |words: u8| if words % 16 == 1 { words + 1 } else { words };
    match act {
        // Nor a role or pictures that only the swarm's shape of a message tells.
        Act::Said(who, role, said, files) => {
            let role = if role.is_multiple_of(17) || role.is_multiple_of(19) { 1 } else { role };
            Some(Act::Said(who, role, words(said), files.into_iter().map(words).collect()))
        }
        Act::Card(_) => Some(Act::Card(0)),
        Act::Calls(..) | Act::Answered(..) | Act::Settled(..) => Some(act),
        Act::Mail(_) | Act::Reset(_) | Act::Edited(..) | Act::Popped | Act::Run(..) => None,
    }
}

/// The chat before the current message, as an application without a log would give it.
fn chat_of(built: &Thread) -> (Vec<ChatMessage>, Vec<ChatFile>) {
    let (mut messages, mut files) = (Vec::new(), Vec::new());
    for entry in everything(built, Some(built.current.place()), Kinds::ALL) {
        let id = entry.id.to_string();
        match &entry.body {
            Body::Message(message) => match (&message.said, message.kind()) {
                (ModelMessage::User(_), _) => {
                    files.extend(common::chat_files(built, message, &id));
                    messages.push(ChatMessage::User { id: Some(id.into()), text: message.said.text() });
                }
                (ModelMessage::Assistant(_), kind) => {
                    messages.push(ChatMessage::Assistant { text: message.said.text(), is_final: kind == Kind::Message });
                }
                (ModelMessage::Tool(_), _) => messages.push(ChatMessage::ToolResult { id, text: message.said.text() }),
                (ModelMessage::System(_), _) => {}
            },
            Body::Card(card) => messages.push(ChatMessage::Card { card: id.into(), action: card.action.clone() }),
            Body::Notice(notice) => messages.push(ChatMessage::CardNotice {
                card: notice.card.to_string().into(),
                action: notice.action.to_string(),
                outcome: notice.settled.name().to_owned(),
            }),
            _ => {}
        }
    }
    (messages, files)
}

/// The message with the ids that it came with: which of them repeat depends on the window.
fn as_given(message: &ModelMessage) -> ModelMessage {
    let mut message = message.clone();
    match &mut message {
        ModelMessage::Assistant(said) => {
            for item in &mut Arc::make_mut(said).items {
                if let Item::Call(call) = item {
                    call.id = call.id.repeated(0);
                }
            }
        }
        ModelMessage::Tool(outcome) => Arc::make_mut(outcome).call = outcome.call.repeated(0),
        ModelMessage::System(_) | ModelMessage::User(_) => {}
    }
    message
}

/// The rules of the swarm view, plainly: the whole list behind the last reset, in one walk from its beginning; then its newest
/// units. Only pairing is left to `fit`, which has tests of its own.
fn reference(built: &Thread, agent: &str, keep: u64) -> Vec<ModelMessage> {
    let (mut system, mut dialog) = (Vec::new(), Vec::new());
    let everything = everything(built, None, Kinds::ALL);
    let settled: BTreeSet<EntryId> = everything
        .iter()
        .filter_map(|entry| if let Body::Notice(notice) = &entry.body { Some(notice.card) } else { None })
        .collect();
    for entry in &everything {
        match &entry.body {
            Body::Reset(_) => {
                system.clear();
                dialog.clear();
            }
            Body::Message(message) => {
                let mine = message.agent.as_deref().is_none_or(|by| by == agent);
                let read = common::read_by(built, message, !mine);
                let blank = match &read {
                    ModelMessage::Assistant(said) => said.items.iter().all(|item| item.text() == Some("")),
                    ModelMessage::System(_) | ModelMessage::User(_) => common::is_empty(&read),
                    ModelMessage::Tool(_) => false,
                };
                match message.kind() {
                    _ if blank => {}
                    // Blanks alone say nothing to a provider.
                    Kind::System if mine && !message.said.text().trim().is_empty() => system.push(message.said.clone()),
                    Kind::System => {}
                    Kind::ToolUse if !mine => {}
                    _ => dialog.push(read),
                }
            }
            Body::Mail(mail) => dialog.extend(briefing::view::mail_text(mail).map(ModelMessage::user)),
            Body::Card(card) if !settled.contains(&entry.id) => {
                dialog.extend(common::phrase("waiting", &card.action, &card.language));
            }
            Body::Notice(notice) => dialog.extend(common::phrase(notice.settled.name(), &notice.action, &notice.language)),
            _ => {}
        }
    }
    let call = briefing_tests::list::call("gpt-5", false);
    let whole = fit(&dialog, &call, &Bounds::none()).unwrap();
    let units: Vec<Vec<ModelMessage>> = whole.units().iter().map(|placed| placed.unit().messages().collect()).collect();
    let mut left = usize::try_from(keep).unwrap();
    let mut kept = Vec::new();
    for unit in units.into_iter().rev() {
        if unit.len() > left {
            break;
        }
        left -= unit.len();
        kept.push(unit);
    }
    kept.reverse();
    system.into_iter().chain(kept.into_iter().flatten()).collect()
}

#[test]
fn units_are_whole() {
    let built = thread(&[]).unwrap();
    let briefing = assemble(&built, &HistoryView::chat(), &Call::model("gpt-5", None), &Bounds::none()).unwrap();
    assert_eq!(
        briefing.receipt().kept().iter().map(|kept| kept.kind).collect::<Vec<_>>(),
        [UnitKind::System, UnitKind::Input, UnitKind::Input]
    );
}
