use super::*;

fn check(cases: &[(&str, &str)]) {
    for (html, expected) in cases {
        assert_eq!(html_to_text(html), *expected, "{html:?}");
    }
}

#[test]
fn blocks_part_words() {
    check(&[
        ("<p>Hello&nbsp;there</p><p>Fish &amp; chips<br>twice</p>", "Hello there\n\nFish & chips\ntwice"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
        ("<div>a<br></div><div>b</div>", "a\nb"),
        ("a<br><br><br><br>b", "a\n\nb"),
        ("a <b> b</b>  <i>c</i>d", "a b cd"),
        ("<h1>T</h1>text<hr>more", "T\n\ntext\n\n---\n\nmore"),
        ("  <p> \n </p> <p></p>x", "x"),
        ("", ""),
    ]);
}

#[test]
fn what_is_not_shown_is_left_out() {
    check(&[
        (
            "<html><head><title>T</title><style>p{color:red}</style></head><body>a<script>evil()</script><!-- c -->b</body></html>",
            "ab",
        ),
        ("<!--[if mso]><p>outlook</p><![endif]--><![if !mso]>x<![endif]>", "x"),
        ("a<template><p>t</p></template>b", "ab"),
        ("<o:p>&nbsp;</o:p>a\u{1b}[31m", "a[31m"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("Buy:<ul><li>milk<li>eggs<ul><li>six</li></ul></li></ul>Thanks", "Buy:\n\n- milk\n- eggs\n  - six\n\nThanks"),
        ("<ol start=3><li><p>a</p><p>b</p></li><li>c</ol>", "3. a\n\n  b\n\n4. c"),
        ("<li>alone", "- alone"),
        ("x<ul><li></li><li>a</ul>", "x\n\n- a"),
    ]);
}

#[test]
fn links() {
    check(&[
        ("see <a href='https://x.example/a?b=1&amp;c=2'>the page</a>.", "see the page (https://x.example/a?b=1&c=2)."),
        ("<a href='https://x.example/'>x.example</a> <a href='mailto:a@x'>a@x</a>", "x.example a@x"),
        ("<a href='https://x'><img alt='Logo'></a>", "[Logo] (https://x)"),
        ("a <a href='https://x'><img></a> b", "a https://x b"),
        ("<a href='#top'>up</a> <a href='javascript:x()'>run</a> <a>none</a>", "up run none"),
        ("<a href='https://x'>one<a href='https://y'>two", "one (https://x)two (https://y)"),
        ("<p><a href='https://x'>one </a></p><p>two</p>", "one (https://x)\n\ntwo"),
    ]);
}

#[test]
fn tables() {
    check(&[
        (
            "<table><tr><th>Item</th><th>Price</th></tr>\n<tr><td>Fish</td>\n<td>4</td></tr></table>after",
            "Item | Price\nFish | 4\nafter",
        ),
        ("<table><tr><td>a<td><td>c<tr><td>d</table>", "a | | c\nd"),
        ("<table><tr><td><p>a</p></td><td><p>b</p></td></tr><tr><td><p>c</p></td></tr></table>", "a | b\n\nc"),
        ("<table><tr><td> </td><td>layout</td><td></td></tr></table>", "layout"),
        ("<table><tr><td><table><tr><td>a</td></tr><tr><td>b</td></tr></table></td><td>c</td></tr></table>", "a\nb | c"),
        ("<td>a</td><td>b</td>", "a b"),
    ]);
}

#[test]
fn quotations_and_preformatted() {
    check(&[
        (
            "new<blockquote><p>old</p><p>older</p><blockquote>oldest</blockquote></blockquote>end",
            "new\n\n> old\n>\n> older\n>\n> > oldest\n\nend",
        ),
        ("<pre>a  b\n  c\n\nd</pre>e", "a  b\nc\n\nd\n\ne"),
    ]);
}

#[test]
fn hostile_input_is_linear_and_bounded() {
    let deep = |open: &str| open.repeat(100_000);
    for html in [
        deep("<div>"),
        deep("<table><tr><td>x"),
        deep("<blockquote>x"),
        deep("<ul><li>x"),
        deep("<a href='https://x'>"),
        deep("<b><p>x"),
        deep("<"),
        deep("</"),
        deep("<!--"),
        deep("<a b=\""),
        deep("<script>"),
        deep("<title></titl"),
        deep("&"),
        deep("&#x"),
        format!("<a {}>x", deep("a ")),
        format!("<table><tr><td>x{}y", deep("<td>")),
        format!("<pre>{}", deep("\n ")),
    ] {
        let start = std::time::Instant::now();
        let text = html_to_text(&html);
        assert!(text.len() <= MAX_BODY + 1024, "{} bytes", text.len());
        assert!(start.elapsed().as_secs() < 5, "{:?} for {}", start.elapsed(), &html[..20]);
    }
}
