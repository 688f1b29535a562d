//! Whatever is done to a file of prices, its reader gives prices or an error: never a panic, never more than the
//! file holds.

use spotsim::records::{Content, How, prices};
use spotsim::rng::{Source, Stream, Streams};

/// Inputs of one format in a usual run; a million where the environment says SPOTSIM_FUZZ=1000000.
const INPUTS: u64 = 20_000;
const SEED: u64 = 20_261_202;

/// Small files of every format.
const FORMATS: [(&str, &str); 8] = [
    (
        "AWS JSON",
        r#"{"SpotPriceHistory": [{"AvailabilityZone": "us-east-1a", "InstanceType": "g5.xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "0.402100", "Timestamp": "2026-03-02T06:10:00+00:00"},
{"AvailabilityZone": "us-east-1a", "InstanceType": "g5.xlarge", "ProductDescription": "Windows", "SpotPrice": "0.58", "Timestamp": "2026-03-02T06:10:00.000Z"}], "NextToken": ""}"#,
    ),
    (
        "AWS CSV",
        "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\nus-east-1a,g5.xlarge,Linux/UNIX,0.4021,2026-03-02T06:10:00Z\nus-east-1b,g5.xlarge,Linux/UNIX,$0.41,1772431800\n",
    ),
    (
        "AWS text",
        "SPOTPRICEHISTORY\tus-east-1a\tg5.xlarge\tLinux/UNIX\t0.402100\t2026-03-02T06:10:00+00:00\nSPOTPRICEHISTORY\tus-east-1a\tg5.xlarge\tLinux/UNIX\t0.41\t2026-03-02T05:10:00+00:00\n",
    ),
    (
        "Pauley",
        "use1-az1\tp3.2xlarge\tLinux/UNIX\t1.186700\t2023-02-15T22:00:00Z\nuse1-az1\tp3.2xlarge\tLinux/UNIX\t1.2\t2023-02-15T23:30:00Z\n",
    ),
    (
        "SpotLake",
        "Time,InstanceType,Region,AZ,SPS,IF,SpotPrice,OndemandPrice,Savings\r\n2023-02-15T22:00:00Z,p3.2xlarge,us-east-1,use1-az1,3,1.0,1.1867,3.06,61\r\n",
    ),
    (
        "sky_spot",
        r#"{"metadata": {"gap_seconds": 195, "start_time": "2023-02-15T22:08:16", "zone": "us-east-1a", "price_info": {"instance_type": "p3.2xlarge", "price": 0.918}}, "data": [1, 0, 0], "prices": [1.4429, 1.45, 1.45]}"#,
    ),
    (
        "GCP cache",
        r#"{"region": "us-east5", "machine_type": "a3-highgpu-8g", "currency": "USD", "price": 16.72672, "price_unit": "h", "components": [{"label": "cpu", "quantity": 96.0}], "effective_time": "2025-10-22T19:53:14.655269+00:00"}"#,
    ),
    (
        "own",
        "# title: x\n# kind: prices\nzone,instance,product,start,usd_per_h\nus-east-1a,g5.xlarge,Linux/UNIX,2026-03-02T06:10:00Z,0.4021\nus-east-1a,g5.xlarge,Linux/UNIX,2026-03-02T07:10:00Z,0.41\n",
    ),
];

/// Pieces that a file may be made to hold in a wrong place.
const PIECES: [&str; 24] = [
    "\"",
    ",",
    "\t",
    ";",
    "\n",
    "\r\n",
    "#",
    "{",
    "[",
    "}",
    "]",
    "\u{feff}",
    "NaN",
    "-1",
    "1e999",
    "0e2147483647",
    "1e-2147483648",
    "99999999999999999999999999999999",
    "9999-12-31T23:59:59Z",
    "-262143-01-01T00:00:00Z",
    "\0",
    "null",
    "[[[[[[[[[[[[[[[[",
    "\u{202e}é",
];

/// A number below `n`.
fn below(stream: &mut Stream, n: usize) -> usize {
    (stream.bits() % n.max(1) as u64) as usize
}

/// One change: bytes cut, doubled, replaced, or a piece put in.
fn mutate(bytes: &mut Vec<u8>, stream: &mut Stream) {
    let at = below(stream, bytes.len() + 1);
    let end = (at + below(stream, 12)).min(bytes.len());
    match stream.bits() % 5 {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let piece = PIECES[below(stream, PIECES.len())].bytes();
            drop(bytes.splice(at..at, piece));
        }
        2 => {
            let again: Vec<u8> = bytes[at..].to_vec();
            bytes.extend_from_slice(&again);
        }
        3 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = stream.bits() as u8),
        _ => {
            let piece: Vec<u8> = PIECES[below(stream, PIECES.len())].bytes().collect();
            drop(bytes.splice(at..end, piece));
        }
    }
}

/// Reads `inputs` mutations of each format; of how many something was read.
#[expect(clippy::print_stdout, reason = "the count and the seed of a failure are to be seen")]
fn fuzz(inputs: u64) -> u64 {
    let mut read = 0;
    for (format, (name, original)) in (0_u64..).zip(FORMATS) {
        assert!(prices::read(original, &How::default()).is_ok(), "{name}");
        for input in 0..inputs {
            let mut stream = Streams::new(SEED).stream(Source::Path, format, input, 0);
            let mut bytes = original.as_bytes().to_vec();
            for _ in 0..=below(&mut stream, 4) {
                mutate(&mut bytes, &mut stream);
            }
            let how = How { skip_bad: input % 2 == 0, ..How::default() };
            let Ok(recording) = prices::read_from(bytes.as_slice(), &how) else { continue };
            let Content::Prices(found) = recording.content else { panic!("{name}: no prices") };
            read += 1;
            let changes: usize = found.iter().map(|one| one.changes.len()).sum();
            let told: usize = recording.remarks.iter().map(|remark| remark.text.len()).sum();
            assert!(changes <= bytes.len() && told <= 200 * (bytes.len() + 10), "{name}, input {input}");
            for one in &found {
                assert!(one.changes.windows(2).all(|pair| pair[0].0 < pair[1].0), "{name}, input {input}");
                assert!(
                    one.changes.iter().all(|(_, price)| price.as_usd_per_hour() > 0.0),
                    "{name}, {input}"
                );
            }
        }
    }
    println!("prices: {} formats, {inputs} inputs each, seed {SEED}: {read} read", FORMATS.len());
    read
}

/// What is read is not nothing: changes that leave a file whole are among them.
#[test]
fn mutated_files_of_prices_never_panic() {
    let asked = std::env::var("SPOTSIM_FUZZ").ok().and_then(|text| text.parse().ok());
    let inputs = asked.unwrap_or(INPUTS);
    let read = fuzz(inputs);
    assert!(read > inputs / 10, "{read}");
}

/// 1,000,000 inputs of each format: `cargo test --release --test it -- --ignored --nocapture a_million`.
#[test]
#[ignore = "takes minutes"]
fn a_million_mutated_files_of_prices_never_panic() {
    fuzz(1_000_000);
}
