//! The wires, their dialects, and what a model allows. Shares nothing with the profiles that the core renders by.

/// A provider's request format that this crate checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI Chat Completions, and what speaks it.
    OpenAiChat,
    /// Anthropic Messages.
    Anthropic,
}

/// Who reads an OpenAI Chat body. Anthropic Messages has one dialect, and ignores this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// OpenAI itself.
    OpenAi,
    /// Mistral: its own ids, order of roles and part types. From mistral-common's request validator.
    Mistral,
    /// Any other host: only what they have in common.
    Compatible,
}

/// What the wire and the declared model allow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// The request format.
    pub wire: Wire,
    /// Who reads it, on OpenAI Chat.
    pub dialect: Dialect,
    /// Whether the list may end on an assistant message that the model goes on from (Anthropic).
    pub prefill: bool,
    /// Whether a system message may stand behind the first one that is not. On Mistral its order of roles decides instead.
    pub system_anywhere: bool,
    /// Whether the model takes system messages at all.
    pub system: bool,
    /// Whether the model sees images.
    pub vision: bool,
    /// Whether user and assistant must take turns, as the chat templates of some local models demand (report B36). Off: the
    /// providers themselves join neighbours or take them as they are.
    pub alternate: bool,
    /// Whether an outcome may be empty. OpenAI takes it (real runs of tau-bench); Anthropic and some compatible hosts do not
    /// (report B20, zed-industries/zed#27130, earendil-works/pi#3309).
    pub empty_outcomes: bool,
    /// Whether a round may use the ids of an earlier one. OpenAI takes it (real runs of tau-bench), and mistral-common only
    /// counts; Anthropic demands ids that are unique in the list (report B48). Within a round no wire takes it.
    pub reused_ids: bool,
    /// Whether a history with calls needs `tools`. Off: OpenAI takes it without (recorded), and so does Anthropic
    /// (<https://github.com/anomalyco/opencode/issues/8246>); gateways such as LiteLLM refuse it.
    pub tools_with_calls: bool,
}

impl Rules {
    /// What the wire allows to a model of which nothing is known. OpenAI Chat is read as OpenAI reads it.
    #[must_use]
    pub fn for_wire(wire: Wire) -> Self {
        Self {
            wire,
            dialect: Dialect::OpenAi,
            prefill: true,
            system_anywhere: true,
            system: true,
            vision: true,
            alternate: false,
            empty_outcomes: wire == Wire::OpenAiChat,
            reused_ids: wire == Wire::OpenAiChat,
            tools_with_calls: false,
        }
    }

    /// What the wire allows to that model, told by its name. An unknown name on OpenAI Chat is read as [`Dialect::Compatible`];
    /// an unknown model of Anthropic gets the lenient rules of the wire.
    #[must_use]
    pub fn for_model(wire: Wire, model: &str) -> Self {
        let mut rules = Self::for_wire(wire);
        let model = model.to_ascii_lowercase();
        let name = model.rsplit('/').next().unwrap_or_default();
        let name = name.strip_prefix("ft:").unwrap_or(name);
        match wire {
            Wire::OpenAiChat => {
                rules.dialect = dialect(name);
                rules.empty_outcomes = rules.dialect != Dialect::Compatible;
                rules.system = !starts(name, &["o1-mini", "o1-preview"]);
                rules.vision = !starts(name, &["gpt-3.5", "o1-mini", "o1-preview", "o3-mini"]);
            }
            Wire::Anthropic => {
                if let Some(version) = claude_version(name) {
                    // Refused by Opus 4.6, Sonnet 4.6 and what came after: anthropics/claude-code#52433.
                    rules.prefill = version < (4, 6);
                    // From Opus 4.8 on: vercel/ai#15674.
                    rules.system_anywhere = version >= (4, 8);
                    rules.vision = version >= (3, 0);
                }
            }
        }
        rules
    }
}

fn starts(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether it is the name of a model that is known to be spoken to on OpenAI Chat.
pub(crate) fn is_known_openai_chat(model: &str) -> bool {
    Rules::for_model(Wire::OpenAiChat, model).dialect != Dialect::Compatible
}

fn dialect(name: &str) -> Dialect {
    const MISTRAL: [&str; 8] =
        ["mistral", "ministral", "codestral", "magistral", "devstral", "pixtral", "open-mistral", "open-mixtral"];
    const OPENAI: [&str; 6] = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"];
    if starts(name, &MISTRAL) {
        Dialect::Mistral
    } else if starts(name, &OPENAI) && !name.starts_with("gpt-oss") {
        Dialect::OpenAi
    } else {
        Dialect::Compatible
    }
}

/// The version in a Claude model's name: `claude-opus-4-6` is 4.6, `claude-3-5-sonnet-20241022` is 3.5.
fn claude_version(name: &str) -> Option<(u32, u32)> {
    let (_, rest) = name.split_once("claude")?;
    let number = |part: &str| if part.len() <= 2 { part.parse::<u32>().ok() } else { None };
    let mut parts = rest.split(['-', '.', '@', ':']).skip_while(|part| number(part).is_none());
    let major = number(parts.next()?)?;
    Some((major, parts.next().and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_versions_are_read_from_every_style_of_name() {
        let versions = [
            "claude-opus-4-6",
            "claude-3-5-sonnet-20241022",
            "claude-opus-4-20250514",
            "claude-sonnet-5",
            "anthropic.claude-opus-4-6-v1:0",
            "claude-opus-4.8",
            "claude-2.1",
            "claude-next",
            "gpt-4o",
        ]
        .map(claude_version);
        let expected =
            [Some((4, 6)), Some((3, 5)), Some((4, 0)), Some((5, 0)), Some((4, 6)), Some((4, 8)), Some((2, 1)), None, None];
        assert_eq!(versions, expected);
    }

    #[test]
    fn dialects_are_told_by_the_model() {
        let dialects = ["gpt-4o", "ft:gpt-4o:me", "openai/gpt-oss-120b", "mistralai/Devstral-Small-2", "deepseek-chat", "o3"]
            .map(|model| Rules::for_model(Wire::OpenAiChat, model).dialect);
        use Dialect::{Compatible, Mistral, OpenAi};
        assert_eq!(dialects, [OpenAi, OpenAi, Compatible, Mistral, Compatible, OpenAi]);
    }
}
