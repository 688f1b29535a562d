//! Who took part: the lines under `# Using devices`.

use super::Shape;
use crate::scenario::problem::Problem;
use crate::scenario::source::Place;
use std::collections::{BTreeMap, BTreeSet};

/// One rank, as its line has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// From 0.
    pub number: u32,
    /// Ranks of other groups have a communicator of their own.
    pub group: u32,
    /// Name of its node.
    pub host: String,
    /// Index of its GPU on the node.
    pub device: u32,
    /// Name of its GPU.
    pub name: String,
}

/// All ranks of a run.
#[derive(Debug, Default)]
pub struct Ranks {
    listed: BTreeMap<u32, (Rank, Place)>,
    unread: Option<Place>,
}

impl Ranks {
    /// Whether none is listed.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Whether rank `number` is listed.
    pub fn has(&self, number: u32) -> bool {
        self.listed.contains_key(&number)
    }

    /// Lists a rank.
    pub fn add(&mut self, rank: Rank, place: Place) {
        self.listed.insert(rank.number, (rank, place));
    }

    /// Remembers that a rank's line could not be read.
    pub fn miss(&mut self, place: Place) {
        self.unread.get_or_insert(place);
    }

    /// Names of the GPUs, each once, joined by "and".
    pub fn device(&self) -> Option<String> {
        let names: BTreeSet<&str> = self.together().map(|(rank, _)| rank.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    }

    /// Nodes and GPUs of the ranks that reduce with the first; `None` if the text lists no ranks.
    pub fn shape(&self) -> Result<Option<Shape>, Box<Problem>> {
        let refuse = |problem: Problem| Err(Box::new(problem));
        if let Some(place) = self.unread {
            let problem = Problem::error("the list of ranks is damaged");
            return refuse(problem.at(place, "which rank, host and device?"));
        }
        let mut gpus: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (rank, place) in self.together() {
            if !gpus.entry(&rank.host).or_default().insert(rank.device) {
                let title = format!("two ranks of `{}` have one GPU", rank.host);
                let help = "give every node a host name of its own";
                return refuse(Problem::error(title).at(*place, "its GPU was listed before").help(help));
            }
        }
        let Some(first) = gpus.values().next().map(BTreeSet::len) else { return Ok(None) };
        if let Some((host, other)) = gpus.iter().find(|(_, devices)| devices.len() != first) {
            let place = self.together().find(|(rank, _)| rank.host == *host).map(|(_, place)| *place);
            let place = place.expect("the host's name was taken from this list");
            let title = format!("nodes with {first} and with {} GPUs", other.len());
            return refuse(
                Problem::error(title).at(place, "").note("the model has nodes of equally many GPUs"),
            );
        }
        let whole = |n: usize| u32::try_from(n).expect("ranks are numbered with 32 bits");
        Ok(Some(Shape { nodes: whole(gpus.len()), gpus_per_node: whole(first) }))
    }

    /// The ranks in the group of the first.
    fn together(&self) -> impl Iterator<Item = &(Rank, Place)> {
        let group = self.listed.values().next().map(|(rank, _)| rank.group);
        self.listed.values().filter(move |(rank, _)| Some(rank.group) == group)
    }
}
