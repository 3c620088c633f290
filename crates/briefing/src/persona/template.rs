//! Templates over the context: minijinja, strict, limited in work, never escaped.

use std::sync::Arc;

use minijinja::{Environment, UndefinedBehavior, Value, context};

use crate::context::{Context, Inbound};

/// Steps that one rendering may take before it is stopped.
const FUEL: u64 = 100_000;

/// A template that was found sound when it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: Arc<str>,
}

/// Why a template cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("template: {detail}{}", line.map_or(String::new(), |line| format!(" (line {line})")))]
pub struct TemplateError {
    /// What is wrong.
    pub detail: String,
    /// Its line, from one.
    pub line: Option<usize>,
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> Self {
        let detail = match (error.kind(), error.detail()) {
            (minijinja::ErrorKind::OutOfFuel, _) => format!("takes more than {FUEL} steps; does it loop?"),
            (kind, Some(detail)) => format!("{kind}: {detail}"),
            (kind, None) => kind.to_string(),
        };
        Self { detail, line: error.line() }
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    // It prints everything a template could name, the message being answered too.
    environment.add_function("debug", || -> Result<String, minijinja::Error> {
        Err(minijinja::Error::new(minijinja::ErrorKind::UnknownFunction, "debug is not offered"))
    });
    environment
}

impl Template {
    /// Takes a template if it can be parsed.
    ///
    /// # Errors
    /// [`TemplateError`] with its line.
    pub fn new(source: impl Into<Arc<str>>) -> Result<Self, TemplateError> {
        let source = source.into();
        environment().template_from_str(&source)?;
        Ok(Self { source })
    }

    /// Whether it holds anything but plain text.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"].iter().any(|open| self.source.contains(open))
    }

    /// Whether it reads the message being answered: a stranger's text.
    #[must_use]
    pub fn reads_message(&self) -> bool {
        environment()
            .template_from_str(&self.source)
            .is_ok_and(|template| template.undeclared_variables(false).contains("message"))
    }

    /// Renders it over the context.
    ///
    /// # Errors
    /// [`TemplateError`] for an undefined name, a fault of an expression, or too much work.
    pub fn render(&self, cx: &Context) -> Result<String, TemplateError> {
        Ok(environment().render_str(&self.source, values(cx))?)
    }
}

/// What a template may name. What a run has not is undefined, and so an error.
fn values(cx: &Context) -> Value {
    let mut all = vec![
        ("persona", persona(cx)),
        ("now", Value::from(crate::view::utc(cx.now()))),
        ("config", Value::from(minijinja::value::Serde(cx.config()))),
    ];
    all.extend(cx.correlation_id().map(|id| ("correlation_id", Value::from(id))));
    all.extend(cx.message().map(|message| ("message", inbound(message))));
    all.extend(
        cx.responsibility().map(|duty| {
            ("responsibility", context! { name => duty.name.as_str(), instructions => duty.instructions.as_str() })
        }),
    );
    // Collecting would make a sequence of pairs.
    Value::from_pairs(all)
}

fn persona(cx: &Context) -> Value {
    let persona = cx.persona();
    let instructions = persona.instructions();
    context! { name => persona.name(), address => persona.address(), instructions => instructions.as_deref().unwrap_or_default() }
}

/// What is answered. A message of a chat has a body alone.
fn inbound(inbound: &Inbound) -> Value {
    let Some(mail) = inbound.mail() else {
        let body = inbound.message().map(|message| message.said.text()).unwrap_or_default();
        return context! { from_address => "", from_name => "", subject => "", body => body, message_id => "" };
    };
    let from = mail.from.first();
    context! {
        from_address => from.map(|from| from.email.as_str()).unwrap_or_default(),
        from_name => from.and_then(|from| from.name.as_deref()).unwrap_or_default(),
        subject => mail.subject.as_deref().unwrap_or_default(),
        body => mail.body.as_deref().unwrap_or_default(),
        message_id => mail.message_id.as_ref().map(|id| id.as_str()).unwrap_or_default(),
    }
}
