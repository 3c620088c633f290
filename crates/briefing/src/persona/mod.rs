//! Personas: a named agent with its address, instructions, two chains and the tools granted to it.

mod history;
mod load;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use history::ViewError;
pub use load::{LoadedPersona, PersonaError, PersonaFault, PersonaWarning};
pub use template::{Template, TemplateError};

use crate::chain::Chain;
use crate::message::OwnerId;

/// What personas have in common. A role extends another: the tools grant is inherited, the chains are not.
#[derive(Debug, Clone, Default)]
pub struct Role {
    grant: BTreeSet<String>,
    message: Option<Chain>,
    responsibility: Option<Chain>,
}

impl Role {
    /// A role of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A role with another's tools grant. Its chains are still to be declared.
    #[must_use]
    pub fn extending(other: &Self) -> Self {
        Self { grant: other.grant.clone(), ..Self::default() }
    }

    /// The same with more tools granted.
    #[must_use]
    pub fn grant<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.grant.extend(tools.into_iter().map(Into::into));
        self
    }

    /// The same with its chain for replies.
    #[must_use]
    pub fn message(mut self, chain: Chain) -> Self {
        self.message = Some(chain);
        self
    }

    /// The same with its chain for scheduled work.
    #[must_use]
    pub fn responsibility(mut self, chain: Chain) -> Self {
        self.responsibility = Some(chain);
        self
    }
}

/// A named agent.
#[derive(Debug, Clone)]
pub struct Persona {
    name: Arc<str>,
    address: Arc<str>,
    owner: OwnerId,
    instructions: Option<Arc<str>>,
    grant: BTreeSet<String>,
    message: Chain,
    responsibility: Option<Chain>,
}

/// A chain that was asked for and never declared. Chains are not inherited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {chain} chain of persona {persona:?} was not declared")]
pub struct ChainUndeclared {
    /// The persona's name.
    pub persona: String,
    /// `message` or `responsibility`.
    pub chain: &'static str,
}

impl Persona {
    /// A persona of that role, of the default owner, without instructions.
    ///
    /// # Errors
    /// [`ChainUndeclared`] if the role has no message chain.
    pub fn new(role: &Role, name: impl Into<Arc<str>>, address: impl Into<Arc<str>>) -> Result<Self, ChainUndeclared> {
        let (name, address) = (name.into(), address.into());
        let Some(message) = role.message.clone() else {
            return Err(ChainUndeclared { persona: name.to_string(), chain: "message" });
        };
        let responsibility = role.responsibility.clone();
        let (owner, grant) = (OwnerId::default(), role.grant.clone());
        Ok(Self { name, address, owner, instructions: None, grant, message, responsibility })
    }

    /// The same with instructions.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The same of another owner.
    #[must_use]
    pub fn with_owner(mut self, owner: OwnerId) -> Self {
        self.owner = owner;
        self
    }

    /// The same with more tools granted to this one alone.
    #[must_use]
    pub fn with_grant<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.grant.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its mail address: what is sent from it is its own.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whose it is.
    #[must_use]
    pub fn owner(&self) -> &OwnerId {
        &self.owner
    }

    /// Its instructions.
    #[must_use]
    pub fn instructions(&self) -> Option<Arc<str>> {
        self.instructions.clone()
    }

    /// Whether that tool is granted to it.
    #[must_use]
    pub fn may_use(&self, tool: &str) -> bool {
        self.grant.contains(tool)
    }

    /// The tools granted to it, in the order of their names.
    pub fn granted(&self) -> impl Iterator<Item = &str> {
        self.grant.iter().map(String::as_str)
    }

    /// The chain for replies.
    #[must_use]
    pub fn message_chain(&self) -> &Chain {
        &self.message
    }

    /// The chain for scheduled work.
    ///
    /// # Errors
    /// [`ChainUndeclared`] if there is none.
    pub fn responsibility_chain(&self) -> Result<&Chain, ChainUndeclared> {
        let missing = || ChainUndeclared { persona: self.name.to_string(), chain: "responsibility" };
        self.responsibility.as_ref().ok_or_else(missing)
    }
}
