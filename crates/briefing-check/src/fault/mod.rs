//! What can be wrong with a body.

mod terms;

use briefing_json::Kind;

pub(crate) use terms::clip;
pub use terms::{IdRule, Role, Shape};

/// One thing that a provider refuses. Ids, names and types are the body's own, cut at 256 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    // The shape of the body.
    /// A field that must be there is absent or `null`.
    #[error("`{key}` is missing")]
    Missing {
        /// The field's name.
        key: &'static str,
    },
    /// A value of the wrong JSON type.
    #[error("expected {expected}, found {}", found.name())]
    WrongType {
        /// What belongs there.
        expected: Shape,
        /// What stands there.
        found: Kind,
    },
    /// `messages` is an empty array.
    #[error("the list has no messages")]
    NoMessages,
    /// An array that must have an element if it is there at all.
    #[error("`{key}` is an empty array; leave it out instead")]
    EmptyArray {
        /// The field's name.
        key: &'static str,
    },
    /// An array with more elements than the provider takes.
    #[error("`{key}` has {count} elements, more than {most}")]
    TooMany {
        /// The field's name.
        key: &'static str,
        /// How many there are.
        count: usize,
        /// How many may be.
        most: usize,
    },
    /// Half a surrogate pair in a string: no valid text.
    #[error("the string holds half a surrogate pair")]
    LoneSurrogate,
    /// A field of the body that stands there more than once.
    #[error("`{key}` stands there more than once, and most readers take the last alone")]
    RepeatedKey {
        /// The field's name.
        key: &'static str,
    },
    /// A number with a fraction where a whole one belongs.
    #[error("`{key}` is no whole number")]
    NotWhole {
        /// The field's name.
        key: &'static str,
    },
    /// A number below the least that the provider takes.
    #[error("`{key}` is below {least}")]
    TooSmall {
        /// The field's name.
        key: &'static str,
        /// The least.
        least: u32,
    },

    // Roles and their order.
    /// A role that the wire does not know.
    #[error("the wire has no role \"{role}\"")]
    UnknownRole {
        /// The role as written.
        role: String,
    },
    /// A role of the wire that this model does not take.
    #[error("this model takes no message of role {role}")]
    RoleNotSupported {
        /// The role.
        role: Role,
    },
    /// A role that may not follow the one before it.
    #[error("role {role} may not follow role {after}")]
    RoleOrder {
        /// The role.
        role: Role,
        /// The role of the message before.
        after: Role,
    },
    /// The list begins with a role that may not begin it.
    #[error("the list may not begin with role {role}")]
    FirstRole {
        /// The role.
        role: Role,
    },
    /// The list ends on an assistant message, and the model does not go on from one.
    #[error("the list ends on an assistant message, and this model takes no prefill")]
    Prefill,
    /// A message marked as prefix that is not the last.
    #[error("a message with `prefix` must be the last")]
    PrefixNotLast,
    /// A system message at a place where none may stand.
    #[error("a system message may not stand here")]
    SystemPlace,
    /// The `name` of a message holds white space or one of `<|\\/>`, or is empty.
    #[error("the message's name \"{name}\" is empty, or holds white space or one of <|\\/>")]
    BadMessageName {
        /// The name.
        name: String,
    },

    // Content.
    /// A message without any content.
    #[error("the message has no content")]
    EmptyContent,
    /// An assistant message with neither content nor calls.
    #[error("the assistant message has neither content nor calls")]
    NeitherContentNorCalls,
    /// A text of no characters.
    #[error("the text is empty")]
    EmptyText,
    /// A text of white space alone.
    #[error("the text is white space alone")]
    BlankText,
    /// The last assistant text ends in white space.
    #[error("the final assistant text ends in white space")]
    TrailingSpace,
    /// A part without any data.
    #[error("the part has no data")]
    EmptyPart,
    /// A part with data of two kinds.
    #[error("the part has data of one kind already, and \"{key}\" is another")]
    MixedPart {
        /// The second field, as it is written.
        key: String,
    },
    /// A part or block of a type that the wire does not know.
    #[error("the wire has no content of type \"{kind}\" here")]
    UnknownPart {
        /// The type as written.
        kind: String,
    },
    /// A part or block that does not belong into a message of this role.
    #[error("content of type \"{kind}\" may not stand in a message of role {role}")]
    PartNotAllowed {
        /// The type as written.
        kind: String,
        /// The message's role.
        role: Role,
    },

    // Media.
    /// Media without any data or address.
    #[error("the media is empty")]
    EmptyMedia,
    /// Media data that is not Base64.
    #[error("the media data is not Base64")]
    NotBase64,
    /// A media type that the provider does not read.
    #[error("the provider reads no \"{found}\" here")]
    MediaType {
        /// The type as written.
        found: String,
    },
    /// An image over the provider's size.
    #[error("the image has {bytes} bytes of Base64, more than {most}")]
    ImageTooLarge {
        /// Bytes of Base64.
        bytes: usize,
        /// How many may be.
        most: usize,
    },
    /// An image for a model that sees none.
    #[error("this model sees no images")]
    ImageNotSupported,

    // Calls and outcomes.
    /// A call or outcome with the empty id.
    #[error("the call's id is empty")]
    EmptyCallId,
    /// An id that breaks the wire's rule for ids.
    #[error("the call id \"{id}\" is not {rule}")]
    BadCallId {
        /// The id.
        id: String,
        /// The rule.
        rule: IdRule,
    },
    /// A second call of the same id.
    #[error("the call id \"{id}\" is used by an earlier call")]
    RepeatedCallId {
        /// The id.
        id: String,
    },
    /// A call that no outcome directly behind it answers.
    #[error("the call \"{id}\" has no outcome directly behind it")]
    MissingOutcome {
        /// The call's id.
        id: String,
    },
    /// An outcome of a call that the list does not have.
    #[error("the outcome answers \"{id}\", and the list has no such call")]
    OrphanOutcome {
        /// The id it names.
        id: String,
    },
    /// An outcome that stands before its call.
    #[error("the outcome of \"{id}\" stands before its call")]
    OutcomeBeforeCall {
        /// The call's id.
        id: String,
    },
    /// An outcome of a call that has one.
    #[error("the call \"{id}\" has an outcome already")]
    RepeatedOutcome {
        /// The call's id.
        id: String,
    },
    /// An outcome that other messages part from its call.
    #[error("other messages stand between the call \"{id}\" and this outcome")]
    LateOutcome {
        /// The call's id.
        id: String,
    },
    /// Other content stands before an outcome in its user message.
    #[error("the outcome of \"{id}\" must come before the other content of its message")]
    OutcomeNotFirst {
        /// The call's id.
        id: String,
    },
    /// An outcome without content.
    #[error("the outcome of \"{id}\" is empty")]
    EmptyOutcome {
        /// The call's id.
        id: String,
    },
    /// An outcome that has another name than the call that it answers.
    #[error("the outcome is named \"{name}\", and its call \"{call}\"")]
    OutcomeName {
        /// The outcome's name.
        name: String,
        /// The call's name.
        call: String,
    },
    /// Files in an outcome, for a model that takes none there.
    #[error("this model takes no files in an outcome")]
    OutcomeFilesNotSupported,
    /// The result of a provider's own tool without the use it belongs to.
    #[error("the result names the server tool use \"{id}\", and none stands before it")]
    OrphanServerResult {
        /// The id it names.
        id: String,
    },
    /// Arguments that are not JSON.
    #[error("the arguments of \"{id}\" are not JSON")]
    ArgumentsNotJson {
        /// The call's id.
        id: String,
    },
    /// Arguments that are JSON, but no object.
    #[error("the arguments of \"{id}\" are no JSON object")]
    ArgumentsNotObject {
        /// The call's id.
        id: String,
    },
    /// A name that stands twice in one object, inside arguments or an outcome whose reader takes it once.
    #[error("the name \"{name}\" stands twice in one object")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A number beyond what a double holds, inside arguments or an outcome whose reader keeps doubles.
    #[error("the number {number} is beyond a double")]
    NumberBeyondDouble {
        /// The number as it is written.
        number: String,
    },
    /// Arguments longer than the provider takes.
    #[error("the arguments of \"{id}\" have {characters} characters, more than {most}")]
    ArgumentsTooLong {
        /// The call's id.
        id: String,
        /// Unicode scalar values.
        characters: usize,
        /// How many may be.
        most: usize,
    },

    // Tools.
    /// A tool's name with other characters, or of another length, than `[a-zA-Z0-9_-]`.
    #[error("the tool name \"{name}\" is not 1 to {most} of a-z, A-Z, 0-9, _ and -")]
    BadToolName {
        /// The name.
        name: String,
        /// Its most characters.
        most: usize,
    },
    /// A function's name that Gemini does not take.
    #[error("the function name \"{name}\" is not 1 to 64 of a-z, A-Z, 0-9, _, ., : and -, beginning with a letter or _")]
    BadFunctionName {
        /// The name.
        name: String,
    },
    /// A second tool of the same name.
    #[error("another tool is named \"{name}\"")]
    RepeatedToolName {
        /// The name.
        name: String,
    },
    /// A tool whose input schema does not describe an object.
    #[error("the input schema of \"{tool}\" is not of type \"object\"")]
    SchemaNotObject {
        /// The tool's name.
        tool: String,
    },
    /// The call asks for a tool that it does not declare.
    #[error("the chosen tool \"{name}\" is not declared")]
    UnknownToolChoice {
        /// The name.
        name: String,
    },
    /// A choice among tools where there are none.
    #[error("`tool_choice` without tools")]
    ToolChoiceWithoutTools,
    /// The history has calls, and the call declares no tools.
    #[error("the history has calls, and no tools are declared")]
    CallsWithoutTools,

    // OpenAI Responses' own.
    /// An item's id that is not what its type demands.
    #[error("the item id \"{id}\" is not 1 to 64 of a-z, A-Z, 0-9, _ and -, beginning with \"{prefix}\"")]
    BadItemId {
        /// The id.
        id: String,
        /// What ids of this type begin with.
        prefix: &'static str,
    },
    /// A second item of the same id.
    #[error("the item id \"{id}\" is used by an earlier item")]
    RepeatedItemId {
        /// The id.
        id: String,
    },
    /// A reasoning item without the item that it led to.
    #[error("the reasoning item \"{id}\" is not followed by the item, with its id, that it led to")]
    ReasoningAlone {
        /// The reasoning item's id.
        id: String,
    },

    /// An item that stands by its id alone, where the provider is told to keep none.
    #[error("the item \"{id}\" is not kept, as `store` is false")]
    NotStored {
        /// Its id.
        id: String,
    },

    // Gemini's own.
    /// A call without the thought signature that it came with.
    #[error("the call of \"{name}\" has no thought signature")]
    MissingSignature {
        /// The function's name.
        name: String,
    },
    /// A thought signature that is not Base64.
    #[error("the thought signature is not Base64")]
    SignatureNotBase64,

    // Anthropic's own.
    /// The thinking budget leaves no token for the answer.
    #[error("`max_tokens` is not above the thinking budget")]
    BudgetNotBelowMax,
    /// Thinking is on, and a tool is forced.
    #[error("thinking is on, and `tool_choice` forces a tool")]
    ForcedToolWithThinking,
    /// Thinking is on, and the open tool turn does not begin with it.
    #[error("thinking is on, and the open tool turn begins with \"{found}\"")]
    ThinkingNotFirst {
        /// The type of the block found.
        found: String,
    },
    /// More cache marks than the provider takes.
    #[error("{count} cache marks, more than {most}")]
    TooManyCacheMarks {
        /// How many there are.
        count: usize,
        /// How many may be.
        most: usize,
    },
    /// A cache mark on an empty text.
    #[error("a cache mark on an empty text")]
    CacheMarkOnEmptyText,
}
