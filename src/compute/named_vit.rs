//! Shapes of plain ViTs by the names that timm gives them.

use super::VitShape;

/// Families whose models are plain ViTs.
const PLAIN_FAMILIES: [&str; 5] = ["vit-plain", "deit", "deit3", "beit", "beitv2"];

/// Size in a name, width, depth, heads and hidden width of the MLP.
/// Source: A. Dosovitskiy et al., An Image is Worth 16x16 Words (2021), table 1; X. Zhai et al., Scaling Vision
/// Transformers (2021), table 2; tiny, small and medium as timm and DeiT define them.
const SIZES: [(&str, u32, u32, u32, u32); 8] = [
    ("tiny", 192, 12, 3, 768),
    ("small", 384, 12, 6, 1536),
    ("medium", 512, 12, 8, 2048),
    ("base", 768, 12, 12, 3072),
    ("large", 1024, 24, 16, 4096),
    ("huge", 1280, 32, 16, 5120),
    ("giant", 1408, 40, 16, 6144),
    ("gigantic", 1664, 48, 16, 8192),
];
const CLASSES: u32 = 1000;

/// Shape of a model of a plain family by its name: `vit_base_patch16_224`, `ViT-B_16`. `None` for other
/// families and for names that do not say size and patch.
pub(super) fn plain_vit(name: &str, family: &str, image_px: Option<u32>) -> Option<VitShape> {
    if !PLAIN_FAMILIES.contains(&family) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(['_', '-']).collect();
    let (size, width, depth, heads, hidden) = SIZES.into_iter().find(|(size, ..)| {
        words.iter().skip(1).any(|word| word == size || (word.len() == 1 && size.starts_with(*word)))
    })?;
    let short = |word: &&&str| word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    let patch_px: u32 = match words.iter().find_map(|word| word.strip_prefix("patch")) {
        Some(digits) => digits.parse().ok()?,
        None => words.iter().rev().find(short)?.parse().ok()?,
    };
    let image_px = image_px.filter(|px| patch_px > 0 && *px >= patch_px)?;
    let distilled = words.contains(&"distilled");
    debug_assert!(width % heads == 0, "{size}");
    Some(VitShape {
        image_px,
        patch_px,
        width,
        depth,
        heads,
        mlp_ratio: f64::from(hidden) / f64::from(width),
        classes: CLASSES,
        extra_tokens: if distilled { 2 } else { 1 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// timm's own table, 10^6: the shape that a name stands for has the parameters that timm counts. Giant is
    /// checked by the short name of its row.
    #[test]
    fn names_stand_for_shapes_with_timms_parameters() {
        for (name, family, px, params_m) in [
            ("vit_tiny_patch16_384", "vit-plain", 384, 5.79),
            ("deit_small_patch16_224", "deit", 224, 22.05),
            ("vit_base_patch8_224", "vit-plain", 224, 86.58),
            ("vit_large_patch14_224", "vit-plain", 224, 304.2),
            ("vit_huge_patch14_224", "vit-plain", 224, 632.05),
            ("vit_g_14", "vit-plain", 224, 1012.61),
            ("vit_gigantic_patch14_224", "vit-plain", 224, 1844.44),
            ("ViT-B_16", "vit-plain", 224, 86.57),
            ("DeiT-B_16", "deit", 224, 86.57),
        ] {
            let shape = plain_vit(name, family, Some(px)).unwrap();
            let found = shape.params() as f64 / 1e6;
            assert!((found - params_m).abs() < 0.006, "{name}: {found}");
        }
    }

    #[test]
    fn a_distilled_model_has_two_extra_tokens() {
        let shape = plain_vit("deit_base_distilled_patch16_224", "deit", Some(224)).unwrap();
        assert_eq!(shape.tokens(), 198);
    }

    #[test]
    fn a_variant_has_no_plain_shape() {
        assert_eq!(plain_vit("vit_base_patch16_plus_240", "vit-variant", Some(240)), None);
        assert_eq!(plain_vit("bert_base_seq384", "bert", None), None);
    }
}
