//! What `fit` makes of a plain list. Lists are written short: `S` system, `U` user, `A` assistant, `A call(x)`, `T x: outcome`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, Item, Media, MediaSource, ModelMessage, Native, Outcome, Part, RawJson, ToolCall, User,
};
use briefing::{
    Bound, Bounds, Briefing, Call, Dialect, Edge, Estimator, FileReason, FitError, ModelProfile, PrefixChange, Profiles, Rule,
    Share, ShareSize, Stride, Unvisited, WalkEnd, Wire, fit,
};

fn call() -> Call {
    Call::model("gpt-5", None)
}

/// `U hi`, `A hello`, `A call(a) call(b)`, `T a: 1`
fn message(line: &str) -> ModelMessage {
    let (role, rest) = line.split_once(' ').unwrap_or((line, ""));
    match role {
        "S" => ModelMessage::system(rest),
        "U" => ModelMessage::user(rest),
        "T" => {
            let (id, text) = rest.split_once(": ").unwrap_or((rest.trim_end_matches(':'), ""));
            ModelMessage::outcome(id, text)
        }
        "A" if rest.starts_with("call(") => {
            let ids = rest.split("call(").filter_map(|piece| piece.trim().strip_suffix(')'));
            ModelMessage::calls(ids.map(|id| ToolCall::new(id, "tool", "{}")))
        }
        "A" => ModelMessage::assistant(rest),
        _ => panic!("{line:?}"),
    }
}

fn list(lines: &[&str]) -> Vec<ModelMessage> {
    lines.iter().map(|line| message(line)).collect()
}

fn show_parts(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.text.clone(),
        Part::Image(_) => "<image>".to_owned(),
        Part::Document(_) => "<document>".to_owned(),
        Part::Native(_) => "<native>".to_owned(),
    };
    parts.iter().map(part).collect::<Vec<_>>().join("|")
}

fn show(briefing: &Briefing) -> Vec<String> {
    let line = |message: ModelMessage| match message {
        ModelMessage::System(system) => match &system.parts[0] {
            briefing::message::SystemPart::Text(text) => format!("S {}", text.text),
            briefing::message::SystemPart::Native(_) => "S <native>".to_owned(),
        },
        ModelMessage::User(user) => format!("U {}", show_parts(&user.parts)),
        ModelMessage::Tool(outcome) => format!("T {}: {}", outcome.call, show_parts(&outcome.parts)),
        ModelMessage::Assistant(said) => {
            let items = said.items.iter().map(|item| match item {
                briefing::message::Item::Text(text) => text.text.clone(),
                briefing::message::Item::Call(call) => format!("call({})", call.id),
                _ => "<other>".to_owned(),
            });
            format!("A {}", items.collect::<Vec<_>>().join(" "))
        }
    };
    briefing.messages().map(line).collect()
}

/// On a server that may refuse a leading assistant turn.
fn fitted(lines: &[&str], bounds: &Bounds) -> Briefing {
    fit(&list(lines), &Call::model("qwen3-coder", None), bounds).unwrap()
}

fn rules(briefing: &Briefing) -> Vec<Rule> {
    briefing.receipt().lines().iter().map(|line| line.rule.clone()).collect()
}

const NOT_RECORDED: &str = "[no outcome was recorded for this call]";

/// <https://github.com/langchain-ai/langchain/issues/33245>
#[test]
fn b01_a_window_never_begins_inside_a_round() {
    let briefing = fitted(&["U 1", "A call(c1)", "T c1: x", "U 2", "A 3"], &Bounds::none().messages(4));
    assert_eq!(show(&briefing), ["U 2", "A 3"]);
    let briefing = fitted(&["U 1", "A call(c1)", "T c1: x", "U 2"], &Bounds::none().messages(4));
    assert_eq!(show(&briefing), ["U 1", "A call(c1)", "T c1: x", "U 2"]);
}

/// <https://github.com/langchain-ai/langchain/issues/29637>
#[test]
fn b02_a_call_without_its_outcome_is_answered() {
    let briefing = fitted(&["U 1", "A call(c1)", "A done", "U 2"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(c1)", &format!("T c1: {NOT_RECORDED}"), "A done", "U 2"]);
    assert_eq!(rules(&briefing), [Rule::OutcomeMissing { call: "c1".into() }]);
}

/// <https://github.com/microsoft/semantic-kernel/issues/12708>
#[test]
fn b03_a_count_keeps_or_drops_the_whole_exchange() {
    let briefing = fitted(&["S s", "U 1", "A call(123)", "T 123: x", "U 2", "A 3"], &Bounds::none().messages(3));
    assert_eq!(show(&briefing), ["S s", "U 2", "A 3"]);
    assert_eq!(briefing.receipt().unvisited(), Unvisited::Older { entries: 1, why: WalkEnd::Bound(Bound::Messages) });
}

/// <https://github.com/langchain-ai/langchain/issues/38352>
#[test]
fn b07_never_inside_a_parallel_round() {
    let calls: String = (1..=10).map(|n| format!("call(f{n}) ")).collect();
    let mut lines = vec!["U 1".to_owned(), format!("A {}", calls.trim())];
    lines.extend((1..=10).map(|n| format!("T f{n}: x")));
    lines.push("U 2".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(show(&fitted(&lines, &Bounds::none().messages(6))), ["U 2"]);
    assert_eq!(show(&fitted(&lines, &Bounds::none().messages(13))).len(), 13);
}

/// <https://github.com/openai/codex/issues/29773>, <https://github.com/anomalyco/opencode/issues/3230> (B13)
#[test]
fn b11_a_lost_outcome_is_told_right_behind_its_call() {
    let briefing = fitted(&["U 1", "A call(p1)", "U never mind"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(p1)", &format!("T p1: {NOT_RECORDED}"), "U never mind"]);
}

/// <https://github.com/openai/openai-agents-python/issues/4827>
#[test]
fn b12_an_outcome_without_its_call_is_left_out_and_told() {
    let briefing = fitted(&["U 1", "T p1: x", "A 2", "U 3"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A 2", "U 3"]);
    assert_eq!(rules(&briefing), [Rule::OutcomeWithoutCall { call: "p1".into() }]);
}

/// <https://github.com/anthropics/claude-code/issues/5989>
#[test]
fn b18_one_of_several_outcomes_is_missing() {
    let briefing = fitted(&["U 1", "A call(a) call(b)", "T a: 1", "U 2"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a) call(b)", "T a: 1", &format!("T b: {NOT_RECORDED}"), "U 2"]);
}

/// <https://github.com/zed-industries/zed/pull/37196>
#[test]
fn b20_an_empty_outcome_says_so() {
    let briefing = fitted(&["U 1", "A call(c1)", "T c1:"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(c1)", "T c1: [the tool returned nothing]"]);
}

/// <https://github.com/mastra-ai/mastra/issues/9991>
#[test]
fn b31_the_newest_are_kept_in_order() {
    let lines: Vec<String> = (1..=50).map(|n| format!("U {n}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(show(&fitted(&lines, &Bounds::none().messages(5))), ["U 46", "U 47", "U 48", "U 49", "U 50"]);
}

/// <https://github.com/vercel/ai/pull/16578>
#[test]
fn b32_outcomes_stand_in_call_order() {
    let briefing = fitted(&["U 1", "A call(a) call(b)", "T b: 2", "T a: 1"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a) call(b)", "T a: 1", "T b: 2"]);
    assert_eq!(rules(&briefing), [Rule::OutcomesReordered]);
}

/// <https://github.com/microsoft/semantic-kernel/issues/12612>
#[test]
fn b41_the_system_text_is_outside_the_window() {
    let mut lines = vec!["S s", "U go"];
    lines.extend(["A call(x)", "T x: 1"].repeat(10));
    let briefing = fitted(&lines, &Bounds::none().messages(20));
    let shown = show(&briefing);
    assert_eq!((shown.len(), &*shown[0], &*shown[1]), (20, "S s", "U go"));
}

/// <https://github.com/run-llama/llama_index/issues/9371>
#[test]
fn b42_a_budget_below_the_system_prompt_names_the_parts() {
    let messages = [ModelMessage::system("s".repeat(1_500)), ModelMessage::user("hi")];
    let error = fit(&messages, &call(), &Bounds::none().chars(1_300)).unwrap_err();
    let shares =
        [(Share::Around, 0), (Share::Fixed, 1_500), (Share::Current, 2)].map(|(share, size)| ShareSize { share, size });
    assert_eq!(error, FitError::TooLarge { bound: Bound::Chars, limit: 1_300, shares: shares.to_vec() });
    assert_eq!(
        error.to_string(),
        "characters are bounded at 1300, but what never yields takes 1502 (tools and frame 0, fixed messages 1500, current message 2)"
    );
}

/// <https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72>
#[test]
fn b48_calls_of_one_id_become_two() {
    let briefing = fitted(&["U 1", "A call(http)", "T http: 1", "A call(http)", "T http: 2"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(http)", "T http: 1", "A call(http#2)", "T http#2: 2"]);
    assert_eq!(briefing.receipt().changes(), [PrefixChange::IdRepeated]);
}

fn picture(bytes: usize) -> Part {
    Part::Image(Media::data("image/png", Bytes::encode(&vec![7; bytes])))
}

fn with_parts(parts: Vec<Part>) -> ModelMessage {
    ModelMessage::User(Arc::new(User { parts, ..User::default() }))
}

/// <https://github.com/aws/amazon-q-developer-cli/issues/3912>
#[test]
fn b66_the_encoded_size_is_what_counts() {
    let call = Call::model("claude-sonnet-4-5", None);
    let fits = |bytes| fit(&[with_parts(vec![picture(bytes)])], &call, &Bounds::none()).unwrap();
    assert_eq!(show(&fits(3 * 1024 * 1024)), ["U <image>"]);
    let large = fits(5 * 1024 * 1024);
    assert_eq!(show(&large), ["U [image: unnamed, 5242880 bytes, not shown]"]);
    assert_eq!(rules(&large), [Rule::FileAsLine { why: FileReason::TooLarge }]);
}

/// <https://github.com/anthropics/claude-code/issues/43056>
#[test]
fn b67_the_oldest_pictures_become_lines() {
    let turns = [with_parts(vec![picture(30)]), with_parts(vec![picture(30)]), with_parts(vec![picture(30)])];
    let briefing = fit(&turns, &call(), &Bounds::none().images(2)).unwrap();
    assert_eq!(show(&briefing), ["U [image: unnamed, 30 bytes, not shown]", "U <image>", "U <image>"]);
}

/// <https://github.com/open-webui/open-webui/issues/29761>
#[test]
fn b69_a_picture_costs_a_flat_number_of_tokens() {
    let briefing = fit(&[with_parts(vec![picture(1_000_000)])], &call(), &Bounds::none().context()).unwrap();
    assert_eq!(briefing.receipt().total().tokens, 1_100 + 4);
}

/// <https://github.com/epam/ai-dial-chat/issues/7271>, <https://github.com/coder/coder/pull/24518> (B72)
#[test]
fn b73_what_cannot_be_sent_is_a_line() {
    let media = |media_type: &str, bytes: &[u8]| Part::Image(Media::data(media_type, Bytes::encode(bytes)));
    let briefing =
        fit(&[with_parts(vec![media("video/mp4", b"x"), media("image/png", b"")])], &call(), &Bounds::none()).unwrap();
    assert_eq!(show(&briefing), ["U [image: unnamed, 1 bytes, not shown]|[image: unnamed, 0 bytes, not shown]"]);
    assert_eq!(rules(&briefing), [FileReason::Missing, FileReason::Type].map(|why| Rule::FileAsLine { why }));
}

fn native(wire: Wire, kind: &str, json: &str) -> Native {
    Native { wire, kind: kind.into(), raw: RawJson::new(json).unwrap(), reads_as: None, needs: None }
}

fn inline(media_type: &str, data: &str) -> Part {
    let json = format!(r#"{{"inlineData":{{"mimeType":"{media_type}","data":"{data}"}}}}"#);
    Part::Native(native(Wire::Gemini, "inlineData", &json))
}

#[test]
fn a_text_in_a_block_of_the_wires_own_counts_as_the_text_that_it_is() {
    let gemini = Call::model("gemini-3-flash-preview", Some(Wire::Gemini));
    let text = "word ".repeat(20_000);
    let base64 = Bytes::encode(text.as_bytes());
    let file = [with_parts(vec![inline("text/plain", base64.as_base64())])];
    let bounds = Bounds::none().chars(1_000).tokens(5_000).images(0).image_bytes(10);
    let Err(FitError::TooLarge { bound, limit, .. }) = fit(&file, &gemini, &bounds) else { panic!("it was sent") };
    assert_eq!((bound, limit), (Bound::Chars, 1_000));
    let plain = fit(&[ModelMessage::user(text)], &gemini, &Bounds::none().context()).unwrap().receipt().total();
    let total = fit(&file, &gemini, &Bounds::none().context()).unwrap().receipt().total();
    let around = r#"{"inlineData":{"mimeType":"text/plain","data":}}"#.len() as u64;
    assert_eq!((total.chars - plain.chars, total.images), (around, 0));
    assert!(total.tokens > plain.tokens && total.tokens < plain.tokens + 40, "{total:?} {plain:?}");
    // What its maker calls it changes nothing.
    let search = format!(r#"{{"type":"web_search_call","id":"ws_1","query":"{}"}}"#, "x".repeat(5_000));
    let said = |kind: &str| {
        let items = vec![Item::Native(native(Wire::OpenAiResponses, kind, &search))];
        [ModelMessage::user("go"), ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))]
    };
    let responses = Call::model("gpt-5", Some(Wire::OpenAiResponses));
    let chars = |kind: &str| fit(&said(kind), &responses, &Bounds::none()).unwrap().receipt().total().chars;
    assert_eq!([chars("web_search_call"), chars("input_audio")], [search.len() as u64 + 2; 2]);
}

#[test]
fn files_in_blocks_of_the_wires_own_are_bounded_as_others_are() {
    let gemini = Call::model("gemini-3-flash-preview", Some(Wire::Gemini));
    let parts = |parts: Vec<Part>| vec![with_parts(parts)];
    let shown = |list: &[ModelMessage], call: &Call, bounds: &Bounds| {
        let briefing = fit(list, call, bounds).unwrap();
        (show(&briefing), rules(&briefing))
    };
    let line = |why| Rule::FileAsLine { why };
    let two = parts(vec![inline("audio/mpeg", "AAAA"), inline("video/mp4", "AAAAAAAA")]);
    let both = (vec!["U <native>|<native>".to_owned()], vec![]);
    assert_eq!(shown(&two, &gemini, &Bounds::none()), both);
    let one = vec!["U [audio: unnamed, 3 bytes, not shown]|<native>".to_owned()];
    assert_eq!(shown(&two, &gemini, &Bounds::none().images(1)), (one, vec![line(FileReason::TooMany)]));
    let small = vec!["U <native>|[video: unnamed, 6 bytes, not shown]".to_owned()];
    assert_eq!(shown(&two, &gemini, &Bounds::none().image_bytes(7)), (small, vec![line(FileReason::TooLarge)]));
    assert_eq!(fit(&two, &gemini, &Bounds::none()).unwrap().receipt().total().images, 2);
    // A film is looked at, a recording is not.
    let blind = Call::new(ModelProfile { vision: false, documents: false, ..gemini.profile().clone() });
    let heard = vec!["U <native>|[video: unnamed, 6 bytes, not shown]".to_owned()];
    assert_eq!(shown(&two, &blind, &Bounds::none()), (heard, vec![line(FileReason::Model)]));
    // On another wire it is a text.
    assert_eq!(shown(&two, &call(), &Bounds::none().images(0)), both);
    // Pictures that the model made itself, too.
    let Part::Native(made) = inline("image/png", "AAAA") else { unreachable!() };
    let said = ModelMessage::Assistant(Arc::new(Assistant { items: vec![Item::Native(made)], ..Assistant::default() }));
    let list = [ModelMessage::user("draw"), said, ModelMessage::user("more")];
    let told = ["U draw", "A [image: unnamed, 3 bytes, not shown]", "U more"].map(str::to_owned).to_vec();
    assert_eq!(shown(&list, &gemini, &Bounds::none().images(0)), (told, vec![line(FileReason::TooMany)]));
}

#[test]
fn a_type_that_no_wire_reads_is_a_line_wherever_the_file_lies() {
    let gemini = Call::model("gemini-3-flash-preview", Some(Wire::Gemini));
    let responses = Call::model("gpt-5", Some(Wire::OpenAiResponses));
    let sources = |wire| {
        let id = MediaSource::File { wire, id: "https://x.example/a".into() };
        [MediaSource::Data(Bytes::from_base64("AAAA")), MediaSource::Url("https://x.example/a".into()), id]
    };
    let goes = |call: &Call, media_type: &str, document: bool| {
        sources(call.wire()).map(|source| {
            let media = Media { source, ..Media::data(media_type, Bytes::from_base64("")) };
            let part = if document { Part::Document(media) } else { Part::Image(media) };
            rules(&fit(&[with_parts(vec![part])], call, &Bounds::none()).unwrap()).is_empty()
        })
    };
    for media_type in ["image/svg+xml", "image/gif", "image/*", "image/PNG", ""] {
        assert_eq!(goes(&gemini, media_type, false), [false; 3], "{media_type}");
    }
    assert_eq!([goes(&gemini, "image/heic", false), goes(&gemini, "application/pdf", true)], [[true; 3]; 2]);
    // No picture is a document; what else lies elsewhere, Gemini reads in more forms than PDF.
    assert_eq!(goes(&gemini, "image/svg+xml", true), [false; 3]);
    assert_eq!(goes(&gemini, "text/plain", true), [false, true, true]);
    assert_eq!([goes(&responses, "image/svg+xml", false), goes(&responses, "image/heic", false)], [[false; 3]; 2]);
    assert_eq!(goes(&responses, "image/gif", false), [true; 3]);
    // Where the type is not told to the provider, one that says nothing is none.
    for media_type in ["", "image/*", "image/jpg", "image/PNG"] {
        assert_eq!(goes(&responses, media_type, false), [false, true, true], "{media_type}");
    }
    // A `data:` address is the file itself.
    let url = MediaSource::Url(format!("data:image/png;base64,{}", "A".repeat(4_000)).into());
    let media = Media { source: url, ..Media::data("", Bytes::from_base64("")) };
    let briefing = fit(&[with_parts(vec![Part::Image(media)])], &responses, &Bounds::none().image_bytes(1_000)).unwrap();
    assert_eq!(rules(&briefing), [Rule::FileAsLine { why: FileReason::TooLarge }]);
}

#[test]
fn neighbours_that_are_answered_together_are_one_round() {
    let briefing = fitted(&["U 1", "A call(a)", "A call(b)", "T a: 1", "T b: 2", "U 2"], &Bounds::none());
    assert_eq!(briefing.units().len(), 3);
    assert_eq!(show(&briefing), ["U 1", "A call(a)", "A call(b)", "T a: 1", "T b: 2", "U 2"]);
}

#[test]
fn a_late_outcome_is_put_behind_its_call() {
    let briefing = fitted(&["U 1", "A call(a)", "U 2", "T a: late"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a)", "T a: late", "U 2"]);
    assert_eq!(rules(&briefing), [Rule::OutcomeMoved { call: "a".into() }]);
    assert_eq!(briefing.receipt().changes(), [PrefixChange::LateOutcome]);
}

#[test]
fn the_first_outcome_of_a_call_stands() {
    let briefing = fitted(&["U 1", "A call(a)", "T a: first", "T a: second"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a)", "T a: first"]);
    assert_eq!(rules(&briefing), [Rule::OutcomeRepeated { call: "a".into() }]);
}

#[test]
fn a_run_that_is_too_long_shortens_its_oldest_outcomes_first() {
    let long = "x".repeat(2_000);
    let messages = [
        message("U go"),
        message("A call(a)"),
        ModelMessage::outcome("a", long.clone()),
        message("A call(b)"),
        ModelMessage::outcome("b", long.clone()),
    ];
    let chars = |most| fit(&messages, &call(), &Bounds::none().chars(most)).unwrap();
    let lengths = |briefing: &Briefing| show(briefing).iter().map(|line| line.chars().count()).collect::<Vec<_>>();
    assert_eq!(lengths(&chars(5_000)), [4, 9, 2_005, 9, 2_005]);
    assert_eq!(lengths(&chars(3_000)), [4, 9, 505, 9, 2_005]);
    assert_eq!(lengths(&chars(2_100)), [4, 9, 36, 9, 2_005]);
    assert_eq!(lengths(&chars(600)), [4, 9, 36, 9, 505]);
    assert_eq!(show(&chars(50)), ["U go", "A call(b)", "T b: [outcome left out to save room]"]);
    assert_eq!(chars(3_000).receipt().changes(), [PrefixChange::Shortened]);
}

#[test]
fn edge_turn_begins_with_an_input() {
    let lines = ["U 1", "A 2", "U 3", "A call(x)", "T x: 1", "A 4", "U 5"];
    let bounds = Bounds::none().messages(4);
    assert_eq!(show(&fitted(&lines, &bounds)), ["A 4", "U 5"]);
    assert_eq!(show(&fitted(&lines, &bounds.edge(Edge::Turn))), ["U 5"]);
    let bounds = Bounds::none().messages(5).edge(Edge::Turn);
    assert_eq!(show(&fitted(&lines, &bounds)), ["U 3", "A call(x)", "T x: 1", "A 4", "U 5"]);
}

#[test]
fn a_stride_fills_and_is_then_cut_to_a_third() {
    let lines: Vec<String> = (0..40).map(|n| format!("U {n}")).collect();
    let mut anchor = None;
    let mut starts = Vec::new();
    for end in 1..=40 {
        let lines: Vec<&str> = lines[..end].iter().map(String::as_str).collect();
        let briefing = fitted(&lines, &Bounds::none().messages(10).stride(Stride::default(), anchor));
        anchor = briefing.receipt().anchor();
        starts.push(show(&briefing)[0].clone());
    }
    starts.dedup();
    assert_eq!(starts, ["U 0", "U 7", "U 14", "U 21", "U 28", "U 35"]);
}

#[test]
fn a_window_that_begins_with_an_answer_counts_the_line_before_it() {
    let lines = ["U 1", "A 2", "U 3"];
    assert_eq!(show(&fitted(&lines, &Bounds::none().messages(3))), ["U 1", "A 2", "U 3"]);
    assert_eq!(show(&fitted(&lines, &Bounds::none().messages(2))), ["U 3"]);
}

#[test]
fn openai_itself_takes_any_order_so_no_line_is_counted() {
    let briefing = fit(&list(&["U 1", "A 2", "U 3"]), &call(), &Bounds::none().messages(2)).unwrap();
    assert_eq!(show(&briefing), ["A 2", "U 3"]);
}

#[test]
fn mistral_counts_the_answer_between_an_outcome_and_the_next_input() {
    let profile = ModelProfile { dialect: Dialect::Mistral, wire: Wire::OpenAiChat, ..ModelProfile::default() };
    let lines = list(&["U 1", "A call(a)", "T a: x", "U 2"]);
    let total = fit(&lines, &Call::new(profile), &Bounds::none()).unwrap().receipt().total();
    assert_eq!(total.messages, 5);
}

#[test]
fn a_profile_that_alternates_has_a_line_between_two_inputs() {
    let profile = ModelProfile { alternates: true, ..ModelProfile::default() };
    let total = |lines: &[&str]| fit(&list(lines), &Call::new(profile.clone()), &Bounds::none()).unwrap().receipt().total();
    assert_eq!(total(&["U 1", "U 2", "U 3"]).messages, 5);
    assert_eq!(total(&["U 1", "A 2", "U 3"]).messages, 3);
    assert_eq!(total(&["U 1", "A call(a)", "T a: x", "U 2"]).messages, 5);
    assert_eq!(total(&["U 1", "A call(a)", "T a: x", "A 2", "U 3"]).messages, 5);
}

#[test]
fn an_estimate_stops_at_the_budget() {
    let messages: Vec<_> = (0..1_000).map(|n| ModelMessage::user(format!("{n} {}", "word ".repeat(100)))).collect();
    let briefing = fit(&messages, &call(), &Bounds::none().tokens_by(1_000, Estimator::characters())).unwrap();
    assert_eq!(briefing.receipt().estimator(), Some("characters/4"));
    assert_eq!(briefing.receipt().kept().len(), 7);
}

#[test]
fn nothing_at_all_is_a_briefing_of_nothing() {
    assert_eq!(show(&fitted(&[], &Bounds::none())), Vec::<String>::new());
}

#[test]
fn briefings_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Briefing>();
}

#[test]
fn system_text_that_may_read_as_a_user_line_is_counted_as_one() {
    let call = Call::model("claude-sonnet-4-5", None);
    let messages = list(&["S head", "U 1", "S note", "U 2"]);
    let chars = fit(&messages, &call, &Bounds::none()).unwrap().receipt().total().chars;
    assert_eq!(chars, "head1[system] note2".len() as u64);
}

#[test]
fn tools_that_a_wire_must_declare_are_counted_and_told() {
    let call = Call::model("claude-sonnet-4-5", None);
    let briefing = fit(&list(&["U 1", "A call(a)", "T a: x"]), &call, &Bounds::none()).unwrap();
    // Twice the name, its schema, the input, the outcome, the question.
    assert_eq!(briefing.receipt().total().chars, 2 * 4 + 17 + 2 + 1 + 1);
    assert_eq!(briefing.receipt().changes(), [PrefixChange::ToolsDeclared]);
}

#[test]
fn a_schema_among_the_parameters_is_counted() {
    let raw = |text: &str| RawJson::new(text).unwrap();
    let call = call().parameter("temperature", raw("0.5")).parameter("response_format", raw(r#"{"type":"json_object"}"#));
    let chars = fit(&list(&["U 1"]), &call, &Bounds::none()).unwrap().receipt().total().chars;
    assert_eq!(chars, 22 + 1);
}

#[test]
fn a_calibration_below_one_does_not_let_too_much_through() {
    let profile = ModelProfile { calibration: 0.5, message_tokens: 0, ..ModelProfile::default() };
    let messages = [ModelMessage::user("x".repeat(20_000)), ModelMessage::user("hi")];
    let bounds = Bounds::none().tokens_by(1_000, Estimator::characters());
    let briefing = fit(&messages, &Call::new(profile), &bounds).unwrap();
    assert_eq!(show(&briefing), ["U hi"]);
    assert!(Profiles::built_in().extended("[mine]\ncalibration = 0.0").is_err());
}

#[test]
fn what_never_yields_is_counted_to_its_end() {
    let text: String = (0..5_000).map(|n| format!("word{n} ")).collect();
    let size = |limit| match fit(&[ModelMessage::user(text.clone())], &call(), &Bounds::none().tokens(limit)) {
        Err(FitError::TooLarge { shares, .. }) => shares[2].size,
        Ok(_) => panic!("it fits"),
    };
    assert_eq!(size(10), size(9_000));
}

#[test]
fn a_run_of_fillers_and_system_notes_settles_in_linear_time() {
    let profile = ModelProfile { dialect: Dialect::Mistral, system_anywhere: false, ..ModelProfile::default() };
    let lines: Vec<ModelMessage> = (0..60_000)
        .map(|n| match n % 3 {
            0 => ModelMessage::calls([ToolCall::new(format!("c{n}"), "tool", "{}")]),
            1 => ModelMessage::outcome(format!("c{}", n - 1), "x"),
            _ => ModelMessage::system("note"),
        })
        .collect();
    let briefing = fit(&lines, &Call::new(profile), &Bounds::none().messages(60_001)).unwrap();
    assert!(briefing.receipt().total().messages <= 60_001);
}

#[test]
fn an_outcome_of_many_parts_is_cut_as_one() {
    let parts: Vec<Part> = (0..40).map(|_| Part::text("x".repeat(450))).collect();
    let outcome = Outcome { parts, ..Outcome::text("a", "") };
    let messages = [message("U go"), message("A call(a)"), ModelMessage::Tool(Arc::new(outcome))];
    let briefing = fit(&messages, &call(), &Bounds::none().chars(1_000)).unwrap();
    let shown = show(&briefing).pop().unwrap();
    assert!(shown.starts_with("T a: xxx") && shown.chars().count() <= 505 + 1, "{shown}");
}

#[test]
fn an_outcome_right_before_its_call_is_put_behind_it() {
    let briefing = fitted(&["U 1", "T a: early", "A call(a)", "U 2"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a)", "T a: early", "U 2"]);
    assert_eq!(rules(&briefing), [Rule::OutcomeMoved { call: "a".into() }]);
    // It belongs to the call before it, if there is one of that id.
    let briefing = fitted(&["U 1", "A call(a)", "T a: own", "A call(a)", "U 2"], &Bounds::none());
    assert_eq!(show(&briefing)[4], format!("T a#2: {NOT_RECORDED}"));
    // Of two, the first stands.
    let briefing = fitted(&["U 1", "T a: first", "T a: second", "A call(a)"], &Bounds::none());
    assert_eq!(show(&briefing), ["U 1", "A call(a)", "T a: first"]);
}

#[test]
fn the_longest_beginning_of_a_models_name_counts() {
    let facts = |name: &str| {
        let profile = Profiles::built_in().model(name, None);
        (profile.wire, profile.dialect, profile.prefill)
    };
    let (chat, anthropic) = (Wire::OpenAiChat, Wire::Anthropic);
    assert_eq!(facts("openai/gpt-5-mini"), (chat, Dialect::Original, false));
    assert_eq!(facts("gpt-oss-120b"), (chat, Dialect::Compatible, false));
    assert_eq!(facts("ft:gpt-4o:mine"), (chat, Dialect::Original, false));
    assert_eq!(facts("codex-mini-latest"), (chat, Dialect::Original, false));
    assert_eq!(facts("us.anthropic.claude-opus-4-6-v1:0"), (anthropic, Dialect::Original, false));
    assert_eq!(facts("claude-3-5-sonnet-20241022"), (anthropic, Dialect::Original, true));
    assert_eq!(facts("claude-future-9"), (anthropic, Dialect::Original, false));
    assert_eq!(facts("somebody/unheard-of"), (chat, Dialect::Compatible, false));
}
