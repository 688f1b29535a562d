//! Recorded capacity as users have it: what each reader makes of it, and what goes into a scenario. The project's
//! cases of 2026-12-01 have their number in the test's name; `src/records` says the rules.

use crate::run::root;
use spotsim::records::{
    self, Capacity, Content, How, OneMeans, ReadError, Recording, StayEnd, Stays, TimeUnit,
};
use spotsim::units::{Span, UtcOffset};

fn case(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/cases").join(name)).unwrap()
}

fn read(text: &str, how: How) -> Recording {
    records::read(text.as_bytes(), &how).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn error(text: &str, how: How) -> String {
    records::read(text.as_bytes(), &how).unwrap_err().to_string()
}

fn capacity(recording: &Recording) -> &[Capacity] {
    let Content::Capacity(series) = &recording.content else { panic!("{recording:?}") };
    series
}

fn stays(recording: &Recording) -> &Stays {
    let Content::Stays(stays) = &recording.content else { panic!("{recording:?}") };
    stays
}

/// Seconds and levels of the first series.
fn levels(recording: &Recording) -> Vec<(f64, Option<u32>)> {
    capacity(recording)[0].stretches.iter().map(|stretch| (stretch.span.as_secs(), stretch.nodes)).collect()
}

fn said(recording: &Recording, words: &str) -> bool {
    recording.remarks.iter().any(|remark| remark.text.contains(words))
}

const AVAILABLE: How = How {
    format: None,
    one_means: Some(OneMeans::Available),
    local: None,
    time_unit: None,
    until: None,
    skip_bad: false,
    cap: None,
};
const PREEMPTED: How = How { one_means: Some(OneMeans::Preempted), ..AVAILABLE };
const PLAIN: How = How { one_means: None, ..AVAILABLE };
const MS: How = How { time_unit: Some(TimeUnit::Milliseconds), ..PLAIN };

#[test]
fn case_04_both_polarities_are_one_recording() {
    let (a, b) =
        (read(&case("available-is-1.json"), AVAILABLE), read(&case("preempted-is-1.json"), PREEMPTED));
    assert_eq!(levels(&a), levels(&b));
    let up: Vec<f64> = levels(&a).iter().filter(|(_, n)| *n == Some(1)).map(|(s, _)| *s).collect();
    assert_eq!(up, [7_200.0, 12_000.0, 9_000.0, 2_400.0]);
    assert_eq!(capacity(&a)[0].length(), Span::from_s(36_000));
    assert!(a.about.start_assumed && !b.about.start_assumed);
    assert_eq!(capacity(&b)[0].start.to_string(), "2026-02-03T00:00:00Z");
    assert_eq!(capacity(&b)[0].label.zone, "us-west-2b");
}

#[test]
fn rule_1_polarity_is_never_guessed_in_silence() {
    let text = case("available-is-1.json");
    assert_eq!(records::read(text.as_bytes(), &PLAIN), Err(ReadError::MeaningMissing));
    let named = read("date,availability\n2023-02-15T22:08:16Z,1\n2023-02-15T22:11:31Z,0\n", PLAIN);
    assert_eq!(levels(&named), [(195.0, Some(1)), (195.0, Some(0))]);
    assert!(said(&named, "1 is taken as available"));
    let counts = read(r#"{"metadata": {"gap_seconds": 300}, "data": [0, 1, 4]}"#, PLAIN);
    assert!(said(&counts, "taken as counts of nodes, as the largest value is 4"));
    assert_eq!(levels(&counts), [(300.0, Some(0)), (300.0, Some(1)), (300.0, Some(4))]);
    assert!(
        error(r#"{"metadata": {"gap_seconds": 300}, "data": [0, 4]}"#, AVAILABLE).contains("counts above 1")
    );
}

#[test]
fn rule_2_the_gap_is_the_one_that_is_given() {
    let series = |gap: &str| format!(r#"{{"metadata": {{"gap_seconds": {gap}}}, "data": [1, 0, null]}}"#);
    for (gap, seconds) in [("195", 195.0), ("600", 600.0), ("0.5", 0.5), ("1e2", 100.0)] {
        let recording = read(&series(gap), AVAILABLE);
        assert_eq!(levels(&recording), [(seconds, Some(1)), (seconds, Some(0)), (seconds, None)]);
        assert_eq!(recording.about.sample.map(Span::as_secs), Some(seconds));
    }
    for gap in ["0", "-1", "null", "\"600\""] {
        assert!(error(&series(gap), AVAILABLE).contains("`gap_seconds` that is not above 0"), "{gap}");
    }
    assert!(error(r#"{"data": [1]}"#, AVAILABLE).contains("no `metadata`"));
}

#[test]
fn metadata_may_stand_behind_the_data() {
    let behind = r#"{"data": [1, 1, 0], "prices": [1, 2, 3], "metadata": {"gap_seconds": 10}}"#;
    assert_eq!(levels(&read(behind, AVAILABLE)), [(20.0, Some(1)), (10.0, Some(0))]);
}

/// The log of two pools that were joined steps back in time.
#[test]
fn rule_3_times_out_of_order_are_sorted_or_refused() {
    let log = "2021-12-10, 13:07:45, 80\n2021-12-10, 13:09:45, 70\n2021-12-10, 13:08:45, 60\n";
    let recording = read(log, PLAIN);
    assert_eq!(levels(&recording), [(60.0, Some(80)), (60.0, Some(60))]);
    let back: Vec<_> = recording.remarks.iter().filter(|r| r.text.contains("steps back 1 times")).collect();
    assert_eq!((back.len(), back[0].line, back[0].warning), (1, Some(3), true));
    for (text, line) in [
        ("5,add,a\n3,add,b\n", 2),
        ("t_ms,count\n5,1\n3,2\n9,2\n", 3),
        ("date,availability\n2023-02-15T22:08:16Z,1\n2023-02-15T22:05:16Z,1\n", 3),
        ("scheduled_at,status,a\n2023-02-15T22:08:16Z,success,1\n2023-02-15T22:05:16Z,success,1\n", 3),
    ] {
        let told = error(text, PLAIN);
        assert!(told.contains(&format!("line {line}: is earlier than")), "{told}");
    }
}

#[test]
fn rule_4_of_rows_of_one_instant_the_last_counts() {
    let recording = read("0,1\n0,2\n0,3\n1000,3\n1000,2\n3000,2\n", MS);
    assert_eq!(levels(&recording), [(1.0, Some(3)), (2.0, Some(2))]);
    assert!(said(&recording, "3 rows repeat the time of the one before"));
    let again = "date,availability\n2023-02-15T22:08:00Z,1\n2023-02-15T22:08:00Z,0\n2023-02-15T22:09:00Z,1\n";
    assert_eq!(levels(&read(again, PLAIN)), [(60.0, Some(0)), (60.0, Some(1))]);
    // There and back within one instant is no change.
    assert_eq!(levels(&read("0,3\n1000,2\n1000,3\n2000,3\n", MS)), [(2.0, Some(3))]);
}

#[test]
fn rule_5_ends_are_cut_off() {
    let recording =
        read("0,add,a\n1000,add,b\n2000,remove,a\n", How { until: Some(Span::from_s(5)), ..PLAIN });
    let ends: Vec<_> =
        stays(&recording).stays.iter().map(|s| (s.node.as_str(), s.span.as_secs(), s.ended)).collect();
    assert_eq!(ends, [("a", 2.0, StayEnd::Lost), ("b", 4.0, StayEnd::CutOff)]);
    let recording = read("0,add,a\n1000,add,b\n2000,remove,a\n", PLAIN);
    assert_eq!(stays(&recording).end.unix_ns(), 2_000_000_000);
    assert!(said(&recording, "taken to end with the last row, 2 s long"));
}

/// What a look sees holds to the next, one look after the last, and no further than one usual step where looks
/// were missed.
#[test]
fn rule_6_samples_hold_for_a_step_and_what_was_not_looked_at_is_not_known() {
    let mut text = "date,availability\n".to_owned();
    for minute in [0, 1, 2, 3, 10, 11] {
        text += &format!("2023-02-15T22:{minute:02}:00Z,1\n");
    }
    let recording = read(&text, PLAIN);
    assert_eq!(levels(&recording), [(240.0, Some(1)), (360.0, None), (120.0, Some(1))]);
    assert!(said(&recording, "looks were missed 1 times"));
    assert_eq!(recording.about.sample, Some(Span::from_s(60)));
    let table = "scheduled_at,status,b,a\n\
                 2025-10-03T17:10:00-07:00,success,16,\n\
                 2025-10-03T17:20:00-07:00,failed,9,9\n\
                 2025-10-03T17:30:00-07:00,success,16,3\n";
    let recording = read(table, PLAIN);
    let zones: Vec<_> = capacity(&recording).iter().map(|one| one.label.zone.as_str()).collect();
    assert_eq!(zones, ["b", "a"]);
    assert_eq!(levels(&recording), [(600.0, Some(16)), (600.0, None), (600.0, Some(16))]);
    assert_eq!(capacity(&recording)[1].stretches.len(), 2);
    assert_eq!(capacity(&recording)[0].start.to_string(), "2025-10-04T00:10:00Z");
}

#[test]
fn rounds_of_probes_become_series_of_their_zones() {
    let round = |time: &str, a: u32, b: &str| {
        format!(
            r#"{{"scheduled_at": "2025-10-03T{time}-07:00", "interval_sec": 600, "status": "success",
                "zone_results": {{"a": {{"instances_created": {a}}}{b}}}}}"#
        )
    };
    let new = r#", "b": {"instances_created": 2}"#;
    let text =
        [round("17:10:00", 16, ""), round("17:20:00.002", 4, new), round("17:50:00", 4, "")].join("\n");
    let recording = read(&text, PLAIN);
    assert_eq!(
        levels(&recording),
        [(600.002, Some(16)), (600.0, Some(4)), (1199.998, None), (600.0, Some(4))]
    );
    assert_eq!(capacity(&recording)[1].label.zone, "b");
    assert!(said(&recording, "not of nodes that were held"));
}

/// By hand, as in the case: sizes 4, 3, 4, 2, 3, 4 until 18000 s.
#[test]
fn case_05_and_07_events_are_the_same_however_they_were_saved() {
    let how = How { until: Some(Span::from_s(18_000)), ..PLAIN };
    let plain = read(&case("05-events.csv"), how);
    assert_eq!(plain.content, read(&case("07-events-spreadsheet.csv"), how).content);
    let stays = stays(&plain);
    let node_hours: f64 = stays.stays.iter().map(|stay| stay.span.as_hours()).sum();
    assert!((node_hours - 19.1667).abs() < 1e-4, "{node_hours}");
    assert_eq!(stays.stays.iter().filter(|stay| stay.ended == StayEnd::Lost).count(), 4);
    let sizes: Vec<_> = stays
        .sizes(|_| true)
        .iter()
        .map(|held| (held.stretch.span.as_secs(), held.stretch.nodes.unwrap()))
        .collect();
    assert_eq!(
        sizes,
        [(3600.0, 4), (600.0, 3), (4800.0, 4), (3600.0, 4), (600.0, 2), (1200.0, 3), (3600.0, 4)]
    );
}

#[test]
fn case_05_a_node_that_comes_twice_or_goes_unseen_is_named_with_its_line() {
    let told = error("0,add,a\n1000,add,a\n2000,remove,b\n3000,ad,c\nx,add,d\n4000,add\n", PLAIN);
    for words in [
        "line 2: node `a` is added but it is there since 0 s",
        "line 3: node `b` is removed but it is not there",
        "line 4: `add` or `remove` wanted, found `ad`",
        "line 5: the time must be a number from 0, found `x`",
        "line 6: has 2 cells, 3 are needed",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// A name may come again after it went, and two nodes may change places within a millisecond.
#[test]
fn a_node_may_come_again() {
    let recording = read("0,add,a\n1000,remove,a\n1000,add,a\n3000,remove,a\n", PLAIN);
    let spans: Vec<f64> = stays(&recording).stays.iter().map(|stay| stay.span.as_secs()).collect();
    assert_eq!(spans, [1.0, 2.0]);
}

#[test]
fn case_06_counts_come_to_the_sizes_of_the_case() {
    let text = case("06-counts.csv");
    assert_eq!(records::read(text.as_bytes(), &PLAIN), Err(ReadError::UnitMissing));
    let sizes: Vec<_> = levels(&read(&text, MS)).into_iter().map(|(s, n)| (s, n.unwrap())).collect();
    assert_eq!(sizes, [(1800.0, 6), (3600.0, 4), (3600.0, 6), (1800.0, 2), (3600.0, 6)]);
}

/// The step plots of one project: the old value and the new at each change, once in hours, once in seconds.
#[test]
fn the_unit_of_a_step_plot_must_be_given() {
    let how = |unit| How { time_unit: Some(unit), ..PLAIN };
    let hours = read("0.000,0\n0.030,0\n0.030,9\n0.059,9\n0.059,2\n0.1,2\n", how(TimeUnit::Hours));
    assert_eq!(levels(&hours), [(108.0, Some(0)), (104.4, Some(9)), (147.6, Some(2))]);
    let seconds = read("0,0\n21529,0\n21529,4\n21556,4\n", how(TimeUnit::Seconds));
    assert_eq!(levels(&seconds), [(21_529.0, Some(0)), (27.0, Some(4))]);
    assert_eq!(records::read(b"0.5,1\n1,2\n", &PLAIN), Err(ReadError::UnitMissing));
    assert_eq!(levels(&read("time_h,nodes\n0,1\n0.5,1\n", PLAIN)), [(1800.0, Some(1))]);
}

#[test]
fn a_replay_of_parcae_ends_after_its_last_step() {
    let text = "[0, \"add\", {\"nodes\": [\"n0\", \"n1\"], \"duration\": 60000, \"throughput_opt_strategy\": [2, 9]}]\n\
                [60000, \"no-op\", {\"nodes\": [], \"duration\": 60000}]\n\
                [120000, \"remove\", {\"nodes\": [\"n1\"], \"duration\": 60000}]\n";
    let recording = read(text, PLAIN);
    let stays = stays(&recording);
    assert_eq!(stays.end.unix_ns(), 180_000_000_000);
    let spans: Vec<_> = stays.stays.iter().map(|stay| (stay.span.as_secs(), stay.ended)).collect();
    assert_eq!(spans, [(180.0, StayEnd::CutOff), (120.0, StayEnd::Lost)]);
}

#[test]
fn times_without_a_zone_are_utc_and_said_unless_given() {
    let text = "date,availability\n2023-02-15 22:08:16,0\n2023-02-15 22:11:31,1\n";
    let recording = read(text, PLAIN);
    assert_eq!(capacity(&recording)[0].start.to_string(), "2023-02-15T22:08:16Z");
    assert!(said(&recording, "taken as UTC"));
    let given = read(text, How { local: "-08:00".parse::<UtcOffset>().ok(), ..PLAIN });
    assert_eq!(capacity(&given)[0].start.to_string(), "2023-02-16T06:08:16Z");
    assert!(!said(&given, "taken as UTC"));
}

#[test]
fn a_gap_that_the_recorder_filled_is_doubted() {
    let text = r#"{"metadata": {"gap_seconds": 600, "gap_filled": {"gap_start_index": 1, "gap_end_index": 2}}, "data": [0, 0, 0, 1]}"#;
    let recording = read(text, PREEMPTED);
    assert_eq!(levels(&recording), [(1800.0, Some(1)), (600.0, Some(0))]);
    assert!(recording.remarks.iter().any(|remark| remark.warning && remark.text.contains("samples 1 to 2")));
    assert_eq!(recording.about.notes.len(), 1);
}
