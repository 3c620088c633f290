//! Writing objects and arrays, compactly, in one pass.

use crate::write::quote;

/// A JSON text while it is written. Commas see to themselves: no value ends in an opening bracket. What a writer holds beside the text
/// is its own.
pub trait WriteJson: Sized {
    /// The text so far.
    fn out(&mut self) -> &mut Vec<u8>;

    /// Appends text as it is.
    fn push(&mut self, text: &str) {
        self.out().extend_from_slice(text.as_bytes());
    }

    /// A value that is JSON already.
    fn json(&mut self, text: &str) {
        self.push(text.trim_matches([' ', '\t', '\n', '\r']));
    }

    /// A string.
    fn text(&mut self, text: &str) {
        quote(text, self.out());
    }

    /// A comma, unless the bracket before which there is none came last.
    fn comma(&mut self, unless: u8) {
        if self.out().last() != Some(&unless) {
            self.out().push(b',');
        }
    }

    /// A member's name; its value follows.
    fn name(&mut self, name: &str) {
        self.comma(b'{');
        quote(name, self.out());
        self.out().push(b':');
    }

    /// A member that is a string.
    fn field(&mut self, name: &str, text: &str) {
        self.name(name);
        self.text(text);
    }

    /// A member that is JSON already.
    fn json_field(&mut self, name: &str, value: &str) {
        self.name(name);
        self.json(value);
    }

    /// An object.
    fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.out().push(b'{');
        write(self);
        self.out().push(b'}');
    }

    /// A member that is an object.
    fn inner(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.name(name);
        self.object(write);
    }

    /// An array, element by element.
    fn list(&mut self, write: impl FnOnce(&mut Self)) {
        self.out().push(b'[');
        write(self);
        self.out().push(b']');
    }

    /// An element of an array.
    fn element(&mut self, write: impl FnOnce(&mut Self)) {
        self.comma(b'[');
        write(self);
    }

    /// An array of these.
    fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.list(|out| {
            for item in items {
                out.element(|out| write(out, item));
            }
        });
    }
}
