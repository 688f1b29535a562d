//! `spotsim trace stats`.

use super::others;
use super::source::{Asked, ReadFile, asked, quantity, read, remark};
use crate::cli::Format;
use crate::cli::trace::StatsArgs;
use crate::records::{Content, Recording};
use crate::report::json::to_bytes;
use crate::report::plot::{self, Drawing};
use crate::report::text::written;
use crate::report::trace::stats::{self, Described};
use crate::run::files::Folder;
use crate::run::simulate::write_plots;
use crate::run::terminal::{answer, stdout_has_colour};
use crate::run::{Exit, Failure};
use crate::trace::stats::{correlations, extent, pooled, price_stats, stays_stats, zone_stats};
use std::path::Path;

/// Describes recorded data, writes the folder, prints the answer.
pub fn stats(args: &StatsArgs) -> Result<Exit, Failure> {
    let asked: Asked = asked(&args.record)?;
    let files = args.files.iter().map(|file| read(file, &asked)).collect::<Result<Vec<_>, _>>()?;
    let of_series = |file: &ReadFile| {
        matches!(file.recording.content, Content::Capacity(_) | Content::Stays(_) | Content::Prices(_))
    };
    match files.iter().filter(|file| of_series(file)).count() {
        0 => others::stats(args, files),
        all if all == files.len() => series(args, &files),
        _ => Err(Failure::Input(
            "error: capacity and prices are described apart from notices, jobs and the like\n  = help: name their \
             files in another command"
                .to_owned(),
        )),
    }
}

/// Capacity, stays of nodes and prices.
fn series(args: &StatsArgs, files: &[ReadFile]) -> Result<Exit, Failure> {
    let found = described(args, files)?;
    let document = to_bytes(&stats::json(&found));
    let name = args.files.first().map_or_else(String::new, |path| stem(path));
    let mut folder = Folder::of(&args.output, &format!("trace-{name}"))?;
    folder.write("stats.json", &document)?;
    let pictures: Vec<(&str, Drawing)> =
        [("availability", plot::availability(&found)), ("survival", plot::survival(&found))]
            .into_iter()
            .filter_map(|(name, drawing)| drawing.map(|drawing| (name, drawing)))
            .collect();
    write_plots(&args.output.plots, &pictures, &mut folder)?;
    folder.remove_others("plots", |stem| ["availability", "survival"].contains(&stem))?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => stats::csv(&found),
        Format::Table => {
            let out = folder.path().display().to_string();
            stats::text(&found, stdout_has_colour()) + &written(&out, &folder.listing())
        }
    })?;
    files.iter().for_each(|file| remark(&file.name, &file.recording.remarks));
    Ok(Exit::Done)
}

fn described(args: &StatsArgs, files: &[ReadFile]) -> Result<Described, Failure> {
    let length = quantity("--length", args.length.as_deref())?;
    let mut found = Described { price: quantity("--price", args.price.as_deref())?, ..Described::default() };
    let mut zones = Vec::new();
    for (path, file) in args.files.iter().zip(files) {
        let stem = stem(path);
        let Recording { about, content, .. } = &file.recording;
        let named = |zone: &str, many: bool| if many { format!("{stem}/{zone}") } else { stem.clone() };
        match content {
            Content::Capacity(series) => {
                for one in series {
                    let one = &length.map_or_else(|| one.clone(), |length| extent(one, length));
                    let mut zone = zone_stats(one, about.sample, about.start_assumed, args.gang.unwrap_or(1));
                    let name = named(&zone.label.zone, series.len() > 1);
                    if zone.label.zone.is_empty() {
                        zone.label.zone.clone_from(&stem);
                    }
                    zones.push((name, zone));
                }
            }
            Content::Stays(stays) => {
                found.stays.push((stem.clone(), stays_stats(stays, args.gang, length)));
            }
            Content::Prices(series) => {
                for price in price_stats(series) {
                    let name = named(&price.label.zone, series.len() > 1);
                    found.prices.push((name, price));
                }
            }
            _ => {}
        }
    }
    let (names, zones): (Vec<String>, Vec<_>) = zones.into_iter().unzip();
    let together = correlations(&zones);
    found.zones = names.into_iter().zip(zones).zip(together).map(|((n, z), c)| (n, z, c)).collect();
    let zones: Vec<_> = found.zones.iter().map(|(_, zone, _)| zone).collect();
    let stays: Vec<_> = found.stays.iter().map(|(_, stays)| stays).collect();
    found.pooled = pooled(&zones, if zones.is_empty() { &stays } else { &[] });
    Ok(found)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
