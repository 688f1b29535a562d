//! Lead times of interruption notices.

use super::super::json::number;
use super::super::number::{count, decimals, fixed};
use super::super::text::{self, Column, Paint};
use super::{ROWS_MAX, counted, rest};
use crate::records::notice::Notice;
use crate::trace::notices::NoticeStats;
use crate::units::Span;
use serde_json::{Value, json};

/// For people.
pub fn table(stats: &NoticeStats, paint: Paint) -> String {
    let notices = &stats.notices;
    let (first, last) = (notices.first().map(at), notices.last().map(at));
    let verdict = format!(
        "{}, the first at {}, the last at {}: lead times from {} to {}, median {}, mean {} s.",
        counted(notices.len() as u64, "notice", "notices"),
        first.unwrap_or_default(),
        last.unwrap_or_default(),
        seconds(stats.min),
        seconds(stats.max),
        seconds(stats.median),
        fixed(stats.mean_s, decimals_of(stats.mean_s)),
    );
    let mut told = "How long before the end did the notices come?\n\n".to_owned();
    for line in text::wrapped(&verdict, text::columns() - 2) {
        told += &format!("  {}\n", paint.bold(&line));
    }
    let shown = &notices[..notices.len().min(ROWS_MAX)];
    let of = |cell: &dyn Fn(&Notice) -> String| shown.iter().map(cell).collect::<Vec<_>>();
    let places =
        if shown.iter().all(|notice| notice.lead.ns().is_multiple_of(1_000_000_000)) { 0 } else { 3 };
    let columns = [
        Column::words("notice, UTC", of(&at)),
        Column::figures("lead, s", of(&|notice| fixed(notice.lead.as_secs(), places))),
    ];
    let names = Column::words("node", of(&|notice| text::name(&notice.node)));
    told += &format!("\n{}{}", text::table(&names, &columns, paint), rest(notices.len(), "notices"));
    told
}

fn at(notice: &Notice) -> String {
    notice.at.to_string()
}

fn decimals_of(seconds: f64) -> usize {
    if seconds.fract() == 0.0 { 0 } else { decimals([seconds]) }
}

fn seconds(span: Span) -> String {
    match span.ns() % 1_000_000_000 {
        0 => format!("{} s", count(span.ns() / 1_000_000_000)),
        _ => format!("{} s", fixed(span.as_secs(), 3)),
    }
}

/// `{schema, kind, notices, lead_s_min, …, rows}`, rows by the time of the notice.
pub fn json(stats: &NoticeStats) -> Value {
    let rows = stats.notices.iter().map(|notice| {
        json!({ "node": notice.node, "notice": at(notice), "lead_s": number(Some(notice.lead.as_secs())) })
    });
    json!({
        "schema": 1,
        "kind": "notices",
        "notices": stats.notices.len(),
        "lead_s_min": number(Some(stats.min.as_secs())),
        "lead_s_p50": number(Some(stats.median.as_secs())),
        "lead_s_mean": number(Some(stats.mean_s)),
        "lead_s_max": number(Some(stats.max.as_secs())),
        "rows": rows.collect::<Vec<_>>(),
    })
}

/// A line a notice.
pub fn csv(stats: &NoticeStats) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: [&str; 3]| writer.write_record(record).expect("memory takes every write");
    write(["node", "notice", "lead_s"]);
    for notice in &stats.notices {
        write([&notice.node, &at(notice), &notice.lead.as_secs().to_string()]);
    }
    writer.into_inner().expect("memory takes every write")
}
