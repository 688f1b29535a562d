//! Lifetimes of nodes in seconds: one column, as people keep them of preemptible machines.

use super::own::table;
use super::sheet::{Sheet, seconds};
use super::{Content, How, ReadError, Recording, Remark, Stay, StayEnd, Stays};
use crate::units::{Span, Timestamp};

/// Names of the column; the first is the own format's.
pub(super) const COLUMN: &[&str] = &[
    "lifetime_s",
    "lifetime",
    "lifetime_seconds",
    "duration_s",
    "duration",
    "seconds",
    "uptime_s",
    "uptime",
];
const ENDED: &[&str] = &["ended"];
/// A preemptible machine of Google's is stopped after 24 hours, whatever the demand (J. C. S. Kadupitiya,
/// V. Jadhao, P. Sharma, "Modeling The Temporally Constrained Preemptions of Transient Cloud VMs", HPDC 2020,
/// whose recorded lifetimes come so).
pub const CAP: Span = Span::from_s(86_400);
/// Below this the values are hardly seconds.
const SECONDS_PLAUSIBLE: Span = Span::from_s(60);

/// How long nodes lived, without when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifetimes {
    /// In the order of the file.
    pub lifetimes: Vec<Lifetime>,
}

/// How long a node lived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// From its start to its end.
    pub span: Span,
    /// How it ended: [`StayEnd::CutOff`] where it reached the cap.
    pub ended: StayEnd,
}

impl Lifetimes {
    /// The same as stays that all begin at one instant, for what takes stays. Nodes held at once mean
    /// nothing in it.
    pub fn stays(&self) -> Stays {
        let longest = self.lifetimes.iter().map(|lifetime| lifetime.span).max().unwrap_or_default();
        let stay = |(index, lifetime): (usize, &Lifetime)| Stay {
            node: (index + 1).to_string(),
            zone: String::new(),
            from: Timestamp::EPOCH,
            span: lifetime.span,
            ended: lifetime.ended,
        };
        Stays {
            start: Timestamp::EPOCH,
            end: Timestamp::EPOCH + longest,
            stays: self.lifetimes.iter().enumerate().map(stay).collect(),
        }
    }
}

/// Reads lifetimes in seconds, with or without a header; the own format too. Those at or above the cap
/// ([`How::cap`], else 24 h) are cut off there.
pub fn read(text: &str, how: &How) -> Result<Recording, ReadError> {
    let bare = text.trim_start_matches('\u{feff}');
    let first = bare.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty());
    let with_header;
    let (text, added) = match first {
        None => return Err(ReadError::Empty("lifetimes")),
        // A first line that is a number is no header.
        Some(first) if seconds(first.trim(), "").is_ok() => {
            with_header = format!("{}\n{bare}", COLUMN[0]);
            (with_header.as_str(), 1)
        }
        Some(_) => (bare, 0),
    };
    let mut sheet = Sheet::open(text)?;
    let column = match sheet.single() {
        Some(only) => only,
        None => sheet.columns([COLUMN])?[0],
    };
    let ended = sheet.find(ENDED);
    let cap = how.cap.unwrap_or(CAP);
    let mut lifetimes = Vec::new();
    let (mut reached, mut longest) = (0_u64, Span::ZERO);
    let faults = sheet.each(|row| {
        let span = seconds(row.cell(column), COLUMN[0])?;
        if span.is_zero() {
            return Err(format!("`{}` must be above 0", COLUMN[0]));
        }
        let ended = match row.optional(ended) {
            "" | "lost" => StayEnd::Lost,
            "released" => StayEnd::Released,
            "cut_off" => StayEnd::CutOff,
            other => return Err(format!("`ended` `{other}` is none of lost, released, cut_off")),
        };
        longest = longest.max(span);
        // A file of the own format has been cut off before.
        reached += u64::from(span >= cap && ended == StayEnd::Lost);
        let ended = if span >= cap { StayEnd::CutOff } else { ended };
        lifetimes.push(Lifetime { span: span.min(cap), ended });
        Ok(())
    });
    faults.shifted(added).refuse()?;
    if lifetimes.is_empty() {
        return Err(ReadError::Empty("lifetimes"));
    }
    let mut remarks = Vec::new();
    if reached > 0 {
        let text =
            format!("{reached} of {} lifetimes reached the cap of {cap}: cut off there", lifetimes.len());
        remarks.push(Remark::note(None, text));
    }
    if longest < SECONDS_PLAUSIBLE {
        let text = format!("no lifetime is above {longest}: are they seconds?");
        remarks.push(Remark::warning(None, text));
    }
    let mut about = table::about(bare);
    about.start_assumed = true;
    Ok(Recording { about, content: Content::Lifetimes(Lifetimes { lifetimes }), remarks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str, how: &How) -> Vec<(u64, StayEnd)> {
        let Content::Lifetimes(found) = read(text, how).unwrap().content else { panic!("no lifetimes") };
        found.lifetimes.iter().map(|l| (l.span.ns() / 1_000_000_000, l.ended)).collect()
    }

    #[test]
    fn what_reached_the_cap_is_cut_off() {
        let right = [(3600, StayEnd::Lost), (86_400, StayEnd::CutOff), (86_400, StayEnd::CutOff)];
        assert_eq!(spans("3600\n86400\n88950.5\n", &How::default()), right);
        assert_eq!(spans("\u{feff}time\r\n3600\r\n86400\r\n88950.5\r\n", &How::default()), right);
        let how = How { cap: Some(Span::from_s(100_000)), ..How::default() };
        assert_eq!(spans("88950\n", &how), [(88_950, StayEnd::Lost)]);
    }

    #[test]
    fn one_column_of_several_is_found_by_its_name() {
        assert_eq!(spans("zone,Lifetime\na,5000\n", &How::default()), [(5000, StayEnd::Lost)]);
        let error = read("zone,x\na,5000\n", &How::default()).unwrap_err();
        assert!(error.to_string().contains("missing lifetime_s"), "{error}");
    }

    #[test]
    fn every_line_that_is_no_lifetime_is_listed() {
        let error = read("100\n0\n\nnan\n-5\n7\n", &How::default()).unwrap_err().to_string();
        for line in ["line 2: ", "line 4: ", "line 5: "] {
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn hours_are_doubted() {
        let remarks = read("5.5\n23\n", &How::default()).unwrap().remarks;
        assert!(remarks[0].warning && remarks[0].text.contains("are they seconds?"));
    }

    #[test]
    fn lifetimes_are_stays_that_begin_together() {
        let text = "3600\n90000\n";
        let Content::Lifetimes(found) = read(text, &How::default()).unwrap().content else { panic!() };
        let stays = found.stays();
        assert_eq!(stays.end.since(stays.start), Some(CAP));
        let ends: Vec<_> = stays.stays.iter().map(|stay| (stay.node.as_str(), stay.ended)).collect();
        assert_eq!(ends, [("1", StayEnd::Lost), ("2", StayEnd::CutOff)]);
    }
}
