//! From the original's messages to those that a model is sent: every message gives one, and what does not fit is a finding.

use std::sync::Arc;

use serde_json::Value;

use crate::message::{Assistant, Bytes, Extra, Input, Item, Media, ModelMessage, Outcome, Part, Text, ToolCall, User};
use crate::view::swarm::{Misfit, SwarmCall, SwarmMessage, SwarmRole};

/// The most pictures that are read out of one message.
const PICTURES: usize = 100;

impl SwarmMessage {
    /// What a model is sent for this message, and what of it does not fit. A reset gives its reason as a user line: in a view
    /// there is none.
    #[must_use]
    pub fn said(&self) -> (ModelMessage, Vec<Misfit>) {
        let mut misfits = Vec::new();
        let text = || self.content.clone().unwrap_or_default();
        let calls = self.tool_calls.as_deref().unwrap_or_default();
        if !calls.is_empty() && self.role != SwarmRole::Assistant {
            misfits.push(Misfit::Calls { calls: calls.len() });
        }
        if self.answers().is_some() && self.role != SwarmRole::Tool {
            misfits.push(Misfit::Answers);
        }
        let said = match (&self.role, self.answers()) {
            (SwarmRole::System | SwarmRole::Developer, _) => ModelMessage::system(text()),
            (SwarmRole::Assistant, _) => self.assistant(calls),
            (SwarmRole::Tool, Some(id)) => ModelMessage::Tool(Arc::new(Outcome::text(id, text()))),
            (SwarmRole::Tool, None) => {
                misfits.push(Misfit::OutcomeOfNoCall);
                ModelMessage::user(text())
            }
            (SwarmRole::User, _) => ModelMessage::user(text()),
            (SwarmRole::Rescue | SwarmRole::Flush | SwarmRole::Other(_), _) => {
                misfits.push(Misfit::Role { role: self.role.name().to_owned() });
                ModelMessage::user(text())
            }
        };
        (said, misfits)
    }

    fn assistant(&self, calls: &[SwarmCall]) -> ModelMessage {
        let text = self.content.as_ref().filter(|text| !text.is_empty() || calls.is_empty());
        let mut items: Vec<Item> = text.map(|text| Item::Text(Text::new(text.as_str()))).into_iter().collect();
        items.extend(calls.iter().map(|call| {
            let input = match &call.function.arguments {
                Value::String(raw) => raw.clone(),
                Value::Null => "{}".to_owned(),
                arguments => arguments.to_string(),
            };
            let id = call.id.as_deref().unwrap_or_default();
            let call = ToolCall::new(id, call.function.name.as_str(), "{}");
            Item::Call(ToolCall { input: Input::new(input), ..call })
        }));
        ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))
    }

    /// A whole view as a model is sent it: what `fit` takes. Each misfit with the place of its message.
    ///
    /// ```
    /// use briefing::view::swarm::{ExactHistory, SwarmMessage, SwarmMode, SwarmRole};
    /// use briefing::{Bounds, Call, fit};
    ///
    /// let log = [SwarmMessage::new(SwarmRole::User, SwarmMode::User, "triage", "hello")];
    /// let (view, _findings) = ExactHistory::new("triage").for_agent(&log, "Be brief.", &[]);
    /// let (messages, misfits) = SwarmMessage::all_said(&view);
    /// assert!(misfits.is_empty());
    /// let briefing = fit(&messages, &Call::model("gpt-5", None), &Bounds::none())?;
    /// assert_eq!(briefing.messages().count(), 2);
    /// # Ok::<(), briefing::FitError>(())
    /// ```
    #[must_use]
    pub fn all_said(view: &[Self]) -> (Vec<ModelMessage>, Vec<(usize, Misfit)>) {
        let mut misfits = Vec::new();
        let said = view.iter().enumerate().map(|(at, message)| {
            let (said, found) = message.said();
            misfits.extend(found.into_iter().map(|misfit| (at, misfit)));
            let images = message.images.as_deref().unwrap_or_default();
            let (said, found) = with_pictures(said, images);
            misfits.extend(found.into_iter().map(|misfit| (at, misfit)));
            said
        });
        let said = said.collect();
        (said, misfits)
    }
}

/// A user message with its pictures behind its text. In another role, or in another form than Base64 text, they do not fit.
pub(crate) fn with_pictures(said: ModelMessage, images: &[Value]) -> (ModelMessage, Option<Misfit>) {
    if images.is_empty() {
        return (said, None);
    }
    let ModelMessage::User(user) = &said else { return (said, Some(Misfit::Pictures { pictures: images.len() })) };
    let pictures: Vec<Part> = images.iter().take(PICTURES).filter_map(picture).collect();
    let left = images.len() - pictures.len();
    let alone = pictures.is_empty();
    let parts = user.parts.iter().filter(|part| alone || part.as_text() != Some("")).cloned();
    let parts = parts.chain(pictures).collect();
    let misfit = (left > 0).then_some(Misfit::Pictures { pictures: left });
    (ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })), misfit)
}

/// A picture in Base64, bare or as a `data:` address, known by how its bytes begin.
fn picture(image: &Value) -> Option<Part> {
    let text = image.as_str()?;
    let data = if text.starts_with("data:") { text.split_once(";base64,")?.1 } else { text };
    let media_type = match data {
        _ if data.starts_with("iVBORw0KGgo") => "image/png",
        _ if data.starts_with("/9j/") => "image/jpeg",
        _ if data.starts_with("R0lGOD") => "image/gif",
        _ if data.starts_with("UklGR") => "image/webp",
        _ => return None,
    };
    Some(Part::Image(Media::data(media_type, Bytes::from_base64(data))))
}
