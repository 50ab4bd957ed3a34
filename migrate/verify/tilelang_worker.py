"""Runs generated TileLang modules on captured launches; a program of its own.

Usage: ``python tilelang_worker.py JOB.json``. It imports torch and TileLang once (seconds) and then
takes kernel after kernel. Each step is a line in ``results.jsonl`` of the job's folder, written
before and after the step, so that the caller knows which launch a crash belongs to. It runs with
the generated code's own needs alone: nothing of this package is imported.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import shutil
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np
import torch

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Item = dict[str, Json]

SHARED = "shared"
"""What wrappers call the bytes of dynamic shared memory."""
GUARD = 256
GUARD_BYTE = 0xA5
ALIGN = 64
_UNPACK = {
    "bool": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I",
    "i64": "q", "u64": "Q", "f16": "e", "f32": "f", "f64": "d",
}  # fmt: skip
_STORAGE = {
    "bool": torch.uint8, "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16,
    "u16": torch.int16, "i32": torch.int32, "u32": torch.int32, "i64": torch.int64,
    "u64": torch.int64, "f16": torch.float16, "bf16": torch.int16, "f32": torch.float32,
    "f64": torch.float64,
}  # fmt: skip


class CompileFailed(Exception):
    """TileLang or the C compiler rejected a kernel."""


class NotCaptured(Exception):
    """The launch lacks something that the kernel needs."""


class Guarded:
    """A buffer between guard bytes."""

    def __init__(self, content: bytes) -> None:
        self._memory = np.full(len(content) + 2 * GUARD + ALIGN, GUARD_BYTE, dtype=np.uint8)
        address = self._memory.ctypes.data + GUARD
        self._start = GUARD + (-address) % ALIGN
        self._end = self._start + len(content)
        self.bytes = self._memory[self._start : self._end]
        self.bytes[:] = np.frombuffer(content, dtype=np.uint8)

    def outside(self) -> str:
        """Where a guard byte was overwritten, or nothing."""
        before = np.flatnonzero(self._memory[: self._start] != GUARD_BYTE)
        after = np.flatnonzero(self._memory[self._end :] != GUARD_BYTE)
        if before.size:
            return f"wrote {self._start - int(before[0])} bytes before the buffer"
        return f"wrote {int(after[0])} bytes past the buffer" if after.size else ""

    def tensor(self, offset: int, code: str) -> torch.Tensor:
        """The buffer from a byte offset on, as whole elements."""
        dtype = _STORAGE[code]
        size = torch.empty(0, dtype=dtype).element_size()
        part = self.bytes[offset:]
        part = part[: len(part) // size * size]
        return torch.from_numpy(part).view(dtype) if part.size else torch.empty(0, dtype=dtype)


def scalar(data: bytes, code: str) -> int | float | bool:
    """A value from its little-endian bytes."""
    if code == "bf16":
        (value,) = struct.unpack("<f", b"\0\0" + data[:2])
        return float(value)
    kind = _UNPACK[code]
    (found,) = struct.unpack_from(f"<{kind}", data)
    return cast("int | float | bool", found)


class Worker:
    """All kernels of one job."""

    def __init__(self, job: Item) -> None:
        self._job = job
        self.folder = Path(str(job["folder"]))
        self._seconds = int(cast("float", job["seconds"])) + 1
        self._log = (self.folder / "results.jsonl").open("a", encoding="utf-8")
        self._modules: dict[str, ModuleType] = {}
        self._libraries = {
            str(k["module"]): Path(str(k["libraries"]))
            for k in cast("list[Item]", job["kernels"])
            if "libraries" in k
        }

    def say(self, **fields: Json) -> None:
        """One line in the results, on disk before anything else happens."""
        self._log.write(json.dumps(fields) + "\n")
        self._log.flush()

    def run(self) -> None:
        """Kernel after kernel, launch after launch."""
        for kernel in cast("list[Item]", self._job["kernels"]):
            symbol = str(kernel["symbol"])
            launches = cast("list[Item]", kernel["launches"])
            if not launches:
                self._step(symbol, -1, lambda k=kernel: self.compile(k))
            for launch in launches:
                step = lambda k=kernel, x=launch: self.launch(k, x)  # noqa: E731
                self._step(symbol, cast("int", launch["seq"]), step)

    def _step(self, symbol: str, seq: int, action: object) -> None:
        self.say(at="start", symbol=symbol, seq=seq)
        # No Python handler: the default action ends the process even inside a kernel.
        signal.alarm(self._seconds)
        try:
            action()  # type: ignore[operator]
        except CompileFailed as failed:
            self.say(at="end", symbol=symbol, seq=seq, status="compile", detail=str(failed))
        except NotCaptured as missing:
            self.say(at="end", symbol=symbol, seq=seq, status="not-run", detail=str(missing))
        except Exception as failed:
            text = "".join(traceback.format_exception_only(failed)).strip()
            self.say(at="end", symbol=symbol, seq=seq, status="failed", detail=text)
        else:
            self.say(at="end", symbol=symbol, seq=seq, status="ok", detail="")
        finally:
            signal.alarm(0)

    def prepare(self, module: ModuleType) -> None:
        """Change a module before its kernels are built; here nothing."""

    def module(self, path: str) -> ModuleType:
        """The generated module of a file."""
        if path not in self._modules:
            name = f"generated_{len(self._modules)}"
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is None or spec.loader is None:
                raise CompileFailed(f"{path} is no Python module")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            try:
                spec.loader.exec_module(module)
            except Exception as failed:
                raise CompileFailed(traceback.format_exc()) from failed
            self.prepare(module)
            _report_builds(module, self._libraries.get(path))
            self._modules[path] = module
        return self._modules[path]

    def compile(self, kernel: Item) -> None:
        """Build a kernel that no launch is known of."""
        module = self.module(str(kernel["module"]))
        factory = getattr(module, f"{kernel['entry']}_kernel")
        sizes = [
            p.name
            for p in inspect.signature(factory.__wrapped__).parameters.values()
            if p.default is inspect.Parameter.empty and p.name != "target"
        ]
        factory("c", *(_any_size(name, at) for at, name in enumerate(sizes)))

    def launch(self, kernel: Item, launch: Item) -> None:
        """Run one launch and write its buffers."""
        module = self.module(str(kernel["module"]))
        buffers = {
            cast("int", b["alloc"]): Guarded(Path(str(b["file"])).read_bytes())
            for b in cast("list[Item]", launch["buffers"])
        }
        variables = {
            str(g["name"]): Guarded(Path(str(g["file"])).read_bytes())
            for g in cast("list[Item]", launch["globals"])
        }
        args = arguments(module, str(kernel["entry"]), launch, buffers, variables)
        entry = getattr(module, str(kernel["entry"]))
        entry(*args, **shape_of(entry, launch))
        out = Path(str(launch["out"]))
        for alloc, buffer in buffers.items():
            outside = buffer.outside()
            if outside:
                raise RuntimeError(f"allocation {alloc}: {outside}")
            (out / f"buffer_{alloc}").write_bytes(buffer.bytes.tobytes())
        for name, variable in variables.items():
            outside = variable.outside()
            if outside:
                raise RuntimeError(f"{name}: {outside}")
            (out / f"global_{name}").write_bytes(variable.bytes.tobytes())


def _any_size(name: str, at: int) -> int:
    """A size that a kernel can be built for when no launch says one."""
    if name.startswith("shared_bytes"):
        return 1 << 14
    return 128 if at == 0 or name.startswith("threads") else 1


def shape_of(entry: Callable[..., object], launch: Item) -> dict[str, int | tuple[int, ...]]:
    """Grid, block and dynamic shared memory of a launch, as a wrapper takes them."""
    shape: dict[str, int | tuple[int, ...]] = {
        "grid": tuple(cast("list[int]", launch["grid"])),
        "block": tuple(cast("list[int]", launch["block"])),
    }
    if SHARED in inspect.signature(entry).parameters:
        shape[SHARED] = cast("int", launch[SHARED])
    return shape


def _report_builds(module: ModuleType, libraries: Path | None) -> None:
    """Failures while a kernel is built are told from failures while it runs.

    What is built is left in ``libraries`` too, under the names of ``build_kernels.py``.
    """
    build = module.build

    def reporting(kernel: object, target: str) -> object:
        try:
            return build(kernel, target)
        except Exception as failed:
            raise CompileFailed(f"{type(failed).__name__}: {failed}") from failed

    module.build = reporting  # type: ignore[attr-defined]
    for name in module.SIGNATURES:
        factory = getattr(module, f"{name}_kernel")
        inner = factory.__wrapped__

        def traced(*args: object, _inner: object = inner, **kwargs: object) -> object:
            try:
                return _inner(*args, **kwargs)  # type: ignore[operator]
            except CompileFailed:
                raise
            except Exception as failed:
                text = f"{type(failed).__name__}: {failed}"
                raise CompileFailed(text) from failed

        cached: dict[object, object] = {}

        def once(
            *args: object,
            _make: object = traced,
            _cache: dict[object, object] = cached,
            _name: str = name,
        ) -> object:
            if args not in _cache:
                _cache[args] = _make(*args)  # type: ignore[operator]
                if libraries is not None:
                    _keep(_cache[args], libraries, _name, args[1:])
            return _cache[args]

        once.__wrapped__ = inner  # type: ignore[attr-defined]
        setattr(module, f"{name}_kernel", once)


def _keep(kernel: object, folder: Path, name: str, statics: tuple[object, ...]) -> None:
    """Copy the library of a compiled kernel."""
    adapter = getattr(kernel, "adapter", None)
    library = getattr(getattr(adapter, "lib_generator", None), "libpath", None)
    if isinstance(library, str):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library, folder / f"{'-'.join([name, *map(str, statics)])}.so")


def arguments(
    module: ModuleType,
    entry: str,
    launch: Item,
    buffers: dict[int, Guarded],
    variables: dict[str, Guarded],
) -> list[object]:
    """The wrapper's arguments for a captured launch."""
    captured = cast("list[Item]", launch["args"])
    out: list[object] = []
    for at, parameter in enumerate(module.SIGNATURES[entry]):
        name, code = parameter[0], parameter[1]
        if len(parameter) == 3:
            if name not in variables:
                raise NotCaptured(f"variable {name} was not captured")
            out.append(variables[name].tensor(0, code.rstrip("*")))
        elif isinstance(code, dict):
            out.append(_struct(module, entry, at, code, captured[at], buffers))
        elif code.endswith("*"):
            given = captured[at]
            out.append(
                _pointer(cast("int", given["alloc"]), cast("int", given["offset"]), code, buffers)
            )
        else:
            out.append(scalar(bytes.fromhex(str(captured[at]["data"])), code))
    return out


def _pointer(
    alloc: int, offset: int, code: str, buffers: dict[int, Guarded]
) -> torch.Tensor | None:
    return None if alloc == -1 else buffers[alloc].tensor(offset, code.rstrip("*"))


def _struct(
    module: ModuleType,
    entry: str,
    at: int,
    members: dict[str, tuple[str, int | tuple[int, ...]]],
    given: Item,
    buffers: dict[int, Guarded],
) -> object:
    data = bytes.fromhex(str(given["data"]))
    words = {cast("int", w["at"]): w for w in cast("list[Item]", given["pointers"])}
    values: list[object] = []
    for code, place in members.values():
        offset = place if isinstance(place, int) else place[0]
        if code.endswith("*"):
            word = words.get(offset)
            alloc = -1 if word is None else cast("int", word["alloc"])
            start = 0 if word is None else cast("int", word["offset"])
            values.append(_pointer(alloc, start, code, buffers))
        elif code.endswith("]"):
            kind, length = code[:-1].split("[")
            size = struct.calcsize(_UNPACK[kind])
            row = range(offset, offset + int(length) * size, size)
            at_each = row if isinstance(place, int) else place
            values.append(tuple(scalar(data[at:], kind) for at in at_each))
        else:
            values.append(scalar(data[offset:], code))
    parameters = list(inspect.signature(getattr(module, entry)).parameters.values())
    return parameters[at].annotation(*values)


def main() -> None:
    """Run the job that the command line names."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    torch.set_num_threads(1)
    Worker(cast("Item", job)).run()


if __name__ == "__main__":
    main()
