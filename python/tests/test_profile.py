"""Events as torch.profiler has them, written by hand, and what a step's time is shared out to."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from spotsim_calibrate.profile import attention_run, shared_out, timed_launches

PARAMETERS = {(3072, 768), (3072,)}
BACKWARD = "autograd::engine::evaluate_function: "


@dataclass
class Event:
    """What this package reads of a `FunctionEvent`."""

    name: str
    parent: Event | None = None
    kernels: list[Any] = field(default_factory=list)
    shapes: list[Any] = field(default_factory=list)
    sequence_nr: int = -1
    device_type: str = "DeviceType.CPU"
    is_user_annotation: bool = False
    self_cpu_time_total: float = 0.0
    start: float = 0.0
    end: float = 0.0

    @property
    def cpu_parent(self) -> Event | None:
        """The event around it."""
        return self.parent

    @property
    def input_shapes(self) -> list[Any]:
        """Shapes of the inputs."""
        return self.shapes

    @property
    def time_range(self) -> SimpleNamespace:
        """When, in microseconds."""
        return SimpleNamespace(start=self.start, end=self.end)


def kernel(name: str, us: float) -> SimpleNamespace:
    """Return what an operator launched."""
    return SimpleNamespace(name=name, duration=us)


def on_gpu(name: str, us: float, is_user_annotation: bool = False) -> Event:
    """Return the same on the device's own time line."""
    return Event(name, device_type="DeviceType.CUDA", end=us, is_user_annotation=is_user_annotation)


def linear() -> list[Event]:
    """Return a linear layer under autocast, forward and backward."""
    scope = Event(
        "module:blocks.0.mlp.fc1", is_user_annotation=True, kernels=[kernel("module:blocks.0.mlp.fc1", 60.0)]
    )
    outer = Event("aten::linear", scope, shapes=[[128, 197, 768]], sequence_nr=7, start=1.0)
    cast = Event("aten::_to_copy", outer, shapes=[[3072, 768]], sequence_nr=7, start=2.0)
    copy = Event("aten::copy_", cast, [kernel("copy", 5.0)], [[3072, 768], [3072, 768]])
    product = Event(
        "aten::addmm", outer, [kernel("gemm", 50.0)], [[3072], [25216, 768], [768, 3072]], 8, start=3.0
    )
    engine = Event(BACKWARD + "AddmmBackward0", sequence_nr=8, start=10.0)
    node = Event("AddmmBackward0", engine, sequence_nr=8, start=10.0)
    back = Event("aten::mm", node, [kernel("gemm", 90.0)], [[25216, 3072], [3072, 768]])
    bias = Event("aten::sum", engine, [kernel("reduce", 4.0)], [[25216, 3072]])
    return [scope, outer, cast, copy, product, engine, node, back, bias]


def times(events: list[Event], on_device: bool = True) -> dict[str, float]:
    """Return microseconds by group."""
    found = shared_out(timed_launches(events, on_device), PARAMETERS, 1)
    assert sum(row["time_ms"] for row in found["groups"]) == found["total_ms"]
    return {row["name"]: round(row["time_ms"] * 1e3, 6) for row in found["groups"]}


def test_backward_counts_for_the_module_of_its_forward() -> None:
    """Nothing in backward names a module: the sequence number does. A copy counts for its cast."""
    assert times(linear()) == {"matrix products": 140.0, "residuals and casts": 4.0, "weight casts": 5.0}


def test_passes_sum_to_the_whole() -> None:
    """Forward 55 us, backward 94 us."""
    found = shared_out(timed_launches(linear(), True), PARAMETERS, 1)
    assert {row["name"]: round(row["time_ms"], 6) for row in found["passes"]} == {
        "forward": 0.055,
        "backward": 0.094,
        "optimizer": 0.0,
    }


def test_kernels_that_no_operator_claims_are_other() -> None:
    """The device's time line has 149 us that are linked and 3 us that are not; scopes are no kernels."""
    device = [on_gpu("copy", 5.0), on_gpu("gemm", 140.0), on_gpu("reduce", 4.0), on_gpu("lost", 3.0)]
    picture = on_gpu("module:blocks.0.mlp.fc1", 60.0, is_user_annotation=True)
    assert times([*linear(), *device, picture])["other"] == 3.0
    assert sum(times([*linear(), *device, picture]).values()) == 152.0


def test_kept_gradients_are_weight_casts_and_the_update_is_the_optimizer_s() -> None:
    """Neither has a module."""
    keep = Event(BACKWARD + "torch::autograd::AccumulateGrad")
    update = Event("Optimizer.step#Adam.step", is_user_annotation=True)
    events = [
        keep,
        Event("aten::copy_", keep, [kernel("copy", 2.0)], [[3072, 768]]),
        update,
        Event("aten::_foreach_lerp_", update, [kernel("multi_tensor_apply", 9.0)], [[[3072, 768]], []]),
    ]
    assert times(events) == {"weight casts": 2.0, "optimizer": 9.0}


def test_on_a_cpu_operators_count_with_their_own_time() -> None:
    """The record_function around them does not."""
    scope = Event("module:blocks.0.norm1", is_user_annotation=True, self_cpu_time_total=99.0)
    norm = Event("aten::native_layer_norm", scope, shapes=[[2, 197, 768]], self_cpu_time_total=3.0)
    assert times([scope, norm], on_device=False) == {"normalization": 3.0}


def test_steps_are_averaged() -> None:
    """Two steps in one profile."""
    found = shared_out(timed_launches([*linear(), *linear()], True), PARAMETERS, 2)
    assert round(found["total_ms"], 6) == 0.149
    assert [row["count"] for row in found["rows"]] == [1.0] * 4


def test_the_attention_that_ran_is_named() -> None:
    """By operator and kernel of most of its forward's time."""
    scope = Event("module:blocks.0.attn", is_user_annotation=True)
    flash = Event("aten::_flash_attention_forward", scope, [kernel("flash_fwd_kernel", 80.0)])
    found = attention_run(timed_launches([scope, flash], True))
    assert found == {"operator": "aten::_flash_attention_forward", "kernel": "flash_fwd_kernel"}
    assert attention_run([]) == {"operator": None, "kernel": None}
