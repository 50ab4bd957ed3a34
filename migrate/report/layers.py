"""The six layers of a port: what a program has of each, how much moved, and what remains.

Kernels, communication, memory, debugging, profiling and model formats are the parts that a team
plans a port by. Host calls are sorted by their names; calls of compute libraries and the control of
streams and devices belong to the kernels that they run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from migrate.report.model import KernelRow, LayerRow, Report

LAYERS = ("kernels", "communication", "memory", "debugging", "profiling", "model formats")
"""The layers in the order in which they are shown."""
_BY_NAME = (
    ("communication", re.compile(r"nccl\w+|cuda\w*(?:Peer|Ipc|P2P)\w*|nvshmem\w+")),
    ("profiling", re.compile(r"nvtx\w+|cudaProfiler\w+|cudaEventElapsedTime|cupti\w+|nvml\w+")),
    ("debugging", re.compile(r"cuda(?:Get|PeekAt)\w*Error\w*|cuGetError\w+|\w+GetErrorString")),
    ("model formats", re.compile(r"createInfer\w+|nvonnx\w*|NvInfer\w*|NvOnnx\w*|\w*Onnx\w*")),
    (
        "memory",
        re.compile(
            r"cuda(?:Malloc|Free|Mem|Host|GetSymbol|Pointer|CreateTexture|DestroyTexture"
            r"|DeviceGetDefaultMemPool|ArrayGet)\w*|cuMem\w+|make_cuda(?:Extent|Pitched|Pos)\w*"
        ),
    ),
)
_SUBJECT = re.compile(r"(?:#include [<\"])?(\w+)")


def layer_of(name: str) -> str:
    """The layer of a host call, type, constant or header."""
    return next((layer for layer, form in _BY_NAME if form.fullmatch(name)), "kernels")


def layer_rows(
    kernels: Iterable[KernelRow],
    calls: Iterable[tuple[str, str, int]],
    stubbed: Iterable[str],
) -> tuple[LayerRow, ...]:
    """One row a layer.

    ``calls`` are name, kind and number of the host calls that the front end saw; ``stubbed`` are
    the causes of the diagnostics (CM4003) of those places that have no counterpart.
    """
    found = dict.fromkeys(LAYERS, 0)
    left: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    seen: set[str] = set()
    for name, _, number in calls:
        found[layer_of(name)] += number
        seen.add(name)
    for cause in stubbed:
        hit = _SUBJECT.match(cause)
        if hit is None:
            continue
        name = hit.group(1)
        left[layer_of(name)].append(name)
        if name not in seen:
            found[layer_of(name)] += 1
    for k in kernels:
        found["kernels"] += 1
        if k.verdict in ("refused", "different"):
            left["kernels"].append(k.name)
    return tuple(
        LayerRow(
            layer=layer,
            found=found[layer],
            moved=found[layer] - min(found[layer], len(left[layer])),
            remains=tuple(dict.fromkeys(left[layer])),
        )
        for layer in LAYERS
    )


def summed_layers(report: Report) -> tuple[LayerRow, ...]:
    """The rows of all programs together."""
    rows = [r for p in report.programs for r in p.layers]
    return tuple(
        LayerRow(
            layer,
            sum(r.found for r in rows if r.layer == layer),
            sum(r.moved for r in rows if r.layer == layer),
            tuple(dict.fromkeys(n for r in rows if r.layer == layer for n in r.remains)),
        )
        for layer in LAYERS
    )
