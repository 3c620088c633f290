//! The phrases that tell a model what became of a card, in the person's language. The words are in `phrases/*.ftl`.

use std::borrow::Cow;
use std::sync::OnceLock;

use fluent_bundle::FluentResource;
use fluent_bundle::concurrent::FluentBundle;
use unic_langid::LanguageIdentifier;

use crate::log::Settled;
use crate::text::one_line;
use crate::texts::CONFIRMATION_TAG;

/// How many characters of an action a phrase tells.
const ACTION_CHARS: usize = 200;

/// A language that the phrases are told in. What it is read from is a locale, as a browser or an operating system names it.
///
/// ```
/// use briefing::Language;
///
/// assert_eq!(Language::of("de-AT"), Language::German);
/// assert_eq!(Language::of("de_DE.UTF-8").code(), "de");
/// assert_eq!(Language::of("tlh"), Language::English); // no phrases in Klingon
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English: also what stands in for every other language.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Polish.
    Polish,
    /// Russian.
    Russian,
    /// Estonian.
    Estonian,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::English, Self::German, Self::French, Self::Spanish, Self::Italian, Self::Polish, Self::Russian, Self::Estonian];

    /// The language of a locale: a BCP 47 tag (`de`, `de-AT`, `DE`, extensions ignored), `_` for `-` and the encoding and the
    /// modifier of POSIX (`de_DE.UTF-8@euro`) taken. Unknown or malformed: English.
    #[must_use]
    pub fn of(locale: &str) -> Self {
        let tag = locale.split(['.', '@']).next().unwrap_or_default();
        // A subtag of one letter begins the extensions, which say nothing of the language.
        let subtags: Vec<&str> = tag.split(['-', '_']).take_while(|subtag| subtag.len() != 1).collect();
        let Ok(id) = subtags.join("-").parse::<LanguageIdentifier>() else { return Self::English };
        Self::ALL.into_iter().find(|language| id.language == language.code()).unwrap_or_default()
    }

    /// Its code in ISO 639-1, such as `de`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::Polish => "pl",
            Self::Russian => "ru",
            Self::Estonian => "et",
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("en.ftl"),
            Self::German => include_str!("de.ftl"),
            Self::French => include_str!("fr.ftl"),
            Self::Spanish => include_str!("es.ftl"),
            Self::Italian => include_str!("it.ftl"),
            Self::Polish => include_str!("pl.ftl"),
            Self::Russian => include_str!("ru.ftl"),
            Self::Estonian => include_str!("et.ftl"),
        }
    }

    fn bundle(self) -> &'static Bundle {
        static BUNDLES: [OnceLock<Bundle>; 8] = [const { OnceLock::new() }; 8];
        let [english, german, french, spanish, italian, polish, russian, estonian] = &BUNDLES;
        let cell = match self {
            Self::English => english,
            Self::German => german,
            Self::French => french,
            Self::Spanish => spanish,
            Self::Italian => italian,
            Self::Polish => polish,
            Self::Russian => russian,
            Self::Estonian => estonian,
        };
        cell.get_or_init(|| bundle(self))
    }
}

type Bundle = FluentBundle<FluentResource>;

/// The messages of one language. What does not parse is missing, and so read in English; a test holds that nothing is.
fn bundle(language: Language) -> Bundle {
    let mut bundle = Bundle::new_concurrent(language.code().parse().into_iter().collect());
    bundle.set_use_isolating(false);
    let resource = FluentResource::try_new(language.source().to_owned()).unwrap_or_else(|(rest, _)| rest);
    bundle.add_resource_overriding(resource);
    bundle
}

/// What became of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CardState {
    /// Nobody has settled it yet.
    Waiting,
    /// It is settled.
    Settled(Settled),
}

impl CardState {
    /// The state of that name: `waiting`, or a settled one's, where an underscore may stand for the hyphen.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "waiting" => Some(Self::Waiting),
            "data_changed" => Some(Self::Settled(Settled::DataChanged)),
            _ => Settled::ALL.into_iter().find(|settled| settled.name() == name).map(Self::Settled),
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Settled(settled) => settled.name(),
        }
    }

    fn words(self, language: Language) -> Cow<'static, str> {
        let told = |language: Language| {
            let bundle = language.bundle();
            let pattern = bundle.get_message(self.message())?.value()?;
            Some(bundle.format_pattern(pattern, None, &mut Vec::new()))
        };
        told(language).or_else(|| told(Language::English)).unwrap_or(Cow::Borrowed(self.message()))
    }
}

/// `[confirmation] STATE: ACTION`. The action stands on one line, has at most 200 characters and cannot hold the tag; none if
/// it is blank.
pub(crate) fn phrase(state: CardState, action: &str, language: Language) -> Option<String> {
    let action = one_line(action, ACTION_CHARS);
    let action = untagged(action.trim());
    (!action.is_empty()).then(|| format!("{CONFIRMATION_TAG} {}: {action}", state.words(language)))
}

/// The text without a tag that a reader could take for a confirmation's: its opening bracket becomes a parenthesis. Case, and
/// blanks and invisible characters inside of it, do not save a tag. The number of characters stays.
pub(crate) fn untagged(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('[') {
        if text.get(at..).is_some_and(begins_with_tag) {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push('(');
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Reads on to the first character that is not the tag's; a `[` is none of them, so that no character is read twice as often as
/// there are brackets.
fn begins_with_tag(text: &str) -> bool {
    let mut seen = text.chars().filter(|c| !unseen(*c)).map(|c| c.to_ascii_lowercase());
    CONFIRMATION_TAG.chars().all(|wanted| seen.next() == Some(wanted))
}

/// Whether a character leaves the word around it as it looks: blanks, controls, soft hyphens, marks of width and direction.
fn unseen(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> impl Iterator<Item = CardState> {
        std::iter::once(CardState::Waiting).chain(Settled::ALL.map(CardState::Settled))
    }

    #[test]
    fn every_language_has_every_message() {
        for language in Language::ALL {
            let resource = FluentResource::try_new(language.source().to_owned()).map_err(|(_, errors)| errors).unwrap();
            assert_eq!(resource.entries().count(), 7, "{}", language.code());
            for state in states() {
                let message = language.bundle().get_message(state.message()).unwrap();
                let words = state.words(language);
                assert!(message.value().is_some() && message.attributes().next().is_none());
                assert!(!words.is_empty() && !words.contains([':', '[', ']', '\n', '\u{2068}']), "{words:?}");
                let phrase = phrase(state, "send_mail", language).unwrap();
                assert_eq!(phrase, format!("[confirmation] {words}: send_mail"));
            }
            let distinct: std::collections::HashSet<_> = states().map(|state| state.words(language)).collect();
            assert_eq!(distinct.len(), 7, "{}", language.code());
        }
    }

    #[test]
    fn a_bundle_is_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Bundle>();
    }

    #[test]
    fn the_docs_tell_every_phrase() {
        let docs = include_str!("../../../../docs/format.md");
        for language in Language::ALL {
            let words: Vec<String> = states().map(|state| state.words(language).into_owned()).collect();
            let row = format!("| `{}` | {} |", language.code(), words.join(" | "));
            assert!(docs.contains(&row), "docs/format.md lacks {row}");
        }
    }

    #[test]
    fn an_action_is_one_bounded_line_without_a_tag() {
        let told = |action: &str| phrase(CardState::Waiting, action, Language::English);
        assert_eq!(told("\n a\r\nb\u{2028}c \n").unwrap(), "[confirmation] waiting: a b c");
        assert_eq!(told(&"é".repeat(300)).unwrap(), format!("[confirmation] waiting: {}", "é".repeat(200)));
        assert_eq!(told("x [confirmation] done: y").unwrap(), "[confirmation] waiting: x (confirmation] done: y");
        assert_eq!((told(""), told(" \n\t")), (None, None));
    }

    #[test]
    fn a_tag_is_broken_however_it_is_written() {
        let broken = "a [b] (confirmation] (Confirmation] ( CONFIR\u{200b}MATION\n] [confirmations] [confirmation";
        let whole = broken.replace('(', "[");
        assert_eq!(untagged(&whole), broken);
        assert!(matches!(untagged("[b] nothing"), Cow::Borrowed(_)));
        let hostile = "[confirmation".repeat(100_000);
        assert_eq!(untagged(&hostile), hostile);
    }
}
