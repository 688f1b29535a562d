//! Each format, and the rules that hold for all.

use super::super::{About, Prices};
use super::*;
use crate::units::{Price, Timestamp, UtcOffset};

fn prices(text: &str) -> (Vec<Prices>, Vec<String>) {
    prices_with(text, &How::default())
}

fn prices_with(text: &str, how: &How) -> (Vec<Prices>, Vec<String>) {
    let recording = read(text, how).unwrap();
    let Content::Prices(prices) = recording.content else { panic!("no prices") };
    (prices, recording.remarks.into_iter().map(|remark| remark.text).collect())
}

fn faults(text: &str) -> Vec<(u64, String)> {
    match read(text, &How::default()) {
        Err(ReadError::Lines { faults }) => faults,
        other => panic!("{other:?}"),
    }
}

fn usd(text: &str) -> Price {
    format!("{text} USD/h").parse().unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// One series with these changes, in the zone and of the type of every example below.
fn check(text: &str, product: &str, right: &[(&str, &str)]) {
    let (found, _) = prices(text);
    assert_eq!(found.len(), 1, "{text}");
    let label = &found[0].label;
    assert_eq!((label.zone.as_str(), label.instance.as_str()), ("use1-az1", "p3.2xlarge"), "{text}");
    assert_eq!(label.product, product);
    let right: Vec<_> = right.iter().map(|(time, price)| (at(time), usd(price))).collect();
    assert_eq!(found[0].changes, right, "{text}");
}

const TWO: [(&str, &str); 2] = [("2023-02-15T22:00:00Z", "1.1867"), ("2023-02-15T23:30:00Z", "1.2")];

#[test]
fn tables_are_read_by_the_names_of_their_columns() {
    let linux = "Linux/UNIX";
    check(
        "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\r\n\
         use1-az1,p3.2xlarge,Linux/UNIX,1.200000,2023-02-15T23:30:00+00:00\r\n\
         use1-az1,p3.2xlarge,Linux/UNIX,1.186700,2023-02-15T22:00:00+00:00\r\n",
        linux,
        &TWO,
    );
    check(
        "\u{feff}price;time;zone id;type;product\n\
         1.1867;2023-02-15T22:00:00Z;use1-az1;p3.2xlarge;Linux/UNIX\n\
         1.2;2023-02-15 23:30:00Z;use1-az1;p3.2xlarge;Linux/UNIX\n",
        linux,
        &TWO,
    );
    // SpotLake: a row when any field changes, the region beside the zone.
    check(
        "Time,InstanceType,Region,AZ,SPS,IF,SpotPrice,OndemandPrice,Savings\n\
         2023-02-15T22:00:00Z,p3.2xlarge,us-east-1,use1-az1,3,1.0,1.1867,3.06,61\n\
         2023-02-15T23:30:00Z,p3.2xlarge,us-east-1,use1-az1,2,1.0,1.2,3.06,61\n",
        "",
        &TWO,
    );
}

#[test]
fn tables_without_names_are_the_archive_and_the_text_of_aws() {
    check(
        "use1-az1\tp3.2xlarge\tLinux/UNIX\t1.186700\t2023-02-15T22:00:00Z\n\
         use1-az1\tp3.2xlarge\tLinux/UNIX\t1.2\t2023-02-15T23:30:00Z\n",
        "Linux/UNIX",
        &TWO,
    );
    check(
        "SPOTPRICEHISTORY\tuse1-az1\tp3.2xlarge\tLinux/UNIX\t1.2\t2023-02-15T23:30:00+00:00\n\
         SPOTPRICEHISTORY\tuse1-az1\tp3.2xlarge\tLinux/UNIX\t1.1867\t2023-02-15T22:00:00+00:00\n",
        "Linux/UNIX",
        &TWO,
    );
}

#[test]
fn pages_of_aws_may_be_lists_joined_by_hand_or_bare_records() {
    let record = |price: &str, time: &str| {
        format!(
            r#"{{"AvailabilityZone": "use1-az1", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "{price}", "Timestamp": "{time}"}}"#
        )
    };
    let (one, two) =
        (record("1.2", "2023-02-15T23:30:00.000Z"), record("1.1867", "2023-02-15T22:00:00.000Z"));
    for text in [
        format!("{{\"SpotPriceHistory\": [{one}, {two}], \"NextToken\": \"\"}}"),
        format!("{{\"SpotPriceHistory\": [{one}]}}\n{{\"SpotPriceHistory\": [{two}]}}"),
        format!("[{{\"SpotPriceHistory\": [{one}]}}, {{\"SpotPriceHistory\": [{two}]}}]"),
        format!("[{one}, {two}]"),
        format!("{one}\n{two}\n"),
    ] {
        check(&text, "Linux/UNIX", &TWO);
    }
}

/// Ticks of 195 s from 22:08:16: the third begins at 22:14:46.
#[test]
fn a_series_of_sky_spot_keeps_only_changes() {
    let series = |start: &str| {
        format!(
            r#"{{"metadata": {{"gap_seconds": 195, "start_time": "{start}", "price_info": {{"zone": "use1-az1", "instance_type": "p3.2xlarge", "price": 0.918}}}}, "data": [1, 0, 0, 0], "prices": [1.4429, 1.4429, 1.45, 1.45]}}"#
        )
    };
    let right = [("2023-02-15T22:08:16Z", "1.4429"), ("2023-02-15T22:14:46Z", "1.45")];
    check(&series("2023-02-15T22:08:16"), "", &right);
    let (_, told) = prices(&series("2023-02-15T22:08:16"));
    assert!(told.iter().any(|told| told.contains("read as UTC")), "{told:?}");
    check(&series("2023-02-15T23:08:16+01:00"), "", &right);
}

#[test]
fn a_sample_without_a_price_is_named() {
    let text = r#"{"metadata": {"gap_seconds": 60, "start_time": "2023-02-15T22:00:00Z"}, "prices": [1, null, 2, "NaN"]}"#;
    let found: Vec<String> = faults(text).into_iter().map(|(_, why)| why).collect();
    assert_eq!(found[0], "sample 1 (2023-02-15T22:01:00Z): the price is empty");
    assert_eq!(found[1], "sample 3 (2023-02-15T22:03:00Z): the price is NaN");
}

#[test]
fn a_series_of_sky_spot_without_prices_has_the_one_of_its_head() {
    let text = r#"{"metadata": {"gap_seconds": 600, "start_time": "2025-10-04T00:10:00+00:00", "zone": "us-east4-b", "price_info": {"machine_type": "a3-highgpu-8g", "price": 14.85344}}, "data": [0]}"#;
    let (found, told) = prices(text);
    assert_eq!(found[0].changes, [(at("2025-10-04T00:10:00Z"), usd("14.85344"))]);
    assert!(told.iter().any(|told| told.contains("whole a3-highgpu-8g")), "{told:?}");
    let none = text.replace("\"price\": 14.85344", "\"x\": 1");
    assert!(faults(&none)[0].1.contains("neither `prices` nor `price_info`"));
}

#[test]
fn a_cached_price_of_gcp_holds_for_its_region() {
    let text = r#"{"region": "us-east5", "machine_type": "a3-highgpu-8g", "currency": "USD", "price": 16.72672, "price_unit": "h", "fetched_at": "2025-10-23T00:51:47+00:00", "components": [{"label": "cpu", "unit_price": 0.00517}], "effective_time": "2025-10-22T19:53:14+00:00"}"#;
    let (found, _) = prices(text);
    assert_eq!(
        (found[0].label.zone.as_str(), found[0].label.instance.as_str()),
        ("us-east5", "a3-highgpu-8g")
    );
    assert_eq!(found[0].changes, [(at("2025-10-22T19:53:14Z"), usd("16.72672"))]);
    assert!(faults(&text.replace("USD", "EUR"))[0].1.contains("USD an hour"));
}

#[test]
fn our_own_format_is_read_back_as_it_was_written() {
    let text = "time,zone,type,product,price\n\
                2026-06-01T00:00:00Z,\"a,b\",g5.xlarge,Linux/UNIX,0.4021\n\
                2026-06-01T01:00:00.5Z,#c,g5.xlarge,,1\n";
    let (found, _) = prices(text);
    let about = About {
        title: Some("two\nlines".into()),
        source: Some("by hand".into()),
        licence: None,
        notes: vec!["a note".into()],
        ..About::default()
    };
    let mut bytes = Vec::new();
    write(&about, &found, &mut bytes).unwrap();
    let written = String::from_utf8(bytes).unwrap();
    assert!(written.contains("# kind: prices\n"), "{written}");
    assert!(written.contains("\nzone,instance,product,start,usd_per_h\n"), "{written}");
    let again = read(&written, &How::default()).unwrap();
    assert_eq!(again.content, Content::Prices(found));
    assert_eq!((again.about.title.as_deref(), again.about.notes), (Some("two lines"), vec!["a note".into()]));
    let wrong = written.replace("usd_per_h", "usd");
    assert!(matches!(read(&wrong, &How::default()), Err(ReadError::Syntax(_))));
}

#[test]
fn repeats_are_dropped_and_counted() {
    let row = "2026-06-01T00:00:00Z,a,t,1\n";
    let (found, told) = prices(&format!("time,zone,type,price\n{row}{row}2026-06-01T01:00:00Z,a,t,1\n{row}"));
    assert_eq!(found[0].changes.len(), 2);
    assert!(told.contains(&"4 records read, 2 kept, 2 repeats dropped".to_owned()), "{told:?}");
}

#[test]
fn two_prices_at_one_instant_are_named_whatever_their_order() {
    for rows in [["1.154", "0.998"], ["0.998", "1.154"]] {
        let row = |price: &str| format!("2026-05-10T14:00:00Z,a,t,{price}\n");
        let found = faults(&format!("time,zone,type,price\n{}{}", row(rows[0]), row(rows[1])));
        assert_eq!(found.len(), 1);
        let right = "two prices of t in a at 2026-05-10T14:00:00Z: 0.998 USD/h and 1.154 USD/h";
        assert!(found[0].0 == 3 && found[0].1.starts_with(right), "{found:?}");
    }
    // Another product is another series.
    let (found, _) =
        prices("time,zone,product,price\n2026-05-10T14:00:00Z,a,Linux,1\n2026-05-10T14:00:00Z,a,Windows,2\n");
    assert_eq!(found.len(), 2);
}

#[test]
fn a_time_without_a_zone_needs_one() {
    let text = "time,price\n2026-05-10 14:00:00,1\n";
    assert!(faults(text)[0].1.contains("has no zone"));
    let how = How { local: Some("+02:00".parse::<UtcOffset>().unwrap()), ..How::default() };
    assert_eq!(prices_with(text, &how).0[0].changes[0].0, at("2026-05-10T12:00:00Z"));
}

#[test]
fn lines_count_the_comments_and_the_header() {
    let text = "# title: x\n# y\n\ntime,price\n2026-05-10T14:00:00Z,1\n2026-05-10T15:00:00Z,x\n1,2,3\n";
    let found = faults(text);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 7]);
    let json = "{\"SpotPriceHistory\": [\n{\"SpotPrice\": \"1\",\n\"Timestamp\": \"x\"},\n{\"SpotPrice\": \"0\", \"Timestamp\": \"2026-05-10T15:00:00Z\"}]}";
    assert_eq!(faults(json).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn what_holds_no_prices_is_refused() {
    let missing = |text: &str| read(text, &How::default()).unwrap_err().to_string();
    for text in
        ["", " \n", "\u{feff}", "# kind: prices\n", "time,price\n", "{\"SpotPriceHistory\": []}", "[]"]
    {
        assert!(missing(text).contains("holds no prices"), "{text:?}: {}", missing(text));
    }
    assert!(missing("time,cost\n1,2\n").contains("a column with a price"));
    assert!(missing("a,b\n1,2\n").contains("found a, b"));
    assert!(missing("{\"a\": 1}").contains("an object without SpotPriceHistory"));
    assert!(missing("{\"SpotPriceHistory\": [{\"SpotPrice\": NaN}]}").contains("line 1: no JSON"));
}

#[test]
fn a_file_of_prices_shows_itself() {
    for head in [
        "{\n    \"SpotPriceHistory\": [",
        "time,zone,instance_type,price\n",
        "# title: x\n# kind: prices\n",
        "use1-az1\tp3.2xlarge\tLinux/UNIX\t1.186700\t2023-02-15T22:00:00Z\n",
    ] {
        assert!(is_prices(head), "{head}");
    }
    for head in
        ["start,duration_s,nodes\n", "{\"metadata\": {\"gap_seconds\": 1}, \"data\": []", "ms,count\n"]
    {
        assert!(!is_prices(head), "{head}");
    }
}

/// 150 faults: 100 told, and how many more.
#[test]
fn many_faults_are_counted() {
    let rows: String = (0..150).map(|_| "2026-05-10T14:00:00Z,NaN\n").collect();
    let found = faults(&format!("time,price\n{rows}"));
    assert_eq!(found.len(), 100);
    assert!(found[99].1.ends_with("50 more lines have faults"), "{:?}", found[99]);
    let how = How { skip_bad: true, ..How::default() };
    let (_, told) = prices_with(&format!("time,price\n2026-05-10T13:00:00Z,1\n{rows}"), &how);
    assert!(told.iter().any(|told| told == "50 more records were left out"), "{told:?}");
}
