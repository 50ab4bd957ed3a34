"""Every seeded fault is found at its line, and its twin without the fault is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.diagnostics import Severity
from tests.checks.check_builds import CheckBuild, Fault, seeded_faults

FAULTS = seeded_faults()


def test_there_are_six_of_each_kind() -> None:
    files = [fault.file for fault in FAULTS]
    assert {name: files.count(name) for name in files} == {
        "bounds.cuh": 6,
        "idioms.cuh": 3,
        "leaks.cuh": 6,
        "races.cuh": 6,
        "streams.cuh": 2,
        "unwritten.cuh": 6,
    }


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_at_its_line(seeded: CheckBuild, fault: Fault) -> None:
    found = seeded.found(fault.name, "wrong")
    places = {(d.code.id, Path(d.span.file).name, d.span.line) for d in found}
    assert (fault.code, fault.file, fault.line) in places
    faults = [d for d in found if d.severity is Severity.ERROR]
    assert [d.code.id for d in faults] == [fault.code]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_twin_is_silent(seeded: CheckBuild, fault: Fault) -> None:
    run = seeded.run(fault.name, "right")
    assert run.result.ok
    assert seeded.found(fault.name, "right") == ()
