//! `# kind: lifetimes`: seconds, and how each ended.

use super::table;
use super::text::seconds as seconds_text;
use crate::records::lifetime::{Lifetime, Lifetimes};
use crate::records::{About, StayEnd};

pub use crate::records::lifetime::read;

/// Writes lifetimes.
pub fn write(about: &About, lifetimes: &Lifetimes) -> String {
    let row = |lifetime: &Lifetime| {
        let ended = match lifetime.ended {
            StayEnd::Lost => "lost",
            StayEnd::Released => "released",
            StayEnd::CutOff => "cut_off",
        };
        [seconds_text(lifetime.span), ended.to_owned()]
    };
    table::file("lifetimes", about, ["lifetime_s", "ended"], lifetimes.lifetimes.iter().map(row))
}
