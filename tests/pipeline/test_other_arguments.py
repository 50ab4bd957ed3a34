"""Kernels that the given arguments do not reach: which further runs are made, and which count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.program import Program
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import run_oracle
from migrate.pipeline.other_arguments import FIRST_OTHER, option_words, other_arguments
from migrate.pipeline.stages import read
from migrate.verify.capture import Capture, Launch
from migrate.verify.evidence import Verdict
from migrate.verify.judge import Replayed, ReplayedLaunch, judge

ROOT = Path(__file__).resolve().parents[2]
SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
template <int S> __global__ void add(int n, const float* x, float* y) { int i = threadIdx.x; if (i < n) y[i] += S * x[i]; }
__global__ void wrong(int n, const float* x, float* y) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }
__global__ void crash(float* y) { y[threadIdx.x] = 0; }
int main(int argc, char** argv) {
  const std::string op = argv[1];
  const bool spoil = argc > 2 && !strcmp(argv[2], "--spoil");
  if (argc > 2 && !spoil) { printf("usage: %s add|sub [--spoil]\n", argv[0]); return 2; }
  float h[40], *x, *y;
  for (int i = 0; i < 40; ++i) h[i] = i + 1;
  cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof h);
  if (op == "add") add<1><<<1, 64>>>(40, x, y);
  if (op == "sub") add<-1><<<1, 64>>>(40, x, y);
  if (op == "none") { crash<<<1, 32>>>(y); abort(); }
  if (spoil) wrong<<<1, 64>>>(40, x, y);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s\n", h[39] == (op == "sub" ? -40 : 40) && !spoil ? "PASS" : "FAIL");
}
"""
PLUS, MINUS = "_Z3addILi1EEviPKfPf", "_Z3addILin1EEviPKfPf"


def _run(
    work: Path, fuzz: int, given: tuple[tuple[str, ...], ...] = (), source: str = SOURCE
) -> tuple[Program, Capture]:
    path = work / "main.cu"
    path.write_text(source)
    (program,) = find_programs((path,))
    options = Options(
        Target.TILELANG,
        cache_dir=ROOT / "build" / "cache",
        reuse_runs=False,
        fuzz=fuzz,
        program_args=("add",),
        other_args=given,
    )
    ir = read(program, options)
    found = run_oracle(program, options, work / "oracle", ir)
    assert found.original == "pass"
    assert found.capture is not None
    return ir, found.capture


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Capture]:
    return _run(tmp_path_factory.mktemp("others"), 2)


def _of(capture: Capture, mangled: str, source: str) -> list[Launch]:
    return [x for x in capture.of_kernel(mangled) if x.source == source]


def test_kernels_are_captured_in_runs_with_other_arguments(ran: tuple[Program, Capture]) -> None:
    _, capture = ran
    (given,) = _of(capture, PLUS, "captured")
    (other,) = _of(capture, MINUS, "captured")
    assert (given.seq, given.origin) == (0, "")
    assert other.seq >= FIRST_OTHER
    assert other.origin == "with the arguments sub"
    made = _of(capture, MINUS, "generated")
    assert len(made) == 2
    assert all(x.base == other.seq and x.origin.startswith(other.origin) for x in made)
    assert all("of another instance" not in x.origin for x in made)
    assert len({x.seq for x in capture.launches}) == len(capture.launches)
    for launch in (other, *made):
        assert launch.order is not None
        for b in launch.buffers:
            assert len(capture.blob(b.before)) == len(capture.blob(b.after)) == b.size


def test_runs_that_fail_their_own_check_give_nothing(ran: tuple[Program, Capture]) -> None:
    names = {x.kernel for x in ran[1].launches}
    assert names == {"add"}  # not `wrong` (FAIL), not `crash` (aborts)


def test_arguments_that_the_suite_gives_come_first(tmp_path: Path) -> None:
    """A word that no rule would come upon, since the program makes it of two."""
    strange = SOURCE.replace('op == "sub"', 'op == std::string("s") + "ub"')
    assert strange != SOURCE
    lost = _run(_folder(tmp_path, "lost"), 1, source=strange)[1]
    assert _of(lost, MINUS, "captured") == []
    found = _run(_folder(tmp_path, "found"), 1, (("sub",),), strange)[1]
    (other,) = _of(found, MINUS, "captured")
    assert other.origin == "with the arguments sub"


def _folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def test_without_generated_launches_no_other_run_is_made(tmp_path: Path) -> None:
    _, capture = _run(tmp_path, 0)
    assert [x.mangled for x in capture.launches] == [PLUS]


def test_arguments_differ_in_one_place() -> None:
    found = list(other_arguments(("add", "1", "64"), ("add", "-v", "sub")))
    assert found[:3] == [("sub", "1", "64"), ("add", "1", "64", "-v"), ("add", "0", "64")]
    assert ("add", "1", "128") in found
    assert ("add", "1", "2") in found
    assert ("add", "1", "1024") in found
    assert ("add", "16", "64") not in found
    args = ("add", "1", "64")
    for other in found:
        if len(other) == len(args):
            assert sum(a != b for a, b in zip(args, other, strict=True)) == 1


@pytest.mark.parametrize(
    ("literal", "counts"),
    [
        ("bgmv_expand", True),
        ("--vectorize", True),
        ("-v", True),
        ("a message", False),
        ("%d", False),
        ("data.txt", False),
        ("", False),
        ("---", False),
    ],
)
def test_words_are_what_a_command_line_could_hold(
    tmp_path: Path, literal: str, counts: bool
) -> None:
    source = tmp_path / "main.cu"
    source.write_text(f'/* "not-code" */ const char* s = "{literal}"; char c = \'q\';')
    assert option_words((source,), ()) == ((literal,) if counts else ())


def test_the_verdict_names_the_arguments(ran: tuple[Program, Capture]) -> None:
    ir, capture = ran
    for mangled, codes in ((PLUS, []), (MINUS, ["CM5018"])):
        unit, kernel = next((u, k) for u, k in ir.kernels if k.mangled == mangled)
        launches = capture.of_kernel(mangled)
        rows = tuple(
            ReplayedLaunch(x.seq, {b.alloc: capture.blob(b.after) for b in x.buffers})
            for x in launches
        )
        found = judge(kernel, unit.module, launches, Replayed(True, rows), capture)
        assert found.verdict.is_equal
        assert [d.code.id for d in found.diagnostics] == codes
        spoiled = replace(rows[0], buffers={b.alloc: bytes(b.size) for b in launches[0].buffers})
        wrong = judge(kernel, unit.module, launches, Replayed(True, (spoiled,)), capture)
        assert wrong.verdict is Verdict.DIFFERENT
