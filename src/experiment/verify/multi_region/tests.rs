use super::*;

/// Each row of the artifact was made by its own engine. Optima over more than seven zones take long, and are left to
/// `spotsim verify policies`.
#[test]
fn jobs_in_several_regions_cost_what_they_cost_elsewhere() {
    let takes_long = |row: &Row| row.who == Who::Moving(Strategy::Optimum) && row.zones.len() > 7;
    let given = given::read(None).unwrap().into_iter().filter(|row| !takes_long(row)).collect();
    let entries = compared(given, &|_, _| None);
    for entry in &entries {
        assert!(entry.pass(), "{entry:#?}");
    }
    assert_eq!(entries.iter().map(|entry| entry.rows).collect::<Vec<_>>(), [1_138, 37]);
}

const HEADER: &str = "scenario_name,regions_in_scenario,num_regions,strategy,trace_index,task_type,trace_mode,region,\
                      strategy_file,task_duration,checkpoint_size,restart_overhead,deadline_ratio,deadline_hours,\
                      env_start_hours,use_full_trace,enforce_window_bound,data_paths,window_index,cost,migrations";

/// Two rows as the artifact writes them (region_selection.csv), a mean that it makes of the one, and a row of another's
/// strategy.
#[test]
fn the_columns_of_the_artifact_are_read() {
    let row = |strategy: &str, kind: &str, cost: &str| {
        format!(
            "Europe,\"['europe-west1-c_h100_16', 'europe-west3-c_h100_16']\",2,{strategy},0,{kind},,43.19444444444445,50.0,\
             0.2,1.2,51.833333333333336,0.0,True,True,['data/converted_multi_region_aligned_h100_16_merged'],0,{cost},0"
        )
    };
    let text = [
        HEADER.to_owned(),
        row("rc_cr_threshold", "single_region,,europe-west3-c_h100_16", "3778.998903167997"),
        row("multi_region_oracle_dp", "multi_region,,", "708.7738666666635"),
        row("unified_cost_model_risk", "multi_region,,", "1"),
    ];
    let text = text.join("\n");
    let entries = multi_region(Some(&text), &|_, _| None).unwrap();
    assert!(entries[0].pass(), "{entries:#?}");
    assert_eq!((entries[0].rows, entries[0].skipped_rows()), (2, 1));
}
