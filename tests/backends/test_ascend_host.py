"""Host code for AscendCL: what is changed, what is left alone, what fails loudly."""

from __future__ import annotations

import re

import pytest

from migrate.backends.ascendc.host_scan import launches, stretches
from migrate.core.artifact import Artifact
from migrate.core.diagnostics import Outcome
from migrate.core.targets import Target
from tests.backends.conftest import Convert

KERNEL = (
    "__global__ void k(int n, float* x) {\n  int i = threadIdx.x;\n  if (i < n) x[i] = 1.0f;\n}\n"
)
CHIPS = [Target.ASCEND_950, Target.ASCEND_910B]


def text_of(artifact: Artifact) -> str:
    return artifact.files[0].content.decode()


def main_of(artifact: Artifact) -> str:
    text = text_of(artifact)
    return text[text.index("int main") :]


def program(body: str, before: str = "") -> str:
    return (
        f"#include <cuda_runtime.h>\n#include <cstdio>\n{before}{KERNEL}int main() {{\n{body}\n}}\n"
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_calls_get_their_new_signatures(convert: Convert, chip: Target) -> None:
    out = main_of(
        convert(
            program(
                "  float* d; float h[4] = {};\n"
                "  cudaMalloc((void**)&d, sizeof(h));\n"
                "  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);\n"
                "  cudaMemset(d, 0, 16);\n"
                "  k<<<1, 4>>>(4, d);\n"
                "  cudaDeviceSynchronize();\n"
                "  cudaFree(d);"
            ),
            chip,
        )
    )
    assert "aclrtMalloc((void**)&d, sizeof(h), ACL_MEM_MALLOC_HUGE_FIRST);" in out
    assert "aclrtMemcpy(d, sizeof(h), h, sizeof(h), ACL_MEMCPY_HOST_TO_DEVICE);" in out
    assert "aclrtMemset(d, 16, 0, 16);" in out
    assert "launch_k(1, 4, 0, nullptr, 4, d);" in out
    assert "aclrtSynchronizeDevice();\n  aclrtFree(d);" in out
    assert "static AclSession session;" in out
    assert not re.search(r"\bcuda[A-Z]", out)


def test_names_in_comments_strings_and_longer_names_stay(convert: Convert) -> None:
    before = (
        "// cudaMalloc(&p, n) and cudaError_t in a comment\n"
        "/* cudaFree(p); */\n"
        "struct Pool { int cudaFree(int n) { return n; } };\n"
        "static int my_cudaMalloc(int n) { return n; }\n"
        "static int cudaMallocLike(int n) { return n + my_cudaMalloc(1); }\n"
    )
    source = program(
        '  Pool pool;\n  std::printf("cudaMemcpy(%d) cudaSuccess\\n", cudaMallocLike(2));\n'
        "  return pool.cudaFree(0);",
        before,
    )
    out = text_of(convert(source))
    for line in before.splitlines():
        assert line in out
    assert 'std::printf("cudaMemcpy(%d) cudaSuccess\\n", cudaMallocLike(2));' in out
    assert "return pool.cudaFree(0);" in out


def test_bytes_outside_the_edits_stay(convert: Convert) -> None:
    """CRLF line ends, a byte order mark and a comment in GBK."""
    comment = b"// " + "矩阵加法".encode("gbk")
    source = b"\xef\xbb\xbf" + b"\r\n".join(
        [comment, *program("  int\tn = 3;   // tab\n  return n - 3;").encode().split(b"\n")]
    )
    artifact = convert(source)
    out = artifact.files[0].content
    assert out.startswith(b"\xef\xbb\xbf//")
    assert comment + b"\r\n" in out
    assert b"  int\tn = 3;   // tab\r\n  return n - 3;\r\n" in out
    assert out.count(b"\n") == out.count(b"\r\n")


def test_a_check_macro_is_edited_at_its_definition(convert: Convert) -> None:
    before = (
        "#define CHECK(call) do { \\\n"
        "  cudaError_t e_ = (call); \\\n"
        '  if (e_ != cudaSuccess) { std::printf("%s\\n", cudaGetErrorString(e_)); return 1; } \\\n'
        "} while (0)\n"
    )
    out = text_of(convert(program("  float* d;\n  CHECK(cudaMalloc(&d, 4));\n  return 0;", before)))
    assert "aclError e_ = (call); \\\n" in out
    assert "if (e_ != ACL_SUCCESS)" in out
    assert "errorText(e_)" in out
    assert "CHECK(aclrtMalloc((void**)&d, 4, ACL_MEM_MALLOC_HUGE_FIRST));" in out


def test_a_launch_in_a_macro_body(convert: Convert) -> None:
    before = "#define RUN(K, N, P) K<<<(N), 32>>>(N, P)\n"
    body = "  float* d = nullptr;\n  RUN(k, 0, d);\n  cudaFree(d);"
    source = f"#include <cuda_runtime.h>\n{before}{KERNEL}int main() {{\n{body}\n}}\n"
    out = text_of(convert(source))
    assert "#define RUN(K, N, P) launch_##K((N), 32, 0, nullptr, N, P)" in out
    # Nobody can see from the text when the macro launches, so the free waits.
    assert "aclrtSynchronizeDevice();\n  aclrtFree(d);" in out


def test_waits_are_left_out_only_where_nothing_can_run(convert: Convert) -> None:
    body = (
        "  float *d, h[4];\n"
        "  cudaMalloc(&d, 16);\n"
        "  cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);\n"  # nothing was launched yet
        "  for (int i = 0; i < 3; ++i) {\n"
        "    cudaMemcpy(d, h, 8, cudaMemcpyHostToDevice);\n"  # runs after a launch, second round
        "    k<<<1, 4>>>(4, d);\n"
        "  }\n"
        "  if (h[0] > 0) cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);\n"  # no place for a statement
        "  cudaDeviceSynchronize();\n"
        "  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);\n"
    )
    out = main_of(convert(program(body)))
    assert "HUGE_FIRST);\n  aclrtMemcpy(d, 16, h, 16" in out
    assert "    aclrtSynchronizeDevice();\n    aclrtMemcpy(d, 8, h, 8" in out
    assert "if (h[0] > 0) (aclrtSynchronizeDevice(), aclrtMemcpy(h, 4, d, 4" in out
    assert "  aclrtSynchronizeDevice();\n  aclrtMemcpy(h, 16, d, 16" in out
    assert out.count("aclrtSynchronizeDevice") == 3


@pytest.mark.parametrize(
    "launch",
    [
        "void* a[] = {&n, &d}; cudaLaunchKernel((void*)k, dim3(1), dim3(4), a, 0, 0);",
        "void* a[] = {&n, &d}; cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(4), a, 0, 0);",
        "cudaLaunchConfig_t c = {}; cudaLaunchKernelEx(&c, k, n, d);",
        "cudaGraphLaunch(graph, 0);",
    ],
)
def test_a_launch_by_a_call_is_waited_for(convert: Convert, launch: str) -> None:
    body = f"  int n = 4; float* d; cudaGraphExec_t graph; cudaMalloc(&d, 16);\n  {launch}\n"
    out = main_of(convert(program(f"{body}  cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost);\n")))
    assert "aclrtSynchronizeDevice();\n  aclrtMemcpy(&n" in out


@pytest.mark.parametrize("chip", CHIPS)
def test_launches_with_attributes(convert: Convert, chip: Target) -> None:
    body = (
        "  float* d; cudaMalloc(&d, 16);\n"
        "  cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = dim3(4);\n"
        "  cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeCooperative;\n"
        "  a[0].val.cooperative = 1; c.attrs = a; c.numAttrs = 1;\n"
        "  cudaLaunchKernelEx(&c, k, 4, d);\n"
        "  void* args[] = {&d, &d}; cudaLaunchKernelExC(&c, (const void*)k, args);\n"
    )
    artifact = convert(program(body), chip)
    out = main_of(artifact)
    assert "launchConfigured(&c, launch_k, 4, d);" in out
    assert "launchConfiguredArray(&c, launch_k, args);" in out
    assert not re.search(r"\bcuda[A-Z]", out) and not artifact.diagnostics
    held = convert(program("  auto f = k;\n  cudaLaunchKernelEx(&c, f, 4, d);"), chip)
    assert "no kernel is named" in next(d.cause for d in held.diagnostics)


def test_a_launch_whose_block_is_unknown_bounds_no_block(convert: Convert) -> None:
    """``<<<1, 4>>>`` alone would allow for blocks of 4 threads."""
    known = "  k<<<1, 4>>>(4, nullptr);\n"
    assert "__launch_bounds__(4)" in text_of(convert(program(known), Target.ASCEND_950))
    more = known + "  cudaLaunchConfig_t c = {}; cudaLaunchKernelEx(&c, k, 4, nullptr);\n"
    assert "__launch_bounds__(1024)" in text_of(convert(program(more), Target.ASCEND_950))


def test_a_call_of_a_launching_function_counts_as_a_launch(convert: Convert) -> None:
    before = KERNEL + (
        "static void step(float* d) { k<<<1, 4>>>(4, d); }\n"
        "static void twice(float* d) { step(d); step(d); }\n"
        "static void quiet(int* n) { ++*n; }\n"
    )
    source = (
        f"#include <cuda_runtime.h>\n{before}int main() {{\n  float *d, h[4]; int n = 0;\n"
        "  cudaMalloc(&d, 16);\n  quiet(&n);\n"
        "  cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);\n  twice(d);\n"
        "  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);\n}\n"
    )
    out = main_of(convert(source))
    assert "quiet(&n);\n  aclrtMemcpy(d" in out
    assert "twice(d);\n  aclrtSynchronizeDevice();\n  aclrtMemcpy(h" in out


@pytest.mark.parametrize("chip", CHIPS)
def test_a_call_without_counterpart_fails_loudly(convert: Convert, chip: Target) -> None:
    call = "cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0);"
    artifact = convert(program(f"  int n;\n  {call}"), chip)
    assert 'cudaUnsupported("CM4003: cudaDeviceGetP2PAttribute has no' in main_of(artifact)
    assert "std::abort();" in text_of(artifact)
    found = [d for d in artifact.diagnostics if d.code.id == "CM4003"]
    assert [d.outcome for d in found] == [Outcome.STUBBED]


def test_a_refused_kernel_leaves_a_launcher_that_fails_loudly(convert: Convert) -> None:
    kernel = "__global__ void d(double* x) {\n  x[threadIdx.x] *= 3.0;\n}\n"
    source = f"#include <cuda_runtime.h>\n{kernel}int main() {{\n  d<<<1, 1>>>(nullptr);\n}}\n"
    artifact = convert(source)
    text = text_of(artifact)
    assert [r.symbol for r in artifact.refused] == ["d"]
    assert "// CM4001: parameter x of d is double\nvoid launch_d(" in text
    assert 'std::fprintf(stderr, "CM4001: kernel d was not migrated' in text
    assert "__global__" not in text


def test_templates_namespaces_and_unnamed_parameters(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
namespace math {
template <typename T, int N>
__global__ void fill(T* grid, T value, int) {
  if (threadIdx.x < N) grid[threadIdx.x] = value;
}
}
template <typename T> void run(T* p) { math::fill<T, 4><<<1, 8>>>(p, T(1), 0); }
int main() { run<float>(nullptr); run<int>(nullptr); }
"""
    artifact = convert(source)
    text = text_of(artifact)
    assert "math::launch_fill<T, 4>(1, 8, 0, nullptr, p, T(1), 0);" in text
    assert "template <typename T, int N>\nvoid launch_fill(" in text
    assert "void launch_fill<float, 4>(" in text
    assert "void launch_fill<int, 4>(" in text
    # The kernel's own parameter `grid` may not hide the launch function's.
    assert "float* grid_" in text
    assert {k.entry for k in artifact.kernels} == {
        "math::launch_fill<float, 4>",
        "math::launch_fill<int, 4>",
    }


def test_device_variables_and_symbol_copies(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
__constant__ float table[4] = {1, 2, 3, 4};
__global__ void k(float* x) { x[threadIdx.x] *= table[threadIdx.x & 3]; }
int main() {
  float h[4] = {};
  cudaMemcpyToSymbol(table, h, sizeof(h));
  k<<<1, 4>>>(nullptr);
}
"""
    text = text_of(convert(source))
    assert "__gm__ float table[4] = {1, 2, 3, 4};" in text
    assert "aclrtMemcpyToSymbol(&table, h, sizeof(h), 0, ACL_MEMCPY_HOST_TO_DEVICE);" in text


def test_a_function_for_host_and_device_stays_for_the_host(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
// Doubles a value.
__host__ __device__ inline float twice(float v) { return v + v; }
__global__ void k(float* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
int main() { k<<<1, 4>>>(nullptr); return twice(0.0f) != 0.0f; }
"""
    text = text_of(convert(source))
    assert "// Doubles a value.\ninline float twice(float v) { return v + v; }" in text
    assert "__aicore__ inline float twice_device(float v)" in text
    assert "= twice_device(x[threadIdx.x]);" in text
    assert "return twice(0.0f) != 0.0f;" in text


METHODS = """#include <cuda_runtime.h>
struct Vec {
  float x, y;
  __host__ __device__ Vec(float a, float b) : x(a), y(b) {}
  __host__ __device__ float dot(const Vec& o) const { return x * o.x + y * o.y; }
  __device__ void scale(float s) { x *= s; y *= s; }
};
__device__ int square(int v);
__device__ int fourth(int v) { return square(square(v)); }
__global__ void k(float* out, Vec by_value) {
  Vec v(threadIdx.x, 2.0f);
  v.scale(2.0f);
  out[threadIdx.x] = v.dot(by_value) + fourth(3);
}
__device__ int square(int v) { return v * v; }
int main() { k<<<1, 8>>>(nullptr, Vec(1.0f, 2.0f)); }
"""


def test_structs_with_code_get_a_plain_mirror(convert: Convert) -> None:
    text = text_of(convert(METHODS))
    struct = text[text.index("struct Vec {") : text.index("};", text.index("struct Vec {"))]
    assert "Vec(float a, float b) : x(a), y(b) {}" in struct
    assert "float dot(const Vec& o) const { return x * o.x + y * o.y; }" in struct
    assert "scale" not in struct  # only the device called it
    assert "__device__" not in text
    assert "struct alignas(4) Vec_device {\n    float x;\n    float y;\n};" in text
    assert "__aicore__ inline void Vec_scale(Vec_device* self, float s)" in text
    assert (
        "k<<<blocks, block, dynUbBytes, stream>>>(out, *(const Vec_device*)&by_value, grid.x);"
        in text
    )


def test_functions_are_declared_before_they_are_called(convert: Convert) -> None:
    text = text_of(convert(METHODS))
    assert text.index("__aicore__ inline int square(int v);") < text.index("square(square(v))")


def test_templates_called_before_their_instances_stand(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
template <typename T> __device__ T outer(T v) { return inner(v) + v; }
struct Tag { int v; };
__device__ Tag operator_helper(Tag t) { return t; }
template <int N> __device__ float late(float v) { return v * N; }
template <> __device__ float late<0>(float v) { return v; }
template <int N> __device__ float early(float v) { return late<N>(v) + late<0>(v); }
__global__ void k(float* x) { x[0] = early<3>(x[0]); }
int main() { k<<<1, 1>>>(nullptr); }
"""
    text = text_of(convert(source))
    kernel = text[text.index("__global__") :]
    (called,) = re.findall(r"= (\w+)\(x\[0\]\)|= (\w+)\(\*x\)", kernel)
    name = called[0] or called[1]
    assert f"float {name}(float v)" in text[: text.index("__global__")]


def test_the_default_stream_is_ordered_with_others(convert: Convert) -> None:
    body = (
        "  cudaStream_t s;\n  cudaStreamCreate(&s);\n  k<<<1, 1, 0, s>>>(0, nullptr);\n"
        "  k<<<1, 1>>>(0, nullptr);\n"
    )
    out = main_of(convert(program(body)))
    assert "  launch_k(1, 1, 0, s, 0, nullptr);" in out
    ordered = "aclrtSynchronizeDevice(), launch_k(1, 1, 0, nullptr, 0, nullptr), aclrt"
    assert f"  {ordered}SynchronizeDevice();" in out


def test_qualifiers_leave_host_code(convert: Convert) -> None:
    before = "#define BOTH __host__ __device__\nBOTH inline int one() { return 1; }\n"
    text = text_of(convert(program("  return one() - 1;", before)))
    assert "#define BOTH \n" in text
    assert "__host__" not in text
    assert "__device__" not in text


def test_headers_without_counterpart_are_left_out_and_said(convert: Convert) -> None:
    heads = "#include <cufft.h>\n#include <cooperative_groups.h>\n#include <mma.h>\n"
    source = program("  return 0;", f"{heads}using namespace nvcuda;\n")
    artifact = convert(source)
    text = text_of(artifact)
    assert "// CM4003: cufft.h left out" in text
    assert "namespace cooperative_groups {" in text
    assert "namespace nvcuda {\nnamespace wmma {" in text
    found = [d.cause for d in artifact.diagnostics if d.code.id == "CM4003"]
    assert any("cufft.h" in c for c in found)


def test_variadic_kernels_keep_their_pack(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
template <typename F, typename... Rest>
__global__ void apply(float* x, F f, Rest... rest) { x[0] = f + sizeof...(rest); }
int main() { apply<<<1, 1>>>(nullptr, 1.0f, 2, 3); }
"""
    text = text_of(convert(source))
    assert "Rest... rest) = delete;" in text


def test_a_kernel_held_in_a_variable(convert: Convert) -> None:
    body = "  auto chosen = k;\n  chosen<<<1, 1>>>(0, nullptr);\n  k<<<1, 1>>>(0, nullptr);"
    out = main_of(convert(program(body)))
    assert "auto chosen = launch_k;\n  chosen(1, 1, 0, nullptr, 0, nullptr);" in out
    assert "  launch_k(1, 1, 0, nullptr, 0, nullptr);" in out


def test_unnamed_members_and_alignment(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
struct __align__(8) Pair { union { struct { float a, b; }; float v[2]; }; };
__global__ void k(Pair* p) { p[0].a = p[0].v[1]; }
int main() { k<<<1, 1>>>(nullptr); }
"""
    text = text_of(convert(source))
    assert "struct __attribute__((aligned(8))) Pair {" in text
    assert "Pair_device* " in text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"void f() { ns::k<1, (2 > 1)><<<1, 2>>>(x); }", ["k"]),
        (b"void f() { k<1>100>2><<<1, 2>>>(x); }", []),
        (b"k> <<<1, 2>>>(x);", []),
    ],
)
def test_a_launch_has_a_kernel_in_front_of_it(text: bytes, names: list[str]) -> None:
    """Angle brackets that do not balance have no beginning, and the file no launch there."""
    found = [x for s in stretches(text) for x in launches(s)]
    assert [x.name for x in found] == names
    assert all(x.start < x.end for x in found)
