"""Functions of pairs of halves: what each lane computes (CUDA Math API, half2 functions)."""

from __future__ import annotations

import pytest

from tests.frontend.conftest import Read, kernel_body

T, F = "call<bool> __hltu(p.x, q.x)", "call<bool> __hltu(p.y, q.y)"
CASES = [
    ("h[0] = __hgt2(p, q);",
     "h[0:i32] = make<half2>(((p.x > q.x) ? 1.0:f16 : 0.0:f16), ((p.y > q.y) ? 1.0:f16 : 0.0:f16))"),
    ("u[0] = __hge2_mask(p, q);",
     "u[0:i32] = (((p.x >= q.x) ? 65535:u32 : 0:u32) | ((p.y >= q.y) ? 4294901760:u32 : 0:u32))"),
    ("u[0] = __hbltu2(p, q);", f"u[0:i32] = cast<u32>(({T} && {F}))"),
    ("h[0] = __hmul2_sat(p, q);",
     "h[0:i32] = make<half2>(call<f16> __hmul_sat(p.x, q.x), call<f16> __hmul_sat(p.y, q.y))"),
    ("h[0] = __hisnan2(p);",
     "h[0:i32] = make<half2>((call<bool> __hisnan(p.x) ? 1.0:f16 : 0.0:f16),"
     " (call<bool> __hisnan(p.y) ? 1.0:f16 : 0.0:f16))"),
    ("h[0] = __hcmadd(p, q, r);",
     "h[0:i32] = make<half2>(call<f16> __hfma((- p.y), q.y, call<f16> __hfma(p.x, q.x, r.x)),"
     " call<f16> __hfma(p.y, q.x, call<f16> __hfma(p.x, q.y, r.y)))"),
    ("__stwt(h, __ldca(h + 1));", "h[0:i32] = h[1:i32]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), CASES, ids=[c[0] for c in CASES])
def test_what_the_lanes_compute(read: Read, text: str, line: str) -> None:
    unit = read(
        "#include <cuda_fp16.h>\n"
        f"__global__ void k(half2* h, unsigned* u, half2 p, half2 q, half2 r) {{ {text} }}"
    )
    assert kernel_body(unit)[-1].removeprefix("store ") == line
