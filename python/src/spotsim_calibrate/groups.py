"""Which of spotsim's operation groups a kernel belongs to.

The mapping is a function of names and shapes alone, so it is tested without PyTorch. The groups are those of
`gpu.groups` in `spotsim step --format json`; what fits none is `other`, and shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

PRODUCTS = "matrix products"
ATTENTION = "attention"
NORMALIZATION = "normalization"
ACTIVATION = "activation"
RESIDUALS = "residuals and casts"
PATCH_EMBEDDING = "patch embedding"
HEAD = "head"
WEIGHT_CASTS = "weight casts"
OPTIMIZER = "optimizer"
OTHER = "other"

GROUPS = (
    PRODUCTS,
    ATTENTION,
    NORMALIZATION,
    ACTIVATION,
    RESIDUALS,
    PATCH_EMBEDDING,
    HEAD,
    WEIGHT_CASTS,
    OPTIMIZER,
    OTHER,
)
"""Every group, in spotsim's order."""

OPTIMIZER_SCOPE = "optimizer"
LOSS_SCOPE = "loss"
GRADIENT_SCOPE = "gradient"
"""Scopes that are no module: the update, the loss, and where the gradient of a parameter is kept."""

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Launch:
    """What is known of one kernel, or of one operator where the CPU computes."""

    op: str
    """The ATen operator that launched it: `aten::addmm`. Empty where the profiler links it to none."""
    shapes: tuple[Shape, ...]
    """Of the operator's inputs; numbers have the empty shape."""
    kernel: str
    """Its name on the device; empty for an operator."""
    scope: str
    """The module whose forward it belongs to, also in backward: `blocks.3.attn.qkv`."""


_PRODUCTS = frozenset(("addmm", "mm", "bmm", "baddbmm", "matmul", "linear", "_addmm_activation"))
_CASTS = frozenset(("_to_copy", "to"))
_RESIDUALS = frozenset(
    ("add", "add_", "sum", "mul", "mul_", "div", "div_", "copy_", "clone", "contiguous", "zeros_like")
)
_NORMS = frozenset(("norm", "norm1", "norm2", "norm_pre", "fc_norm"))
_MATRIX, _KERNEL = 2, 4


def group(launch: Launch, parameters: Collection[Shape]) -> str:
    """Return the group of a launch in a model with parameters of these shapes."""
    op = launch.op.removeprefix("aten::")
    if launch.kernel.startswith("Memcpy HtoD"):
        return OTHER
    if launch.scope == OPTIMIZER_SCOPE:
        return OPTIMIZER
    if launch.scope == GRADIENT_SCOPE or (op in _CASTS and _is_weight(launch.shapes, parameters)):
        return WEIGHT_CASTS
    if launch.scope == LOSS_SCOPE:
        return OTHER
    return _by_module(launch.scope) or _by_operator(op) or _inside_blocks(launch.scope, op) or OTHER


def _is_weight(shapes: tuple[Shape, ...], parameters: Collection[Shape]) -> bool:
    """Tell whether the first input is a weight, a bias, or a gradient of one.

    Tokens have three dimensions as the position embedding has, which nothing casts: those are never weights.
    """
    if not shapes or not shapes[0]:
        return False
    shape = shapes[0]
    flat = len(shape) <= _MATRIX or len(shape) == _KERNEL
    return flat and (shape in parameters or shape[::-1] in parameters)


def _by_module(scope: str) -> str | None:
    first = scope.split(".")[0]
    if first in ("patch_embed", "_pos_embed"):
        return PATCH_EMBEDDING
    return HEAD if first in ("head", "forward_head") else None


def _by_operator(op: str) -> str | None:
    if "attention" in op:
        return ATTENTION
    if "layer_norm" in op:
        return NORMALIZATION
    return ACTIVATION if op.startswith("gelu") else None


def _inside_blocks(scope: str, op: str) -> str | None:
    """Return the group of an operator that serves several, by the module it works for."""
    parts = scope.split(".")
    if parts[0] != "blocks" and parts[-1] not in _NORMS:
        return None
    if op in _CASTS:
        return RESIDUALS
    if parts[-1] in ("attn", "attn_drop", "q_norm", "k_norm"):
        return ATTENTION
    if op in _PRODUCTS:
        return PRODUCTS
    if parts[-1] == "act":
        return ACTIVATION
    if parts[-1] in _NORMS and op not in _RESIDUALS:
        return NORMALIZATION
    return RESIDUALS if op in _RESIDUALS else None
