"""The original program: built when first needed, each of its runs kept by content.

A run is looked up by everything that decides what it does: the program's files (with every other
file of its folders, which it may read), arguments, macros and standard, the compiler, the CPU
runtime with the rewriter, the machine, and how it was run. So nothing needs to be declared stale.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from migrate.core.content_store import ContentStore, DamagedEntry, digest
from migrate.core.options import Options
from migrate.core.resources import include_dir
from migrate.emulation.cuda_program import (
    BuiltProgram,
    CaptureCaps,
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
    run_program,
)
from migrate.emulation.gpu_device import Gpu
from migrate.emulation.gpu_program import build_gpu_program
from migrate.emulation.run import RunResult
from migrate.emulation.source_tree import local_files
from migrate.emulation.toolchain import Compiler

_RESULT = "result.json"
_PATIENCE_SECONDS = 10.0
_MOST_FILES = 2000
_MOST_BYTES = 256 << 20
# A run that was out of time says as much about the machine's load as about the program.
_TIMED_OUT_SECONDS = 24 * 3600.0


class _TooMuch(Exception):
    """The program's folders hold more than is worth reading to look a run up."""


def _below(folders: tuple[Path, ...]) -> Iterator[Path]:
    for folder in folders:
        for where, directories, names in os.walk(folder):
            directories[:] = sorted(d for d in directories if not d.startswith("."))
            yield from (Path(where) / name for name in sorted(names))


def _file_part(path: Path) -> bytes:
    if not path.is_file():  # a socket, a dangling link
        return f"{path}\0-".encode("utf-8", "surrogateescape")
    with path.open("rb") as stream:
        total = hashlib.file_digest(stream, "sha256") if hasattr(hashlib, "file_digest") else None
        content = total.digest() if total else hashlib.sha256(stream.read()).digest()
    return str(path).encode("utf-8", "surrogateescape") + b"\0" + content


@lru_cache(maxsize=1)
def _emulation_part() -> bytes:
    """What of the product decides a run: runtime headers and the code that rewrites and builds."""
    emulation = include_dir().parent
    files = _below((emulation, emulation.parent / "cuda_library"))
    kept = [p for p in files if p.suffix != ".pyc"]
    return digest(*(_file_part(p) for p in kept)).encode()


def program_key(sources: CudaSources, compiler: Compiler, args: tuple[str, ...]) -> str | None:
    """Names everything that decides what the program does, however it is run.

    None when the folders hold too much to be read for this, or cannot be read: then no run is kept.
    """
    folders = {p.parent.absolute() for p in sources.sources}
    folders |= {p.absolute() for p in sources.include_dirs}
    files: dict[Path, None] = {}
    try:
        for path in (*local_files(sources.sources, sources.include_dirs), *_named(args)):
            files[path] = None
        size = 0
        for path in _below(tuple(sorted(folders))):
            files[path] = None
            size += path.stat().st_size if path.is_file() else 0
            if len(files) > _MOST_FILES or size > _MOST_BYTES:
                raise _TooMuch
        parts = [_file_part(path) for path in files]
    except (OSError, _TooMuch):
        return None
    settings = (
        *(str(p.absolute()) for p in (*sources.sources, *sources.include_dirs)),
        repr((sources.defines, sources.flags, sources.std, args)),
        *(compiler.program, compiler.version, platform.machine()),
    )
    encoded = (s.encode("utf-8", "surrogateescape") for s in settings)
    return digest(_emulation_part(), *encoded, *parts)


def _named(args: tuple[str, ...]) -> Iterator[Path]:
    """Files that an argument names; a relative name means nothing in the scratch directory."""
    for word in args:
        path = Path(word)
        if path.is_absolute() and path.is_file():
            yield path


def _pack(result: RunResult, directory: Path | None) -> bytes:
    facts = {
        "exit": result.exit,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "seconds": result.seconds,
        "timed_out": result.timed_out,
        "signal": result.signal,
        "stored": time.time(),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr(_RESULT, json.dumps(facts))
        if directory is not None:
            for path in _below((directory,)):
                packed.write(path, f"files/{path.relative_to(directory)}")
    return out.getvalue()


def _unpack(content: bytes, directory: Path | None) -> RunResult | None:
    """The run, with its files laid in ``directory``; None when it should be made again."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        facts: dict[str, str | int | float] = json.loads(packed.read(_RESULT))
        if facts["timed_out"] and time.time() - float(facts["stored"]) > _TIMED_OUT_SECONDS:
            return None
        for name in packed.namelist():
            if directory is not None and name.startswith("files/"):
                path = directory / name.removeprefix("files/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(packed.read(name))
    return RunResult(
        int(facts["exit"]),
        str(facts["stdout"]),
        str(facts["stderr"]),
        float(facts["seconds"]),
        bool(facts["timed_out"]),
        str(facts["signal"]),
    )


@dataclass(slots=True)
class OriginalProgram:
    """The original program, on the CPU or on ``gpu``. ``damage`` tells what of the store could not
    be used. ``layouts`` is the table of :mod:`migrate.verify.pointer_layouts`.

    A program that is captured with threads on stacks and is not done after a while is given up, and
    built again with its kernels as loops (``loops``, C++ of :mod:`migrate.pipeline.fission`) where
    there are any. Most programs are done before that build would be.

    Every method raises ``CompileError`` when the program does not compile.
    """

    sources: CudaSources
    work: Path
    compiler: Compiler
    options: Options
    loops: str = ""
    layouts: str = ""
    gpu: Gpu | None = None
    damage: list[str] = field(default_factory=list)
    _built: BuiltProgram | None = None
    _parent: OriginalProgram | None = None
    _store: ContentStore | None = None
    _key: str = ""

    def __post_init__(self) -> None:
        if self._parent is not None or not self.options.reuse_runs:
            return
        key = program_key(self.sources, self.compiler, self.options.program_args)
        if key is not None:
            key = digest(key.encode(), repr(self.gpu).encode(), self.layouts.encode())
            root = self.options.cache_dir / "runs"
            self._store = ContentStore(root, self.options.cache_bytes)
            self._key = key

    def below(self, work: Path) -> OriginalProgram:
        """The same executable with its runs in ``work``; none is tried again with loops."""
        work.mkdir(parents=True, exist_ok=True)
        return replace(self, work=work, loops="", _parent=self)

    def changed(self, sources: CudaSources, work: Path) -> OriginalProgram:
        """Another program with the same kernels; none of its runs is tried again with loops."""
        work.mkdir(parents=True, exist_ok=True)
        return OriginalProgram(
            sources, work, self.compiler, self.options, "", self.layouts, self.gpu, self.damage
        )

    def capture(self, directory: Path, setup: RunSetup, caps: CaptureCaps) -> RunResult:
        """Run with the launches recorded in ``directory``."""

        def make() -> RunResult:
            shutil.rmtree(directory, ignore_errors=True)
            return capture_program(self.build(), directory, self._typed(how), caps).result

        how = setup
        if self.gpu is None and self.loops and not self.sources.fissioned:
            seconds = min(setup.limits.seconds, _PATIENCE_SECONDS)
            how = replace(setup, limits=replace(setup.limits, seconds=seconds))
            found = self._kept(f"capture {caps!r}", how, directory, make)
            if not found.timed_out:
                return found
            how = setup
            self.sources = replace(self.sources, fissioned=self.loops)
            self._built = None
        return self._kept(f"capture {caps!r}", setup, directory, make)

    def run(self, setup: RunSetup) -> RunResult:
        """Run without a recorder."""
        return self._kept("run", setup, None, lambda: run_program(self.build(), setup))

    def variants(self, job: Path, directory: Path, setup: RunSetup) -> RunResult:
        """Run the launches that ``job`` asks for (``verify/variants.py``), into ``directory``."""
        places = (
            ("CUDAMIGRATE_VARIANTS", str(job.absolute())),
            ("CUDAMIGRATE_CAPTURE_DIR", str(directory.absolute())),
        )
        environment = (*setup.environment, *places)
        placed = replace(setup, environment=environment, writable=(*setup.writable, directory))

        def make() -> RunResult:
            return run_program(self.build(), self._typed(placed))

        # The job names contents by their hashes, so its text stands for all of it.
        return self._kept(f"variants {digest(job.read_bytes())}", setup, directory, make)

    def _typed(self, setup: RunSetup) -> RunSetup:
        """With the table of types, whose path is no part of what a run is looked up by."""
        if not self.layouts:
            return setup
        path = self.work / "layouts"
        path.write_text(self.layouts, encoding="utf-8")
        place = ("CUDAMIGRATE_LAYOUTS", str(path.absolute()))
        return replace(setup, environment=(*setup.environment, place))

    def build(self) -> BuiltProgram:
        """The executable, built once."""
        if self._built is None and self._parent is not None:
            self._built = self._parent.build()
        if self._built is None and self.gpu is not None:
            self._built = build_gpu_program(self.gpu, self.sources, self.work)
        if self._built is None:
            self._built = build_cuda_program(
                self.sources, self.work, self.compiler, self.options.cache_dir
            )
        return self._built

    def _kept(
        self, kind: str, setup: RunSetup, directory: Path | None, make: Callable[[], RunResult]
    ) -> RunResult:
        if self._store is None:
            return make()
        loops = self.sources.fissioned.encode()
        key = digest(self._key.encode(), loops, kind.encode(), repr(setup).encode())
        found = self._stored(self._store, key, directory)
        if found is not None:
            return found
        result = make()
        self._store.save(key, _pack(result, directory))
        return result

    def _stored(self, store: ContentStore, key: str, directory: Path | None) -> RunResult | None:
        try:
            content = store.load(key)
            return None if content is None else _unpack(content, directory)
        except (DamagedEntry, OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            self.damage.append(str(error))
            return None
