//! What the client's types made different from a body: a walk over both at once.

use std::fmt;

use briefing_json::Pointer;
use serde_json::Value;

/// One place where the client would send something else than was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The place in the rendered body.
    pub place: Pointer,
    /// What became of it.
    pub kind: LossKind,
}

/// What can become of a value in the client's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossKind {
    /// The types have no field for it: it is not sent.
    Dropped,
    /// It is sent as another value, such as a number with fewer digits.
    Altered,
    /// It was not in the body, and the client sends it.
    Added,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            LossKind::Dropped => "is not sent",
            LossKind::Altered => "is sent otherwise",
            LossKind::Added => "is sent in addition",
        };
        write!(f, "{} {kind}", self.place.as_str())
    }
}

/// The differences, in the order of the body. `null` and an absent member are the same. The depth is that of a value which
/// serde_json has read, 128 at most.
pub(crate) fn between(rendered: &Value, sent: &Value) -> Vec<Loss> {
    let mut losses = Vec::new();
    walk(&Pointer::root(), rendered, sent, &mut losses);
    losses
}

fn walk(place: &Pointer, rendered: &Value, sent: &Value, losses: &mut Vec<Loss>) {
    match (rendered, sent) {
        (Value::Object(rendered), Value::Object(sent)) => {
            for (key, value) in rendered {
                walk(&place.key(key), value, sent.get(key).unwrap_or(&Value::Null), losses);
            }
            let added = sent.iter().filter(|(key, value)| !value.is_null() && !rendered.contains_key(*key));
            losses.extend(added.map(|(key, _)| Loss { place: place.key(key), kind: LossKind::Added }));
        }
        (Value::Array(rendered), Value::Array(sent)) if rendered.len() == sent.len() => {
            for (index, (rendered, sent)) in rendered.iter().zip(sent).enumerate() {
                walk(&place.index(index), rendered, sent, losses);
            }
        }
        (rendered, sent) if rendered == sent => {}
        (Value::Null, _) => losses.push(Loss { place: place.clone(), kind: LossKind::Added }),
        (_, Value::Null) => losses.push(Loss { place: place.clone(), kind: LossKind::Dropped }),
        _ => losses.push(Loss { place: place.clone(), kind: LossKind::Altered }),
    }
}
