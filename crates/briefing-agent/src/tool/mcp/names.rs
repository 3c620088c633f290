//! What tools of a server are called: valid on every wire, and each its own.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tool::MAX_NAME_CHARS;

/// Gives names, in the order in which they are asked for: the same list gets the same names.
pub(super) struct Names {
    prefix: String,
    taken: HashSet<Arc<str>>,
}

/// A name, and whether it is another one than the server's with the prefix.
pub(super) struct Name {
    pub(super) name: Arc<str>,
    pub(super) changed: bool,
}

impl Names {
    pub(super) fn new(prefix: Option<&str>) -> Self {
        let prefix = prefix.map(|prefix| format!("{prefix}_")).unwrap_or_default();
        Self { prefix, taken: HashSet::new() }
    }

    pub(super) fn take(&mut self, server: &str) -> Name {
        let wanted = format!("{}{server}", self.prefix);
        let valid = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        // An empty name is a name too.
        let full: String = wanted.chars().map(valid).chain(wanted.is_empty().then_some('_')).take(MAX_NAME_CHARS).collect();
        let mut name: Arc<str> = full.as_str().into();
        let mut number = 2_u32;
        while self.taken.contains(&name) {
            let suffix = format!("_{number}");
            let room = MAX_NAME_CHARS.saturating_sub(suffix.len());
            name = format!("{}{suffix}", briefing::text::prefix(&full, room)).into();
            number = number.saturating_add(1);
        }
        self.taken.insert(Arc::clone(&name));
        Name { changed: *name != *wanted, name }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_valid_and_distinct() {
        let mut names = Names::new(Some("shop"));
        let long = "x".repeat(80);
        let servers = ["find", "find", "find order", "find.order", "", "größe", &long, &long];
        let given: Vec<(String, bool)> =
            servers.iter().map(|server| names.take(server)).map(|name| (name.name.to_string(), name.changed)).collect();
        let expected = [
            ("shop_find".to_owned(), false),
            ("shop_find_2".to_owned(), true),
            ("shop_find_order".to_owned(), true),
            ("shop_find_order_2".to_owned(), true),
            ("shop_".to_owned(), false),
            ("shop_gr__e".to_owned(), true),
            (format!("shop_{}", "x".repeat(59)), true),
            (format!("shop_{}_2", "x".repeat(57)), true),
        ];
        assert_eq!(given, expected);
        assert_eq!(&*Names::new(None).take("").name, "_");
    }
}
