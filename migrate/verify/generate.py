"""Plans further launches from captured ones: other data, one size smaller, one block fewer.

Data keeps its kind: floats stay in the captured range, integers that name elements are permuted,
and what steers a loop stays as it is (``analysis/value_uses.py`` says which is which). Sizes and
grids only shrink, so that no buffer gets too small. What nobody had written stays unwritten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from migrate.analysis.value_uses import Use, ValueUses
from migrate.ir.kernel import Kernel, Module
from migrate.ir.types import Kind
from migrate.verify.capture import Buffer, Capture, Launch
from migrate.verify.compare import Section, element_size
from migrate.verify.sections import buffer_sections
from migrate.verify.variants import Variant

MOST_BYTES = 32 << 20
"""Launches with more in their buffers are not varied: each variant is stored and replayed."""
_POISON = 0xF5
_SPECIAL = 0.02
Edge = Literal["", "largest", "smallest"]
"""What the last element of a buffer is, where a size is less by one."""
_FLOATS: dict[Kind, str] = {Kind.F16: "<f2", Kind.F32: "<f4", Kind.F64: "<f8"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel with the uses of its values, None when it has no normal form."""

    kernel: Kernel
    module: Module
    uses: ValueUses | None


def plan(
    subject: Subject, launches: tuple[Launch, ...], capture: Capture, count: int, seed: int
) -> tuple[Variant, ...]:
    """Up to ``count`` launches, each different from those captured; the same for the same seed."""
    able = [x for x in launches if sum(b.size for b in x.buffers) <= MOST_BYTES]
    if not able or subject.uses is None:
        return ()
    able.sort(key=lambda x: (x.threads, x.seq))
    found: list[Variant] = []
    for number in range(count):
        base = able[number % len(able)]
        rng = np.random.default_rng((seed, number))
        contents = tuple(_contents(subject, base, capture, rng, _edge(number)))
        v = Variant(f"g{base.seq}_{number}", base, contents=contents)
        v = _smaller(v, subject.uses, number)
        if v.contents or v.grid is not None or v.scalars:
            found.append(v)
    return tuple(found)


def _edge(number: int) -> Edge:
    if number % 3 != 1:
        return ""
    return "largest" if number // 3 % 2 == 0 else "smallest"


def origin(variant: Variant, seed: int) -> str:
    """How a generated launch differs from the one that it comes from."""
    whose = " of another instance" if variant.instead else ""
    parts = [f"from launch {variant.base.seq}{whose}", f"seed {seed}"]
    if variant.contents:
        parts.append("other data")
    for at, data in variant.scalars:
        a = variant.base.args[at]
        was, now = (int.from_bytes(x, "little", signed=False) for x in (a.data, data))
        parts.append(f"{a.name} {was} -> {now}")
    if variant.grid is not None:
        parts.append(f"grid {variant.base.grid} -> {variant.grid}")
    return ", ".join(parts)


def _smaller(v: Variant, uses: ValueUses, number: int) -> Variant:
    """Every second variant has sizes less by one (the first one all of them, then one after the
    other), every third a block less."""
    if number % 3 == 1:
        sizes = [
            (at, int.from_bytes(a.data, "little"))
            for at, a in enumerate(v.base.args)
            if a.name in uses.sizes and a.kind in ("i32", "u32", "i64", "u64")
        ]
        bits = 8 * 8
        fit = [(at, n) for at, n in sizes if 2 <= n < 1 << (min(bits, 8 * _width(v, at)) - 1)]
        if fit:
            turn = number // 3
            fit = fit if turn == 0 else [fit[(turn - 1) % len(fit)]]
            less = tuple((at, (n - 1).to_bytes(_width(v, at), "little")) for at, n in fit)
            return replace(v, scalars=less)
    if number % 3 == 2:
        x, y, z = v.base.grid
        if x > 1 or y > 1:
            return replace(v, grid=(x - 1, y, z) if x > 1 else (x, y - 1, z))
    return v


def _width(v: Variant, at: int) -> int:
    return len(v.base.args[at].data)


def _contents(
    subject: Subject, launch: Launch, capture: Capture, rng: np.random.Generator, edge: Edge
) -> list[tuple[int, bytes]]:
    assert subject.uses is not None
    out: list[tuple[int, bytes]] = []
    for b in launch.buffers:
        use = _use_of(b, launch, subject.uses)
        if use is None or use is Use.LOOP:
            continue
        content = bytearray(capture.blob(b.before))
        sections = buffer_sections(b, launch, subject.kernel, subject.module)
        _change(content, sections, use, rng, edge)
        if bytes(content) != capture.blob(b.before):
            out.append((b.alloc, bytes(content)))
    return out


def _use_of(b: Buffer, launch: Launch, uses: ValueUses) -> Use | None:
    """The strictest use over all parameters that see a buffer; None when a pointer inside of a
    struct or a buffer sees it, which the analysis does not follow."""
    if any(w.alloc == b.alloc for a in launch.args for w in a.pointers):
        return None
    names = [a.name for a in launch.args if a.kind == "pointer" and a.alloc == b.alloc]
    return max((uses.of(n) for n in names), default=None)


def _change(
    content: bytearray,
    sections: tuple[Section, ...],
    use: Use,
    rng: np.random.Generator,
    edge: Edge,
) -> None:
    """With ``edge`` the last element is the largest or the smallest one: a kernel that reads it
    although the size is less by one shows even where it only keeps that one."""
    shuffles: dict[int, NDArray[np.intp]] = {}
    for s in sections:
        if s.count < 2:
            continue
        size = element_size(s.kind)
        raw = np.frombuffer(content, dtype=np.uint8)
        rows = s.offset + np.arange(s.count)[:, None] * s.stride + np.arange(size)
        cells = raw[rows]
        written = np.flatnonzero(~_unwritten(cells))
        if written.size < 2:
            continue
        # Members of one struct are shuffled alike, so that they still belong together.
        if s.count not in shuffles or shuffles[s.count].size != written.size:
            shuffles[s.count] = rng.permutation(written.size)
        new = cells.copy()
        new[written] = cells[written][shuffles[s.count]]
        if use is Use.DATA or (use is Use.BRANCH and s.kind in _FLOATS):
            _draw(new, written, s.kind, rng, 0.0 if edge else _SPECIAL)
            if edge:
                _extreme_last(new, written, s.kind, edge)
        raw[rows] = new


def _unwritten(cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Elements that hold the runtime's pattern for memory that nobody has written."""
    pattern = np.where(np.arange(cells.shape[1]) % 2 == 0, _POISON, 0xFF).astype(np.uint8)
    if cells.shape[1] == 1:  # one byte of the pattern is too little to tell
        return np.zeros(len(cells), dtype=bool)
    same: NDArray[np.bool_] = (cells == pattern).all(axis=1)
    return same


def _extreme_last(
    cells: NDArray[np.uint8], written: NDArray[np.intp], kind: Kind, edge: Edge
) -> None:
    if kind is Kind.BOOL:
        return
    floats = kind in _FLOATS or kind is Kind.BF16
    values = _floats(cells[written], kind) if floats else _integers(cells[written], kind)
    order = np.argsort(values, kind="stable")  # NaN comes last
    count = int(np.isfinite(values).sum()) if floats else values.size
    if count:
        at = written[order[count - 1 if edge == "largest" else 0]]
        cells[[at, written[-1]]] = cells[[written[-1], at]]


def _draw(
    cells: NDArray[np.uint8],
    written: NDArray[np.intp],
    kind: Kind,
    rng: np.random.Generator,
    special_share: float,
) -> None:
    """Half of the elements get new values of the captured range; the others keep shuffled ones.

    ``special_share`` of the new floats are the ends of the range.
    """
    chosen = written[rng.random(written.size) < 0.5]
    size = cells.shape[1]
    if kind in _FLOATS or kind is Kind.BF16:
        known = _floats(cells[written], kind)
        finite = known[np.isfinite(known)]
        if not finite.size:
            return
        low, high = float(finite.min()), float(finite.max())
        if low == high:
            low, high = min(low, low / 2), max(high, high / 2)
        drawn = rng.uniform(low, high, chosen.size) if np.isfinite(high - low) else finite[:1]
        special = rng.random(chosen.size) < special_share
        drawn = np.where(special, rng.choice(np.array([low, high]), chosen.size), drawn)
        cells[chosen] = _bytes_of(drawn, kind)
        return
    if kind is Kind.BOOL:
        return
    integers = _integers(cells[written], kind)
    low_i, high_i = int(integers.min()), int(integers.max())
    picked = rng.integers(low_i, high_i, chosen.size, dtype=integers.dtype.type, endpoint=True)
    cells[chosen] = np.frombuffer(picked.tobytes(), np.uint8).reshape(chosen.size, size)


def _integers(
    cells: NDArray[np.uint8], kind: Kind
) -> NDArray[np.signedinteger | np.unsignedinteger]:
    sign = "i" if kind.value.startswith("i") else "u"
    found: NDArray[np.signedinteger | np.unsignedinteger] = np.frombuffer(
        cells.tobytes(), dtype=f"<{sign}{cells.shape[1]}"
    )
    return found


def _floats(cells: NDArray[np.uint8], kind: Kind) -> NDArray[np.float64]:
    if kind is Kind.BF16:
        bits = np.frombuffer(cells.tobytes(), dtype="<u2").astype(np.uint32) << np.uint32(16)
        narrow: NDArray[np.float16 | np.float32 | np.float64] = bits.view(np.float32)
    else:
        narrow = np.frombuffer(cells.tobytes(), _FLOATS[kind])
    wide: NDArray[np.float64] = narrow.astype(np.float64)
    return wide


def _bytes_of(drawn: NDArray[np.float64], kind: Kind) -> NDArray[np.uint8]:
    if kind is Kind.BF16:
        bits = drawn.astype(np.float32).view(np.uint32) >> np.uint32(16)
        return np.frombuffer(bits.astype("<u2").tobytes(), np.uint8).reshape(drawn.size, 2)
    data = drawn.astype(_FLOATS[kind]).tobytes()
    return np.frombuffer(data, np.uint8).reshape(drawn.size, element_size(kind))
