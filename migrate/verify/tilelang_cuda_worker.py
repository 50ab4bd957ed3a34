"""Lowers generated TileLang modules to CUDA and plans their launches; a program of its own.

Usage: ``python -m migrate.verify.tilelang_cuda_worker JOB.json``. Nothing is run here: a kernel is
lowered for sm_80 when its launch wrapper asks for it, and what the wrapper passes becomes the job
of the program that runs the CUDA text (its format: ``emulation/include/tilelang_emu/replay.h``).
TileLang's own module for the device gives the order of the parameters and the extents of grid and
block.
"""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np
import tilelang
import torch
from tilelang import tvm

from migrate.verify.tilelang_worker import Guarded, Item, Worker, arguments, shape_of

_PACK = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
    "uint32": "I", "int64": "q", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip
_AXES = ("blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z")


class Unplanned(Exception):
    """TileLang's result has a form that the replay does not know."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A kernel as CUDA text number ``number``.

    ``names`` are the parameters of the TileLang function in order, ``lengths`` the name of each
    tensor parameter's length. ``params`` are name and type of the CUDA function's parameters
    (``handle`` for a pointer), ``extents`` the expressions of grid and block by axis, ``shared``
    the bytes of dynamic shared memory.
    """

    number: int
    names: tuple[str, ...]
    lengths: dict[str, str]
    params: tuple[tuple[str, str], ...]
    extents: dict[str, object]
    shared: int


@dataclass(slots=True)
class Call:
    """A launch of the CUDA function; ``times`` counts equal ones in a row."""

    kernel: Lowered
    given: tuple[object, ...]
    times: int = 1


class CudaWorker(Worker):
    """All kernels of one job."""

    def __init__(self, job: Item) -> None:
        super().__init__(job)
        self._target = tvm.target.Target({"kind": "cuda", "arch": str(job["arch"])})
        self._texts = self.folder / "cuda"
        self._texts.mkdir(parents=True, exist_ok=True)
        self._next = int(str(job["first"]))
        self._calls: list[Call] = []
        self._symbol = ""

    def prepare(self, module: ModuleType) -> None:
        """Builds end with the CUDA text, on whatever device the tensors are."""

        def build(kernel: object, _: str) -> object:
            lowered = self._lower(kernel, module.PASS_CONFIGS)
            return lambda *given: self._called(lowered, given)

        module.build = build  # type: ignore[attr-defined]
        module.target_of = lambda *_: "cuda"  # type: ignore[attr-defined]

    # --- lowering

    def _lower(self, kernel: object, configs: object) -> Lowered:
        with self._target, tvm.transform.PassContext(opt_level=3, config=configs):
            made = tilelang.lower(kernel, target=self._target)
        functions = list(made.device_mod.functions.items())
        if len(functions) != 1:
            raise Unplanned(f"TileLang made {len(functions)} CUDA functions of one kernel")
        (name, function) = functions[0]
        number, self._next = self._next, self._next + 1
        (self._texts / f"{number}.cu").write_text(str(made.kernel_source), encoding="utf-8")
        self.say(at="text", symbol=self._symbol, seq=number, status=str(name.name_hint), detail="")
        source = cast("tvm.tirx.PrimFunc", kernel)
        buffers = {p.name: source.buffer_map[p] for p in source.params if p in source.buffer_map}
        attributes = dict(function.attrs)
        return Lowered(
            number,
            tuple(_plain(p.name, buffers) for p in source.params),
            {str(b.data.name): str(b.shape[0].name) for b in buffers.values()},
            tuple((p.name, str(p.dtype)) for p in function.params),
            dict(attributes["thread_extent"].items()),
            int(attributes.get("dyn_shared_memory_buf", 0)),
        )

    def _called(self, kernel: Lowered, given: tuple[object, ...]) -> None:
        if self._calls:
            last = self._calls[-1]
            same = all(a is b for a, b in zip(last.given, given, strict=True))
            if last.kernel is kernel and same:
                last.times += 1
                return
        self._calls.append(Call(kernel, given))

    # --- steps

    def compile(self, kernel: Item) -> None:
        """Lower a kernel that no launch is known of."""
        self._symbol = str(kernel["symbol"])
        super().compile(kernel)

    def launch(self, kernel: Item, launch: Item) -> None:
        """Write the job of one launch to ``job`` in its folder."""
        self._symbol = str(kernel["symbol"])
        self._calls = []
        files = [
            *((str(b["alloc"]), str(b["file"])) for b in cast("list[Item]", launch["buffers"])),
            *((str(g["name"]), str(g["file"])) for g in cast("list[Item]", launch["globals"])),
        ]
        memory = {key: Guarded(Path(file).read_bytes()) for key, file in files}
        module = self.module(str(kernel["module"]))
        buffers = {int(str(b["alloc"])): memory[str(b["alloc"])] for b in _items(launch["buffers"])}
        variables = {str(g["name"]): memory[str(g["name"])] for g in _items(launch["globals"])}
        given = arguments(module, str(kernel["entry"]), launch, buffers, variables)
        entry = getattr(module, str(kernel["entry"]))
        entry(*given, **shape_of(entry, launch))
        if len({c.kernel.number for c in self._calls}) > 1:
            raise Unplanned("one launch runs several CUDA functions")
        plan = Plan(Path(str(launch["out"])), [(memory[k], file) for k, file in files])
        for call in self._calls:
            plan.add(call)
        plan.write()
        if self._calls:
            number = self._calls[0].kernel.number
            self.say(at="plan", symbol=self._symbol, seq=launch["seq"], status=str(number))


class Plan:
    """The job file of one launch."""

    def __init__(self, out: Path, memory: list[tuple[Guarded, str]]) -> None:
        """``memory``: what tensors may point into, with the file that holds its content."""
        self._out = out
        self._memory = [m for m, _ in memory]
        self._lines = [f"out {out}"]
        for n, (m, file) in enumerate(memory):
            self._lines.append(f"buffer {n} {m.bytes.nbytes} {file}")
        self._others = len(memory)

    def add(self, call: Call) -> None:
        """Add a launch of the CUDA function."""
        kernel = call.kernel
        given = dict(zip(kernel.names, call.given, strict=True))
        values: dict[str, int] = {n: x for n, x in given.items() if isinstance(x, int)}
        for name, length in kernel.lengths.items():
            values[length] = cast("torch.Tensor", given[name]).numel()
        extents = [_extent(kernel.extents.get(axis, 1), values) for axis in _AXES]
        words = " ".join(str(x) for x in extents)
        calls = [f"call {words} {kernel.shared} {call.times}"]
        for name, dtype in kernel.params:
            value = given.get(name, values.get(name))
            if isinstance(value, torch.Tensor) and dtype == "handle":
                calls.append(self._pointer(value))
            elif isinstance(value, int | float) and dtype in _PACK:
                calls.append(f"raw {struct.pack(f'<{_PACK[dtype]}', value).hex()}")
            else:
                raise Unplanned(f"nothing is known of parameter {name} of type {dtype}")
        self._lines += calls

    def _pointer(self, tensor: torch.Tensor) -> str:
        address = tensor.data_ptr()
        for n, m in enumerate(self._memory):
            start = m.bytes.ctypes.data
            if tensor.numel() and start <= address < start + m.bytes.nbytes:
                return f"pointer {n} {address - start}"
        # A tensor of the wrapper's own: an array from a struct, or one that stands for null.
        number, self._others = self._others, self._others + 1
        file = self._out / f"other_{number}"
        content = np.ascontiguousarray(tensor.numpy()).tobytes()
        file.write_bytes(content)
        self._lines.append(f"buffer {number} {len(content)} {file}")
        return f"pointer {number} 0"

    def write(self) -> None:
        """Write the file."""
        (self._out / "job").write_text("\n".join(self._lines) + "\n", encoding="utf-8")


def _plain(name: str, buffers: dict[str, tvm.tirx.Buffer]) -> str:
    """The name of a parameter in the CUDA function: a tensor becomes its buffer's pointer."""
    return str(buffers[name].data.name) if name in buffers else name


def _items(value: object) -> list[Item]:
    return cast("list[Item]", value)


def _extent(e: object, values: dict[str, int]) -> int:
    """The value of a grid or block extent."""
    if isinstance(e, int):
        return e
    known: dict[object, object] = {}

    def visit(x: object) -> None:
        if isinstance(x, tvm.tirx.Var):
            if x.name not in values:
                raise Unplanned(f"an extent depends on {x.name}")
            known[x] = tvm.tirx.IntImm(x.dtype, values[x.name])

    tvm.tirx.stmt_functor.post_order_visit(e, visit)
    bound = tvm.tirx.stmt_functor.substitute(e, known) if known else e
    found = tvm.arith.Analyzer().simplify(bound)
    if not isinstance(found, tvm.tirx.IntImm):
        raise Unplanned(f"extent {e} has no value")
    return int(found.value)


def main() -> None:
    """Run the job that the command line names."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    torch.set_num_threads(1)
    CudaWorker(cast("Item", job)).run()


if __name__ == "__main__":
    main()
