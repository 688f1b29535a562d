//! What fitted is known from training that was done: rows of the reference's throughput table.

use super::super::recipe::tests::SEED;
use super::super::vit::tests::BASE_16;
use super::super::{Optimizer, Precision};
use super::*;
use proptest::prelude::*;

const GIB: f64 = (1_u64 << 30) as f64;
/// 24 GiB less what error correction takes, as `nvidia-smi` tells of an A10G: 23,028 MiB.
const A10G_BYTES: f64 = 23_028.0 * 1_048_576.0;
const RTX_3090_BYTES: f64 = 24.0 * GIB;
const RESERVED: f64 = 1e9;

fn need(shape: &VitShape, recipe: &Recipe) -> f64 {
    vit_memory(shape, recipe, Sharding::Single, RESERVED).total_bytes()
}

/// timm's benchmark on an RTX 3090: autocast to fp16, momentum, unfused attention.
fn timm(batch: u32) -> Recipe {
    Recipe {
        batch,
        precision: Precision::AmpFp16,
        optimizer: Optimizer::SgdMomentum,
        fused_attention: false,
        ..SEED
    }
}

/// ViT-B/16 in bf16 with fused attention is trained at 128 on this GPU; at 512 it runs out of memory.
#[test]
fn base_16_fits_an_a10g_at_128_but_not_at_512() {
    let replicated = Sharding::Replicated { bucket_views: false };
    let need = |batch| vit_memory(&BASE_16, &Recipe { batch, ..SEED }, replicated, RESERVED).total_bytes();
    assert!(need(128) < A10G_BYTES, "{}", need(128));
    assert!(need(512) > A10G_BYTES, "{}", need(512));
}

/// Image, patch, width, depth, heads, MLP ratio; the batch measured on an RTX 3090, and the next larger one.
/// timm's benchmark goes down from 512 (384, 256, 192, 128, 96 ...) to the first that fits.
type Row = (u32, u32, u32, u32, u32, f64, u32, u32);
const LARGEST: [Row; 6] = [
    (224, 16, 768, 12, 12, 4.0, 192, 256),
    (224, 16, 384, 12, 6, 4.0, 384, 512),
    (224, 8, 768, 12, 12, 4.0, 24, 32),
    (224, 16, 1024, 24, 16, 4.0, 64, 96),
    (384, 32, 1024, 24, 16, 4.0, 96, 128),
    (224, 14, 1024, 24, 16, 4.0, 48, 64),
];

#[test]
fn the_largest_measured_batches_fit_and_the_next_do_not() {
    for row in LARGEST {
        let (image_px, patch_px, width, depth, heads, mlp_ratio, fits, next) = row;
        let shape = VitShape { image_px, patch_px, width, depth, heads, mlp_ratio, ..BASE_16 };
        assert!(need(&shape, &timm(fits)) <= RTX_3090_BYTES, "{row:?} {}", need(&shape, &timm(fits)));
        assert!(need(&shape, &timm(next)) > RTX_3090_BYTES, "{row:?} {}", need(&shape, &timm(next)));
    }
}

/// Batch 8, measured on the RTX 3090: most of the memory is parameters and what belongs to them.
#[test]
fn giant_14_fits_at_batch_8() {
    let giant =
        VitShape { patch_px: 14, width: 1408, depth: 40, heads: 16, mlp_ratio: 48.0 / 11.0, ..BASE_16 };
    assert!(need(&giant, &timm(8)) <= RTX_3090_BYTES, "{}", need(&giant, &timm(8)));
}

/// torchvision's ViT-B/16 in fp16 throughout with fused attention, measured at batch 1024 on 80 GB.
#[test]
fn pure_fp16_fits_1024_images_into_80_gib() {
    let recipe = Recipe { batch: 1024, precision: Precision::Fp16, ..SEED };
    assert!(need(&BASE_16, &recipe) <= 80.0 * GIB, "{}", need(&BASE_16, &recipe));
}

/// Parameters 10^6, activations 10^6, batch, precision, memory GiB: the fullest rows of other models,
/// measured. CaiT-S36/384, BERT-base and BERT-large at 384 tokens, ResNet-50.
#[test]
fn other_models_fit_where_they_were_measured() {
    for (params_m, macts, batch, precision, optimizer, gib) in [
        (68.37, 367.4, 16, Precision::AmpFp16, Optimizer::SgdMomentum, 24.0),
        (108.9, 56.623, 96, Precision::AmpFp16, Optimizer::Adam, 24.0),
        (335.0, 150.995, 16, Precision::Tf32, Optimizer::Adam, 24.0),
        (335.0, 150.995, 64, Precision::Tf32, Optimizer::Adam, 80.0),
        (25.56, 11.11, 1280, Precision::AmpFp16, Optimizer::SgdMomentum, 80.0),
    ] {
        let model = LightModel {
            forward_macs: 0.0,
            forward_activations: macts * 1e6,
            params: params_m * 1e6,
            blocks: 0.0,
            bytes_per_activation: 0.0,
        };
        let recipe = Recipe { batch, precision, optimizer, ..timm(batch) };
        let need = light_memory(&model, &recipe, Sharding::Single, RESERVED).total_bytes();
        assert!(need <= gib * GIB, "{params_m} M: {need} of {gib} GiB");
    }
}

/// By 1.4 copies at two bytes; the shape form counts 36 bytes a number of width and token.
#[test]
fn both_forms_agree_on_base_16() {
    let shape_form = vit_memory(&BASE_16, &SEED, Sharding::Single, RESERVED);
    let model = LightModel {
        forward_macs: 0.0,
        forward_activations: BASE_16.forward_activations() as f64,
        params: BASE_16.params() as f64,
        blocks: 0.0,
        bytes_per_activation: 0.0,
    };
    let light = light_memory(&model, &SEED, Sharding::Single, RESERVED);
    assert!((light.total_bytes() / shape_form.total_bytes() - 1.0).abs() < 0.1);
}

/// Section 5 of the reference: with P parameters, n ranks and Adam, 16 P, 4 P + 12 P/n, 2 P + 14 P/n and
/// 16 P/n besides the gathered units.
#[test]
fn sharding_divides_16_bytes_a_parameter() {
    let per_parameter = |precision, sharding| {
        let state = state(1.0, &Recipe { precision, ..SEED }, sharding);
        state.weights + state.gradients + state.optimizer + state.buckets
    };
    let n = 8.0;
    for precision in [Precision::AmpBf16, Precision::Bf16] {
        let of = |sharding| per_parameter(precision, sharding);
        assert_eq!(of(Sharding::OptimizerState { ranks: 1 }), 16.0);
        assert_eq!(of(Sharding::OptimizerState { ranks: 8 }), 4.0 + 12.0 / n);
        assert_eq!(of(Sharding::Gradients { ranks: 8 }), 2.0 + 14.0 / n);
        assert_eq!(of(Sharding::Full { ranks: 8, unit_params: 0 }), 16.0 / n);
    }
    assert_eq!(per_parameter(Precision::Fp32, Sharding::Single), 16.0);
    assert_eq!(per_parameter(Precision::Fp32, Sharding::Replicated { bucket_views: false }), 20.0);
}

proptest! {
    #[test]
    fn larger_batches_and_fewer_savings_never_need_less(batch in 1u32..512, more in 1u32..64) {
        let at = |batch, fused_attention| {
            let recipe = Recipe { batch, fused_attention, ..SEED };
            need(&BASE_16, &recipe)
        };
        prop_assert!(at(batch + more, true) > at(batch, true));
        prop_assert!(at(batch, false) > at(batch, true));
    }
}
