"""docs/confidence.md states the weights that the code uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrate.core.rung import Rung
from migrate.report.confidence import confidence_of
from migrate.verify.compare import Difference
from migrate.verify.evidence import (
    BufferEvidence,
    KernelEvidence,
    LaunchEvidence,
    ProgramEvidence,
    Verdict,
)

PAGE = Path(__file__).parents[2] / "docs" / "confidence.md"
CHECKED = ProgramEvidence("pass", "pass", "fail")


def _stated() -> dict[str, float]:
    rows = re.findall(r"^\| (.+?) \| (\d\.\d\d) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r":.*", "", name): float(value) for name, value in rows}


STATED = _stated()


def _launch(grid: int, bit_equal: bool = True) -> LaunchEvidence:
    difference = Difference(True, bit_equal, 1, 0, 0.0, 0.0, 0, (), 1.0, ())
    buffer = BufferEvidence("x", "f32", 4, True, difference)
    return LaunchEvidence(0, "captured", (grid, 1, 1), (32, 1, 1), (buffer,))


BEST = (_launch(1), _launch(2))


def _value(
    launches: tuple[LaunchEvidence, ...] = BEST,
    *,
    verdict: Verdict = Verdict.DEVICE_EQUAL,
    rung: Rung = Rung.SIMT,
    program: ProgramEvidence = CHECKED,
) -> float:
    return confidence_of(KernelEvidence("k", verdict, launches), rung, program).value


def test_every_row_is_tested() -> None:
    assert len(STATED) == 14


@pytest.mark.parametrize("verdict", ["refused", "different", "emitted", "compiled"])
def test_not_compared(verdict: str) -> None:
    assert _value((), verdict=Verdict(verdict)) == STATED[f"`{verdict}`"]


@pytest.mark.parametrize("rung", ["simt", "scalar", "lanes", "tile"])
def test_rungs(rung: str) -> None:
    several = STATED["several launches of several shapes were compared"]
    assert _value(rung=Rung(rung)) == pytest.approx(1 - several - STATED[f"rung `{rung}`"])


@pytest.mark.parametrize(
    ("row", "launches"),
    [
        ("one launch was compared", (_launch(1),)),
        ("several launches of one shape (grid and block) were compared", (_launch(1), _launch(1))),
        ("several launches of several shapes were compared", BEST),
    ],
)
def test_launches(row: str, launches: tuple[LaunchEvidence, ...]) -> None:
    assert _value(launches) == pytest.approx(1 - STATED["rung `simt`"] - STATED[row])


def test_what_else_is_taken_away() -> None:
    best = _value()
    inexact = _value((_launch(1, bit_equal=False), _launch(2)))
    assert best - inexact == pytest.approx(STATED["equal within tolerance, not bit for bit"])
    for program in (ProgramEvidence(), ProgramEvidence("pass", "pass", "pass")):
        taken = best - _value(program=program)
        assert taken == pytest.approx(STATED["no whole-program check that can fail"])
    taken = best - _value(verdict=Verdict.EQUAL)
    assert taken == pytest.approx(STATED["not run on a device"])


def test_the_worked_example() -> None:
    assert _value(verdict=Verdict.EQUAL) == 0.93
    assert _value() == 0.96
