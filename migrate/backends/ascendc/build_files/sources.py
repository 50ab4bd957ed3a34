"""Names of source files in build files: ``.cu`` becomes ``.asc``."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.backends.ascendc.build_files.world import SOURCE_PATH, Renamed
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Outcome

_WILD = re.compile(r"[*?%\[]")


def edit_sources(
    sheet: Sheet, start: int, end: int, renamed: Renamed, folder: PurePosixPath
) -> None:
    """Give the sources in a range of the file their new names; ``folder`` holds the file."""
    for hit in SOURCE_PATH.finditer(sheet.text, start, end):
        path = hit.group()
        suffix = path[path.rfind(".") :]
        at = hit.start() + path.rfind(".")
        if suffix == ".cu" and (_WILD.search(path) or _only_variables(path)):
            sheet.replace(at, hit.end(), ".asc")
            sheet.settle(hit.start(), at)
            continue
        if _WILD.search(path):
            _pattern(sheet, hit, suffix, renamed, folder)
            continue
        place = renamed.find(path, folder)
        if place is not None:
            name = path.rpartition("/")[2]
            sheet.replace(hit.end() - len(name), hit.end(), place.name)
            sheet.settle(*hit.span())
        elif suffix == ".cu":
            sheet.settle(hit.start(), hit.end())
            sheet.report(
                codes.SOURCE_NOT_CONVERTED, Outcome.WEAKER, f"no converted file for {path}",
                hit.start(), hit.end(),
            )  # fmt: skip


def _only_variables(path: str) -> bool:
    """``.cu`` alone or behind a variable: a suffix, not the name of one file."""
    stem = re.sub(r"\$[{(][\w.]+[})]", "", path[: path.rfind(".")])
    return stem in ("", "$@", "$<", "$*")


def _pattern(
    sheet: Sheet, hit: re.Match[str], suffix: str, renamed: Renamed, folder: PurePosixPath
) -> None:
    """A wildcard over host sources, some of which have other names now."""
    path = hit.group()
    below = PurePosixPath(re.sub(r"\$[{(][\w.]+[})]/?", "", path)).parent
    if renamed.renames_suffix(suffix, folder / below):
        cause = f"{path} does not match the files that became .asc; it is kept"
        sheet.report(codes.SOURCE_NOT_CONVERTED, Outcome.WEAKER, cause, hit.start(), hit.end())
