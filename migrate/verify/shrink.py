"""Smaller launches than one that fails: fewer blocks, smaller sizes, less that is not zero."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.verify.capture import Launch
from migrate.verify.variants import Variant

_MOST_BYTES = 1 << 20
_PARTS = (1, 2, 4)
_CELL = 8
"""Zeros are written in whole elements of every type."""
_INTEGERS = frozenset({"i32", "u32", "i64", "u64"})


def weight(launch: Launch, sizes: tuple[str, ...]) -> tuple[int, int]:
    """What is made small: the number of threads, then the sum of the size parameters."""
    values = (_integer(launch, at) for at in _positions(launch, sizes))
    return launch.threads, sum(values)


def smaller(failing: Launch, base: Launch, sizes: tuple[str, ...], tag: str) -> tuple[Variant, ...]:
    """Candidates that are smaller than ``failing`` in one respect each, the smallest first.

    ``base`` is the captured launch at which the original can run them; ``failing`` may itself be
    generated from it. ``sizes`` names the integer parameters that bound an index.
    """
    same = as_variant(failing, base, tag)
    found: list[tuple[int, Variant]] = []
    for grid in _grids(failing.grid):
        blocks = grid[0] * grid[1] * grid[2]
        found.append((blocks, _with(same, grid, ())))
    for at in _positions(failing, sizes):
        n = _integer(failing, at)
        for less in _below(n):
            data = less.to_bytes(len(failing.args[at].data), "little")
            found.append((less, _with(same, failing.grid, ((at, data),))))
    ordered = [v for _, v in sorted(found, key=lambda x: x[0])]
    return tuple(_named(v, f"{tag}_{number}") for number, v in enumerate(ordered))


def as_variant(failing: Launch, base: Launch, name: str) -> Variant:
    """The variant of ``base`` that ``failing`` is, its buffers' contents left to the caller."""
    scalars = tuple(
        (at, a.data)
        for at, (a, b) in enumerate(zip(failing.args, base.args, strict=True))
        if a.data != b.data and a.kind in _INTEGERS
    )
    grid = failing.grid if failing.grid != base.grid else None
    return Variant(name, base, grid=grid, scalars=scalars)


def changed_buffers(failing: Launch, base: Launch) -> tuple[tuple[int, str], ...]:
    """(allocation, content hash) of buffers that hold something else than in ``base``."""
    before = {b.alloc: b.before for b in base.buffers}
    return tuple((b.alloc, b.before) for b in failing.buffers if before.get(b.alloc) != b.before)


Contents = tuple[tuple[int, bytes], ...]
"""What buffers hold, by allocation."""


def filled_bytes(content: bytes) -> int:
    """How many bytes are not zero."""
    return len(content) - content.count(0)


def zeroed(contents: Contents) -> tuple[Contents, ...]:
    """Candidates with zeros in one buffer, or in a half, a quarter ... of what is not zero there.

    None for buffers too large to be written out once for each.
    """
    if sum(len(c) for _, c in contents) > _MOST_BYTES:
        return ()
    out: list[Contents] = []
    for alloc, content in contents:
        if not any(content):
            continue
        start = len(content) - len(content.lstrip(b"\0"))
        span = len(content.rstrip(b"\0")) - start
        seen: set[tuple[int, int]] = set()
        for parts in _PARTS:
            step = -(-span // parts) // _CELL * _CELL + _CELL
            for at in range(start, start + span, step):
                end = min(at + step, start + span)
                if (at, end) not in seen and any(content[at:end]):
                    seen.add((at, end))
                    less = content[:at] + bytes(end - at) + content[end:]
                    out.append(tuple((a, less if a == alloc else c) for a, c in contents))
    return tuple(out)


def _with(
    v: Variant, grid: tuple[int, int, int], scalars: tuple[tuple[int, bytes], ...]
) -> Variant:
    merged = {**dict(v.scalars), **dict(scalars)}
    changed = None if grid == v.base.grid else grid
    return Variant(v.name, v.base, grid=changed, scalars=tuple(sorted(merged.items())))


def _named(v: Variant, name: str) -> Variant:
    return Variant(name, v.base, grid=v.grid, scalars=v.scalars)


def _grids(grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    if sum(1 for g in grid if g > 1) > 1:
        yield (1, 1, 1)
    for axis, size in enumerate(grid):
        for less in _below(size):
            x, y, z = (less if axis == i else g for i, g in enumerate(grid))
            yield (x, y, z)


def _below(n: int) -> tuple[int, ...]:
    """Sizes to try below ``n``: 1, an eighth, a half, one less."""
    return tuple(sorted({x for x in (1, n // 8, n // 2, n - 1) if 1 <= x < n}))


def _positions(launch: Launch, sizes: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(at for at, a in enumerate(launch.args) if a.name in sizes and a.kind in _INTEGERS)


def _integer(launch: Launch, at: int) -> int:
    a = launch.args[at]
    return int.from_bytes(a.data, "little", signed=a.kind.startswith("i"))
