"""``python -m migrate.emulation.bisheng``: the command line of bisheng, building for the CPU.

So the build file of a migrated tree builds on a machine without the vendor's compiler. Options are
those that the vendor's examples use; of the chip it wants what bisheng wants: ``--npu-arch`` for
Ascend C, and ``--enable-simt`` for code of the SIMT API.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from migrate.core.diagnostics import UserError
from migrate.core.hybrid_text import Platform, blanked, is_guarded
from migrate.core.options import default_cxx
from migrate.emulation.asc_device_code import include_directory
from migrate.emulation.asc_rewrite import compile_flags, rewrite_asc
from migrate.emulation.cuda_tokens import lex
from migrate.emulation.toolchain import find_compiler

_ARCHS = {"dav-2201": 2201, "dav-3510": 3510}
_REWRITTEN = frozenset({".asc", ".h", ".hpp", ".hh", ".hxx", ".cuh", ".inc", ".inl"})
_HOST = frozenset({".cpp", ".cc", ".cxx", ".c"})
_VENDOR = frozenset({
    "ascendcl", "acl_rt", "acl_rtc", "runtime", "opapi", "nnopbase", "hccl", "tiling_api",
    "register", "platform", "graph_base", "unified_dlog",
})  # fmt: skip
"""Libraries of the vendor; what programs use of them is in the runtime's headers."""
_DROPPED = re.compile(r"--enable-simt|--cce-\S+|--run-mode=\S+|-dc")
_SIMT = re.compile(r"\bsimt_api/")
_VECTOR = re.compile(r"\bkernel_operator\.h|\bc_api/asc_simd\.h|\b__vector__|\b__simt_vf__")
_VECTOR_HEADER = re.compile(r"^\s*#\s*include\s*[<\"](?:kernel_operator|c_api/asc_simd)\.h", re.M)
_NO_LINES = frozenset({"-MD", "-MMD", "-MP"})
_WITH_VALUE = frozenset({"-MF", "-MT", "-MQ", "-isystem", "-iquote", "-include", "-idirafter"})


@dataclass(slots=True)
class CommandLine:
    """What was asked for. ``flags`` go to the host compiler as they are."""

    inputs: list[Path] = field(default_factory=list)
    include_dirs: list[Path] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    output: Path | None = None
    depfile: Path | None = None
    arch: int = 0
    simt: bool = False
    compile_only: bool = False
    archive: bool = False
    as_asc: bool = False


class BadCommand(Exception):
    """A command line that bisheng would not take, or text that cannot be built; says why."""


def read_command_line(words: list[str]) -> CommandLine:
    """Options of one call. Raises :class:`BadCommand`."""
    found = CommandLine()
    rest = iter(words)
    for word in rest:
        if word.startswith("--npu-arch="):
            name = word.partition("=")[2]
            if name not in _ARCHS:
                raise BadCommand(f"{name} is not one of {', '.join(_ARCHS)}")
            found.arch = _ARCHS[name]
        elif word in ("-c", "-dc"):
            found.compile_only |= word == "-c" or "-o" in words
        elif word == "-lib":
            found.archive = True
        elif word == "-o":
            found.output = Path(next(rest, ""))
        elif word == "-x":
            found.as_asc = next(rest, "") == "asc"
        elif word in ("-I", "-L", "-D"):
            _joined(found, word + next(rest, ""))
        elif word in _WITH_VALUE:
            value = next(rest, "")
            if word == "-MF":
                found.depfile = Path(value)
            elif not word.startswith("-M"):
                found.flags += [word, value]
        elif word == "--enable-simt":
            found.simt = True
        elif word in _NO_LINES or _DROPPED.fullmatch(word):
            pass
        else:
            _joined(found, word)
    return found


def _joined(found: CommandLine, word: str) -> None:
    if word.startswith("-I") and len(word) > 2:
        found.include_dirs.append(Path(word[2:]))
    elif word.startswith("-l"):
        found.libraries += [] if word[2:] in _VENDOR else [word]
    elif word.startswith("-L") or word.startswith("-Wl,"):
        found.libraries.append(word)
    elif word.startswith("-"):
        found.flags.append(word)
    else:
        found.inputs.append(Path(word))


def run(words: list[str]) -> None:
    """Compile and link as asked. Raises :class:`BadCommand` and ``CalledProcessError``."""
    asked = read_command_line(words)
    if not asked.inputs:
        raise BadCommand("no input files")
    cxx = find_compiler(default_cxx()).program
    with tempfile.TemporaryDirectory(prefix="cudamigrate-bisheng-") as scratch:
        objects: list[str] = []
        for number, path in enumerate(asked.inputs):
            kind = path.suffix
            if kind not in (".asc", *_HOST) and not asked.as_asc:
                objects.append(str(path))
                continue
            made = asked.output if asked.compile_only else Path(scratch) / f"{number}.o"
            made = made or Path(f"{path.stem}.o")
            is_asc = kind == ".asc" or asked.as_asc
            _compile(cxx, asked, path, made, Path(scratch) / f"stage{number}", is_asc)
            objects.append(str(made))
        if asked.compile_only:
            return
        output = str(asked.output or "a.out")
        if asked.archive:
            subprocess.run(["ar", "rcs", output, *objects], check=True)
            return
        link = [*asked.flags, *objects, "-o", output, *asked.libraries, "-pthread", "-lm"]
        subprocess.run([cxx, *link], check=True)


def _compile(
    cxx: str, asked: CommandLine, path: Path, made: Path, stage: Path, is_asc: bool
) -> None:
    source, search = path, list(asked.include_dirs)
    files: tuple[Path, ...] = (path,)
    if is_asc:
        if not asked.arch:
            raise BadCommand(f"{path}: Ascend C needs --npu-arch")
        files = quoted_files(path, asked.include_dirs)
        source = _stage(path, files, stage, asked)
        mirrored = [stage / d.absolute().relative_to("/") for d in asked.include_dirs]
        search = [*(d for d in mirrored if d.is_dir()), *search]
    folders = [x for d in search for x in ("-I", str(d))]
    command = [cxx, "-x", "c" if path.suffix == ".c" else "c++"]
    base = compile_flags(asked.arch or 3510)
    if path.suffix == ".c":
        base = tuple(f for f in base if not f.startswith("-std="))
    command += [*base, *asked.flags, *folders, "-w", "-c", str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    if asked.depfile is not None:
        asked.depfile.write_text(f"{made}: {' '.join(map(str, files))}\n", encoding="utf-8")


def quoted_files(path: Path, include_dirs: list[Path]) -> tuple[Path, ...]:
    """A source and the files that it includes by ``"name"``, from its own folder or the given."""
    pending, seen = [path.absolute()], dict[Path, None]()
    while pending:
        file = pending.pop(0)
        if file in seen:
            continue
        seen[file] = None
        for include in lex(file.read_bytes().decode("latin-1")).includes:
            folders = (file.parent, *include_dirs) if include.quoted else ()
            found = next((p for d in folders if (p := d / include.name).is_file()), None)
            if found is not None:
                pending.append(found.absolute())
    return tuple(seen)


def _stage(path: Path, files: tuple[Path, ...], stage: Path, asked: CommandLine) -> Path:
    """Copies of the files in C++, below ``stage`` at their own absolute places."""
    for file in files:
        data = file.read_bytes()
        text = blanked(data, Platform.ASCEND).decode("latin-1")
        if file.suffix == ".asc" and asked.arch == 3510:
            _check_mode(file, text, asked.simt)
        if file.suffix in _REWRITTEN or is_guarded(data):
            try:
                text = rewrite_asc(text, str(file))
            except ValueError as error:
                raise BadCommand(f"{file}: {error}") from error
        copy = stage / file.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text.encode("latin-1"))
    return stage / path.absolute().relative_to("/")


def _check_mode(file: Path, text: str, simt: bool) -> None:
    """Pure SIMT code needs its option; the headers of the vector unit end with an error under it.

    Source: the guards of the vendor's kernel_operator.h and c_api/asc_simd.h.
    """
    if not simt and _SIMT.search(text) and not _VECTOR.search(text):
        raise BadCommand(f"{file}: code of the SIMT API needs --enable-simt")
    if simt and _VECTOR_HEADER.search(text):
        raise BadCommand(f"{file}: the vector unit's headers are not for --enable-simt")


def main(words: list[str] | None = None) -> int:
    """The command; exit codes are those of the host compiler, 1 for a bad command line."""
    given = sys.argv[1:] if words is None else words
    if given == ["--print-include-dir"]:
        print(include_directory())
        return 0
    if given == ["--version"]:
        print("bisheng command line of cudamigrate, for the CPU")
        return 0
    try:
        run(given)
    except (BadCommand, UserError, OSError) as error:
        print(f"bisheng: error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
