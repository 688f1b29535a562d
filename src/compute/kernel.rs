//! Names of the kernels in calibration files, and how their shapes are written. Rows are samples × tokens.

/// Matrix product, `MxNxK`: m × k by k × n. By itself a linear layer's forward, the right operand stored as
/// n × k; where a file has not the two products of backward, also theirs.
pub const GEMM: &str = "gemm";
/// Product for the gradient of a layer's input, `MxNxK`: both operands stored as they are multiplied.
pub const GEMM_DGRAD: &str = "gemm_dgrad";
/// Product for the gradient of a layer's weight, `MxNxK`: the left operand stored as k × m.
pub const GEMM_WGRAD: &str = "gemm_wgrad";
/// Many of one shape, `BATCHxMxNxK`.
pub const BATCHED_GEMM: &str = "batched_gemm";
/// Fused attention, `BATCHxHEADSxTOKENSxWIDTH` with the width of one head.
pub const ATTENTION: &str = "attention";
/// Backward of [`ATTENTION`].
pub const ATTENTION_BACKWARD: &str = "attention_backward";
/// Softmax over the last of `ROWSxCOLUMNS`. A step's unfused attention moves more than that and stays
/// modelled.
pub const SOFTMAX: &str = "softmax";
/// Layer norm over the last of `ROWSxWIDTH`.
pub const LAYER_NORM: &str = "layer_norm";
/// Backward of [`LAYER_NORM`].
pub const LAYER_NORM_BACKWARD: &str = "layer_norm_backward";
/// GELU of `ROWSxWIDTH`.
pub const GELU: &str = "gelu";
/// Backward of [`GELU`].
pub const GELU_BACKWARD: &str = "gelu_backward";
/// Branch added to a residual, `ROWSxWIDTH`; its precision names both formats: `bf16+fp32`.
pub const RESIDUAL_ADD: &str = "residual_add";
/// Sums of the columns of `ROWSxWIDTH`: the gradient of a bias.
pub const COLUMN_SUM: &str = "column_sum";
/// Copy inside the device's memory, bytes.
pub const MEMCPY: &str = "memcpy";
/// Fused Adam update of so many parameters.
pub const ADAM: &str = "adam";
/// The same in kernels over lists of tensors.
pub const ADAM_FOR_EACH: &str = "adam_for_each";
/// Copy from pageable host memory to the device, bytes.
pub const HOST_COPY: &str = "host_copy";
/// The same from pinned host memory.
pub const HOST_COPY_PINNED: &str = "host_copy_pinned";
/// Launch of an empty kernel, one of many in a row: shape `1`.
pub const LAUNCH: &str = "launch";
