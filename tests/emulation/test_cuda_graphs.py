"""Graphs, captures and untyped kernel pointers: work is held back and runs at each launch."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

_EXPECTED = {
    "held_back": ("0", "0", "-1", "1"),
    "captured": ("6", "3", "6", "0"),
    "legacy": ("cudaErrorStreamCaptureUnsupported", "1"),
    "after": ("7",),
    "by_hand": ("6",),
    "updated": ("78",),
    "circle": ("cudaErrorInvalidValue",),
    "pointer": ("31",),
    "launch_ex": ("32",),
    "unknown": ("cudaErrorInvalidDeviceFunction",),
}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_graph_calls_answer_as_cuda_does(cuda: CudaBuilds, name: str) -> None:
    result = cuda.run_once("graphs")
    assert result.ok, result.stderr
    assert values(result.stdout)[name] == _EXPECTED[name]
