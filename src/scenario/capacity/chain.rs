//! `[[capacity.markov.state]]`: node counts that jump from state to state.

use super::on_off::positive;
use crate::capacity::chain::{Chain, ChainError, State};
use crate::capacity::path::{ANY, Path};
use crate::scenario::echo::quoted;
use crate::scenario::field::Field;
use crate::scenario::reader::{Reader, nearest};
use crate::scenario::section::Section;

/// More states than anybody writes; finding their shares of time takes the cube of it.
const STATES_MAX: usize = 256;

/// Reads `state` and `begin` of `[capacity.markov]`.
pub(super) fn read_chain(s: &mut Section<'_, '_>, mut inner: Reader<'_>) -> Option<Path> {
    let list = inner.field("state");
    let begin = inner.field("begin");
    inner.finish();
    let mut tables = list.tables();
    if tables.is_empty() || tables.len() > STATES_MAX {
        list.refuse(format!("`state` has {} states", tables.len()), format!("write 1 to {STATES_MAX}"));
        return None;
    }
    let names: Vec<Option<String>> = tables.iter_mut().map(read_name).collect();
    let states: Vec<Option<(State, String)>> =
        tables.into_iter().map(|table| read_state(table, &names)).collect();
    let names: Vec<String> = names.into_iter().collect::<Option<_>>()?;
    if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        list.refuse(format!("two states are named \"{}\"", names[twice]), "`to` finds them by name");
        return None;
    }
    let (states, texts): (Vec<State>, Vec<String>) =
        states.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let begin_text = begin.text().filter(|text| *text != "stationary");
    let start = match begin_text {
        None => None,
        Some(name) => match names.iter().position(|known| known == name) {
            None => {
                unknown(&begin, name, &names);
                return None;
            }
            found => found,
        },
    };
    match Chain::new(&states, start) {
        Ok(chain) => {
            let begin = quoted(begin_text.unwrap_or("stationary"));
            s.echo("markov", format!("{{ begin = {begin}, state = [{}] }}", texts.join(", ")), "");
            Some(Path::Chain(chain))
        }
        Err(ChainError::NoWay(from, to)) => {
            let title = format!("from state \"{}\" there is no way to \"{}\"", names[from], names[to]);
            list.refuse(title, "each state must lead to each other, over others maybe");
            None
        }
    }
}

fn read_name(table: &mut Reader<'_>) -> Option<String> {
    let field = table.required("name", "name = \"calm\"");
    let name = field.text()?;
    if name.trim().is_empty() || name == "stationary" {
        field.refuse_value("must be a name other than \"stationary\"");
        return None;
    }
    Some(name.to_owned())
}

fn read_state(mut table: Reader<'_>, names: &[Option<String>]) -> Option<(State, String)> {
    let known: Vec<String> = names.iter().flatten().cloned().collect();
    let name = table.field("name").text();
    let field = table.required("nodes", "nodes = \"any\"");
    let nodes = if field.is_word("any") { Some(ANY) } else { field.whole(0..=65_536_u32) };
    let to = table.field("to");
    table.finish();
    let mut jumps = Vec::new();
    for (other, mean) in to.table().map(Reader::all).unwrap_or_default() {
        let place = names.iter().position(|name| name.as_deref() == Some(other));
        match place {
            _ if Some(other) == name => mean.refuse("a state cannot lead to itself", "leave it out"),
            None => unknown(&mean, other, &known),
            Some(place) => {
                let span =
                    positive(&mean, "mean time until the chain goes there, if it goes nowhere else before")?;
                jumps.push((place, span, other));
            }
        }
    }
    let (name, nodes) = (name?, nodes?);
    let words: Vec<String> = jumps
        .iter()
        .map(|(_, mean, other)| format!("{} = {}", quoted(other), quoted(&mean.to_string())))
        .collect();
    let nodes_text = if nodes == ANY { quoted("any") } else { nodes.to_string() };
    let text =
        format!("{{ name = {}, nodes = {nodes_text}, to = {{ {} }} }}", quoted(name), words.join(", "));
    Some((State { nodes, to: jumps.iter().map(|&(place, mean, _)| (place, mean)).collect() }, text))
}

fn unknown(field: &Field<'_>, name: &str, names: &[String]) {
    let near = nearest(name, names.iter().map(String::as_str));
    let label =
        near.map_or(format!("known here: {}", names.join(", ")), |near| format!("did you mean \"{near}\"?"));
    field.refuse(format!("unknown state \"{name}\""), label);
}
