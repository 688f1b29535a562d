"""Kernels of ViT-B/16 at batch 128 under autocast, by the names that PyTorch gives them, and their groups."""

import pytest

from spotsim_calibrate.groups import GROUPS, Launch, Shape, group

PARAMETERS: set[Shape] = {
    (1, 1, 768),
    (1, 197, 768),
    (768, 3, 16, 16),
    (768,),
    (2304, 768),
    (2304,),
    (768, 768),
    (3072, 768),
    (3072,),
    (768, 3072),
    (1000, 768),
    (1000,),
}
TOKENS = (128, 197, 768)
GEMM = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_bias_TNT"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, ...>"


def of(op: str, scope: str, *shapes: Shape, kernel: str = ELEMENTWISE) -> str:
    """Return the group of a kernel that an operator launched in a scope."""
    return group(Launch(f"aten::{op}", shapes, kernel, scope), PARAMETERS)


@pytest.mark.parametrize(
    ("op", "scope", "shapes", "right"),
    [
        ("addmm", "blocks.0.attn.qkv", ((2304,), (25216, 768), (768, 2304)), "matrix products"),
        ("mm", "blocks.11.mlp.fc2", ((25216, 768), (768, 3072)), "matrix products"),
        ("addmm", "head", ((1000,), (128, 768), (768, 1000)), "head"),
        ("mm", "head", ((1000, 128), (128, 768)), "head"),
        (
            "convolution_backward",
            "patch_embed.proj",
            ((128, 768, 14, 14), (128, 3, 224, 224)),
            "patch embedding",
        ),
    ],
)
def test_a_product_counts_for_what_it_makes(
    op: str, scope: str, shapes: tuple[Shape, ...], right: str
) -> None:
    """One operator does blocks, head and patches."""
    assert of(op, scope, *shapes, kernel=GEMM) == right


def test_casts_of_weights_and_gradients_are_told_from_those_of_activations_by_shape() -> None:
    """The same operator in the same module: forward, backward, and of a bias."""
    scope = "blocks.3.mlp.fc1"
    assert of("_to_copy", scope, (3072, 768)) == "weight casts"
    assert of("_to_copy", scope, (768, 3072)) == "weight casts"
    assert of("_to_copy", scope, (3072,)) == "weight casts"
    assert of("_to_copy", scope, TOKENS) == "residuals and casts"


def test_one_sample_s_tokens_are_no_position_embedding() -> None:
    """At batch 1 the shapes are equal."""
    assert of("_to_copy", "blocks.3.mlp.fc1", (1, 197, 768)) == "residuals and casts"


def test_adds_and_bias_gradients_of_blocks_are_residuals() -> None:
    """The engine adds the gradients of two branches while it works for the norm."""
    assert of("add", "blocks.5", TOKENS, TOKENS) == "residuals and casts"
    assert of("add_", "blocks.5.norm2", TOKENS, TOKENS) == "residuals and casts"
    assert of("sum", "blocks.5.attn.qkv", (25216, 2304)) == "residuals and casts"


def test_attention_has_its_kernels_and_the_copies_around_them() -> None:
    """Fused or not, and the gradients of q, k and v joined again."""
    heads = (128, 12, 197, 64)
    assert of("_scaled_dot_product_flash_attention", "blocks.0.attn", heads, heads, heads) == "attention"
    assert of("_scaled_dot_product_cudnn_attention_backward", "blocks.0.attn", heads) == "attention"
    assert of("bmm", "blocks.0.attn", (1536, 197, 64), (1536, 64, 197)) == "attention"
    assert of("cat", "blocks.0.attn", heads) == "attention"


def test_norms_and_activations_are_known_by_their_operators() -> None:
    """The last norm stands outside the blocks."""
    assert of("native_layer_norm", "norm", TOKENS) == "normalization"
    assert of("native_layer_norm_backward", "blocks.0.norm1", TOKENS) == "normalization"
    assert of("gelu_backward", "blocks.0.mlp.act", (128, 197, 3072)) == "activation"
    assert of("silu", "blocks.0.mlp.act", (128, 197, 3072)) == "activation"


def test_tokens_are_made_in_patch_embedding_and_chosen_in_the_head() -> None:
    """Class token, position embedding, pooling."""
    assert of("add", "_pos_embed", TOKENS, (1, 197, 768)) == "patch embedding"
    assert of("slice_backward", "forward_head", TOKENS) == "head"


def test_the_update_is_all_that_runs_in_it() -> None:
    """Lists of tensors have no shape."""
    assert of("_foreach_addcdiv_", "optimizer", ()) == "optimizer"
    assert of("_amp_foreach_non_finite_check_and_unscale_", "optimizer", ()) == "optimizer"


def test_what_fits_nowhere_is_said_to_be_other() -> None:
    """The loss, copies from the host, and kernels that no operator claims."""
    assert of("_log_softmax", "loss", (128, 1000)) == "other"
    assert of("copy_", "blocks.0", TOKENS, kernel="Memcpy HtoD (Pinned -> Device)") == "other"
    assert group(Launch("", (), "mystery", ""), PARAMETERS) == "other"
    assert of("sort", "blocks.0.mlp", TOKENS) == "other"


def test_groups_are_named_as_spotsim_names_them() -> None:
    """`gpu.groups` of `spotsim step --format json`, and one more."""
    spotsim = [
        "matrix products",
        "attention",
        "normalization",
        "activation",
        "residuals and casts",
        "patch embedding",
        "head",
        "weight casts",
        "optimizer",
    ]
    assert list(GROUPS) == [*spotsim, "other"]
