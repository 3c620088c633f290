//! Single messages: what comes out, whole, and what is found.

use briefing::log::{Address, Attachment, AttachmentId, Delivery, Direction, Mail, MessageId};
use briefing_mail::{Finding, Guess, Parsed, Place, Transfer, mark_outbound, parse, readable_body};

fn body(raw: &[u8]) -> Option<String> {
    parse(raw).mail.body.map(|body| body.to_string())
}

fn address(name: Option<&str>, email: &str) -> Address {
    Address { name: name.map(str::to_owned), email: email.to_owned() }
}

#[test]
fn a_whole_mail() {
    let raw = concat!(
        "From: =?utf-8?q?J=C3=B6rg?= <j@x>\r\nTo: team: ann@x, bob@x;\r\nCc: c@x\r\nCc: d@x\r\n",
        "Subject: =?utf-8?b?RmlzaA==?= & chips\r\nDate: Fri, 22 Feb 2008 22:00:10 +0200\r\n",
        "Message-ID: <M2@x>\r\nIn-Reply-To: <m1@x>\r\nReferences: <m0@x><m1@x>\r\n",
        "Content-Type: multipart/mixed; boundary=b\r\n\r\npreamble\r\n",
        "--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n",
        "--b\r\nContent-Type: application/pdf; name=\"=?utf-8?q?=C3=A9.pdf?=\"\r\nContent-Transfer-Encoding: base64\r\n\r\naGk=\r\n",
        "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: inline\r\n\r\nhi\r\n",
        "--b--\r\nepilogue\r\n",
    );
    let first = AttachmentId::new("att_85652be0a2b6c1c6");
    let id = |text| MessageId::new(text).unwrap();
    let parsed = parse(raw.as_bytes());
    let first = parsed.files.first().map_or(first, |(id, _)| id.clone());
    let second = AttachmentId::new(format!("{first}-2"));
    let file = |id: &AttachmentId, name: Option<&str>, inline| Attachment {
        id: id.clone(),
        filename: name.map(str::to_owned),
        media_type: "application/pdf".to_owned(),
        size: Some(2),
        inline,
    };
    assert_eq!(
        parsed,
        Parsed {
            mail: Mail {
                direction: Direction::Inbound,
                message_id: Some(id("M2@x")),
                in_reply_to: vec![id("m1@x")],
                references: vec![id("m0@x"), id("m1@x")],
                date: Some("2008-02-22T20:00:10Z".parse().unwrap()),
                from: vec![address(Some("Jörg"), "j@x")],
                to: vec![address(None, "ann@x"), address(None, "bob@x")],
                cc: vec![address(None, "c@x"), address(None, "d@x")],
                subject: Some("Fish & chips".to_owned()),
                body: Some("Hello".into()),
                attachments: vec![file(&first, Some("é.pdf"), false), file(&second, None, true)],
            },
            files: vec![(first.clone(), b"hi".to_vec()), (second.clone(), b"hi".to_vec())],
            findings: vec![],
        }
    );
    let hash = blake3::hash(b"hi").to_hex();
    assert_eq!(first.as_str(), format!("att_{}", &hash[..16]));
}

/// B83b: <https://github.com/chatwoot/chatwoot/pull/4030>,
/// <https://github.com/php-mime-mail-parser/php-mime-mail-parser/issues/158>.
#[test]
fn b83b_html_only_and_blank_text() {
    assert_eq!(body(b"Content-Type: text/html\n\n<p>Hi<p>there").as_deref(), Some("Hi\n\nthere"));
    let blank_text = concat!(
        "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n \u{a0}\n",
        "--b\nContent-Type: text/html\n\n<p>Hi</p>\n--b--\n"
    );
    assert_eq!(body(blank_text.as_bytes()).as_deref(), Some("Hi"));
    let forward = concat!(
        "Subject: Fwd: inner\nContent-Type: multipart/mixed; boundary=b\n\n",
        "--b\nContent-Type: text/html\n\n<p>See below</p>\n",
        "--b\nContent-Type: message/rfc822\n\nSubject: inner\nContent-Type: text/plain\n\ninner text\n--b--\n"
    );
    let parsed = parse(forward.as_bytes());
    assert_eq!(parsed.mail.body.as_deref(), Some("See below"));
    let kinds: Vec<_> = parsed.mail.attachments.iter().map(|file| file.media_type.as_str()).collect();
    assert_eq!(kinds, ["message/rfc822"]);
    assert_eq!(parsed.files[0].1, b"Subject: inner\nContent-Type: text/plain\n\ninner text");
}

/// B83c: <https://github.com/NousResearch/hermes-agent/issues/55383>, <https://github.com/neomutt/neomutt/issues/462>,
/// <https://github.com/stalwartlabs/stalwart/issues/917>, <https://github.com/polo2ro/imapbox/issues/49>.
#[test]
fn b83c_charset_wrong_or_unknown() {
    let with = |charset: &str, text: &[u8]| {
        let mut raw = format!("Content-Type: text/plain; charset={charset}\n\n").into_bytes();
        raw.extend_from_slice(text);
        let parsed = parse(&raw);
        (parsed.mail.body.unwrap().to_string(), parsed.findings)
    };
    assert_eq!(with("iso-8859-1", b"wait\x85"), ("wait…".to_owned(), vec![]));
    assert_eq!(with("ISO-8859-2", b"za\xbf\xf3\xb3\xe6"), ("zażółć".to_owned(), vec![]));
    let unknown = Finding::UnknownCharset { place: Place::Part(1), label: Some("bogus".into()), read_as: Guess::Windows1252 };
    assert_eq!(with("bogus", b"caf\xe9"), ("café".to_owned(), vec![unknown]));
    assert_eq!(with("utf-8", b"a\xff"), ("a\u{fffd}".to_owned(), vec![Finding::Undecodable { place: Place::Part(1) }]));
}

#[test]
fn the_plain_version_wins_and_other_parts_follow() {
    let raw = concat!(
        "Content-Type: multipart/mixed; boundary=m\n\n",
        "--m\nContent-Type: multipart/alternative; boundary=a\n\n",
        "--a\nContent-Type: text/plain\n\nplain\n--a\nContent-Type: text/html\n\n<p>rich</p>\n--a--\n",
        "--m\nContent-Type: text/plain; name=notes.txt\n\na file\n",
        "--m\nContent-Type: text/html\n\n<p>footer</p>\n--m--\n"
    );
    let parsed = parse(raw.as_bytes());
    assert_eq!(parsed.mail.body.as_deref(), Some("plain\n\nfooter"));
    let names: Vec<_> = parsed.mail.attachments.iter().map(|file| file.filename.as_deref()).collect();
    assert_eq!(names, [Some("notes.txt")]);
}

#[test]
fn readable_bodies() {
    for (text, html, expected) in [
        (Some("a\r\n"), Some("<p>b"), Some("a\r\n")),
        (Some(" \u{200b}\n"), Some("<p>b"), Some("b")),
        (None, Some("<p> </p>"), None),
        (Some(""), None, None),
        (None, None, None),
    ] {
        assert_eq!(readable_body(text, html).as_deref(), expected, "{text:?} {html:?}");
    }
}

/// The conformance case `mail/16-html-fallback`.
#[test]
fn html_does_not_glue_words() {
    let html = concat!(
        "<html><head><style>p{color:red}</style></head><body><p>Hello&nbsp;there</p>",
        "<p>Fish &amp; chips<br>twice</p><script>evil()</script></body></html>"
    );
    assert_eq!(readable_body(None, Some(html)).as_deref(), Some("Hello there\n\nFish & chips\ntwice"));
}

#[test]
fn the_personas_own_mail_is_outbound() {
    let mut mail = parse(b"From: Sundae <Sundae@Scoop.example>\n\nx").mail;
    mark_outbound(&mut mail, "other@scoop.example");
    assert_eq!(mail.direction, Direction::Inbound);
    mark_outbound(&mut mail, "sundae@scoop.example");
    assert_eq!(mail.direction, Direction::Outbound(Delivery::Sent));
}

#[test]
fn broken_messages_name_what_is_broken() {
    for (raw, expected) in [
        ("just text", vec![Finding::NoHeaders]),
        ("", vec![Finding::NoHeaders]),
        ("Date: soon\n\nx", vec![Finding::UnreadableDate { text: "soon".into() }]),
        ("Content-Type: multipart/mixed\n\nx", vec![Finding::NoBoundary { part: 1 }]),
        ("Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx", vec![Finding::Unclosed]),
        ("Content-Transfer-Encoding: base64\n\naGk=\n*", vec![Finding::BadEncoding { part: 1, encoding: Transfer::Base64 }]),
        ("Subject: a\nstray\nTo: b@x\n\nx", vec![Finding::BadHeaderLines { lines: 1 }]),
    ] {
        assert_eq!(parse(raw.as_bytes()).findings, expected, "{raw:?}");
    }
}

#[test]
fn an_envelope_line_is_not_the_messages() {
    assert_eq!(parse(b"\n>From a@x Mon\nSubject: s\n\nb").mail.subject.as_deref(), Some("s"));
}

/// Old Macs end lines so, and some programs still do.
#[test]
fn a_carriage_return_alone_ends_a_line_where_no_line_feed_is() {
    let raw = concat!(
        "From: a@x\rSubject: old\r mac\rContent-Type: multipart/mixed; boundary=b\r\r--b\r\rHello\rthere\r",
        "--b\rContent-Type: application/pdf\r\rhi\r--b--\r"
    );
    let parsed = parse(raw.as_bytes());
    assert_eq!((parsed.mail.subject.as_deref(), parsed.mail.body.as_deref()), (Some("old mac"), Some("Hello\nthere")));
    assert_eq!((parsed.mail.attachments.len(), parsed.findings), (1, vec![]));
    // With a line feed anywhere near, a carriage return is text.
    assert_eq!(parse(b"Subject: a\rTo: b\n\nx").mail.to, []);
}
