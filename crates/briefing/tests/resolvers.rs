//! The bundled resolvers and the chain: every rule of theirs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use briefing::log::{Address, Arrival, Attachment, AttachmentId, Cause, Delivery, Direction, Mail, MemoryLog, OwnerLog, Run};
use briefing::message::{Assistant, Item, ModelMessage, Outcome, OwnerId, Part, RunId, ToolCall, messages_to_json};
use briefing::persona::Role;
use briefing::resolvers::TextRole;
use briefing::{
    AssembleError, Bounds, Briefing, Call, Chain, Class, Context, Contribution, FileReason, Inbound, LoadFile, LoadRecord,
    LoadText, Persona, Piece, PrefixChange, ResolveError, Resolver, Responsibility, Rule, Subject, ThreadHistory,
};
use jiff::Timestamp;
use serde_json::json;

const SUNDAE: &str = "sundae@scoop.example";

fn persona(chain: Chain) -> Persona {
    Persona::new(&Role::new().message(chain), "Sundae", SUNDAE).unwrap().with_instructions("  Be kind.\n")
}

fn inbound(text: &str) -> Mail {
    Mail {
        direction: Direction::Inbound,
        from: vec![Address::new("Ann <ann@customer.example>")],
        to: vec![Address::new(SUNDAE)],
        subject: Some("Order 7".to_owned()),
        body: Some(text.into()),
        ..Mail::default()
    }
}

struct World {
    log: OwnerLog,
    cx: Context,
}

fn world() -> World {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let entry = log.append_mail(thread, inbound("Where is it?"), Arrival::Live(Timestamp::UNIX_EPOCH)).unwrap();
    let subject = Subject::Message(Inbound::new(entry, thread).unwrap());
    let (history, files) = (Arc::new(log.clone()), Arc::new(log.clone()));
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, history, files);
    World { log, cx }
}

fn scheduled() -> Context {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let duty = Responsibility { name: "digest".to_owned(), instructions: "Write the digest.".to_owned() };
    let (history, files) = (Arc::new(log.clone()), Arc::new(log));
    Context::new(Arc::new(persona(Chain::new())), Subject::Responsibility(duty), Timestamp::UNIX_EPOCH, history, files)
}

fn assemble(chain: &Chain, cx: &Context) -> Result<Briefing, AssembleError> {
    pollster::block_on(chain.assemble(cx, &Call::model("gpt-5", None), &Bounds::none()))
}

/// What the chain alone gives, without the current message.
fn given(chain: Chain, cx: &Context) -> Vec<ModelMessage> {
    let briefing = assemble(&chain, cx).unwrap();
    let given = briefing.units().iter().filter(|placed| placed.class() != Class::Current);
    given.flat_map(|placed| placed.unit().messages()).collect()
}

fn error(chain: Chain, cx: &Context) -> String {
    assemble(&chain, cx).unwrap_err().to_string()
}

#[test]
fn text_is_trimmed_and_blank_or_none_is_nothing() {
    let world = world();
    let chain = Chain::new()
        .with(|| LoadText::system(|cx| cx.persona().instructions()))
        .with(|| LoadText::system(|_| "\u{a0}\n"))
        .with(|| LoadText::user(|_| None::<String>))
        .with(|| LoadText::user(|_| " hello "));
    assert_eq!(given(chain, &world.cx), [ModelMessage::system("Be kind."), ModelMessage::user("hello")]);
}

#[test]
fn records_are_pretty_json_joined_by_a_blank_line() {
    let world = world();
    let menu = || vec![json!({"name": "Lemon", "price": 3, "secret": 1}), json!({"name": "Mint"}), json!(null)];
    let chain = Chain::new()
        .with(move || LoadRecord::new(move |_| menu()).fields(["name", "price"]))
        .with(move || {
            LoadRecord::new(move |_| menu()).user().each(|record| record["name"].as_str().map(|name| format!("- {name}")))
        })
        .with(|| LoadRecord::new(|_| Vec::<String>::new()))
        .with(|| LoadRecord::new(|_| ["", " "]));
    let pretty = "{\n  \"name\": \"Lemon\",\n  \"price\": 3\n}\n\n{\n  \"name\": \"Mint\"\n}";
    assert_eq!(given(chain, &world.cx), [ModelMessage::system(pretty), ModelMessage::user("- Lemon\n\n- Mint")]);
}

#[test]
fn a_file_is_untrimmed_and_looked_up_below_the_root() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "\u{feff} text \n").unwrap();
    std::fs::write(folder.path().join("blank.md"), " \n").unwrap();
    let cx = world().cx.with_root(folder.path());
    let absolute = folder.path().join("a.md");
    let chain = Chain::new()
        .with(|| LoadFile::system("a.md"))
        .with(|| LoadFile::system("blank.md"))
        .with(move || LoadFile::user(absolute.clone()))
        .with(|| LoadFile::block(TextRole::User, |_| Ok("./a.md".to_owned())));
    let text = " text \n";
    assert_eq!(given(chain, &cx), [ModelMessage::system(text), ModelMessage::user(text), ModelMessage::user(text)]);
}

#[test]
fn each_fault_of_a_file_is_its_own_error_naming_both_paths() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("latin1.md"), b"caf\xe9").unwrap();
    std::fs::write(folder.path().join("outside.md"), "secret").unwrap();
    std::os::unix::fs::symlink(folder.path().join("outside.md"), root.join("link.md")).unwrap();
    let cx = world().cx.with_root(&root);
    let fixed = |path: &'static str| error(Chain::new().with(move || LoadFile::system(path)), &cx);
    let made = |path: &'static str| {
        error(Chain::new().with(move || LoadFile::block(TextRole::System, move |_| Ok(path.to_owned()))), &cx)
    };
    let shown = |path: &str| root.join(path).display().to_string();
    assert_eq!(
        fixed("no.md"),
        format!("the resolver LoadFile failed: no file \"no.md\" (looked up at \"{}\")", shown("no.md"))
    );
    assert_eq!(fixed("."), format!("the resolver LoadFile failed: \".\" is a folder (looked up at \"{}\")", shown(".")));
    assert_eq!(
        fixed("latin1.md/x"),
        format!("the resolver LoadFile failed: no file \"latin1.md/x\" (looked up at \"{}\")", shown("latin1.md/x"))
    );
    assert_eq!(fixed(""), "the resolver LoadFile failed: the path of a file is empty");
    assert!(fixed("latin1.md").contains("is not UTF-8 at byte 3"), "{}", fixed("latin1.md"));
    for path in ["../outside.md", "link.md", "/etc/passwd", "../no-such-file", "/no/such/file"] {
        assert!(made(path).contains("leads out of the root"), "{path}: {}", made(path));
    }
    assert!(made("no.md").contains("no file"));
}

/// Theirs.
struct CustomerRecord;

impl Resolver for CustomerRecord {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        let Some(message) = cx.message() else { return Ok(Contribution::none()) };
        Ok(ModelMessage::system(format!("customer: {}", message.mail().unwrap().from[0].email)).into())
    }
}

struct Failing;

impl Resolver for Failing {
    async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
        Err("the shop is closed".into())
    }
}

#[test]
fn resolvers_contribute_in_declared_order_then_the_current_message() {
    let world = world();
    let chain = Chain::new().with(|| LoadText::system(|_| "one")).with(|| CustomerRecord).with(ThreadHistory::default);
    let briefing = assemble(&chain, &world.cx).unwrap();
    let current = "From: Ann <ann@customer.example>\nTo: sundae@scoop.example\nCc: \nDate: \nSubject: Order 7\n\nWhere is it?";
    let expected =
        [ModelMessage::system("one"), ModelMessage::system("customer: ann@customer.example"), ModelMessage::user(current)];
    assert_eq!(briefing.messages().collect::<Vec<_>>(), expected);
}

#[test]
fn a_resolver_that_fails_fails_the_run_and_is_named() {
    assert_eq!(error(Chain::new().with(|| Failing), &world().cx), "the resolver Failing failed: the shop is closed");
}

#[test]
fn each_run_gets_a_resolver_of_its_own() {
    let made = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&made);
    let chain = Chain::new().with(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        LoadText::system(|_| "x")
    });
    let cx = world().cx;
    for _ in 0..3 {
        assemble(&chain, &cx).unwrap();
    }
    assert_eq!(made.load(Ordering::Relaxed), 3);
}

#[test]
fn a_scheduled_run_has_no_history_and_no_current_message() {
    let chain = Chain::new()
        .with(|| LoadText::system(|cx| cx.persona().instructions()))
        .with(ThreadHistory::default)
        .with(|| CustomerRecord)
        .with(|| LoadText::user(|cx| cx.responsibility().map(|duty| duty.instructions.clone())));
    let briefing = assemble(&chain, &scheduled()).unwrap();
    assert_eq!(
        briefing.messages().collect::<Vec<_>>(),
        [ModelMessage::system("Be kind."), ModelMessage::user("Write the digest.")]
    );
}

#[test]
fn the_current_mail_brings_its_files_as_parts_and_reads_them_as_lines_later() {
    let World { log, .. } = world();
    let thread = log.new_thread();
    let attachment = |id: &str, media_type: &str| Attachment {
        id: AttachmentId::new(id),
        filename: Some(format!("{id}.bin")),
        media_type: media_type.to_owned(),
        size: Some(3),
        inline: false,
    };
    let files = vec![
        attachment("a", "image/png"),
        attachment("b", "application/pdf"),
        attachment("c", "text/csv"),
        attachment("gone", "image/png"),
    ];
    ["a", "b", "c"].iter().for_each(|id| log.put_file(AttachmentId::new(*id), *b"abc"));
    let entry =
        log.append_mail(thread, Mail { attachments: files, ..inbound("see") }, Arrival::Live(Timestamp::UNIX_EPOCH)).unwrap();
    let ports = Arc::new(log.clone());
    let context = |entry| {
        let subject = Subject::Message(Inbound::new(entry, thread).unwrap());
        Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports.clone())
    };
    let chain = Chain::new().with(ThreadHistory::default);
    let kinds = |briefing: Briefing| {
        let kinds = briefing.messages().map(|message| match message {
            ModelMessage::User(user) => user
                .parts
                .iter()
                .map(|part| match part {
                    Part::Text(_) => "text",
                    Part::Image(_) => "image",
                    Part::Document(_) => "document",
                    Part::Native(_) => "native",
                })
                .collect::<Vec<_>>(),
            _ => panic!("users only"),
        });
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(kinds(assemble(&chain, &context(entry)).unwrap()), [["text", "image", "document"]]);
    let next = log.append_mail(thread, inbound("and?"), Arrival::Live(Timestamp::from_second(1).unwrap())).unwrap();
    assert_eq!(kinds(assemble(&chain, &context(next)).unwrap()), [["text"], ["text"]]);
}

#[test]
fn rounds_so_far_stand_behind_the_current_message() {
    let world = world();
    let rounds: Vec<Piece> = [ModelMessage::calls([ToolCall::new("c1", "find", "{}")]), ModelMessage::outcome("c1", "found")]
        .map(Piece::from)
        .into();
    let chain = Chain::new().with(|| LoadText::system(|_| "one"));
    let call = Call::model("gpt-5", None);
    let briefing = pollster::block_on(chain.assemble_run(&world.cx, &rounds, &call, &Bounds::none())).unwrap();
    let classes: Vec<Class> = briefing.units().iter().map(|placed| placed.class()).collect();
    assert_eq!(classes, [Class::Fixed, Class::Current, Class::Run]);
}

/// <https://github.com/mastra-ai/mastra/issues/16193>
#[test]
fn b10_recall_goes_through_the_same_repair() {
    struct HalfAnExchange;
    impl Resolver for HalfAnExchange {
        async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
            let pieces = [ModelMessage::outcome("b", "1"), ModelMessage::calls([ToolCall::new("d", "find", "{}")])];
            Ok(Contribution::of(Class::Recall, pieces.map(Piece::from).into()))
        }
    }
    let shown = given(Chain::new().with(|| HalfAnExchange), &world().cx);
    let shown = messages_to_json(&shown);
    assert!(!shown.contains("\"b\"") && shown.contains("[no outcome was recorded for this call]"), "{shown}");
}

/// <https://github.com/mastra-ai/mastra/issues/9892>
#[test]
fn b43_bounds_hold_for_recall_too() {
    struct Recalled;
    impl Resolver for Recalled {
        async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
            let pieces = (0..20).map(|n| ModelMessage::user(format!("{n} {}", "x".repeat(98))).into());
            Ok(Contribution::of(Class::Recall, pieces.collect()))
        }
    }
    let chain = Chain::new().with(|| Recalled).with(ThreadHistory::default);
    let bounds = Bounds::none().chars(1_000);
    let briefing = pollster::block_on(chain.assemble(&world().cx, &Call::model("gpt-5", None), &bounds)).unwrap();
    assert!(briefing.receipt().total().chars <= 1_000);
    assert_eq!(briefing.units().iter().filter(|placed| placed.class() == Class::Recall).count(), 8);
}

#[test]
fn ids_that_repeat_in_a_thread_are_numbered_at_append() {
    let World { log, cx } = world();
    let (trigger, thread) = (cx.message().unwrap().entry().id, cx.message().unwrap().thread());
    let run = RunId::new("r");
    log.begin_run(Run { id: run.clone(), thread, cause: Cause::Message(trigger), persona: SUNDAE.into() }).unwrap();
    let said = || Assistant { items: vec![Item::Call(ToolCall::new("call_0", "find", "{}"))], ..Assistant::default() };
    let first = log.append_round(&run, 0, said(), Timestamp::UNIX_EPOCH).unwrap();
    let second = log.append_round(&run, 1, said(), Timestamp::UNIX_EPOCH).unwrap();
    let id = |round: &briefing::log::RecordedRound| round.said.calls().next().unwrap().id.clone();
    assert_eq!((id(&first).repeat(), id(&second).repeat()), (0, 1));
    log.append_outcome(&run, Outcome::text(id(&second), "two"), Timestamp::UNIX_EPOCH).unwrap();
    assert!(log.append_outcome(&run, Outcome::text("call_9", "x"), Timestamp::UNIX_EPOCH).is_err());
}

struct Gives(Class, Vec<&'static str>);

impl Resolver for Gives {
    async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
        Ok(Contribution::of(self.0, self.1.iter().map(|text| ModelMessage::user(*text).into()).collect()))
    }
}

fn bounded(chain: &Chain, cx: &Context, bounds: &Bounds) -> Briefing {
    pollster::block_on(chain.assemble(cx, &Call::model("gpt-5", None), bounds)).unwrap()
}

#[test]
fn pieces_without_an_entry_keep_their_order() {
    for class in [Class::Pinned, Class::Recall, Class::Summary] {
        let chain = Chain::new().with(move || Gives(class, vec!["one", "two", "three"]));
        let expected = ["one", "two", "three"].map(ModelMessage::user);
        assert_eq!(given(chain, &world().cx), expected, "{class}");
    }
}

#[test]
fn what_a_run_gives_itself_is_no_resolvers_to_give() {
    let chain = Chain::new().with(|| Gives(Class::Current, vec!["me"]));
    assert_eq!(error(chain, &world().cx), "the resolver Gives contributed to current, which the run itself gives");
}

#[test]
fn fixed_text_behind_other_text_counts_as_messages() {
    let chain = Chain::new()
        .with(|| LoadText::system(|_| "head"))
        .with(|| Gives(Class::Pinned, vec!["note"]))
        .with(|| LoadText::system(|_| "behind"));
    let total = bounded(&chain, &world().cx, &Bounds::none()).receipt().total();
    assert_eq!(total.messages, 3);
}

#[test]
fn a_summary_has_room_for_one_message_however_few_there_are() {
    let World { log, cx } = world();
    let thread = cx.message().unwrap().thread();
    for second in 1..20 {
        log.append_mail(thread, inbound("more"), Arrival::Live(Timestamp::from_second(second).unwrap())).unwrap();
    }
    let last = log.append_mail(thread, inbound("last"), Arrival::Live(Timestamp::from_second(99).unwrap())).unwrap();
    let subject = Subject::Message(Inbound::new(last, thread).unwrap());
    let ports = Arc::new(log.clone());
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let chain = Chain::new().with(|| Gives(Class::Summary, vec!["recap"])).with(ThreadHistory::default);
    let briefing = bounded(&chain, &cx, &Bounds::none().messages(5));
    let classes: Vec<Class> = briefing.units().iter().map(|placed| placed.class()).collect();
    assert_eq!(classes, [Class::Summary, Class::History, Class::History, Class::History, Class::Current]);
}

#[test]
fn history_is_told_once_whoever_tells_it() {
    let World { log, cx } = world();
    let thread = cx.message().unwrap().thread();
    let last = log.append_mail(thread, inbound("last"), Arrival::Live(Timestamp::from_second(9).unwrap())).unwrap();
    let subject = Subject::Message(Inbound::new(last, thread).unwrap());
    let ports = Arc::new(log.clone());
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let chain = Chain::new().with(ThreadHistory::default).with(ThreadHistory::default);
    let briefing = bounded(&chain, &cx, &Bounds::none());
    assert_eq!(briefing.units().len(), 2);
    assert_eq!(briefing.receipt().lines().len(), 1);
}

#[test]
fn the_views_limit_is_a_known_cause_of_another_beginning() {
    let World { log, cx } = world();
    let thread = cx.message().unwrap().thread();
    for second in 1..5 {
        log.append_mail(thread, inbound("more"), Arrival::Live(Timestamp::from_second(second).unwrap())).unwrap();
    }
    let last = log.append_mail(thread, inbound("last"), Arrival::Live(Timestamp::from_second(9).unwrap())).unwrap();
    let subject = Subject::Message(Inbound::new(last, thread).unwrap());
    let ports = Arc::new(log.clone());
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let limited =
        |limit: usize| bounded(&Chain::new().with(move || ThreadHistory::default().limit(limit)), &cx, &Bounds::none());
    assert_eq!(limited(2).receipt().changes(), [PrefixChange::WindowStepped]);
    assert_eq!(limited(usize::MAX).receipt().changes(), []);
    assert_eq!(limited(usize::MAX).units().len(), 6);
}

#[test]
fn rounds_of_scheduled_work_stand_before_what_it_wrote() {
    let World { log, cx } = world();
    let thread = cx.message().unwrap().thread();
    let run = RunId::new("digest");
    let cause = Cause::Responsibility("digest".to_owned());
    log.begin_run(Run { id: run.clone(), thread, cause, persona: SUNDAE.into() }).unwrap();
    let said = Assistant { items: vec![Item::Call(ToolCall::new("c1", "find", "{}"))], ..Assistant::default() };
    let round = log.append_round(&run, 0, said, Timestamp::from_second(1).unwrap()).unwrap();
    log.append_outcome(&run, Outcome::text(round.said.calls().next().unwrap().id.clone(), "x"), Timestamp::UNIX_EPOCH).unwrap();
    let own =
        Mail { direction: Direction::Outbound(Delivery::Sent), from: vec![Address::new(SUNDAE)], ..inbound("The digest") };
    let wrote = log.append_mail(thread, own, Arrival::Live(Timestamp::from_second(2).unwrap())).unwrap();
    log.wrote(&run, wrote.id).unwrap();
    let last = log.append_mail(thread, inbound("thanks"), Arrival::Live(Timestamp::from_second(9).unwrap())).unwrap();
    let subject = Subject::Message(Inbound::new(last, thread).unwrap());
    let ports = Arc::new(log.clone());
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let briefing = bounded(&Chain::new().with(ThreadHistory::default), &cx, &Bounds::none());
    let roles: Vec<&str> = briefing.messages().map(|message| message.role().name()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
}

#[test]
fn a_file_of_the_current_mail_that_cannot_go_is_told() {
    let World { log, .. } = world();
    let thread = log.new_thread();
    let attachment = |id: &str, size| Attachment {
        id: AttachmentId::new(id),
        filename: None,
        media_type: "image/png".to_owned(),
        size: Some(size),
        inline: false,
    };
    log.put_file(AttachmentId::new("large"), vec![1; 10]);
    let files = vec![attachment("gone", 3), attachment("large", 40_000_000)];
    let mail = Mail { attachments: files, ..inbound("see") };
    let entry = log.append_mail(thread, mail, Arrival::Live(Timestamp::UNIX_EPOCH)).unwrap();
    let subject = Subject::Message(Inbound::new(entry, thread).unwrap());
    let ports = Arc::new(log.clone());
    let cx = Context::new(Arc::new(persona(Chain::new())), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let briefing = bounded(&Chain::new(), &cx, &Bounds::none());
    let rules: Vec<Rule> = briefing.receipt().lines().iter().map(|line| line.rule.clone()).collect();
    assert_eq!(rules, [FileReason::Missing, FileReason::TooLarge].map(|why| Rule::FileAsLine { why }));
}
