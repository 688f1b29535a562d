//! Tasks that cannot be run here.

use super::source::ROWS_A_PART;
use crate::calibrate::kernels::{Format, Number, Task, Work};
use crate::compute::Product;

/// Why a device of an architecture (90 for sm_90) cannot run a task.
pub(super) fn refusal(task: &Task, architecture: i32) -> Option<String> {
    let name = task.number.name();
    let old = architecture < 80;
    match &task.work {
        Work::Attention(heads) | Work::AttentionBackward(heads) => {
            if !matches!(task.number, Number::Bf16 | Number::Fp16) {
                return Some(format!("PyTorch's fused attention in {name} has no kernel here"));
            }
            if old {
                return Some(format!(
                    "fused attention needs sm_80 or later; this device is sm_{architecture}"
                ));
            }
            let width = heads.width;
            if width == 0 || width > 128 || width % 16 != 0 {
                return Some(format!(
                    "heads of {width} numbers: only multiples of 16 up to 128 have a kernel"
                ));
            }
        }
        Work::Gemm(_, product) | Work::BatchedGemm(_, product) => {
            if old && task.number == Number::Tf32 {
                return Some(format!("tf32 needs sm_80 or later; this device is sm_{architecture}"));
            }
            let Product { m, n, k, batch } = product;
            if [m, n, k, batch].into_iter().any(|size| i32::try_from(*size).is_err()) {
                return Some("cuBLAS counts rows and columns only up to 2147483647".to_owned());
            }
        }
        Work::LayerNormBackward(rows) | Work::ColumnSum(rows) => {
            // A grid has at most so many blocks in its second direction.
            let most = 65_535 * ROWS_A_PART;
            if rows.rows > most {
                return Some(format!("columns are summed over at most {most} rows"));
            }
        }
        _ => {}
    }
    let bf16 = task.buffers().iter().any(|buffer| buffer.format == Format::Bf16);
    (old && bf16).then(|| format!("bf16 needs sm_80 or later; this device is sm_{architecture}"))
}
