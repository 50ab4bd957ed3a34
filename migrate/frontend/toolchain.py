"""What parsing needs from the machine: libclang, standard headers, and the precompiled stubs.

No CUDA toolkit is used. The C and C++ headers are those of the host compiler (``g++ -E -v`` lists
them); without one, the headers that come with libclang 20 and later serve.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import clang
from clang import cindex

from migrate.core.resources import cuda_library_dir

STUBS = Path(__file__).resolve().parent / "stubs"
"""The folder of CUDA header stubs."""
LIBRARY = cuda_library_dir()
"""The folder of CUDA's libraries in plain CUDA C++, whose device functions are read as code."""
LIBRARIES = STUBS / "libraries"
"""Headers of libraries that are known by name only: the CUDA types that they bring."""
EXTENSIONS = STUBS / "extensions"
"""PyTorch's headers for extensions: declarations, and device functions that are read as code."""

PRELUDE = "cudamigrate_prelude.h"


@dataclass(frozen=True, slots=True)
class DeviceVersion:
    """What the text is read for: ``__CUDA_ARCH__``, ``CUDA_VERSION`` and ``CUDART_VERSION``."""

    NAMES: ClassVar[frozenset[str]] = frozenset({"__CUDA_ARCH__", "CUDA_VERSION", "CUDART_VERSION"})
    arch: int = 800
    cuda: int = 12040
    runtime: int = 12040

    @property
    def macros(self) -> list[str]:
        """Flags that define the macros."""
        return [
            f"-D__CUDA_ARCH__={self.arch}",
            f"-DCUDA_VERSION={self.cuda}",
            f"-DCUDART_VERSION={self.runtime}",
            f"-D__CUDACC_VER_MAJOR__={self.cuda // 1000}",
            f"-D__CUDACC_VER_MINOR__={self.cuda % 1000 // 10}",
        ]


PLAIN_DEVICE = DeviceVersion()

_KEEP_GOING = 0x200
_DETAILED_RECORD = 0x01
_FOR_PCH = 0x200 | 0x04 | 0x01  # with the record, uses of macros from the stubs are seen


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Include directories and the clang version in use."""

    clang_version: str
    include_dirs: tuple[str, ...]
    resource_dir: str


def _clang_home() -> Path:
    return Path(str(clang.__file__)).resolve().parent / "native"


def _version() -> str:
    text = cindex.conf.lib.clang_getClangVersion
    text.restype = cindex._CXString
    value = cindex._CXString.from_result(text()) if hasattr(cindex._CXString, "from_result") else ""
    return str(value)


def compiler_include_dirs(cxx: str) -> tuple[str, ...]:
    """The directories that ``cxx`` searches for ``<...>`` includes; empty when it cannot be run."""
    program = shutil.which(cxx)
    if program is None:
        return ()
    environment = {**_plain_environment(), "LC_ALL": "C"}
    run = subprocess.run(
        [program, "-E", "-v", "-x", "c++", os.devnull],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=environment,
    )
    found: list[str] = []
    reading = False
    for line in run.stderr.splitlines():
        if line.startswith("#include <...>"):
            reading = True
        elif line.startswith("End of search list"):
            break
        elif reading and line.startswith(" "):
            found.append(os.path.normpath(line.strip()))
    return tuple(found)


def _plain_environment() -> dict[str, str]:
    # A compiler driver needs PATH to find its own parts and nothing else of ours.
    return {"PATH": os.defpath + os.pathsep + str(Path(shutil.which("sh") or "/bin/sh").parent)}


@lru_cache(maxsize=8)
def toolchain(cxx: str) -> Toolchain:
    """Find the headers for a host compiler, once per compiler name."""
    if hasattr(cindex.Config, "libcxx_dir"):
        cindex.Config.libcxx_dir = None  # the bindings would add their own C++ library
    dirs = compiler_include_dirs(cxx)
    home = _clang_home()
    resource = home / "resource"
    if not dirs:
        system = Path("/usr/include")
        bundled = (home / "libcxx", resource / "include", *sorted(system.glob("*-linux-*")), system)
        dirs = tuple(str(d) for d in bundled if d.is_dir())
    return Toolchain(_version(), dirs, str(resource) if resource.is_dir() else "")


def hides_a_header(folder: Path, tools: Toolchain) -> bool:
    """True for a folder with a file or folder that has the name of a standard or CUDA header."""
    try:
        names = {entry.name for entry in folder.iterdir()}
    except OSError:
        return False
    return not names.isdisjoint(_system_names(tools))


@lru_cache(maxsize=8)
def _system_names(tools: Toolchain) -> frozenset[str]:
    found: set[str] = set()
    for folder in (*map(Path, tools.include_dirs), STUBS, LIBRARY, EXTENSIONS):
        if folder.is_dir():
            found.update(entry.name for entry in folder.iterdir())
    return frozenset(found)


def base_arguments(tools: Toolchain, std: str, device: DeviceVersion = PLAIN_DEVICE) -> list[str]:
    """Clang's arguments for CUDA source, without the user's own."""
    args = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", f"-std={std}"]
    # Without a limit on brackets, deep nesting overflows the parser's stack and ends the process.
    args += ["-nostdinc", "-nostdinc++", "-ferror-limit=0", "-w", "-fbracket-depth=256"]
    args += ["-D__NVCC__", "-D__CUDACC__", *device.macros]
    for directory in tools.include_dirs:
        args += ["-isystem", directory]
    for folder in (STUBS, LIBRARY, LIBRARIES, EXTENSIONS):
        args += ["-isystem", str(folder)]
    return args


def _stub_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(STUBS.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(STUBS).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _header_stamp(tools: Toolchain) -> str:
    # Clang rejects a precompiled header whose inputs changed in time or size, so a changed system
    # library must lead to another cache entry.
    stamps: list[str] = []
    for directory in tools.include_dirs:
        for name in ("cmath", "bits/c++config.h", "__config", "stdio.h", "stddef.h"):
            path = Path(directory) / name
            if path.is_file():
                stat = path.stat()
                stamps.append(f"{path}:{stat.st_size}:{int(stat.st_mtime)}")
    for path in sorted(STUBS.rglob("*.h*")):
        stamps.append(f"{path}:{int(path.stat().st_mtime)}")
    return "\n".join(stamps)


@lru_cache(maxsize=16)
def precompiled_stubs(
    cxx: str, std: str, cache_dir: str, device: DeviceVersion = PLAIN_DEVICE
) -> str:
    """The path of the precompiled prelude, built when the cache has none for these inputs.

    The cache key covers the stubs' text, the clang version, the flags and the system headers.
    The file is written under another name and renamed, so that two processes do not disturb each
    other. Returns an empty string when the cache folder cannot be written.
    """
    tools = toolchain(cxx)
    args = base_arguments(tools, std, device)
    key_text = "\n".join(
        [f"options {_FOR_PCH}", tools.clang_version, *args, _stub_digest(), _header_stamp(tools)]
    )
    key = hashlib.sha256(key_text.encode()).hexdigest()[:24]
    folder = Path(cache_dir) if cache_dir else Path(tempfile.gettempdir()) / "cudamigrate-cache"
    target = folder / f"prelude-{key}.pch"
    if target.is_file():
        return str(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix="prelude-", suffix=".tmp", dir=folder)
        os.close(handle)
    except OSError:
        return ""
    # The input must be a real file that stays: clang checks it when the header is used.
    unit = cindex.Index.create().parse(str(STUBS / PRELUDE), args=args, options=_FOR_PCH)
    try:
        unit.save(draft)
        os.replace(draft, target)
    except (OSError, cindex.TranslationUnitSaveError):
        Path(draft).unlink(missing_ok=True)
        return ""
    return str(target)


def parse_file(
    path: str,
    arguments: tuple[str, ...],
    *,
    cxx: str,
    std: str,
    cache_dir: str,
    device: DeviceVersion = PLAIN_DEVICE,
    text: str | None = None,
) -> cindex.TranslationUnit:
    """Parse one source file; ``text`` replaces the file's content.

    Raises ``cindex.TranslationUnitLoadError`` when clang gives up altogether.
    """
    args = base_arguments(toolchain(cxx), std, device)
    stubs = precompiled_stubs(cxx, std, cache_dir, device)
    args += ["-include-pch", stubs] if stubs else ["-include", str(STUBS / PRELUDE)]
    args += arguments
    unsaved = None if text is None else [(path, text)]
    index = cindex.Index.create(True)  # declarations of the precompiled header are left out
    return index.parse(
        path, args=args, unsaved_files=unsaved, options=_KEEP_GOING | _DETAILED_RECORD
    )
