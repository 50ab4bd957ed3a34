"""The lint of emitted Ascend 950 code against the table of the vendor's API."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from migrate.backends.ascendc.api_lint import lint_api
from migrate.backends.ascendc.api_table import ApiTable, load_api_table
from tests.backends.conftest import Convert

PROGRAMS = tuple(sorted((Path(__file__).parents[2] / "corpus").rglob("*.cu")))

TRUE = """#include "acl/acl.h"
#include "simt_api/asc_simt.h"
#define CHECK(e) if ((e) != ACL_SUCCESS) std::abort()
struct Pair { float a, b; };
__aicore__ inline float twice(float v)
{
    return 2.0f * v;
}
__global__ __launch_bounds__(64) void k(Pair p, float* x, uint32_t blocks)
{
    __ubuf__ float s[64];
    const dim3 block(blockIdx.x, 0, 0);
    s[threadIdx.x] = twice(expf(x[threadIdx.x])) + asc_shfl_down(p.a, 1, 32);
    asc_syncthreads();
    asc_atomic_add(&x[block.x], float(__float2int_rn(fmaxf(s[0], p.b))));
}
void launch_k(dim3 grid, aclrtStream stream, float* x)
{
    float* y;
    CHECK(aclrtMalloc((void**)&y, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(y, 256, x, 256, ACL_MEMCPY_HOST_TO_DEVICE));
    k<<<1, 64, 0, stream>>>(Pair{1, 2}, y, 1);
}
"""

SEEDED = (
    # names
    ("expf(", "__expf(", "__expf"),
    ("expf(", "exp(", "exp"),
    ("asc_syncthreads()", "__syncthreads()", "__syncthreads"),
    ("asc_syncthreads()", "asc_sync_threads()", "asc_sync_threads"),
    ("asc_shfl_down(", "__shfl_down_sync(", "__shfl_down_sync"),
    ("asc_atomic_add(", "atomicAdd(", "atomicAdd"),
    ("__float2int_rn(", "__float2int(", "__float2int"),
    ("fmaxf(", "std::max(", "std"),
    ("twice(expf", "thrice(expf", "thrice"),
    ("aclrtMalloc(", "aclrtMallocDevice(", "aclrtMallocDevice"),
    ("aclrtMemcpy(", "aclMemcpy(", "aclMemcpy"),
    # numbers of arguments
    ("expf(x[threadIdx.x])", "expf(x[threadIdx.x], 1)", "expf"),
    ("asc_syncthreads()", "asc_syncthreads(0)", "asc_syncthreads"),
    ("asc_shfl_down(p.a, 1, 32)", "asc_shfl_down(0xffffffff, p.a, 1, 32)", "asc_shfl_down"),
    ("asc_atomic_add(&x[block.x], ", "asc_atomic_cas(&x[block.x], ", "asc_atomic_cas"),
    ("fmaxf(s[0], p.b)", "fmaxf(s[0])", "fmaxf"),
    ("aclrtMemcpy(y, 256, x, 256, ", "aclrtMemcpy(y, x, 256, ", "aclrtMemcpy"),
    ("(void**)&y, 256, ACL_MEM_MALLOC_HUGE_FIRST", "(void**)&y, 256", "aclrtMalloc"),
    # types, qualifiers and constants
    ("__ubuf__ float", "__shared__ float", "__shared__"),
    ("__aicore__ inline float twice", "__aicore__ __device__ float twice", "__device__"),
    ("aclrtStream stream", "aclStream stream", "aclStream"),
    ("ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_TO_DEVICE", "ACL_MEMCPY_TO_DEVICE"),
    ("ACL_SUCCESS", "ACL_OK", "ACL_OK"),
    ("float(__float2int_rn(", "__half(__float2int_rn(", "__half"),
    # what only another chip has, and the libraries beside the runtime
    ("aclrtMalloc(", "aclrtMemAllocManaged(", "aclrtMemAllocManaged"),
    ("aclrtMalloc(", "aclmdlRICaptureBegin(", "aclmdlRICaptureBegin"),
    ("aclrtMalloc(", "HcclAllReduceSum(", "HcclAllReduceSum"),
    ("aclrtMalloc(", "mstxRangePush(", "mstxRangePush"),
)


@pytest.fixture(scope="module")
def table() -> ApiTable:
    return load_api_table()


def _names(text: str, table: ApiTable) -> list[str]:
    return [f.name for f in lint_api({PurePosixPath("k.asc"): text.encode()}, table)]


def test_right_code_is_silent(table: ApiTable) -> None:
    assert _names(TRUE, table) == []


@pytest.mark.parametrize(("right", "wrong", "name"), SEEDED)
def test_a_seeded_fault_is_named(right: str, wrong: str, name: str, table: ApiTable) -> None:
    assert right in TRUE
    found = _names(TRUE.replace(right, wrong), table)
    assert found == [name]


def test_functions_for_host_and_device_are_the_vendors_own(table: ApiTable) -> None:
    text = "__host__ __aicore__ inline int near(int a) { return abs(a - 1); }\n"
    assert _names(text, table) == []
    assert _names(text.replace("a - 1", "a, 1"), table) == ["abs"]
    assert _names(text.replace("__aicore__", "__device__"), table) == ["__device__"]


def test_a_fault_has_its_line(table: ApiTable) -> None:
    text = TRUE.replace("expf(", "__expf(").encode()
    (fault,) = lint_api({PurePosixPath("k.asc"): text}, table)
    assert (fault.file, fault.line) == (PurePosixPath("k.asc"), 13)


HOMES = """#include <cuda_runtime.h>
#include <cuComplex.h>
template <class T> struct Value {
  T v;
  friend __device__ Value operator*(const Value& a, const Value& b) { return Value{a.v * b.v}; }
};
template <class T> struct Outer {
  template <int N> struct Inner {
    T held;
    __device__ __forceinline__ Inner(T by) : held(by * N) {}
    __device__ __forceinline__ T get() { return held; }
  };
  __device__ __forceinline__ T ask(T by) { Inner<3> inner(by); return inner.get(); }
};
__global__ void k(const Value<float>* a, float* y, cuFloatComplex* z) {
  Outer<float> outer;
  y[threadIdx.x] = (a[threadIdx.x] * a[0]).v + outer.ask(2.0f);
  y[0] += abs((int)threadIdx.x - 3);
  z[0] = cuCmulf(z[1], cuConjf(z[2]));
}
int main() { k<<<1, 32>>>(nullptr, nullptr, nullptr); }
"""


def test_functions_without_a_place_of_their_own_are_written(
    convert: Convert, table: ApiTable
) -> None:
    artifact = convert(HOMES)
    assert not artifact.refused, artifact.refused[0].diagnostics
    assert lint_api({f.path: f.content for f in artifact.files}, table) == ()


FOREIGN = """#include <cuda_runtime.h>
struct Box {
  float v;
  __device__ float get() const { return v; }
};
__global__ void k(float* y) { y[threadIdx.x] = Box{1.0f}.get(); }
int main() {
  aclrtStream s = nullptr;
  aclrtPrefetch(s);
  k<<<1, 32>>>(nullptr);
}
"""


def test_a_conversion_reports_unknown_names(convert: Convert) -> None:
    own = convert(FOREIGN.replace("  aclrtPrefetch(s);\n", ""))
    assert [d.code.id for d in own.diagnostics] == []
    found = convert(FOREIGN)
    assert [d.code.id for d in found.diagnostics] == ["CM4009"]
    assert found.diagnostics[0].cause.startswith("aclrtPrefetch: ")


@pytest.mark.slow
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda p: p.stem)
def test_the_corpus_has_no_unknown_names(convert: Convert, source: Path) -> None:
    artifact = convert(source)
    assert [d.cause for d in artifact.diagnostics if d.code.id == "CM4009"] == []
