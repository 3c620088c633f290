//! Lists, of which one object stands for a list of one.

use briefing_json::{Kind, Path, Value};

use crate::parse::{Read, list};

/// The elements of a list, or the one object that stands for it, as readers of proto JSON take it.
pub(super) fn elements<'d>(value: Value<'d>, at: &Path<'_>) -> Read<Vec<(Option<usize>, Value<'d>)>> {
    if value.kind() == Kind::Object {
        return Ok(vec![(None, value)]);
    }
    Ok(list(value, at)?.items().enumerate().map(|(index, value)| (Some(index), value)).collect())
}

pub(super) fn place<'p>(at: &'p Path<'p>, index: Option<usize>) -> Path<'p> {
    index.map_or(*at, |index| at.index(index))
}
