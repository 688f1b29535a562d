//! What recorded capacity and prices are like: table, JSON and CSV.

use super::super::json::number;
use super::super::number::{MISSING, count, fixed, hours, percent, usd};
use super::super::text::{Column, Paint, beside, listed, name, table};
use crate::trace::stats::{Correlation, Counts, Lengths, Pooled, PriceStats, StaysStats, ZoneStats};
use crate::units::Price;
use serde_json::{Map, Value, json};

/// What one file or several hold.
#[derive(Debug, Clone, Default)]
pub struct Described {
    /// Zones, each with its file's name and how it goes with the others.
    pub zones: Vec<(String, ZoneStats, Correlation)>,
    /// Stays of nodes, by the file's name.
    pub stays: Vec<(String, StaysStats)>,
    /// Prices, by the file's name.
    pub prices: Vec<(String, PriceStats)>,
    /// Uptimes of all zones together, else stays of all nodes.
    pub pooled: Option<Pooled>,
    /// What a node costs.
    pub price: Option<Price>,
}

/// A figure by the name that JSON and CSV have for it.
type Figure = (&'static str, Option<f64>);

fn lengths(of: &Lengths, names: [&'static str; 4]) -> [Figure; 4] {
    let values = [Some(of.complete as f64), of.mean_h, of.median_h, of.max_h];
    let mut at = values.into_iter();
    names.map(|name| (name, at.next().flatten()))
}

fn of_counts(counts: &Counts, price: Option<Price>) -> Vec<Figure> {
    let loss = &counts.loss;
    let per_h = price.zip(counts.mean).map(|(price, mean)| price.as_usd_per_hour() * mean);
    vec![
        ("nodes_mean", counts.mean),
        ("node_h", Some(counts.node_h)),
        ("nodes_min", counts.min.map(f64::from)),
        ("nodes_max", counts.max.map(f64::from)),
        ("all_or_none_share", counts.all_or_none_share),
        ("losses", Some(loss.moments as f64)),
        ("nodes_lost", Some(loss.nodes as f64)),
        ("nodes_lost_at_once_mean", loss.mean()),
        ("nodes_lost_at_once_max", Some(f64::from(loss.max))),
        ("lost_with_6_or_more_share", loss.many_share()),
        ("cost_usd", price.map(|price| price.as_usd_per_hour() * counts.node_h)),
        ("cost_usd_per_h", per_h),
    ]
}

const UP: [&str; 4] = ["up_complete", "up_h_mean", "up_h_p50", "up_h_max"];
const DOWN: [&str; 4] = ["down_complete", "down_h_mean", "down_h_p50", "down_h_max"];

fn of_zone(zone: &ZoneStats, together: &Correlation, price: Option<Price>) -> Vec<Figure> {
    let mut figures = vec![
        ("duration_h", Some(zone.duration_h)),
        ("looked_at_h", Some(zone.looked_h)),
        ("sample_s", zone.sample.map(|span| span.as_secs())),
        ("gang", Some(f64::from(zone.gang))),
        ("availability", zone.availability),
        ("preemptions", Some(zone.preemptions as f64)),
        ("preemptions_per_up_h", zone.preemptions_per_up_h()),
    ];
    figures.extend(lengths(&zone.up, UP));
    figures.push(("up_ended_h_mean", zone.ended_up_h_mean));
    figures.push(("up_cut_off_h", zone.cut_off_up_h));
    figures.extend(lengths(&zone.down, DOWN));
    figures.extend([
        ("one_sample_share", zone.one_sample_share),
        ("hour_range", zone.hours.range),
        ("first_harmonic", zone.hours.amplitude),
        ("peak_hour_utc", zone.hours.peak_hour.map(f64::from)),
        ("correlation_same_region", together.same_region),
        ("correlation_other_region", together.other_region),
    ]);
    figures.extend(zone.counts.iter().flat_map(|counts| of_counts(counts, price)));
    figures
}

fn of_stays(stays: &StaysStats, price: Option<Price>) -> Vec<Figure> {
    let mut figures = vec![
        ("duration_h", Some(stays.duration_h)),
        ("preemptions", Some(stays.lost as f64)),
        ("released", Some(stays.released as f64)),
        ("cut_off", Some(stays.cut_off as f64)),
        ("preemptions_per_up_h", stays.lost_per_up_h()),
        ("gang", stays.gang.map(|gang| f64::from(gang.nodes))),
        ("gang_share", stays.gang.map(|gang| gang.share)),
        ("gang_hits", stays.gang.map(|gang| gang.hit as f64)),
    ];
    figures.extend(lengths(&stays.up, UP));
    figures.extend(of_counts(&stays.counts, price));
    figures
}

fn of_prices(price: &PriceStats) -> Vec<Figure> {
    vec![
        ("usd_per_h_mean", Some(price.mean_usd_per_h)),
        ("usd_per_h_min", Some(price.min.as_usd_per_hour())),
        ("usd_per_h_max", Some(price.max.as_usd_per_hour())),
        ("changes", Some(price.changes as f64)),
        ("unchanged_h_max", Some(price.steadiest.as_hours())),
        ("coverage", price.coverage),
    ]
}

fn rows(of: &Described) -> Vec<(&'static str, String, Vec<Figure>)> {
    let zones = of.zones.iter().map(|(n, zone, c)| ("capacity", n.clone(), of_zone(zone, c, of.price)));
    let stays = of.stays.iter().map(|(n, stays)| ("stays", n.clone(), of_stays(stays, of.price)));
    let prices = of.prices.iter().map(|(n, price)| ("prices", n.clone(), of_prices(price)));
    zones.chain(stays).chain(prices).collect()
}

fn object(figures: &[Figure]) -> Map<String, Value> {
    figures.iter().map(|(name, value)| ((*name).to_owned(), number(*value))).collect()
}

/// `{schema, series: [{name, kind, …}]}`.
pub fn json(of: &Described) -> Value {
    let mut series: Vec<Value> = rows(of)
        .iter()
        .map(|(kind, name, figures)| {
            let mut map = object(figures);
            map.insert("kind".into(), (*kind).into());
            map.insert("name".into(), name.clone().into());
            map.into()
        })
        .collect();
    let at_least = |counts: &Counts| -> Value {
        counts.at_least.iter().map(|&(nodes, share)| json!({ "nodes": nodes, "share": share })).collect()
    };
    for (value, (_, zone, _)) in series.iter_mut().zip(&of.zones) {
        let hours = &zone.hours;
        value["by_hour"] = hours.by_hour.iter().map(|&share| number(share)).collect();
        value["by_weekday"] = hours.by_weekday.iter().map(|&share| number(share)).collect();
        if let Some(counts) = &zone.counts {
            value["at_least"] = at_least(counts);
        }
        if let Some(survival) = &zone.survival {
            value["survival"] = survival.steps.iter().map(|&(h, s)| json!({ "h": h, "share": s })).collect();
        }
    }
    for (value, (_, stays)) in series.iter_mut().skip(of.zones.len()).zip(&of.stays) {
        value["at_least"] = at_least(&stays.counts);
        if let Some(survival) = &stays.survival {
            value["survival"] = survival.steps.iter().map(|&(h, s)| json!({ "h": h, "share": s })).collect();
        }
    }
    json!({ "schema": 1, "series": series })
}

/// `kind,name,figure,value`: a line a figure, empty where it does not exist.
pub fn csv(of: &Described) -> String {
    let mut text = "kind,name,figure,value\n".to_owned();
    for (kind, name, figures) in rows(of) {
        for (figure, value) in figures {
            let value = value.map_or_else(String::new, |value| value.to_string());
            text += &format!("{kind},{},{figure},{value}\n", super::super::csv::field(&name));
        }
    }
    text
}

fn told(value: Option<f64>, decimals: usize) -> String {
    value.map_or(MISSING.to_owned(), |value| fixed(value, decimals))
}

fn share(value: Option<f64>) -> String {
    value.map_or(MISSING.to_owned(), percent)
}

fn figures<T>(head: &str, of: &[T], cell: impl Fn(&T) -> String) -> Column {
    Column::figures(head, of.iter().map(cell).collect())
}

/// Tables of zones, stays and prices, and notes.
pub fn text(of: &Described, colour: bool) -> String {
    let paint = Paint { colour };
    let mut parts = Vec::new();
    if !of.zones.is_empty() {
        parts.push(zones(&of.zones, paint));
    }
    let counted: Vec<(&String, &Counts)> = of
        .zones
        .iter()
        .filter_map(|(name, zone, _)| Some((name, zone.counts.as_ref()?)))
        .chain(of.stays.iter().map(|(name, stays)| (name, &stays.counts)))
        .collect();
    if !of.stays.is_empty() {
        parts.push(stays(&of.stays, paint));
    }
    if !counted.is_empty() {
        parts.push(groups(&counted, of.price, paint));
    }
    if !of.prices.is_empty() {
        parts.push(prices(&of.prices, paint));
    }
    let notes = notes(of);
    if !notes.is_empty() {
        parts.push(beside("Notes", &notes));
    }
    parts.join("\n")
}

fn zones(of: &[(String, ZoneStats, Correlation)], paint: Paint) -> String {
    let first = Column::words("zone", of.iter().map(|(n, ..)| name(n)).collect());
    let columns = [
        figures("hours", of, |(_, z, _)| fixed(z.duration_h, 2)),
        figures("available %", of, |(_, z, _)| share(z.availability)),
        figures("preemptions", of, |(_, z, _)| count(z.preemptions)),
        figures("up mean h", of, |(_, z, _)| told(z.up.mean_h, 3)),
        figures("median h", of, |(_, z, _)| told(z.up.median_h, 3)),
        figures("max h", of, |(_, z, _)| told(z.up.max_h, 2)),
        figures("gap mean h", of, |(_, z, _)| told(z.down.mean_h, 3)),
        figures("median h", of, |(_, z, _)| told(z.down.median_h, 3)),
        figures("one sample %", of, |(_, z, _)| share(z.one_sample_share)),
        figures("range by hour", of, |(_, z, _)| told(z.hours.range, 3)),
        figures("peak h UTC", of, |(_, z, _)| z.hours.peak_hour.map_or(MISSING.into(), |h| h.to_string())),
        figures("corr. in region", of, |(.., c)| told(c.same_region, 3)),
        figures("others", of, |(.., c)| told(c.other_region, 3)),
    ];
    table(&first, &columns, paint)
}

fn stays(of: &[(String, StaysStats)], paint: Paint) -> String {
    let first = Column::words("nodes of", of.iter().map(|(n, _)| name(n)).collect());
    let mut columns = vec![
        figures("hours", of, |(_, s)| fixed(s.duration_h, 2)),
        figures("lost", of, |(_, s)| count(s.lost)),
        figures("cut off", of, |(_, s)| count(s.cut_off)),
        figures("lost per node-h", of, |(_, s)| told(s.lost_per_up_h(), 4)),
        figures("stay mean h", of, |(_, s)| told(s.up.mean_h, 3)),
        figures("median h", of, |(_, s)| told(s.up.median_h, 3)),
        figures("max h", of, |(_, s)| told(s.up.max_h, 2)),
    ];
    if let Some(gang) = of.first().and_then(|(_, s)| s.gang) {
        let head = format!("gang of {} %", gang.nodes);
        columns.push(figures(&head, of, |(_, s)| share(s.gang.map(|g| g.share))));
        columns.push(figures("hit", of, |(_, s)| s.gang.map_or(MISSING.into(), |g| count(g.hit))));
    }
    table(&first, &columns, paint)
}

fn groups(of: &[(&String, &Counts)], price: Option<Price>, paint: Paint) -> String {
    let first = Column::words("group", of.iter().map(|(n, _)| name(n)).collect());
    let mut columns = vec![
        figures("nodes mean", of, |(_, c)| told(c.mean, 4)),
        figures("min", of, |(_, c)| told(c.min.map(f64::from), 0)),
        figures("max", of, |(_, c)| told(c.max.map(f64::from), 0)),
        figures("node-h", of, |(_, c)| fixed(c.node_h, 4)),
        figures("all or none %", of, |(_, c)| share(c.all_or_none_share)),
        figures("nodes lost", of, |(_, c)| count(c.loss.nodes)),
        figures("moments", of, |(_, c)| count(c.loss.moments)),
        figures("at once mean", of, |(_, c)| told(c.loss.mean(), 2)),
        figures("max", of, |(_, c)| c.loss.max.to_string()),
        figures("in >= 6 %", of, |(_, c)| share(c.loss.many_share())),
    ];
    if let Some(usd) = price.map(Price::as_usd_per_hour) {
        columns.push(figures("cost $", of, |(_, c)| fixed(usd * c.node_h, 2)));
        columns.push(figures("$/h", of, |(_, c)| told(c.mean.map(|mean| mean * usd), 3)));
    }
    table(&first, &columns, paint)
}

fn prices(of: &[(String, PriceStats)], paint: Paint) -> String {
    let first = Column::words("price of", of.iter().map(|(n, _)| name(n)).collect());
    let columns = [
        figures("mean $/h", of, |(_, p)| fixed(p.mean_usd_per_h, 4)),
        figures("min", of, |(_, p)| fixed(p.min.as_usd_per_hour(), 4)),
        figures("max", of, |(_, p)| fixed(p.max.as_usd_per_hour(), 4)),
        figures("changes", of, |(_, p)| count(p.changes)),
        figures("unchanged max h", of, |(_, p)| fixed(p.steadiest.as_hours(), 1)),
        figures("covered %", of, |(_, p)| share(p.coverage)),
    ];
    table(&first, &columns, paint)
}

/// More zones or groups than this are not told one by one.
const FEW: usize = 3;
/// More sizes of a group than this are in the JSON alone.
const SIZES_MAX: usize = 32;

fn notes(of: &Described) -> Vec<String> {
    let mut notes = Vec::new();
    let few = of.zones.len() <= FEW;
    let seldom: Vec<String> =
        of.zones.iter().filter(|(_, z, _)| z.mostly_down()).map(|(n, ..)| name(n)).collect();
    if !seldom.is_empty() {
        let names = listed(seldom, FEW);
        notes.push(format!(
            "capacity less than half of the time in {names}: if that seems little, and the file has 0 and 1, \
             --one-means may be the wrong way round"
        ));
    }
    for (file, zone, _) in &of.zones {
        let file = name(file);
        if zone.preemptions == 0 {
            notes.push(format!("{file}: time between preemptions: none seen in {}", hours(zone.looked_h)));
        }
        let still = zone.counts.as_ref().is_none_or(|counts| counts.min == counts.max);
        if zone.constant() && still && !zone.runs.is_empty() {
            notes.push(format!("{file} never changes: every replication of it is the same"));
        }
        if let Some(mean_h) = zone.ended_up_h_mean.filter(|_| few) {
            let cut = zone
                .cut_off_up_h
                .map_or(String::new(), |h| format!("; the last, {} long, was cut off", hours(h)));
            let ended = zone.preemptions;
            notes.push(format!(
                "{file}: mean of all {ended} uptimes that ended, the first included: {}{cut}",
                hours(mean_h)
            ));
        }
        if zone.counts.is_some() {
            notes.push(format!("{file} counts nodes: which node went is not known"));
        }
    }
    let groups = of.zones.iter().filter_map(|(n, zone, _)| Some((n, zone.counts.as_ref()?)));
    let groups: Vec<_> = groups.chain(of.stays.iter().map(|(n, stays)| (n, &stays.counts))).collect();
    if groups.len() <= FEW {
        for (file, counts) in groups.iter().filter(|(_, counts)| counts.at_least.len() <= SIZES_MAX) {
            let at_least = counts
                .at_least
                .iter()
                .map(|(nodes, share)| format!("{nodes}: {} %", fixed(100.0 * share, 2)));
            let at_least = at_least.collect::<Vec<_>>().join(", ");
            notes.push(format!("{}, share of the time with at least so many nodes: {at_least}", name(file)));
        }
    }
    if let Some(price) = of.price {
        notes.push(format!("cost is node-hours at {} an hour", usd(price.as_usd_per_hour())));
    }
    notes
}
