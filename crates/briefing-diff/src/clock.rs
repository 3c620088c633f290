//! Texts that differ in nothing but a time, a date or an id made for one request.

/// The two tokens that differ first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tick {
    pub(crate) older: String,
    pub(crate) newer: String,
}

/// The first tokens that differ, if all that differ tell a time or are such ids, and all else is the same.
pub(crate) fn tick(older: &str, newer: &str) -> Option<Tick> {
    let (mut a, mut b) = (Tokens::new(older), Tokens::new(newer));
    let mut first = None;
    // The token before, if it is the same in both texts: "30 November" tells that a bare number is a day.
    let mut calendar = false;
    loop {
        let (x, y) = match (a.next(), b.next()) {
            (Some(x), Some(y)) => (x, y),
            (None, None) => return first,
            (Some(_), None) | (None, Some(_)) => return None,
        };
        if x.between != y.between {
            return None;
        }
        if x.text != y.text {
            let beside = calendar || a.peek_calendar() && b.peek_calendar();
            if !(volatile(x.text) && volatile(y.text) || beside && small(x.text) && small(y.text)) {
                return None;
            }
            first.get_or_insert_with(|| Tick { older: x.text.to_owned(), newer: y.text.to_owned() });
        }
        calendar = x.is_calendar() && y.is_calendar();
    }
}

/// A word with what stands before it.
#[derive(Clone, Copy)]
struct Token<'t> {
    between: &'t str,
    text: &'t str,
}

impl Token<'_> {
    fn is_calendar(self) -> bool {
        is_name(self.text) || is_time(self.text)
    }
}

#[derive(Clone)]
struct Tokens<'t>(&'t str);

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Self {
        Self(text)
    }

    fn peek_calendar(&self) -> bool {
        self.clone().next().is_some_and(Token::is_calendar)
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    /// Words of letters and digits, with the signs inside them that times and ids are written with. The last token of a text
    /// may be empty, with what stands behind all words.
    fn next(&mut self) -> Option<Token<'t>> {
        if self.0.is_empty() {
            return None;
        }
        let inside = |c: char| c.is_alphanumeric() || matches!(c, ':' | '-' | '/' | '.' | '+' | '_');
        let start = self.0.find(char::is_alphanumeric).unwrap_or(self.0.len());
        let (between, rest) = self.0.split_at(start);
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let text = rest.get(..end)?.trim_end_matches(|c: char| !c.is_alphanumeric());
        self.0 = rest.get(text.len()..)?;
        Some(Token { between, text })
    }
}

fn volatile(token: &str) -> bool {
    is_time(token) || is_name(token) || is_epoch(token) || is_id(token)
}

/// A day or a year beside what tells a date.
fn small(token: &str) -> bool {
    let digits = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ordinal = token.get(digits.len()..).is_some_and(|end| matches!(end, "" | "st" | "nd" | "rd" | "th"));
    matches!(digits.len(), 1 | 2 | 4) && ordinal && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers with signs between them, as in `15:09:20`, `2026-05-01T09:00:00.5Z`, `1/5/2026` and `01.05.2026`.
fn is_time(token: &str) -> bool {
    let number = |part: &str| (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let token = token.strip_suffix(['Z', 'z']).unwrap_or(token);
    let parts: Vec<&str> = token.split([':', '-', '/', '.', '+', 'T', '_']).take(12).collect();
    let signs = |sign: char| token.matches(sign).count();
    let dated = signs(':') >= 1
        || signs('-') >= 2
        || signs('/') == 2
        || signs('.') == 2 && parts.last().is_some_and(|year| year.len() == 4);
    (2..12).contains(&parts.len()) && dated && parts.into_iter().all(number)
}

/// The name of a month, a weekday or a half of the day, whole or in three letters.
fn is_name(token: &str) -> bool {
    const NAMES: [&str; 19] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    if token.len() > 9 || !token.is_ascii() {
        return false;
    }
    let lower = token.to_ascii_lowercase();
    matches!(lower.as_str(), "am" | "pm" | "a.m" | "p.m" | "sept" | "tues" | "thur" | "thurs")
        || NAMES.iter().any(|name| *name == lower || name.get(..3) == Some(lower.as_str()))
}

/// Seconds, milliseconds or microseconds since 1970, with or without a fraction.
fn is_epoch(token: &str) -> bool {
    let whole = token.split('.').next().unwrap_or_default();
    token.len() <= 32 && matches!(whole.len(), 10 | 13 | 16) && token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// A UUID, or sixteen and more hexadecimal digits with a figure among them, after a prefix such as `req_` if there is one.
fn is_id(token: &str) -> bool {
    let bare = token.rsplit('_').next().unwrap_or(token);
    let uuid = bare.len() == 36 && bare.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    if bare.len() > 128 {
        return false;
    }
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hex(bare) && (uuid || bare.len() >= 16 && !bare.contains('-') && bare.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(older: &str, newer: &str) -> Option<(String, String)> {
        tick(older, newer).map(|tick| (tick.older, tick.newer))
    }

    #[test]
    fn times_dates_and_ids_are_clocks() {
        for (older, newer) in [
            ("15:09:20", "15:09:51"),
            ("2026-05-01T09:00:00Z", "2026-05-01T09:00:07Z"),
            ("2026-05-01T09:00:00.123+02:00", "2026-05-01T09:00:00.9+02:00"),
            ("1/5/2026", "2/5/2026"),
            ("01.05.2026", "12.11.2026"),
            ("1777626000", "1777626007"),
            ("1777626000.25", "1777626007.5"),
            ("6f1c2f6e-6a0f-4a52-9f0e-0a4a6f0d8a11", "00000000-6a0f-4a52-9f0e-0a4a6f0d8a11"),
            ("req_0123456789abcdef", "req_fedcba9876543210"),
            ("Monday", "Tuesday"),
        ] {
            let text = |clock: &str| format!("You are Sundae. Now: {clock}.");
            assert_eq!(ticks(&text(older), &text(newer)), Some((older.to_owned(), newer.to_owned())), "{older}");
        }
    }

    #[test]
    fn a_bare_number_is_a_day_only_beside_a_date() {
        assert_eq!(ticks("It is 30 April 2026.", "It is 1 May 2026."), Some(("30".to_owned(), "1".to_owned())));
        assert_eq!(ticks("May 3rd", "May 4th"), Some(("3rd".to_owned(), "4th".to_owned())));
        assert_eq!(ticks("It holds 30 cones.", "It holds 31 cones."), None);
        assert_eq!(ticks("version 1.2.3", "version 1.2.4"), None);
    }

    #[test]
    fn a_text_that_differs_in_more_is_no_clock() {
        assert_eq!(ticks("At 15:09 we open.", "At 15:10 we close."), None);
        assert_eq!(ticks("At 15:09.", "At 15:10. Hurry."), None);
        assert_eq!(ticks("At 15:09.", "At 15:09."), None);
        assert_eq!(ticks("At  15:09.", "At 15:10."), None);
    }
}
