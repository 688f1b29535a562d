//! `[capacity.bootstrap]`: many worlds from one recorded trace.

use super::ReadFile;
use super::on_off::positive;
use crate::capacity::bootstrap::{BlockLengths, Bootstrap};
use crate::capacity::path::Path;
use crate::capacity::recorded::{AtEnd, Begin};
use crate::scenario::echo::quoted;
use crate::scenario::field::Field;
use crate::scenario::section::Section;
use crate::scenario::trace::Named;

pub(super) fn read_bootstrap(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    zone: &str,
    read_file: &ReadFile<'_>,
) -> Option<Path> {
    let mut inner = field.table()?;
    let file = Named::read(&mut inner);
    let block = positive(&inner.required("block", "block = \"1 d\""), "mean length of a block");
    let words = [("exponential", BlockLengths::Exponential), ("fixed", BlockLengths::Fixed)];
    let lengths = inner.field("block_lengths").word(&words).unwrap_or_default();
    inner.finish();
    let (trace, text) = file.recorded(s, field, zone, read_file, (Begin::Start, AtEnd::Wrap))?;
    let block = block?;
    let word = words.iter().find(|(_, l)| *l == lengths).map_or("", |(word, _)| word);
    let block_text = quoted(&block.to_string());
    let text = format!("{{ {text}, block = {block_text}, block_lengths = {} }}", quoted(word));
    s.echo("bootstrap", text, format!("of a trace {} long", trace.length()));
    Some(Path::Bootstrap(Bootstrap { trace, block, lengths }))
}
