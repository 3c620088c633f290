//! A history view in TOML.

use serde::Deserialize;

use crate::fit::{Edge, Stride};
use crate::view::{HistoryView, Preset, Redactor, Replay, Tools};

/// Why a history view cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Characters of a cut outcome, where outcomes are not cut.
    #[error("outcome_chars is of cut outcomes; replay is {replay:?}")]
    NotCut {
        /// How they are told.
        replay: &'static str,
    },
    /// Both keys say whether tool use is told.
    #[error("include_tool_calls and replay say the same: give one")]
    ReplayTwice,
    /// A share that is none.
    #[error("stride: true, false, or a share between 0 and 1")]
    Stride,
    /// Something to be hidden that every text holds.
    #[error("redact: an empty text would hide everything")]
    NothingToHide,
}

/// The table `history` of a chain's entry. Its keys are the options of [`HistoryView`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryTable {
    #[serde(default)]
    view: ViewName,
    limit: Option<Limit>,
    visit_limit: Option<usize>,
    agent: Option<String>,
    tools: Option<ToolsName>,
    system: Option<bool>,
    messages: Option<Most>,
    chars: Option<Most>,
    tokens: Option<u64>,
    stride: Option<StrideValue>,
    edge: Option<EdgeName>,
    replay: Option<ReplayName>,
    outcome_chars: Option<usize>,
    include_tool_calls: Option<bool>,
    file_chars: Option<usize>,
    redact: Option<Vec<String>>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ViewName {
    #[default]
    Mail,
    Swarm,
    Chat,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ToolsName {
    Everyones,
    Own,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum EdgeName {
    Round,
    Turn,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ReplayName {
    Whole,
    Cut,
    Cleared,
    None,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum StrideValue {
    Whether(bool),
    Low(f64),
}

/// A number of mails and messages, or all.
#[derive(Clone, Copy)]
struct Limit(Option<usize>);

/// A number, or none.
#[derive(Clone, Copy)]
struct Most(Option<u64>);

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Most(most) = Most::deserialize(deserializer)?;
        Ok(Self(most.map(|most| usize::try_from(most).unwrap_or(usize::MAX))))
    }
}

impl<'de> Deserialize<'de> for Most {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(most) => u64::try_from(most).ok().map(|most| Self(Some(most))),
            toml::Value::String(all) if all == "all" => Some(Self(None)),
            _ => None,
        }
        .ok_or_else(|| serde::de::Error::custom("a whole number from 0 on, or \"all\""))
    }
}

impl HistoryTable {
    /// The view. A window that the table gives fills and is then cut, unless `stride` says otherwise: a persona's requests share
    /// their beginning then.
    pub(super) fn view(&self) -> Result<HistoryView, ViewError> {
        let view = match self.view {
            ViewName::Mail => HistoryView::mail(),
            ViewName::Swarm => HistoryView::for_persona(Preset::Swarm),
            ViewName::Chat => HistoryView::chat(),
        };
        let view = self.select(view);
        let view = self.window(view)?;
        let view = self.replay(view)?;
        let view = view.file_chars(self.file_chars);
        match &self.redact {
            None => Ok(view),
            Some(texts) if texts.iter().any(String::is_empty) => Err(ViewError::NothingToHide),
            Some(texts) => Ok(view.redact(Redactor::texts(texts.clone()))),
        }
    }

    fn select(&self, mut view: HistoryView) -> HistoryView {
        if let Some(Limit(limit)) = self.limit {
            view = view.limit(limit);
        }
        if let Some(most) = self.visit_limit {
            view = view.visit_limit(most);
        }
        if let Some(agent) = &self.agent {
            view = view.agent(agent.as_str());
        }
        if let Some(tools) = self.tools {
            view = view.tools_of(match tools {
                ToolsName::Everyones => Tools::Everyones,
                ToolsName::Own => Tools::Own,
            });
        }
        self.system.map_or(view.clone(), |told| view.stored_system(told))
    }

    fn window(&self, mut view: HistoryView) -> Result<HistoryView, ViewError> {
        if let Some(Most(most)) = self.messages {
            view = view.messages(most);
        }
        if let Some(Most(most)) = self.chars {
            view = view.chars(most);
        }
        if let Some(most) = self.tokens {
            view = view.tokens(most);
        }
        if let Some(EdgeName::Turn) = self.edge {
            view = view.edge(Edge::Turn);
        }
        let given = self.messages.is_some() || self.chars.is_some() || self.tokens.is_some();
        match self.stride {
            Some(StrideValue::Whether(false)) => Ok(view),
            Some(StrideValue::Whether(true)) => Ok(view.stride(Stride::default())),
            Some(StrideValue::Low(low)) if (0.0..=1.0).contains(&low) => Ok(view.stride(Stride::low(low))),
            Some(StrideValue::Low(_)) => Err(ViewError::Stride),
            None if given => Ok(view.stride(Stride::default())),
            None => Ok(view),
        }
    }

    fn replay(&self, view: HistoryView) -> Result<HistoryView, ViewError> {
        let replay = match (self.replay, self.include_tool_calls) {
            (Some(_), Some(_)) => return Err(ViewError::ReplayTwice),
            (None, include) => {
                let view = include.map_or(view.clone(), |include| view.include_tool_calls(include));
                return match (self.outcome_chars, view.replays()) {
                    (None, _) => Ok(view),
                    // Characters of outcomes do not bring back what is left out.
                    (Some(_), Replay::LeftOut) => Err(ViewError::NotCut { replay: ReplayName::None.name() }),
                    (Some(_), Replay::Cleared) => Err(ViewError::NotCut { replay: ReplayName::Cleared.name() }),
                    (Some(most), Replay::Cut(_) | Replay::Whole) => Ok(view.replay(Replay::Cut(most))),
                };
            }
            (Some(replay), None) => replay,
        };
        if self.outcome_chars.is_some() && replay != ReplayName::Cut {
            return Err(ViewError::NotCut { replay: replay.name() });
        }
        Ok(view.replay(match replay {
            ReplayName::Whole => Replay::Whole,
            ReplayName::Cut => Replay::Cut(self.outcome_chars.unwrap_or(crate::view::OUTCOME_CHARS)),
            ReplayName::Cleared => Replay::Cleared,
            ReplayName::None => Replay::LeftOut,
        }))
    }
}

impl ReplayName {
    const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Cut => "cut",
            Self::Cleared => "cleared",
            Self::None => "none",
        }
    }
}
