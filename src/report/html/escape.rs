//! Text as it may stand in HTML.

use crate::report::text::{inert, words};

/// A blank at which no line ends.
const NO_BREAK: &str = "&nbsp;";

/// `text` on one line, for an element or a quoted attribute: no character of it is markup, and none
/// moves or hides its neighbours.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::new();
    for c in inert(text).chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
    html
}

/// [`escaped`], line by line.
pub(super) fn escaped_lines(text: &str) -> String {
    text.lines().map(|line| escaped(line) + "\n").collect()
}

/// [`escaped`], broken into lines neither before a unit nor behind a count; `4x` is `4×`, as the pictures
/// have it.
pub(super) fn prose(text: &str) -> String {
    let mut html = String::new();
    let mut blank = "";
    for word in words(text) {
        let shown = escaped(&word).replace(' ', NO_BREAK);
        match shown.strip_suffix('x').filter(|count| is_whole(count)) {
            Some(count) => {
                html += &format!("{blank}{count}×");
                blank = NO_BREAK;
            }
            None => {
                html += &format!("{blank}{shown}");
                blank = " ";
            }
        }
    }
    html
}

fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            escaped("<script>alert(\"a\" & 'b')</script>"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;"
        );
    }

    #[test]
    fn characters_that_are_not_seen_are_spelled_out() {
        assert_eq!(escaped("a\u{202e}b\nc"), "a\\u{202e}b\\nc");
        assert_eq!(escaped_lines("a = 1\n<b>"), "a = 1\n&lt;b&gt;\n");
    }

    #[test]
    fn a_count_has_a_times_sign_and_stays_with_its_noun() {
        assert_eq!(prose("4x g5.4xlarge, x 0x1f"), "4×&nbsp;g5.4xlarge, x 0x1f");
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(prose("in > 7.25 h, <b>"), "in &gt;&nbsp;7.25&nbsp;h, &lt;b&gt;");
    }
}
