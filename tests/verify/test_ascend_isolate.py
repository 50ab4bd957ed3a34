"""Which kernels a compiler's words are about, and how they leave a file."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from migrate.core.artifact import Artifact, EmittedKernel
from migrate.core.rung import Rung
from migrate.core.span import NO_SPAN
from migrate.verify.ascend_isolate import faulty_kernels, without_kernels

TEXT = """#include "acl/acl.h"
__global__ void a(int* x)
{
    x[0] = 1;
}

void launch_a(dim3 grid, int* x)
{
    if (grid.x == 0) {
        return;
    }
    a<<<1>>>(x);
}

__global__ void b(int* x)
{
}

void launch_b(dim3 grid, int* x)
{
    b<<<1>>>(x);
}
"""


def kernel(name: str, first: int, last: int) -> EmittedKernel:
    return EmittedKernel(
        symbol=name,
        name=name,
        mangled="",
        rung=Rung.SIMT,
        entry=f"launch_{name}",
        file=PurePosixPath("sub/unit.asc"),
        first_line=first,
        last_line=last,
        text="",
        origin=NO_SPAN,
        diagnostics=(),
    )


KERNELS = (kernel("a", 2, 5), kernel("b", 15, 17))


def artifact() -> Artifact:
    return Artifact(
        target="ascend950", files=(), kernels=KERNELS, refused=(), line_map=(), diagnostics=()
    )


def test_an_error_belongs_to_the_kernel_around_it() -> None:
    log = "unit.asc: In function ‘a’:\nunit.asc:4:5: error: no x\n    4 | x[0]\n"
    assert faulty_kernels(log, KERNELS) == {"a": "unit.asc:4:5: error: no x"}


def test_an_error_in_a_header_belongs_to_the_kernel_that_needs_it() -> None:
    log = (
        "api.h: In instantiation of ‘void f(T)’:\n"
        "unit.asc:16:3:   required from here\n"
        "api.h:9:1: error: bad T\n"
        "api.h: In function ‘g’:\n"
        "api.h:30:1: error: unrelated\n"
    )
    assert faulty_kernels(log, KERNELS) == {"b": "api.h:9:1: error: bad T"}


def test_errors_outside_kernels_belong_to_none() -> None:
    log = "unit.asc:7:1: error: no dim3\nother.asc:4:1: error: x\nunit.asc:4:1: note: see\n"
    assert faulty_kernels(log, KERNELS) == {}


def test_a_dropped_kernel_keeps_its_entry_and_all_lines(tmp_path: Path) -> None:
    place = tmp_path / "sub"
    place.mkdir()
    (place / "unit.asc").write_text(TEXT)
    (made,) = without_kernels(tmp_path, artifact(), ["a"]).values()
    lines, before = made.decode().split("\n"), TEXT.split("\n")
    assert len(lines) == len(before)
    assert lines[1:5] == ["", "", "", ""]
    assert lines[6:9] == ["void launch_a(dim3 grid, int* x)", "{", "__builtin_trap();"]
    assert "a<<<" not in made.decode()
    assert lines[13:] == before[13:]


def test_a_launcher_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    place = tmp_path / "sub"
    place.mkdir()
    (place / "unit.asc").write_text("\n".join(TEXT.split("\n")[:6]))
    with pytest.raises(ValueError, match="launch function"):
        without_kernels(tmp_path, artifact(), ["a"])
