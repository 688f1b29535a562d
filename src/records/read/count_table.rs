//! Rounds of probes as a table: `scheduled_at,status,ZONE…`, how many nodes each zone gave. An empty cell was not
//! looked at, and nothing was in a round whose status is not `success`.

use super::super::cells::{civil, count};
use super::super::faults::Faults;
use super::super::rows::Rows;
use super::super::samples::Samples;
use super::super::sink::{Kind, Sink};
use super::super::{About, How, Label, ReadError, Remark};
use std::io::BufRead;

/// Reads the table into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut rows, mut faults) = (Rows::new(source), Faults::default());
    let Some(header) = rows.next(&mut faults)? else {
        faults.refuse()?;
        return Err(ReadError::Empty("samples"));
    };
    let names: Vec<String> = (0..header.len()).map(|index| header.text(index).into_owned()).collect();
    let Some(time) = names.iter().position(|name| name == "scheduled_at") else {
        let found: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        return Err(ReadError::Syntax(format!("has no column scheduled_at; found {}", found.join(", "))));
    };
    let status = names.iter().position(|name| name == "status");
    let zones: Vec<usize> = (0..names.len()).filter(|&at| at != time && Some(at) != status).collect();
    if zones.is_empty() {
        return Err(ReadError::Syntax("has no column of a zone beside scheduled_at".to_owned()));
    }
    let mut sorted: Vec<&String> = zones.iter().map(|&at| &names[at]).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ReadError::Syntax(format!("has two columns of the zone `{}`", pair[0])));
    }
    let label = |&at: &usize| Label { zone: names[at].clone(), ..Label::default() };
    let labels = zones.iter().map(label).collect();
    let mut samples = Samples::new(About::default(), Kind::Counts, labels, sink);
    let (mut seen, mut failed) = (Vec::with_capacity(zones.len()), 0_u64);
    while let Some(row) = rows.next(&mut faults)? {
        seen.clear();
        if row.len() != names.len() {
            faults.add(row.line, format!("has {} cells, the header has {}", row.len(), names.len()));
            continue;
        }
        let at = match civil(&row.text(time), how.local) {
            Ok(at) => at,
            Err(fault) => {
                faults.add(row.line, fault);
                continue;
            }
        };
        let looked = status.is_none_or(|status| row.bytes(status) == b"success");
        failed += u64::from(!looked);
        for &zone in &zones {
            match count(row, zone, &names[zone]) {
                Ok(nodes) => seen.push(nodes.filter(|_| looked)),
                Err(fault) => faults.add(row.line, fault),
            }
        }
        if seen.len() == zones.len()
            && let Err(fault) = samples.sample(at, &seen)?
        {
            faults.add(row.line, fault);
        }
    }
    faults.refuse()?;
    let mut remarks = samples.end()?;
    if failed > 0 {
        let text = format!("{failed} rounds did not end with `success`: nothing is taken from them");
        remarks.push(Remark::warning(None, text));
    }
    Ok(remarks)
}
