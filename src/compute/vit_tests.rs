//! Right answers are published counts of timm's models.

use super::*;

pub(crate) const BASE_16: VitShape = VitShape {
    image_px: 224,
    patch_px: 16,
    width: 768,
    depth: 12,
    heads: 12,
    mlp_ratio: 4.0,
    classes: 1000,
    extra_tokens: 1,
};

/// timm's own table: 86,567,656 parameters, 17.564 GMAC, 23.90 M activations.
#[test]
fn base_16_has_the_counts_of_timm() {
    assert_eq!(BASE_16.params(), 86_567_656);
    assert!((BASE_16.forward_macs() as f64 / 1e9 - 17.564).abs() < 5e-4);
    assert!((BASE_16.forward_activations() as f64 / 1e6 - 23.90).abs() < 5e-3);
    assert!((BASE_16.train_flop() / 1e9 - 105.4).abs() < 0.05);
}

/// Image, patch, width, depth, heads, ratio, extra tokens; parameters, 10^9 multiply-adds and 10^6
/// activations of `data/models.toml`, whose plain families agree with timm's published table.
type Row = (u32, u32, u32, u32, u32, f64, u32, u64, f64, f64);
const PLAIN: [Row; 14] = [
    (224, 16, 192, 12, 3, 4.0, 1, 5_717_416, 1.2537, 5.975),
    (384, 16, 192, 12, 3, 4.0, 1, 5_790_376, 4.6822, 25.391),
    (224, 16, 384, 12, 6, 4.0, 1, 22_050_664, 4.5989, 11.948),
    (224, 32, 384, 12, 6, 4.0, 1, 22_878_952, 1.1429, 2.504),
    (384, 16, 768, 12, 12, 4.0, 1, 86_859_496, 55.4844, 101.561),
    (384, 32, 768, 12, 12, 4.0, 1, 88_297_192, 13.0436, 16.502),
    (224, 8, 768, 12, 12, 4.0, 1, 86_576_872, 78.1483, 161.685),
    (224, 16, 1024, 24, 16, 4.0, 1, 304_326_632, 61.5547, 63.519),
    (224, 14, 1280, 32, 16, 4.0, 1, 632_045_800, 167.2951, 139.413),
    (224, 14, 1408, 40, 16, 48.0 / 11.0, 1, 1_012_611_432, 267.0315, 192.639),
    (224, 14, 1664, 48, 16, 64.0 / 13.0, 1, 1_844_440_680, 483.7476, 275.372),
    (224, 16, 512, 12, 8, 4.0, 1, 38_837_736, 7.991, 15.931),
    (224, 16, 192, 12, 3, 4.0, 2, 5_717_800, 1.2608, 6.012),
    (224, 16, 768, 12, 12, 4.0, 2, 86_569_192, 17.656, 24.045),
];

#[test]
fn plain_families_have_the_counts_of_the_catalogue() {
    for row in PLAIN {
        let (image_px, patch_px, width, depth, heads, mlp_ratio, extra_tokens, ..) = row;
        let shape = VitShape { image_px, patch_px, width, depth, heads, mlp_ratio, extra_tokens, ..BASE_16 };
        let (.., params, gmacs, macts) = row;
        assert_eq!(shape.params(), params);
        assert!((shape.forward_macs() as f64 / 1e9 - gmacs).abs() < 1e-3, "{row:?}");
        assert!((shape.forward_activations() as f64 / 1e6 - macts).abs() < 1e-2, "{row:?}");
    }
}

/// The reference counts 152 tensors in ViT-B/16.
#[test]
fn base_16_has_152_tensors() {
    assert_eq!(BASE_16.tensors().len(), 152);
}

#[test]
fn gradients_become_ready_from_the_last_tensor_to_the_patch_embedding() {
    let tensors = BASE_16.tensors();
    let blocks_and_head = &tensors[4..];
    assert!(blocks_and_head.windows(2).all(|pair| pair[0].ready >= pair[1].ready));
    assert!(tensors.iter().all(|t| t.ready > 0.0 && t.ready <= 1.0));
    let last = tensors.iter().find(|t| t.name == "patch_embed.proj.weight").unwrap();
    assert_eq!(last.ready, 1.0);
}

/// The first block of backward is a twelfth of the blocks' arithmetic, and head and patch embedding
/// are small beside it.
#[test]
fn a_twelfth_of_backward_readies_the_last_block() {
    let qkv: Vec<f64> =
        BASE_16.tensors().iter().filter(|t| t.name == "attn.qkv.weight").map(|t| t.ready).collect();
    assert!((qkv[11] - 1.0 / 12.0).abs() < 0.002, "{}", qkv[11]);
    assert!((qkv[0] - 1.0).abs() < 0.005, "{}", qkv[0]);
}
