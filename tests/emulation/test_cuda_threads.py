"""Barriers, warp operations, groups, atomics and shared memory against a model in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from migrate.emulation.cuda_program import run_program
from tests.emulation.cuda_builds import CudaBuilds, values

_SIZE = 4096


def _summary(out: list[int]) -> tuple[int, int, int, int]:
    full = out + [0] * (_SIZE - len(out))
    mixed = 0
    for value in full:
        mixed = (mixed * 31 + value) & 0xFFFFFFFF
    return full[0], full[1], sum(full) & 0xFFFFFFFF, mixed


def _shuffles() -> list[int]:
    out: list[int] = []
    for t in range(32):
        xor_four = 100 + (t ^ 4) if (t ^ 4) < (t // 4 + 1) * 4 else 100 + t
        out += [
            105,
            100 + (t - 3 if t >= 3 else t),
            100 + (t + 3 if t % 8 + 3 < 8 else t),
            100 + (t ^ 9),
            100 + t // 8 * 8 + 3,
            100 + (t + 1 if t < 31 else t),
            xor_four,
            t - 1 if t else 0,
        ]
    return out


def _votes() -> list[int]:
    ballot = sum(1 << t for t in range(32) if t % 4 == 1)
    match = [sum(1 << o for o in range(32) if o // 5 == t // 5) for t in range(32)]
    out: list[int] = []
    for t in range(32):
        out += [ballot, 1, 0, match[t], 0xFFFFFFFF + 1, sum(range(32)) - 640, -20, 0x7F]
    return out


def _halves() -> list[int]:
    odd = sum(1 << t for t in range(16, 32) if t % 2)
    return [(t ^ 1) + 16 for t in range(16)] + [odd] * 16


def _lanes_gone() -> list[int]:
    lanes: dict[int, int] = {t: t for t in range(0, 32, 2)}
    for step in (16, 8, 4, 2):
        lanes = {t: v + lanes[t + step if t + step < 32 else t] for t, v in lanes.items()}
    return [lanes[0]]


def _groups() -> list[int]:
    out: list[int] = []
    for t in range(64):
        tile = range(t // 8 * 8, t // 8 * 8 + 8)
        warp = [o for o in range(t // 32 * 32, t // 32 * 32 + 32) if o % 3 == 0]
        shifted = t + 1 if t % 8 < 7 else t
        active = 0
        if t % 3 == 0:
            active = len(warp) * 100 + warp.index(t)
            shifted += warp[1]
        ballot = sum(1 << o % 8 for o in tile if o % 3 == 0)
        first = [t % 8 + 10 * (t // 8), shifted, sum(tile), max(tile)]
        out += [*first, ballot, t % 8 + 1, int(t >= 32), active]
    return out


def _dimensions() -> list[int]:
    return [
        x + 10 * y + 100 * z + 1000 * block
        for block in range(12)
        for z in range(3)
        for y in range(2)
        for x in range(4)
    ]


def _predicates() -> list[int]:
    return [34, 1, 1] * 100


def _whole_grid() -> list[int]:
    return [255 - t + 1000 * (t // 64 + 1) for t in range(256)]


_EXPECTED: dict[str, Callable[[], list[int]]] = {
    "tree": lambda: [200 * 201 // 2] * 4,
    "reversed": lambda: list(reversed(range(96))),
    "through_function": lambda: [2 * (t ^ 1) for t in range(64)],
    "early_exit": lambda: [40] * 40,
    "predicates": _predicates,
    "shuffles": _shuffles,
    "votes": _votes,
    "halves_of_a_warp": _halves,
    "lanes_gone": _lanes_gone,
    "groups": _groups,
    "whole_grid": _whole_grid,
    "large_grid": lambda: [4095 - t + 1000 * (t // 256 + 1) for t in range(4096)],
    "lock": lambda: [8 * 64, 0],
    "flag": lambda: [7, 3],
    "parent": lambda: [0] * 16 + [16] * 8,
    "poisoned": lambda: [1, 1, 1, 1],
    "dimensions": _dimensions,
    "added": lambda: [5 + t for t in range(64)],
    "constant": lambda: [3] * 32,
    "pointer": lambda: [1 + t for t in range(4)],
    "untyped": lambda: [9, 9],
}


def _lines(cuda: CudaBuilds, threads: str) -> dict[str, tuple[str, ...]]:
    result = cuda.run_once("threads", CUDAMIGRATE_THREADS=threads)
    assert result.ok, result.stderr
    return values(result.stdout)


@pytest.mark.parametrize("name", sorted(_EXPECTED))
@pytest.mark.parametrize("threads", ["1", "2"])
def test_kernel_gives_the_numbers_of_the_model(cuda: CudaBuilds, name: str, threads: str) -> None:
    seen = _lines(cuda, threads)[name]
    assert seen[4] == "cudaSuccess"
    got = tuple(int(word) & 0xFFFFFFFF for word in seen[:4])
    expected = _summary(_EXPECTED[name]())
    assert got == tuple(value & 0xFFFFFFFF for value in expected)


def test_atomics_of_every_type(cuda: CudaBuilds) -> None:
    lines = _lines(cuda, "2")
    assert lines["atomic_values"] == ("5000", "2500", str((1 << 40) + 9999))
    n = 10000
    xor = 0
    for t in range(n):
        xor ^= t
    dec = 0
    for _ in range(n):
        dec = 9 if dec == 0 or dec > 9 else dec - 1
    # 10,000 additions of 1 in half precision stop at 2048, where 1 is half a unit.
    half_2048 = 0x6800
    expected = [sum(range(n)), -2 * n, n - 1, -(n - 1), 0, (1 << 14) - 1, xor, n % 10, dec, 5]
    got = tuple(int(word) for word in lines["atomics"][:2])
    assert got == (expected[0], expected[1])
    # out[10] depends on the order only through t == 0, which always finds 0 at first or later.
    total = int(lines["atomics"][2]) & 0xFFFFFFFF
    rest = (total - sum(expected) - half_2048) & 0xFFFFFFFF
    assert 1 <= rest <= n


def test_a_cooperative_grid_must_fit_the_device(cuda: CudaBuilds) -> None:
    assert _lines(cuda, "1")["too_large"] == ("cudaErrorCooperativeLaunchTooLarge",)


def test_every_program_line_is_checked(cuda: CudaBuilds) -> None:
    seen = set(_lines(cuda, "1")) - {"atomics", "atomic_values", "too_large"}
    assert seen == set(_EXPECTED)


def test_portable_stack_switches_give_the_same_output(cuda: CudaBuilds) -> None:
    portable = run_program(cuda("threads", "-DCUDA_EMU_UCONTEXT"))
    own = cuda.run_once("threads", CUDAMIGRATE_THREADS="1")
    assert portable.ok, portable.stderr
    assert values(portable.stdout).keys() == values(own.stdout).keys()
    lines = (text.splitlines() for text in (portable.stdout, own.stdout))
    different = [a for a, b in zip(*lines, strict=True) if a != b]
    assert all(line.startswith("atomics ") for line in different)
