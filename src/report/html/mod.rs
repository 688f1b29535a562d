//! `report.html` of a run, a sweep, a study of sensitivity and a plan: one file without scripts, that loads
//! nothing, in light and dark, for screens of any width and for paper.
//!
//! The text is that of the table of the terminal, the pictures are those of the folder. Everything that
//! a user wrote is made inert and escaped by `escape`; no other file writes user text into a page. Clusters are
//! hidden, figures shown and themes chosen by CSS alone.

mod color;
mod escape;
mod figure;
mod page;
mod plan;
mod run;
mod sensitivity;
mod spent;
mod step;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

pub use plan::plan;
pub use run::{IfLost, run};
pub use sensitivity::sensitivity;
pub use sweep::sweep;
