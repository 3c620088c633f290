//! Records by a query: which parameters there are, what is bound to them, and what the model reads of the records.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing::log::{Address, Arrival, Mail, MemoryLog, MessageId, OwnerLog};
use briefing::message::{ModelMessage, OwnerId};
use briefing::persona::{LoadedPersona, PersonaWarning, Role};
use briefing::ports::{Parameter, PortError, PortFuture, Query, QueryError, Records, Rows};
use briefing::{
    AssembleError, Bounds, Briefing, Call, Chain, Class, Context, Inbound, Line, LoadRecord, Origin, Persona, Responsibility,
    Rule, Subject,
};
use jiff::Timestamp;
use serde_json::{Value, json};

type Asked = (Query, Vec<(String, Parameter)>);

/// Gives what it was told to give, and remembers what it was asked.
#[derive(Default)]
struct Told {
    rows: Rows,
    asked: Mutex<Vec<Asked>>,
}

impl Told {
    fn new(records: &[Value], more: bool) -> Arc<Self> {
        let records = records.iter().map(|record| record.as_object().unwrap().clone()).collect();
        Arc::new(Self { rows: Rows { records, more }, asked: Mutex::default() })
    }

    fn bound(&self) -> Vec<(String, Parameter)> {
        self.asked.lock().unwrap().pop().unwrap().1
    }
}

impl Records for Told {
    fn select<'a>(&'a self, query: &'a Query, parameters: &'a [(String, Parameter)]) -> PortFuture<'a, Rows> {
        self.asked.lock().unwrap().push((query.clone(), parameters.to_vec()));
        Box::pin(std::future::ready(Ok(self.rows.clone())))
    }
}

struct Closed;

impl Records for Closed {
    fn select<'a>(&'a self, _: &'a Query, _: &'a [(String, Parameter)]) -> PortFuture<'a, Rows> {
        Box::pin(std::future::ready(Err(PortError { what: "records", source: "the shop is closed".into() })))
    }
}

fn query(sql: &str) -> Query {
    Query::new("shop.db", sql).unwrap()
}

fn ann() -> Mail {
    Mail {
        message_id: MessageId::new("<m1@customer.example>"),
        from: vec![Address::new("Ann <Ann@customer.example>")],
        to: vec![Address::new("sundae@scoop.example"), Address::new("\"B\" <b@x.example>"), Address::new("")],
        subject: Some("Order 7".to_owned()),
        body: Some("Where is it?".into()),
        ..Mail::default()
    }
}

fn log() -> OwnerLog {
    MemoryLog::default().owner(&OwnerId::default())
}

fn context(log: &OwnerLog, subject: Subject) -> Context {
    let persona = Persona::new(&Role::new().message(Chain::new()), "Sundae", "sundae@scoop.example").unwrap();
    let now = Timestamp::from_second(1_700_000_000).unwrap();
    Context::new(Arc::new(persona), subject, now, Arc::new(log.clone()), Arc::new(log.clone()))
}

fn reply(mail: Mail) -> Context {
    let log = log();
    let thread = log.new_thread();
    let entry = log.append_mail(thread, mail, Arrival::Live(Timestamp::UNIX_EPOCH)).unwrap();
    context(&log, Subject::Message(Inbound::new(entry, thread).unwrap()))
}

fn scheduled() -> Context {
    let duty = Responsibility { name: "digest".to_owned(), instructions: "Write the digest.".to_owned() };
    context(&log(), Subject::Responsibility(duty))
}

fn assemble(records: LoadRecord, cx: &Context) -> Result<Briefing, AssembleError> {
    let chain = Chain::new().with(move || records.clone());
    pollster::block_on(chain.assemble(cx, &Call::model("gpt-5", None), &Bounds::none()))
}

/// What the chain alone gives, without the current message.
fn given(briefing: &Briefing) -> Vec<ModelMessage> {
    let given = briefing.units().iter().filter(|placed| placed.class() != Class::Current);
    given.flat_map(|placed| placed.unit().messages()).collect()
}

/// What is bound to the parameters of that query in that run.
fn bound(sql: &str, cx: Context) -> Vec<(String, Parameter)> {
    let told = Told::new(&[], false);
    assemble(LoadRecord::query(query(sql)), &cx.with_records(told.clone())).unwrap();
    told.bound()
}

fn pairs<const N: usize>(pairs: [(&str, Parameter); N]) -> Vec<(String, Parameter)> {
    pairs.map(|(name, value)| (name.to_owned(), value)).into()
}

fn text(text: &str) -> Parameter {
    Parameter::Text(text.to_owned())
}

const ALL: &str = "select :from_address, :from_name, :to_addresses, :subject, :message_id, :thread, :persona_name, \
                   :persona_address, :owner, :now, :correlation_id, :responsibility, :config_shop, :config_most, :config_no";

#[test]
fn records_of_a_query_read_like_those_of_a_block() {
    let records = [json!({"name": "Ann", "tier": "gold", "secret": 1}), json!({"name": "Ben", "tier": null, "secret": 2})];
    let told = Told::new(&records, false);
    let cx = reply(ann()).with_records(told);
    let asked = query("select name, tier, secret from customers");
    let loaded = assemble(LoadRecord::query(asked.clone()).fields(["tier", "name"]), &cx).unwrap();
    let pretty = "{\n  \"tier\": \"gold\",\n  \"name\": \"Ann\"\n}\n\n{\n  \"tier\": null,\n  \"name\": \"Ben\"\n}";
    assert_eq!(given(&loaded), [ModelMessage::system(pretty)]);
    assert_eq!(loaded.receipt().lines(), []);
    let each = LoadRecord::query(asked).user().each(|record| record["name"].as_str().map(|name| format!("- {name}")));
    assert_eq!(given(&assemble(each, &cx).unwrap()), [ModelMessage::user("- Ann\n\n- Ben")]);
    let none = assemble(LoadRecord::query(query("select 1")), &cx.with_records(Told::new(&[], false))).unwrap();
    assert_eq!(given(&none), []);
}

#[derive(serde::Serialize)]
enum Order {
    Open { number: u32, lines: Vec<(String, f64)> },
    Closed,
    Odd(std::collections::BTreeMap<(u8, u8), u8>),
}

#[test]
fn a_block_gives_any_value_that_can_be_serialised() {
    let orders = || [Order::Open { number: 7, lines: vec![("Lemon".into(), 0.5)] }, Order::Closed];
    let briefing = assemble(LoadRecord::new(move |_| orders()), &reply(ann())).unwrap();
    let pretty = r#"{
  "Open": {
    "number": 7,
    "lines": [
      [
        "Lemon",
        0.5
      ]
    ]
  }
}

Closed"#;
    assert_eq!(given(&briefing), [ModelMessage::system(pretty)]);
    let odd = LoadRecord::new(|_| vec![Order::Closed, Order::Odd([((1, 2), 3)].into())]);
    assert_eq!(
        assemble(odd, &reply(ann())).unwrap_err().to_string(),
        "the resolver LoadRecord failed: record 1 cannot be written as JSON: key must be a string"
    );
}

#[test]
fn a_query_cut_by_its_limit_is_told_in_the_receipt() {
    let cx = reply(ann()).with_records(Told::new(&[json!({"a": 1})], true));
    let loaded = assemble(LoadRecord::query(query("select a from b").with_rows(1).unwrap()), &cx).unwrap();
    let line = Line { from: Origin::Resolver("LoadRecord".into()), rule: Rule::RowLimit { most: 1 } };
    assert_eq!(loaded.receipt().lines(), std::slice::from_ref(&line));
    assert_eq!(line.to_string(), "changed LoadRecord: the query found more than its limit of 1 records");
    assert_eq!(serde_json::to_value(&line.rule).unwrap(), json!({"row_limit": {"most": 1}}));
    assert_eq!(given(&loaded), [ModelMessage::system("{\n  \"a\": 1\n}")]);
}

#[test]
fn every_parameter_in_a_reply() {
    let config = json!({"shop": "Scoop & Cone", "most": 3, "other": 1});
    let cx = reply(ann()).with_config(config).with_correlation_id("c-9");
    let thread = i64::try_from(cx.message().unwrap().thread().get()).unwrap();
    let expected = [
        ("from_address", text("Ann@customer.example")),
        ("from_name", text("Ann")),
        ("to_addresses", text(r#"["sundae@scoop.example","b@x.example"]"#)),
        ("subject", text("Order 7")),
        ("message_id", text("m1@customer.example")),
        ("thread", Parameter::Integer(thread)),
        ("persona_name", text("Sundae")),
        ("persona_address", text("sundae@scoop.example")),
        ("owner", text("default")),
        ("now", text("2023-11-14T22:13:20Z")),
        ("correlation_id", text("c-9")),
        ("responsibility", Parameter::Null),
        ("config_shop", text("Scoop & Cone")),
        ("config_most", Parameter::Integer(3)),
        ("config_no", Parameter::Null),
    ];
    assert_eq!(bound(ALL, cx), pairs(expected));
}

#[test]
fn what_a_run_has_not_is_null() {
    let expected = [
        ("from_address", Parameter::Null),
        ("from_name", Parameter::Null),
        ("to_addresses", Parameter::Null),
        ("subject", Parameter::Null),
        ("message_id", Parameter::Null),
        ("thread", Parameter::Null),
        ("persona_name", text("Sundae")),
        ("persona_address", text("sundae@scoop.example")),
        ("owner", text("default")),
        ("now", text("2023-11-14T22:13:20Z")),
        ("correlation_id", Parameter::Null),
        ("responsibility", text("digest")),
        ("config_shop", Parameter::Null),
        ("config_most", Parameter::Null),
        ("config_no", Parameter::Null),
    ];
    assert_eq!(bound(ALL, scheduled()), pairs(expected));
    let blank = Mail { from: vec![Address::new("")], to: Vec::new(), subject: Some(String::new()), ..ann() };
    let expected = [("from_address", Parameter::Null), ("subject", Parameter::Null), ("to_addresses", text("[]"))];
    assert_eq!(bound("select :from_address, :subject, :to_addresses", reply(blank)), pairs(expected));
}

#[test]
fn only_what_is_named_is_bound_once_and_never_what_is_quoted() {
    let names = |sql: &str| bound(sql, reply(ann())).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("select :owner, :now, :owner"), ["owner", "now"]);
    for quoted in [
        "select ':owner'",
        "select 'it''s :owner'",
        "select \":owner\" from t",
        "select `:owner` from t",
        "select [:owner] from t",
        "select 1 -- :owner ?",
        "select /* :owner ' */ 1",
        "select 1 /* :owner",
        "select 'open :owner",
        "select 'a?', '$1', '@x'",
        "select a::owner",
        "select a:::owner",
        "select a$b, é from t where a @> b : c",
        "select 7 / 2 - 1",
    ] {
        assert_eq!(names(quoted), Vec::<String>::new(), "{quoted}");
    }
    for (sql, found) in [
        ("select '':owner", "owner"),
        ("select 'a' || :now || 'b'", "now"),
        ("select 1 -- '\n, :subject", "subject"),
        ("select 1 /* ' */ , :thread", "thread"),
        ("select /*/ :owner */ :now", "now"),
        ("select :owner::text", "owner"),
        ("select(:owner)", "owner"),
        ("select \"it's\", :owner", "owner"),
    ] {
        assert_eq!(names(sql), [found], "{sql}");
    }
}

#[test]
fn a_query_that_cannot_be_meant_is_refused_when_it_is_made() {
    let refused = |database: &str, sql: &str| Query::new(database, sql).unwrap_err();
    assert_eq!(refused(" ", "select 1"), QueryError::NoDatabase);
    assert_eq!(refused("a.db", "\n"), QueryError::Empty);
    assert_eq!(refused("a.db", "select 1\0; drop table a"), QueryError::Nul);
    assert_eq!(refused("a.db", "select '{{ message.subject }}'"), QueryError::Template);
    for (sql, found) in
        [("select ?", "?"), ("select ?1", "?1"), ("select $1", "$1"), ("select @owner", "@owner"), ("select $$a$$", "$$a$$")]
    {
        assert_eq!(refused("a.db", sql), QueryError::OtherParameter { found: found.to_owned() }, "{sql}");
    }
    for name in ["from", "Owner", "config_", "1", "owner_", "ownér"] {
        let sql = format!("select :{name}");
        assert_eq!(refused("a.db", &sql), QueryError::UnknownParameter { name: name.to_owned() }, "{sql}");
    }
    assert_eq!(query("select 1").with_rows(0), Err(QueryError::NoRows));
    assert_eq!(query("select 1").with_timeout(Duration::ZERO), Err(QueryError::NoTime));
}

#[test]
fn a_query_without_a_port_or_with_one_that_fails_fails_the_run_and_is_named() {
    let error = |records: LoadRecord, cx: &Context| assemble(records, cx).unwrap_err().to_string();
    assert_eq!(
        error(LoadRecord::query(query("select 1")), &reply(ann())),
        "the resolver LoadRecord failed: nothing reads records here: the query over \"shop.db\" needs a records port in the \
         context"
    );
    assert_eq!(
        error(LoadRecord::query(query("select 1")), &reply(ann()).with_records(Arc::new(Closed))),
        "the resolver LoadRecord failed: cannot read records: the shop is closed"
    );
    for value in [json!(1.5), json!(true), json!([1]), json!({}), json!(u64::MAX)] {
        let cx = reply(ann()).with_records(Told::new(&[], false)).with_config(json!({"most": value}));
        assert_eq!(
            error(LoadRecord::query(query("select :config_most")), &cx),
            "the resolver LoadRecord failed: config.most is neither a text nor a whole number, so :config_most cannot be bound"
        );
    }
}

fn persona(entry: &str) -> Result<LoadedPersona, String> {
    let file = format!("name = \"S\"\naddress = \"s@x.example\"\n[[message]]\n{entry}");
    LoadedPersona::from_toml(&file).map_err(|error| error.to_string())
}

#[test]
fn a_persona_asks_as_its_file_says() {
    let asked = |entry: &str| {
        let told = Told::new(&[json!({"name": "Ann", "tier": 1})], false);
        let chain = persona(entry).unwrap().persona.message_chain().clone();
        let cx = reply(ann()).with_records(told.clone());
        let briefing = pollster::block_on(chain.assemble(&cx, &Call::model("gpt-5", None), &Bounds::none())).unwrap();
        let asked = told.asked.lock().unwrap().pop().unwrap();
        (asked, given(&briefing))
    };
    let sql = "select name, tier from customers where email = :from_address";
    let ((asked_query, bound), given) = asked(&format!(
        "role = \"user\"\n[message.record]\ndatabase = \"shop.db\"\nquery = \"{sql}\"\nfields = [\"name\"]\nrows = 20\ntimeout_ms = 1000"
    ));
    let expected = query(sql).with_rows(20).unwrap().with_timeout(Duration::from_secs(1)).unwrap();
    assert_eq!((asked_query, bound), (expected, pairs([("from_address", text("Ann@customer.example"))])));
    assert_eq!(given, [ModelMessage::user("{\n  \"name\": \"Ann\"\n}")]);
    let ((asked_query, bound), given) = asked("record = { database = \"/srv/shop.db\", query = \"select 1\" }");
    assert_eq!(
        (asked_query.database(), asked_query.rows(), asked_query.timeout()),
        ("/srv/shop.db", 100, Duration::from_secs(2))
    );
    assert_eq!((bound, given), (Vec::new(), vec![ModelMessage::system("{\n  \"name\": \"Ann\",\n  \"tier\": 1\n}")]));
}

#[test]
fn a_system_query_that_reads_the_message_is_warned_of() {
    let warned = |role: &str, sql: &str| {
        persona(&format!("{role}record = {{ database = \"a.db\", query = \"{sql}\" }}")).unwrap().warnings
    };
    let warning = [PersonaWarning::SystemReadsMessage { place: "message[0]".into() }];
    for name in ["from_address", "from_name", "to_addresses", "subject", "message_id"] {
        assert_eq!(warned("", &format!("select :{name}")), warning, "{name}");
        assert_eq!(warned("role = \"user\"\n", &format!("select :{name}")), [], "{name}");
    }
    assert_eq!(warned("", "select :thread, :now, :owner, :responsibility, :persona_name, :config_from, ':subject'"), []);
}

#[test]
fn what_is_wrong_with_a_record_is_named_with_its_place() {
    let error = |entry: &str| persona(entry).unwrap_err();
    let record = |rest: &str| format!("record = {{ database = \"a.db\", {rest} }}");
    assert_eq!(
        error(&record("query = \"select :from\"")),
        "message[0]: no parameter :from; known are from_address, from_name, to_addresses, subject, message_id, thread, \
         persona_name, persona_address, owner, now, correlation_id, responsibility, config_NAME"
    );
    assert_eq!(
        error(&record("query = \"select ?\"")),
        "message[0]: ? in a query: only parameters by name are taken, as :from_address"
    );
    assert_eq!(
        error(&record("query = \"select '{{ message.subject }}'\"")),
        "message[0]: a query is no template: name a value as :from_address, without {{ }} and without quotes"
    );
    assert_eq!(error(&record("query = \"select 1\", rows = 0")), "message[0]: rows: at least 1 is wanted");
    assert_eq!(error(&record("query = \"select 1\", timeout_ms = 0")), "message[0]: timeout_ms: at least 1 is wanted");
    assert_eq!(
        error(&record("query = \"select 1\", fields = []")),
        "message[0]: fields: at least one is wanted; without the key all are shown"
    );
    assert!(error("record = { query = \"select 1\" }").contains("missing field `database`"));
    assert!(error(&record("query = \"select 1\", limit = 3")).contains("unknown field `limit`"));
    for two in ["text = \"a\"", "file = \"a\"", "history = {}"] {
        assert_eq!(
            error(&format!("{two}\n{}", record("query = \"select 1\""))),
            "message[0]: exactly one of text, file, record and history is wanted"
        );
    }
}
