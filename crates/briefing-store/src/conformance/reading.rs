//! Reading back, and the log as a whole.

use briefing::log::{Kind, Kinds, Message, Place, ResetKind, Settled};
use briefing::message::{EntryId, ModelMessage, Outcome, OwnerId, ThreadId};
use briefing::ports::Back;

use super::desk::{Desk, at, ids, live, mail, said, used, whole};
use crate::{Append, Store, Target};

/// <https://github.com/mastra-ai/mastra/issues/9991>
pub(super) async fn b31_the_newest_entries_are_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    for n in 0..50 {
        desk.say(thread, &n.to_string(), n).await;
        desk.say(other, "between", n).await;
    }
    let read = desk.back(Back { count: 5, ..whole(thread) }).await;
    let numbers: Vec<u64> = read.iter().map(|entry| entry.id.get()).collect();
    assert_eq!(numbers, [98, 96, 94, 92, 90], "the newest five, the newest first");
    assert_eq!(read[0], desk.entry(EntryId::new(98)).await);
    assert_eq!(desk.back(Back { count: 1_000, ..whole(thread) }).await.len(), 50);
    assert_eq!(desk.back(Back { count: usize::MAX, ..whole(thread) }).await.len(), 50);
    assert_eq!(desk.back(Back { count: 0, ..whole(thread) }).await, []);
    assert_eq!(desk.back(whole(ThreadId::new(99))).await, []);
    assert_eq!(desk.back(whole(ThreadId::new(u64::MAX))).await, []);
}

pub(super) async fn a_thread_is_read_by_pages(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for n in 0..23 {
        desk.say(thread, "x", n % 4).await;
    }
    let all = desk.read(thread).await;
    let mut read = Vec::new();
    let mut before = None;
    loop {
        let page = desk.back(Back { before, count: 5, ..whole(thread) }).await;
        let Some(last) = page.last() else { break };
        before = Some(last.place());
        read.extend(page.iter().map(|entry| entry.id));
    }
    read.reverse();
    assert_eq!(read, all);
    // A place where nothing stands, and one at the end of all time.
    let between = Place { at: at(1), entry: EntryId::new(2) };
    assert_eq!(desk.back(Back { before: Some(between), count: 1, ..whole(thread) }).await[0].id, EntryId::new(1));
    let end = Place { at: jiff::Timestamp::MAX, entry: EntryId::new(u64::MAX) };
    assert_eq!(desk.back(Back { before: Some(end), ..whole(thread) }).await.len(), 23);
    let start = Place { at: jiff::Timestamp::MIN, entry: EntryId::new(0) };
    assert_eq!(desk.back(Back { before: Some(start), ..whole(thread) }).await, []);
}

pub(super) async fn one_kind_is_read_alone(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let mut all: Vec<(Kind, Vec<EntryId>)> = Kind::ALL.map(|kind| (kind, Vec::new())).to_vec();
    let mut note = |kind, entry| all.iter_mut().find(|(of, _)| *of == kind).unwrap().1.insert(0, entry);
    for n in 0..3 {
        let asked = desk.mail_to(thread, mail(&format!("m{n}@x"), "", "ann"), n).await;
        note(Kind::Mail, asked);
        note(Kind::Message, desk.say(thread, "x", n).await);
        let run = desk.answer(&n.to_string(), thread, asked).await;
        let round = desk.round(&run, 0, &["c"], n).await;
        note(Kind::Round, round.entry);
        let call = round.said.calls().next().unwrap().id.clone();
        note(Kind::Outcome, desk.outcome(&run, Outcome::text(call, "x"), n).await);
        let card = desk.card(thread, "x", n).await;
        note(Kind::Card, card);
        if n == 1 {
            note(Kind::Notice, desk.settle(card, Settled::Done, n).await);
        }
    }
    for (kind, entries) in &all {
        for count in [1, 2, 9] {
            let read = desk.back(Back { kinds: (*kind).into(), count, ..whole(thread) }).await;
            let expected: Vec<EntryId> = entries.iter().copied().take(count).collect();
            assert_eq!(ids(&read), expected, "{}, {count}", kind.name());
        }
        let Some(&newest) = entries.first() else { continue };
        let before = Some(desk.entry(newest).await.place());
        let read = desk.back(Back { before, kinds: (*kind).into(), ..whole(thread) }).await;
        assert_eq!(ids(&read), entries[1..], "{}", kind.name());
    }
}

/// A thread with two or three of each kind that can be appended, at several times; and what it should read, newest first.
async fn of_all_kinds(desk: Desk<'_>) -> (ThreadId, Vec<(Place, Kind)>) {
    let thread = desk.thread().await;
    for second in [30, 10, 20] {
        let asked = desk.mail_to(thread, mail(&format!("m{second}@x"), "", "ann"), second).await;
        let said = desk.say(thread, "x", second).await;
        desk.put(thread, used("looking"), second).await;
        desk.put(thread, ModelMessage::system("Be brief.").into(), second).await;
        desk.reset(thread, ResetKind::Flush, second).await;
        let run = desk.answer(&second.to_string(), thread, asked).await;
        let round = desk.round(&run, 0, &["c"], second).await;
        desk.outcome(&run, Outcome::text(round.said.calls().next().unwrap().id.clone(), "x"), second).await;
        let card = desk.card(thread, "x", second).await;
        desk.settle(card, Settled::Done, second).await;
        desk.edit(said, super::desk::said("y"), second).await;
        desk.say(thread, "to be popped", second).await;
        desk.pop(thread, second).await;
    }
    let log = desk.store.log(desk.owner, EntryId::new(0), 1_000).await.unwrap();
    let mut all: Vec<_> = log.iter().map(|it| (it.entry.place(), Kind::of(&it.entry.body))).collect();
    all.sort_unstable();
    all.reverse();
    (thread, all)
}

pub(super) async fn any_kinds_are_read_newest_first(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, all) = of_all_kinds(desk).await;
    let present: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| all.iter().any(|(_, of)| of == kind)).collect();
    assert_eq!(present, Kind::ALL[..11], "all but what is erased or cannot be read");
    for subset in 0..1_u32 << present.len() {
        let chosen: Vec<Kind> =
            (0..).zip(&present).filter(|(bit, _)| subset & (1 << bit) != 0).map(|(_, kind)| *kind).collect();
        let kinds = Kinds::of(&chosen);
        let right: Vec<EntryId> = all.iter().filter(|(_, kind)| chosen.contains(kind)).map(|(place, _)| place.entry).collect();
        assert_eq!(ids(&desk.back(Back { kinds, ..whole(thread) }).await), right, "{chosen:?}");
        let first = &right[..right.len().min(4)];
        assert_eq!(ids(&desk.back(Back { kinds, count: 4, ..whole(thread) }).await), first, "{chosen:?}");
    }
    let everything: Vec<EntryId> = all.iter().map(|(place, _)| place.entry).collect();
    assert_eq!(ids(&desk.back(whole(thread)).await), everything);
    for entry in desk.back(whole(thread)).await {
        assert_eq!(entry, desk.entry(entry.id).await);
    }
}

pub(super) async fn what_stands_between_two_places_is_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, all) = of_all_kinds(desk).await;
    let middle = Kinds::of(&[Kind::Message, Kind::ToolUse, Kind::Reset, Kind::Notice]);
    let every =
        |step| -> Vec<Option<Place>> { all.iter().step_by(step).map(|(place, _)| Some(*place)).chain([None]).collect() };
    let (afters, befores) = (every(5), every(7));
    for kinds in [Kinds::ALL, middle, Kind::Card.into()] {
        for &after in &afters {
            for &before in &befores {
                let within =
                    |place: &Place| before.is_none_or(|before| *place < before) && after.is_none_or(|after| *place > after);
                let right = all.iter().filter(|(place, kind)| kinds.contains(*kind) && within(place));
                let right: Vec<EntryId> = right.map(|(place, _)| place.entry).collect();
                let back = Back { before, after, kinds, ..whole(thread) };
                assert_eq!(ids(&desk.back(back).await), right, "{back:?}");
                let two = ids(&desk.back(Back { count: 2, ..back }).await);
                assert_eq!(two, right[..right.len().min(2)], "the newest of them: {back:?}");
            }
        }
    }
    // Places where nothing stands.
    let (after, before) = (Place { at: at(11), entry: EntryId::new(0) }, Place { at: at(29), entry: EntryId::new(9) });
    let back = Back { after: Some(after), before: Some(before), kinds: Kind::Mail.into(), ..whole(thread) };
    assert_eq!(ids(&desk.back(back).await), ids(&desk.back(Back { kinds: Kind::Mail.into(), ..whole(thread) }).await)[1..2]);
    let back = Back { after: Some(before), before: Some(after), ..whole(thread) };
    assert_eq!(desk.back(back).await, [], "nothing is behind the one and before the other");
}

/// Text of another agent is read; what it did with its tools, and its instructions, are not.
pub(super) async fn tool_use_of_other_agents_is_not_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let system = || Message::from(ModelMessage::system("Be brief."));
    let outcome = || Message::from(ModelMessage::outcome("c", "found"));
    let mut all = Vec::new();
    for (agent, second) in [(Some("sales"), 1), (None, 2), (Some("triage"), 3), (Some(""), 4), (Some("Sales"), 5)] {
        for (kind, message) in
            [(Kind::Message, said("x")), (Kind::ToolUse, used("y")), (Kind::System, system()), (Kind::ToolUse, outcome())]
        {
            let message = Message { agent: agent.map(Into::into), ..message };
            all.insert(0, (desk.put(thread, message, second).await, kind, agent));
        }
    }
    let reset = desk.reset(thread, ResetKind::Rescue, 6).await;
    all.insert(0, (reset, Kind::Reset, Some("triage")));
    let tools = Kinds::of(&[Kind::ToolUse, Kind::System]);
    for kinds in [Kinds::ALL, tools, Kind::ToolUse.into(), Kind::System.into(), Kind::Message.into(), Kind::Reset.into()] {
        for agent in [None, Some("sales"), Some("triage"), Some(""), Some("Sales"), Some("nobody")] {
            let read = |kind: Kind, of: Option<&str>| {
                kinds.contains(kind) && (!tools.contains(kind) || agent.is_none() || of.is_none() || of == agent)
            };
            let right: Vec<EntryId> = all.iter().filter(|(_, kind, of)| read(*kind, *of)).map(|(entry, ..)| *entry).collect();
            assert_eq!(ids(&desk.back(Back { kinds, agent, ..whole(thread) }).await), right, "{kinds:?} of {agent:?}");
            let first = &right[..right.len().min(3)];
            assert_eq!(ids(&desk.back(Back { kinds, agent, count: 3, ..whole(thread) }).await), first, "{agent:?}");
        }
    }
}

pub(super) async fn the_log_is_walked_from_a_number(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let threads = [desk.thread().await, desk.thread().await];
    for n in 0_usize..10 {
        desk.say(threads[n % 2], "x", 100 - i64::try_from(n).unwrap()).await;
    }
    let whole = store.log(&owner, EntryId::new(0), 100).await.unwrap();
    assert_eq!(whole.iter().map(|logged| logged.entry.id.get()).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    for logged in &whole {
        assert_eq!(Some(logged.thread), desk.thread_of(logged.entry.id).await);
        assert_eq!(logged.run, None);
    }
    assert_eq!(store.log(&owner, EntryId::new(3), 4).await.unwrap(), whole[3..7]);
    assert_eq!(store.log(&owner, EntryId::new(8), 4).await.unwrap(), whole[8..]);
    assert_eq!(store.log(&owner, EntryId::new(10), 4).await.unwrap(), []);
    assert_eq!(store.log(&owner, EntryId::new(u64::MAX), 4).await.unwrap(), []);
    assert_eq!(store.log(&owner, EntryId::new(0), 0).await.unwrap(), []);
    assert_eq!(store.entry(&owner, EntryId::new(u64::MAX)).await.unwrap(), None);
    assert_eq!(store.entry(&owner, EntryId::new(10)).await.unwrap(), None);
    assert_eq!(desk.thread_of(EntryId::new(10)).await, None);
}

/// <https://github.com/langchain-ai/langgraphjs/issues/1138>
pub(super) async fn b79_a_thousand_turns_take_a_thousand_rows_each(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let say = |n: i64, message| Append::message(message, Target::Thread(thread), live(n));
    let turns = (0..1_000).flat_map(|n| [say(n, ModelMessage::user("hi")), say(n, ModelMessage::assistant("hello"))]);
    let turns: Vec<Append> = turns.collect();
    for batch in turns.chunks(200) {
        let before = desk.len().await;
        assert_eq!(store.append(&owner, batch.to_vec()).await.unwrap().len(), 200);
        assert_eq!(desk.len().await, before + 200, "what a turn adds does not grow");
    }
    assert_eq!(store.thread(&owner, thread).await.unwrap().unwrap().entries, 2_000);
    let read = desk.back(Back { count: 2, ..whole(thread) }).await;
    assert_eq!(ids(&read), [1_999, 1_998].map(EntryId::new));
}
