"""Reads captured launches: what a kernel was given and what it left behind.

The format is written by ``cuda_emu/capture`` while the original program runs; see
``docs/capture.md``.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class PointerWord:
    """A pointer inside a struct, a buffer or a variable: byte position, allocation, byte offset."""

    at: int
    alloc: int
    offset: int


@dataclass(frozen=True, slots=True)
class Argument:
    """One launch argument. ``kind`` is an IR scalar name, ``pointer`` or ``struct``.

    ``data`` are the bytes of a scalar or struct (little endian). For a pointer, ``alloc`` is the
    allocation's number (-1 null, -2 not device memory) and ``offset`` counts bytes into it.
    """

    name: str
    kind: str
    data: bytes = b""
    alloc: int = -1
    offset: int = 0
    elem: str = ""
    elem_size: int = 0
    const: bool = False
    pointers: tuple[PointerWord, ...] = ()


@dataclass(frozen=True, slots=True)
class Buffer:
    """A device allocation around a launch; ``before`` and ``after`` are content hashes.

    ``pointers`` are those that it held before.
    """

    alloc: int
    size: int
    before: str
    after: str
    pointers: tuple[PointerWord, ...] = ()


@dataclass(frozen=True, slots=True)
class GlobalBuffer:
    """A ``__constant__`` or ``__device__`` variable around a launch."""

    name: str
    space: str
    size: int
    before: str
    after: str
    pointers: tuple[PointerWord, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Slack:
    """How far elements of one buffer can move by the order of float atomic additions alone.

    ``offsets`` are byte offsets in rising order, ``sizes`` bytes of the elements there, ``bounds``
    absolute.
    """

    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    bounds: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LaunchOrder:
    """What running a launch again, and in other orders of its threads, showed of the original.

    ``repeatable``: the same order gave the same bits. ``ordered``: another order gave other bits.
    ``slack`` by allocation; ``explained``: all that differed lies within it. ``detail`` tells where
    and by how much. ``unwritten``: other contents of memory that nobody wrote gave other bits.
    """

    repeatable: bool
    ordered: bool
    explained: bool = True
    slack: tuple[tuple[int, Slack], ...] = ()
    detail: str = ""
    unwritten: bool = False

    @property
    def comparable(self) -> bool:
        """Whether the original gives one result, up to the order of float additions."""
        return self.repeatable and self.explained and not self.unwritten


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. ``source`` is ``captured``, or ``generated``: the original's kernel run on other
    input; ``origin`` says on which and ``base`` from which launch it comes. ``order`` is
    known where the orders were tried.
    """

    seq: int
    kernel: str
    mangled: str
    pretty: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    args: tuple[Argument, ...]
    buffers: tuple[Buffer, ...]
    globals: tuple[GlobalBuffer, ...]
    skipped: str | None
    source: str = "captured"
    origin: str = ""
    base: int = -1
    order: LaunchOrder | None = None

    @property
    def ambiguous(self) -> str:
        """A name that two device variables share (in two namespaces), or nothing: which of them a
        name in the migrated code means is not known then."""
        names = [g.name for g in self.globals]
        return next((n for n in names if names.count(n) > 1), "")

    @property
    def threads(self) -> int:
        """Threads in the launch."""
        g, b = self.grid, self.block
        return g[0] * g[1] * g[2] * b[0] * b[1] * b[2]


@dataclass(frozen=True, slots=True)
class Capture:
    """All captured launches of one run, and where their buffers lie."""

    directory: Path
    launches: tuple[Launch, ...]

    def blob(self, digest: str) -> bytes:
        """The content with that hash. Raises ``FileNotFoundError``."""
        return b"".join(
            zlib.decompress(path.read_bytes()) if path.suffix == ".z" else path.read_bytes()
            for path in self.files_of(digest)
            if path.suffix != ".list"
        )

    def files_of(self, digest: str) -> tuple[Path, ...]:
        """The files of a content: one, or a list and its pieces in order.

        Raises ``FileNotFoundError``.
        """
        blobs = self.directory / "blobs"
        listed = blobs / f"{digest}.list"
        if listed.exists():
            names = listed.read_text(encoding="ascii").split()
            return (listed, *(path for name in names for path in self.files_of(name)))
        packed = blobs / f"{digest}.bin.z"
        plain = blobs / f"{digest}.bin"
        if not packed.exists() and not plain.exists():
            raise FileNotFoundError(plain)
        return (packed if packed.exists() else plain,)

    def of_kernel(self, mangled: str) -> tuple[Launch, ...]:
        """The launches of one kernel instantiation."""
        return tuple(x for x in self.launches if x.mangled == mangled)


def load_capture(directory: Path) -> Capture:
    """Read ``launches.jsonl``. A missing file means that nothing was launched.

    A program that is killed can leave a last line that is cut off; that launch never ended, so
    nothing is known of it and it is left out.
    """
    path = directory / "launches.jsonl"
    if not path.exists():
        return Capture(directory, ())
    found: list[Launch] = []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(parse_launch(json.loads(line)))
        except json.JSONDecodeError:
            if number != len(lines):
                raise
    return Capture(directory, tuple(found))


def _dim(value: Json) -> tuple[int, int, int]:
    x, y, z = cast("list[int]", value)
    return (x, y, z)


def _items(value: Json) -> Iterable[dict[str, Json]]:
    return cast("list[dict[str, Json]]", value or [])


def parse_launch(d: dict[str, Json]) -> Launch:
    """A launch from its JSON object."""
    return Launch(
        seq=cast("int", d["seq"]),
        kernel=str(d["kernel"]),
        mangled=str(d["mangled"]),
        pretty=str(d.get("pretty", "")),
        grid=_dim(d["grid"]),
        block=_dim(d["block"]),
        shared_bytes=cast("int", d.get("shared_bytes", 0)),
        args=tuple(_argument(a) for a in _items(d["args"])),
        buffers=tuple(
            Buffer(
                cast("int", b["alloc"]),
                cast("int", b["size"]),
                str(b["before"]),
                str(b["after"]),
                _words(b.get("pointers")),
            )
            for b in _items(d["buffers"])
        ),
        globals=tuple(
            GlobalBuffer(
                str(g["name"]),
                str(g["space"]),
                cast("int", g["size"]),
                str(g["before"]),
                str(g["after"]),
                _words(g.get("pointers")),
            )
            for g in _items(d.get("globals"))
        ),
        skipped=None if d.get("skipped") is None else str(d["skipped"]),
        source=str(d.get("source", "captured")),
        origin=str(d.get("origin", "")),
    )


def dump_launches(launches: Iterable[Launch]) -> str:
    """``launches.jsonl`` for launches, without what is only known of a run (``order``)."""
    return "".join(json.dumps(_json_of(x)) + "\n" for x in launches)


def _json_of(x: Launch) -> dict[str, Json]:
    return {
        "seq": x.seq,
        "kernel": x.kernel,
        "mangled": x.mangled,
        "pretty": x.pretty,
        "grid": list(x.grid),
        "block": list(x.block),
        "shared_bytes": x.shared_bytes,
        "args": [_argument_json(a) for a in x.args],
        "buffers": [
            _with_words(
                {"alloc": b.alloc, "size": b.size, "before": b.before, "after": b.after},
                b.pointers,
            )
            for b in x.buffers
        ],
        "globals": [
            _with_words(
                {
                    "name": g.name,
                    "space": g.space,
                    "size": g.size,
                    "before": g.before,
                    "after": g.after,
                },
                g.pointers,
            )
            for g in x.globals
        ],
        "skipped": x.skipped,
        "source": x.source,
        "origin": x.origin,
    }


def _argument_json(a: Argument) -> Json:
    made: dict[str, Json] = {"name": a.name, "kind": a.kind}
    if a.kind == "pointer":
        made |= {"elem": a.elem, "elem_size": a.elem_size, "const": a.const}
        return made | {"alloc": a.alloc, "offset": a.offset}
    made["bytes"] = a.data.hex()
    return _with_words(made, a.pointers)


def _argument(a: dict[str, Json]) -> Argument:
    return Argument(
        name=str(a["name"]),
        kind=str(a["kind"]),
        data=bytes.fromhex(str(a.get("bytes", ""))),
        alloc=cast("int", a.get("alloc", -1)),
        offset=cast("int", a.get("offset", 0)),
        elem=str(a.get("elem", "")),
        elem_size=cast("int", a.get("elem_size", 0)),
        const=bool(a.get("const", False)),
        pointers=_words(a.get("pointers")),
    )


def _words(value: Json) -> tuple[PointerWord, ...]:
    return tuple(
        PointerWord(cast("int", p["at"]), cast("int", p["alloc"]), cast("int", p["offset"]))
        for p in _items(value)
    )


def _with_words(made: dict[str, Json], words: tuple[PointerWord, ...]) -> Json:
    if words:
        made["pointers"] = [{"at": w.at, "alloc": w.alloc, "offset": w.offset} for w in words]
    return made
