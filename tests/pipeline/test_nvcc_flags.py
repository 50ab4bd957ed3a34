"""nvcc's flags as builds write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.compile_settings import NO_SETTINGS, CompileSettings, settings_data, settings_from
from migrate.pipeline.nvcc_flags import Command, read_command

FOLDER = Path("/src")


def read(text: str) -> Command:
    return read_command(text.split(), FOLDER)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-DA -D B=2 --define-macro=C", CompileSettings(defines=("A", "B=2", "C"))),
        ("--define-macro X,Y -UZ -U W", CompileSettings(defines=("X", "Y"), undefines=("Z", "W"))),
        ('-DNAME="a,b"', CompileSettings(defines=('NAME="a,b"',))),
        ("-Iinc -I /abs --include-path=more",
         CompileSettings(include_dirs=(FOLDER / "inc", Path("/abs"), FOLDER / "more"))),
        ("-isystem sys -isystem=sys2", CompileSettings(system_dirs=(FOLDER / "sys", FOLDER / "sys2"))),
        ("-include pre.h", CompileSettings(forced_includes=(FOLDER / "pre.h",))),
        ("-std=c++14", CompileSettings(std="c++14")),
        ("--std c++20", CompileSettings(std="c++20")),
        ("-arch=sm_70", CompileSettings(arch=700)),
        ("-arch sm_90a", CompileSettings(arch=900)),
        ("-gencode arch=compute_70,code=sm_70 --generate-code=arch=compute_86,code=[compute_86,sm_86]",
         CompileSettings(arch=860)),
        ("-Xcompiler -fPIC,-DHOST,-Wall -Xcompiler=-Ihostinc",
         CompileSettings(defines=("HOST",), include_dirs=(FOLDER / "hostinc",))),
        ("-c a.cu -o a.o -x cu -rdc=true -rdc true -O3 -g -G -lineinfo -w -MD -MF d -MT t",
         NO_SETTINGS),
        ("--expt-relaxed-constexpr --expt-extended-lambda -extended-lambda -ccbin g++ -lcublas -L/x "
         "-Xptxas -v,-O3 --maxrregcount=32 -diag-suppress 177 -t0 -t 4 -dc -cudart shared -m64",
         NO_SETTINGS),
    ],
)  # fmt: skip
def test_settings(text: str, expected: CompileSettings) -> None:
    command = read(text)
    assert (command.settings, command.unknown) == (expected, ())


def test_unknown_flags_are_named() -> None:
    command = read("-DA --no-such-flag -Xcompiler -strange -c a.cu")
    assert command.unknown == ("--no-such-flag", "-Xcompiler -strange")
    assert command.settings.defines == ("A",)
    assert command.sources == (FOLDER / "a.cu",)


def test_flags_that_change_numbers_are_named() -> None:
    command = read("-use_fast_math --ftz=true -prec-div false")
    assert command.numeric == ("-use_fast_math", "-ftz=true", "-prec-div=false")
    assert command.unknown == ()


def test_response_files(tmp_path: Path) -> None:
    (tmp_path / "args.rsp").write_text('-DFROM_FILE "-I two words" @inner.rsp\n# comment\n')
    (tmp_path / "inner.rsp").write_text("-DINNER\n-x cu")
    command = read_command(["@args.rsp", "--options-file", "none.rsp"], tmp_path)
    assert command.settings.defines == ("FROM_FILE", "INNER")
    assert command.settings.include_dirs == (tmp_path / " two words",)
    assert command.language == "cu"
    assert command.unknown == ("@none.rsp",)


def test_settings_survive_their_record() -> None:
    settings = read("-DA -UB -Iinc -isystem sys -include p.h -std=c++20 -arch=sm_90").settings
    assert settings_from(settings_data(settings)) == settings
    assert settings_data(NO_SETTINGS) == {}
