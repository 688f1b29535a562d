use super::*;
use crate::experiment::Seen;
use crate::experiment::diff::Pairs;

/// Of one replication.
type DollarsAndHours = (i64, i64);

fn compared(pairs: &[(DollarsAndHours, DollarsAndHours)]) -> Compared {
    let seen = |(dollars, hours): (i64, i64)| Seen {
        cost_nusd: dollars * 1_000_000_000,
        elapsed_ns: hours * 3_600_000_000_000,
        finished: hours < 100,
    };
    let mut all = Pairs::default();
    pairs.iter().for_each(|&(a, b)| all.push(seen(a), seen(b)));
    let basis = Basis::Paired { replications: all.count() };
    Compared { a: "c".into(), b: "c".into(), basis, comparison: all.compare() }
}

fn check(pairs: &[(DollarsAndHours, DollarsAndHours)], right: &str) {
    assert_eq!(verdict(&compared(pairs), false), right);
}

/// 100 and 40 dollars, 5 and 7 hours, with half a dollar either way: 60 of 100 saved.
#[test]
fn the_sentence_says_what_b_saves_and_costs() {
    check(
        &[((100, 5), (40, 7)), ((101, 5), (41, 7)), ((99, 5), (39, 7))],
        "B saves $60.00 [60.00, 60.00] per finished run (60.0 %); cheaper in > 43.8 % of replications; 2.00 h slower.",
    );
    check(
        &[((100, 5), (100, 5)), ((90, 5), (90, 5))],
        "B costs the same per finished run; cheaper in < 65.8 % of replications; as fast.",
    );
    check(
        &[((100, 5), (40, 100)), ((100, 5), (40, 100))],
        "B never finishes; cheaper in < 65.8 % of replications.",
    );
}

fn of_one_scenario<'a>(folders: &'a [String; 2], compared: &'a [Compared]) -> DiffView<'a> {
    DiffView { folders, scenarios: ["s", "s"], seeds: [0, 0], compared, colour: false }
}

#[test]
fn the_text_fits_on_a_terminal() {
    let one = compared(&[((100, 5), (40, 7)), ((101, 5), (45, 8)), ((99, 5), (39, 7))]);
    let folders = ["x".repeat(150), "y".to_owned()];
    let other = Compared { b: "another".into(), ..one.clone() };
    let compared = [one, other];
    let view = of_one_scenario(&folders, &compared);
    let text = table(&view);
    assert!(text.lines().all(|line| text::width(line) <= text::WIDTH), "{text}");
    assert_eq!(csv(&view).iter().filter(|&&byte| byte == b'\n').count(), 3);
    assert_eq!(json(&view)["compared"][1]["b"], "another");
}

/// Wilson's interval of 3 of 3 begins at 3/(3 + 1.96²) = 0.438; what holds of both tables stands once.
#[test]
fn all_finished_is_a_bound_and_the_basis_is_said_once() {
    let one = compared(&[((100, 5), (40, 7)), ((101, 5), (45, 8)), ((99, 5), (39, 7))]);
    let folders = ["x".to_owned(), "y".to_owned()];
    let compared = [one.clone(), Compared { b: "another".into(), ..one }];
    let view = of_one_scenario(&folders, &compared);
    let text = table(&view);
    let finished = text.lines().find(|line| line.starts_with("finished, %")).unwrap();
    assert_eq!(finished.matches("> 43.8").count(), 2, "{text}");
    assert_eq!(text.matches("compared one by one").count(), 1, "{text}");
}
