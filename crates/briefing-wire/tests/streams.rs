//! Streams: split, cut, made from whole responses, and hostile.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/encode/mod.rs"]
mod encode;
#[path = "support/recorded.rs"]
mod recorded;
#[path = "support/shown.rs"]
mod shown;

use std::sync::OnceLock;

use briefing::Wire;
use briefing::message::{Item, Text};
use briefing_wire::{Cut, CutWhy, Finished, Stream, StreamEvent, UnfinishedCall, parse_answer_text};
use encode::{FRAMINGS, events, frame};
use proptest::prelude::*;
use recorded::{answers, golden, recordings, streams};
use shown::joined;

/// The joined events and the end of a stream in these pieces.
fn read<'b>(wire: Wire, pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<StreamEvent>, Finished) {
    let mut stream = Stream::new(wire);
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(stream.push(piece));
    }
    (joined(out), stream.finish())
}

/// Each offset reads the stream anew: of a long one only some are tried, unless BRIEFING_SPLITS asks for all.
fn step(bytes: &[u8]) -> usize {
    if bytes.len() < 2_000 || std::env::var_os("BRIEFING_SPLITS").is_some() { 1 } else { bytes.len() / 12 }
}

/// Every stream there is: recorded, hand-made, and encoded from the recorded whole responses.
fn all() -> &'static [(String, Wire, Vec<u8>)] {
    static ALL: OnceLock<Vec<(String, Wire, Vec<u8>)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut out: Vec<_> =
            streams().into_iter().map(|(path, wire, bytes)| (path.display().to_string(), wire, bytes)).collect();
        for (index, recording) in recordings().into_iter().enumerate() {
            let bytes = if recording.is_json {
                if parse_answer_text(recording.wire, &recording.response).is_err() {
                    continue;
                }
                let response = serde_json::from_str(&recording.response).unwrap();
                frame(&events(recording.wire, &response, index as u64), *FRAMINGS.iter().cycle().nth(index).unwrap())
            } else {
                recording.response.into_bytes()
            };
            out.push((recording.name, recording.wire, bytes));
        }
        out
    })
}

#[test]
fn every_stream_reads_as_its_golden() {
    for (path, wire, bytes) in streams() {
        let (events, finished) = read(wire, [&bytes[..]]);
        let events: String = events.iter().map(|event| format!("{event:?}\n")).collect();
        golden(&path.with_extension("txt"), &format!("{events}\n{}", shown::finished(&finished)));
    }
    for recording in recordings().into_iter().filter(|recording| !recording.is_json) {
        let (_, finished) = read(recording.wire, [recording.response.as_bytes()]);
        golden(&answers().join(format!("{}.txt", recording.name)), &shown::finished(&finished));
    }
}

/// A whole response and the stream of it are the same answer, however the events are framed and cut.
#[test]
fn whole_and_streamed_are_the_same() {
    let mut seen = 0_u64;
    for recording in recordings().into_iter().filter(|recording| recording.is_json) {
        let response: serde_json::Value = serde_json::from_str(&recording.response).unwrap();
        let Ok(whole) = parse_answer_text(recording.wire, &response.to_string()) else { continue };
        let encoded = events(recording.wire, &response, seen);
        for framing in FRAMINGS {
            let bytes = frame(&encoded, framing);
            let (events, finished) = read(recording.wire, [&bytes[..]]);
            assert_eq!(finished, Finished::Whole(whole.clone()), "{}", recording.name);
            let text: String = events
                .iter()
                .filter_map(|event| if let StreamEvent::Text { text } = event { Some(text.as_str()) } else { None })
                .collect();
            let said: String = whole.said.items.iter().filter_map(|item| item.text()).collect();
            assert_eq!(text, said, "{}", recording.name);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen}");
}

#[test]
fn every_split_gives_the_same_events_and_the_same_end() {
    for (name, wire, bytes) in all() {
        let wire = *wire;
        let whole = read(wire, [&bytes[..]]);
        assert_eq!(read(wire, bytes.chunks(1)), whole, "{name}");
        for at in (0..=bytes.len()).step_by(step(bytes)) {
            let (one, two) = bytes.split_at(at);
            assert_eq!(read(wire, [one, two]), whole, "{name} at {at}");
        }
    }
}

/// What is cut anywhere is never whole unless all of it but the frame had come, and no call of it is one that did not end.
#[test]
fn a_stream_cut_anywhere_is_never_whole_and_its_open_calls_are_none() {
    for (name, wire, bytes) in all() {
        let wire = *wire;
        let Finished::Whole(whole) = read(wire, [&bytes[..]]).1 else { continue };
        for at in (0..bytes.len()).step_by(step(bytes)) {
            let (head, _) = bytes.split_at(at);
            match read(wire, [head]).1 {
                Finished::Whole(answer) => assert_eq!(
                    (answer.said, answer.unfinished),
                    (whole.said.clone(), whole.unfinished.clone()),
                    "{name} at {at}"
                ),
                Finished::Cut(Cut { said, why, .. }) => {
                    assert_eq!(why, CutWhy::Ended, "{name} at {at}");
                    for call in said.calls() {
                        assert!(whole.said.calls().any(|known| known == call), "{name} at {at}: {call:?}");
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn every_way_to_cut_gives_the_same(which in any::<proptest::sample::Index>(), mut cuts in prop::collection::vec(any::<proptest::sample::Index>(), 0..40)) {
        let (name, wire, bytes) = which.get(all());
        let mut places: Vec<usize> = cuts.drain(..).map(|cut| cut.index(bytes.len() + 1)).collect();
        places.sort_unstable();
        let mut pieces = Vec::new();
        let mut rest = &bytes[..];
        let mut done = 0;
        for place in places {
            let (piece, behind) = rest.split_at(place - done);
            pieces.push(piece);
            (rest, done) = (behind, place);
        }
        pieces.push(rest);
        prop_assert_eq!(read(*wire, pieces), read(*wire, [&bytes[..]]), "{}", name);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20)) {
        for wire in Wire::ALL {
            let (_, finished) = read(wire, pieces.iter().map(Vec::as_slice));
            prop_assert!(matches!(finished, Finished::Cut(_)));
        }
    }

    /// One value of an event is of another kind: what else came is read.
    #[test]
    fn values_of_any_kind_spoil_nothing(which in any::<proptest::sample::Index>(), value in any::<proptest::sample::Index>(), kind in 0_usize..6) {
        let framed: Vec<_> = all().iter().filter(|(_, _, bytes)| !bytes.trim_ascii_start().starts_with(b"{") && !bytes.starts_with(b"[")).collect();
        let (name, wire, bytes) = which.get(&framed);
        let text = String::from_utf8_lossy(bytes);
        let mut events: Vec<serde_json::Value> =
            text.split(['\r', '\n']).filter_map(|line| serde_json::from_str(line.trim_start_matches('\u{feff}').strip_prefix("data: ")?).ok()).collect();
        let places: Vec<(usize, String)> =
            events.iter().enumerate().flat_map(|(index, event)| pointers(event).into_iter().map(move |pointer| (index, pointer))).collect();
        prop_assume!(!places.is_empty());
        let (index, pointer) = value.get(&places);
        let other = [serde_json::Value::Null, true.into(), 5.into(), "x".into(), serde_json::json!([]), serde_json::json!({})];
        *events.get_mut(*index).unwrap().pointer_mut(pointer).unwrap() = other.get(kind).unwrap().clone();
        let bytes: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        if let Finished::Cut(Cut { why, .. }) = read(*wire, [bytes.as_bytes()]).1 {
            prop_assert!(!matches!(why, CutWhy::Unreadable(_)), "{} {}: {}\n{}", name, pointer, why, events.get(*index).unwrap());
        }
    }

    /// Streams whose events are shuffled, repeated and dropped.
    #[test]
    fn events_in_any_order_are_read_without_a_panic(which in any::<proptest::sample::Index>(), order in prop::collection::vec(any::<proptest::sample::Index>(), 0..60)) {
        let (_, wire, bytes) = which.get(all());
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("data")).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let mut stream = Stream::new(*wire);
        for index in order {
            stream.push(format!("{}\n\n", index.get(&lines)).as_bytes());
        }
        let _finished = stream.finish();
    }
}

/// Every place in a value but its root.
fn pointers(value: &serde_json::Value) -> Vec<String> {
    let children: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        _ => Vec::new(),
    };
    let inside = |(key, child): (String, &serde_json::Value)| {
        let deeper: Vec<String> = pointers(child).into_iter().map(|pointer| format!("/{key}{pointer}")).collect();
        std::iter::once(format!("/{key}")).chain(deeper)
    };
    children.into_iter().flat_map(inside).collect()
}

fn cut(wire: Wire, bytes: &[u8]) -> Cut {
    match read(wire, [bytes]).1 {
        Finished::Cut(cut) => cut,
        Finished::Whole(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn garbage_keeps_what_came_before_and_says_why() {
    let begun = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"So far\"}}]}\n\n";
    let why = |garbage: &str| {
        let Cut { said, why, .. } = cut(Wire::OpenAiChat, format!("{begun}{garbage}\n\n{begun}").as_bytes());
        assert_eq!(said.items.iter().filter_map(|item| item.text()).collect::<Vec<_>>(), ["So far"]);
        why.to_string()
    };
    assert_eq!(
        why("data: {\"choices\":[{"),
        "an event of the stream is no JSON: the JSON ends in the middle of a value at line 1, byte 13"
    );
    assert_eq!(why("data: <html>"), "an event of the stream is no JSON: unexpected character at line 1, byte 0");
    assert_eq!(why("data: 5"), "an event of the stream is no JSON object");
    let deep = format!("data: {{\"x\":{}{}}}", "[".repeat(120), "]".repeat(120));
    assert_eq!(why(&deep), "an event of the stream nests 121 levels deep");
}

#[test]
fn nothing_and_what_is_no_stream_are_cut() {
    for wire in Wire::ALL {
        assert_eq!(cut(wire, b"").why, CutWhy::Ended);
        assert_eq!(cut(wire, b"\n\n: only a comment\n\n").why, CutWhy::Ended);
        assert!(matches!(cut(wire, b"<html>502</html>\n\n").why, CutWhy::Ended));
        assert!(matches!(cut(wire, b"{\"error\":{\"message\":\"m\"}}").why, CutWhy::Provider(_)));
        assert_eq!(cut(wire, b"{\"err").why, CutWhy::Ended);
        assert!(matches!(cut(wire, b"{} {}").why, CutWhy::Unreadable(_)));
    }
}

/// Fields of another kind than the wire's are left aside; what else came is read.
#[test]
fn values_of_another_kind_spoil_nothing() {
    let chat = "data: {\"id\":5,\"choices\":[5,{\"delta\":5},{\"delta\":{\"content\":5,\"tool_calls\":[5,{\"id\":5,\"function\":5},{\"index\":-1,\"function\":{\"name\":5,\"arguments\":5}}],\"refusal\":[],\"function_call\":\"x\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n";
    let (_, finished) = read(Wire::OpenAiChat, [chat.as_bytes()]);
    let Finished::Whole(answer) = finished else { panic!("{finished:?}") };
    assert_eq!(answer.said.items, [Item::Text(Text::new("ok"))]);
    assert_eq!(answer.unfinished, [UnfinishedCall { id: "".into(), name: String::new(), input: String::new() }]);
    let kinds: Vec<String> = answer.findings.iter().map(ToString::to_string).collect();
    assert_eq!(kinds.len(), 8, "{kinds:?}");
}

/// Very many deltas, findings, blocks, calls and fields: linear, so seconds at most even without optimisation.
#[test]
fn long_streams_take_linear_time() {
    const MANY: usize = 30_000;
    let chat = |delta: &dyn Fn(usize) -> String| {
        let mut stream = Stream::new(Wire::OpenAiChat);
        for index in 0..MANY {
            stream.push(format!("data: {{\"choices\":[{{\"delta\":{}}}]}}\n\n", delta(index)).as_bytes());
        }
        stream.finish()
    };
    let Finished::Cut(cut) = chat(&|_| "{\"content\":\"é\\ud83d\"}".to_owned()) else { panic!() };
    assert_eq!(cut.said.items.first().and_then(|item| item.text()).map(|text| text.chars().count()), Some(2 * MANY));
    let call = |index: usize| {
        format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c{index}\",\"function\":{{\"name\":\"f\",\"arguments\":\"{{\"}}}}]}}"
        )
    };
    let Finished::Cut(cut) = chat(&call) else { panic!() };
    assert_eq!(cut.unfinished.len(), MANY);
    let Finished::Cut(cut) = chat(&|index| format!("{{\"f{index}\":{{\"x\":[{index}]}}}}")) else { panic!() };
    assert_eq!(cut.said.extra.on(Wire::OpenAiChat).count(), MANY);

    let mut stream = Stream::new(Wire::Anthropic);
    for index in 0..MANY {
        stream.push(
            format!(
                "data: {{\"type\":\"content_block_start\",\"index\":{},\"content_block\":{{\"type\":\"odd\"}}}}\n\n",
                index * 40_000
            )
            .as_bytes(),
        );
        stream.push(format!("data: {{\"type\":\"odd{index}\"}}\n\n").as_bytes());
    }
    let Finished::Cut(cut) = stream.finish() else { panic!() };
    assert_eq!((cut.said.items.len(), cut.findings.len()), (0, MANY + 1));
}

/// Memory is bounded where an event has no end.
#[test]
fn an_event_without_end_is_cut() {
    let piece = vec![b'x'; 1 << 20];
    for start in ["data: ", "{", "[\"", ": "] {
        let mut stream = Stream::new(Wire::Gemini);
        let mut events = stream.push(start.as_bytes());
        for _ in 0..=64 {
            events.extend(stream.push(&piece));
        }
        assert!(matches!(events.as_slice(), [StreamEvent::Cut(CutWhy::TooLarge(_))]), "{start}");
        assert!(matches!(stream.finish(), Finished::Cut(Cut { why: CutWhy::TooLarge(_), .. })), "{start}");
    }
}

/// Gemini without `alt=sse` streams the same chunks as an array.
#[test]
fn an_array_reads_as_the_events_do() {
    let mut seen = 0;
    for recording in recordings().into_iter().filter(|recording| recording.wire == Wire::Gemini) {
        let response = serde_json::from_str(&recording.response).unwrap();
        let chunks = events(Wire::Gemini, &response, 3);
        let framed = frame(&chunks, *FRAMINGS.first().unwrap());
        let array = encode::gemini::array(&chunks);
        assert_eq!(read(Wire::Gemini, array.chunks(7)).1, read(Wire::Gemini, [&framed[..]]).1, "{}", recording.name);
        seen += 1;
    }
    assert_eq!(seen, 14);
}
