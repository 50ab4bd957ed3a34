"""``#include`` lines and the files of the project that they bring in."""

from __future__ import annotations

from pathlib import Path

from migrate.frontend.declarations import Declarations
from migrate.frontend.source import Sources
from migrate.frontend.toolchain import LIBRARY, STUBS
from migrate.ir.program import Include, SourceFile


def includes(declarations: Declarations, sources: Sources, main: Path) -> tuple[Include, ...]:
    """The include lines of the project's own files, in order of appearance."""
    own = {str(main), *declarations.files}
    found: list[Include] = []
    for c in declarations.includes:
        extent = c.extent
        if extent.file not in own:
            continue
        source = sources.get(extent.file)
        line_end = source.data.find(b"\n", extent.start)
        line_end = len(source.data) if line_end < 0 else line_end
        text = source.data[extent.start : line_end]
        angled = b"<" in text.split(b'"')[0]
        resolved = c.included_file
        local = resolved is not None and not _is_system(resolved)
        found.append(
            Include(
                name=c.name,
                angled=angled,
                span=source.span(extent.start, extent.end),
                resolved=Path(resolved) if local and resolved is not None else None,
            )
        )
    return tuple(found)


def project_files(
    declarations: Declarations, sources: Sources, main: Path, root: Path
) -> tuple[SourceFile, ...]:
    """The headers of the project that were read, in order of inclusion."""
    found: dict[str, SourceFile] = {}
    names = [n for c in declarations.includes if (n := c.included_file) is not None]
    for name in (*names, *declarations.files):
        if name == str(main) or name in found or _is_system(name):
            continue
        path = Path(name)
        if not path.is_file():
            continue
        try:
            relative = path.resolve().relative_to(root.resolve())
        except ValueError:
            relative = Path(path.name)
        found[name] = SourceFile(path, relative, sources.get(name).data, is_header=True)
    return tuple(found.values())


def _is_system(name: str) -> bool:
    own = (str(STUBS), str(LIBRARY))
    return name.startswith((*own, "/usr/include", "/usr/lib", "/usr/local/include"))
