//! From single records to one series for each zone, type and product.

use super::super::{How, Label, Prices, ReadError, Remark};
use super::amount::price_of;
use crate::units::{Price, Timestamp, UtcOffset};
use std::collections::BTreeMap;

/// Faults are told one by one up to here, then counted.
const TOLD_MAX: usize = 100;

/// A record as the file has it.
pub(super) struct Found<'t> {
    pub zone: &'t str,
    pub instance: &'t str,
    pub product: &'t str,
    pub price: &'t str,
    pub time: &'t str,
}

/// A record that is understood.
struct Record {
    series: u32,
    /// Lines beyond 2^32 are told as the last of them.
    line: u32,
    at: Timestamp,
    price: Price,
}

/// Takes records as they come.
pub(super) struct Collector<'h> {
    how: &'h How,
    /// Lines that stand before what a format's own reader counts from.
    pub lines_before: u64,
    /// Index of each series by its names, one after the other.
    names: BTreeMap<String, u32>,
    labels: Vec<Label>,
    records: Vec<Record>,
    key: String,
    read: u64,
    faults: Vec<(u64, String)>,
    untold: u64,
    remarks: Vec<Remark>,
}

impl<'h> Collector<'h> {
    pub fn new(how: &'h How, lines_before: u64) -> Self {
        Self {
            how,
            lines_before,
            names: BTreeMap::new(),
            labels: Vec::new(),
            records: Vec::new(),
            key: String::new(),
            read: 0,
            faults: Vec::new(),
            untold: 0,
            remarks: Vec::new(),
        }
    }

    /// The zone of times that have none.
    pub fn local(&self) -> Option<UtcOffset> {
        self.how.local
    }

    /// Says something about the file as a whole, once.
    pub fn remark(&mut self, text: impl Into<String>, warning: bool) {
        let remark = Remark { line: None, text: text.into(), warning };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Takes the record that stands in `line`.
    pub fn record(&mut self, line: u64, found: &Found<'_>) {
        self.read += 1;
        let at = Timestamp::parse(found.time, self.how.local).map_err(|error| {
            let shown: String = found.time.chars().take(40).collect();
            format!("the time `{shown}` {}; {}", error.problem, error.help)
        });
        match at.and_then(|at| price_of(found.price).map(|price| (at, price))) {
            Ok((at, price)) => {
                let series = self.series(found.zone, found.instance, found.product);
                self.push(series, line, at, price);
            }
            Err(why) => self.fault(line, why),
        }
    }

    /// The series of these names.
    pub fn series(&mut self, zone: &str, instance: &str, product: &str) -> u32 {
        self.key.clear();
        for name in [zone, instance, product] {
            self.key.push_str(name);
            self.key.push('\0');
        }
        if let Some(&series) = self.names.get(self.key.as_str()) {
            return series;
        }
        let series = u32::try_from(self.labels.len()).expect("a file has fewer than 2^32 names");
        self.labels.push(Label { zone: zone.into(), instance: instance.into(), product: product.into() });
        self.names.insert(self.key.clone(), series);
        series
    }

    /// Takes one that is understood.
    pub fn push(&mut self, series: u32, line: u64, at: Timestamp, price: Price) {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.records.push(Record { series, line, at, price });
    }

    /// Counts records of which not all are pushed.
    pub fn count(&mut self, read: u64) {
        self.read += read;
    }

    /// A record that cannot be used.
    pub fn fault(&mut self, line: u64, why: String) {
        match self.faults.len() < TOLD_MAX {
            true => self.faults.push((line, why)),
            false => self.untold += 1,
        }
    }

    /// The series, by zone, type and product, and what was dropped.
    pub fn finish(mut self) -> Result<(Vec<Prices>, Vec<Remark>), ReadError> {
        self.settle_faults()?;
        self.records.sort_unstable_by_key(|one| (one.series, one.at, one.price, one.line));
        self.refuse_conflicts()?;
        let records = self.records.len();
        self.records.dedup_by_key(|one| (one.series, one.at));
        let (kept, repeats) = (self.records.len(), records - self.records.len());
        if kept == 0 {
            return Err(ReadError::Empty("prices"));
        }
        let mut told = format!("{} records read, {kept} kept", self.read);
        if repeats > 0 {
            told += &format!(", {repeats} repeats dropped");
        }
        self.remark(told, false);
        let mut prices: Vec<Prices> =
            self.labels.into_iter().map(|label| Prices { label, changes: Vec::new() }).collect();
        for of_one in self.records.chunk_by(|a, b| a.series == b.series) {
            prices[of_one[0].series as usize].changes =
                of_one.iter().map(|one| (one.at, one.price)).collect();
        }
        prices.retain(|one| !one.changes.is_empty());
        prices.sort_by(|a, b| a.label.cmp(&b.label));
        Ok((prices, self.remarks))
    }

    /// Faults stop the reading, or are left out and told if that was asked for.
    fn settle_faults(&mut self) -> Result<(), ReadError> {
        let mut faults = std::mem::take(&mut self.faults);
        if !self.how.skip_bad {
            if let Some(last) = faults.last_mut().filter(|_| self.untold > 0) {
                last.1 += &format!("; {} more lines have faults", self.untold);
            }
            return if faults.is_empty() { Ok(()) } else { Err(ReadError::Lines { faults }) };
        }
        let left_out = |(line, why)| Remark {
            line: Some(line),
            text: format!("left out: {why}; the price before it goes on"),
            warning: true,
        };
        self.remarks.extend(faults.into_iter().map(left_out));
        if self.untold > 0 {
            self.remark(format!("{} more records were left out", self.untold), true);
        }
        Ok(())
    }

    /// Two prices at one instant; the records are sorted.
    fn refuse_conflicts(&mut self) -> Result<(), ReadError> {
        let mut found = Vec::new();
        for pair in self.records.windows(2) {
            let [low, high] = pair else { continue };
            if (low.series, low.at) == (high.series, high.at) && low.price != high.price {
                let label = &self.labels[low.series as usize];
                let why = format!(
                    "two prices{} at {}: {} and {}; keep one of the records",
                    of(label),
                    low.at,
                    low.price,
                    high.price
                );
                found.push((u64::from(low.line.max(high.line)), why));
            }
        }
        for (line, why) in found {
            self.fault(line, why);
        }
        let faults = std::mem::take(&mut self.faults);
        if faults.is_empty() { Ok(()) } else { Err(ReadError::Lines { faults }) }
    }
}

/// " of g5.xlarge in us-east-1a (Linux/UNIX)", as far as it is known.
fn of(label: &Label) -> String {
    let mut text = String::new();
    if !label.instance.is_empty() {
        text += &format!(" of {}", label.instance);
    }
    if !label.zone.is_empty() {
        text += &format!(" in {}", label.zone);
    }
    if !label.product.is_empty() {
        text += &format!(" ({})", label.product);
    }
    text
}
