"""The model of a step: timm's, or a plain ViT of the same shapes in torch alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from spotsim_calibrate.errors import BadInputError

PLAIN = "plain ViT of the same shapes, scaled_dot_product_attention, no timm"


@dataclass(frozen=True)
class ViTShape:
    """Shape of a plain vision transformer, as timm's names say it."""

    image: int
    patch: int
    width: int
    depth: int
    heads: int
    classes: int = 1000

    @property
    def tokens(self) -> int:
        """Patches and the class token."""
        return (self.image // self.patch) ** 2 + 1


_SIZES = {
    "tiny": (192, 12, 3),
    "small": (384, 12, 6),
    "base": (768, 12, 12),
    "large": (1024, 24, 16),
    "huge": (1280, 32, 16),
}


def shape_of(name: str) -> ViTShape:
    """Return the shape that a name of timm says: `vit_base_patch16_224`."""
    found = re.fullmatch(r"vit_(\w+)_patch(\d+)_(\d+)", name)
    if found is None or found[1] not in _SIZES:
        sizes = ", ".join(_SIZES)
        raise BadInputError(f"model `{name}` is not of the form vit_SIZE_patchN_IMAGE with SIZE of {sizes}")
    width, depth, heads = _SIZES[found[1]]
    return ViTShape(int(found[3]), int(found[2]), width, depth, heads)


def build(name: str, torch: Any, timm: Any | None) -> tuple[Any, str]:
    """Return the model, untrained, and what it is: timm's with its version, or ours."""
    shape = shape_of(name)
    if timm is not None:
        return timm.create_model(name, pretrained=False), f"timm {timm.__version__}"
    return plain(shape, torch), PLAIN


def plain(shape: ViTShape, torch: Any) -> Any:
    """Return a ViT whose modules have the names of timm's, so that scopes and groups are the same."""
    nn, functional, width = torch.nn, torch.nn.functional, shape.width

    class Attention(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width)
            self.proj = nn.Linear(width, width)

        def forward(self, x: Any) -> Any:
            batch, tokens, _ = x.shape
            parts = self.qkv(x).reshape(batch, tokens, 3, shape.heads, width // shape.heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
            mixed = functional.scaled_dot_product_attention(q, k, v)
            return self.proj(mixed.transpose(1, 2).reshape(batch, tokens, width))

    class Mlp(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = nn.Linear(width, 4 * width)
            self.act = nn.GELU()
            self.fc2 = nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            return self.fc2(self.act(self.fc1(x)))

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width, eps=1e-6)
            self.attn = Attention()
            self.norm2 = nn.LayerNorm(width, eps=1e-6)
            self.mlp = Mlp()

        def forward(self, x: Any) -> Any:
            x = x + self.attn(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class ViT(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.patch_embed = nn.Conv2d(3, width, shape.patch, stride=shape.patch)
            self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
            self.pos_embed = nn.Parameter(0.02 * torch.randn(1, shape.tokens, width))
            self.blocks = nn.Sequential(*(Block() for _ in range(shape.depth)))
            self.norm = nn.LayerNorm(width, eps=1e-6)
            self.head = nn.Linear(width, shape.classes)

        def _pos_embed(self, x: Any) -> Any:
            tokens = x.flatten(2).transpose(1, 2)
            return torch.cat([self.cls_token.expand(x.shape[0], -1, -1), tokens], dim=1) + self.pos_embed

        def forward_head(self, x: Any) -> Any:
            return self.head(x[:, 0])

        def forward(self, x: Any) -> Any:
            return self.forward_head(self.norm(self.blocks(self._pos_embed(self.patch_embed(x)))))

    return ViT()
