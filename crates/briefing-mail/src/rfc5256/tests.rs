mod book;

use proptest::prelude::*;

use super::*;
use crate::{RawMessage, Source};

/// Mails by `id; References; In-Reply-To; subject; second`, in the order of the mailbox.
fn mails(lines: &[&str]) -> Vec<Mail> {
    let mail = |line: &&str| {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let ids = |at| field(at).split_whitespace().filter_map(MessageId::new).collect();
        Mail {
            message_id: MessageId::new(field(0)),
            references: ids(1),
            in_reply_to: ids(2),
            subject: Some(field(3).to_owned()).filter(|subject| !subject.is_empty()),
            date: field(4).parse().ok().and_then(|second| Timestamp::from_second(second).ok()),
            ..Mail::default()
        }
    };
    lines.iter().map(mail).collect()
}

fn messages(mails: &[Mail]) -> Vec<Message<'_>> {
    mails.iter().map(|mail| Message::new(mail, Timestamp::default())).collect()
}

fn by_references(lines: &[&str]) -> String {
    references(&messages(&mails(lines))).to_string()
}

#[test]
fn in_reply_to_counts_only_without_references() {
    assert_eq!(by_references(&["a", "b;;a", "c;b;a", "d;;c a"]), "(1 2 3 4)");
}

#[test]
fn what_a_message_says_of_itself_is_right() {
    // c was linked below a by d's shortened References.
    assert_eq!(by_references(&["a", "b;a", "d;a c", "c;a b"]), "(1 2 4 3)");
    assert_eq!(by_references(&["a", "d;a c", "c"]), "(1)(3 2)");
    assert_eq!(by_references(&["a", "c", "d;a c"]), "(1 2 3)");
}

#[test]
fn loops_are_not_made() {
    assert_eq!(by_references(&["a;b", "b;a"]), "(2 1)");
    assert_eq!(by_references(&["a;a", "b;a b"]), "(1)(2)");
    assert_eq!(by_references(&["a;c", "b;a", "c;b"]), "(3 1 2)");
}

#[test]
fn absent_messages_hold_together_at_the_top_only() {
    assert_eq!(by_references(&["b;x", "c;x"]), "((1)(2))");
    assert_eq!(by_references(&["b;x"]), "(1)");
    assert_eq!(by_references(&["a", "b;a x y", "c;a x y", "d;a x"]), "(1 (2)(3)(4))");
    assert_eq!(by_references(&["b;w x", "c;w x", "d;w y z"]), "((1)(2)(3))");
}

#[test]
fn siblings_stand_by_date() {
    assert_eq!(by_references(&["a;;;;9", "b;a;;;7", "c;a;;;5", "e;;;;6", "f;x;;;8", "g;x;;;4"]), "((6)(5))(4)(1 (3)(2))");
}

#[test]
fn threads_of_one_subject_are_gathered() {
    assert_eq!(by_references(&["a;;;Hi", "b;;;Re: Hi", "c;;;re: HI"]), "(1 (2)(3))");
    assert_eq!(by_references(&["b;;;Re: Hi", "a;;;Hi", "c;;;Re: Hi"]), "(2 (1)(3))");
    assert_eq!(by_references(&["a;;;Hi", "b;;;Hi", "c;;;Re: Hi"]), "((1)(2)(3))");
    assert_eq!(by_references(&["a;;;Re: Hi", "b;;;Re: Hi"]), "((1)(2))");
    assert_eq!(by_references(&["a;;;Hi", "b;x;;Hi", "c;x;;Hi"]), "((1)(2)(3))");
    assert_eq!(by_references(&["b;x;;Hi", "c;x;;Hi", "d;y;;Hi", "e;y;;Hi"]), "((1)(2)(3)(4))");
    assert_eq!(by_references(&["a", "b", "c;;;Re:"]), "(1)(2)(3)");
}

#[test]
fn a_shared_id_is_the_first_messages() {
    assert_eq!(by_references(&["a;;;one", "a;;;two", "b;a"]), "(1 3)(2)");
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!((references(&[]).to_string(), ordered_subject(&[])), (String::new(), Forest::default()));
}

#[test]
fn by_subject() {
    let mails = mails(&["a;;;Hi;3", "b;a;;Re: Hi;1", "c;;;;2", "d;;;hi;4", "e;;;;9"]);
    let forest = ordered_subject(&messages(&mails));
    assert_eq!(forest.to_string(), "(2 (1)(4))(3 5)");
    assert_eq!(
        forest.roots().iter().map(|&root| forest.messages(root).collect()).collect::<Vec<Vec<_>>>(),
        [vec![1, 0, 3], vec![2, 4]]
    );
}

/// Ids as the parser hands them over: brackets, blanks and commas do not matter.
#[test]
fn a_parsed_mail_is_a_message() {
    let parse = |text: &str| {
        let source = Source { path: "m".into(), number: 1, offset: 0 };
        RawMessage { source, bytes: text.into(), size: 0 }.parse().mail
    };
    let mails = [
        parse("Message-ID: <a@x>\n\n"),
        parse("Message-ID: b@x\nReferences: <z@x><a@x>\n\n"),
        parse("References: a@x,b@x\n\n"),
    ];
    assert_eq!(references(&messages(&mails)).to_string(), "(1 2 3)");
}

fn id(number: usize) -> MessageId {
    MessageId::new(&format!("{number}@x")).unwrap()
}

/// The mails of a chain, each with the one before it as its only reference.
fn chain(length: usize) -> Vec<Mail> {
    let mail = |number: usize| Mail {
        message_id: Some(id(number)),
        references: number.checked_sub(1).map(id).into_iter().collect(),
        ..Mail::default()
    };
    (0..length).map(mail).collect()
}

fn timely(messages: &[Message<'_>]) -> Forest {
    let start = std::time::Instant::now();
    let forest = references(messages);
    assert_eq!(forest.to_string().matches(char::is_numeric).count() > 0, !messages.is_empty());
    drop(forest.clone());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    forest
}

#[test]
fn a_hundred_thousand_levels() {
    let mails = chain(100_000);
    let straight = messages(&mails);
    let forest = timely(&straight);
    assert_eq!(forest.messages(forest.roots()[0]).collect::<Vec<_>>(), (0..100_000).collect::<Vec<_>>());
    let backwards: Vec<Message<'_>> = straight.iter().rev().copied().collect();
    assert_eq!(timely(&backwards).roots().len(), 1);
    // From the middle outwards, so that neither end is a root for long.
    let mut mixed = straight.clone();
    mixed.sort_by_key(|message| blake3::hash(message.message_id.unwrap().as_str().as_bytes()).to_string());
    assert_eq!(timely(&mixed).roots().len(), 1);
}

#[test]
fn a_hundred_thousand_references_to_nothing() {
    let ids: Vec<MessageId> = (0..100_000).map(id).collect();
    let deep = [Message { references: &ids, ..Message::default() }, Message { references: &ids, ..Message::default() }];
    assert_eq!(timely(&deep).to_string(), "((1)(2))");
}

#[test]
fn small_trees_below_a_deep_one() {
    let mut mails = chain(50_000);
    let bottom = id(49_999);
    let hang = |number: usize| {
        let (top, leaf) = (id(number), id(number + 1));
        let leaf = Mail { message_id: Some(leaf), references: vec![top.clone()], ..Mail::default() };
        [leaf, Mail { message_id: Some(top), references: vec![bottom.clone()], ..Mail::default() }]
    };
    mails.extend((0..25_000).flat_map(|number| hang(100_000 + 2 * number)));
    assert_eq!(timely(&messages(&mails)).roots().len(), 1);
}

fn mail_strategy() -> impl Strategy<Value = Mail> {
    let id = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g"]);
    let ids = |count| prop::collection::vec(id(), 0..count).prop_map(|ids| ids.join(" "));
    let subject = prop::sample::select(vec!["", "Hi", "Re: Hi", "Yo", "[fwd: yo]"]);
    (ids(2), ids(4), ids(2), subject, 0..3).prop_map(|(id, references, reply, subject, second)| {
        mails(&[&format!("{id};{references};{reply};{subject};{second}")]).remove(0)
    })
}

proptest! {
    #[test]
    fn it_is_what_the_steps_give(mails in prop::collection::vec(mail_strategy(), 0..14)) {
        let messages = messages(&mails);
        prop_assert_eq!(references(&messages).to_string(), book::references(&messages));
    }

    #[test]
    fn each_message_stands_once_and_siblings_by_date(mails in prop::collection::vec(mail_strategy(), 0..14)) {
        let messages = messages(&mails);
        for forest in [references(&messages), ordered_subject(&messages)] {
            let mut all: Vec<usize> = forest.roots().iter().flat_map(|&root| forest.messages(root)).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..mails.len()).collect::<Vec<_>>());
            let mut open = vec![forest.roots()];
            while let Some(siblings) = open.pop() {
                let key = |node: &NodeId| {
                    let first = forest.message(*node).or_else(|| forest.message(forest.children(*node)[0])).unwrap();
                    (messages[first].date(), first)
                };
                prop_assert!(siblings.is_sorted_by_key(key));
                for &node in siblings {
                    open.push(forest.children(node));
                    // Only a node at the top may lack a message, and then it holds several together.
                    prop_assert!(forest.message(node).is_some() || forest.roots().contains(&node) && forest.children(node).len() > 1);
                }
            }
        }
    }
}
