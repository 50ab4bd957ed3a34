"""Incomplete code costs the kernels that depend on it, and no kernel is lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.program import SourceUnit
from tests.frontend.conftest import Read

A = "__global__ void a(float* x) { x[threadIdx.x] = 1; }\n"
C = "__global__ void c(float* x) { x[threadIdx.x] = 3; }\n"
RUN = "void run(float* x) { a<<<1, 1>>>(x); c<<<1, 2>>>(x); }\n"

CASES = {
    "missing header": (
        '#include "none.h"\n' + A + "__global__ void b(none_t n, float* x) { x[0] = n.v; }\n" + C,
        {"b": "CM1004"},
    ),
    "unknown type": (A + "__global__ void b(Unknown* u) { u->x = 1; }\n" + C, {"b": "CM1004"}),
    "unknown type of a function": (
        A + "Unknown b(int x, float a);\n__global__ void d(int* y) { y[0] = b(1, 2); }\n" + C,
        {"d": "CM1004"},
    ),
    "unknown type of a field": (
        A + "struct S { Unknown u; int v; };\nstruct Table { S s; };\n__constant__ Table table;\n"
        "__device__ Table* get();\n__global__ void d(int* y) { y[0] = table.s.v; }\n"
        "__global__ void e(int* y) { y[0] = get()->s.v; }\n" + C,
        {"d": "CM1004", "e": "CM1004"},
    ),
    "unknown type of a parameter": (
        A + "__device__ int b(Unknown u, int v);\n__global__ void d(int* y) { y[0] = b(1, 2); }\n" + C,
        {"d": "CM1004"},
    ),
    "brace too few": (A + "__global__ void b(float* x) { if (x) { x[0] = 1;\n\n" + C, {"b": "CM1001"}),
    "brace too few in a namespace": (
        "namespace n {\n" + A + "__global__ void b(float* x) { if (x) {\n" + C + "}\nusing namespace n;\n",
        {"b": "CM1001"},
    ),
    "brace too many": (A + "__global__ void b(float* x) { x[0] = 1; } }\n" + C, {"b": "CM1001"}),
    "brace too few on the host": (A + "void f(float* x) { for (;;) { x[0] = 1;\n}\n" + C, {}),
    "branches that share a brace": (
        A + "#ifdef OTHER\nvoid f(int x) {\n#else\nvoid f(float x) {\n#endif\n}\n" + C, {},
    ),
    "junk": (A + "\x01\x02@@ ` $$$ \xe9 \\ garbage here ;;\n" + C, {}),
    "deep expression": (
        A + "__global__ void b(int* x) { x[0] = " + " + ".join(["x[1]"] * 2000) + "; }\n" + C,
        {"b": "CM1034"},
    ),
}  # fmt: skip


def _lost(unit: SourceUnit) -> dict[str, str]:
    return {u.name: u.diagnostic.code.id for u in unit.unread}


@pytest.mark.parametrize("name", CASES)
def test_only_what_depends_on_it_is_lost(read: Read, name: str) -> None:
    text, lost = CASES[name]
    unit = read(text + RUN)
    assert [k.name for k in unit.module.kernels] == ["a", "c"]
    assert _lost(unit) == lost
    assert [x.kernels for x in unit.launches] == [("a",), ("c",)]
    for kernel in unit.module.kernels:
        text_of = unit.main.text[kernel.span.start : kernel.span.end]
        assert text_of.startswith(f"__global__ void {kernel.name}(".encode())


def test_no_kernel_is_lost_without_a_word(read: Read) -> None:
    unit = read(A + 'const char* s = "never closed;\n' + C)
    assert [k.name for k in unit.module.kernels] == ["a"]
    assert _lost(unit) == {"c": "CM1003"}


def test_brackets_beyond_the_parser(read: Read) -> None:
    nested = "std::vector<" + "floatK<" * 50 + "x;\n"  # the parser would take days
    unit = read(A + C + nested)
    assert {u.name: u.diagnostic.code.id for u in unit.unread} == {"a": "CM1034", "c": "CM1034"}
    deep = "int v = " + "(" * 3000 + "1" + ")" * 3000 + ";\n"
    unit = read(A + deep + C)
    assert [k.name for k in unit.module.kernels] == ["a"]
    assert _lost(unit) == {"c": "CM1003"}


def test_a_launch_that_the_parser_did_not_see_is_listed(read: Read) -> None:
    unit = read(
        A + "void run(float* x) {\n  x = 1 +;\n}\n} ]\nvoid f(float* x) { a<<<1, 1>>>(x) }\n"
    )
    codes = [d.code.id for d in unit.diagnostics]
    assert "CM1033" in codes or len(unit.launches) == 1


def test_words_about_launches_are_no_launches(read: Read) -> None:
    unit = read(A + '// a<<<1, 1>>>(x)\nconst char* s = "a<<<1, 1>>>(x)";\nint y = 1 << 3;\n')
    assert unit.diagnostics == ()


def test_bytes_of_other_encodings_keep_their_offsets(tmp_path: Path, cache_dir: Path) -> None:
    path = tmp_path / "gbk.cu"
    comment = "// 核函数\n".encode("gbk")
    path.write_bytes(
        b"\xef\xbb\xbf" + comment + A.replace("\n", "\r\n").encode() + comment + C.encode()
    )
    unit = read_unit(path, tmp_path, FrontendOptions(cache_dir=cache_dir))
    assert [k.name for k in unit.module.kernels] == ["a", "c"]
    for kernel in unit.module.kernels:
        assert unit.main.text[kernel.span.start : kernel.span.end].startswith(b"__global__ void")


def test_a_table_of_numbers_is_read_in_time(read: Read) -> None:
    table = "int t[] = {" + ", ".join(str(i) for i in range(20000)) + "};\n"
    unit = read(table + A)
    assert [k.name for k in unit.module.kernels] == ["a"]
