"""The command line of bisheng that builds for the CPU: what it takes, and what it refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from migrate.emulation.bisheng import BadCommand, main, quoted_files, read_command_line


def test_a_command_line_as_the_examples_write_it() -> None:
    words = [
        "-dc",
        "k.asc",
        "-o",
        "k.o",
        "--npu-arch=dav-3510",
        "--enable-simt",
        "-I",
        "inc",
        "-DN=2",
        "-O2",
    ]
    asked = read_command_line(words)
    assert (asked.arch, asked.simt, asked.compile_only) == (3510, True, True)
    assert asked.inputs == [Path("k.asc")]
    assert asked.include_dirs == [Path("inc")]
    assert asked.flags == ["-DN=2", "-O2"]


def test_libraries_of_the_vendor_are_in_the_headers() -> None:
    asked = read_command_line(["a.o", "-Lx", "-lascendcl", "-lz", "-o", "a"])
    assert asked.libraries == ["-Lx", "-lz"]


def test_an_unknown_chip_is_refused() -> None:
    with pytest.raises(BadCommand, match="dav-1"):
        read_command_line(["--npu-arch=dav-1", "k.asc"])


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "needs --npu-arch"),
        (["--npu-arch=dav-3510"], "needs --enable-simt"),
        (["--npu-arch=dav-3510", "--enable-simt", "--use_fast_math"], "use_fast_math"),
    ],
)
def test_what_the_vendor_would_refuse_is_refused(
    flags: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "k.asc"
    source.write_text('#include "simt_api/asc_simt.h"\n__global__ void k() {}\n')
    assert main(["-c", str(source), "-o", str(tmp_path / "k.o"), *flags]) != 0
    assert said in capfd.readouterr().err


def test_headers_of_the_vector_unit_are_not_for_pure_simt(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "k.asc"
    source.write_text(
        '#include "kernel_operator.h"\n#include "simt_api/asc_simt.h"\n'
        "__simt_vf__ inline void f(__gm__ int* p) { *p = 1; }\n"
        "__global__ __vector__ void k(__gm__ int* p) { asc_vf_call<f>(dim3(1), p); }\n"
    )
    words = ["-c", str(source), "-o", str(tmp_path / "k.o"), "--npu-arch=dav-3510"]
    assert main([*words, "--enable-simt"]) == 1
    assert "not for --enable-simt" in capfd.readouterr().err
    assert main(words) == 0


def test_headers_with_launches_are_rewritten_with_their_source(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "k.h").write_text(
        '#pragma once\n#include "acl/acl.h"\n#include "simt_api/asc_simt.h"\n'
        "__global__ void k(int* x) { x[threadIdx.x] += 7; }\n"
        "inline void go(int* x) { k<<<1, 4, 0, nullptr>>>(x); }\n"
    )
    source = tmp_path / "main.asc"
    source.write_text(
        '#include "acl/acl.h"\n#include "simt_api/asc_simt.h"\n#include "k.h"\n'
        "int main()\n{\n    aclInit(nullptr);\n    aclrtSetDevice(0);\n    int* x = nullptr;\n"
        "    aclrtMalloc((void**)&x, 16, ACL_MEM_MALLOC_HUGE_FIRST);\n    int h[4] = {1, 2, 3, 4};\n"
        "    aclrtMemcpy(x, 16, h, 16, ACL_MEMCPY_HOST_TO_DEVICE);\n    go(x);\n"
        "    aclrtSynchronizeDevice();\n    aclrtMemcpy(h, 16, x, 16, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "    return h[0] + h[1] + h[2] + h[3];\n}\n"
    )
    program = tmp_path / "a"
    flags = ["--npu-arch=dav-3510", "--enable-simt", f"-I{tmp_path / 'inc'}"]
    assert main([str(source), "-o", str(program), *flags, "-lascendcl"]) == 0
    assert subprocess.run([str(program)], check=False).returncode == 10 + 4 * 7


def test_only_quoted_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n#include <c.h>\n#include "gone.h"\n')
    (tmp_path / "b.h").write_text("")
    (tmp_path / "c.h").write_text("")
    found = quoted_files(tmp_path / "a.h", [tmp_path])
    assert [f.name for f in found] == ["a.h", "b.h"]
