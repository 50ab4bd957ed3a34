"""Which values the rewriter marks as conversions to an integer, and which it leaves alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrate.emulation.cuda_program import CudaSources, build_cuda_program
from migrate.emulation.source_rewrite import rewrite
from migrate.emulation.toolchain import find_compiler

_MARK = re.compile(r"::cuda_emu::converted<([^>]*)>\(")


def _marked(body: str, head: str = "__device__ void f(const T* x, int* p, int n)") -> str:
    """The body with each mark as ``T{...}``."""
    text = rewrite(f"{head} {{ {body} }}").text
    inner = text[text.index("{") + 1 : text.rindex("}")].strip()
    return _MARK.sub(r"@\1(", inner)


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        (
            "unsigned a = x[0], b = g(x);",
            "unsigned a = @decltype(a)(x[0]), b = @decltype(b)(g(x));",
        ),
        ("int a; a = x[0];", "int a; a = @decltype(a)(x[0]);"),
        ("const size_t a = x[0] * 2;", "const size_t a = @decltype(a)(x[0] * 2);"),
        ("for (int i = x[0]; i < n; ++i) {}", "for (int i = @decltype(i)(x[0]); i < n; ++i) {}"),
        ("p[n] = x[n];", "p[n] = @decltype(p[n])(x[n]);"),
        ("__shared__ uint s[4]; s[0] = x[0];", "s[0] = @decltype(s[0])(x[0]);"),
        ("g((int)x[0]);", "g((int)@int(x[0]));"),
        (
            "g((unsigned long long)-x[0] + 1);",
            "g((unsigned long long)@unsigned long long(-x[0]) + 1);",
        ),
        ("g((int)(x[0] * 2));", "g((int)@int((x[0] * 2)));"),
        ("g(static_cast<int>(x[0]));", "g(static_cast<int>(@int(x[0])));"),
        ("g(1 + int(x[0]));", "g(1 + int(@int(x[0])));"),
        ("if ((int)x[0] < n) {}", "if ((int)@int(x[0]) < n) {}"),
        (
            "if (n) n = x[0]; else n = x[1];",
            "if (n) n = @decltype(n)(x[0]); else n = @decltype(n)(x[1]);",
        ),
    ],
)
def test_marked(body: str, marked: str) -> None:
    assert marked in _marked(body)


@pytest.mark.parametrize(
    "body",
    [
        "int i = blockIdx.x * blockDim.x + threadIdx.x;",  # an integer by its words
        "int i = n * 2, j = p[i];",
        "float y = x[0];",  # no integer
        "short y = x[0]; char c = (char)x[0];",  # narrow ones wrap on a device too
        "int* q = g(x); int& r = *q;",
        "auto y = x[0];",
        "int a[2] = {1, 2};",
        "int a = g<1, 2>(x);",  # the comma may be one of template arguments
        "int a = g([&](int b) { return b; });",
        "y.m = x[0]; n += x[0];",
        "g(sizeof(int) * x[0]);",
        "int (*h)(int) = g;",
        "int a =\n#if 1\n x[0]\n#else\n x[1]\n#endif\n;",  # a mark would end in the other branch
        "constexpr int a = T::value;",
        'asm("mov.u32 %0, %1;" : "=r"(n) : "r"((int)x[0]));',  # replaced as a whole
    ],
)
def test_left_alone(body: str) -> None:
    assert "@" not in _marked(body)


def test_host_functions_are_left_alone() -> None:
    assert "@" not in _marked("int a = x[0];", "void f(const T* x)")


def test_closures_of_the_device_are_marked() -> None:
    text = _marked("auto g = [=] __device__ (float y) { return (int)y; };", "void f()")
    assert "return (int)@int(y);" in text


def test_a_program_that_a_mark_would_break_builds_without(tmp_path: Path) -> None:
    """A macro brings a comma that the words do not show."""
    source = tmp_path / "comma.cu"
    source.write_text(
        "#define PAIR 1, b = 2\n"
        "__global__ void k(int* p) { int a = PAIR; p[0] = a + b; }\n"
        "int main() { int* p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n"
    )
    cache = Path(__file__).parents[2] / "build" / "cache"
    built = build_cuda_program(CudaSources((source,)), tmp_path / "b", find_compiler(), cache)
    assert built.path.is_file()
    assert "converted" not in built.tree.sources[0].read_text()
