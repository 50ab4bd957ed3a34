"""Memory, symbols, errors, streams and device queries as host code sees them."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

_INVALID = "cudaErrorInvalidValue"
_EXPECTED = {
    "symbols": ("102", "104", "160", "180", "4", "10"),
    "symbol_address": ("4", "16"),
    "symbol_range": (_INVALID,),
    "pitched": ("1", "9", "2", "9", "20"),
    "poison": ("fff5fff5", "1"),
    "over": (_INVALID,),
    "offset": ("cudaSuccess",),
    "not_device": (_INVALID,),
    "memset_over": (_INVALID,),
    "direction": ("cudaErrorInvalidMemcpyDirection",),
    "free_null": ("cudaSuccess",),
    "too_much": ("cudaErrorMemoryAllocation",),
    "threads": ("cudaErrorInvalidConfiguration",),
    "no_blocks": ("cudaErrorInvalidConfiguration",),
    "grid_y": ("cudaErrorInvalidConfiguration",),
    "block_z": ("cudaErrorInvalidConfiguration",),
    "shared": (_INVALID,),
    "fine": ("cudaSuccess",),
    "free_twice": ("cudaSuccess", _INVALID),
    "reset": ("cudaErrorInvalidConfiguration", "cudaSuccess"),
    "unrecorded": ("cudaErrorInvalidResourceHandle",),
    "elapsed": ("cudaSuccess", "1"),
    "callback": ("4", "cudaSuccess"),
    "device": ("32", "1024", "1", "1", "cudaErrorInvalidDevice"),
    "occupancy": ("4",),
    "pinned": ("1",),
    "vectors": ("12", "16", "16", "3", "8"),
}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_call_answers_as_cuda_does(cuda: CudaBuilds, name: str) -> None:
    result = cuda.run_once("host_api")
    assert result.ok, result.stderr
    assert values(result.stdout)[name] == _EXPECTED[name]


def test_bad_copies_say_what_was_wrong(cuda: CudaBuilds) -> None:
    messages = cuda.run_once("host_api").stderr
    assert "cudaMemcpy: 17 bytes at offset 0 leave allocation" in messages
    assert "is not device memory" in messages
    assert "which is not a live allocation" in messages


def test_fresh_memory_can_start_as_zeros(cuda: CudaBuilds) -> None:
    result = cuda.run("host_api", CUDAMIGRATE_FRESH_MEMORY="zero")
    assert values(result.stdout)["poison"] == ("0", "0")
