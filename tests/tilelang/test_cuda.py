"""The same sources lower to CUDA; where nvcc is found, it takes the result."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import CASES, convert

from migrate.verify.tilelang_replay import tilelang_installed

pytestmark = [
    pytest.mark.tilelang,
    pytest.mark.skipif(not tilelang_installed(), reason="TileLang is not installed"),
]
NVCC_CASES = ("saxpy", "wraparound", "halves", "compaction", "block_and_thread", "atomics")


@pytest.fixture(scope="session")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the CUDA text of every case."""
    root = tmp_path_factory.mktemp("cuda")
    paths = []
    for case in CASES:
        path = root / f"{case.name}.py"
        path.write_bytes(convert(case).files[0].content)
        paths.append(str(path))
    script = Path(__file__).with_name("lower_cuda.py")
    environment = {**os.environ, "TILELANG_CACHE_DIR": str(root / "cache")}
    run = subprocess.run(
        [sys.executable, str(script), *paths],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return root


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_lowers_for_sm_80(case: object, lowered: Path) -> None:
    name = getattr(case, "name")  # noqa: B009
    text = (lowered / f"{name}.cu").read_text()
    assert "__global__ void __launch_bounds__" in text and f"{name}_kernel" in text


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not found")
@pytest.mark.parametrize("name", NVCC_CASES)
def test_nvcc_takes_it(name: str, lowered: Path) -> None:
    found = importlib.util.find_spec("tilelang")
    assert found is not None and found.origin is not None
    home = Path(found.origin).parent
    command = [
        "nvcc", "-std=c++20", "-w", "--cubin", "-gencode", "arch=compute_80,code=sm_80",
        f"-I{home / 'src'}", f"-I{home / '3rdparty' / 'cutlass' / 'include'}",
        str(lowered / f"{name}.cu"), "-o", str(lowered / f"{name}.cubin"),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
