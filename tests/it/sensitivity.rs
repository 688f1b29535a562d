//! Statistics and sensitivity indices against right answers.

use spotsim::experiment::verify::{SuiteResult, verify};

/// Every built-in row of a suite passes, and none is left out.
fn check(suite: &str, rows: usize) {
    let results = verify(Some(suite), None, &|_, _| None).unwrap();
    assert_eq!(results.iter().map(|result| result.rows).collect::<Vec<_>>(), [rows], "{results:?}");
    assert!(results.iter().all(|result| result.pass() && result.skipped.is_empty()), "{results:?}");
}

#[test]
fn monte_carlo_rows_are_right() {
    check("montecarlo", 80);
}

#[test]
fn sobol_rows_are_right() {
    check("sobol", 194 + 128 + 9);
}

#[test]
fn morris_rows_are_right() {
    check("morris", 68 + 84);
}

/// Each of the five kinds of file is known by its header; what cannot be compared is skipped with the reason.
#[test]
fn a_file_is_known_by_its_header() {
    let skipped = |text: &str| -> Vec<String> {
        let results: Vec<SuiteResult> = verify(None, Some(text), &|_, _| None).unwrap();
        results.into_iter().flat_map(|result| result.skipped).map(|(reason, _)| reason).collect()
    };
    let mc = "id,kind,inputs,expected\na,wilson,\"{\"\"k\"\":3,\"\"n\"\":2}\",{}\nb,odds,{},{}\n";
    assert_eq!(skipped(mc), ["kind odds: not known", "more successes than trials"]);
    let sobol = "id,model,source,base_N,scramble,sample_seed,analyze_seed,index,parameter,value,conf95\n\
                 a,ishigami,exact,,,,,S1,x4,0,\nb,borehole,exact,,,,,S1,x1,0,\n";
    assert_eq!(skipped(sobol), ["model borehole: not known", "parameter x4: not known"]);
    let morris = "id,model,trajectories,levels,seed,parameter,mu,mu_star,sigma,mu_star_conf95\n\
                  a,product2,4,6,1,x1,1,1,1,1\nb,product2,20,5,1,x1,1,1,1,1\n";
    assert_eq!(
        skipped(morris),
        [
            "5 levels: an even number from 2",
            "its few trajectories hang on another program's random numbers and are not written out"
        ]
    );
    assert_eq!(skipped("run,x1,x2,y\n0,1,2,3\n").len(), 3);
    assert_eq!(skipped("model,row,x1,y\nborehole,0,1,2\n"), ["model borehole: not known"]);
}
