"""Work that runs later than it is called, and threads of a block that meet in parts."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

_EXPECTED = {
    "scalars": ("6", "12", "90", "180"),
    "sparse_host": ("5", "10"),
    "sparse_device": ("7", "14"),
    "ilu": ("4", "2", "0.5", "4", "1", "2", "4", "0"),
    "zero_pivot": ("9", "0"),
    "callbacks": ("3", "0", "30", "-10", "80", "-20"),
    "graph_memory": ("1", "0", "0", "1", "0", "0"),
    "random": ("1", "1", "1"),
    "nested": ("0", "153600"),
    "families": ("0", "-128"),
    "wide": ("2016", "6112", "3", "1067"),
    "roles": ("3609", "3600"),
    "named": ("0", "17"),
    "distances": ("614",),
    "long_texture": ("0", "5", "0"),
}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_answers_as_cuda_does(cuda: CudaBuilds, name: str) -> None:
    result = cuda.run_once("deferred_work")
    assert result.ok, result.stderr
    assert values(result.stdout)[name] == _EXPECTED[name]


def test_without_kernels_the_libraries_do_nothing_either(cuda: CudaBuilds) -> None:
    result = cuda.run("deferred_work", CUDAMIGRATE_SKIP_KERNELS="1")
    shown = values(result.stdout)
    assert shown["scalars"] == ("1", "2", "0", "0")
    assert shown["sparse_host"] == ("0", "0")
    assert shown["callbacks"][2:] == ("1", "2", "3", "5")
