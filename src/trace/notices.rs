//! How long before the end interruption notices came.

use crate::records::notice::Notice;
use crate::units::Span;

/// Lead times of notices.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeStats {
    /// By the time of the notice.
    pub notices: Vec<Notice>,
    /// The shortest lead.
    pub min: Span,
    /// Half of the leads are no longer; the mean of the two in the middle where their number is even.
    pub median: Span,
    /// The longest lead.
    pub max: Span,
    /// Mean lead, seconds.
    pub mean_s: f64,
}

/// `None` without a notice.
pub fn notice_stats(mut notices: Vec<Notice>) -> Option<NoticeStats> {
    notices.sort_by_key(|notice| notice.at);
    let mut leads: Vec<u64> = notices.iter().map(|notice| notice.lead.ns()).collect();
    leads.sort_unstable();
    let (&min, &max) = (leads.first()?, leads.last()?);
    let middle = leads.len() / 2;
    let median = if leads.len() % 2 == 1 { leads[middle] } else { leads[middle - 1].midpoint(leads[middle]) };
    let total: u128 = leads.iter().map(|&lead| u128::from(lead)).sum();
    let mean_s = total as f64 / leads.len() as f64 / 1e9;
    let [min, median, max] = [min, median, max].map(Span::from_ns);
    Some(NoticeStats { notices, min, median, max, mean_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Timestamp;

    fn stats(leads_s: &[u64]) -> Option<NoticeStats> {
        let notice =
            |&lead: &u64| Notice { node: String::new(), at: Timestamp::EPOCH, lead: Span::from_s(lead) };
        notice_stats(leads_s.iter().map(notice).collect())
    }

    /// Case 08: four leads of 120 s and one of 30 s: 510 / 5.
    #[test]
    fn case_08_leads_are_summed_up() {
        let found = stats(&[120, 120, 120, 30, 120]).unwrap();
        assert_eq!(
            (found.min, found.median, found.max),
            (Span::from_s(30), Span::from_s(120), Span::from_s(120))
        );
        assert!((found.mean_s - 102.0).abs() < 1e-12);
    }

    #[test]
    fn the_median_of_two_lies_between_them() {
        assert_eq!(stats(&[10, 20]).unwrap().median, Span::from_s(15));
        assert_eq!(stats(&[]), None);
    }
}
