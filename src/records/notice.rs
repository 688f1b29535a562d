//! Logs of interruption notices: `node,notice,terminate`.
//!
//! The times of a log come from many places: RFC 3339 with `Z` or an offset, seconds or milliseconds since
//! 1970, or local times without a zone, which need [`How::local`]. Rows stand for themselves, so one that
//! cannot be used is left out, with a warning that says why.

use super::faults::first_told;
use super::own::table;
use super::sheet::Sheet;
use super::{Content, How, ReadError, Recording, Remark};
use crate::units::{Span, Timestamp};

/// Names of the columns; the first is the own format's.
const NODE: &[&str] = &["node", "instance_id", "instance", "name", "host"];
const NOTICE: &[&str] = &["notice", "notice_time", "noticed", "warning"];
const TERMINATE: &[&str] = &["terminate", "terminate_time", "terminated", "termination", "end"];
/// No provider warns so early: the two times were written in different zones, or units.
const LEAD_PLAUSIBLE: Span = Span::from_s(3_600);

/// One notice of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The node's name.
    pub node: String,
    /// When the notice came.
    pub at: Timestamp,
    /// From the notice to the end of the node.
    pub lead: Span,
}

/// Reads a log of notices, in the project's own format or another's.
pub fn read(text: &str, how: &How) -> Result<Recording, ReadError> {
    let mut sheet = Sheet::open(text)?;
    let [node, notice, terminate] = sheet.columns([NODE, NOTICE, TERMINATE])?;
    let (mut notices, mut remarks) = (Vec::new(), Vec::new());
    let (mut zoneless, mut first_zoneless) = (0_u64, None);
    let faults = sheet.each(|row| {
        let at = row.time(notice, "notice", how)?;
        let end = row.time(terminate, "terminate", how)?;
        let Some(lead) = end.since(at) else {
            let early = at.since(end).unwrap_or_default();
            return Err(format!("the node ended {early} before its notice came"));
        };
        if lead > LEAD_PLAUSIBLE {
            let text = format!("the notice came {lead} before the end: are both times of one zone?");
            remarks.push(Remark::warning(Some(row.line), text));
        }
        if [notice, terminate].into_iter().any(|column| lacks_zone(row.cell(column), how)) {
            zoneless += 1;
            first_zoneless = first_zoneless.or(Some(row.line));
        }
        notices.push(Notice { node: row.cell(node).to_owned(), at, lead });
        Ok(())
    });
    if notices.is_empty() {
        faults.refuse()?;
        return Err(ReadError::Empty("notices"));
    }
    let mut remarks = first_told(remarks);
    if zoneless > 0 {
        let rows = if zoneless == 1 {
            "this row has".to_owned()
        } else {
            format!("{zoneless} rows from here on have")
        };
        let text = format!("{rows} times without a zone; the one that was given is taken");
        remarks.insert(0, Remark::warning(first_zoneless, text));
    }
    faults.leave_out(&mut remarks);
    notices.sort_by_key(|notice| notice.at);
    Ok(Recording { about: table::about(text), content: Content::Notices(notices), remarks })
}

/// Whether a time that was read could be read only with the zone that was given.
fn lacks_zone(text: &str, how: &How) -> bool {
    how.local.is_some() && Timestamp::parse(text, None).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 08: five ways to write a time; 2026-03-29 is the night in which Europe's clocks go forward.
    const MIXED: &str = include_str!("../../tests/cases/08-notices.csv");

    fn notices(recording: &Recording) -> Vec<(&str, String, u64)> {
        let Content::Notices(notices) = &recording.content else { panic!("no notices") };
        let row = |notice: &Notice| (notice.at.to_string(), notice.lead.ns() / 1_000_000_000);
        notices.iter().map(|notice| (notice.node.as_str(), row(notice).0, row(notice).1)).collect()
    }

    #[test]
    fn case_08_notices_come_in_the_order_of_utc() {
        let recording = read(MIXED, &How::default()).unwrap();
        let right = [
            ("n2", "2026-03-29T00:58:10Z", 120),
            ("n1", "2026-03-29T00:59:30Z", 120),
            ("n3", "2026-03-29T03:00:00Z", 120),
            ("n4", "2026-03-29T04:00:00Z", 30),
            ("n7", "2026-03-29T06:00:00.25Z", 120),
        ];
        assert_eq!(notices(&recording), right.map(|(node, at, lead)| (node, at.to_owned(), lead)));
    }

    #[test]
    fn case_08_rows_that_cannot_be_used_are_left_out_and_named() {
        let remarks = read(MIXED, &How::default()).unwrap().remarks;
        let lines: Vec<_> = remarks.iter().map(|remark| (remark.line, remark.warning)).collect();
        assert_eq!(lines, [(Some(6), true), (Some(7), true)]);
        assert!(remarks[0].text.contains("has no zone"), "{}", remarks[0].text);
        assert!(remarks[1].text.contains("15 s before"), "{}", remarks[1].text);
    }

    #[test]
    fn a_given_zone_is_taken_and_said() {
        let how = How { local: Some("+02:00".parse().unwrap()), ..How::default() };
        let recording = read(MIXED, &how).unwrap();
        let n5 = ("n5", "2026-03-29T01:10:00Z".to_owned(), 120);
        assert_eq!(notices(&recording)[2], n5);
        assert_eq!(recording.remarks[0].line, Some(6));
        assert!(recording.remarks[0].warning);
    }

    #[test]
    fn a_log_without_a_row_that_can_be_used_is_refused() {
        assert_eq!(read("node,notice,terminate\n", &How::default()), Err(ReadError::Empty("notices")));
        let bad = read("node,notice,terminate\na,1774753200,soon\n", &How::default());
        assert!(matches!(bad, Err(ReadError::Lines { .. })), "{bad:?}");
    }

    #[test]
    fn times_of_different_zones_are_doubted() {
        let text = "node,notice,terminate\na,2026-03-29T00:00:00Z,2026-03-29T02:02:00\n";
        let how = How { local: Some("Z".parse().unwrap()), ..How::default() };
        let remarks = read(text, &how).unwrap().remarks;
        assert!(remarks[1].text.contains("are both times of one zone?"), "{remarks:?}");
    }
}
