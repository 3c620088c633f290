//! Where the walk stands: a chain of steps on the stack, made into a pointer only for a violation.

use briefing_json::Pointer;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step<'p>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl Path<'_> {
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    pub(crate) fn key<'c>(&'c self, key: &'c str) -> Path<'c> {
        Path { parent: Some(self), step: Step::Key(key) }
    }

    pub(crate) fn index(&self, index: usize) -> Path<'_> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    pub(crate) fn pointer(&self) -> Pointer {
        let above = self.parent.map_or_else(Pointer::root, Path::pointer);
        match self.step {
            Step::Root => above,
            Step::Key(key) => above.key(key),
            Step::Index(index) => above.index(index),
        }
    }
}
