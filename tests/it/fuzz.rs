//! Whatever is done to a recorded file, its reader gives a recording or an error: no panic, and no more than the
//! file can hold. A usual run tries 20,000 inputs a reader; `SPOTSIM_FUZZ=1000000 cargo test --release --test it
//! fuzz -- --nocapture` tries as many as it says and prints counts and seed (`docs/traces-fuzz.txt`).

use spotsim::records::write::{Choices, Export, write};
use spotsim::records::{self, Content, Format, How, OneMeans, TimeUnit};
use spotsim::rng::{Source, Stream, Streams};
use spotsim::units::{Span, UtcOffset};

const SEED: u64 = 20_261_202;
const INPUTS: u64 = 20_000;

/// Pieces that a file may be made to hold in a wrong place.
const PIECES: [&str; 36] = [
    "0",
    "-1",
    "1e999",
    "0e2147483647",
    "1e-2147483648",
    "nan",
    "18446744073.709551615",
    "9223372036854775807",
    "99999999999999999999",
    "4294967295",
    "4294967296",
    "1774753200",
    "1774753200000",
    "9999-12-31T23:59:59Z",
    "1677-09-21T00:12:44Z",
    "2262-04-11T23:47:16Z",
    "-262143-01-01T00:00:00Z",
    "add",
    "remove",
    "\"",
    "\\",
    ",",
    ",,",
    ";",
    "\t",
    "\n",
    "\r\n",
    "#",
    "# kind: stays\n",
    "{",
    "[",
    "]",
    "}",
    "null",
    "\u{feff}",
    "\u{202e}é",
];

/// Feeds `read` with the `seeds`, changed at random, and prints how many inputs there were. `read` panics if
/// something is wrong.
#[expect(clippy::print_stdout, reason = "how many inputs were tried is kept in docs/traces-fuzz.txt")]
pub fn fuzz(name: &str, seeds: &[&str], read: impl Fn(&[u8])) {
    let asked = std::env::var("SPOTSIM_FUZZ").ok().map(|text| text.parse().unwrap());
    let inputs = asked.unwrap_or(INPUTS);
    for input in 0..inputs {
        let mut stream = Streams::new(SEED).stream(Source::Path, 0, 0, input);
        let mut bytes = seeds[below(&mut stream, seeds.len())].as_bytes().to_vec();
        for _ in 0..=below(&mut stream, 4) {
            mutate(&mut bytes, &mut stream);
        }
        read(&bytes);
    }
    println!("{name}: {inputs} inputs, seed {SEED}, none panicked");
}

/// A number below `n`.
fn below(stream: &mut Stream, n: usize) -> usize {
    (stream.bits() % n.max(1) as u64) as usize
}

/// One change: a byte, a cut, a repeat, a piece put in or in place of a field, two fields swapped, an end.
fn mutate(bytes: &mut Vec<u8>, stream: &mut Stream) {
    let at = below(stream, bytes.len() + 1);
    let end = (at + below(stream, 12)).min(bytes.len());
    let piece = PIECES[below(stream, PIECES.len())].bytes();
    match below(stream, 8) {
        0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = stream.bits() as u8),
        1 => _ = bytes.drain(at..end),
        2 => {
            let again = bytes[at..end].to_vec();
            _ = bytes.splice(at..at, again);
        }
        3 => _ = bytes.splice(at..at, piece),
        4 | 5 => _ = bytes.splice(field(bytes, at), piece),
        6 => {
            let other = below(stream, bytes.len() + 1);
            let (a, b) = (field(bytes, at.min(other)), field(bytes, at.max(other)));
            if a.end <= b.start {
                let (first, second) = (bytes[a.clone()].to_vec(), bytes[b.clone()].to_vec());
                _ = bytes.splice(b, first);
                _ = bytes.splice(a, second);
            }
        }
        _ => bytes.truncate(at.max(bytes.len() / 2)),
    }
}

/// The field of a table, or the value of a JSON, around a place.
fn field(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let parts = |byte: &u8| b",\n:{}[]".contains(byte);
    let start = bytes[..at].iter().rposition(parts).map_or(0, |place| place + 1);
    let end = bytes[at..].iter().position(parts).map_or(bytes.len(), |place| at + place);
    start..end
}

/// Reads capacity in a format that was told. What comes out is no more than the input has rows, holds together,
/// and reads back the same from the project's own format.
fn capacity(format: Format, bytes: &[u8]) {
    for how in [
        How::default(),
        How {
            format: Some(format),
            one_means: Some(OneMeans::Preempted),
            local: Some(UtcOffset::UTC),
            time_unit: Some(TimeUnit::Hours),
            until: Some(Span::from_s(7_200)),
            skip_bad: false,
            cap: None,
        },
    ] {
        let Ok(recording) = records::read(bytes, &how) else { continue };
        match &recording.content {
            Content::Capacity(series) => {
                for one in series {
                    assert!(one.stretches.len() <= 2 * bytes.len() + 2);
                    assert!(one.stretches.iter().all(|stretch| !stretch.span.is_zero()));
                    assert!(one.stretches.windows(2).all(|pair| pair[0].nodes != pair[1].nodes));
                }
            }
            Content::Stays(stays) => {
                assert!(stays.start <= stays.end);
                assert!(stays.stays.len() <= bytes.len());
                assert!(stays.stays.iter().all(|stay| stay.from >= stays.start));
                assert!(stays.stays.iter().all(|stay| stay.from + stay.span <= stays.end));
                stays.sizes(|_| true);
            }
            other => panic!("{other:?}"),
        }
        let mut own = Vec::new();
        write(&recording, Export::Own, &Choices::default(), &mut own).unwrap();
        let again = records::own::read(&String::from_utf8(own).unwrap()).unwrap();
        assert_eq!(again.content, without_labels(recording.content));
    }
}

/// The project's own format keeps zones only.
fn without_labels(mut content: Content) -> Content {
    if let Content::Capacity(series) = &mut content {
        series.iter_mut().for_each(|one| one.label.instance.clear());
    }
    content
}

const OWN: [&str; 3] = [
    "# title: x\n# kind: availability\n# sample_s: 195\nstart,duration_s,nodes\n2023-02-15T22:08:16Z,390,1\n2023-02-15T22:14:46Z,195,0\n",
    "# kind: count\n# start: assumed\nzone,start,duration_s,nodes\na,1970-01-01T00:00:00Z,60,3\nb,1970-01-01T00:00:00Z,60.5,\na,1970-01-01T00:01:00Z,60,0\n",
    "# kind: stays\nnode,zone,start,duration_s,ended\nn1,a,2026-01-01T00:00:00Z,60,lost\n\"n,2\",,2026-01-01T00:00:30Z,90,cut_off\n# window: 2026-01-01T00:00:00Z to 2026-01-01T00:02:00Z\n",
];
const SKY_SPOT: [&str; 3] = [
    r#"{"metadata": {"gap_seconds": 195, "start_time": "2023-02-15T22:08:16", "price_info": {"zone": "us-east-1a", "instance_type": "p3.2xlarge"}}, "data": [1, 1, 0, 0, 1], "prices": [0.9, 0.91]}"#,
    r#"{"metadata": {"gap_seconds": 300.5}, "data": [0, 4, 4, null, 16]}"#,
    r#"{"data": [0, 1, 0], "metadata": {"gap_seconds": 600, "gap_filled": {"gap_start_index": 1, "gap_end_index": 2}}}"#,
];
const ROUNDS: &str = r#"{"scheduled_at": "2025-10-03T17:10:00.002281-07:00", "interval_sec": 600, "status": "success", "zone_results": {"us-east4-a": {"instances_created": 16}, "us-east4-b": {"instances_created": 0}}}
{"scheduled_at": "2025-10-03T17:20:00-07:00", "interval_sec": 600, "status": "failed", "zone_results": {"us-east4-b": {"instances_created": 3}}}"#;
const REPLAY: &str = "[0, \"add\", {\"nodes\": [\"node-0\", \"node-1\"], \"duration\": 60000}]\n[60000, \"no-op\", {\"nodes\": [], \"duration\": 60000}]\n[120000, \"remove\", {\"nodes\": [\"node-1\"], \"duration\": 60000, \"throughput_opt_strategy\": [2, 9]}]\n";

#[test]
fn fuzz_own() {
    fuzz("own", &OWN, |bytes| capacity(Format::Own, bytes));
}

#[test]
fn fuzz_sky_spot() {
    fuzz("sky-spot", &SKY_SPOT, |bytes| capacity(Format::SkySpot, bytes));
}

#[test]
fn fuzz_sky_spot_counts() {
    fuzz("sky-spot-counts", &SKY_SPOT, |bytes| capacity(Format::SkySpotCounts, bytes));
}

#[test]
fn fuzz_probe_rounds() {
    fuzz("probe-rounds", &[ROUNDS], |bytes| capacity(Format::ProbeRounds, bytes));
}

#[test]
fn fuzz_availability_csv() {
    let seed = "date,availability\n2023-02-15 22:08:16,0\n2023-02-15 22:11:31,1\n2023-02-15 22:14:46,\n2023-02-15T22:18:02Z,1\n";
    fuzz("availability-csv", &[seed], |bytes| capacity(Format::AvailabilityCsv, bytes));
}

#[test]
fn fuzz_count_table() {
    let seed = "scheduled_at,status,a,b\n2025-10-03T17:10:00-07:00,success,16,1\n2025-10-03T17:15:00-07:00,success,16,\n2025-10-03T17:20:00-07:00,failed,3,0\n2025-10-03T19:20:00-07:00,success,3,0\n";
    fuzz("count-table", &[seed], |bytes| capacity(Format::CountTable, bytes));
}

#[test]
fn fuzz_node_events() {
    let seeds = [
        include_str!("../cases/05-events.csv"),
        include_str!("../cases/07-events-spreadsheet.csv"),
        "time;event;node\n2026-01-01T00:00:00Z;add;a\n2026-01-01T00:10:00Z;remove;a\n",
    ];
    fuzz("node-events", &seeds, |bytes| capacity(Format::NodeEvents, bytes));
}

#[test]
fn fuzz_pool_log() {
    let seed = "2021-12-10, 13:07:45, 80\n2021-12-10, 13:09:45, 70\n2021-12-10, 13:08:45, 60\n";
    fuzz("pool-log", &[seed], |bytes| capacity(Format::PoolLog, bytes));
}

#[test]
fn fuzz_count_series() {
    let seeds = [
        include_str!("../cases/06-counts.csv"),
        "t_ms,count\n0,1\n60000,3\n",
        "0.000,0\n0.030,0\n0.030,9\n0.059,9\n",
    ];
    fuzz("count-series", &seeds, |bytes| capacity(Format::CountSeries, bytes));
}

#[test]
fn fuzz_parcae_replay() {
    fuzz("parcae-replay", &[REPLAY], |bytes| capacity(Format::ParcaeReplay, bytes));
}
