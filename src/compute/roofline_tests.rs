//! Right answers are section 3 of the reference's roofline model: ViT-B/16, batch 128, an A10G at its data sheet.

use super::super::calibration::tests::FILE;
use super::super::device::tests::A10G;
use super::super::recipe::tests::SEED;
use super::super::vit::tests::BASE_16;
use super::super::{Launches, Optimizer, Precision};
use super::*;
use proptest::prelude::*;

fn seed_step() -> ComputeStep {
    vit_step(&BASE_16, &SEED, &A10G, None)
}

fn total_ms(step: &ComputeStep, names: &[&str]) -> f64 {
    step.operations.iter().filter(|o| names.contains(&o.name)).map(Operation::total_s).sum::<f64>() * 1e3
}

fn check_ms(step: &ComputeStep, names: &[&str], ms: f64, tolerance: f64) {
    let modelled = total_ms(step, names);
    assert!((modelled - ms).abs() < tolerance, "{names:?}: {modelled} ms, not {ms}");
}

#[test]
fn linear_layers_take_the_times_of_the_worked_case() {
    let step = seed_step();
    check_ms(&step, &["qkv"], 12.0 * (1.43 + 1.33 + 1.28), 0.2);
    check_ms(&step, &["proj"], 12.0 * (0.48 + 0.48 + 0.43), 0.2);
    check_ms(&step, &["fc1"], 12.0 * (1.91 + 1.75 + 1.71), 0.2);
    check_ms(&step, &["fc2"], 12.0 * (1.75 + 1.91 + 1.71), 0.2);
    check_ms(&step, &["patch embedding"], 0.48 + 0.42, 0.01);
}

/// The table counts two norms a block; the step has one more, at its end.
#[test]
fn elementwise_operations_take_the_times_of_the_worked_case() {
    let step = seed_step();
    let names = ["layer norm", "gelu", "residual add", "bias gradients", "casts", "query scale"];
    let last_norm = total_ms(&step, &["layer norm"]) / 25.0;
    check_ms(&step, &names, 76.7 + last_norm, 0.1);
}

#[test]
fn update_and_casts_take_the_time_of_the_worked_case() {
    check_ms(&seed_step(), &["update", "weight casts"], 5.8, 0.05);
}

/// 3.22 GB a block, 64.4 ms, besides the products of scores and values.
#[test]
fn unfused_attention_moves_the_scores_of_the_worked_case() {
    let step = vit_step(&BASE_16, &Recipe { fused_attention: false, ..SEED }, &A10G, None);
    let attention = step.operations.iter().find(|o| o.group == Group::Attention).unwrap();
    let batch = 128 * 12;
    let products = [
        Product { m: 197, n: 197, k: 64, batch },
        Product { m: 197, n: 64, k: 197, batch },
        Product { m: 197, n: 64, k: 197, batch },
        Product { m: 197, n: 64, k: 197, batch },
        Product { m: 197, n: 197, k: 64, batch },
        Product { m: 197, n: 64, k: 197, batch },
    ];
    let products_s: f64 = products.iter().map(|p| A10G.product_s(p, 2.0)).sum();
    let extra_ms = (attention.total_s() - 12.0 * products_s) * 1e3;
    assert!((extra_ms - 64.4).abs() < 0.1, "{extra_ms} ms");
}

#[test]
fn the_worked_case_runs_at_419_samples_per_second() {
    let step = seed_step();
    assert!((step.total_s() * 1e3 - 305.0).abs() < 1.5, "{} ms", step.total_s() * 1e3);
    let rate = 128.0 / step.total_s();
    assert!((rate / 419.0 - 1.0).abs() < 0.005, "{rate}/s");
    assert!(!step.launch_bound);
}

/// 345/s at 0.82, in the same table.
#[test]
fn one_efficiency_for_both_scales_the_whole_step() {
    let device = Device { compute_efficiency: 0.82, memory_efficiency: 0.82, score_efficiency: 0.82, ..A10G };
    let rate = 128.0 / vit_step(&BASE_16, &SEED, &device, None).total_s();
    assert!((rate / 345.0 - 1.0).abs() < 0.005, "{rate}/s");
    let together = A10G.with_efficiency(0.82);
    assert_eq!(128.0 / vit_step(&BASE_16, &SEED, &together, None).total_s(), rate);
}

/// The reference: 1600 launches of 5 to 8 us are hidden at batch 128 on an A10G and bind ViT-Ti below about 32.
#[test]
fn launches_bind_a_tiny_model_at_a_small_batch_only() {
    let device = Device { launch_s: 6.5e-6, ..A10G };
    let tiny = VitShape { width: 192, heads: 3, ..BASE_16 };
    let small_batch = vit_step(&tiny, &Recipe { batch: 16, ..SEED }, &device, None);
    assert!(small_batch.launch_bound);
    assert!((small_batch.total_s() - 1600.0 * 6.5e-6).abs() < 1e-9);
    assert!(!vit_step(&tiny, &Recipe { batch: 128, ..SEED }, &device, None).launch_bound);
    assert!(!vit_step(&BASE_16, &SEED, &device, None).launch_bound);
}

/// Of the step, qkv's forward product alone is in the file: twelve times 2 ms, whatever the efficiency.
#[test]
fn a_measured_kernel_replaces_its_model() {
    let calibration = Calibration::parse(FILE).unwrap();
    let half = A10G.with_efficiency(0.5);
    let step = vit_step(&BASE_16, &SEED, &half, Some(&calibration));
    let qkv = step.operations.iter().find(|o| o.name == "qkv").unwrap();
    assert!((qkv.forward_s - 12.0 * 2e-3).abs() < 1e-12);
    assert!((step.measured_share() - qkv.forward_s / step.total_s()).abs() < 1e-12);
    let other_format = Recipe { precision: Precision::AmpFp16, ..SEED };
    assert_eq!(vit_step(&BASE_16, &other_format, &half, Some(&calibration)).measured_share(), 0.0);
}

/// Every kernel of a file in the step's shapes and formats is used: what stays modelled of this list is none.
#[test]
fn kernels_are_looked_up_under_their_names() {
    let kernels = [
        ("attention", "128x12x197x64", "bf16", "attention", 12),
        ("attention_backward", "128x12x197x64", "bf16", "attention", 12),
        ("layer_norm", "25216x768", "fp32", "layer norm", 25),
        ("layer_norm_backward", "25216x768", "fp32", "layer norm", 25),
        ("gelu", "25216x3072", "bf16", "gelu", 12),
        ("gelu_backward", "25216x3072", "bf16", "gelu", 12),
        ("residual_add", "25216x768", "bf16+fp32", "residual add", 24),
        ("column_sum", "25216x2304", "bf16", "bias gradients", 12),
        ("adam", "86567656", "fp32", "update", 1),
        ("gemm", "768x768x25088", "bf16", "patch embedding", 1),
        ("gemm", "128x768x1000", "bf16", "head", 1),
        ("gemm", "768x3072x25216", "bf16", "fc2", 12),
    ];
    for (name, shape, precision, operation, count) in kernels {
        let head = FILE.split("[[kernel]]").next().unwrap();
        let table = format!(
            "[[kernel]]\nname = \"{name}\"\nshape = \"{shape}\"\nprecision = \"{precision}\"\nmedian_us = 7.0\nspread = 0.0"
        );
        let calibration = Calibration::parse(&format!("{head}{table}")).unwrap();
        let step = vit_step(&BASE_16, &SEED, &A10G, Some(&calibration));
        let used = step.operations.iter().find(|o| o.name == operation).unwrap();
        let right = f64::from(count) * 7e-6;
        assert!((used.measured_s - right).abs() < 1e-12, "{name} {shape}: {} s", used.measured_s);
    }
}

/// Two of the six products of a block, one forward and one backward, have this shape: 128 × 12 heads.
#[test]
fn unfused_attention_looks_up_batched_products() {
    let file = FILE.replace("\"gemm\"", "\"batched_gemm\"").replace("25216x2304x768", "1536x197x197x64");
    let calibration = Calibration::parse(&file).unwrap();
    let unfused = Recipe { fused_attention: false, ..SEED };
    let step = vit_step(&BASE_16, &unfused, &A10G, Some(&calibration));
    let attention = step.operations.iter().find(|o| o.group == Group::Attention).unwrap();
    assert!((attention.measured_s - 12.0 * 2.0 * 2e-3).abs() < 1e-12);
}

#[test]
fn groups_make_up_the_step() {
    let step = seed_step();
    let groups = [
        Group::Products,
        Group::Attention,
        Group::Normalization,
        Group::Activation,
        Group::Residual,
        Group::PatchEmbedding,
        Group::Head,
        Group::WeightCasts,
        Group::Optimizer,
    ];
    let sum: f64 = groups.iter().map(|&g| step.group_s(g)).sum();
    assert!((sum / step.total_s() - 1.0).abs() < 1e-12);
    assert!((step.optimizer_s - step.group_s(Group::Optimizer)).abs() < 1e-15);
}

fn any_recipe() -> impl Strategy<Value = Recipe> {
    let flags = any::<(bool, bool, bool, bool)>();
    (1u32..512, 0usize..Precision::NAMES.len(), flags).prop_map(|(batch, precision, flags)| {
        let (fused_attention, fused_optimizer, half_residuals, compiled) = flags;
        let (_, precision) = Precision::NAMES[precision];
        let launches = Launches { per_block: 120.0, other: 160.0 };
        Recipe {
            batch,
            precision,
            optimizer: Optimizer::Adam,
            fused_optimizer,
            fused_attention,
            half_residuals,
            compiled,
            launches,
        }
    })
}

proptest! {
    #[test]
    fn more_peak_or_bandwidth_never_slows(recipe in any_recipe(), faster in 1.0..10.0f64) {
        let device = Device { sms: Some(80), launch_s: 6.5e-6, ..A10G };
        let before = vit_step(&BASE_16, &recipe, &device, None).total_s();
        let peak = Device { peak_flop_per_s: device.peak_flop_per_s * faster, ..device };
        let wide = Device { bandwidth_bytes_per_s: device.bandwidth_bytes_per_s * faster, ..device };
        prop_assert!(vit_step(&BASE_16, &recipe, &peak, None).total_s() <= before * (1.0 + 1e-12));
        prop_assert!(vit_step(&BASE_16, &recipe, &wide, None).total_s() <= before * (1.0 + 1e-12));
    }

    #[test]
    fn fusing_never_slows(recipe in any_recipe()) {
        let unfused = Recipe { fused_attention: false, fused_optimizer: false, compiled: false, ..recipe };
        let fused = Recipe { fused_attention: true, fused_optimizer: true, compiled: true, ..recipe };
        let slow = vit_step(&BASE_16, &unfused, &A10G, None).total_s();
        prop_assert!(vit_step(&BASE_16, &fused, &A10G, None).total_s() <= slow);
    }
}
