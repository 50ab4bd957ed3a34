"""TileLang spellings give CUDA's numbers: the real compiler's C target against CUDA's functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from numbers_cxx import CUDA_HALVES, Case, Inputs, emulator_flags, make_inputs, run_program
from numbers_tilelang import run_tilelang
from test_numbers import CUDA_HEADERS, TILELANG, Numbers, check, spelled, spelling_of


def _tilelang_numbers(kept: list[Case], inputs: Inputs, work: Path) -> Numbers:
    pairs = [(c, s) for c in kept if (s := spelling_of(c, TILELANG)) is not None]
    flags = emulator_flags("cuda_emu")
    items = [(c, c.cuda) for c, _ in pairs]
    cuda = run_program(items, inputs, CUDA_HEADERS, CUDA_HALVES, flags, work / "cuda").values
    done = run_tilelang(pairs, inputs, work / "tilelang")
    return Numbers(inputs, cuda, done.values, done.missing)


def _check_all(kept: list[Case], numbers: Numbers) -> None:
    problems: list[str] = []
    for case in kept:
        if case.name not in numbers.cuda:
            continue
        try:
            check(case, numbers, TILELANG)
        except AssertionError as error:
            problems.append(f"{case.name}: {error}")
    assert not problems, "\n".join(problems)


@pytest.mark.tilelang
def test_tilelang_of_floats(tmp_path: Path) -> None:
    pytest.importorskip("tilelang")
    kept = [
        c
        for c in spelled(TILELANG)
        if c.signature.params == ("f32",) and c.signature.result == "f32"
    ]
    _check_all(kept, _tilelang_numbers(kept, make_inputs(), tmp_path))


@pytest.mark.tilelang
@pytest.mark.slow
def test_tilelang(tmp_path: Path) -> None:
    """All others; each combination of types is one kernel, minutes in all."""
    pytest.importorskip("tilelang")
    kept = [
        c
        for c in spelled(TILELANG)
        if not (c.signature.params == ("f32",) and c.signature.result == "f32")
    ]
    _check_all(kept, _tilelang_numbers(kept, make_inputs(), tmp_path))
