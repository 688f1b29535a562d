//! Memory traffic of what a ViT block does besides matrix products.

use super::Recipe;

/// Bytes for each token and number of the width, forward and backward.
pub(super) type Traffic = [f64; 2];

/// Traffic of one block, by operation.
///
/// Source: section 2 of the reference's roofline model, whose table is for autocast with fp32 residuals,
/// 198 bytes in all at an MLP ratio of 4. There each number below is 2 or 4 bytes wide; other precisions
/// move the same numbers at their own width. The reference scales all 198 by the MLP ratio; here only what
/// is as wide as the hidden layer scales.
///
/// A compiler joins the casts and adds to the norms, and most bias sums to what precedes them: a norm then
/// reads branch and residual and writes the sum and the next operand; 114 bytes of the reference's 100 to 120.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlockTraffic {
    /// Two norms; of a compiled block with the adds.
    pub norms: Traffic,
    /// Casts at the ends of both branches.
    pub casts: Traffic,
    /// Scaling of the queries.
    pub query_scale: Traffic,
    /// Activation function of the MLP.
    pub gelu: Traffic,
    /// Two adds of a branch to the residual.
    pub adds: Traffic,
    /// Column sums for the biases of qkv.
    pub qkv_bias: Traffic,
    /// Column sums for the bias of the hidden layer.
    pub hidden_bias: Traffic,
}

impl BlockTraffic {
    /// Traffic of a block whose hidden layer is `mlp_ratio` times as wide as a token.
    pub(super) fn of(recipe: &Recipe, mlp_ratio: f64) -> Self {
        let operand = recipe.precision.operand_bytes();
        let residual = recipe.residual_bytes();
        let gelu = [2.0 * operand * mlp_ratio, 3.0 * operand * mlp_ratio];
        let qkv_bias = [0.0, 3.0 * operand];
        if recipe.compiled {
            return Self {
                norms: [4.0 * operand + 4.0 * residual, 6.0 * operand + 8.0 * residual],
                casts: [0.0; 2],
                query_scale: [0.0; 2],
                gelu,
                adds: [0.0; 2],
                qkv_bias,
                hidden_bias: [0.0; 2],
            };
        }
        Self {
            norms: [4.0 * residual, 10.0 * residual],
            casts: if recipe.precision.is_autocast() { [12.0, 24.0] } else { [0.0; 2] },
            query_scale: [2.0 * operand; 2],
            gelu,
            adds: [2.0 * operand + 4.0 * residual, 6.0 * residual],
            qkv_bias,
            hidden_bias: [0.0, operand * mlp_ratio],
        }
    }
}

/// Bytes for each token, head and token attended to that attention moves where it is not fused, besides
/// its products: scaling, softmax and their casts. 24 and 30 under autocast (same source); without autocast
/// nothing is cast, and softmax reads and writes at the operands' width.
pub(super) fn score_traffic(recipe: &Recipe) -> Traffic {
    let operand = recipe.precision.operand_bytes();
    if recipe.precision.is_autocast() { [24.0, 30.0] } else { [4.0 * operand, 5.0 * operand] }
}

/// Bytes for each token and number of the width that fused attention moves: it reads queries, keys and
/// values and writes the output, and backward reads these and the output's gradient and writes three.
/// 24 in all at half precision (same source).
pub(super) fn fused_traffic(recipe: &Recipe) -> Traffic {
    let operand = recipe.precision.operand_bytes();
    [4.0 * operand, 8.0 * operand]
}

#[cfg(test)]
mod tests {
    use super::super::Precision;
    use super::super::recipe::tests::SEED;
    use super::*;

    fn total(recipe: &Recipe) -> Traffic {
        let t = BlockTraffic::of(recipe, 4.0);
        [t.norms, t.casts, t.query_scale, t.gelu, t.adds, t.qkv_bias, t.hidden_bias]
            .iter()
            .fold([0.0; 2], |sum, t| [sum[0] + t[0], sum[1] + t[1]])
    }

    /// The last line of the reference's table.
    #[test]
    fn autocast_moves_68_bytes_forward_and_130_backward() {
        assert_eq!(total(&SEED), [68.0, 130.0]);
    }

    /// "A bf16 residual stream or a compiled graph: use 100-120 D".
    #[test]
    fn compiled_and_half_blocks_move_100_to_120_bytes() {
        for recipe in [Recipe { compiled: true, ..SEED }, Recipe { precision: Precision::Bf16, ..SEED }] {
            let [forward, backward] = total(&recipe);
            assert!((100.0..=120.0).contains(&(forward + backward)), "{forward} + {backward}");
        }
    }
}
