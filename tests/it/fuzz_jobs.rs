//! Whatever is done to a file of notices, jobs, advice, scores or lifetimes, reading it gives a recording or an
//! error, never a panic; and what it gives is written and read back the same.

use spotsim::records::{How, ReadError, Recording, kinds};
use spotsim::rng::{Source, Streams};

/// A small valid file of each format.
const SEEDS: [(&str, &str); 15] = [
    ("sagemaker", include_str!("../cases/11-describe-training-job.json")),
    ("sagemaker", include_str!("../cases/11-describe-never-started.json")),
    ("sacct", include_str!("../cases/13-sacct.txt")),
    ("notices", include_str!("../cases/08-notices.csv")),
    ("lifetimes", "lifetime_s\n3600\n86400\n88950.5\n12.25\n"),
    ("spot-advisor", ADVISOR),
    ("spotlake-advice", SPOTLAKE),
    ("spotlake-scores", SPOTLAKE),
    ("placement-scores", SCORES),
    ("placement-score-table", "Region,AvailabilityZoneId,Score\nus-east-1,use1-az1,9\neu-west-1,,3\n"),
    ("own-notices", "# kind: notices\nnode,notice,terminate\nn1,2026-03-29T00:58:10Z,2026-03-29T01:00:10Z\n"),
    ("own-jobs", OWN_JOBS),
    ("own-lifetimes", "# kind: lifetimes\nlifetime_s,ended\n3600,lost\n86400,cut_off\n40.5,released\n"),
    ("own-advice", OWN_ADVICE),
    (
        "own-scores",
        "# kind: scores\nregion,zone,instance,time,score\nus-east-1,use1-az1,p3.2xlarge,2026-03-29T00:58:10Z,9\n",
    ),
];
const ADVISOR: &str = "{\"ranges\":[{\"index\":0,\"label\":\"<5%\"},{\"index\":1,\"label\":\"5-10%\"},{\"index\":4,\"label\":\">20%\"}],\
     \"spot_advisor\":{\"us-east-1\":{\"Linux\":{\"p3.2xlarge\":{\"s\":80,\"r\":4},\"p5.48xlarge\":{\"s\":40,\"r\":1}}}}}";
const SPOTLAKE: &str = "Time,InstanceType,Region,AZ,SPS,IF,SpotPrice,OndemandPrice,Savings\n\
     2022-01-01 00:00:00,p3.2xlarge,us-east-1,use1-az1,3,1.0,0.918,3.06,70\n\
     2022-01-01 00:10:00,p3.2xlarge,us-east-1,use1-az2,9,2.5,0.918,3.06,70.0\n";
const SCORES: &str = "{\"SpotPlacementScores\":[{\"Region\":\"us-east-1\",\"AvailabilityZoneId\":\"use1-az1\",\"Score\":9},\
     {\"Region\":\"eu-west-1\",\"Score\":3}]}";
const OWN_JOBS: &str = "# kind: jobs\n\
     job,instance,phase,start,duration_s,nodes,ended,outcome,training_time_s,billable_s\n\
     7,ml.g5.2xlarge,waiting,2026-02-10T08:00:00Z,300,4,,completed,7800,2600\n\
     7,ml.g5.2xlarge,training,2026-02-10T08:05:00Z,7800,4,preempted,completed,7800,2600\n";
const OWN_ADVICE: &str = "# kind: advice\nregion,os,instance,time,savings_pct,interrupted_pct_low,interrupted_pct_high\n\
     us-east-1,Linux,p3.2xlarge,,80,20,\nus-east-2,Linux,p5.48xlarge,,40,5,10\n";
/// Pieces that a file may be made to hold in a wrong place.
const PIECES: [&str; 36] = [
    "0",
    "-1",
    "1e999",
    "1e-999999999",
    "0e2147483647",
    "nan",
    "inf",
    "99999999999999999999",
    "18446744073.709551615",
    "9223372036.854775807",
    "4294967296",
    "1774753200",
    "1774753200000",
    "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z",
    "2026-03-29T24:00:00",
    "Unknown",
    "None",
    "\"",
    "'",
    "\\",
    "\\u0000",
    ",",
    ";",
    "|",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "#",
    "{",
    "[",
    "null",
    "\u{feff}",
    "\u{202e}",
    "365000000-00:00:00",
];
const SEED: u64 = 20_261_202;

/// A few changes of a text: bytes, cuts, repeats, pieces put in, fields swapped or replaced.
fn mutated(text: &str, mut draw: impl FnMut(usize) -> usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=draw(4) {
        let at = draw(bytes.len() + 1);
        let length = draw(12).min(bytes.len() - at);
        match draw(7) {
            0 if at < bytes.len() => bytes[at] = draw(256) as u8,
            1 => _ = bytes.drain(at..at + length),
            2 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            3 => _ = bytes.splice(at..at, PIECES[draw(PIECES.len())].bytes()),
            4 => {
                let (start, end) = field(&bytes, at);
                bytes.splice(start..end, PIECES[draw(PIECES.len())].bytes());
            }
            5 => {
                let (a, b) = (field(&bytes, at), field(&bytes, draw(bytes.len() + 1)));
                if a.1 <= b.0 {
                    let (first, second) = (bytes[a.0..a.1].to_vec(), bytes[b.0..b.1].to_vec());
                    bytes.splice(b.0..b.1, first);
                    bytes.splice(a.0..a.1, second);
                }
            }
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The field of a table, or the value of a JSON, around a place.
fn field(bytes: &[u8], at: usize) -> (usize, usize) {
    let parts = |byte: &u8| b",|\n:{}[]".contains(byte);
    let start = bytes[..at].iter().rposition(parts).map_or(0, |place| place + 1);
    let end = bytes[at..].iter().position(parts).map_or(bytes.len(), |place| at + place);
    (start, end)
}

/// Reads `inputs` mutations of each seed; how many of all could still be read.
fn fuzz(inputs: u64) -> (u64, u64) {
    let (mut read, mut all) = (0, 0);
    for (place, (name, seed)) in SEEDS.into_iter().enumerate() {
        let format = kinds::named(name).unwrap();
        let mut stream = Streams::new(SEED).stream(Source::Path, place as u64, 0, 0);
        for number in 0..inputs {
            let text = mutated(seed, |below| (stream.bits() % below as u64) as usize);
            let local = (number % 2 == 0).then(|| "+02:00".parse().unwrap());
            let how = How { local, ..How::default() };
            all += 1;
            match (format.read)(&text, &how) {
                Ok(found) => {
                    read += 1;
                    written_and_read(name, &found);
                }
                Err(ReadError::Lines { faults }) => {
                    assert!(faults.len() <= 51, "{name}: {} faults", faults.len())
                }
                Err(_) => {}
            }
            _ = kinds::found(&text);
        }
    }
    (read, all)
}

fn written_and_read(name: &str, found: &Recording) {
    let Recording { about, content, remarks } = found;
    assert!(remarks.len() <= 110, "{name}: {} remarks", remarks.len());
    let own = kinds::write(about, content).unwrap();
    let reader = kinds::found(&own).unwrap_or_else(|| panic!("{name}: not found:\n{own}"));
    let again = (reader.read)(&own, &How::default()).unwrap_or_else(|error| panic!("{name}: {error}\n{own}"));
    assert!(again.content == *content, "{name}: read back differently:\n{own}");
}

#[test]
fn mutated_files_never_panic() {
    let (read, all) = fuzz(20_000);
    assert!(read > all / 20, "only {read} of {all} are still files: the mutations are too coarse");
}

/// `SPOTSIM_FUZZ=1000000 cargo test --release --test it fuzz_jobs -- --ignored --nocapture`
#[test]
#[expect(clippy::print_stdout, reason = "the count and the seed are what it is run for")]
#[ignore = "takes minutes; the number of inputs a reader comes from SPOTSIM_FUZZ"]
fn a_million_mutated_files_never_panic() {
    let inputs = std::env::var("SPOTSIM_FUZZ").map_or(1_000_000, |inputs| inputs.parse().unwrap());
    let (read, all) = fuzz(inputs);
    println!("{all} inputs of {} seeds with seed {SEED}: no panic, {read} read and read back", SEEDS.len());
}
