"""Launches, host calls, includes and definitions with their byte ranges."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.diagnostics import UserError
from migrate.frontend.program import FrontendOptions, read_program, read_unit
from migrate.ir.program import DefinitionKind, SourceUnit
from tests.frontend.conftest import Read

PROGRAM = """
#include <cstdio>
#define CHECK(x) do { cudaError_t e = (x); if (e) printf("%s", cudaGetErrorString(e)); } while (0)
#define LAUNCH(n) add<<<(n) / 32, 32>>>(d, n)

__global__ void add(float* a, int n) { a[threadIdx.x] += n; }
template <typename T> __global__ void fill(T* a, T v) { a[0] = v; }

template <typename T> void run(T* d, cudaStream_t s) {
  fill<T><<<dim3(2, 3), 64, 4 * sizeof(T), s>>>(d, T(1));
}

int main() {
  float* d;
  CHECK(cudaMalloc((void**)&d, 128));
  cudaError_t error = cudaMemset(d, 0, 128);
  add<<<1, 32>>>(d, 5);
  LAUNCH(64);
  cudaStream_t s;
  cudaStreamCreate(&s);
  run(d, s);
  void* args[] = {&d, &error};
  cudaLaunchKernel((void*)add, dim3(4), dim3(8), args, 0, s);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaFree(d);
  return 0;
}
"""


def text_of(unit: SourceUnit, start: int, end: int) -> str:
    return unit.main.text[start:end].decode()


def test_launch_with_all_four_expressions(read: Read) -> None:
    unit = read(PROGRAM)
    site = next(x for x in unit.launches if x.callee.text == "fill<T>")
    assert site.kernels == ("fill_float",)
    assert (site.grid.text, site.block.text) == ("dim3(2, 3)", "64")
    assert site.shared is not None and site.shared.text == "4 * sizeof(T)"
    assert site.stream is not None and site.stream.text == "s"
    assert [a.text for a in site.args] == ["d", "T(1)"]
    assert site.function == "run" and site.dependent
    whole = "fill<T><<<dim3(2, 3), 64, 4 * sizeof(T), s>>>(d, T(1))"
    assert text_of(unit, site.span.start, site.span.end) == whole
    assert text_of(unit, site.block.span.start, site.block.span.end) == "64"


def test_launch_with_defaults(read: Read) -> None:
    site = next(x for x in read(PROGRAM).launches if x.callee.text == "add" and not x.macro)
    assert site.shared is None and site.stream is None
    assert (site.grid.text, site.block.text) == ("1", "32")
    assert site.kernels == ("add",) and site.function == "main" and not site.dependent


def test_launch_inside_a_macro_names_it(read: Read) -> None:
    unit = read(PROGRAM)
    site = next(x for x in unit.launches if x.macro == "LAUNCH")
    assert site.kernels == ("add",)
    assert text_of(unit, site.span.start, site.span.end) == "LAUNCH(64)"


def test_launch_by_function_call(read: Read) -> None:
    site = next(x for x in read(PROGRAM).launches if x.callee.text == "(void*)add")
    assert site.kernels == ("add",)
    assert (site.grid.text, site.block.text) == ("dim3(4)", "dim3(8)")
    assert site.stream is not None and site.stream.text == "s"


def test_host_calls_keep_their_places_inside_macro_arguments(read: Read) -> None:
    unit = read(PROGRAM)
    call = next(x for x in unit.calls if x.name == "cudaMalloc")
    assert text_of(unit, call.span.start, call.span.end) == "cudaMalloc((void**)&d, 128)"
    assert [a.text for a in call.args] == ["(void**)&d", "128"]
    assert call.result_used and call.macro is None and call.function == "main"
    assert text_of(unit, call.callee.span.start, call.callee.span.end) == "cudaMalloc"


def test_host_call_in_a_macro_body(read: Read) -> None:
    call = next(x for x in read(PROGRAM).calls if x.name == "cudaGetErrorString")
    assert call.macro == "CHECK"


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("cudaMemset", True),
        ("cudaFree", False),
        ("cudaStreamCreate", False),
        ("cudaGetLastError", True),
    ],
)
def test_use_of_the_result(read: Read, name: str, used: bool) -> None:
    assert next(x for x in read(PROGRAM).calls if x.name == name).result_used is used


def test_cuda_names_in_host_code(read: Read) -> None:
    names = {(x.name, x.kind) for x in read(PROGRAM).names}
    assert ("cudaStream_t", "type") in names
    assert ("cudaSuccess", "constant") in names
    assert ("dim3", "type") in names


def test_definitions_cover_template_head_and_comment(read: Read) -> None:
    text = """
    // Above.
    template <typename T, int N = 2>
    __global__ void __launch_bounds__(64) k(T* a) { a[0] = N; }
    extern "C" __global__ void plain(int* a) { a[0] = 1; }
    __device__ int helper(int v);
    __host__ __device__ int helper2(int v) { return v; }
    __constant__ float table[2] = {1, 2};
    struct P { int a; };
    __global__ void uses(P p, int* a) { a[0] = p.a + helper2(1) + table[0]; }
    int main() { k<float><<<1, 1>>>(0); }
    """
    unit = read(text)
    found = {d.name: d for d in unit.definitions}
    k = found["k"]
    assert k.kind is DefinitionKind.KERNEL and k.symbols == ("k_float_2",)
    assert text_of(unit, k.span.start, k.span.end).startswith("template <typename T, int N = 2>")
    assert text_of(unit, k.span.start, k.span.end).endswith("{ a[0] = N; }")
    assert k.template_params == ("T", "N") and k.template_head == "template <typename T, int N = 2>"
    assert k.comment is not None and text_of(unit, k.comment.start, k.comment.end) == "// Above."
    plain = found["plain"]
    assert text_of(unit, plain.span.start, plain.span.end).startswith('extern "C" __global__')
    assert found["helper"].prototype and not found["helper2"].prototype
    assert found["helper2"].host_too and found["helper2"].symbols == ("helper2",)
    table = found["table"]
    assert table.kind is DefinitionKind.VARIABLE
    assert text_of(unit, table.span.start, table.span.end).endswith("{1, 2};")
    assert text_of(unit, found["P"].span.start, found["P"].span.end) == "struct P { int a; };"


def test_includes_and_local_headers(tmp_path: Path, cache_dir: Path) -> None:
    (tmp_path / "kernels.cuh").write_text("__global__ void k(int* a) { a[0] = 1; }\n")
    main = tmp_path / "main.cu"
    main.write_text('#include <cstdio>\n#include "kernels.cuh"\nint main() { k<<<1, 1>>>(0); }\n')
    unit = read_unit(main, tmp_path, FrontendOptions(cache_dir=cache_dir))
    assert [(i.name, i.angled) for i in unit.includes] == [("cstdio", True), ("kernels.cuh", False)]
    assert unit.includes[0].resolved is None
    assert unit.includes[1].resolved == tmp_path / "kernels.cuh"
    assert [h.relative for h in unit.headers] == [Path("kernels.cuh")]
    assert text_of(unit, unit.includes[1].span.start, unit.includes[1].span.end) == (
        '#include "kernels.cuh"'
    )
    assert unit.definitions[0].span.file == str(tmp_path / "kernels.cuh")
    assert unit.launches[0].kernels == ("k",)


def test_a_directory_leaves_out_included_sources(tmp_path: Path, cache_dir: Path) -> None:
    (tmp_path / "part.cu").write_text("__global__ void k(int* a) { a[0] = 1; }\n")
    (tmp_path / "main.cu").write_text('#include "part.cu"\nint main() { k<<<1, 1>>>(0); }\n')
    program = read_program((tmp_path,), FrontendOptions(cache_dir=cache_dir))
    assert [u.main.path.name for u in program.units] == ["main.cu"]
    assert [k.name for _, k in program.kernels] == ["k"]


def test_defines_choose_the_branch(read: Read) -> None:
    text = """
    #ifdef WIDE
    typedef double real;
    #else
    typedef float real;
    #endif
    __global__ void k(real* a) { a[0] = 1; }
    """
    assert str(read(text).module.kernels[0].params[0].type) == "ptr<global, f32>"
    wide = read(text, defines=("WIDE=1",))
    assert str(wide.module.kernels[0].params[0].type) == "ptr<global, f64>"


@pytest.mark.parametrize(
    ("code", "content"), [("CM0002", b"  \n"), ("CM0003", b"int a;\0\0"), ("CM0001", None)]
)
def test_inputs_that_cannot_be_read(
    tmp_path: Path, cache_dir: Path, code: str, content: bytes | None
) -> None:
    path = tmp_path / "x.cu"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_program((path,), FrontendOptions(cache_dir=cache_dir))
    assert caught.value.diagnostic.code.id == code


def test_directory_without_cuda(tmp_path: Path, cache_dir: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_program((tmp_path,), FrontendOptions(cache_dir=cache_dir))
    assert caught.value.diagnostic.code.id == "CM0008"


def test_byte_offsets_with_bom_crlf_and_foreign_encoding(tmp_path: Path, cache_dir: Path) -> None:
    comment = "// \u6838\u51fd\u6570".encode("gbk")
    data = b"\xef\xbb\xbf" + comment + b"\r\n__global__ void k(int* a) {\r\n  a[0] = 1;\r\n}\r\n"
    path = tmp_path / "x.cu"
    path.write_bytes(data)
    unit = read_unit(path, tmp_path, FrontendOptions(cache_dir=cache_dir))
    assert unit.main.text == data
    definition = unit.definitions[0]
    assert data[definition.span.start : definition.span.end].startswith(b"__global__")
    assert data[definition.span.start : definition.span.end].endswith(b"}")


MACROS = """
#define RUN(kernel, n, ...) kernel<<<((n) + 63) / 64, 64>>>(__VA_ARGS__)
#define TWICE(p) do { cudaMalloc(&p, 4); cudaFree(p); cudaFree(p); } while (0)
#define SAME(x) x
namespace ns { __global__ void k(float* a, int n) { a[0] = n; } }
template <void (*K)(float*, int)> void through(float* d) { K<<<2, 32>>>(d, 1); }
int main() {
  float* d;
  TWICE(d);
  RUN(ns::k, 100, d, 5);
  through<ns::k>(d);
  (ns::k)<<<1, 2>>>(d, 3);
  SAME(cudaFree(d));
  SAME((ns::k<<<1, 4>>>(d, 4)));
}
"""


def test_every_call_of_a_macro_body_is_listed_at_the_use(read: Read) -> None:
    unit = read(MACROS)
    found = [c for c in unit.calls if c.macro == "TWICE"]
    assert [c.name for c in found] == ["cudaMalloc", "cudaFree", "cudaFree"]
    assert {text_of(unit, c.span.start, c.span.end) for c in found} == {"TWICE(d)"}


def test_a_call_written_in_a_macro_argument_is_at_its_own_place(read: Read) -> None:
    unit = read(MACROS)
    call = next(c for c in unit.calls if c.name == "cudaFree" and c.macro is None)
    assert text_of(unit, call.span.start, call.span.end) == "cudaFree(d)"


def test_a_kernel_name_given_to_a_launch_macro(read: Read) -> None:
    unit = read(MACROS)
    site = next(x for x in unit.launches if x.macro == "RUN")
    assert site.kernels == ("k",)
    assert text_of(unit, site.span.start, site.span.end) == "RUN(ns::k, 100, d, 5)"
    assert [a.text for a in site.args] == ["d", "5"]


def test_a_kernel_as_template_argument_and_in_parentheses(read: Read) -> None:
    unit = read(MACROS)
    assert next(x for x in unit.launches if x.callee.text == "K").kernels == ("k",)
    assert next(x for x in unit.launches if x.callee.text == "(ns::k)").kernels == ("k",)
    assert len(unit.launches) == 4
    assert not any(d.code.id == "CM1009" for d in unit.diagnostics)


def test_a_launch_through_a_pointer_variable_is_reported(read: Read) -> None:
    unit = read(
        """
        __global__ void k(int* a) { a[0] = 1; }
        int main() { void (*p)(int*) = k; p<<<1, 1>>>(0); }
        """
    )
    assert unit.launches[0].kernels == ()
    assert [d.code.id for d in unit.diagnostics] == ["CM1009"]
    assert [x.name for x in unit.module.kernels] == ["k"]


def test_reading_goes_on_without_compiler_and_cache(tmp_path: Path, cache_dir: Path) -> None:
    path = tmp_path / "x.cu"
    path.write_text("__global__ void k(float* a) { a[0] = sqrtf(a[1]); }\n")
    bare = FrontendOptions(cxx="no-such-compiler", cache_dir=cache_dir)
    assert len(read_unit(path, tmp_path, bare).module.kernels) == 1
    blocked = tmp_path / "file"
    blocked.write_text("")
    uncached = FrontendOptions(cache_dir=blocked / "below")
    assert len(read_unit(path, tmp_path, uncached).module.kernels) == 1


def test_cuda_macros_in_host_code(read: Read) -> None:
    unit = read(
        """
        #include <math_constants.h>
        #define CUDA_MINE 3
        __global__ void k(float* a) { a[0] = CUDART_PI_F; }
        int main() {
          cudaStream_t s;
          cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
          return CUDART_VERSION + CUDA_MINE;
        }
        """
    )
    found = {x.name for x in unit.names if x.kind == "macro"}
    assert found == {"cudaStreamNonBlocking", "CUDART_VERSION"}


def test_a_function_that_was_declared_before_is_read_at_its_definition(read: Read) -> None:
    unit = read(
        """
        void run(float* d);
        __global__ void k(float* a) { a[0] = 1; }
        void run(float* d) { k<<<1, 2>>>(d); cudaFree(d); }
        """
    )
    assert unit.diagnostics == ()
    assert [x.kernels for x in unit.launches] == [("k",)]
    assert [c.name for c in unit.calls] == ["cudaFree"]
