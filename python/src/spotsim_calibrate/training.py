"""The training step that is timed, and the same step with its modules named for the profiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from spotsim_calibrate.errors import BadInputError
from spotsim_calibrate.groups import LOSS_SCOPE, OPTIMIZER_SCOPE
from spotsim_calibrate.profile import SCOPE

PRECISIONS = ("amp-bf16", "amp-fp16", "tf32", "fp32")
OPTIMIZERS = ("adam", "sgd")
_METHODS = ("_pos_embed", "forward_head")
"""Methods of the model itself that launch kernels of their own, beside those of its modules."""


@dataclass
class Training:
    """A model in training, and one batch on its device."""

    torch: Any
    model: Any
    optimizer: Any
    scaler: Any | None
    autocast: Callable[[], Any]
    images: Any
    labels: Any
    loss: Any
    _scoped: Callable[[str], Any] = field(default=lambda _: contextlib.nullcontext())

    def step(self) -> None:
        """Train one step."""
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast():
            output = self.model(self.images)
            with self._scoped(LOSS_SCOPE):
                loss = self.loss(output, self.labels)
        if self.scaler is None:
            loss.backward()
            self.optimizer.step()
            return
        with self._scoped(LOSS_SCOPE):
            loss = self.scaler.scale(loss)
        loss.backward()
        with self._scoped(OPTIMIZER_SCOPE):
            self.scaler.step(self.optimizer)
            self.scaler.update()

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Open a scope around each module's forward, the loss and the update, for a while."""

        def record(name: str) -> Any:
            return self.torch.profiler.record_function(SCOPE + name)

        handles = []
        for name, module in self.model.named_modules():
            if name:
                handles += _hooks(name, module, record)
        methods = {name: getattr(self.model, name) for name in _METHODS if hasattr(self.model, name)}
        for name, method in methods.items():
            setattr(self.model, name, _wrapped(name, method, record))
        before, self._scoped = self._scoped, record
        try:
            yield
        finally:
            self._scoped = before
            for name in methods:
                delattr(self.model, name)
            for handle in handles:
                handle.remove()


def _hooks(name: str, module: Any, record: Callable[[str], Any]) -> list[Any]:
    opened: list[Any] = []

    def enter(*_: Any) -> None:
        scope = record(name)
        scope.__enter__()
        opened.append(scope)

    def leave(*_: Any) -> None:
        opened.pop().__exit__(None, None, None)

    return [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]


def _wrapped(name: str, method: Callable[..., Any], record: Callable[[str], Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        with record(name):
            return method(*arguments, **options)

    return call


def training(
    torch: Any, model: Any, image: int, batch: int, precision: str, optimizer: str, device: str
) -> Training:
    """Return the training of a model on random images that lie on the device already."""
    set_precision(torch, precision)
    model = model.to(device).train()
    images = torch.randn(batch, 3, image, image, device=device)
    labels = torch.randint(0, 1000, (batch,), device=device)
    return Training(
        torch,
        model,
        _optimizer(torch, model, optimizer),
        torch.amp.GradScaler(device) if precision == "amp-fp16" else None,
        _autocast(torch, precision, device),
        images,
        labels,
        torch.nn.CrossEntropyLoss(),
    )


def set_precision(torch: Any, precision: str) -> None:
    """Allow TensorFloat-32 or refuse it, in convolutions too; half precision leaves PyTorch as it is."""
    if precision in ("tf32", "fp32"):
        torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
        torch.backends.cudnn.allow_tf32 = precision == "tf32"


def _autocast(torch: Any, precision: str, device: str) -> Callable[[], Any]:
    if precision not in PRECISIONS:
        raise BadInputError(f"precision `{precision}` is none of {', '.join(PRECISIONS)}")
    if precision in ("tf32", "fp32"):
        return contextlib.nullcontext
    number = torch.bfloat16 if precision == "amp-bf16" else torch.float16
    return lambda: torch.autocast(device, dtype=number)


def _optimizer(torch: Any, model: Any, name: str) -> Any:
    if name not in OPTIMIZERS:
        raise BadInputError(f"optimizer `{name}` is none of {', '.join(OPTIMIZERS)}")
    if name == "adam":
        return torch.optim.Adam(model.parameters())
    return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
