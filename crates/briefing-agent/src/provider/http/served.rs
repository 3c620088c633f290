//! What models a server lists.

use briefing_json::{Document, Value};

/// A model that a server lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedModel {
    /// Its name, as requests give it.
    pub name: String,
    /// Input and output together, in tokens, if the server says so.
    pub context: Option<u32>,
}

/// Where servers tell how much a model takes: llama.cpp (twice), vLLM, OpenRouter, Gemini.
const CONTEXT: [&[&str]; 5] =
    [&["meta", "n_ctx"], &["meta", "n_ctx_train"], &["max_model_len"], &["context_length"], &["inputTokenLimit"]];

/// The models of a list: `data` of OpenAI and Anthropic, `models` of Gemini. What is no such list has none.
pub(super) fn read(body: &str) -> Vec<ServedModel> {
    let Ok(document) = Document::parse(body) else { return Vec::new() };
    let list = document.root().get("data").or_else(|| document.root().get("models"));
    list.into_iter().flat_map(|list| list.items()).filter_map(model).collect()
}

fn model(item: Value<'_>) -> Option<ServedModel> {
    let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
    let tokens = |path: &[&str]| path.iter().try_fold(item, |value, key| value.get(key))?.raw().parse().ok();
    let context = CONTEXT.into_iter().find_map(tokens).filter(|tokens| *tokens > 0);
    Some(ServedModel { name: name.strip_prefix("models/").unwrap_or(&name).to_owned(), context })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_models_are_read() {
        let names = |list| read(list).into_iter().map(|served| (served.name, served.context)).collect::<Vec<_>>();
        let openai = r#"{"object":"list","data":[{"id":"qwen3","meta":{"n_ctx_train":8192}},{"no":1}]}"#;
        assert_eq!(names(openai), [("qwen3".to_owned(), Some(8_192))]);
        let gemini = r#"{"models":[{"name":"models/gemini-3-flash","inputTokenLimit":1048576}]}"#;
        assert_eq!(names(gemini), [("gemini-3-flash".to_owned(), Some(1_048_576))]);
        let odd = r#"{"data":[{"id":"a","max_model_len":-1},{"id":"b","context_length":"4"},{"id":7},8]}"#;
        assert_eq!(names(odd), [("a".to_owned(), None), ("b".to_owned(), None)]);
        for none in ["[]", "{}", "<html>", "", r#"{"data":{"id":"x"}}"#] {
            assert_eq!(names(none), []);
        }
    }
}
