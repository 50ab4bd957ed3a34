"""Generated kernels on TileLang's real C target, and as the CUDA that TileLang makes of them, against
the interpreter, at sizes round the tile.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from pathlib import Path

import pytest
from programs import BLOCK, CASES, SIZES, Case, convert
from support.interpreter import CODES, Address, Memory, Value, run_kernel

from migrate.analysis.layout import members, slots
from migrate.core.options import Limits, Options
from migrate.core.targets import Target
from migrate.ir.types import Kind, Pointer, Scalar, Struct, Type, Vector
from migrate.verify.capture import load_capture
from migrate.verify.judge import Replayed
from migrate.verify.tilelang_cuda import replay_tilelang_cuda
from migrate.verify.tilelang_replay import replay_tilelang, tilelang_installed

pytestmark = [
    pytest.mark.tilelang,
    pytest.mark.skipif(not tilelang_installed(), reason="TileLang is not installed"),
]

ON_CUDA = frozenset(
    {"halves", "wraparound", "compaction", "atomics", "members", "block_and_thread"}
)
"""Cases whose CUDA is compiled and run as well: one for each thing that TileLang prints otherwise
there. That all of them lower for CUDA is in ``test_cuda.py``."""

SPECIAL = (0.0, -0.0, 1.5, -2.25, math.inf, -math.inf, math.nan, 3.0e38, 1.0e-40)


def fill(kind: str, count: int) -> bytes:
    """Deterministic content that reaches the edges of its type."""
    code, _, mode = kind.partition(" ")
    if code == "zero":
        return bytes(4 * max(1, count))
    if code == "small":
        return struct.pack(f"<{count}i", *((k % 7) - 3 for k in range(count)))
    if mode == "cells":
        parts = [struct.pack("<if", k - 5, k * 0.75 - 8) for k in range((count + 1) // 2)]
        return b"".join(parts)
    if mode == "special":
        return struct.pack(f"<{count}f", *(SPECIAL[k % len(SPECIAL)] for k in range(count)))
    scalar = Kind(code)
    if scalar is Kind.BF16:
        values = [k * 0.37 - 9 for k in range(count)]
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    if scalar is Kind.BOOL:
        return bytes(k % 3 == 0 for k in range(count))
    if scalar in (Kind.F16, Kind.F32, Kind.F64):
        return struct.pack(f"<{count}{CODES[scalar]}", *(k * 0.37 - 9 for k in range(count)))
    bits = Scalar(scalar).bits
    low = -(1 << (bits - 1)) if Scalar(scalar).is_signed else 0
    numbers = [(k * 0x9E3779B97F4A7C15) % (1 << bits) + low for k in range(count)]
    return struct.pack(f"<{count}{CODES[scalar]}", *numbers)


class Launch:
    """One case at one size: its captured form and what the interpreter leaves."""

    def __init__(self, case: Case, size: int, seq: int) -> None:
        self.case, self.size, self.seq = case, size, seq
        self.module = case.module
        self.kernel = self.module.kernels[0]
        count = size * case.per
        self.before = {
            name: fill(kind, count + (8 if name != "count" else 0))
            for name, kind in case.buffers.items()
        }
        if case.alias:
            del self.before[case.alias[1]]
        self.variables = {
            g.name: struct.pack("<4f", 0.1, -2.5, 3.25, 1e-3) for g in self.module.globals
        }
        self.grid = (-(-size // BLOCK), 1, 1)

    def buffer(self, name: str) -> str:
        """The buffer that a parameter points to."""
        if self.case.alias and name == self.case.alias[1]:
            return self.case.alias[0]
        return name

    def scalar(self, name: str) -> Value:
        """The value of a parameter that is no pointer."""
        if name == "n":
            return self.size
        found = self.case.scalars[name]
        if isinstance(found, tuple):
            return tuple(self.size if v is None else v for v in found)
        assert isinstance(found, int | float)
        return found

    def expected(self) -> dict[str, bytes]:
        """Buffers after the launch."""
        memory = {name: Memory.of(content) for name, content in self.before.items()}
        variables = {name: Memory.of(content) for name, content in self.variables.items()}
        args: dict[str, Value] = {}
        for p in self.kernel.params:
            if isinstance(p.type, Pointer):
                args[p.name] = Address(memory[self.buffer(p.name)], 0)
            else:
                value = self.scalar(p.name)
                args[p.name] = rounded(value, p.type)
        run_kernel(self.kernel, self.module, args, variables, self.grid, self.case.block)
        return {name: bytes(m.data) for name, m in memory.items()}

    def captured(self, blobs: Path) -> dict[str, object]:
        """The launch as a line of a capture."""
        names = list(self.before)
        args: list[dict[str, object]] = []
        for p in self.kernel.params:
            if isinstance(p.type, Pointer):
                alloc = names.index(self.buffer(p.name))
                args.append({"name": p.name, "kind": "pointer", "alloc": alloc, "offset": 0})
            else:
                kind = "struct" if isinstance(p.type, Struct | Vector) else str(p.type)
                data = pack(rounded(self.scalar(p.name), p.type), p.type, self)
                args.append({"name": p.name, "kind": kind, "bytes": data.hex()})
        return {
            "seq": self.seq, "kernel": self.case.name, "mangled": self.case.name,
            "grid": self.grid, "block": self.case.block, "args": args, "skipped": None,
            "buffers": [
                {"alloc": at, "size": len(self.before[n]), "before": blob(blobs, self.before[n]),
                 "after": ""}
                for at, n in enumerate(names)
            ],
            "globals": [
                {"name": n, "space": "constant", "size": len(c), "before": blob(blobs, c),
                 "after": ""}
                for n, c in self.variables.items()
            ],
        }  # fmt: skip


Results = dict[tuple[str, int], tuple[Launch, Replayed]]
"""By name of the case and size."""


def rounded(value: Value, kind: Type) -> Value:
    """A float argument as its type holds it."""
    if isinstance(kind, Scalar) and kind.kind in (Kind.F16, Kind.F32):
        (found,) = struct.unpack(f"<{CODES[kind.kind]}", struct.pack(f"<{CODES[kind.kind]}", value))
        return float(found)
    return value


def pack(value: Value, kind: Type, launch: Launch) -> bytes:
    """An argument's bytes."""
    if isinstance(kind, Scalar):
        return struct.pack(f"<{CODES[kind.kind]}", value)
    assert isinstance(value, tuple)
    parts = members(kind, launch.module)
    return b"".join(pack(v, t, launch) for v, (_, t) in zip(value, parts, strict=True))


def blob(folder: Path, content: bytes) -> str:
    """Store content by hash."""
    digest = hashlib.sha256(content).hexdigest()
    (folder / f"{digest}.bin").write_bytes(content)
    return digest


def same(kind: Kind, a: bytes, b: bytes) -> bool:
    """Equal bits, or both NaN."""
    if a == b:
        return True
    if kind not in CODES or kind in (Kind.BOOL,) or not Scalar(kind).is_float:
        return False
    (x,), (y,) = struct.unpack(f"<{CODES[kind]}", a), struct.unpack(f"<{CODES[kind]}", b)
    return math.isnan(x) and math.isnan(y)


@pytest.fixture(scope="session")
def on_c(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All cases at all sizes in one worker."""
    return results("c", CASES, tmp_path_factory.mktemp("tilelang"))


@pytest.fixture(scope="session")
def on_cuda(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Some cases as CUDA, at all sizes."""
    cases = tuple(c for c in CASES if c.name in ON_CUDA)
    return results("cuda", cases, tmp_path_factory.mktemp("tilelang_cuda"))


def results(target: str, cases: tuple[Case, ...], root: Path) -> Results:
    """What the interpreter and the compiled kernels leave, for each case and size."""
    blobs = root / "capture" / "blobs"
    blobs.mkdir(parents=True)
    launches: dict[str, list[Launch]] = {}
    lines: list[str] = []
    for case in cases:
        for size in SIZES:
            launch = Launch(case, size, len(lines))
            launches.setdefault(case.name, []).append(launch)
            lines.append(json.dumps(launch.captured(blobs)))
    (root / "capture" / "launches.jsonl").write_text("\n".join(lines))
    capture = load_capture(root / "capture")
    jobs = []
    for case in cases:
        made = convert(case)
        for f in made.files:
            (root / str(f.path)).write_bytes(f.content)
        module = case.module
        jobs.append((made.kernels[0], module.kernels[0], module, capture.of_kernel(case.name)))
    options = Options(Target.TILELANG, cache_dir=root / "cache", limits=Limits(seconds=60))
    replayed: dict[str, Replayed]
    if target == "c":
        replayed = replay_tilelang(root, jobs, capture, options, root / "work")
    else:
        made_cuda = replay_tilelang_cuda(root, jobs, capture, options, root / "work", nvcc=False)
        replayed = {name: found.replayed for name, found in made_cuda.items()}
    return {
        (name, launch.size): (launch, replayed[name])
        for name, group in launches.items()
        for launch in group
    }


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_numbers(case: Case, size: int, on_c: Results) -> None:
    compare(*on_c[(case.name, size)])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", sorted(ON_CUDA))
def test_numbers_of_the_cuda(name: str, size: int, on_cuda: Results) -> None:
    compare(*on_cuda[(name, size)])


def compare(launch: Launch, replayed: Replayed) -> None:
    """The kernel compiled, and left what the interpreter left."""
    assert replayed.compiled, replayed.log
    (mine,) = [x for x in replayed.launches if x.seq == launch.seq]
    assert mine.problem == "" and mine.not_run == ""
    for at, (name, expected) in enumerate(launch.expected().items()):
        kind = next(p.type for p in launch.kernel.params if p.name == name)
        assert isinstance(kind, Pointer)
        got = mine.buffers[at]
        assert len(got) == len(expected)
        layout = list(slots(kind.pointee, launch.module))
        stride = sum(s.type.bytes for s in layout if isinstance(s.type, Scalar))
        for base in range(0, len(expected) - stride + 1, stride):
            for slot in layout:
                assert isinstance(slot.type, Scalar)
                a, b = base + slot.offset, base + slot.offset + slot.type.bytes
                assert same(slot.type.kind, got[a:b], expected[a:b]), (
                    f"{name} byte {a}: {got[a:b].hex()} is not {expected[a:b].hex()}"
                )
