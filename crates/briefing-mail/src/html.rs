//! HTML as text. One pass, no tree and no recursion, so nesting costs nothing; what a browser would not show is left out.
//!
//! Paragraphs are parted by a blank line, other blocks by a line end. Items of a list get `- ` or their number, quotations
//! `> `, cells of a table row are joined by ` | `, and a link that says something else than its address is followed by it
//! in parentheses. Text that only styles hide is kept: it is not lost unseen.

mod token;

use self::token::{Tag, Token, Tokens, decode};
use crate::parse::limits::{MAX_BODY, MAX_HTML};

/// How many levels of lists and of quotations are indented.
const MAX_INDENT: usize = 8;

/// How many tables may stand inside one another; the rows of deeper ones are not told apart.
const MAX_TABLES: usize = 64;

/// How many bytes the address of a link may have; a longer one is left out.
const MAX_LINK: usize = 2_048;

/// What a reader of the HTML would see, as text without a blank line at either end.
///
/// Reads at most [`MAX_HTML`] bytes and ends once the text has [`MAX_BODY`].
#[must_use]
pub fn html_to_text(html: &str) -> String {
    let html = html.get(..html.floor_char_boundary(MAX_HTML)).unwrap_or(html);
    let mut page = Page::default();
    for token in Tokens::new(html) {
        match token {
            Token::Open(tag) if page.hidden == 0 || tag.name == "template" => page.open(&tag),
            Token::Close(name) if page.hidden == 0 || name == "template" => page.close(&name),
            Token::Text(text) if page.hidden == 0 => page.text(&decode(text)),
            Token::Open(_) | Token::Close(_) | Token::Text(_) => {}
        }
        if page.out.len() > MAX_BODY {
            break;
        }
    }
    page.end_link();
    page.out.trim_end().to_owned()
}

/// What will part the next text from the last one. The later variant wins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    /// So many cells further in the same row.
    Cells(usize),
    Line,
    Paragraph,
}

#[derive(Default)]
struct Page {
    out: String,
    gap: Gap,
    /// Nothing was written since the cell began: blocks do not part it from the cell before.
    at_cell_start: bool,
    tables: Capped<Table>,
    lists: Capped<List>,
    /// What stands before the next text, if that begins an item.
    marker: Option<String>,
    quotes: usize,
    /// How many quotations the last line stands in.
    line_quotes: usize,
    preformatted: usize,
    /// How many templates are open.
    hidden: usize,
    link: Option<Link>,
}

#[derive(Default)]
struct Table {
    cells: usize,
    written: bool,
}

enum List {
    Bullets,
    Numbers(u64),
}

struct Link {
    address: String,
    /// Where its text begins.
    start: usize,
}

/// A stack that counts, and does not keep, what goes beyond a limit.
struct Capped<T> {
    items: Vec<T>,
    beyond: usize,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { items: Vec::new(), beyond: 0 }
    }
}

impl<T> Capped<T> {
    fn push(&mut self, item: T) {
        if self.items.len() < MAX_TABLES {
            self.items.push(item);
        } else {
            self.beyond += 1;
        }
    }

    fn pop(&mut self) -> Option<T> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        self.items.pop()
    }
}

/// Text.
impl Page {
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\n' if self.preformatted > 0 => self.line_break(),
                ' ' | '\t' | '\u{a0}' if self.preformatted > 0 && self.gap == Gap::None && !self.out.is_empty() => {
                    self.out.push(' ');
                }
                ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}' => self.part(Gap::Space),
                // What a terminal would act on is not text.
                c if c.is_control() => {}
                c => self.put(c),
            }
        }
    }

    fn put(&mut self, c: char) {
        if self.gap != Gap::None || self.marker.is_some() || self.out.is_empty() {
            self.fill_gap();
            self.at_cell_start = false;
            if let Some(table) = self.tables.items.last_mut() {
                table.written = true;
            }
        }
        self.out.push(c);
    }

    /// Writes what parts the next text from the last.
    fn fill_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        match gap {
            _ if self.out.is_empty() => self.begin_line(),
            Gap::Space if self.marker.is_none() => self.out.push(' '),
            Gap::Cells(count) if self.marker.is_none() => {
                self.out.extend(std::iter::repeat_n(" |", count));
                self.out.push(' ');
            }
            // A marker always begins a line.
            Gap::None | Gap::Space | Gap::Cells(_) | Gap::Line => self.new_line(),
            Gap::Paragraph => {
                self.new_line_end();
                let quotes = self.quotes.min(self.line_quotes);
                self.out.extend(std::iter::repeat_n("> ", quotes.min(MAX_INDENT)));
                self.new_line();
            }
        }
    }

    fn new_line_end(&mut self) {
        self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
        self.out.push('\n');
    }

    fn new_line(&mut self) {
        self.new_line_end();
        self.begin_line();
    }

    fn begin_line(&mut self) {
        self.out.extend(std::iter::repeat_n("> ", self.quotes.min(MAX_INDENT)));
        let marker = self.marker.take();
        let levels = self.lists.items.len().min(MAX_INDENT);
        self.out.extend(std::iter::repeat_n("  ", levels.saturating_sub(usize::from(marker.is_some()))));
        self.out.push_str(&marker.unwrap_or_default());
        self.line_quotes = self.quotes;
    }

    /// Parts what follows from what came before, by this or more.
    fn part(&mut self, gap: Gap) {
        if !(self.at_cell_start && gap >= Gap::Line) {
            self.gap = self.gap.max(gap);
        }
    }

    /// A `br`: the second in a row makes a paragraph.
    fn line_break(&mut self) {
        self.part(if self.gap >= Gap::Line { Gap::Paragraph } else { Gap::Line });
    }
}

/// Tags.
impl Page {
    fn open(&mut self, tag: &Tag<'_>) {
        if let Some(gap) = block(&tag.name) {
            self.part(gap);
        }
        match tag.name.as_str() {
            "br" => self.line_break(),
            "hr" => {
                self.text("---");
                self.part(Gap::Paragraph);
            }
            "pre" => self.preformatted += 1,
            "blockquote" => self.quotes += 1,
            "template" => self.hidden += 1,
            "ul" | "menu" => self.open_list(List::Bullets),
            "ol" => {
                let first = tag.attribute("start").and_then(|start| start.trim().parse().ok());
                self.open_list(List::Numbers(first.unwrap_or(1)));
            }
            "li" => self.item(),
            "table" => self.tables.push(Table::default()),
            "tr" => self.row(),
            "td" | "th" => self.cell(),
            "img" => self.image(tag),
            "a" => self.open_link(tag),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "a" => self.end_link(),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            "template" => self.hidden = self.hidden.saturating_sub(1),
            "blockquote" => self.quotes = self.quotes.saturating_sub(1),
            "ul" | "ol" | "menu" => self.close_list(),
            "tr" => self.at_cell_start = false,
            "table" => self.close_table(),
            // A closing `br` is an opening one (HTML, 13.2.6.4.7).
            "br" => self.line_break(),
            _ => {}
        }
        if let Some(gap) = block(name) {
            self.part(gap);
        }
    }

    fn open_list(&mut self, list: List) {
        self.part(if self.lists.items.is_empty() { Gap::Paragraph } else { Gap::Line });
        self.lists.push(list);
    }

    fn close_list(&mut self) {
        self.lists.pop();
        self.part(if self.lists.items.is_empty() { Gap::Paragraph } else { Gap::Line });
    }

    fn item(&mut self) {
        self.marker = Some(match self.lists.items.last_mut() {
            Some(List::Numbers(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(List::Bullets) | None => "- ".to_owned(),
        });
    }

    fn row(&mut self) {
        if let Some(table) = self.tables.items.last_mut() {
            *table = Table::default();
        }
    }

    fn cell(&mut self) {
        let Some(table) = self.tables.items.last_mut() else { return self.part(Gap::Space) };
        table.cells += 1;
        if table.cells > 1 && table.written {
            self.gap = match self.gap {
                Gap::Cells(count) => Gap::Cells(count + 1),
                Gap::None | Gap::Space | Gap::Line | Gap::Paragraph => Gap::Cells(1),
            };
            self.at_cell_start = true;
        }
    }

    fn close_table(&mut self) {
        self.at_cell_start = false;
        let written = self.tables.pop().is_some_and(|table| table.written);
        if let Some(outer) = self.tables.items.last_mut() {
            outer.written |= written;
        }
    }

    fn image(&mut self, tag: &Tag<'_>) {
        if let Some(text) = tag.attribute("alt").filter(|text| !text.trim().is_empty()) {
            self.text(&format!("[{}]", text.trim()));
        }
    }

    fn open_link(&mut self, tag: &Tag<'_>) {
        self.end_link();
        let address = tag.attribute("href").and_then(|href| shown_address(&href));
        self.link = address.map(|address| Link { address, start: self.out.len() });
    }

    /// Writes the address behind the text of the link, unless the text is the address.
    fn end_link(&mut self) {
        let Some(Link { address, start }) = self.link.take() else { return };
        let text = self.out.get(start..).unwrap_or_default().trim_matches(|c: char| c.is_whitespace() || c == '|' || c == '>');
        if text.is_empty() {
            self.text(&address);
        } else if !same_address(text, &address) {
            self.out.push_str(" (");
            self.out.push_str(&address);
            self.out.push(')');
        }
    }
}

/// How an element parts its content from what stands around it; none if it is inline.
fn block(name: &str) -> Option<Gap> {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "hr" | "dl" | "address" | "fieldset"
        | "figure" => Some(Gap::Paragraph),
        "div" | "table" | "tbody" | "thead" | "tfoot" | "tr" | "caption" | "ul" | "ol" | "menu" | "li" | "dt" | "dd"
        | "section" | "article" | "aside" | "header" | "footer" | "nav" | "main" | "form" | "center" | "option" | "body"
        | "html" | "figcaption" | "legend" | "details" | "summary" | "textarea" | "xmp" => Some(Gap::Line),
        _ => None,
    }
}

/// An address that means something outside of the mail, on one line.
fn shown_address(href: &str) -> Option<String> {
    let address: String = href.trim().chars().filter(|c| !c.is_control()).collect();
    let scheme = address.split_once(':')?.0.to_ascii_lowercase();
    let shown = match scheme.as_str() {
        "http" | "https" | "ftp" | "tel" => address,
        "mailto" => address.get("mailto:".len()..)?.to_owned(),
        _ => return None,
    };
    (!shown.is_empty() && shown.len() <= MAX_LINK).then_some(shown)
}

/// Whether the text of a link already says its address: without the scheme or a last slash, too.
fn same_address(text: &str, address: &str) -> bool {
    let text = text.trim_end_matches('/');
    let address = address.trim_end_matches('/');
    let bare = address.split_once("://").map_or(address, |(_, rest)| rest);
    text.eq_ignore_ascii_case(address) || text.eq_ignore_ascii_case(bare)
}

#[cfg(test)]
mod tests;
