"""The CUDA that TileLang makes of migrated corpus programs compiles and gives the same numbers."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.prove import Job, job_of, kernel_tasks
from migrate.pipeline.run import prepare
from migrate.pipeline.stages import convert_program
from migrate.pipeline.suite import SuiteProgram, load_suite
from migrate.pipeline.tilelang_cuda import CudaKernel, prove_suite_cuda
from migrate.rules.catalogue import load_catalogue
from migrate.verify.evidence import KernelEvidence, Verdict
from migrate.verify.judge import judge
from migrate.verify.tilelang_cuda import replay_tilelang_cuda
from migrate.verify.tilelang_replay import tilelang_installed

pytestmark = [
    pytest.mark.tilelang,
    pytest.mark.slow,
    pytest.mark.skipif(not tilelang_installed(), reason="TileLang is not installed"),
]
CORPUS = Path(__file__).parents[2] / "corpus"
FEATURES = {
    "saxpy": "a flat map",
    "complex_multiply": "vectors and structs",
    "layernorm_block": "reductions over a block",
    "reverse_shared": "shared memory, static and dynamic",
    "shuffle_reduction": "values exchanged in a warp",
    "histogram_shared": "atomic operations on shared memory",
}
"""One program for each thing that the CUDA of kernels has; ``cudamigrate tilelang-cuda corpus`` takes
all of them."""
PROGRAMS = {
    p.source.name: p
    for p in load_suite(CORPUS, None, "{program}", frozenset())
    if p.source.name in FEATURES
}
OPTIONS = Options(Target.TILELANG, jobs=2)


@pytest.fixture(scope="session")
def proven(request: pytest.FixtureRequest) -> dict[str, tuple[CudaKernel, ...]]:
    """The results of every program that a selected test asks for, two at a time."""
    asked = {
        str(item.callspec.params["name"])
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and item.path == Path(__file__)
        and "proven" in item.fixturenames
    }
    suite = tuple(p for name, p in PROGRAMS.items() if name in asked)
    found = prove_suite_cuda(suite, OPTIONS, load_catalogue())
    return {name: tuple(k for k in found if k.program == name) for name in asked}


def _expected(program: SuiteProgram) -> dict[str, int]:
    return {e.kernel: 0 for e in program.expectations if e.target is Target.TILELANG}


def test_every_feature_has_its_program() -> None:
    assert PROGRAMS.keys() == FEATURES.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_equal(name: str, proven: dict[str, tuple[CudaKernel, ...]]) -> None:
    kernels = proven[name]
    assert len(kernels) >= len(_expected(PROGRAMS[name])) > 0
    for k in kernels:
        assert k.lowered, k
        assert k.verdict is Verdict.EQUAL_CAPTURED, k
        assert k.launches > 0, k


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not found")
@pytest.mark.parametrize("name", PROGRAMS)
def test_nvcc_takes_it(name: str, proven: dict[str, tuple[CudaKernel, ...]]) -> None:
    assert [k.nvcc for k in proven[name]] == ["compiled"] * len(proven[name])


FAULTS = {
    "another operation": ("a * x[i]", "a - x[i]", "elements differ"),
    "the tail is dropped": ("i < n", "i < n - 1", "elements differ"),
    "the guard is gone": ("i < lanes and i < n", "i < lanes", "wrote outside buffer 1"),
}


@pytest.fixture(scope="session")
def edited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, KernelEvidence]:
    """The evidence on a kernel with each of the faults, all lowered by one process."""
    work = tmp_path_factory.mktemp("edited")
    program = PROGRAMS["saxpy"]
    options = replace(OPTIONS, program_args=program.args)
    prepared = prepare(program.source, options, work)
    conversion = convert_program(prepared.source, prepared.program, options, load_catalogue())
    (file,) = (f for f in conversion.artifact.files if f.path.name == "saxpy.py")
    (task,) = kernel_tasks(conversion, prepared.oracle)
    emitted, kernel, module, launches = job_of(task)
    text = file.content.decode()
    jobs: list[Job] = []
    for fault, (old, new, _) in FAULTS.items():
        assert text.count(old) == 1
        path = PurePosixPath(f"{len(jobs)}.py")
        (work / path).write_text(text.replace(old, new))
        jobs.append((replace(emitted, symbol=fault, file=path), kernel, module, launches))
    capture = prepared.oracle.capture
    assert capture is not None
    found = replay_tilelang_cuda(work, jobs, capture, options, work / "replay")
    return {
        fault: judge(kernel, module, task.launches, found[fault].replayed, capture)
        for fault in FAULTS
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, edited: dict[str, KernelEvidence]) -> None:
    """The comparison sees what is wrong with a kernel, a write past a buffer included."""
    assert edited[fault].verdict is Verdict.DIFFERENT
    assert FAULTS[fault][2] in edited[fault].diagnostics[0].cause
