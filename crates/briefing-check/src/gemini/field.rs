//! Fields as proto JSON reads them.

use briefing_json::{Kind, Path, Value, present};

/// A field by its two names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    camel: &'static str,
    snake: &'static str,
}

impl Field {
    pub(super) const fn new(camel: &'static str, snake: &'static str) -> Self {
        Self { camel, snake }
    }

    /// The field's value and the name that it stands under, unless it is absent or `null`.
    pub(super) fn of(self, object: Value<'_>) -> Option<(&'static str, Value<'_>)> {
        [self.camel, self.snake].into_iter().find_map(|key| Some((key, present(object, key)?)))
    }

    /// The name in the documentation.
    pub(super) const fn name(self) -> &'static str {
        self.camel
    }

    pub(super) fn is_named(self, key: &str) -> bool {
        key == self.camel || key == self.snake
    }
}

/// The elements of a list with their indices; of an object, which stands for a list of one, that object, without an index.
pub(super) fn each(list: Value<'_>) -> impl Iterator<Item = (Option<usize>, Value<'_>)> {
    let one = (list.kind() == Kind::Object).then_some((None, list));
    one.into_iter().chain(list.items().enumerate().map(|(index, item)| (Some(index), item)))
}

/// The place of an element.
pub(super) fn step<'p>(list: &'p Path<'_>, index: Option<usize>) -> Path<'p> {
    index.map_or(*list, |index| list.index(index))
}
