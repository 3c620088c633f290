//! What is kept where not everything fits.

use briefing::message::{EntryId, ModelMessage, ToolCall};
use briefing::view::HistoryView;
use briefing::{
    AssembleError, Bound, Bounds, Call, Class, Context, Contribution, Estimator, FitError, Piece, ResolveError, Resolver, Rule,
    Share, ShareSize, fit,
};

use crate::desk::{AGENT, Desk, MODELS, assert_told, instructed, line, reads, strs};

/// Instructions stand outside of every window, and what they cost is taken before history gets anything.
/// <https://github.com/microsoft/semantic-kernel/issues/12612>
#[test]
fn b41_trimming_never_drops_the_system_prompt() {
    let mut desk = Desk::new();
    desk.agent(ModelMessage::system("Count in words."));
    desk.user("Count to ten.");
    let mut list =
        vec![ModelMessage::system("Be kind."), ModelMessage::system("Count in words."), ModelMessage::user("Count to ten.")];
    let mut rounds = Vec::new();
    for number in 1..=10 {
        let call = ToolCall::new(format!("count{number:04}"), "count", format!(r#"{{"to":{number}}}"#));
        let (called, counted) = (ModelMessage::calls([call.clone()]), ModelMessage::outcome(call.id, number.to_string()));
        list.extend([called.clone(), counted.clone()]);
        rounds.push([desk.agent(called), desk.agent(counted)]);
    }
    let current = desk.user("Well?");
    list.push(ModelMessage::user("Well?"));
    let kept: Vec<String> = (2..=10)
        .flat_map(|number| {
            [
                format!(r#"assistant: count count{number:04} {{"to":{number}}}"#),
                format!("outcome of count{number:04}: {number}"),
            ]
        })
        .collect();
    let read = |head: &[&str], behind: &[&str]| {
        [head, &strs(&kept), behind].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let gpt = read(&["system: Be kind.", "system: Count in words."], &["user: Well?"]);
    let mistral = read(
        &["system: Be kind. | Count in words.", "user: [the conversation so far]"],
        &["assistant: [no answer]", "user: Well?"],
    );
    let claude = read(&["system: Be kind. | Count in words.", "user: [the conversation so far]"], &["user: Well?"]);
    let expected = [&strs(&gpt)[..], &strs(&mistral), &strs(&claude)];
    let over = line(rounds[0], Rule::Over { bound: Bound::Messages });
    let view = HistoryView::swarm(AGENT).messages(20);
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), expected, std::slice::from_ref(&over));
    // Bounds count the lines of the frame, too.
    let view = HistoryView::swarm(AGENT).messages(None);
    let bounds = [20, 21, 20].map(|most| Bounds::none().messages(most));
    for ((model, bounds), expected) in MODELS.iter().zip(&bounds).zip(expected) {
        let call = Call::model(model, None);
        let briefing = desk.brief(&view, &current, &call, bounds);
        assert_eq!(
            (reads(&briefing), briefing.receipt().lines()),
            (expected.iter().map(ToString::to_string).collect(), &[over.clone()][..])
        );
        let briefing = fit(&list, &call, bounds).unwrap();
        let over = [line([3, 4].map(EntryId::new), Rule::Over { bound: Bound::Messages })];
        assert_eq!(
            (reads(&briefing), briefing.receipt().lines()),
            (expected.iter().map(ToString::to_string).collect(), &over[..])
        );
    }

    // A hundred characters more of instructions are a hundred less of history.
    let mut desk = Desk::new();
    let told: Vec<EntryId> = (0..10)
        .map(|at| {
            let text = format!("{at:->50}");
            if at % 2 == 0 { desk.user(&text).id } else { desk.answer(&text) }
        })
        .collect();
    let current = desk.user("Well?");
    for (more, first) in [(0, 0_usize), (1, 1), (50, 1), (51, 2), (100, 2), (500, 10)] {
        let instructions = format!("Be kind.{}", "!".repeat(more));
        let chain = instructed(&instructions, &HistoryView::mail());
        let call = Call::model("gpt-5", None);
        let briefing = desk.assemble(&chain, &current, &[], &call, &Bounds::none().chars(8 + 500 + 5)).unwrap();
        let mut wanted = vec![format!("system: {instructions}")];
        wanted.extend((first..10).map(|at| format!("{}: {at:->50}", if at % 2 == 0 { "user" } else { "assistant" })));
        wanted.push("user: Well?".to_owned());
        assert_eq!(reads(&briefing), wanted);
        let over = first.checked_sub(1).map(|at| line([told[at]], Rule::Over { bound: Bound::Chars }));
        assert_eq!(briefing.receipt().lines(), Vec::from_iter(over));
    }
}

/// Instructions that alone are larger than a bound are an error with every part and its size; nothing is cut, nothing is
/// changed, and with just enough room the least there is goes out. <https://github.com/run-llama/llama_index/issues/9371>
#[test]
fn b42_a_budget_smaller_than_the_instructions() {
    let mut desk = Desk::new();
    desk.user("Hello.");
    let answered = desk.answer("Hi.");
    let current = desk.user("Where is order 7?");
    let instructions = "Be kind. ".repeat(667)[..6_000].to_owned();
    let chain = instructed(&instructions, &HistoryView::mail());
    // Anthropic's tokens are calibrated.
    let sizes = [(1_504, 9), (1_504, 9), (2_030, 11)];
    let least = [format!("system: {instructions}"), "user: Where is order 7?".to_owned()];
    for (model, (fixed, asked)) in MODELS.into_iter().zip(sizes) {
        let call = Call::model(model, None);
        let with = |most| {
            let bounds = Bounds::none().tokens_by(most, Estimator::characters());
            desk.assemble(&chain, &current, &[], &call, &bounds)
        };
        for limit in [1_300, fixed + asked - 1] {
            let error = with(limit).unwrap_err();
            let sum = fixed + asked;
            let told = format!(
                "tokens are bounded at {limit}, but what never yields takes {sum} (tools and frame 0, fixed messages {fixed}, \
                 current message {asked})"
            );
            assert_eq!(error.to_string(), told);
            let AssembleError::Fit(error) = error else { panic!("{error}") };
            let shares = [(Share::Around, 0), (Share::Fixed, fixed), (Share::Current, asked)];
            let shares = shares.map(|(share, size)| ShareSize { share, size }).to_vec();
            assert_eq!(error, FitError::TooLarge { bound: Bound::Tokens, limit, shares });
        }
        let briefing = with(fixed + asked).unwrap();
        assert_eq!(reads(&briefing), least, "{model}");
        assert_eq!(briefing.receipt().lines(), [line([answered], Rule::Over { bound: Bound::Tokens })]);
        assert_eq!(briefing.receipt().total().tokens, fixed + asked);
    }
}

/// Recalls messages, as a search would.
struct Recall(Class, Vec<Piece>);

impl Resolver for Recall {
    async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
        Ok(Contribution::of(self.0, self.1.clone()))
    }
}

/// The same with its last user lines as one message.
fn merged(told: &[String], last: usize) -> Vec<String> {
    let (before, last) = told.split_at(told.len() - last);
    let texts: Vec<&str> = last.iter().map(|told| told.strip_prefix("user: ").unwrap()).collect();
    [before, &[format!("user: {}", texts.join(" | "))]].concat()
}

/// Bounds are over the whole list: what was recalled has a tenth of each for itself, beyond it yields before history does, and
/// is not told twice. <https://github.com/mastra-ai/mastra/issues/9892>
#[test]
fn b43_recalled_messages_count() {
    let mut desk = Desk::new();
    let text = |at: usize, chars: usize| format!("{at:->chars$}");
    let old = [(0, 640), (1, 640), (2, 640), (3, 80)].map(|(at, chars)| desk.user(&text(at, chars)));
    let told: Vec<EntryId> =
        (0..9).map(|at| if at % 2 == 0 { desk.user(&text(at, 100)).id } else { desk.answer(&text(at, 100)) }).collect();
    let current = desk.user("What then?");
    let recalled = old.clone().map(|entry| Piece { message: entry.message().unwrap().said.clone(), entry: Some(entry.id) });
    let brief = |class: Class, recalled: &[Piece], call: &Call, bounds: &Bounds| {
        let recalled = recalled.to_vec();
        let chain = instructed("Be kind.", &HistoryView::mail().limit(9)).with(move || Recall(class, recalled.clone()));
        desk.assemble(&chain, &current, &[], call, bounds).unwrap()
    };
    let history = |at: usize| format!("{}: {}", if at.is_multiple_of(2) { "user" } else { "assistant" }, text(at, 100));
    let chars = |most| Bounds::none().chars(most);
    let over = |entry, bound| line([entry], Rule::Over { bound });
    let gone = |count: usize, bound| old[..count].iter().rev().map(|entry| over(entry.id, bound)).collect::<Vec<_>>();
    let shown = |at: usize| old[at].message().unwrap().said.text();
    let cases = [
        (chars(1_000), 0, vec![shown(3)], gone(3, Bound::Chars), 998),
        (chars(1_700), 0, vec![shown(2), shown(3)], gone(2, Bound::Chars), 1_638),
        // No tenth holds it, but history leaves as much.
        (chars(400), 6, vec![shown(3)], [vec![over(told[5], Bound::Chars)], gone(3, Bound::Chars)].concat(), 398),
        (chars(390), 6, vec![], [vec![over(told[5], Bound::Chars)], gone(4, Bound::Chars)].concat(), 318),
        (
            Bounds::none().messages(7),
            4,
            vec![shown(3)],
            [vec![over(told[3], Bound::Messages)], gone(3, Bound::Messages)].concat(),
            598,
        ),
    ];
    for class in [Class::Recall, Class::Summary] {
        for (bounds, from, shown, lines, total) in &cases {
            let mut told = vec!["system: Be kind.".to_owned()];
            told.extend((*from..9).map(history));
            told.extend(shown.iter().map(|text| format!("user: {text}")));
            told.push("user: What then?".to_owned());
            let merged = merged(&told, shown.len() + 2);
            let [told, merged] = [strs(&told), strs(&merged)];
            let brief = |call: &Call| brief(class, &recalled, call, bounds);
            assert_told(brief, [&told, &merged, &told], lines);
            assert_eq!(brief(&Call::model("gpt-5", None)).receipt().total().chars, *total);
        }
    }
    // What history holds is not told again.
    let held = Piece { message: ModelMessage::user(text(8, 100)), entry: Some(told[8]) };
    let twice = [recalled[3].clone(), held];
    let briefing = brief(Class::Recall, &twice, &Call::model("gpt-5", None), &Bounds::none());
    assert_eq!(briefing.receipt().lines(), [line([told[8]], Rule::Twice)]);
    assert_eq!(briefing.receipt().total().chars, 998);
}
