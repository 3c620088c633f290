//! What was read out of files.

use briefing::log::{Attachment, AttachmentId};
use briefing::message::OwnerId;
use briefing::ports::FileText;

use super::desk::{Desk, at, full_mail, listed, live, mail, said};
use crate::{Append, Forget, KeptText, KnownFile, Store};

fn kept(version: u32, text: &str, partial: bool) -> KeptText {
    KeptText { version, text: Some(FileText { text: text.into(), partial }) }
}

async fn keep(desk: Desk<'_>, id: &str, text: KeptText) {
    desk.store.keep_text(desk.owner, &AttachmentId::new(id), text).await.unwrap();
}

fn known(file: Attachment, text: Option<&KeptText>) -> KnownFile {
    KnownFile { file, text: text.cloned() }
}

pub(super) async fn a_text_is_kept_for_all_files_of_one_content(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let large = vec![7; 200_000];
    desk.put_with(thread, said("x"), &[("a", b"plan"), ("b", &large), ("c", b"plan")], 1).await;
    let mailed = full_mail(mail("a@x", "", "ann"), b"raw", &large);
    let in_mail = mailed.mail.attachments[0].clone();
    desk.append(Append::mail(mailed, live(2))).await;
    let (a, b, c) = (listed("a", b"plan"), listed("b", &large), listed("c", b"plan"));
    let of = |file: &Attachment, text: Option<&KeptText>| known(file.clone(), text);
    assert_eq!(desk.texts(&["c", "a", "nobody's"]).await, [of(&c, None), of(&a, None)]);
    let plan = kept(1, "The plan.\r\n\u{0}", false);
    keep(desk, "c", plan.clone()).await;
    assert_eq!(desk.texts(&["a", "b", "c"]).await, [of(&a, Some(&plan)), of(&b, None), of(&c, Some(&plan))]);
    let long = kept(1, &"ü".repeat(100_000), true);
    keep(desk, in_mail.id.as_str(), long.clone()).await;
    let both = [of(&b, Some(&long)), of(&in_mail, Some(&long)), of(&b, Some(&long))];
    assert_eq!(desk.texts(&["b", in_mail.id.as_str(), "b"]).await, both, "in the order of the asked");
    assert_eq!(desk.texts(&[]).await, []);
    // One that comes later has it too; one whose content was not kept has none, and is known.
    desk.put_with(thread, said("y"), &[("d", b"plan")], 3).await;
    desk.put(thread, briefing::log::Message { attachments: vec![listed("e", b"plan")], ..said("z") }, 4).await;
    keep(desk, "e", kept(9, "never", false)).await;
    keep(desk, "nobody's", kept(9, "never", false)).await;
    assert_eq!(desk.texts(&["d", "e"]).await, [known(listed("d", b"plan"), Some(&plan)), known(listed("e", b"plan"), None)]);
    assert_eq!(desk.find("plan").await, [], "a text is no part of its message");
}

pub(super) async fn a_newer_text_takes_the_place_of_the_older(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    desk.put_with(thread, said("x"), &[("a", b"plan")], 1).await;
    let versions = [
        KeptText { version: 1, text: None },
        kept(2, "", true),
        kept(2, "text", false),
        KeptText { version: 3, text: None },
        kept(u32::MAX, "last", true),
    ];
    for version in versions {
        keep(desk, "a", version.clone()).await;
        assert_eq!(desk.texts(&["a"]).await, [known(listed("a", b"plan"), Some(&version))]);
    }
}

/// The first entry that holds a file tells what it is.
pub(super) async fn a_file_is_known_as_it_was_first_listed(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let full = Attachment { filename: None, media_type: "Odd/Type".to_owned(), size: None, inline: true, ..listed("a", b"1") };
    let first = briefing::log::Message { attachments: vec![full.clone()], ..said("x") };
    let entry = desk.put(thread, first, 1).await;
    assert_eq!(desk.texts(&["a"]).await, [known(full.clone(), None)]);
    // Its content may come later.
    desk.put_with(thread, said("y"), &[("a", b"1")], 5).await;
    let text = kept(1, "one", false);
    keep(desk, "a", text.clone()).await;
    assert_eq!(desk.texts(&["a"]).await, [known(full.clone(), Some(&text))]);
    // Neither an edit nor a pop makes it unknown; an edit may list one of its own.
    desk.edit(entry, briefing::log::Message { attachments: vec![listed("b", b"2")], ..said("z") }, 6).await;
    desk.pop(thread, 7).await;
    assert_eq!(desk.texts(&["a", "b"]).await, [known(full, Some(&text)), known(listed("b", b"2"), None)]);
    store.forget(&owner, &Forget::Before(at(5)), at(9)).await.unwrap();
    assert_eq!(desk.texts(&["a", "b"]).await, [known(listed("a", b"1"), Some(&text))]);
}

pub(super) async fn a_text_is_forgotten_with_the_content(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (one, two) = (desk.thread().await, desk.thread().await);
    desk.put_with(one, said("x"), &[("a", b"plan")], 1).await;
    desk.put_with(two, said("x"), &[("b", b"plan")], 2).await;
    let text = kept(1, "The plan.", false);
    keep(desk, "a", text.clone()).await;
    store.forget(&owner, &Forget::Thread(one), at(9)).await.unwrap();
    assert_eq!(desk.texts(&["a", "b"]).await, [known(listed("b", b"plan"), Some(&text))]);
    keep(desk, "a", kept(2, "never", false)).await;
    assert_eq!(desk.texts(&["b"]).await, [known(listed("b", b"plan"), Some(&text))]);
    store.forget(&owner, &Forget::Thread(two), at(9)).await.unwrap();
    assert_eq!(desk.texts(&["a", "b"]).await, []);
    // Nothing of it is left for the same content.
    desk.put_with(one, said("x"), &[("c", b"plan")], 10).await;
    assert_eq!(desk.texts(&["c"]).await, [known(listed("c", b"plan"), None)]);
}
