//! Where a walk stands: a chain of steps on the stack, made into a pointer only where something is said of a place.

use crate::Pointer;

/// A place on the way from the root of a document. Copying one costs nothing, and so does a step; spelling it out is linear in its depth.
#[derive(Debug, Clone, Copy)]
pub enum Path<'p> {
    /// The whole document.
    Root,
    /// A member of an object.
    Key(&'p Path<'p>, &'p str),
    /// An element of an array.
    Index(&'p Path<'p>, usize),
}

impl Path<'static> {
    /// The whole document.
    pub const ROOT: Self = Self::Root;
}

impl<'p> Path<'p> {
    /// The member of that name.
    #[must_use]
    pub fn key(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    /// The element at that place.
    #[must_use]
    pub fn index(&'p self, index: usize) -> Path<'p> {
        Path::Index(self, index)
    }

    /// The place as a JSON pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        match self {
            Self::Root => Pointer::root(),
            Self::Key(above, key) => above.pointer().key(key),
            Self::Index(above, index) => above.pointer().index(*index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn a_path_is_spelled_out_as_a_pointer() {
        let list = Path::ROOT.key("a/b");
        assert_eq!(list.index(7).key("c~").pointer().as_str(), "/a~1b/7/c~0");
        assert_eq!(Path::ROOT.pointer().as_str(), "");
    }
}
