//! JSON objects on one line, some of whose members were written before.

use serde_json::Value;

use crate::output::safe_json;

/// An object in the making.
#[derive(Debug, Default)]
pub(crate) struct Object(String);

impl Object {
    /// Adds a member.
    pub(crate) fn field(self, name: &str, value: impl Into<Value>) -> Self {
        let value: Value = value.into();
        self.json(name, &value.to_string())
    }

    /// Adds a member whose value is JSON already. Its line breaks, which can stand between its tokens alone, become spaces.
    pub(crate) fn json(mut self, name: &str, json: &str) -> Self {
        self.0.push_str(if self.0.is_empty() { "{" } else { "," });
        self.0.push_str(&Value::from(name).to_string());
        self.0.push(':');
        self.0.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        self
    }

    /// The object, safe to be shown, without a line end.
    pub(crate) fn end(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        safe_json(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_stands_on_one_line() {
        assert_eq!(Object::default().end(), "{}");
        let object = Object::default().field("a\n", "b\n\u{9b}").json("c", "{\r\n \"d\": [1,\n2]}").end();
        assert_eq!(object, r#"{"a\n":"b\n\u009b","c":{   "d": [1, 2]}}"#);
    }
}
