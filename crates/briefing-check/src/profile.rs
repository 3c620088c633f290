//! The wires, their dialects, and what a model allows. Shares nothing with the profiles that the core renders by.

use std::fmt;

/// A provider's request format that this crate checks. Closed on purpose: a new wire is a breaking change, as each client has to decide
/// what it does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// OpenAI Chat Completions, and what speaks it.
    OpenAiChat,
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses, and what speaks it.
    OpenAiResponses,
    /// Gemini's generateContent, of its own API and of Vertex.
    Gemini,
}

impl Wire {
    /// Its name, as the program shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The member that holds the list of messages.
    #[must_use]
    pub const fn list(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::Anthropic => "messages",
            Self::OpenAiResponses => "input",
            Self::Gemini => "contents",
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who reads a body of OpenAI Chat or OpenAI Responses. Anthropic Messages and Gemini have one dialect, and ignore this.
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
    /// Who reads it, on OpenAI Chat and OpenAI Responses.
    pub dialect: Dialect,
    /// Whether the list may end on an assistant message that the model goes on from (Anthropic, Gemini).
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
    /// Whether the calls of the current turn must carry the thought signatures that they came with (Gemini 3; report B64).
    pub thought_signatures: bool,
    /// Whether an outcome may hold files (Gemini 3: <https://github.com/google-gemini/gemini-cli/issues/19436>).
    pub outcome_files: bool,
}

impl Rules {
    /// What the wire allows to a model of which nothing is known. OpenAI Chat and Responses are read as OpenAI reads them.
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
            empty_outcomes: wire != Wire::Anthropic,
            reused_ids: wire != Wire::Anthropic,
            tools_with_calls: false,
            thought_signatures: false,
            outcome_files: true,
        }
    }

    /// What the wire allows to that model, told by its name. An unknown name on OpenAI Chat or Responses is read as
    /// [`Dialect::Compatible`]; an unknown model of Anthropic or Gemini gets the lenient rules of the wire. Of Gemini the name
    /// stands in the address of a request, not in its body.
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
            Wire::OpenAiResponses => {
                let own = dialect(name) == Dialect::OpenAi || starts(name, &["computer-use-"]);
                rules.dialect = if own { Dialect::OpenAi } else { Dialect::Compatible };
                rules.vision = !starts(name, &["gpt-3.5", "o3-mini"]);
            }
            Wire::Gemini => rules.gemini(name),
        }
        rules
    }

    fn gemini(&mut self, name: &str) {
        let Some(version) = gemini_version(name) else { return };
        // The image models ask for none: <https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures>.
        self.thought_signatures = version >= (3, 0) && !name.contains("-image");
        self.outcome_files = version >= (3, 0);
        // Measured in <https://github.com/LibreChat-AI/agents/pull/323>.
        self.prefill = version < (3, 6) && !name.starts_with("gemini-3.5-flash-lite");
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

/// The version in a Gemini model's name: `gemini-2.5-pro` is 2.5, `gemini-3-flash-preview` is 3.0.
fn gemini_version(name: &str) -> Option<(u32, u32)> {
    let rest = name.strip_prefix("gemini-")?;
    let version = rest.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
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
    fn gemini_models_differ_by_version() {
        let rules = |model: &str| {
            let rules = Rules::for_model(Wire::Gemini, model);
            (rules.thought_signatures, rules.outcome_files, rules.prefill)
        };
        let models = [
            "gemini-2.5-pro",
            "models/gemini-3-flash-preview",
            "gemini-3-pro-image-preview",
            "gemini-3.5-flash-lite",
            "gemini-3.6-flash",
            "gemini-pro-latest",
            "gemma-3-27b-it",
        ]
        .map(rules);
        let expected = [
            (false, false, true),
            (true, true, true),
            (false, true, true),
            (true, true, false),
            (true, true, false),
            (false, true, true),
            (false, true, true),
        ];
        assert_eq!(models, expected);
    }

    #[test]
    fn openai_responses_has_two_dialects() {
        let models = ["gpt-5.4", "o4-mini", "deepseek-v4-flash", "mistral-large-latest", "gpt-oss-120b", ""];
        let dialects = models.map(|model| Rules::for_model(Wire::OpenAiResponses, model).dialect);
        use Dialect::{Compatible, OpenAi};
        assert_eq!(dialects, [OpenAi, OpenAi, Compatible, Compatible, Compatible, Compatible]);
    }

    #[test]
    fn dialects_are_told_by_the_model() {
        let dialects = ["gpt-4o", "ft:gpt-4o:me", "openai/gpt-oss-120b", "mistralai/Devstral-Small-2", "deepseek-chat", "o3"]
            .map(|model| Rules::for_model(Wire::OpenAiChat, model).dialect);
        use Dialect::{Compatible, Mistral, OpenAi};
        assert_eq!(dialects, [OpenAi, OpenAi, Compatible, Mistral, Compatible, OpenAi]);
    }
}
