"""nvcc's command line, read for what it says about the text of a source.

Names and values of flags are those of the CUDA Compiler Driver documentation ("NVCC Command
Options") and of GCC's manual for what nvcc hands to the host compiler. A flag that is in none of
the lists here is given back by name, so that a report can say it was not looked at.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from migrate.core.compile_settings import CompileSettings

_PATHS = {
    "-I": "include", "--include-path": "include", "-iquote": "include",
    "-isystem": "system", "--system-include": "system", "-idirafter": "late",
    "-include": "forced", "--pre-include": "forced",
}  # fmt: skip
_MACROS = {"-D": "define", "--define-macro": "define", "-U": "undefine",
           "--undefine-macro": "undefine"}  # fmt: skip
_HOST = frozenset({"-Xcompiler", "--compiler-options"})
_RESPONSE = frozenset({"-optf", "--options-file"})
_ARCH = frozenset({"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code",
                   "--gpu-code"})  # fmt: skip
# Flags with a value of their own that say nothing about the text.
_WITH_VALUE = frozenset({
    "-o", "--output-file", "-x", "--x", "-Xptxas", "--ptxas-options", "-Xlinker",
    "--linker-options", "-Xnvlink", "--nvlink-options", "-Xarchive", "--archive-options",
    "-Xcudafe", "--cudafe-options", "-ccbin", "--compiler-bindir", "-maxrregcount",
    "--maxrregcount", "-l", "--library", "-L", "--library-path", "-MF", "-MT", "-MQ", "-odir",
    "--output-directory", "-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-default-stream",
    "--default-stream", "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error",
    "-diag-warn", "--diag-warn", "-Werror", "--Werror", "-t", "--threads", "-split-compile",
    "--split-compile", "-keep-dir", "--keep-dir", "-target-dir", "--target-directory",
    "-fatbin-options", "-rdc", "--relocatable-device-code", "-O", "--optimize", "-m",
    "--machine", "-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad",
    "--fmad", "-isysroot", "--sysroot", "-time", "--time", "-ewp", "-arbin", "-dep-output",
})  # fmt: skip
_PLAIN = frozenset({
    "-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-dlink", "--device-link",
    "-link", "--link", "-lib", "--lib", "-E", "--preprocess", "-M", "-MM", "-MD", "-MMD", "-MP",
    "-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", "-g", "--debug", "-G",
    "--device-debug", "-lineinfo", "--generate-line-info", "-pg", "--profile", "-w",
    "--disable-warnings", "-v", "--verbose", "-dryrun", "--dryrun", "-keep", "--keep", "-k",
    "-shared", "--shared", "-static", "-pthread", "-fPIC", "-fpic", "-pipe", "-ansi", "-pedantic",
    "-use_fast_math", "--use_fast_math", "-extra-device-vectorization",
    "--extra-device-vectorization", "-restrict", "--restrict", "-lto", "--dlink-time-opt", "-dlto",
    "-expt-relaxed-constexpr", "--expt-relaxed-constexpr", "-expt-extended-lambda",
    "--expt-extended-lambda", "-extended-lambda", "--extended-lambda", "-res-usage",
    "--resource-usage", "-source-in-ptx", "--source-in-ptx", "-Wreorder", "--Wreorder",
    "-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", "-forward-unknown-to-host-"
    "compiler", "--forward-unknown-to-host-compiler", "-forward-unknown-opts",
    "--forward-unknown-opts", "-allow-unsupported-compiler", "--allow-unsupported-compiler",
    "-nodlink", "-noprof", "-nohdinitlist", "--no-compress", "-no-compress", "--display-error-"
    "number", "-display-error-number", "--no-display-error-number", "--no-exceptions",
    "-no-exceptions", "-s",
})  # fmt: skip
_HOST_FAMILIES = re.compile(
    r"-(?:t\d+|[Wfm][\w=,.+-]*|O[0-3sgz]?|Ofast|g\w*|l\S+|L\S+|Wl,\S+|std=\S+)"
)
_CAPABILITY = re.compile(r"(?:sm|compute|lto)_(\d+)")
_SOURCES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c", ".cuh", ".h", ".hpp"})
_OBJECTS = frozenset({".o", ".obj", ".a", ".so", ".lib", ".ptx", ".cubin", ".fatbin"})
NUMERIC = frozenset({"use_fast_math", "ftz", "prec-div", "prec-sqrt", "fmad"})
"""Flags (without dashes) that change what a kernel computes in its last bits."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: settings of its sources, flags nobody knows, flags that change numbers."""

    settings: CompileSettings
    sources: tuple[Path, ...]
    unknown: tuple[str, ...]
    numeric: tuple[str, ...] = ()
    language: str = ""


@dataclass(slots=True)
class _Reading:
    folder: Path
    lists: dict[str, list[Path]] = field(default_factory=dict)
    defines: list[str] = field(default_factory=list)
    undefines: list[str] = field(default_factory=list)
    sources: list[Path] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    numeric: list[str] = field(default_factory=list)
    std: str = ""
    arch: int = 0
    language: str = ""

    def path(self, text: str) -> Path:
        return self.folder / text

    def macro(self, kind: str, value: str) -> None:
        for item in value.split(",") if "=" not in value and '"' not in value else [value]:
            if kind == "define":
                self.defines.append(item)
            else:
                self.undefines.append(item)

    def capability(self, value: str) -> None:
        """The highest capability named is what the text is read for."""
        found = [int(x) * 10 for x in _CAPABILITY.findall(value)]
        self.arch = max([self.arch, *found])

    def host(self, value: str) -> None:
        """Flags for the host compiler: macros and paths in them hold for the source as well."""
        for flag in re.split(r",(?=-)", value.strip("\"'")):
            for word in shlex.split(flag):
                if word[:2] in ("-D", "-U", "-I") and len(word) > 2:
                    self.take(iter([word]))
                elif not _HOST_FAMILIES.fullmatch(word) and word not in _PLAIN:
                    self.unknown.append(f"-Xcompiler {word}")

    def take(self, words: Iterator[str]) -> None:
        for word in words:
            self._one(word, words)

    def _one(self, word: str, rest: Iterator[str]) -> None:
        if word.startswith("@") and len(word) > 1:
            self._response(word[1:])
        elif not word.startswith("-") or word == "-":
            self._input(word)
        else:
            name, has_value, value = word.partition("=")
            for short in ("-isystem", "-I", "-D", "-U"):
                if word.startswith(short) and len(word) > len(short) and name not in _PATHS:
                    name, has_value, value = short, "=", word[len(short) :]
            self._flag(name, value if has_value else None, word, rest)

    def _flag(self, name: str, value: str | None, word: str, rest: Iterator[str]) -> None:
        def needed() -> str:
            return next(rest, "") if value is None else value

        bare = name.lstrip("-")
        if bare in NUMERIC:
            said = bare if bare == "use_fast_math" else f"{bare}={needed()}"
            self.numeric.append(f"-{said}")
        elif name in _PATHS:
            self.lists.setdefault(_PATHS[name], []).extend(
                self.path(p) for p in needed().split(",") if p
            )
        elif name in _MACROS:
            self.macro(_MACROS[name], needed())
        elif name in ("-std", "--std"):
            self.std = needed()
        elif name in _ARCH:
            self.capability(needed() if value is None else word)
        elif name in _HOST:
            self.host(needed())
        elif name in _RESPONSE:
            self._response(needed())
        elif name in ("-x", "--x"):
            self.language = needed()
        elif name in _WITH_VALUE:
            needed()
        elif name not in _PLAIN and not _HOST_FAMILIES.fullmatch(word):
            self.unknown.append(word)

    def _input(self, word: str) -> None:
        suffix = Path(word).suffix
        if suffix in _SOURCES:
            self.sources.append(self.path(word))
        elif suffix not in _OBJECTS:
            self.unknown.append(word)

    def _response(self, name: str) -> None:
        try:
            text = self.path(name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            self.unknown.append(f"@{name}")
            return
        self.take(iter(shlex.split(text, comments=True)))


def read_command(words: list[str], folder: Path) -> Command:
    """What a compile command (without the compiler's own name) says; paths are below ``folder``."""
    reading = _Reading(folder)
    reading.take(iter(words))
    kinds = {k: tuple(dict.fromkeys(v)) for k, v in reading.lists.items()}
    return Command(
        CompileSettings(
            include_dirs=kinds.get("include", ()),
            system_dirs=kinds.get("system", ()),
            late_dirs=kinds.get("late", ()),
            defines=tuple(dict.fromkeys(reading.defines)),
            undefines=tuple(dict.fromkeys(reading.undefines)),
            forced_includes=kinds.get("forced", ()),
            std=reading.std,
            arch=reading.arch,
        ),
        tuple(reading.sources),
        tuple(dict.fromkeys(reading.unknown)),
        tuple(dict.fromkeys(reading.numeric)),
        reading.language,
    )
