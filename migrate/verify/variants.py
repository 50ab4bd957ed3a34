"""Further runs of captured launches on the original: other data, sizes, grids, thread orders.

The original program runs once more; at each launch that is asked for, the runtime forks, changes
what the variant says and records the outcome (``cuda_emu/emu/variants_impl.h`` describes the
words of the job file). So a variant needs no way to name the kernel or its types.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from migrate.verify.capture import Launch, parse_launch

FORWARD, REVERSE, SCATTERED = "forward", "reverse", "scattered"


@dataclass(frozen=True, slots=True)
class Variant:
    """One further run of ``base``.

    ``scalars`` are (position, bytes) of arguments, ``contents`` (allocation, bytes) of buffers that
    are set; all others must hold what ``base`` found. ``guard`` chooses what lies around
    allocations (0 or 1), ``sums`` keeps what float atomics added up, ``fresh`` lets memory that
    nobody wrote (shared memory too) hold something else. With ``instead`` the kernel
    ``base.mangled`` runs in place of the one that was launched: another instance of its template.
    """

    name: str
    base: Launch
    order: str = FORWARD
    guard: int = 0
    sums: bool = False
    fresh: bool = False
    instead: bool = False
    grid: tuple[int, int, int] | None = None
    scalars: tuple[tuple[int, bytes], ...] = ()
    contents: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Float atomic sums in one buffer: byte offsets, element bytes, additions, magnitudes.

    A magnitude is the sum of the absolute values of the first content and of all terms.
    """

    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    additions: NDArray[np.float64]
    magnitudes: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class VariantRun:
    """What became of a variant: its launch, or why there is none."""

    launch: Launch | None
    skipped: str
    sums: dict[int, Sums]


def write_job(variants: tuple[Variant, ...], folder: Path) -> Path:
    """Write the job file and the contents that it names; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for v in variants:
        lines += [f"variant {v.name} {v.base.seq} {v.base.mangled}", f"order {v.order}"]
        lines += [f"guard {v.guard}", *(["sums 1"] if v.sums else [])]
        lines += ["fresh 1"] if v.fresh else []
        lines += ["instead 1"] if v.instead else []
        if v.grid is not None:
            lines.append("grid {} {} {}".format(*v.grid))
        lines += [f"scalar {at} {data.hex()}" for at, data in v.scalars]
        lines += [f"expect {b.alloc} {b.before}" for b in v.base.buffers]
        for alloc, content in v.contents:
            name = hashlib.sha256(content).hexdigest()[:32]
            path = folder / name
            if not path.exists():
                path.write_bytes(content)
            lines.append(f"buffer {alloc} {name}")
    job = folder / "job"
    job.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return job


def read_run(variant: Variant, folder: Path) -> VariantRun:
    """The outcome that the runtime left in ``folder``."""
    path = folder / f"{variant.name}.json"
    if not path.is_file():
        lost = folder / f"{variant.name}.lost"
        return VariantRun(None, lost.read_text().strip() if lost.is_file() else "not-reached", {})
    launch = parse_launch(json.loads(path.read_text(encoding="utf-8", errors="replace")))
    if launch.skipped is not None:
        return VariantRun(None, launch.skipped, {})
    for at, data in variant.scalars:
        # The host passed another type than the kernel's: what arrived is not what was asked for.
        if launch.args[at].data != data:
            return VariantRun(None, "not-possible", {})
    return VariantRun(launch, "", _read_sums(folder / f"{variant.name}.sums"))


def _read_sums(path: Path) -> dict[int, Sums]:
    if not path.is_file() or path.stat().st_size == 0:
        return {}
    rows = np.loadtxt(path, dtype=np.float64, ndmin=2)
    found: dict[int, Sums] = {}
    for alloc in np.unique(rows[:, 0]):
        mine = rows[rows[:, 0] == alloc]
        found[int(alloc)] = Sums(
            mine[:, 1].astype(np.int64), mine[:, 2].astype(np.int64), mine[:, 3], mine[:, 4]
        )
    return found


def same_outcome(a: Launch, b: Launch) -> bool:
    """Whether two runs on the same input left the same bytes everywhere."""
    return [(x.alloc, x.after) for x in a.buffers] == [(x.alloc, x.after) for x in b.buffers] and [
        (x.name, x.after) for x in a.globals
    ] == [(x.name, x.after) for x in b.globals]


def renumbered(launch: Launch, seq: int, origin: str) -> Launch:
    """The launch as a generated one with a number of its own; ``origin`` says what was changed."""
    return replace(launch, seq=seq, source="generated", origin=origin, base=launch.seq)
