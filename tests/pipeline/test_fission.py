"""Kernels as loops between barriers: the same bytes as on stacks, and on stacks where they must."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.emulation.cuda_program import (
    BuiltProgram,
    CaptureCaps,
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
    run_program,
)
from migrate.emulation.toolchain import find_compiler
from migrate.pipeline.fission import Fission, fission_program
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.stages import read
from migrate.verify.capture import load_capture

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / "build" / "cache"
LAUNCHES = 8
"""Of each kernel in fission_kernels.cu."""
KERNELS = 13


def fission_of(name: str) -> Fission:
    (program,) = find_programs((HERE / name,))
    return fission_program(read(program, Options(Target.TILELANG, cache_dir=CACHE)))


@dataclass(frozen=True, slots=True)
class Built:
    program: BuiltProgram
    fission: Fission
    folder: Path

    def run(self, **environment: str) -> tuple[str, dict[str, tuple[str, int]]]:
        """Standard output, and for each kernel its state and its launches by regions."""
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        variables = {"CUDAMIGRATE_FISSION_REPORT": str(report.absolute()), **environment}
        setup = RunSetup(environment=tuple(variables.items()), writable=(self.folder,))
        result = run_program(self.program, setup)
        assert result.exit == 0
        return result.stdout, _states(report)


def _states(report: Path) -> dict[str, tuple[str, int]]:
    lines = report.read_text().splitlines() if report.exists() else []
    rows: list[dict[str, str | int]] = [json.loads(line) for line in lines]
    return {str(r["mangled"]): (str(r["state"]), int(r["by_regions"])) for r in rows}


def build(folder: Path, text: str, fission: Fission) -> Built:
    folder.mkdir()
    sources = CudaSources((HERE / "fission_kernels.cu",), fissioned=text)
    program = build_cuda_program(sources, folder, find_compiler(), CACHE)
    return Built(program, fission, folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("fission")
    fission = fission_of("fission_kernels.cu")
    assert fission.refused == ()
    assert len(fission.kernels) == KERNELS
    assert "cm::device_integer<uint32_t>(" in fission.text
    return build(folder / "right", fission.text, fission)


def test_loops_leave_the_same_bytes_as_stacks(built: Built) -> None:
    on_stacks, nothing = built.run(CUDAMIGRATE_FISSION="0")
    in_loops, states = built.run()
    assert nothing == {}
    assert in_loops == on_stacks
    assert len(set(on_stacks.splitlines())) > 40  # launches that change nothing would prove nothing
    # Two launches as written, two that prove, the rest in loops.
    assert states == dict.fromkeys(built.fission.kernels, ("proven", LAUNCHES - 4))
    assert built.run(CUDAMIGRATE_THREADS="1")[0] == on_stacks


def test_a_captured_launch_is_the_original_kernel(built: Built, tmp_path: Path) -> None:
    for name, setting in (("stacks", "0"), ("loops", "1")):
        setup = RunSetup(environment=(("CUDAMIGRATE_FISSION", setting),))
        capture_program(built.program, tmp_path / name, setup, CaptureCaps(max_launches=LAUNCHES))
    stacks, loops = load_capture(tmp_path / "stacks"), load_capture(tmp_path / "loops")
    assert loops.launches == stacks.launches
    captured = [x.mangled for x in loops.launches if x.skipped is None]
    assert all(captured.count(m) >= 1 for m in built.fission.kernels)
    states = _states(tmp_path / "loops" / "fission.jsonl")
    for mangled in built.fission.kernels:
        state, in_loops = states[mangled]
        assert state == "proven"
        assert in_loops <= LAUNCHES - captured.count(mangled)


def test_a_wrong_form_is_found_out_and_not_used(built: Built, tmp_path: Path) -> None:
    """Wrong numbers, a crash, and a loop that never ends."""
    changes = {
        "_Z4treePKfPfi": ("s[t] += s[t + step];", "s[t] -= s[t + step];"),
        "_Z7leavingPfi": ("s[cm_thread_x] = x[i];", "s[cm_thread_x] = *(float*)8;"),
        "_Z4scanPKiPii": ("offset = offset * 2;", ""),
    }
    text = built.fission.text
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    wrong = build(tmp_path / "wrong", text, built.fission)
    output, states = wrong.run()
    assert output == built.run(CUDAMIGRATE_FISSION="0")[0]
    assert states["_Z4treePKfPfi"] == ("differs", 0)
    assert states["_Z7leavingPfi"] == ("differs", 0)
    assert states["_Z4scanPKiPii"] == ("differs", 0)
    assert states["_Z5tiledPKfS0_Pfi"] == ("proven", LAUNCHES - 4)


def test_a_form_that_does_not_compile_is_left_out(built: Built, tmp_path: Path) -> None:
    broken = build(tmp_path / "broken", built.fission.text + "int x = ;\n", built.fission)
    output, states = broken.run()
    assert states == {}
    assert output == built.run(CUDAMIGRATE_FISSION="0")[0]


REFUSED = {
    "divergent_barrier": "barrier",
    "divergent_rounds": "barrier",
    "divergent_shuffle": "lanes of a warp can take differently",
    "partial_mask": "lanes of a warp can take differently",
    "escaping": "CM30",
    "printing": "printf",
    "asserting": "assert",
    "waiting": "waits for another thread",
    "locking": "waits for another thread",
    "ordered_sum": "depends on the turn",
    "ordered_places": "depends on the turn",
    "timed": "clock64",
    "lockstep": "volatile memory",
}
ALLOWED = {"uniform_barrier", "commuting_sum", "ordered_by_number"}
UNREAD = {"recursive"}
"""Recursion is refused by the front end."""


def test_what_has_to_stay_on_stacks() -> None:
    fission = fission_of("fission_refused.cu")

    def plain(mangled: str) -> str:
        digits = "".join(c for c in mangled[2:4] if c.isdigit())
        return mangled[2 + len(digits) :][: int(digits)]

    reasons = {plain(m): reason for m, reason in fission.refused}
    assert {plain(m) for m in fission.kernels} == ALLOWED
    assert reasons.keys() == REFUSED.keys()
    for name, part in REFUSED.items():
        assert part in reasons[name], (name, reasons[name])
    assert not UNREAD & reasons.keys()
