//! Nodes that come and go, on their way from a reader to a sink: only those that are there are held.

use super::cells::{SINCE_1970_NS, shown};
use super::sink::{Head, Kind, Sink};
use super::{About, How, ReadError, Remark, Stay, StayEnd};
use crate::units::{Span, Timestamp};
#[expect(
    clippy::disallowed_types,
    reason = "names are looked up millions of times, and never listed by its order"
)]
use std::collections::HashMap;

/// Nodes that come and go.
pub struct Nodes<'s> {
    sink: &'s mut dyn Sink,
    /// Nodes that are there: since when, and the how-manieth to come.
    #[expect(clippy::disallowed_types, reason = "what is left at the end is sorted")]
    here: HashMap<Vec<u8>, (Timestamp, u64)>,
    /// Room of names that went, for those that come.
    spare: Vec<Vec<u8>>,
    came: u64,
    window: Option<Window>,
    until: Option<Span>,
    stay: Stay,
    cut: u64,
    brief: u64,
}

/// The observation so far.
#[derive(Clone, Copy)]
struct Window {
    start: Timestamp,
    last: Timestamp,
    /// Where it must end.
    until: Option<Timestamp>,
}

impl<'s> Nodes<'s> {
    /// None yet. What is after `how.until` is left out.
    pub fn new(how: &How, sink: &'s mut dyn Sink) -> Self {
        let stay = Stay {
            node: String::new(),
            zone: String::new(),
            from: Timestamp::EPOCH,
            span: Span::ZERO,
            ended: StayEnd::Lost,
        };
        let (here, spare) = Default::default();
        Self { sink, here, spare, came: 0, window: None, until: how.until, stay, cut: 0, brief: 0 }
    }

    /// Time comes to `at`; whether it is within the observation. A fault if it is earlier than before.
    pub fn pass(&mut self, at: Timestamp) -> Result<Result<bool, String>, ReadError> {
        let window = match &mut self.window {
            Some(window) => window,
            None => self.begin(at)?,
        };
        if at < window.last {
            return Ok(Err("is earlier than the row before; put the file in order of time".to_owned()));
        }
        if window.until.is_some_and(|until| at > until) {
            self.cut += 1;
            return Ok(Ok(false));
        }
        window.last = at;
        Ok(Ok(true))
    }

    fn begin(&mut self, at: Timestamp) -> Result<&mut Window, ReadError> {
        // A clock that runs from the recording's own begin was at 0 when it began.
        let own_clock = (0..SINCE_1970_NS).contains(&at.unix_ns());
        let start = if own_clock { Timestamp::EPOCH } else { at };
        let about = About { start_assumed: own_clock, ..About::default() };
        self.sink.begin(&Head { about, kind: Kind::Stays, zoned: false })?;
        let until = self.until.map(|until| start + until);
        Ok(self.window.insert(Window { start, last: start, until }))
    }

    /// A node comes. A fault if it is there.
    pub fn add(&mut self, at: Timestamp, node: &[u8]) -> Result<(), String> {
        if node.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err("the name of the node goes over a line's end".to_owned());
        }
        let mut key = self.spare.pop().unwrap_or_default();
        key.extend_from_slice(node);
        let before = self.here.insert(key, (at, self.came));
        self.came += 1;
        match before {
            None => Ok(()),
            Some((since, _)) => {
                let since = self.told(since);
                Err(format!("node `{}` is added but it is there since {since}", name(node)))
            }
        }
    }

    /// A node goes. A fault if it is not there.
    pub fn remove(&mut self, at: Timestamp, node: &[u8]) -> Result<Result<(), String>, ReadError> {
        let Some((mut key, (from, order))) = self.here.remove_entry(node) else {
            return Ok(Err(format!("node `{}` is removed but it is not there", name(node))));
        };
        if from == at {
            self.brief += 1;
        } else {
            self.give(&key, from, order, at, StayEnd::Lost)?;
        }
        key.clear();
        self.spare.push(key);
        Ok(Ok(()))
    }

    /// The rows end, and the observation with them or at `how.until`. Gives what there is to say.
    pub fn end(mut self, least: Option<Timestamp>) -> Result<Vec<Remark>, ReadError> {
        let Some(window) = self.window else { return Err(ReadError::Empty("events")) };
        let last = least.map_or(window.last, |least| least.max(window.last));
        let end = window.until.unwrap_or(last);
        if self.came == 0 {
            return Err(ReadError::Empty("events"));
        }
        if end <= window.start {
            let why = "holds events of one instant only; say where the observation ends with `until`";
            return Err(ReadError::Syntax(why.to_owned()));
        }
        let mut here: Vec<_> = std::mem::take(&mut self.here).into_iter().collect();
        here.sort_by_key(|&(_, (_, order))| order);
        for (node, (from, order)) in &here {
            self.give(node, *from, *order, end, StayEnd::CutOff)?;
        }
        self.sink.end(window.start, end)?;
        let mut remarks = Vec::new();
        if window.until.is_none() && least.is_none() {
            let length = end.since(window.start).unwrap_or_default();
            let text = format!(
                "the observation is taken to end with the last row, {length} long; else give `until`"
            );
            remarks.push(Remark::note(None, text));
        }
        if self.cut > 0 {
            remarks.push(Remark::note(None, format!("{} rows after `until` are left out", self.cut)));
        }
        if self.brief > 0 {
            let text = format!("{} nodes came and went at one instant and are left out", self.brief);
            remarks.push(Remark::note(None, text));
        }
        Ok(remarks)
    }

    fn give(
        &mut self,
        node: &[u8],
        from: Timestamp,
        order: u64,
        to: Timestamp,
        ended: StayEnd,
    ) -> Result<(), ReadError> {
        let Some(span) = to.since(from).filter(|span| !span.is_zero()) else { return Ok(()) };
        self.stay.node.clear();
        match std::str::from_utf8(node) {
            Ok(text) => self.stay.node.push_str(text),
            Err(_) => self.stay.node.push_str(&String::from_utf8_lossy(node)),
        }
        (self.stay.from, self.stay.span, self.stay.ended) = (from, span, ended);
        self.sink.stay(order, &self.stay)
    }

    /// A time for messages: on the recording's own clock, if it has one.
    fn told(&self, at: Timestamp) -> String {
        match at.since(Timestamp::EPOCH) {
            Some(since) if at.unix_ns() < SINCE_1970_NS => since.to_string(),
            _ => at.to_string(),
        }
    }
}

fn name(node: &[u8]) -> String {
    shown(&String::from_utf8_lossy(node))
}
