"""From the events of torch.profiler to time by operation group.

Works on whatever has the attributes of torch's `FunctionEvent`, so it is tested without PyTorch.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spotsim_calibrate.groups import (
    GRADIENT_SCOPE,
    GROUPS,
    OPTIMIZER_SCOPE,
    Launch,
    Shape,
    group,
)

SCOPE = "module:"
"""How the names of scopes begin that `step` opens with record_function around a module's forward."""

_BACKWARD = "autograd::engine::evaluate_function: "
_PLUMBING = frozenset(
    f"aten::{op}"
    for op in ("copy_", "fill_", "zero_", "empty", "empty_strided", "empty_like", "new_empty_strided")
)
"""Operators that others call to do their work: their kernels count for the caller."""
_NAME_MAX = 160

FORWARD, BACKWARD, UPDATE = "forward", "backward", "optimizer"
PASSES = (FORWARD, BACKWARD, UPDATE)


@dataclass(frozen=True)
class Timed:
    """One launch, its time in microseconds, and the pass it belongs to."""

    launch: Launch
    time_us: float
    of: str


def timed_launches(events: Sequence[Any], on_device: bool) -> list[Timed]:
    """Return every kernel of the events, or every operator with its own time where the CPU computes."""
    scopes = _forward_scopes(events)
    found = []
    for event in events:
        if not _is_host(event):
            continue
        for name, time_us in _kernels(event) if on_device else _own_time(event):
            op, shapes = _caller(event)
            scope, of = _scope(event, scopes)
            found.append(Timed(Launch(op, shapes, name, scope), time_us, of))
    return found + (_unlinked(events, found) if on_device else [])


def shared_out(launches: Iterable[Timed], parameters: Collection[Shape], steps: int) -> dict[str, Any]:
    """Return a step's time by group and by pass, which both sum to it, and its parts; milliseconds."""
    groups: dict[str, float] = defaultdict(float)
    passes: dict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    rows: dict[tuple[str, str, str, str, str], list[float]] = defaultdict(lambda: [0, 0.0])
    for timed in launches:
        name = group(timed.launch, parameters)
        ms = timed.time_us * 1e-3 / steps
        groups[name] += ms
        passes[timed.of] += ms
        counts[name] += 1
        row = rows[
            (name, timed.of, timed.launch.op, _shape_text(timed.launch), timed.launch.kernel[:_NAME_MAX])
        ]
        row[0] += 1 / steps
        row[1] += ms
    return {
        "steps": steps,
        "total_ms": sum(groups.values()),
        "groups": [
            {"name": name, "time_ms": groups[name], "launches": counts[name] / steps}
            for name in GROUPS
            if counts[name]
        ],
        "passes": [{"name": name, "time_ms": passes[name]} for name in PASSES],
        "rows": [
            {"group": g, "pass": of, "op": op, "shapes": shapes, "kernel": kernel, "count": n, "time_ms": ms}
            for (g, of, op, shapes, kernel), (n, ms) in sorted(rows.items(), key=lambda item: -item[1][1])
        ],
    }


def attention_run(launches: Iterable[Timed]) -> dict[str, str | None]:
    """Return which operator and which kernel computed most of attention's forward."""
    spent: dict[tuple[str, str], float] = defaultdict(float)
    for timed in launches:
        if "attention" in timed.launch.op and timed.of == FORWARD:
            spent[(timed.launch.op, timed.launch.kernel)] += timed.time_us
    if not spent:
        return {"operator": None, "kernel": None}
    operator, kernel = max(spent, key=lambda key: spent[key])
    return {"operator": operator, "kernel": kernel[:_NAME_MAX] or None}


def _is_host(event: Any) -> bool:
    return str(event.device_type).endswith("CPU")


def _is_annotation(event: Any) -> bool:
    return bool(getattr(event, "is_user_annotation", False))  # older PyTorch has it not


def _kernels(event: Any) -> Iterator[tuple[str, float]]:
    """Yield what an event launched; a record_function's picture on the device's time line is no kernel."""
    for kernel in event.kernels:
        if kernel.name != event.name:
            yield kernel.name, kernel.duration


def _own_time(event: Any) -> Iterator[tuple[str, float]]:
    if event.name.startswith("aten::"):
        yield "", event.self_cpu_time_total


def _chain(event: Any) -> Iterator[Any]:
    while event is not None:
        yield event
        event = event.cpu_parent


def _caller(event: Any) -> tuple[str, tuple[Shape, ...]]:
    """Return the operator that an event works for, and its shapes."""
    while event.name in _PLUMBING and event.cpu_parent is not None:
        if not event.cpu_parent.name.startswith("aten::"):
            break
        event = event.cpu_parent
    shapes = tuple(tuple(shape) if _is_shape(shape) else () for shape in event.input_shapes or ())
    return event.name, shapes


def _is_shape(shape: Any) -> bool:
    """Tell a tensor's shape from that of a list of tensors, whose entries are shapes themselves."""
    return all(isinstance(size, int) for size in shape)


def _forward_scopes(events: Iterable[Any]) -> dict[int, str]:
    """Return the scope in which each node of the graph was made, by its sequence number.

    The last operator that begins with a number makes the node: those before it made none.
    """
    latest: dict[int, tuple[float, str]] = {}
    for event in events:
        number = event.sequence_nr
        if not _is_host(event) or number is None or number < 0 or event.name.startswith(_BACKWARD):
            continue
        if not event.name.startswith("aten::"):
            continue
        start = event.time_range.start
        if number not in latest or start >= latest[number][0]:
            latest[number] = (start, _module(event))
    return {number: scope for number, (_, scope) in latest.items()}


def _module(event: Any) -> str:
    for outer in _chain(event):
        if outer.name.startswith(SCOPE):
            return str(outer.name.removeprefix(SCOPE))
    return ""


def _scope(event: Any, scopes: dict[int, str]) -> tuple[str, str]:
    """Return the scope that an event belongs to, and its pass."""
    for outer in _chain(event):
        name = outer.name
        if name.startswith(_BACKWARD):
            gradient = name.endswith("AccumulateGrad")
            return GRADIENT_SCOPE if gradient else scopes.get(outer.sequence_nr, ""), BACKWARD
        if name.startswith(("Optimizer.", SCOPE + OPTIMIZER_SCOPE)):
            return OPTIMIZER_SCOPE, UPDATE
        if name.startswith(SCOPE):
            return name.removeprefix(SCOPE), FORWARD
    return "", FORWARD


def _unlinked(events: Sequence[Any], found: Sequence[Timed]) -> list[Timed]:
    """Return the device's time that no operator claims, by kernel, so that sums are those of the device."""
    annotations = {event.name for event in events if _is_host(event) and _is_annotation(event)}
    device: dict[str, float] = defaultdict(float)
    for event in events:
        if not _is_host(event) and not _is_annotation(event) and event.name not in annotations:
            device[event.name] += event.time_range.end - event.time_range.start
    for timed in found:
        device[timed.launch.kernel] -= timed.time_us
    lost_us = 0.01
    return [
        Timed(Launch("", (), name, ""), time_us, FORWARD)
        for name, time_us in device.items()
        if time_us > lost_us
    ]


def _shape_text(launch: Launch) -> str:
    return " ".join("x".join(map(str, shape)) for shape in launch.shapes if shape)[:_NAME_MAX]
