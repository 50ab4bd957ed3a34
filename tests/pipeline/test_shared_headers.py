"""A header that two programs share: one file where both agree, else one version each."""

from __future__ import annotations

from pathlib import Path

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.run import ProgramRun, run_all
from migrate.pipeline.summary import shared_differences, tree_files
from migrate.rules.catalogue import load_catalogue

HEADER = (
    "#pragma once\n"
    "template <class T> __global__ void scale(T* x) { x[threadIdx.x] = x[threadIdx.x] * T(2); }\n"
)
MAIN = (
    '#include "scale.cuh"\nint main() {{ {kind}* x; cudaMalloc(&x, 64); scale<<<1, 16>>>(x); }}\n'
)


def _runs(folder: Path, **kinds: str) -> tuple[ProgramRun, ...]:
    source = folder / "in"
    source.mkdir()
    (source / "scale.cuh").write_text(HEADER)
    for name, kind in kinds.items():
        (source / f"{name}.cu").write_text(MAIN.format(kind=kind))
    options = Options(Target.ASCEND_910B, cache_dir=folder / "cache", run=False, jobs=1)
    return run_all(find_inputs((source,)).programs, options, load_catalogue())


def test_a_second_version_stands_beside_the_first(tmp_path: Path) -> None:
    runs = _runs(tmp_path, one="float", two="int")
    headers = {f.path.name: f.content for f in tree_files(runs) if "scale" in f.path.name}
    assert sorted(headers) == ["scale.cuh", "scale.two.cuh"]
    assert b"(int*)x" in headers["scale.two.cuh"] and b"(float*)x" in headers["scale.cuh"]
    (found,) = shared_differences(runs)
    assert found.code.id == "CM0054"
    assert found.cause.endswith("scale.cuh is the version of one; that of two is scale.two.cuh")


def test_one_version_for_programs_that_agree(tmp_path: Path) -> None:
    runs = _runs(tmp_path, one="float", two="float")
    assert [f.path.name for f in tree_files(runs) if "scale" in f.path.name] == ["scale.cuh"]
    assert shared_differences(runs) == ()
