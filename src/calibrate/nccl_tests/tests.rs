use super::*;

const OLD: &str = "\
# nThread 1 nGpus 1 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#
# Using devices
#   Rank  0 Pid   4100 on     host-0 device  0 [0x10] Tesla V100-SXM2-32GB
#   Rank  1 Pid   4101 on     host-1 device  0 [0x10] Tesla V100-SXM2-32GB
#
#                                                     out-of-place                       in-place
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256   float     sum    187.5    0.01    0.01  5e-07    187.1    0.01    0.01  5e-07
     2000000        500000   float     sum   1000.0    2.00    2.00  5e-07   2000.0    1.00    1.00  5e-07
";

const NEW: &str = "\
# nThread 1 nGpus 2 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
# Using devices
#  Rank  0 Group  0 Pid   4100 on     host-0 device  0 [0000:10:00] NVIDIA A100-SXM4-40GB
#  Rank  1 Group  0 Pid   4100 on     host-0 device  1 [0000:11:00] NVIDIA A100-SXM4-40GB
host-0:4100:4188 [0] NCCL INFO NCCL version 2.18.3+cuda12.1
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    187.5    0.01    0.01      0    187.1    0.01    0.01    N/A
host-1:5201:5290 [3] NCCL INFO comm 0x5581 rank 11 nranks 32 cudaDev 3 - Init COMPLETE
     2000000        500000     float     sum      -1   1000.0    2.00    2.00      0   2000.0    1.00    1.00    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.755
";

/// The run in a text without errors, and what is said all the same.
fn read(text: &str) -> (Benchmark, String) {
    let Parsed { benchmark, problems, sources } = parse("log.txt", text);
    let said = problems.render(&sources, false);
    (benchmark.unwrap_or_else(|| panic!("{said}")), said)
}

/// What is said of a text with an error.
fn refused(text: &str) -> String {
    let Parsed { benchmark, problems, sources } = parse("log.txt", text);
    assert_eq!(benchmark, None);
    problems.render(&sources, false)
}

/// Bytes and microseconds, out-of-place and in-place.
fn times(benchmark: &Benchmark) -> Vec<(u64, Option<f64>, Option<f64>)> {
    let us = |timing: Option<Timing>| timing.map(|timing| (timing.seconds * 1e7).round() / 10.0);
    benchmark.rows.iter().map(|row| (row.bytes.get(), us(row.out_of_place), us(row.in_place))).collect()
}

fn two_rows() -> Vec<(u64, Option<f64>, Option<f64>)> {
    vec![(1024, Some(187.5), Some(187.1)), (2_000_000, Some(1000.0), Some(2000.0))]
}

#[test]
fn the_old_layout_has_errors_and_no_root() {
    let (benchmark, said) = read(OLD);
    assert_eq!(said, "");
    assert_eq!(times(&benchmark), two_rows());
    assert_eq!(benchmark.shape, Some(Shape { nodes: 2, gpus_per_node: 1 }));
    assert_eq!(benchmark.device.as_deref(), Some("Tesla V100-SXM2-32GB"));
    assert_eq!(benchmark.library, None);
}

#[test]
fn the_new_layout_has_a_root_and_may_not_be_checked() {
    let (benchmark, said) = read(NEW);
    assert_eq!(said, "");
    assert_eq!(times(&benchmark), two_rows());
    assert_eq!(benchmark.shape, Some(Shape { nodes: 1, gpus_per_node: 2 }));
    assert_eq!(benchmark.device.as_deref(), Some("NVIDIA A100-SXM4-40GB"));
    assert_eq!(benchmark.library.as_deref(), Some("2.18.3"));
}

#[test]
fn columns_are_found_by_their_names_in_any_order() {
    let (benchmark, _) = read("# bytes busbw root algbw time\n 2000000 2.00 -1 2.00 1000\n");
    assert_eq!(times(&benchmark), [(2_000_000, Some(1000.0), None)]);
    assert_eq!(benchmark.shape, None);
}

#[test]
fn line_ends_a_byte_order_mark_and_labels_of_launchers_do_no_harm() {
    let crlf = format!("\u{feff}{}", NEW.replace('\n', "\r\n"));
    let labelled = |label: &str| NEW.lines().map(|line| format!("{label}{line}\n")).collect::<String>();
    for text in [crlf, labelled("[1,0]<stdout>:"), labelled("0: "), NEW.trim_end().to_owned()] {
        let (benchmark, said) = read(&text);
        assert_eq!((times(&benchmark), said.as_str()), (two_rows(), ""), "{text}");
        assert_eq!(benchmark.shape, Some(Shape { nodes: 1, gpus_per_node: 2 }));
    }
}

#[test]
fn a_damaged_row_is_named_and_left_out() {
    let last = "     2000000        500000     float     sum      -1   1000.0    2.00    2.00      0";
    for (row, mark) in [
        (format!("{last}   20"), "10 of 13 columns are there"),
        (format!("{last}   2x00.0    1.00    1.00    N/A"), "is no number"),
        (format!("{last}   NaN    1.00    1.00    N/A"), "is no number"),
        (format!("{last}   200.0    1.00    1.00    N/A"), "2000000 B in this time are 10.00 GB/s, not 1"),
        (format!("{last}   0.0    1.00    1.00    N/A"), "takes no time"),
        (last.replace("2000000", "99999999999999999999") + " 1 1 1 0", "is no number of bytes"),
    ] {
        let text = NEW.replace("Avg", &format!("\n{row}\n# Avg"));
        let (benchmark, said) = read(&text);
        assert_eq!(times(&benchmark), two_rows(), "{row}");
        assert!(said.contains("a damaged row is left out") && said.contains(mark), "{said}");
        assert!(said.contains("log.txt:14:"), "{said}");
    }
}

#[test]
fn a_time_that_was_not_measured_is_none() {
    let last = "     4000000       1000000     float     sum      -1   2000.0    2.00    2.00      0";
    let text = NEW.replace("Avg", &format!("\n{last}    N/A     N/A     N/A    N/A\n# Avg"));
    assert_eq!(times(&read(&text).0)[2], (4_000_000, Some(2000.0), None));
}

#[test]
fn no_bytes_say_nothing() {
    let row = "           0             0     float     sum      -1      6.5    0.00    0.00      0      6.4    0.00    0.00    N/A";
    assert_eq!(times(&read(&NEW.replace("Avg", &format!("\n{row}\n# Avg"))).0), two_rows());
}

#[test]
fn wrong_values_are_told() {
    let (benchmark, said) = read(&NEW.replace("2.00      0", "2.00     17"));
    assert_eq!(times(&benchmark), two_rows());
    assert!(said.starts_with("warning: 17 wrong values"), "{said}");
}

#[test]
fn of_several_runs_the_first_with_rows_is_read() {
    let (benchmark, said) = read(&format!("{OLD}{NEW}"));
    assert_eq!(benchmark.shape, Some(Shape { nodes: 2, gpus_per_node: 1 }));
    assert!(said.contains("only the first run"), "{said}");
    let cut: String = OLD.lines().take(9).map(|line| format!("{line}\n")).collect();
    let (benchmark, said) = read(&format!("{cut}{NEW}"));
    assert_eq!(benchmark.shape, Some(Shape { nodes: 1, gpus_per_node: 2 }));
    assert!(said.contains("the first run of this text has no result rows"), "{said}");
}

#[test]
fn a_run_on_every_node_alone_is_no_run_of_all() {
    let twice = NEW.replace("#  Rank  1", "#  Rank  0");
    assert!(refused(&twice).contains("MPI=1"));
}

#[test]
fn without_rows_there_is_no_bandwidth() {
    let cut: String = NEW.lines().take(8).map(|line| format!("{line}\n")).collect();
    let said = refused(&cut);
    assert!(said.starts_with("error: no result rows") && said.contains("log.txt:7:"), "{said}");
    for text in ["", "\n\n", "Segmentation fault\n", "123 456\n"] {
        let said = refused(text);
        assert!(said.contains("no result rows") && said.contains("all_reduce_perf"), "{said}");
    }
}

/// Wherever a disk filled up: an error, or rows of the whole text in their order, none changed.
#[test]
fn a_text_that_is_cut_anywhere_gives_no_other_times() {
    for text in [OLD, NEW] {
        let whole = times(&read(text).0);
        for end in 0..text.len() {
            let Some(benchmark) = parse("log.txt", &text[..end]).benchmark else { continue };
            assert!(whole.starts_with(&times(&benchmark)), "{}", &text[..end]);
        }
    }
}

#[test]
fn other_units_and_times_of_the_cpu_are_refused() {
    assert!(refused(&NEW.replace("(us)", "(ms)")).contains("unknown unit `(ms)`"));
    assert!(refused(&NEW.replace("   time", "cputime")).contains("times of the CPU"));
    assert!(refused(&NEW.replacen("algbw", "rate", 1)).contains("names of the columns"));
}

#[test]
fn ranks_that_cannot_be_counted_are_refused() {
    assert!(refused(&NEW.replace("device  1", "device  0")).contains("two ranks of `host-0` have one GPU"));
    assert!(refused(&NEW.replace("device  1", "")).contains("list of ranks is damaged"));
    let third = "#  Rank  2 Group  0 Pid 1 on host-1 device  0 [0] NVIDIA A100-SXM4-40GB\nhost-0:4100";
    assert!(refused(&NEW.replacen("host-0:4100", third, 1)).contains("nodes with 2 and with 1 GPUs"));
}

/// With `NCCL_TESTS_SPLIT` the groups reduce apart from each other.
#[test]
fn only_the_group_of_the_first_rank_counts() {
    let other = "#  Rank  2 Group  1 Pid 1 on host-1 device  0 [0] Tesla T4\nhost-0:4100";
    let (benchmark, _) = read(&NEW.replacen("host-0:4100", other, 1));
    assert_eq!(benchmark.shape, Some(Shape { nodes: 1, gpus_per_node: 2 }));
    assert_eq!(benchmark.device.as_deref(), Some("NVIDIA A100-SXM4-40GB"));
}

/// Codes as `NCCL_VERSION` of nccl.h makes them.
#[test]
fn the_library_is_known_by_its_code_too() {
    for (code, version) in [("22304", "2.23.4"), ("2804", "2.8.4")] {
        let head = format!("# nccl-tests version 2.13.11 nccl-headers=22304 nccl-library={code}\n");
        assert_eq!(read(&format!("{head}{OLD}")).0.library.as_deref(), Some(version));
    }
}
