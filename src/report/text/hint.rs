//! What to type next.

use super::{Paint, columns as room, inert, width};

/// A longer file name would push the hints off the line.
const FILE_MAX: usize = 36;

/// Commands beside the word "Next", each with what it tells, where that fits.
pub fn hints(hints: &[(String, &str)], paint: Paint) -> String {
    let widest = hints.iter().map(|(command, _)| width(command)).max().unwrap_or(0);
    let mut text = String::new();
    for (index, (command, why)) in hints.iter().enumerate() {
        let head = if index == 0 { "Next" } else { "" };
        let why = if widest + 12 + width(why) <= room() { paint.dim(why) } else { String::new() };
        text += format!("{head:10}{command:widest$}  {why}").trim_end();
        text.push('\n');
    }
    text
}

/// The file as a shell takes it; `FILE` where that would be long or cannot be copied.
pub fn shell_file(typed: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    let shown =
        if !typed.is_empty() && typed.chars().all(plain) { typed.to_owned() } else { format!("'{typed}'") };
    let copies = inert(&shown) == shown && !typed.contains('\'') && !typed.is_empty();
    if copies && width(&shown) <= FILE_MAX { shown } else { "FILE".to_owned() }
}
