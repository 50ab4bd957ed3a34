"""CUB's block-wide primitives and 8-bit floats give known numbers."""

from __future__ import annotations

import numpy as np

from tests.emulation.cuda_builds import CudaBuilds, values


def test_block_and_warp_primitives(cuda: CudaBuilds) -> None:
    result = cuda.run_once("primitives")
    assert result.ok, result.stderr
    lines = values(result.stdout)
    assert result.stdout.splitlines()[0] == "cudaSuccess"
    best = max(range(96), key=lambda t: (t * 5 % 17, -t))
    most = max(t * 7 % 50 for t in range(20))
    warp = sum(range(64, 96))
    expected = [96 * 97 // 2, most, sum(range(96)), best, warp]
    assert [int(word) for word in lines["reductions"]] == expected
    assert lines["scan"] == ("0", "45", str(sum(range(95))))
    # Items 2t and 2t + 1 of the prefix sums; past the 96 that are valid, -1. Stored striped:
    # thread t's items go to t and t + 96.
    prefix = [sum(range(t)) for t in range(96)]
    assert [int(word) for word in lines["moved"]] == [prefix[6], prefix[94], prefix[7], -1]


def test_the_order_of_a_float_sum_is_that_of_the_device(cuda: CudaBuilds) -> None:
    items = np.ones(96, np.float32)
    items[40] = 1e8
    warps = items.reshape(3, 32).copy()
    for step in (1, 2, 4, 8, 16):
        for row in warps:
            for i in range(32 - step):
                row[i] = row[i] + row[i + step]
    total = (warps[0, 0] + warps[1, 0]) + warps[2, 0]
    assert values(cuda.run_once("primitives").stdout)["real"] == (f"{float(total):.9g}",)


def test_eight_bit_floats(cuda: CudaBuilds) -> None:
    lines = values(cuda.run_once("primitives").stdout)
    # 1.0625 lies half way between 1 and 1.125 (E4M3) and rounds to even; 17 between 16 and 18.
    assert lines["e4m3"] == ("38", "7e", "7e", "7e", "00", "d8", "38", "7e")
    assert lines["e5m2"] == ("3c", "5f", "5f", "64", "13", "cc", "3c", "7c")
    assert lines["back"] == ("1", "448", "448", "448", "0", "-16", "1", "448")


def test_matrix_product_of_a_warp(cuda: CudaBuilds) -> None:
    rows = (np.arange(256) % 7).reshape(16, 16)
    columns = (np.arange(256) % 5 - 2).reshape(16, 16).T  # stored column by column
    expected = 2.0 * (rows @ columns + 0.5)
    seen = [float(word) for word in values(cuda.run_once("primitives").stdout)["product"]]
    assert seen == [expected[0, 0], expected[0, 1], expected[3, 5], expected[15, 15]]
