"""Texture fetches and surface accesses reach the IR by name; targets without them refuse."""

from __future__ import annotations

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.lifting.lift import lift
from tests.frontend.conftest import Read, codes, kernel_body, only_kernel

SURFACES = """
    __global__ void k(cudaSurfaceObject_t s, cudaTextureObject_t t, float* out) {
      int x = threadIdx.x;
      float v;
      surf2Dread(&v, s, x * 4, 1);
      surf2Dwrite(v + tex2D<float>(t, x + 0.5f, 1), s, x * 4, 2, cudaBoundaryModeClamp);
      out[x] = surf2Dread<float>(s, x * 4, 3);
    }
"""


def test_a_fetch_is_a_call_of_the_texel_type(read: Read) -> None:
    unit = read(
        "__global__ void k(cudaTextureObject_t t, float* out) {"
        " uchar4 c = tex2D<uchar4>(t, threadIdx.x, 0.5f); out[0] = c.x + tex1Dfetch<int>(t, 7); }"
    )
    body = "\n".join(kernel_body(unit))
    assert "call<uchar4> tex2D(t, cast<f32>(threadIdx.x), 0.5:f32)" in body
    assert "call<i32> tex1Dfetch(t, 7:i32)" in body


def test_a_surface_read_is_settled_before_the_next_write(read: Read) -> None:
    body = kernel_body(read(SURFACES))
    read_at = next(i for i, line in enumerate(body) if "surf2Dread(s, (x * 4:i32), 1:i32" in line)
    write_at = next(i for i, line in enumerate(body) if "effect surf2Dwrite(" in line)
    last = next(i for i, line in enumerate(body) if "3:i32, 2:u32)" in line)
    assert read_at < write_at < last
    assert body[write_at].endswith(", 2:i32, 1:u32)")


@pytest.mark.parametrize("target", list(Target))
def test_targets_refuse_textures_by_a_code_of_their_own(read: Read, target: Target) -> None:
    unit = read(SURFACES)
    found = lift(only_kernel(unit.module), unit.module, target, Options(target=target))
    assert [d.code.id for d in found.diagnostics] == ["CM4008"]


def test_a_texel_that_is_a_struct_is_refused(read: Read) -> None:
    unit = read(
        "struct P { float a; };"
        "__global__ void k(cudaTextureObject_t t, P* out) { out[0] = tex1Dfetch<P>(t, 1); }"
    )
    assert codes(unit) == ["CM1302"]
