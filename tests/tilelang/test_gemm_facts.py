"""Why matrix products of the corpus are no ``T.gemm``: what TileLang makes of it, as measured."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from migrate.verify.tilelang_replay import tilelang_installed

pytestmark = [
    pytest.mark.tilelang,
    pytest.mark.skipif(not tilelang_installed(), reason="TileLang is not installed"),
]
SCRIPT = Path(__file__).with_name("lower_gemm.py")
FLOATS = "16,float32,float32,32"
THREAD_EACH = "16,float32,float32,256"
INTEGERS = "16,int32,int32,32"
BYTES = "16,int8,int32,32"


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The CUDA of each product, or the refusal."""
    products = (FLOATS, THREAD_EACH, INTEGERS, BYTES)
    command = [sys.executable, str(SCRIPT), str(tmp_path_factory.mktemp("gemm")), *products]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    parts = re.split(r"^product (\S+)\n", done.stdout, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def instructions(text: str) -> set[str]:
    """The types and sizes of the tensor-core instructions in CUDA."""
    calls = re.findall(r"mma_sync<([^>]*)>", text)
    return {c.replace("tl::DataType::", "").removesuffix(", false, true") for c in calls}


def test_factors_of_f32_are_rounded_to_tf32(lowered: dict[str, str]) -> None:
    assert instructions(lowered[FLOATS]) == {"kTensorFloat32, kTensorFloat32, kFloat32, 16, 8, 8"}


def test_16_rows_and_columns_do_not_take_a_thread_each(lowered: dict[str, str]) -> None:
    refused = "refused: No valid warp partition for T.gemm: M=16, N=16"
    assert lowered[THREAD_EACH].startswith(refused)


def test_integers_and_short_rows_of_bytes_have_no_instruction(lowered: dict[str, str]) -> None:
    """TileLang prints calls for which its header has no instruction."""
    spec = find_spec("tilelang")
    assert spec is not None and spec.origin is not None
    cuda = Path(spec.origin).parent / "src" / "tl_templates" / "cuda"
    header = (cuda / "instruction" / "mma.h").read_text("utf-8")
    dispatchers = re.findall(r"TL_DEFINE_MMA_DISPATCHER\(([^)]*?),\s*(?:false|true)", header)
    offered = {" ".join(d.split()) for d in dispatchers}
    assert "kInt8, kInt8, kInt32, 16, 8, 32" in offered
    for product in (INTEGERS, BYTES):
        found = instructions(lowered[product])
        assert found and not found & offered
