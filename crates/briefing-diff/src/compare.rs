//! From two texts to a [`Diff`].

use std::collections::{BTreeSet, HashMap};

use briefing_check::Wire;
use briefing_json::{Document, Kind, Pointer, Value};

use crate::cause::Cause;
use crate::classify::{holds_image, system as system_cause, tools as tools_cause};
use crate::messages::Matched;
use crate::params::{Change, Effect, LOOKED_INTO, ParameterChange, rule_of};
use crate::place::{Site, Spot, common, first_difference, line_and_column};
use crate::prompt::{Block, Prompt, Section, What, is_block_of, system_members};
use crate::same::{Prints, is_mark, reading};
use crate::wire::wire_of_both;
use crate::{Break, Bytes, Diff, DiffError, FILE_TOKENS, MovedMarks, Side, Tokens};

/// Compares the older body with the newer one. `tokens` counts a text's tokens. Linear in both bodies but for the sorting of
/// messages and keys; nothing in them can make it quadratic.
///
/// # Errors
/// [`DiffError`] where one of them is no request body of the four wires, or they are of two.
pub fn diff(older: &str, newer: &str, tokens: impl Fn(&str) -> u64) -> Result<Diff, DiffError> {
    let parse = |text, side| Document::parse(text).map_err(|source| DiffError::Syntax { side, source });
    let (a, b) = (parse(older, Side::Older)?, parse(newer, Side::Newer)?);
    let wire = wire_of_both(a.root(), b.root())?;
    let prints = Prints::default();
    let pair = Pair {
        wire,
        a: Body { text: older, root: a.root(), prompt: Prompt::new(a.root(), wire, &prints) },
        b: Body { text: newer, root: b.root(), prompt: Prompt::new(b.root(), wire, &prints) },
    };
    let matched = Matched::new(&pair.a.prompt.messages, &pair.b.prompt.messages);
    let parameters = pair.parameters(&prints);
    let breaks = pair.breaks(&parameters, &matched);
    let cut = breaks.first().map(|found| found.at);
    Ok(Diff {
        wire,
        bytes: pair.bytes(),
        tokens: pair.tokens(cut, tokens),
        messages: matched.changes(&pair.a.prompt.messages, &pair.b.prompt.messages),
        breaks: breaks.into_iter().map(|found| found.found).collect(),
        parameters,
        marks: pair.marks(),
    })
}

struct Body<'d> {
    text: &'d str,
    root: Value<'d>,
    prompt: Prompt<'d>,
}

impl<'d> Body<'d> {
    fn member(&self, name: &str) -> Option<Spot> {
        let mut site = Site::new(Pointer::root(), self.root);
        for key in name.split('.') {
            site = Site::new(site.pointer.key(key), site.value.get(key)?);
        }
        Some(site.spot(self.text))
    }
}

struct Pair<'d> {
    wire: Wire,
    a: Body<'d>,
    b: Body<'d>,
}

/// A break with how many blocks stand before it in each prompt.
struct Found {
    at: (usize, usize),
    found: Break,
}

impl<'d> Pair<'d> {
    /// All breaks in the prompt's order.
    fn breaks(&self, parameters: &[ParameterChange], matched: &Matched) -> Vec<Found> {
        let mut all: Vec<Found> = self.model().into_iter().collect();
        for change in parameters {
            if let Effect::Breaks(section) = change.effect {
                all.extend(self.by_parameter(change, section));
            }
        }
        all.extend(self.by_pictures());
        for section in [Section::Tools, Section::System, Section::Messages] {
            all.extend(self.by_section(section, matched));
        }
        all.sort_by_key(|found| (found.found.section, found.at.1));
        all
    }

    fn model(&self) -> Option<Found> {
        let name = |body: &Body<'d>| Some(body.root.get("model")?.as_str()?.into_owned());
        let (older, newer) = (name(&self.a), name(&self.b));
        (older != newer).then(|| Found {
            at: (0, 0),
            found: Break {
                section: Section::Tools,
                cause: Cause::ModelChanged { older, newer },
                older: self.a.member("model"),
                newer: self.b.member("model"),
            },
        })
    }

    /// A break at the beginning of what a parameter reaches. Where the older prompt has nothing from there on, none is lost.
    fn by_parameter(&self, change: &ParameterChange, section: Section) -> Option<Found> {
        let at = (self.a.prompt.before(section), self.b.prompt.before(section));
        (at.0 < self.a.prompt.blocks().count()).then(|| Found {
            at,
            found: Break {
                section,
                cause: Cause::ParameterChanged { name: change.name.clone() },
                older: self.a.member(&change.name),
                newer: self.b.member(&change.name),
            },
        })
    }

    /// Anthropic tells caches of messages apart by whether there is any picture in the prompt
    /// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-invalidates-the-cache>).
    fn by_pictures(&self) -> Option<Found> {
        if self.wire != Wire::Anthropic || self.a.prompt.messages.blocks.is_empty() {
            return None;
        }
        let spot = |body: &Body<'d>| {
            let picture =
                body.prompt.messages.blocks.iter().find(|block| block.what == What::Part && holds_image(block.value))?;
            Some(Site::new(picture.path.pointer(), picture.value).spot(body.text))
        };
        let (older, newer) = (spot(&self.a), spot(&self.b));
        (older.is_some() != newer.is_some()).then(|| Found {
            at: (self.a.prompt.before(Section::Messages), self.b.prompt.before(Section::Messages)),
            found: Break { section: Section::Messages, cause: Cause::PicturesToggled { came: newer.is_some() }, older, newer },
        })
    }

    fn by_section(&self, section: Section, matched: &Matched) -> Option<Found> {
        let (a, b) = (self.a.prompt.section(section), self.b.prompt.section(section));
        let equal = a.blocks.iter().zip(&b.blocks).take_while(|(one, other)| one.print == other.print).count();
        let (older, newer) = (a.blocks.get(equal), b.blocks.get(equal));
        let may_go_on = section >= self.a.prompt.last_section();
        let cause = match (older, newer, section) {
            (None, None, _) => return None,
            (None, Some(_), _) if may_go_on => return None,
            (_, _, Section::Tools) => tools_cause(a, b),
            (Some(one), Some(other), Section::System) => system_cause(one, other),
            (_, _, Section::System) => Cause::SystemChanged,
            (_, _, Section::Messages) => matched.cause(a, b, equal),
        };
        let (older, newer) = self.spots(older, newer);
        let at = (self.a.prompt.before(section) + equal, self.b.prompt.before(section) + equal);
        Some(Found { at, found: Break { section, cause, older, newer } })
    }

    /// Where two blocks begin to differ.
    fn spots(&self, older: Option<&Block<'d>>, newer: Option<&Block<'d>>) -> (Option<Spot>, Option<Spot>) {
        let site = |block: &Block<'d>| Site::new(block.path.pointer(), block.value);
        match (older, newer) {
            (Some(one), Some(other)) => {
                let heads = one.what == What::Head && other.what == What::Head;
                let skip = |key: &str| heads && is_block_of(self.wire, key);
                let (x, y) = first_difference(site(one), site(other), skip);
                (Some(x.spot(self.a.text)), Some(y.spot(self.b.text)))
            }
            (one, other) => (one.map(|block| site(block).spot(self.a.text)), other.map(|block| site(block).spot(self.b.text))),
        }
    }

    fn bytes(&self) -> Bytes {
        let equal = common(self.a.text, self.b.text);
        let wanted = last_byte(self.a.root, self.wire);
        let (line, column) = line_and_column(self.a.text, equal);
        Bytes { held: equal >= wanted, common: equal, wanted, line, column }
    }

    fn tokens(&self, cut: Option<(usize, usize)>, count: impl Fn(&str) -> u64) -> Tokens {
        let (all_a, all_b) = (self.a.prompt.blocks().count(), self.b.prompt.blocks().count());
        // Without a break all that the older prompt has is served.
        let (cut_a, cut_b) = cut.unwrap_or((all_a, all_a.min(all_b)));
        let mut had: HashMap<u64, usize> = HashMap::new();
        for block in self.a.prompt.blocks().skip(cut_a) {
            *had.entry(block.print).or_default() += 1;
        }
        let mut tokens = Tokens::default();
        for (at, block) in self.b.prompt.blocks().enumerate() {
            let cost = self.cost(block, &count);
            if at < cut_b {
                tokens.served += cost;
                continue;
            }
            tokens.paid += cost;
            if let Some(left) = had.get_mut(&block.print).filter(|left| **left > 0) {
                *left -= 1;
                tokens.paid_again += cost;
            }
        }
        tokens
    }

    fn cost(&self, block: &Block<'d>, count: &impl Fn(&str) -> u64) -> u64 {
        let head = block.what == What::Head;
        let reading = reading(block.value, |key| head && (key == "role" || is_block_of(self.wire, key)));
        if head && (block.value.kind() == Kind::String || reading.text == "{}") {
            return 0;
        }
        let name = block.path.own_name().map_or(0, |name| count(&name));
        name.saturating_add(count(&reading.text)).saturating_add(reading.files * FILE_TOKENS)
    }

    fn parameters(&self, prints: &Prints) -> Vec<ParameterChange> {
        let (older, newer) = (self.members(&self.a), self.members(&self.b));
        let names: BTreeSet<&String> = older.keys().chain(newer.keys()).collect();
        let changed = |name: &&String| {
            let change = match (older.get(*name), newer.get(*name)) {
                (Some(one), Some(other)) if prints.block(*one) == prints.block(*other) => return None,
                (Some(_), Some(_)) => Change::Altered,
                (Some(_), None) => Change::Gone,
                (None, _) => Change::Added,
            };
            let rule = rule_of(self.wire, name);
            let effect = rule.map_or(Effect::Undocumented, |rule| rule.effect);
            Some(ParameterChange { name: (*name).clone(), change, effect, source: rule.map(|rule| rule.source) })
        };
        names.iter().filter_map(changed).collect()
    }

    /// The members that are no part of the prompt, by name.
    fn members(&self, body: &Body<'d>) -> HashMap<String, Value<'d>> {
        let prompt = |key: &str| matches!(key, "model" | "tools" | "functions") || system_members(self.wire).contains(&key);
        let mut members = HashMap::new();
        for (key, value) in body.root.entries() {
            if prompt(&key) || key == self.wire.list() || value.is_null() {
                continue;
            }
            if LOOKED_INTO.contains(&key.as_ref()) && value.kind() == Kind::Object {
                members.extend(value.entries().map(|(inner, value)| (format!("{key}.{inner}"), value)));
            } else {
                members.insert(key.into_owned(), value);
            }
        }
        members
    }

    /// The blocks with a mark that the other body's block at that place has not.
    fn marks(&self) -> MovedMarks {
        let (older, newer) = (marked(&self.a.prompt), marked(&self.b.prompt));
        let only = |ours: &BTreeSet<Pointer>, theirs: &BTreeSet<Pointer>| ours.difference(theirs).cloned().collect();
        MovedMarks { older: only(&older, &newer), newer: only(&newer, &older) }
    }
}

fn marked(prompt: &Prompt<'_>) -> BTreeSet<Pointer> {
    let has_mark = |block: &&Block<'_>| block.what != What::Head && block.value.entries().any(|(key, _)| is_mark(&key));
    prompt.blocks().filter(has_mark).map(|block| block.path.pointer()).collect()
}

/// The offset behind the last block of the list, by its place in the text.
fn last_byte(root: Value<'_>, wire: Wire) -> usize {
    let Some(list) = root.get(wire.list()) else { return 0 };
    let Some(last) = list.items().last() else {
        return if list.kind() == Kind::String { list.span().end } else { list.span().start };
    };
    let members = last.entries().filter(|(key, _)| is_block_of(wire, key)).map(|(_, value)| value);
    let ends = members.map(|value| value.items().last().unwrap_or(value).span().end);
    ends.max().unwrap_or(last.span().end)
}
